//! Stalls seen with a clock of the test's own.

use std::time::Duration;

use super::{BadStallTime, StallWatch, Stalls};
use crate::Verb;
use crate::tag::Tag;

fn seconds(s: u64) -> Duration {
    Duration::from_secs(s)
}

fn tags(calls: [u64; 3]) -> [Tag; 3] {
    calls.map(|call| match call {
        0 => Tag(0),
        _ => Tag::new(
            call,
            if call % 2 == 0 {
                Verb::Resolve
            } else {
                Verb::Barrier
            },
            0,
        ),
    })
}

#[test]
fn a_laggard_is_named_once_with_what_the_others_wait_in() {
    let mut stalls = Stalls::new(seconds(5));
    assert!(stalls.look(seconds(0), &tags([8, 7, 8])).is_empty());
    assert!(stalls.look(seconds(4), &tags([8, 7, 8])).is_empty());
    let reports = stalls.look(seconds(6), &tags([8, 7, 8]));
    assert_eq!(reports.len(), 1);
    assert_eq!(reports[0].laggard, 1);
    assert_eq!(reports[0].last, Some((Verb::Barrier, 7)));
    assert_eq!(reports[0].waiting, [(0, Verb::Resolve), (2, Verb::Resolve)]);
    assert_eq!(
        reports[0].to_string(),
        "participant 1 keeps others waiting for 6.0 s, last seen in barrier (call 7); \
         waiting in resolve: 0 2"
    );
    assert!(stalls.look(seconds(60), &tags([8, 7, 8])).is_empty());
}

#[test]
fn one_that_comes_late_each_time_is_not_named() {
    let mut stalls = Stalls::new(seconds(5));
    for call in 1..20 {
        let late = tags([call + 1, call, call + 1]);
        assert!(stalls.look(seconds(4 * call), &late).is_empty());
    }
    // And neither is anybody while all are in the same verb, however long it takes.
    assert!(stalls.look(seconds(1_000), &tags([20, 20, 20])).is_empty());
    assert!(stalls.look(seconds(2_000), &tags([20, 20, 20])).is_empty());
}

#[test]
fn one_that_never_began_is_named() {
    let mut stalls = Stalls::new(seconds(1));
    assert!(stalls.look(seconds(0), &tags([1, 1, 0])).is_empty());
    let reports = stalls.look(seconds(2), &tags([1, 1, 0]));
    assert_eq!(reports.len(), 1);
    assert_eq!((reports[0].laggard, reports[0].last), (2, None));
    assert!(reports[0].to_string().contains("not seen in any verb yet"));
}

#[test]
fn a_second_stall_of_the_same_participant_is_told_again() {
    let mut stalls = Stalls::new(seconds(1));
    stalls.look(seconds(0), &tags([2, 1, 2]));
    assert_eq!(stalls.look(seconds(2), &tags([2, 1, 2])).len(), 1);
    stalls.look(seconds(3), &tags([3, 2, 3]));
    assert_eq!(stalls.look(seconds(5), &tags([3, 2, 3])).len(), 1);
}

#[test]
fn settings_are_read_or_refused() {
    let after =
        |value: &str| StallWatch::from_setting(value).map(|watch| watch.map(|watch| watch.after));
    assert_eq!(after("2.5"), Ok(Some(Duration::from_millis(2_500))));
    assert_eq!(after(" 3 "), Ok(Some(seconds(3))));
    for off in ["", "0", "0.0"] {
        assert_eq!(after(off), Ok(None));
    }
    for bad in ["abc", "-1", "1e99", "inf", "nan", "5s"] {
        let value = bad.to_owned();
        assert_eq!(after(bad), Err(BadStallTime { value }));
    }
}
