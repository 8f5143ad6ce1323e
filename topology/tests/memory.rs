//! Memory policies of this machine: either they work and pages are where they should be, or the error says why.
//! They belong to threads, so each test has one of its own.

use phalanx_topology::{MemoryError, NumaId, PuId, Topology, node_of_memory};

#[test]
fn pages_go_to_the_node_or_the_error_says_why() {
    let topology = Topology::discover().unwrap();
    let core = &topology.cores()[0];
    match topology.prefer_memory_near(core.pu()) {
        Ok(guard) => {
            assert_eq!(Some(guard.node()), core.numa());
            let pages = vec![1u8; 1 << 22];
            let node = node_of_memory(&pages[1 << 21..]);
            assert!(node.is_none() || node == Some(guard.node()), "{node:?}");
            drop(guard);
            // The earlier policy is back: preferring again works from there.
            topology.prefer_memory_near(core.pu()).unwrap().keep();
        }
        Err(error) => {
            assert!(
                matches!(
                    error,
                    MemoryError::UnknownNode { .. }
                        | MemoryError::Refused { .. }
                        | MemoryError::Unsupported { .. }
                ),
                "{error}"
            );
        }
    }
}

#[test]
fn nodes_and_cpus_that_do_not_exist() {
    let topology = Topology::discover().unwrap();
    let error = topology.prefer_memory_of_node(NumaId(4000)).unwrap_err();
    assert_eq!(error, MemoryError::NoSuchNode { node: NumaId(4000) });
    let error = topology.prefer_memory_near(PuId(5000)).unwrap_err();
    assert_eq!(error, MemoryError::UnknownNode { pu: PuId(5000) });
}

#[test]
fn untouched_and_empty_memory_is_nowhere() {
    assert_eq!(node_of_memory::<u8>(&[]), None);
    // Zeroed memory of this size comes fresh from the system, and its last page has not been touched.
    let fresh = vec![0u8; 1 << 25];
    assert_eq!(node_of_memory(&fresh[(1 << 25) - 4096..]), None);
}
