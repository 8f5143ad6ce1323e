//! The border of a window: every term goes to the bucket of its label, on the participant that owns it.

use phalanx_shmcomm::Communicator;

use super::bucket::{Bucket, Layout};
use super::labels::Labels;
use super::plan::Window;
use crate::algebra::Monomial;
use crate::error::EngineError;
use crate::operator::chunk::Chunk;
use crate::operator::pool::Pool;
use crate::operator::row::{Row, RowFormat};
use crate::propagate::counts::Counts;
use crate::propagate::records::{self, records};

/// Rows of a block. Half of one is lost per bucket.
const BLOCK: usize = 128;

/// The rows of one bucket, before it is worked on.
type Blocks = Vec<Chunk>;

/// All terms of one participant at the start of a window.
pub(super) struct Sorted<const W: usize> {
    /// Terms that no gate of the window touches, and later the results.
    pub(super) done: Pool<W>,
    pub(super) buckets: Vec<Blocks>,
    /// Resolves rows of `buckets` that are in a side list.
    side: Pool<W>,
}

/// Who owns a label, among `n` participants. The bits that tell buckets apart are not used.
#[inline]
fn owner(label: u32, n: usize) -> usize {
    // Linear bits cluster on cosets: mix them before they are scaled down.
    let mixed = (u64::from(label >> 12) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (((mixed >> 32) * n as u64) >> 32) as usize
}

/// Sorts a participant's terms for a window, and exchanges those that change owners.
///
/// # Collective
/// By all participants with the same window.
pub(super) fn sort<C: Communicator, const W: usize>(
    pool: Pool<W>,
    window: &Window<W>,
    comm: &mut C,
    counts: &mut Counts,
    check_stop: impl Fn() -> Result<(), EngineError>,
) -> Result<Sorted<W>, EngineError> {
    let (me, n) = (comm.index(), comm.world_size());
    let mut sender = Sender {
        window,
        me,
        n,
        parcels: vec![Vec::new(); if n > 1 { n } else { 0 }],
    };
    let format = pool.format();
    let mut sorted = Sorted {
        done: Pool::new(format),
        buckets: (0..1_usize << window.bucket_bits)
            .map(|_| Vec::new())
            .collect(),
        side: pool,
    };
    let active = Active::new(window, format);
    for chunk in sorted.side.take_chunks() {
        check_stop()?;
        for (at, (row, coefficient)) in chunk.rows(format).enumerate() {
            let decode = || chunk.row(format, at);
            sender.place(&mut sorted, &active, row, decode, coefficient);
        }
    }
    if n > 1 {
        let send: Vec<u64> = sender.parcels.concat();
        let lens: Vec<u64> = sender
            .parcels
            .iter()
            .map(|parcel| parcel.len() as u64)
            .collect();
        counts.exchanges += 1;
        counts.exchanged_bytes += 8 * send.len() as u64;
        drop(sender);
        let mut inbox = Vec::new();
        drop(comm.resolve(&send, &lens, records::size::<W>(), &mut inbox)?);
        let mut row = vec![0; format.stride()];
        for (monomial, coefficient) in records(&inbox) {
            sorted.side.encode(&monomial, &mut row);
            let bucket = bucket_of(window, window.labels.of(&monomial));
            append(&mut sorted.buckets[bucket], format, &row, coefficient);
        }
    }
    Ok(sorted)
}

/// Brings all terms into participant 0's working set.
///
/// # Collective
/// By all participants.
pub(super) fn gather<C: Communicator, const W: usize>(
    pool: Pool<W>,
    bucket: &mut Bucket<W>,
    layout: &Layout<W>,
    prints: &Labels,
    comm: &mut C,
    counts: &mut Counts,
) -> Result<(), EngineError> {
    if comm.world_size() == 1 {
        bucket.reset(layout, pool.len());
        for (monomial, coefficient) in pool.terms() {
            bucket.load(monomial, prints.of(&monomial), coefficient);
        }
        bucket.fill_columns(layout);
        return Ok(());
    }
    let mut send = Vec::new();
    for (monomial, coefficient) in pool.terms() {
        records::push(&mut send, &monomial, coefficient);
    }
    let mut lens = vec![0; comm.world_size()];
    lens[0] = send.len() as u64;
    counts.exchanges += 1;
    if comm.index() != 0 {
        counts.exchanged_bytes += 8 * send.len() as u64;
    }
    let mut inbox = Vec::new();
    drop(comm.resolve(&send, &lens, records::size::<W>(), &mut inbox)?);
    bucket.reset(layout, inbox.len() / records::size::<W>());
    for (monomial, coefficient) in records(&inbox) {
        bucket.load(monomial, prints.of(&monomial), coefficient);
    }
    bucket.fill_columns(layout);
    Ok(())
}

fn bucket_of<const W: usize>(window: &Window<W>, label: u32) -> usize {
    (label & ((1 << window.bucket_bits) - 1)) as usize
}

fn append(blocks: &mut Blocks, format: RowFormat, row: &[u8], coefficient: f64) {
    match blocks.last_mut() {
        Some(last) if last.len() < BLOCK => last.push_row(row, coefficient),
        _ => {
            let mut block = Chunk::with_capacity(format, BLOCK);
            block.push_row(row, coefficient);
            blocks.push(block);
        }
    }
}

/// Tells the rows that a window may change from those that it leaves alone.
struct Active<const W: usize> {
    format: RowFormat,
    touched: Monomial<W>,
    /// Every term may be changed.
    all: bool,
}

impl<const W: usize> Active<W> {
    fn new(window: &Window<W>, format: RowFormat) -> Self {
        Active {
            format,
            touched: window.touched,
            all: window.odd,
        }
    }

    #[inline]
    fn has(&self, row: &[u8], monomial: impl Fn() -> Monomial<W>) -> bool {
        if self.all {
            return true;
        }
        match self.format.listed(row) {
            Some(listed) => listed.iter().any(|&slot| {
                self.touched.words()[usize::from(slot) / 64 % W] >> (slot % 64) & 1 == 1
            }),
            None => !monomial().and(&self.touched).is_identity(),
        }
    }
}

struct Sender<'a, const W: usize> {
    window: &'a Window<W>,
    me: usize,
    n: usize,
    /// For each other participant, the terms that it owns from now on: words and coefficient.
    parcels: Vec<Vec<u64>>,
}

impl<const W: usize> Sender<'_, W> {
    #[inline]
    fn place(
        &mut self,
        sorted: &mut Sorted<W>,
        active: &Active<W>,
        row: &[u8],
        decode: impl Fn() -> Row<W>,
        coefficient: f64,
    ) {
        let format = active.format;
        let Sorted {
            done,
            buckets,
            side,
        } = sorted;
        let monomial = || side.resolve(decode());
        let label = |labels: &Labels| {
            labels
                .of_row(format, row)
                .unwrap_or_else(|| labels.of(&monomial()))
        };
        if !active.has(row, monomial) {
            if format.is_long(row) {
                done.push(&monomial(), coefficient);
            } else {
                done.push_row(row, coefficient);
            }
            return;
        }
        let label = label(&self.window.labels);
        let owner = if self.n == 1 {
            self.me
        } else {
            owner(label, self.n)
        };
        if owner == self.me {
            append(
                &mut buckets[bucket_of(self.window, label)],
                format,
                row,
                coefficient,
            );
        } else {
            records::push(&mut self.parcels[owner], &monomial(), coefficient);
        }
    }
}

impl<const W: usize> Sorted<W> {
    /// Fills the working set with a bucket's terms.
    #[inline(always)]
    pub(super) fn load(
        &self,
        blocks: &Blocks,
        bucket: &mut Bucket<W>,
        layout: &Layout<W>,
        prints: &Labels,
    ) {
        let format = self.side.format();
        bucket.reset(layout, blocks.iter().map(Chunk::len).sum());
        for block in blocks {
            for (at, (row, coefficient)) in block.rows(format).enumerate() {
                let monomial = self.side.resolve(block.row(format, at));
                let print = prints.of_row(format, row);
                let print = print.unwrap_or_else(|| prints.of(&monomial));
                bucket.load(monomial, print, coefficient);
            }
        }
        bucket.fill_columns(layout);
    }

    /// Puts the results of a bucket among the terms that are done. `blocks` is what it was loaded from.
    pub(super) fn unload(&mut self, blocks: Blocks, bucket: &Bucket<W>) {
        let format = self.side.format();
        let mut terms = bucket.terms();
        for block in blocks {
            for ((row, _), (monomial, coefficient)) in block.rows(format).zip(&mut terms) {
                if format.is_long(row) {
                    self.done.push(monomial, coefficient);
                } else {
                    self.done.push_row(row, coefficient);
                }
            }
        }
        for (monomial, coefficient) in terms {
            self.done.push(monomial, coefficient);
        }
    }
}
