//! Files that appear whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::{Builder, TempPath};

use crate::failure::Failure;

/// A file that is being written. Dropped before [`commit`](Self::commit), it leaves nothing behind.
///
/// Made before a run starts, so that a place where nothing can be written is known before anything is computed.
pub(crate) struct Draft {
    path: PathBuf,
    place: Place,
}

enum Place {
    /// Written beside the final place, then moved there.
    Beside(BufWriter<File>, TempPath),
    /// What is there is no plain file (a pipe, a device), so it is written to as it is.
    Straight(BufWriter<File>),
}

impl Draft {
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let refuse =
            |error: &io::Error| Failure::input(format!("cannot write {}: {error}", path.display()));
        let there = path.metadata();
        let straight = match &there {
            Ok(metadata) if metadata.is_dir() => {
                return Err(Failure::input(format!(
                    "cannot write {}: it is a directory",
                    path.display()
                )));
            }
            Ok(metadata) => !metadata.is_file(),
            Err(_) => false,
        };
        if straight {
            let file = OpenOptions::new()
                .write(true)
                .open(path)
                .map_err(|error| refuse(&error))?;
            return Ok(Draft {
                path: path.to_owned(),
                place: Place::Straight(BufWriter::new(file)),
            });
        }
        // Through a link, the file that it leads to is replaced, not the link.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        // Opened here: it is as readable as any new file, and errors do not speak of a name that only we know.
        let (file, part) = Builder::new()
            .prefix(".phalanx-")
            .suffix(".part")
            .make_in(folder, |part| File::create_new(part))
            .map_err(|error| refuse(&error))?
            .into_parts();
        PARTS
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(part.to_path_buf());
        if let Ok(there) = there {
            // Who may read the file that is replaced, and nobody else, may read the new one.
            file.set_permissions(there.permissions())
                .map_err(|error| refuse(&error))?;
        }
        Ok(Draft {
            path,
            place: Place::Beside(BufWriter::new(file), part),
        })
    }

    /// Puts the file in its place.
    pub(crate) fn commit(self) -> Result<(), Failure> {
        let refuse = |error: &io::Error| Failure::write(self.path.display(), error);
        match self.place {
            Place::Straight(mut file) => file.flush().map_err(|error| refuse(&error)),
            Place::Beside(file, part) => {
                let file = file.into_inner().map_err(|error| refuse(error.error()))?;
                file.sync_all().map_err(|error| refuse(&error))?;
                part.persist(&self.path)
                    .map_err(|error| refuse(&error.error))?;
                Ok(())
            }
        }
    }

    /// Writes all of it and puts it in its place.
    pub(crate) fn finish(mut self, text: &str) -> Result<(), Failure> {
        self.write_all(text.as_bytes())
            .map_err(|error| Failure::write(self.path.display(), &error))?;
        self.commit()
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.place {
            Place::Beside(file, _) | Place::Straight(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.place {
            Place::Beside(file, _) | Place::Straight(file) => file.flush(),
        }
    }
}

/// Every file that was ever begun under another name.
static PARTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes what was begun and is not in its place, for a program that ends where it stands and drops nothing.
pub(crate) fn sweep() {
    for path in PARTS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .drain(..)
    {
        // Most are in their place by now, under their own name.
        drop(std::fs::remove_file(path));
    }
}

/// Refuses paths of which two are the same file: one would overwrite the other.
pub(crate) fn check_distinct(paths: &[(&str, &Path)]) -> Result<(), Failure> {
    let whole = |path: &Path| {
        path.canonicalize()
            .or_else(|_| std::path::absolute(path))
            .ok()
    };
    let is_file = |path: &Path| path.metadata().map_or(true, |metadata| metadata.is_file());
    for (i, (what, path)) in paths.iter().enumerate() {
        for (other, other_path) in &paths[..i] {
            if is_file(path) && whole(path) == whole(other_path) {
                return Err(Failure::input(format!(
                    "{what} and {other} name the same file, {}",
                    path.display()
                )));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_appears_at_once_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        let mut draft = Draft::create(&path).unwrap();
        draft.write_all(b"half").unwrap();
        draft.flush().unwrap();
        assert!(!path.exists());
        drop(draft);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);

        Draft::create(&path).unwrap().finish("whole").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "whole");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn a_place_that_cannot_be_written_is_refused_at_the_start() {
        let folder = tempfile::tempdir().unwrap();
        for path in [
            folder.path().to_owned(),
            folder.path().join("no/such/folder.json"),
        ] {
            let Err(Failure::Input(message)) = Draft::create(&path) else {
                panic!("{} is no place for a file", path.display());
            };
            // The name that the user gave, not that of the file beside it.
            assert!(!message.contains(".part"), "{message}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_replaced_keeps_its_mode() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("own.json");
        std::fs::write(&path, "before").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        Draft::create(&path).unwrap().finish("after").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "after");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (
            folder.path().join("a.json"),
            folder.path().join("link.json"),
        );
        std::fs::write(&path, "before").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        Draft::create(&link).unwrap().finish("after").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "after");
        assert!(link.symlink_metadata().unwrap().is_symlink());

        Draft::create(Path::new("/dev/null"))
            .unwrap()
            .finish("gone")
            .unwrap();
        assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
    }

    #[test]
    fn one_file_under_two_names_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        std::fs::write(&path, "").unwrap();
        let detour = folder.path().join(".").join("a.json");
        let error = check_distinct(&[("PROBLEM", &path), ("--out", &detour)]);
        assert!(matches!(error, Err(Failure::Input(_))));
        let other = folder.path().join("b.json");
        assert!(check_distinct(&[("PROBLEM", &path), ("--out", &other)]).is_ok());
        let null = Path::new("/dev/null");
        assert!(check_distinct(&[("--out", null), ("--plot", null)]).is_ok());
    }
}
