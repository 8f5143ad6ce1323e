//! How the program ends when it does not end well: a message of one line, and an exit code.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use phalanx_engine::group::{GroupError, PlanError, SettingError};
use phalanx_engine::problem::ProblemError;
use phalanx_engine::run::RunError;

/// The exit code of a run that Ctrl-C ended.
pub(crate) const CTRL_C: u8 = 130;

/// The exit code of a run that a signal ended: 128 and its number, as shells have it.
pub(crate) fn interrupted(signal: i32) -> u8 {
    signal
        .checked_add(128)
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(CTRL_C)
}

/// The exit code of a run whose reader left: as if SIGPIPE had ended it.
const ABANDONED: u8 = 141;

/// Why a command did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Bad input, usage or settings; nothing was run. Exit code 2.
    Input(String),
    /// What was begun could not be finished. Exit code 1.
    Run(String),
    /// A signal, with its exit code. The message is there already.
    Interrupted(u8),
    /// Who read our output does not any more, as `head` does. No failure of ours: nothing is said.
    Unread,
    /// The same of a run, which is all for nothing then. Exit code 141; nothing is said.
    Abandoned,
}

impl Failure {
    pub(crate) fn input(message: impl Display) -> Self {
        Failure::Input(message.to_string())
    }

    pub(crate) fn run(message: impl Display) -> Self {
        Failure::Run(message.to_string())
    }

    /// Something could not be written.
    pub(crate) fn write(what: impl Display, error: &io::Error) -> Self {
        Failure::Run(format!("cannot write {what}: {error}"))
    }

    /// Says why, if that is not known yet, and gives the exit code.
    pub(crate) fn exit(self) -> ExitCode {
        self.tell();
        ExitCode::from(match self {
            Failure::Input(_) => 2,
            Failure::Run(_) => 1,
            Failure::Interrupted(code) => code,
            Failure::Unread => 0,
            Failure::Abandoned => ABANDONED,
        })
    }

    /// Says why, if that is not known yet.
    pub(crate) fn tell(&self) {
        if let Failure::Input(message) | Failure::Run(message) = self {
            say(format_args!("error: {message}"));
        }
    }
}

/// A line on standard error; that nobody may read it is no reason to stop.
pub(crate) fn say(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

impl From<ProblemError> for Failure {
    fn from(error: ProblemError) -> Self {
        Failure::input(error)
    }
}

impl From<SettingError> for Failure {
    fn from(error: SettingError) -> Self {
        Failure::input(error)
    }
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::Topology(_) => Failure::run(error),
            _ => Failure::input(error),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Plan(error) => error.into(),
            RunError::Group(GroupError::Panicked { .. }) => {
                let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
                let place = place.as_deref().unwrap_or("an unknown place");
                Failure::Run(format!("{error} (at {place})"))
            }
            error => Failure::run(error),
        }
    }
}

/// Where the first partition panicked.
static PLACE: Mutex<Option<String>> = Mutex::new(None);

/// Has the panics of partitions remembered instead of printed: the run reports the first as its error, and the others follow from it.
///
/// With `RUST_BACKTRACE` set they are printed as well.
pub(crate) fn remember_panics() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let thread = std::thread::current();
        let is_partition = thread
            .name()
            .is_some_and(|name| name.starts_with("phalanx-"));
        if is_partition && let Some(location) = info.location() {
            let mut place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
            place.get_or_insert_with(|| location.to_string());
        }
        if !is_partition || std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
            print(info);
        }
    }));
}
