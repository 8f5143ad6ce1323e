//! From a file or from bytes to the text that the parser takes.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::{Fault, MAX_FILE_BYTES, Problem, ProblemError, parse};

impl Problem {
    /// Reads a problem file.
    ///
    /// # Errors
    /// A [`ProblemError`] that names the file, the field and the first fault: what the operating system says about the file, what is not JSON, what the format does not have,
    /// or what makes no problem.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ProblemError> {
        let path = path.as_ref();
        read(path)
            .map_err(|fault| ProblemError::new("", fault))
            .and_then(|bytes| Problem::from_json(&bytes))
            .map_err(|error| error.in_file(path))
    }

    /// Reads a problem from the bytes of a problem file. A leading byte-order mark is skipped.
    ///
    /// # Errors
    /// As [`load`](Self::load), without the faults of files.
    pub fn from_json(bytes: &[u8]) -> Result<Self, ProblemError> {
        let text = str::from_utf8(bytes).map_err(|error| {
            let offset = error.valid_up_to();
            ProblemError::new("", Fault::NotUtf8 { offset })
        })?;
        parse::parse(text.strip_prefix('\u{feff}').unwrap_or(text))
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Fault> {
    let file = File::open(path).map_err(Fault::Unreadable)?;
    let metadata = file.metadata().map_err(Fault::Unreadable)?;
    if metadata.is_dir() {
        return Err(Fault::Directory);
    }
    if metadata.len() > MAX_FILE_BYTES {
        return Err(Fault::FileTooLarge);
    }
    // Devices and pipes have no length of their own, and a file may grow while it is read.
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(Fault::Unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Fault::FileTooLarge);
    }
    Ok(bytes)
}
