//! How long the calls of this crate take on this machine: medians in microseconds, for the README.
//!
//! `cargo run --release -p phalanx-topology --example timings`

use std::hint::black_box;
use std::time::Instant;

use phalanx_topology::placement::{PlacementRequest, plan};
use phalanx_topology::{
    DiscoverError, DomainPolicy, Limits, Machine, MachinePu, PuId, Source, Topology,
};

/// How often each call is timed.
const N_TIMES: usize = 101;

fn main() -> Result<(), DiscoverError> {
    let topology = Topology::discover()?;
    println!("{topology}");
    report("discover, affinity mask", || {
        Topology::discover_with(Source::Affinity, DomainPolicy::Auto).is_ok()
    });
    if Source::best() == Source::Hwloc {
        report("discover, hwloc", || {
            Topology::discover_with(Source::Hwloc, DomainPolicy::Auto).is_ok()
        });
    }
    report("read all limits", || Limits::read().max_threads().is_some());
    let pu = topology.cores()[0].pu();
    report("pin, read back and restore", || {
        topology.pin_current_thread(pu).is_ok()
    });
    for n_cores in [64, 1024] {
        let machine = Topology::whole(large(n_cores)?)?;
        let request = PlacementRequest::new(n_cores as usize);
        report(&format!("plan {n_cores} partitions"), || {
            plan(&machine, &request).refusal().is_none()
        });
    }
    Ok(())
}

/// Cores of two hardware threads, eight to an L3.
fn large(n_cores: u32) -> Result<Machine, DiscoverError> {
    let pu = |cpu: u32| {
        let mut pu = MachinePu::bare(PuId(cpu), cpu / 2);
        pu.caches[2] = Some(cpu / 16);
        pu
    };
    Machine::from_pus("large", (0..2 * n_cores).map(pu).collect())
}

fn report(what: &str, mut call: impl FnMut() -> bool) {
    let mut times_us: Vec<f64> = Vec::with_capacity(N_TIMES);
    let mut n_good = 0;
    for _ in 0..N_TIMES {
        let start = Instant::now();
        n_good += usize::from(black_box(call()));
        times_us.push(start.elapsed().as_secs_f64() * 1e6);
    }
    times_us.sort_by(f64::total_cmp);
    let (low, median, high) = (
        times_us[N_TIMES / 4],
        times_us[N_TIMES / 2],
        times_us[N_TIMES * 3 / 4],
    );
    println!(
        "{what:28} {median:9.1} us (quartiles {low:.1} to {high:.1}; {n_good} of {N_TIMES} succeeded)"
    );
}
