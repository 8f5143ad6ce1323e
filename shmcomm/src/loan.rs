//! What a participant publishes for its peers in a verb, as its owner writes it and as a peer reads it.

// A descriptor holds pointers into another thread's slices; following them is what the crate is for.
#![allow(unsafe_code)]

use std::any::{TypeId, type_name};
use std::marker::PhantomData;

use crate::{CommError, Element, Verb};

/// A type, as a function so that it fits one word.
type TypeOf = fn() -> TypeId;

/// What copies of data are aligned to. Elements that ask for more are lent.
pub(crate) const MAIL_ALIGN: usize = 64;

/// Memory and numbers to be read by peers in one verb; `'l` outlives the verb.
pub(crate) struct Loan<'l> {
    pub(crate) entry: Entry,
    pub(crate) bytes: usize,
    n_lists: usize,
    kind: Kind,
    lent: PhantomData<&'l ()>,
}

/// What may be done with a loan's memory.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Plain data: a copy will do as well.
    Plain,
    /// Peers need the memory itself.
    Itself,
    /// Peers need the memory itself, and it stays where it is longer than the verb.
    Parked,
}

/// The descriptor in a participant's post. Its pointers are good from the commit of the verb it was
/// written for until this participant's peers have settled that verb or, if nobody lends anything
/// in it, have arrived in the next.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    data: *const u8,
    len: usize,
    counts: *const u64,
    offsets: *const u64,
    scale: u64,
    type_of: TypeOf,
    /// Whether it points to lent memory, for the model to know.
    #[cfg(phalanx_loom)]
    is_lent: bool,
}

impl<'l> Loan<'l> {
    fn new<T: 'static>(data: *const T, len: usize, kind: Kind) -> Self {
        Loan {
            entry: Entry {
                data: data.cast(),
                len,
                counts: std::ptr::null(),
                offsets: std::ptr::null(),
                scale: 0,
                type_of: TypeId::of::<T>,
                #[cfg(phalanx_loom)]
                is_lent: false,
            },
            bytes: len * size_of::<T>(),
            n_lists: 0,
            kind,
            lent: PhantomData,
        }
    }

    /// Only a type, and what [`scale`](Self::scale) adds.
    pub(crate) fn nothing<T: 'static>() -> Self {
        Loan::new(std::ptr::dangling::<T>(), 0, Kind::Plain)
    }

    /// A slice of plain data.
    pub(crate) fn of<T: Element>(data: &'l [T]) -> Self {
        let kind = if align_of::<T>() <= MAIL_ALIGN {
            Kind::Plain
        } else {
            Kind::Itself
        };
        Loan::new(data.as_ptr(), data.len(), kind)
    }

    /// An object to be looked at where it is.
    pub(crate) fn itself<T: Sync + 'static>(object: &'l T) -> Self {
        Loan::new(object, 1, Kind::Itself)
    }

    /// A slice that a lane keeps as it is for as long as peers may look at it: only its address.
    pub(crate) fn parked<T: Sync + 'static>(data: &[T]) -> Self {
        Loan::new(data.as_ptr(), data.len(), Kind::Parked)
    }

    /// A slice for peers to write to, each its own part.
    pub(crate) fn of_mut<T: Element>(data: &'l mut [T]) -> Self {
        Loan::new(data.as_mut_ptr(), data.len(), Kind::Itself)
    }

    /// The blocks of a slice: block `d` has `counts[d]` units and begins at unit `offsets[d]`.
    pub(crate) fn blocks<T: Element>(data: &'l [T], counts: &'l [u64], offsets: &'l [u64]) -> Self {
        assert_eq!(counts.len(), offsets.len());
        let mut loan = Loan::of(data);
        loan.entry.counts = counts.as_ptr();
        loan.entry.offsets = offsets.as_ptr();
        loan.n_lists = counts.len();
        loan
    }

    /// One number along with the rest.
    pub(crate) fn scale(mut self, scale: u64) -> Self {
        self.entry.scale = scale;
        self
    }

    /// How much room a copy needs (none, if there is nothing that the verb has to keep), or `None`
    /// if a copy will not do.
    pub(crate) fn mail_bytes(&self) -> Option<usize> {
        let lists = 2 * self.n_lists * size_of::<u64>();
        match self.kind {
            Kind::Plain => Some(self.bytes.next_multiple_of(8) + lists),
            Kind::Itself => None,
            Kind::Parked => Some(0),
        }
    }

    /// Copies data and lists to `room`, and returns the entry that describes them there.
    ///
    /// # Safety
    /// `room` is good for writing [`mail_bytes`](Self::mail_bytes) bytes, is aligned for the data and
    /// for `u64`, and nobody else touches it meanwhile.
    pub(crate) unsafe fn copy_to(&self, room: *mut u8) -> Entry {
        let lists_at = self.bytes.next_multiple_of(8);
        let list_bytes = self.n_lists * size_of::<u64>();
        let mut entry = self.entry;
        // SAFETY:
        // - Data and lists are slices of these sizes, borrowed for 'l, or empty (`new`, `blocks`);
        //   the data are plain (`Kind::Plain` comes from `Element`), so all their bytes may be read.
        // - The room takes them one behind the other, as `mail_bytes` adds them up.
        unsafe {
            room.copy_from_nonoverlapping(entry.data, self.bytes);
            entry.data = room;
            if list_bytes > 0 {
                let [counts, offsets] = [room.add(lists_at), room.add(lists_at + list_bytes)];
                counts.copy_from_nonoverlapping(entry.counts.cast(), list_bytes);
                offsets.copy_from_nonoverlapping(entry.offsets.cast(), list_bytes);
                (entry.counts, entry.offsets) = (counts.cast(), offsets.cast());
            }
        }
        entry
    }
}

impl Entry {
    /// What a participant has published that has not published anything.
    pub(crate) fn nothing() -> Entry {
        Loan::nothing::<()>().entry
    }

    /// The same, marked for the model as pointing to lent memory.
    pub(crate) fn lent(self) -> Entry {
        Entry {
            #[cfg(phalanx_loom)]
            is_lent: true,
            ..self
        }
    }

    /// Whether it was marked so; outside the model there are no marks.
    pub(crate) fn is_lent(&self) -> bool {
        #[cfg(phalanx_loom)]
        return self.is_lent;
        #[cfg(not(phalanx_loom))]
        false
    }
}

/// What a peer published, while it is good: 's ends before this participant settles or arrives anew.
pub(crate) struct Peer<'s> {
    entry: Entry,
    index: usize,
    n: usize,
    verb: Verb,
    reading: PhantomData<&'s ()>,
}

impl<'s> Peer<'s> {
    /// # Safety
    /// `entry` is what participant `index` of `n` published for the verb that is being read, whose
    /// commit has passed. This participant settles the verb, or arrives in its next one if nobody
    /// lends in this, only after `'s`. The entry's `counts` and `offsets` are null, or `n` numbers
    /// each.
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

    /// The published slice, if it is of this type.
    pub(crate) fn slice<T: Sync + 'static>(&self) -> Result<&'s [T], CommError> {
        self.check_type::<T>()?;
        // SAFETY:
        // - The owner took pointer and length from one slice of `T`, or of one `T`: `check_type`
        //   compared types. A copy of it in the mail has the same length and is aligned to
        //   `MAIL_ALIGN`, and a `T` that asks for more is not copied (`Loan::of`).
        // - A parked slice is not reached through here (`parked`). A lent one is borrowed by the owner's verb, which does not return before the owner's
        //   settle has passed, which needs ours, which comes after 's. A copy belongs to the team,
        //   and its owner writes to it only two calls later, for which our arrival in the next call
        //   is needed, which comes after 's (`Peer::new`).
        // - Nobody writes to it meanwhile: the owner lent it with `&`. A slice that was lent with
        //   `&mut` is only reached through `as_mut_ptr`, in verbs that all participants are in.
        // - `T: Sync`, so it may be read from this thread.
        Ok(unsafe { std::slice::from_raw_parts(self.entry.data.cast(), self.entry.len) })
    }

    /// Where a parked slice of `T` is. Whoever follows the pointer argues that it is one, and for how
    /// long it is good.
    pub(crate) fn parked<T: 'static>(&self) -> *const [T] {
        debug_assert!(self.check_type::<T>().is_ok(), "another type is parked");
        std::ptr::slice_from_raw_parts(self.entry.data.cast(), self.entry.len)
    }

    /// Where a slice that was lent with `&mut` begins.
    pub(crate) fn as_mut_ptr<T: Send + 'static>(&self) -> Result<*mut T, CommError> {
        self.check_type::<T>()?;
        Ok(self.entry.data.cast::<T>().cast_mut())
    }

    /// The type of what is published is `T`.
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
            "no such number is published"
        );
        // SAFETY: the list is not null, so it has `n` numbers (`Peer::new`) and `to` is one of
        // them; it is as good for reading as the data are, see `slice`.
        unsafe { *list.add(to) }
    }
}
