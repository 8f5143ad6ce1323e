//! `phalanx run`: propagates a problem, shows it, and leaves the report wherever it was asked for.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use phalanx_engine::problem::Problem;
use phalanx_engine::run::{Report, Run, RunError};

use crate::args::RunArgs;
use crate::failure::Failure;
use crate::files::{Draft, check_distinct};
use crate::screen::{Lines, Screen};
use crate::so_far::{Left, SoFar, lock};
use crate::{interrupt, log, plot, stdout};

pub(crate) fn run(args: RunArgs) -> Result<(), Failure> {
    // A run that leaves files has done what it was asked for even if nobody saw the table.
    let needs_reader = args.json || !leaves_files(&args);
    go(&args).map_err(|failure| match failure {
        Failure::Unread if needs_reader => Failure::Abandoned,
        failure => failure,
    })
}

fn go(args: &RunArgs) -> Result<(), Failure> {
    log::start(args.quiet)?;
    let mut settings = args.placement.settings()?;
    settings.mode = args.mode.unwrap_or(settings.mode);
    check_paths(args)?;
    let stop = Arc::new(AtomicBool::new(false));
    let so_far = Arc::new(Mutex::new(SoFar::of(args)));
    interrupt::catch(&stop, &so_far)?;
    let problem = load(&args.problem)?;
    let mut drafts = Drafts::create(args)?;
    let mut screen = screen(args, &so_far, &stop);

    let mut run = Run::new(&problem, &settings).stop(&stop);
    if let Some(operator) = &mut drafts.operator {
        run = run.operator_to(operator);
    }
    let result = run.go(&mut screen);
    screen.clear();
    let (code, left) = {
        let mut so_far = lock(&so_far);
        (so_far.code(), so_far.take())
    };
    // Whoever has taken the rows already ends the program.
    let Some(left) = left else {
        interrupt::wait();
    };
    match result {
        Ok(report) => {
            screen.report(&report);
            // Each is tried, whatever becomes of the others.
            let written = drafts.finish(&report, &left);
            let printed = match args.json {
                true => stdout::print(&(report.to_json() + "\n")),
                false => Ok(()),
            };
            written.and(printed).and(screen.into_result())
        }
        // Not by a signal, but because nobody reads on.
        Err(RunError::Interrupted) if screen.has_failed() => screen.into_result(),
        Err(RunError::Interrupted) => match left.write(None) {
            Ok(()) | Err(Failure::Unread) => Err(Failure::Interrupted(code)),
            Err(failure) => Err(failure),
        },
        // All rows are done: they are not lost with the operator.
        Err(error @ RunError::Write(_)) => {
            if let Err(failure) = left.write(Some(error.to_string())) {
                failure.tell();
            }
            Err(error.into())
        }
        Err(error) => Err(error.into()),
    }
}

fn leaves_files(args: &RunArgs) -> bool {
    args.out.is_some() || args.plot.is_some() || args.dump_operator.is_some()
}

/// The problem; one without a name is called like its file.
fn load(path: &Path) -> Result<Problem, Failure> {
    let problem = Problem::load(path)?;
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    match (problem.name(), stem) {
        (None, Some(stem)) => Ok(problem.clone().with_name(stem).unwrap_or(problem)),
        _ => Ok(problem),
    }
}

fn screen(args: &RunArgs, so_far: &Arc<Mutex<SoFar>>, stop: &Arc<AtomicBool>) -> Screen {
    let lines = match (args.quiet, args.json) {
        (true, _) => Lines::Nowhere,
        (false, true) => Lines::Stderr,
        (false, false) => Lines::Stdout,
    };
    let stop = (!leaves_files(args)).then(|| Arc::clone(stop));
    Screen::new(lines, args.quiet, so_far, stop)
}

fn check_paths(args: &RunArgs) -> Result<(), Failure> {
    let named = [
        ("PROBLEM", Some(&args.problem)),
        ("--out", args.out.as_ref()),
        ("--plot", args.plot.as_ref()),
        ("--dump-operator", args.dump_operator.as_ref()),
    ];
    let paths: Vec<(&str, &Path)> = named
        .iter()
        .filter_map(|(what, path)| Some((*what, path.as_ref()?.as_path())))
        .collect();
    check_distinct(&paths)?;
    match args.plot.as_ref().and_then(|path| path.extension()) {
        Some(extension) if !extension.eq_ignore_ascii_case("svg") => Err(Failure::input(format!(
            "--plot writes SVG; name a file that ends in .svg, not .{}",
            extension.display()
        ))),
        _ => Ok(()),
    }
}

/// The files that a run leaves, begun before it starts.
struct Drafts {
    out: Option<Draft>,
    plot: Option<Draft>,
    operator: Option<Draft>,
}

impl Drafts {
    fn create(args: &RunArgs) -> Result<Self, Failure> {
        let create = |path: &Option<_>| path.as_deref().map(Draft::create).transpose();
        Ok(Drafts {
            out: create(&args.out)?,
            plot: create(&args.plot)?,
            operator: create(&args.dump_operator)?,
        })
    }

    fn finish(self, report: &Report, left: &Left) -> Result<(), Failure> {
        let operator = self.operator.map_or(Ok(()), Draft::commit);
        let out = self
            .out
            .map_or(Ok(()), |out| out.finish(&(report.to_json() + "\n")));
        let plot = self.plot.map_or(Ok(()), |draft| {
            draft.finish(&plot::svg(&report.problem, left.rows())?)
        });
        operator.and(out).and(plot)
    }
}
