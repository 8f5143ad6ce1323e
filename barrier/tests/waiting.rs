//! What waiting costs: too few CPUs, CPUs that others use, participants that come late.
//!
//! These tests measure, so they take turns.
#![cfg(all(target_os = "linux", not(any(phalanx_loom, phalanx_shuttle))))]

mod common;
mod machine;

use std::sync::mpsc;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use common::run;
use machine::{
    Hogs, check, chrt_fifo, cpu_time, measured, median, pin, sleeps_of, thread_path, two_cpus,
};
use phalanx_barrier::{Pace, Participant, Team};

fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Microseconds that each round took, seen by participant 0.
fn rounds_us(team: Vec<Participant>, n_rounds: usize, place: impl Fn(usize) + Sync) -> Vec<f64> {
    let times = run(team, |mut me| {
        place(me.index());
        let mut times = Vec::with_capacity(n_rounds);
        for _ in 0..n_rounds {
            let start = Instant::now();
            me.wait().expect("nobody fails");
            times.push(start.elapsed().as_secs_f64() * 1e6);
        }
        times
    });
    times.into_iter().next().expect("the team is not empty")
}

/// Microseconds a round of `std::sync::Barrier` takes with `n` threads.
fn std_round_us(n: usize, n_rounds: usize, place: impl Fn(usize) + Sync) -> f64 {
    let barrier = std::sync::Barrier::new(n);
    let start = Instant::now();
    thread::scope(|scope| {
        for index in 0..n {
            let (barrier, place) = (&barrier, &place);
            scope.spawn(move || {
                place(index);
                (0..n_rounds).for_each(|_| _ = barrier.wait());
            });
        }
    });
    start.elapsed().as_secs_f64() * 1e6 / n_rounds as f64
}

/// Ours against `std`, in turns: the medians must be within a factor of three.
fn near_std(n: usize, n_rounds: usize, place: impl Fn(usize) + Sync) -> Result<(), String> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        theirs.push(std_round_us(n, n_rounds, &place));
        let start = Instant::now();
        rounds_us(Team::flat(n).build(), n_rounds, &place);
        ours.push(start.elapsed().as_secs_f64() * 1e6 / n_rounds as f64);
    }
    let (ours, theirs) = (median(&ours), median(&theirs));
    let what = format!("{n} threads: {ours:.1} us a round, std {theirs:.1} us");
    check(ours <= 3.0 * theirs, what)
}

#[test]
fn b01_more_threads_than_cores() {
    let _turn = turn();
    let cpus = two_cpus();
    measured(|| {
        let start = Instant::now();
        rounds_us(Team::flat(16).build(), 10_000, |index| pin(cpus[index % 2]));
        let took = start.elapsed();
        let what = format!("16 threads on 2 CPUs: 10,000 rounds in {took:.2?}");
        check(took < Duration::from_secs(10), what)
    });
}

#[test]
fn oversubscribed_stays_near_std() {
    let _turn = turn();
    let cpus = two_cpus();
    measured(|| near_std(8, 2_000, |index| pin(cpus[index % 2])));
}

#[test]
fn beside_hogs_stays_near_std() {
    let _turn = turn();
    let cpus = two_cpus();
    let _hogs = Hogs::on(&cpus);
    measured(|| near_std(2, 2_000, |index| pin(cpus[index % 2])));
}

#[test]
fn b02_a_team_as_large_as_the_machine_and_a_hog() {
    let _turn = turn();
    let n = Pace::usable_cpus();
    let cpus = two_cpus();
    let _hog = Hogs::on(&cpus[..1]);
    for is_pinned in [false, n == 2] {
        measured(|| {
            let start = Instant::now();
            let rounds = rounds_us(Team::flat(n).build(), 2_000, |index| {
                if is_pinned {
                    pin(cpus[index]);
                }
            });
            let (median, took) = (median(&rounds), start.elapsed());
            let what = format!(
                "{n} threads and a hog, pinned {is_pinned}: median {median:.1} us, in all {took:.2?}"
            );
            check(median < 1_000.0 && took < Duration::from_secs(20), what)
        });
    }
}

/// Microseconds from the beginning of a wait to the waiter's first sleep.
fn first_sleep_us(pace: Pace) -> f64 {
    let mut team = Team::flat(2).pace(pace).build();
    let mut late = team.pop().expect("there are two");
    let mut early = team.pop().expect("there are two");
    let (tell, told) = mpsc::channel();
    let waiter = thread::spawn(move || {
        chrt_fifo();
        // Sent ahead of time, so that whoever listens is awake when the wait begins.
        let begin = Instant::now() + Duration::from_millis(2);
        tell.send((thread_path(), begin)).expect("the test listens");
        while Instant::now() < begin {}
        early.wait().map(|()| early)
    });
    let (path, begin) = told.recv().expect("the waiter tells");
    let before = sleeps_of(&path);
    while sleeps_of(&path) == before {}
    let waited = begin.elapsed();
    late.wait().expect("both are there");
    waiter.join().expect("no panic").expect("no poison");
    waited.as_secs_f64() * 1e6
}

/// A waiter keeps the CPU for its budget, here 200 us, and 50 us of yielding, and then sleeps.
///
/// Both threads have real-time priorities, if that is allowed, since others may be busy. Even then
/// a wait may be disturbed; but not each of them.
#[test]
fn b07_budget_is_time() {
    let _turn = turn();
    let mut pace = Pace::for_team(2, 2);
    pace.spin = Pace::parse_spin_budget("200").expect("a number");
    measured(|| {
        let observer = thread::spawn(move || {
            chrt_fifo();
            (0..50).map(|_| first_sleep_us(pace)).collect()
        });
        let mut waits: Vec<f64> = observer.join().expect("no panic");
        waits.sort_by(f64::total_cmp);
        let (early, clean) = (waits[5], waits.iter().filter(|&&us| us <= 300.0).count());
        let what = format!("tenth part slept within {early:.0} us, {clean} of 50 within 300 us");
        check(early >= 200.0 && clean >= 3, what)
    });
}

/// The CPU time of each participant for a wait, if participant 0 comes late by `late`.
fn burnt(team: Vec<Participant>, late: Duration) -> Vec<Duration> {
    run(team, |mut me| {
        if me.index() == 0 {
            thread::sleep(late);
        }
        let before = cpu_time();
        me.wait().expect("nobody fails");
        cpu_time() - before
    })
}

/// A straggler comes a second late. The waiters, once through their budget, burn next to nothing.
#[test]
fn waiting_for_a_straggler_is_cheap() {
    let _turn = turn();
    for domain_of in [&[0, 0][..], &[0, 0, 1, 1], &[0; 8]] {
        let burnt = burnt(Team::grouped(domain_of).build(), Duration::from_secs(1));
        println!("{} threads: CPU time of each {burnt:.2?}", domain_of.len());
        for waiter in &burnt[1..] {
            assert!(*waiter < Duration::from_millis(50), "{burnt:?}");
        }
    }
}

/// A negative control of the test before: a waiter that may spin for ever is seen to burn its CPU.
#[test]
fn a_spinning_waiter_is_seen_to_burn() {
    let _turn = turn();
    let mut pace = Pace::for_team(2, 2);
    pace.spin = Duration::MAX;
    let burnt = burnt(Team::flat(2).pace(pace).build(), Duration::from_secs(1));
    assert!(burnt[1] > Duration::from_millis(50), "{burnt:?}");
}

/// Waits of a participant of real-time priority for one on the same CPU that has work to do, in ms.
fn real_time_waits_ms(cpu: usize) -> Vec<f64> {
    // Built for a CPU each, so that the waiter does spin.
    let team = Team::flat(2).pace(Pace::for_team(2, 2)).build();
    let waits = run(team, |mut me| {
        pin(cpu);
        if me.index() == 0 && !chrt_fifo() {
            println!("real-time priorities are not allowed here: measured without");
        }
        (0..20)
            .map(|_| {
                let work = Duration::from_micros([0, 100][me.index()]);
                let begin = cpu_time();
                while cpu_time() - begin < work {}
                let start = Instant::now();
                me.wait().expect("nobody fails");
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect()
    });
    waits.into_iter().next().expect("participant 0 is there")
}

#[test]
fn b13_real_time_waiter_lets_others_run() {
    let _turn = turn();
    measured(|| {
        let waits = real_time_waits_ms(two_cpus()[0]);
        let (median, most) = (median(&waits), waits.iter().copied().fold(0.0, f64::max));
        let what = format!("median wait {median:.2} ms, longest {most:.2} ms");
        check(median < 10.0 && most < 100.0, what)
    });
}
