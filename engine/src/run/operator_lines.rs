//! The final operator as lines of JSON, written by all partitions to one place.

use std::fmt::Write as _;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use super::PartitionError;

/// How much a partition collects before it asks for the place to write to.
const CHUNK_BYTES: usize = 1 << 20;

/// Writes one partition's terms, whole lines at a time. `check` is asked between chunks whether to go on.
pub(super) fn write_terms(
    out: &Mutex<&mut (dyn Write + Send)>,
    check: &mut dyn FnMut() -> Result<(), PartitionError>,
    for_each: impl FnOnce(&mut dyn FnMut(&[u32], f64)),
) -> Result<(), PartitionError> {
    let mut text = String::with_capacity(CHUNK_BYTES + 4096);
    let mut result = Ok(());
    let mut flush = |text: &mut String| {
        check()?;
        let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
        out.write_all(text.as_bytes())?;
        text.clear();
        Ok(())
    };
    for_each(&mut |slots, coefficient| {
        if result.is_err() {
            return;
        }
        push_line(&mut text, slots, coefficient);
        if text.len() >= CHUNK_BYTES {
            result = flush(&mut text);
        }
    });
    result?;
    flush(&mut text)
}

/// `[[0,5],-1.2500000000000000e-1]`, with 17 significant digits: any double reads back to the same bits.
fn push_line(text: &mut String, slots: &[u32], coefficient: f64) {
    text.push_str("[[");
    for (i, slot) in slots.iter().enumerate() {
        let comma = if i == 0 { "" } else { "," };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}{slot}");
    }
    let _ = writeln!(text, "],{coefficient:.16e}]");
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(terms: &[(Vec<u32>, f64)]) -> String {
        let mut bytes = Vec::new();
        let sink: &mut (dyn Write + Send) = &mut bytes;
        write_terms(&Mutex::new(sink), &mut || Ok(()), |each| {
            terms.iter().for_each(|(slots, c)| each(slots, *c));
        })
        .unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_line_has_slots_and_seventeen_digits() {
        assert_eq!(
            written(&[(vec![], 1.0), (vec![3, 14], -0.1)]),
            "[[],1.0000000000000000e0]\n[[3,14],-1.0000000000000001e-1]\n"
        );
    }

    proptest! {
        #[test]
        fn every_double_reads_back_to_its_bits(bits in any::<u64>(), slots in prop::collection::vec(any::<u32>(), 0..9)) {
            let c = f64::from_bits(bits);
            prop_assume!(c.is_finite());
            let line = written(&[(slots.clone(), c)]);
            let (read_slots, read): (Vec<u32>, f64) = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(read_slots, slots);
            prop_assert_eq!(read.to_bits(), bits);
        }
    }

    #[test]
    fn long_operators_go_out_in_chunks_and_a_stop_is_heeded_between_them() {
        let terms: Vec<_> = (0..100_000_u32).map(|i| (vec![i], 0.5)).collect();
        assert_eq!(written(&terms).lines().count(), terms.len());

        let mut bytes = Vec::new();
        let sink: &mut (dyn Write + Send) = &mut bytes;
        let mut n_asked = 0;
        let mut check = || {
            n_asked += 1;
            if n_asked > 1 {
                Err(crate::EngineError::Interrupted.into())
            } else {
                Ok(())
            }
        };
        let result = write_terms(&Mutex::new(sink), &mut check, |each| {
            terms.iter().for_each(|(slots, c)| each(slots, *c));
        });
        assert!(matches!(
            result,
            Err(PartitionError::Engine(crate::EngineError::Interrupted))
        ));
        assert!(bytes.ends_with(b"\n") && bytes.len() < 2 * CHUNK_BYTES);
    }
}
