//! What a participant lends to its peers while a verb runs, as its owner writes it and as a peer reads it.

// A descriptor holds pointers into another thread's slices; following them is what the crate is for.
#![allow(unsafe_code)]

use std::any::{TypeId, type_name};
use std::marker::PhantomData;

use crate::{CommError, Verb};

/// A type, as a function so that it fits one word.
type TypeOf = fn() -> TypeId;

/// Memory and numbers lent for the length of one verb; `'l` outlives it.
#[derive(Clone, Copy)]
pub(crate) struct Loan<'l> {
    pub(crate) entry: Entry,
    pub(crate) bytes: usize,
    lent: PhantomData<&'l ()>,
}

/// The descriptor in a participant's slot. Its pointers are good from the
/// commit to the settle of the verb it was written for, and only then.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    data: *const u8,
    len: usize,
    counts: *const u64,
    offsets: *const u64,
    scale: u64,
    type_of: TypeOf,
}

impl<'l> Loan<'l> {
    /// Lends a slice.
    pub(crate) fn of<T: Sync + 'static>(data: &'l [T]) -> Self {
        Loan {
            entry: Entry {
                data: data.as_ptr().cast(),
                len: data.len(),
                counts: std::ptr::null(),
                offsets: std::ptr::null(),
                scale: 0,
                type_of: TypeId::of::<T>,
            },
            bytes: size_of_val(data),
            lent: PhantomData,
        }
    }

    /// Lends a slice for peers to write to, each its own part.
    pub(crate) fn of_mut<T: Send + Sync + 'static>(data: &'l mut [T]) -> Self {
        let mut loan = Loan::of::<T>(&[]);
        loan.bytes = size_of_val(data);
        loan.entry.len = data.len();
        loan.entry.data = data.as_mut_ptr().cast_const().cast();
        loan
    }

    /// Lends the blocks of a slice: block `d` has `counts[d]` units and begins at unit `offsets[d]`.
    pub(crate) fn blocks<T: Sync + 'static>(
        data: &'l [T],
        counts: &'l [u64],
        offsets: &'l [u64],
    ) -> Self {
        debug_assert_eq!(counts.len(), offsets.len());
        let mut loan = Loan::of(data);
        loan.entry.counts = counts.as_ptr();
        loan.entry.offsets = offsets.as_ptr();
        loan
    }

    /// Tells one number along.
    pub(crate) fn scale(mut self, scale: u64) -> Self {
        self.entry.scale = scale;
        self
    }
}

impl Entry {
    /// What a participant lends that has lent nothing yet.
    pub(crate) fn nothing() -> Entry {
        Loan::of::<()>(&[]).entry
    }
}

/// A peer's loan, while it is good: `'s` ends before this participant settles.
pub(crate) struct Peer<'s> {
    entry: Entry,
    index: usize,
    n: usize,
    verb: Verb,
    reading: PhantomData<&'s ()>,
}

impl<'s> Peer<'s> {
    /// # Safety
    /// `entry` is what participant `index` of `n` wrote for the verb that is being read, the
    /// commit of that verb has passed, and this participant settles it only after `'s`. Its
    /// `counts` and `offsets` are null, or `n` numbers each.
    pub(crate) unsafe fn new(entry: Entry, index: usize, n: usize, verb: Verb) -> Self {
        Peer {
            entry,
            index,
            n,
            verb,
            reading: PhantomData,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.entry.len
    }

    pub(crate) fn scale(&self) -> u64 {
        self.entry.scale
    }

    /// The lent slice, if it is of this type.
    pub(crate) fn slice<T: Sync + 'static>(&self) -> Result<&'s [T], CommError> {
        self.check_type::<T>()?;
        // SAFETY:
        // - The owner took pointer and length from one slice of `T`: `check_type` compared types.
        // - That slice is borrowed by the owner's verb, which does not return before the owner's
        //   settle has passed, which needs ours, which comes after 's (`Peer::new`).
        // - `T: Sync`, so it may be read from this thread.
        // - Nobody writes to it meanwhile: the owner lent it with `&`. A slice that was lent with
        //   `&mut` is only reached through `as_mut_ptr`, in verbs that all participants are in.
        Ok(unsafe { std::slice::from_raw_parts(self.entry.data.cast(), self.entry.len) })
    }

    /// Where a slice that was lent with `&mut` begins.
    pub(crate) fn as_mut_ptr<T: Send + 'static>(&self) -> Result<*mut T, CommError> {
        self.check_type::<T>()?;
        Ok(self.entry.data.cast::<T>().cast_mut())
    }

    /// The element type of the loan is `T`.
    pub(crate) fn check_type<T: 'static>(&self) -> Result<(), CommError> {
        if (self.entry.type_of)() == TypeId::of::<T>() {
            return Ok(());
        }
        Err(CommError::ElementType {
            verb: self.verb,
            peer: self.index,
            mine: type_name::<T>(),
        })
    }

    /// How many units the block for participant `to` has.
    pub(crate) fn count(&self, to: usize) -> u64 {
        self.number(self.entry.counts, to)
    }

    /// At which unit the block for participant `to` begins.
    pub(crate) fn offset(&self, to: usize) -> u64 {
        self.number(self.entry.offsets, to)
    }

    fn number(&self, list: *const u64, to: usize) -> u64 {
        assert!(
            !list.is_null() && to < self.n,
            "the loan has no such number"
        );
        // SAFETY: the list is not null, so it has `n` numbers (`Peer::new`) and `to` is one of
        // them; it is borrowed by the owner's verb as the data are, see `slice`.
        unsafe { *list.add(to) }
    }
}
