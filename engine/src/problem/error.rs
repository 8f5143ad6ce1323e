//! What can be wrong with a problem: where it is, and the fault with what would be right.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::{MAX_FILE_BYTES, MAX_INITIAL_ROWS, MAX_MODES, MAX_NAME_CHARS, MAX_REPEAT};

/// A problem that cannot be run: the file it came from, the field at fault, and the fault.
///
/// Its message is one line, `FILE: FIELD: FAULT (line L, column C)`, with the parts that are known.
#[derive(Debug)]
pub struct ProblemError {
    inner: Box<Inner>,
}

#[derive(Debug)]
struct Inner {
    file: Option<PathBuf>,
    field: String,
    position: Option<(usize, usize)>,
    fault: Fault,
}

impl ProblemError {
    pub(crate) fn new(field: impl Into<String>, fault: Fault) -> Self {
        ProblemError {
            inner: Box::new(Inner {
                file: None,
                field: field.into(),
                position: None,
                fault,
            }),
        }
    }

    pub(crate) fn at(mut self, line: usize, column: usize) -> Self {
        self.inner.position = Some((line, column));
        self
    }

    pub(crate) fn in_file(mut self, file: &Path) -> Self {
        self.inner.file = Some(file.to_owned());
        self
    }

    /// The file that was read, if the problem came from one.
    pub fn file(&self) -> Option<&Path> {
        self.inner.file.as_deref()
    }

    /// The path of the field at fault, like `circuit.gates[3].generator[0]`; empty if the whole is at fault.
    pub fn field(&self) -> &str {
        &self.inner.field
    }

    /// Line and column, both from 1, where the reader stood; only for faults found while reading.
    pub fn position(&self) -> Option<(usize, usize)> {
        self.inner.position
    }

    /// What is wrong.
    pub fn fault(&self) -> &Fault {
        &self.inner.fault
    }
}

impl fmt::Display for ProblemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.inner.file {
            write!(f, "{}: ", file.display())?;
        }
        if !self.inner.field.is_empty() {
            write!(f, "{}: ", self.inner.field)?;
        }
        write!(f, "{}", self.inner.fault)?;
        if let Some((line, column)) = self.inner.position {
            write!(f, " (line {line}, column {column})")?;
        }
        Ok(())
    }
}

impl std::error::Error for ProblemError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.inner.fault {
            Fault::Unreadable(source) => Some(source),
            _ => None,
        }
    }
}

/// What is wrong with a problem. Each message says what would be right.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The operating system did not let us read the file.
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    /// A directory was named.
    #[error("is a directory; name a problem file")]
    Directory,
    /// More bytes than a problem file may have.
    #[error("has more than {MAX_FILE_BYTES} bytes, the most that a problem file may have")]
    FileTooLarge,
    /// A byte sequence that is not UTF-8.
    #[error("is not UTF-8 text: byte {offset} does not belong there")]
    NotUtf8 {
        /// The offset of the first bad byte.
        offset: usize,
    },
    /// The text is not JSON.
    #[error("not valid JSON: {detail}")]
    NotJson {
        /// What the parser expected.
        detail: String,
    },
    /// A JSON value of another kind than the field takes.
    #[error("{detail}")]
    WrongType {
        /// What was found, and what was expected.
        detail: String,
    },
    /// A key that the format does not have.
    #[error("unknown key {key:?}; the keys here are {}", list(known))]
    UnknownKey {
        /// The key.
        key: String,
        /// The keys that may stand there.
        known: &'static [&'static str],
    },
    /// A key that was given before in the same object.
    #[error("the key {key:?} is given twice; give it once")]
    DuplicateKey {
        /// The key.
        key: &'static str,
    },
    /// A required key is missing.
    #[error("the key {key:?} is missing")]
    MissingKey {
        /// The key.
        key: &'static str,
    },
    /// A value that is not one of the known words.
    #[error("{found:?} is not known here; it is one of {}", list(known))]
    UnknownValue {
        /// What was found.
        found: String,
        /// What may stand there.
        known: &'static [&'static str],
    },
    /// The name cannot be shown on one line.
    #[error("a name has at most {MAX_NAME_CHARS} characters and no control characters")]
    Name,
    /// No modes, or more than are supported.
    #[error("{found} modes; a problem has 1 to {MAX_MODES}")]
    Modes {
        /// The number asked for.
        found: u64,
    },
    /// A slot beyond the last one.
    #[error("slot {slot} is out of range; slots go from 0 to {last}")]
    SlotOutOfRange {
        /// The slot.
        slot: u64,
        /// The last slot there is.
        last: u32,
    },
    /// Slots out of order.
    #[error("slot {after} follows slot {before}; slots are listed in strictly ascending order")]
    SlotsNotAscending {
        /// The larger slot, listed first.
        before: u32,
        /// The smaller one that follows it.
        after: u32,
    },
    /// A slot twice in one monomial.
    #[error("slot {slot} is named twice; a monomial names each of its slots once")]
    SlotTwice {
        /// The slot.
        slot: u32,
    },
    /// An occupied mode beyond the last one.
    #[error("mode {mode} is out of range; modes go from 0 to {last}")]
    ModeOutOfRange {
        /// The mode.
        mode: u64,
        /// The last mode there is.
        last: u32,
    },
    /// An occupied mode named twice.
    #[error("mode {mode} is named twice; each occupied mode is named once")]
    ModeTwice {
        /// The mode.
        mode: u32,
    },
    /// NaN or an infinity.
    #[error("{value} is not a finite number")]
    NotFinite {
        /// The value.
        value: f64,
    },
    /// A number in the text that no double can hold.
    #[error("the number is beyond the range of a double; numbers are finite")]
    NumberTooLarge,
    /// Equal monomials whose coefficients add up to an infinity.
    #[error("the coefficients of monomial {slots:?} add up to no finite number")]
    SumOverflows {
        /// The monomial.
        slots: Vec<u32>,
    },
    /// A rotation whose doubled angle is infinite.
    #[error("twice the angle {parameter:?} * {coefficient:?} is not a finite number")]
    AngleOverflows {
        /// theta
        parameter: f64,
        /// h
        coefficient: f64,
    },
    /// A gate that refers to a parameter that is not there.
    #[error(
        "parameter index {index} is out of range; the circuit has {count} parameters, counted from 0"
    )]
    ParameterOutOfRange {
        /// The index.
        index: u64,
        /// The number of parameters.
        count: usize,
    },
    /// The terms of one gate do not commute.
    #[error(
        "terms {first} and {second} do not commute; the terms of one gate must, so split them into two gates"
    )]
    NotCommuting {
        /// The index of the earlier term in the generator.
        first: usize,
        /// The index of the later one.
        second: usize,
    },
    /// A circuit repeated more often than is supported.
    #[error("the circuit is repeated {found} times; at most {MAX_REPEAT} are supported")]
    Repeat {
        /// The number asked for.
        found: u64,
    },
    /// The length measure with the Pauli basis.
    #[error("the length measure is for Majorana problems; with the Pauli basis use \"support\"")]
    LengthWithPauli,
    /// A negative or non-finite threshold.
    #[error("{value:?} is not a threshold; thresholds are finite and at least 0")]
    Threshold {
        /// The value.
        value: f64,
    },
    /// The upper threshold is below the lower one.
    #[error("upper_atol {upper:?} is below lower_atol {lower:?}; it must be at least that")]
    UpperBelowLower {
        /// The upper threshold.
        upper: f64,
        /// The lower threshold.
        lower: f64,
    },
    /// A length cap of nothing, or of more than all slots.
    #[error("{found} slots; the cap goes from 1 to {limit}, the number of slots")]
    MaxRotatedLength {
        /// The cap asked for.
        found: u64,
        /// The number of slots of the problem.
        limit: u32,
    },
    /// The Schroedinger picture without the size of its initial state.
    #[error(
        "the schrodinger picture needs the key \"schrodinger_cutoff\", in slots (majorana) or qubits (pauli)"
    )]
    SchrodingerWithoutCutoff,
    /// A size of the initial state where there is none.
    #[error(
        "\"schrodinger_cutoff\" is given but \"picture\" is \"heisenberg\"; drop the one or set the other to \"schrodinger\""
    )]
    CutoffWithHeisenberg,
    /// An initial state of more rows than any run can hold.
    #[error(
        "the initial state has {rows} rows or more; at most {MAX_INITIAL_ROWS} are supported, so lower the cutoff"
    )]
    StateTooLarge {
        /// The number of rows, saturating.
        rows: u64,
    },
}

fn list(names: &[&str]) -> String {
    names.join(", ")
}
