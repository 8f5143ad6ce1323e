//! Memory next to the core: the policy by which the calling thread's first touches place pages.
//!
//! A page gets its place when it is first written. A partition that builds its data on its own pinned thread
//! gets local memory by the operating system's default; binding makes sure of it where an inherited policy
//! (`numactl --interleave`) says otherwise, and says so where it cannot be done.

use std::marker::PhantomData;

use crate::{MemoryError, NumaId, PuId, Topology};

impl Topology {
    /// Makes the calling thread's first touches prefer the memory of the node that this processing unit is on.
    ///
    /// # Errors
    /// - [`MemoryError::UnknownNode`]: the machine does not report the processing unit's node.
    /// - Otherwise as for [`Topology::prefer_memory_of_node`].
    pub fn prefer_memory_near(&self, pu: PuId) -> Result<MemoryGuard, MemoryError> {
        let node = self
            .core_of(pu)
            .and_then(crate::Core::numa)
            .ok_or(MemoryError::UnknownNode { pu })?;
        self.prefer_memory_of_node(node)
    }

    /// Makes the calling thread's first touches prefer the memory of this node, other nodes when it is full.
    ///
    /// The answer is a guard: dropped, it gives the thread its earlier policy back; [`MemoryGuard::keep`] leaves
    /// it. Pages that exist already stay where they are.
    ///
    /// # Errors
    /// The policy is unchanged in each case, and allocations go where the operating system puts them by itself.
    /// - [`MemoryError::NotThisSystem`]: the topology describes another machine.
    /// - [`MemoryError::NoSuchNode`]: it has no such node.
    /// - [`MemoryError::Refused`]: the operating system said no, as it commonly does in containers.
    /// - [`MemoryError::Unsupported`]: it has no such policy.
    ///
    /// # Examples
    /// ```
    /// use phalanx_topology::Topology;
    ///
    /// let topology = Topology::discover()?;
    /// let guard = topology.prefer_memory_near(topology.cores()[0].pu());
    /// let slab = vec![1u8; 1 << 20]; // touched here, so placed here
    /// if let Err(error) = &guard {
    ///     println!("memory is placed by the operating system: {error}");
    /// }
    /// # assert_eq!(slab[0], 1);
    /// # Ok::<(), phalanx_topology::DiscoverError>(())
    /// ```
    pub fn prefer_memory_of_node(&self, node: NumaId) -> Result<MemoryGuard, MemoryError> {
        if !self.is_this_system() {
            return Err(MemoryError::NotThisSystem {
                node,
                source_name: self.machine().source_name().to_owned(),
            });
        }
        if !self
            .machine()
            .numa_nodes()
            .iter()
            .any(|known| known.id == node)
        {
            return Err(MemoryError::NoSuchNode { node });
        }
        let before = policy::current().map_err(|cause| refused(node, &cause))?;
        policy::set(&policy::Policy::preferring(node)).map_err(|cause| refused(node, &cause))?;
        Ok(MemoryGuard {
            node,
            before,
            restores: true,
            this_thread_only: PhantomData,
        })
    }
}

/// The calling thread's first touches prefer one node. Dropping the guard restores the earlier policy.
///
/// Like [`PinGuard`](crate::PinGuard) it cannot leave its thread.
#[derive(Debug)]
#[must_use = "dropping the guard at once restores the policy at once; `keep` leaves it"]
pub struct MemoryGuard {
    node: NumaId,
    before: policy::Policy,
    restores: bool,
    this_thread_only: PhantomData<*const ()>,
}

impl MemoryGuard {
    /// The preferred node.
    #[must_use]
    pub fn node(&self) -> NumaId {
        self.node
    }

    /// Leaves the policy in force for the rest of the thread's life.
    pub fn keep(mut self) {
        self.restores = false;
    }
}

impl Drop for MemoryGuard {
    fn drop(&mut self) {
        if self.restores
            && let Err(cause) = policy::set(&self.before)
        {
            tracing::warn!(%cause, "the thread's memory policy could not be restored");
        }
    }
}

/// The NUMA node that holds the page of this value, as the operating system tells it; nothing where it does not
/// tell, or where nobody has touched the page yet.
///
/// # Examples
/// ```
/// let touched = vec![1u8; 4096];
/// if let Some(node) = phalanx_topology::node_of_memory(&touched) {
///     println!("the buffer begins on {node}");
/// }
/// ```
#[must_use]
pub fn node_of_memory<T>(memory: &[T]) -> Option<NumaId> {
    if size_of_val(memory) == 0 {
        return None;
    }
    policy::node_of(memory.as_ptr().cast()).ok()
}

fn refused(node: NumaId, cause: &std::io::Error) -> MemoryError {
    if cause.kind() == std::io::ErrorKind::Unsupported {
        MemoryError::Unsupported { node }
    } else {
        MemoryError::Refused {
            node,
            cause: cause.to_string(),
        }
    }
}

#[cfg(target_os = "linux")]
#[allow(
    unsafe_code,
    reason = "memory policies are only reachable through system calls"
)]
mod policy {
    use std::ffi::c_void;
    use std::io;
    use std::ptr;

    use crate::NumaId;

    /// Words of 64 nodes: the kernel is built for at most 1,024 nodes.
    const NODE_WORDS: usize = 16;

    /// A memory policy as the kernel hands it out and takes it.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(super) struct Policy {
        mode: libc::c_int,
        nodes: [u64; NODE_WORDS],
    }

    impl Policy {
        pub(super) fn preferring(node: NumaId) -> Self {
            let mut nodes = [0; NODE_WORDS];
            if let Some(word) = nodes.get_mut(node.idx() / 64) {
                *word |= 1 << (node.0 % 64);
            }
            Self {
                mode: libc::MPOL_PREFERRED,
                nodes,
            }
        }
    }

    /// The calling thread's policy.
    pub(super) fn current() -> io::Result<Policy> {
        let mut policy = Policy {
            mode: 0,
            nodes: [0; NODE_WORDS],
        };
        // SAFETY:
        // - `mode` and `nodes` are live and exclusively borrowed, and the kernel is told the length of `nodes`
        //   in bits; it writes at most that.
        // - Any bits are valid for both types. With flags 0 the address must be null, and is.
        let status = unsafe {
            libc::syscall(
                libc::SYS_get_mempolicy,
                &raw mut policy.mode,
                policy.nodes.as_mut_ptr(),
                NODE_WORDS * 64,
                ptr::null::<c_void>(),
                0,
            )
        };
        if status == 0 {
            Ok(policy)
        } else {
            Err(io::Error::last_os_error())
        }
    }

    /// Gives the calling thread a policy.
    pub(super) fn set(policy: &Policy) -> io::Result<()> {
        let empty = policy.nodes.iter().all(|&word| word == 0);
        // A policy without nodes is passed as a null set, which is how the kernel wants its default one.
        // The kernel ignores the last bit of the length it is told, hence one more.
        let (nodes, n_bits) = if empty {
            (ptr::null(), 0)
        } else {
            (policy.nodes.as_ptr(), NODE_WORDS * 64 + 1)
        };
        // SAFETY: the kernel reads at most `n_bits - 1` bits, which is the length of `nodes`, a live array.
        let status = unsafe { libc::syscall(libc::SYS_set_mempolicy, policy.mode, nodes, n_bits) };
        if status == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }

    /// The node that holds the page at this address.
    pub(super) fn node_of(address: *const c_void) -> io::Result<NumaId> {
        let page_mask = page_bytes() - 1;
        let mut page = address.map_addr(|bits| bits & !page_mask).cast_mut();
        let mut status: libc::c_int = -1;
        // SAFETY:
        // - One page is asked about: `page` and `status` are live arrays of one.
        // - Without target nodes the call moves nothing and never reads through the address.
        let outcome = unsafe {
            libc::syscall(
                libc::SYS_move_pages,
                0 as libc::c_int,
                1usize,
                &raw mut page,
                ptr::null::<libc::c_int>(),
                &raw mut status,
                0 as libc::c_int,
            )
        };
        if outcome != 0 {
            return Err(io::Error::last_os_error());
        }
        // A negative status is the page's own error, such as that nobody has touched it.
        u32::try_from(status)
            .map(NumaId)
            .map_err(|_| io::Error::from_raw_os_error(-status))
    }

    fn page_bytes() -> usize {
        // SAFETY: the call only reads a constant of the system.
        let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        usize::try_from(bytes).unwrap_or(4096)
    }
}

#[cfg(not(target_os = "linux"))]
mod policy {
    use std::ffi::c_void;
    use std::io;

    use crate::NumaId;

    /// There are no policies here.
    #[derive(Clone, Debug)]
    pub(super) struct Policy;

    impl Policy {
        pub(super) fn preferring(_node: NumaId) -> Self {
            Self
        }
    }

    pub(super) fn current() -> io::Result<Policy> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    pub(super) fn set(_policy: &Policy) -> io::Result<()> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }

    pub(super) fn node_of(_address: *const c_void) -> io::Result<NumaId> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }
}
