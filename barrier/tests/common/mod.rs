//! What the tests on real threads share.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use phalanx_barrier::Participant;

/// Far beyond anything a test that works takes.
const PATIENCE: Duration = Duration::from_secs(600);

/// Runs `body` on a thread for each participant, and poisons the team if that does not end.
pub(crate) fn run<R: Send>(
    team: Vec<Participant>,
    body: impl Fn(Participant) -> R + Sync,
) -> Vec<R> {
    let handle = team.first().map(Participant::poison_handle);
    let body = &body;
    thread::scope(|scope| {
        let (done, is_done) = mpsc::channel::<()>();
        scope.spawn(move || {
            let ended = is_done.recv_timeout(PATIENCE);
            if let (Err(mpsc::RecvTimeoutError::Timeout), Some(handle)) = (ended, handle) {
                handle.poison("the test does not end");
            }
        });
        let threads: Vec<_> = team
            .into_iter()
            .map(|me| scope.spawn(move || body(me)))
            .collect();
        let results = threads.into_iter().map(|thread| thread.join());
        let results: Vec<_> = results.collect();
        drop(done);
        let results = results.into_iter();
        results
            .map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}
