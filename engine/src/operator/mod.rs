//! The operator: terms in chunks of compact rows, a keyless index to find them, and bit columns to scan them.
//!
//! - [`row`]: how a monomial is laid out in bytes; packed bits or a list of slots, whichever is shorter for the problem.
//! - [`chunk`]: 4,096 rows and their coefficients, the unit in which the operator grows and is walked.
//! - [`columns`]: the transposed chunk; the xor of a few columns says which of its terms anticommute with a generator.
//! - [`index`]: from monomial to row, 4 bytes and a tag a term, one cache line a look-up.
//! - [`pool`]: the chunks alone; [`store`]: chunks, index and columns kept in step.

pub(crate) mod checksum;
pub(crate) mod chunk;
pub(crate) mod columns;
pub(crate) mod hash;
pub(crate) mod index;
pub(crate) mod kernels;
pub(crate) mod pool;
pub(crate) mod row;
pub(crate) mod store;

pub(crate) use store::Store;
