//! The source that is always there: the CPUs that the process may use, and on Linux which of them are siblings.

use std::collections::BTreeMap;
use std::path::Path;

use crate::{DiscoverError, Machine, MachinePu, PuId, cpu_list, os};

/// Where Linux describes its CPUs.
const SYS_CPU: &str = "/sys/devices/system/cpu";

/// The machine as its affinity mask shows it; on Linux also the CPUs that are online but not for this process.
pub(crate) fn read() -> Result<Machine, DiscoverError> {
    let sys_cpu = Path::new(SYS_CPU);
    let mut cpus = os::process_cpus().map_err(|cause| DiscoverError::NoAffinity {
        cause: cause.to_string(),
    })?;
    let online = std::fs::read_to_string(sys_cpu.join("online"))
        .ok()
        .and_then(|text| cpu_list::parse(&text).ok());
    cpus.extend(online.into_iter().flatten().map(PuId));
    cpus.sort_unstable();
    cpus.dedup();
    Machine::assemble(
        "affinity mask".to_owned(),
        true,
        siblings_joined(&cpus, sys_cpu),
        Vec::new(),
    )
}

/// The CPUs with their cores: CPUs that name the same siblings share one, CPUs that name none are their own.
fn siblings_joined(cpus: &[PuId], sys_cpu: &Path) -> Vec<MachinePu> {
    let mut cores: BTreeMap<u32, u32> = BTreeMap::new();
    let mut pus: Vec<MachinePu> = cpus
        .iter()
        .map(|&pu| {
            let n_cores = cores.len() as u32;
            let core = *cores.entry(first_sibling(pu, sys_cpu)).or_insert(n_cores);
            MachinePu::bare(pu, core)
        })
        .collect();
    pus.sort_by_key(|pu| (pu.core, pu.pu));
    pus
}

/// The lowest CPU of the core, used as its name; the CPU itself where nothing is known.
fn first_sibling(pu: PuId, sys_cpu: &Path) -> u32 {
    let file = sys_cpu.join(format!("cpu{}/topology/thread_siblings_list", pu.0));
    std::fs::read_to_string(file)
        .ok()
        .and_then(|text| cpu_list::parse(&text).ok())
        .filter(|siblings| siblings.contains(&pu.0))
        .map_or(pu.0, |siblings| siblings[0])
}

#[cfg(test)]
mod tests {
    use super::siblings_joined;
    use crate::PuId;

    #[test]
    fn siblings_share_a_core_and_the_unknown_are_their_own() {
        let dir = std::env::temp_dir().join(format!("phalanx-siblings-{}", std::process::id()));
        for (cpu, siblings) in [
            (0, "0,4"),
            (4, "0,4"),
            (1, "1,5"),
            (7, "nonsense"),
            (9, "1-2"),
        ] {
            let topology = dir.join(format!("cpu{cpu}/topology"));
            std::fs::create_dir_all(&topology).unwrap();
            std::fs::write(topology.join("thread_siblings_list"), siblings).unwrap();
        }
        let pus = siblings_joined(&[0, 1, 4, 7, 8, 9].map(PuId), &dir);
        std::fs::remove_dir_all(&dir).unwrap();
        let cores: Vec<(u32, u32)> = pus.iter().map(|pu| (pu.pu.0, pu.core)).collect();
        assert_eq!(cores, [(0, 0), (4, 0), (1, 1), (7, 2), (8, 3), (9, 4)]);
    }
}
