//! One run of a crate's models under one mutant, watched until the first of them fails.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::Mutant;

/// How a run of the models went.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// All models passed.
    Passed,
    /// This model failed; those after it were not waited for.
    Failed(String),
    /// The program died, in this model.
    Died(String),
    /// The limit of time was reached, in this model.
    OutOfTime(String),
}

#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) outcome: Outcome,
    pub(crate) n_passed: usize,
    pub(crate) took: Duration,
}

impl Run {
    /// Whether the models noticed `mutant`.
    pub(crate) fn catches(&self, mutant: &Mutant) -> bool {
        match &self.outcome {
            Outcome::Passed => false,
            Outcome::Failed(_) => true,
            // Outside any model nothing has noticed anything.
            Outcome::Died(model) => !model.is_empty(),
            Outcome::OutOfTime(_) => mutant.hangs,
        }
    }

    pub(crate) fn say(&self) -> String {
        match &self.outcome {
            Outcome::Passed => "all models pass".to_owned(),
            Outcome::Failed(model) => model.clone(),
            Outcome::Died(model) => format!("{model} (died)"),
            Outcome::OutOfTime(model) => format!("{model} (out of time)"),
        }
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.took.as_secs_f64()
    }
}

/// What to run, and how.
pub(crate) struct Models<'a> {
    pub(crate) mutant: Option<&'a str>,
    /// Preemptions to explore, instead of what the models choose.
    pub(crate) bound: Option<u64>,
    pub(crate) limit: Duration,
    /// Models that run at a time. Only with one at a time is the model known in which the program died.
    pub(crate) n_threads: usize,
}

/// Runs the models in `binary` until one fails or the limit is reached.
pub(crate) fn run(binary: &Path, models: &Models) -> Result<Run> {
    let mut command = Command::new(binary);
    command.arg(format!("--test-threads={}", models.n_threads));
    command.env_remove("PHALANX_MUTANT");
    if let Some(mutant) = models.mutant {
        command.env("PHALANX_MUTANT", mutant);
    }
    if let Some(bound) = models.bound {
        command.env("LOOM_MAX_PREEMPTIONS", bound.to_string());
    }
    watch(command, models.limit)
}

fn watch(mut command: Command, limit: Duration) -> Result<Run> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {command:?}"))?;
    let output = child.stdout.take().context("no standard output")?;
    let start = Instant::now();
    let (outcome, n_passed) = follow(&mut child, &pieces(output), start + limit)?;
    Ok(Run {
        outcome,
        n_passed,
        took: start.elapsed(),
    })
}

/// Reads what the test harness prints: `test NAME ... ` before a model, `ok` or `FAILED` after it.
fn follow(child: &mut Child, pieces: &Receiver<Vec<u8>>, end: Instant) -> Result<(Outcome, usize)> {
    let mut text = Vec::new();
    loop {
        let told = read(&text);
        match pieces.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(piece) => text.extend(piece),
            Err(RecvTimeoutError::Timeout) => {
                stop(child)?;
                return Ok((Outcome::OutOfTime(told.current), told.n_passed));
            }
            Err(RecvTimeoutError::Disconnected) => {
                let is_well = child.wait()?.success();
                let outcome = if is_well {
                    Outcome::Passed
                } else {
                    Outcome::Died(told.current)
                };
                return Ok((outcome, told.n_passed));
            }
        }
        let told = read(&text);
        if let Some(model) = told.failed {
            stop(child)?;
            return Ok((Outcome::Failed(model), told.n_passed));
        }
    }
}

#[derive(Debug, Default, PartialEq)]
struct Told {
    n_passed: usize,
    failed: Option<String>,
    /// The model that was begun and not ended.
    current: String,
}

fn read(text: &[u8]) -> Told {
    let mut told = Told::default();
    for line in String::from_utf8_lossy(text).split_inclusive('\n') {
        let Some((name, result)) = line
            .strip_prefix("test ")
            .and_then(|l| l.split_once(" ... "))
        else {
            continue;
        };
        let name = name.trim_end_matches(" - should panic");
        match result {
            "ok\n" => told.n_passed += 1,
            _ if result.starts_with("FAILED") => {
                told.failed.get_or_insert(name.to_owned());
            }
            _ if !result.ends_with('\n') => told.current = name.to_owned(),
            _ => (),
        }
    }
    told
}

/// What the child prints, as it comes, down to parts of lines.
fn pieces(output: ChildStdout) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        // An error reads as the end: the child's exit status tells the rest.
        while let Ok(piece) = output.fill_buf().map(<[u8]>::to_vec) {
            output.consume(piece.len());
            if piece.is_empty() || sender.send(piece).is_err() {
                break;
            }
        }
        let _ = output.read_to_end(&mut Vec::new());
    });
    receiver
}

fn stop(child: &mut Child) -> Result<()> {
    child.kill()?;
    child.wait()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::Duration;

    use super::super::parse;
    use super::{Outcome, Run, watch};

    /// Stands for a test program: a shell script that prints as the harness does.
    fn play(script: &str) -> Run {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        watch(command, Duration::from_secs(2)).unwrap()
    }

    fn catches(run: &Run, line: &str) -> bool {
        run.catches(&parse("mutants.txt", line).unwrap()[0])
    }

    #[test]
    fn a_run_that_passes_catches_nothing() {
        let run = play("echo running 2 tests; echo test a ... ok; echo test b ... ok");
        assert_eq!((&run.outcome, run.n_passed), (&Outcome::Passed, 2));
        assert!(!catches(&run, "m\tp\tx"));
        assert!(!catches(&run, "m\tp\tx\thang"));
    }

    #[test]
    fn the_first_model_that_fails_ends_the_run() {
        let run = play("echo test a ... ok; echo test b - should panic ... FAILED; exec sleep 30");
        assert_eq!(
            (&run.outcome, run.n_passed),
            (&Outcome::Failed("b".to_owned()), 1)
        );
        assert!(run.took < Duration::from_secs(2));
        assert!(catches(&run, "m\tp\tx"));
    }

    #[test]
    fn dying_in_a_model_catches_and_dying_outside_does_not() {
        let inside = play("echo test a ... ok; printf 'test b ... '; kill -ABRT $$");
        assert_eq!(inside.outcome, Outcome::Died("b".to_owned()));
        assert!(catches(&inside, "m\tp\tx"));
        let outside = play("echo cannot start; exit 1");
        assert_eq!(outside.outcome, Outcome::Died(String::new()));
        assert!(!catches(&outside, "m\tp\tx"));
    }

    #[test]
    fn running_out_of_time_counts_only_where_the_list_says_so() {
        let run = play("printf 'test a ... '; exec sleep 30");
        assert_eq!(run.outcome, Outcome::OutOfTime("a".to_owned()));
        assert!(!catches(&run, "m\tp\tx"));
        assert!(catches(&run, "m\tp\tx\thang"));
    }
}
