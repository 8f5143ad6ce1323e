//! A dictionary dealt out over threads: each asks the owners of its words, and they answer.
//!
//! `dictionary [THREADS]` counts the words of a text that every thread has a part of. A word belongs
//! to the thread that its hash names. `resolve` takes each word to its owner without anybody having
//! been told how many will come; `reply` takes the totals back to where the words came from.

use std::collections::HashMap;
use std::thread;

use phalanx_shmcomm::{CommError, Communicator, Leg, Team, team};

const TEXT: &str = "the barrier is passed when the last thread arrives at the barrier and no thread \
                    is passed over when the last barrier is the barrier of the last thread";

/// A word as plain data: its letters, padded with zeros.
type Word = [u8; 16];

fn main() {
    let n = std::env::args()
        .nth(1)
        .and_then(|n| n.parse().ok())
        .unwrap_or(3);
    let totals = thread::scope(|scope| {
        let threads: Vec<_> = team(Team::flat(n))
            .into_iter()
            .map(|mut comm| scope.spawn(move || count_words(&mut comm)))
            .collect();
        let joined = threads
            .into_iter()
            .map(|thread| thread.join().expect("no thread panics"));
        joined.collect::<Result<Vec<_>, _>>()
    });
    match totals {
        Ok(totals) => {
            let mut words: Vec<(String, u64)> = totals.into_iter().flatten().collect();
            words.sort_by(|(a, n), (b, m)| m.cmp(n).then(a.cmp(b)));
            words.dedup();
            words
                .iter()
                .for_each(|(word, total)| println!("{total:3}  {word}"));
        }
        Err(error) => eprintln!("{error}"),
    }
}

/// The words of this thread's part of the text, with how often they occur in all of it.
fn count_words(comm: &mut impl Communicator) -> Result<Vec<(String, u64)>, CommError> {
    let (me, n) = (comm.index(), comm.world_size());
    let mut queries: Vec<(usize, Word)> = TEXT
        .split_whitespace()
        .skip(me)
        .step_by(n)
        .map(|word| (owner(word, n), pad(word)))
        .collect();
    queries.sort();
    let mut counts = vec![0; n];
    queries.iter().for_each(|(owner, _)| counts[*owner] += 1);
    let words: Vec<Word> = queries.into_iter().map(|(_, word)| word).collect();

    let (mut inbox, mut answers) = (Vec::new(), Vec::new());
    let leg = comm.resolve(&words, &counts, 1, &mut inbox)?;
    let mut totals = HashMap::new();
    inbox
        .iter()
        .for_each(|word: &Word| *totals.entry(*word).or_insert(0_u64) += 1);
    let back: Vec<u64> = inbox.iter().map(|word| totals[word]).collect();
    leg.reply(&back, 1, &mut answers)?;

    comm.agree(Ok::<(), CommError>(()))?;
    let text = |word: &Word| {
        String::from_utf8_lossy(word)
            .trim_end_matches('\0')
            .to_owned()
    };
    Ok(words.iter().map(text).zip(answers).collect())
}

fn owner(word: &str, n: usize) -> usize {
    word.bytes().fold(7, |hash: usize, byte| {
        hash.wrapping_mul(31).wrapping_add(usize::from(byte))
    }) % n
}

fn pad(word: &str) -> Word {
    let mut padded = Word::default();
    let len = word.len().min(padded.len());
    padded[..len].copy_from_slice(&word.as_bytes()[..len]);
    padded
}
