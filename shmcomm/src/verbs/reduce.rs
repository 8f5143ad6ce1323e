//! The reductions: one number, a vector in place, exact sums in place.

use std::ops::Range;

use crate::loan::Loan;
use crate::section::Reading;
use crate::shared::LEAST_MAIL;
use crate::{CommError, Element, ExactSum, ShmComm, Summable, Verb};

/// Elements added up at a time before they are written to everybody: few enough to stay in the
/// first cache, enough for the additions to run in vectors.
const STRIP: usize = 64;

/// Up to so much, adding up everything oneself is faster than sharing the work out and waiting once
/// more. It is published by copy.
const APART_BYTES: usize = 1024;
const _: () = assert!(APART_BYTES <= LEAST_MAIL);

impl ShmComm {
    pub(crate) fn sum<N: Summable>(&mut self, value: N) -> Result<N, CommError> {
        let verb = Verb::AllreduceSum;
        // The number travels in the descriptor; what is lent is only its type.
        let loan = Loan::nothing::<N>().scale(value.to_bits());
        let sum = self.member.collective(verb, 0, loan, |reading| {
            (0..reading.n()).try_fold(Some(N::ZERO), |sum, source| {
                let peer = reading.peer(source);
                peer.check_type::<N>()?;
                Ok(sum.and_then(|sum| sum.checked_sum(N::from_bits(peer.scale()))))
            })
        })?;
        // An overflow is not this participant's alone: all have added the same numbers.
        sum.ok_or(CommError::Overflow { verb })
    }

    pub(crate) fn sum_inplace(&mut self, values: &mut [f64]) -> Result<(), CommError> {
        self.reduce_inplace(Verb::AllreduceSumInplace, values, |sum, term| *sum += term)
    }

    pub(crate) fn sum_exact_inplace(&mut self, sums: &mut [ExactSum]) -> Result<(), CommError> {
        self.reduce_inplace(Verb::AllreduceExact, sums, ExactSum::merge)
    }

    fn reduce_inplace<T: Element>(
        &mut self,
        verb: Verb,
        values: &mut [T],
        add: fn(&mut T, &T),
    ) -> Result<(), CommError> {
        // The choice is the same for all: where lengths differ, either way finds out.
        if size_of_val(values) <= APART_BYTES {
            self.reduce_apart(verb, values, add)
        } else {
            self.reduce_together(verb, values, add)
        }
    }

    /// Each participant adds up everything for itself: more work, but one barrier.
    fn reduce_apart<T: Element>(
        &mut self,
        verb: Verb,
        values: &mut [T],
        add: fn(&mut T, &T),
    ) -> Result<(), CommError> {
        let sums = &mut Vec::with_capacity(values.len());
        self.member
            .collective(verb, 0, Loan::of(values), |reading| {
                for source in 0..reading.n() {
                    let terms = reading.peer(source).slice::<T>()?;
                    check_length(verb, source, terms.len(), values.len())?;
                    if source == 0 {
                        sums.extend(terms.iter().copied());
                    } else {
                        sums.iter_mut()
                            .zip(terms)
                            .for_each(|(sum, term)| add(sum, term));
                    }
                }
                Ok(())
            })?;
        values.copy_from_slice(sums);
        Ok(())
    }

    /// Each participant adds up its part of the elements over all slices, ascending, and writes
    /// the sums to all slices.
    fn reduce_together<T: Element>(
        &mut self,
        verb: Verb,
        values: &mut [T],
        add: fn(&mut T, &T),
    ) -> Result<(), CommError> {
        let len = values.len();
        self.member
            .collective(verb, 0, Loan::of_mut(values), |reading| {
                // Every participant finds out whether any length or type differs from the others'
                // before it touches anything, and if one does, all of them find out.
                let mut slices = Vec::with_capacity(reading.n());
                for source in 0..reading.n() {
                    let peer = reading.peer(source);
                    slices.push(peer.as_mut_ptr::<T>()?);
                    check_length(verb, source, peer.len(), len)?;
                }
                let mine = part(len, size_of::<T>(), reading);
                for start in mine.clone().step_by(STRIP) {
                    let strip = start..mine.end.min(start + STRIP);
                    // SAFETY:
                    // - Each pointer is that of a slice of `len` elements of `T`: both were checked. It
                    //   was lent with `&mut`, as here: all are in this function, since all have `len`.
                    // - The slices are lent until all have settled (`Peer::as_mut_ptr`), their owners
                    //   do not touch them meanwhile, and no two overlap, being `&mut`.
                    // - Of each slice this participant reaches only its part, and parts are disjoint.
                    unsafe { reduce_strip(&slices, strip, add) };
                }
                Ok(())
            })?;
        self.member.check_parts(verb)
    }
}

/// Refuses a peer's slice of another length.
fn check_length(verb: Verb, peer: usize, theirs: usize, mine: usize) -> Result<(), CommError> {
    if theirs == mine {
        return Ok(());
    }
    Err(CommError::Count {
        verb,
        peer,
        sent: theirs as u64,
        expected: mine as u64,
    })
}

/// The elements that this participant adds up, in whole lines so that no two write to one.
fn part(len: usize, element_bytes: usize, reading: &Reading<'_>) -> Range<usize> {
    let per_line = (64 / element_bytes.max(1)).max(1);
    let lines = len.div_ceil(per_line);
    let bound = |k: usize| (lines * k / reading.n() * per_line).min(len);
    bound(reading.me)..bound(reading.me + 1)
}

/// Adds up a strip over all slices, ascending, into the first and copies the sums to the others.
///
/// # Safety
/// Every pointer is good for reads and writes of the elements `strip`, nobody else touches those
/// meanwhile, and no two of them are of one slice.
unsafe fn reduce_strip<T: Element>(slices: &[*mut T], strip: Range<usize>, add: fn(&mut T, &T)) {
    let Some((&first, others)) = slices.split_first() else {
        return;
    };
    let (start, n) = (strip.start, strip.len());
    // SAFETY: the caller vouches for the strip of the first slice, and for its being no other's.
    let sums = unsafe { std::slice::from_raw_parts_mut(first.add(start), n) };
    for other in others {
        // SAFETY: as above, for the strip of another slice.
        let terms = unsafe { std::slice::from_raw_parts(other.add(start), n) };
        for (sum, term) in sums.iter_mut().zip(terms) {
            add(sum, term);
        }
    }
    for other in others {
        // SAFETY: as above; the shared borrow of this strip has ended.
        unsafe { std::slice::from_raw_parts_mut(other.add(start), n) }.copy_from_slice(sums);
    }
}
