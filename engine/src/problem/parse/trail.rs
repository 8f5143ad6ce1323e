//! Where the reader stands, and the fault that made it stop.

use std::cell::{Cell, RefCell};
use std::fmt::Write;

use serde::de::Error;

use super::Fault;

/// The path from the top of the file to the value being read.
///
/// Seeds share it, so it changes through a shared reference. Whoever descends pushes a step and pops it after *success* only.
#[derive(Default)]
pub(super) struct Trail {
    steps: RefCell<Vec<Step>>,
    fault: Cell<Option<Fault>>,
}

enum Step {
    Key(&'static str),
    Index(usize),
}

impl Trail {
    pub(super) fn enter_key(&self, key: &'static str) {
        self.steps.borrow_mut().push(Step::Key(key));
    }

    pub(super) fn enter_index(&self, index: usize) {
        self.steps.borrow_mut().push(Step::Index(index));
    }

    pub(super) fn leave(&self) {
        self.steps.borrow_mut().pop();
    }

    /// Keeps the typed fault and makes the error that carries it out of the JSON parser.
    pub(super) fn fail<E: Error>(&self, fault: Fault) -> E {
        let error = E::custom(&fault);
        self.fault.set(Some(fault));
        error
    }

    /// The same for a field of the present object.
    pub(super) fn fail_at<E: Error>(&self, key: &'static str, fault: Fault) -> E {
        self.enter_key(key);
        self.fail(fault)
    }

    pub(super) fn take_fault(&self) -> Option<Fault> {
        self.fault.take()
    }

    /// The path in the form `circuit.gates[3].generator[0]`.
    pub(super) fn path(&self) -> String {
        let mut path = String::new();
        for step in self.steps.borrow().iter() {
            // Writing to a String never fails.
            let _ = match step {
                Step::Key(key) if path.is_empty() => write!(path, "{key}"),
                Step::Key(key) => write!(path, ".{key}"),
                Step::Index(index) => write!(path, "[{index}]"),
            };
        }
        path
    }
}
