//! The project's chores, as `cargo xtask COMMAND`.
fn main() {}
