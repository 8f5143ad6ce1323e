//! The verbs, one file for each family. What peers lent is read through `Reading`.

// `fill_from_all` ends a copy into a vector's spare room, and `reduce` writes to slices that all
// participants share out among themselves; the rest is safe code.
#![allow(unsafe_code)]

pub(crate) mod blocks;
pub(crate) mod gather;
pub(crate) mod query;
pub(crate) mod reduce;
pub(crate) mod tell;

use crate::loan::Peer;
use crate::section::Reading;
use crate::{CommError, Element, Verb};

/// Where blocks of these lengths begin, and where the last ends; `None` if that does not fit.
pub(crate) fn offsets_into(counts: &[u64], offsets: &mut Vec<u64>) -> Option<u64> {
    offsets.clear();
    let mut end = 0_u64;
    for &count in counts {
        offsets.push(end);
        end = end.checked_add(count)?;
    }
    Some(end)
}

/// Refuses a list that has not one number for each participant.
pub(crate) fn check_length(
    verb: Verb,
    what: &str,
    list: &[u64],
    n: usize,
) -> Result<(), CommError> {
    if list.len() == n {
        return Ok(());
    }
    let message = format!("{what} has {} numbers for {n} participants", list.len());
    Err(CommError::argument(verb, message))
}

/// Fills `offsets`, and refuses counts that are not those of a slice of `len` elements.
pub(crate) fn check_blocks(
    verb: Verb,
    what: &str,
    counts: &[u64],
    offsets: &mut Vec<u64>,
    n: usize,
    len: usize,
) -> Result<(), CommError> {
    check_length(verb, what, counts, n)?;
    if offsets_into(counts, offsets) == Some(len as u64) {
        return Ok(());
    }
    let message = format!("{what} does not add up to the {len} elements of its slice");
    Err(CommError::argument(verb, message))
}

/// The part of a lent slice that is a block of `count` elements from `offset`.
pub(crate) fn block<T>(slice: &[T], offset: u64, count: u64) -> &[T] {
    &slice[offset as usize..][..count as usize]
}

/// Replaces the contents of `target` by one block from each participant, ascending by source.
///
/// `counts` are the lengths of the blocks; `offsets` is filled with where they begin; `block` finds
/// the block for this participant in what a peer lent.
pub(crate) fn fill_from_all<T: Element>(
    reading: &Reading<'_>,
    verb: Verb,
    target: &mut Vec<T>,
    counts: &[u64],
    offsets: &mut Vec<u64>,
    block: impl for<'s> Fn(&Peer<'s>) -> Result<&'s [T], CommError>,
) -> Result<(), CommError> {
    target.clear();
    let end = offsets_into(counts, offsets)
        .and_then(|end| usize::try_from(end).ok())
        .ok_or(CommError::Narrowing {
            verb,
            quantity: "the number of elements received",
            value: u64::MAX,
            limit: usize::MAX as u64,
        })?;
    target.reserve(end);
    let room = &mut target.spare_capacity_mut()[..end];
    for source in reading.in_turn() {
        let (offset, count) = (offsets[source] as usize, counts[source] as usize);
        let block = block(&reading.peer(source))?;
        if block.len() != count {
            return Err(CommError::Count {
                verb,
                peer: source,
                sent: block.len() as u64,
                expected: counts[source],
            });
        }
        room[offset..][..count].write_copy_of_slice(block);
    }
    // SAFETY:
    // - `end` is within the capacity: the room was sliced from it.
    // - All of it is initialised: `offsets` are the running sums of `counts` and `end` is the last
    //   of them, so the blocks tile it; `in_turn` names each source once; `write_copy_of_slice`
    //   panics unless it fills its block.
    unsafe { target.set_len(end) };
    Ok(())
}
