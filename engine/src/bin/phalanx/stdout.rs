//! Standard output, on which a reader may hang up at any time.

use std::io::{self, ErrorKind, Write};

use crate::failure::Failure;

/// Writes a text and sees to it that it has left.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::Unread,
        _ => Failure::write("to standard output", &error),
    })
}
