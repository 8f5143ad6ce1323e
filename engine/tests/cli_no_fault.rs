//! A build without faults refuses one that is asked for: nobody should believe that it is under way.
#![cfg(all(feature = "cli", not(feature = "fault-injection")))]

mod cli_common;

use cli_common::{fails_with, phalanx, problem};

#[test]
fn a_fault_is_refused() {
    let message = fails_with(
        2,
        phalanx(&["run", &problem("hubbard_4.json")]).env("PHALANX_FAULT", "0:gate"),
    );
    assert!(
        message.starts_with("PHALANX_FAULT: `0:gate` is unknown"),
        "{message}"
    );
    assert!(message.contains("fault-injection"), "{message}");
}
