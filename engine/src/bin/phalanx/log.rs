//! What the libraries have to say, on standard error.

use phalanx_engine::group::SettingError;
use tracing_subscriber::filter::LevelFilter;

const VARIABLE: &str = "PHALANX_LOG";
const KNOWN: &str = "off, error, warn, info, debug, trace";

/// Prints log lines from the level of `PHALANX_LOG` on: warnings if it is not set, errors alone if the user wants quiet.
pub(crate) fn start(is_quiet: bool) -> Result<(), SettingError> {
    let level = match std::env::var_os(VARIABLE) {
        Some(value) => {
            let value = value.to_string_lossy();
            level(&value).ok_or_else(|| SettingError::unknown(VARIABLE, value, KNOWN))?
        }
        None if is_quiet => LevelFilter::ERROR,
        None => LevelFilter::WARN,
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_target(false)
        .without_time()
        .init();
    Ok(())
}

fn level(name: &str) -> Option<LevelFilter> {
    match name {
        "off" => Some(LevelFilter::OFF),
        "error" => Some(LevelFilter::ERROR),
        "warn" => Some(LevelFilter::WARN),
        "info" => Some(LevelFilter::INFO),
        "debug" => Some(LevelFilter::DEBUG),
        "trace" => Some(LevelFilter::TRACE),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{KNOWN, level};

    #[test]
    fn every_level_that_is_listed_is_known() {
        assert!(KNOWN.split(", ").all(|name| level(name).is_some()));
        assert_eq!(level("warning"), None);
    }
}
