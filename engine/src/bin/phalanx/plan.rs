//! `phalanx plan`: the cores that a run would use, and what limits it.

use std::fmt::Write;
use std::time::Duration;

use phalanx_barrier::{Grouping, Pace};
use phalanx_engine::group::{Pinning, Plan};
use phalanx_topology::draw;

use crate::args::PlanArgs;
use crate::failure::Failure;
use crate::files::Draft;
use crate::numbers::count;
use crate::{log, stdout};

pub(crate) fn plan(args: &PlanArgs) -> Result<(), Failure> {
    log::start(false)?;
    let settings = args.placement.settings()?;
    let plan = Plan::new(settings.partitions, settings.pinning)?;
    stdout::print(&text(&plan, settings.pinning))?;
    match (&args.plot, plan.topology()) {
        (Some(path), Some(topology)) => {
            Draft::create(path)?.finish(&draw::svg(topology, plan.placement()))
        }
        (Some(_), None) => Err(Failure::input(
            "--plot: with pinning off and a number of partitions there is no machine to draw",
        )),
        (None, _) => Ok(()),
    }
}

fn text(plan: &Plan, pinning: Pinning) -> String {
    let mut text = String::new();
    if let Some(topology) = plan.topology() {
        text += &draw::text(topology, plan.placement());
    }
    if pinning == Pinning::Off {
        text += "pinning is off: the partitions run where the operating system puts them\n";
    }
    let (partitions, domains) = (plan.n_partitions() as u64, plan.n_domains() as u64);
    let grouping = match plan.grouping() {
        Grouping::Flat => "flat",
        Grouping::Grouped => "grouped by domain",
    };
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "{} in {}; barrier {grouping}, who waits {}\n{}",
        count(partitions, "partition"),
        count(domains, "domain"),
        waiting(plan.pace()),
        plan.limits()
    );
    text
}

fn waiting(pace: &Pace) -> String {
    match pace.spin {
        Duration::ZERO => "yields the CPU at once".to_owned(),
        Duration::MAX => "spins without end".to_owned(),
        spin => format!("spins for {} us before it yields the CPU", spin.as_micros()),
    }
}
