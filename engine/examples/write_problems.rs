//! Writes the problems that come with the project: `cargo run -p phalanx-engine --example write_problems -- problems`.

use std::error::Error;
use std::path::PathBuf;

use phalanx_engine::models::standard_problems;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or("name the folder to write to")?;
    for problem in standard_problems()? {
        let name = problem.name().ok_or("a standard problem has no name")?;
        let path = folder.join(format!("{name}.json"));
        std::fs::write(&path, problem.to_json())?;
        println!("{}", path.display());
    }
    Ok(())
}
