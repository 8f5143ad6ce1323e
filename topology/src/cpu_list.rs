//! The kernel's notation for sets of CPUs, `0-3,8,10-11`: reading and writing it.

use std::fmt::{self, Write as _};

use crate::MaskError;

/// The largest index that a list may name. It only bounds the memory that a typing error can ask for.
const LARGEST_CPU: u32 = 1 << 20;

/// Reads a list such as `0-3,8`, ascending or not, and gives the indices in ascending order without repeats.
/// White space around it and an empty text (no CPU) are fine.
pub(crate) fn parse(text: &str) -> Result<Vec<u32>, MaskError> {
    let bad = |fault: &'static str| MaskError::BadList {
        text: text.to_owned(),
        fault,
    };
    let mut cpus = Vec::new();
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Ok(cpus);
    }
    for item in trimmed.split(',') {
        let (first, last) = match item.split_once('-') {
            Some((first, last)) => (number(first, text)?, number(last, text)?),
            None => {
                let cpu = number(item, text)?;
                (cpu, cpu)
            }
        };
        if first > last {
            return Err(bad("a range ends below its start"));
        }
        if last > LARGEST_CPU {
            return Err(bad("an index is beyond 1048576"));
        }
        cpus.extend(first..=last);
    }
    cpus.sort_unstable();
    cpus.dedup();
    Ok(cpus)
}

/// One decimal index.
fn number(item: &str, text: &str) -> Result<u32, MaskError> {
    let digits = item.trim();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(MaskError::BadList {
            text: text.to_owned(),
            fault: "an item is not a number or a range",
        });
    }
    digits.parse().map_err(|_| MaskError::BadList {
        text: text.to_owned(),
        fault: "an index is beyond 1048576",
    })
}

/// Writes ascending indices as a list, with ranges where at least two neighbours follow one another.
pub(crate) fn format(cpus: impl IntoIterator<Item = u32>) -> String {
    let mut text = String::new();
    let mut run: Option<(u32, u32)> = None;
    for cpu in cpus {
        run = match run {
            Some((first, last)) if last + 1 == cpu => Some((first, cpu)),
            Some(done) => {
                push_run(&mut text, done);
                Some((cpu, cpu))
            }
            None => Some((cpu, cpu)),
        };
    }
    if let Some(done) = run {
        push_run(&mut text, done);
    }
    text
}

fn push_run(text: &mut String, (first, last): (u32, u32)) {
    let separator = if text.is_empty() { "" } else { "," };
    let written: fmt::Result = if first == last {
        write!(text, "{separator}{first}")
    } else {
        write!(text, "{separator}{first}-{last}")
    };
    debug_assert!(written.is_ok(), "writing to a String cannot fail");
}

#[cfg(test)]
mod tests {
    use super::{format, parse};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn lists_are_read_and_written() {
        assert_eq!(parse("0-3,8,10-11\n").unwrap(), [0, 1, 2, 3, 8, 10, 11]);
        assert_eq!(parse("5, 1 ,1-2").unwrap(), [1, 2, 5]);
        assert_eq!(parse("").unwrap(), [0u32; 0]);
        assert_eq!(format([0, 1, 2, 3, 8, 10, 11]), "0-3,8,10-11");
        assert_eq!(format([]), "");
    }

    #[test]
    fn bad_lists_say_what_is_wrong() {
        for (text, fault) in [
            ("3-1", "a range ends below its start"),
            ("a", "an item is not a number or a range"),
            ("1,,2", "an item is not a number or a range"),
            ("-1", "an item is not a number or a range"),
            ("+1", "an item is not a number or a range"),
            ("0-99999999", "an index is beyond 1048576"),
            ("99999999999999999999", "an index is beyond 1048576"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(fault), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(cpus in proptest::collection::btree_set(0u32..5000, 0..60)) {
            let back: BTreeSet<u32> = parse(&format(cpus.iter().copied())).unwrap().into_iter().collect();
            prop_assert_eq!(back, cpus);
        }
    }
}
