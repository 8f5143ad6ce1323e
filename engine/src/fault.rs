//! Faults on purpose: with the feature `fault-injection` a chosen partition panics at a chosen point of a run.
//!
//! `PHALANX_FAULT=PARTITION:POINT[:NTH]` chooses: the partition, the point, and which passage through that point (1, the first, if left out).
//! Without the feature a point is compiled to nothing, and a fault that is asked for is refused.

pub(crate) use imp::{arm, point};

pub(crate) const VARIABLE: &str = "PHALANX_FAULT";

/// `PHALANX_FAULT` asks for something that this build cannot do: its value, and what may stand there.
#[derive(Debug)]
pub(crate) struct UnknownFault {
    pub(crate) value: String,
    pub(crate) known: String,
}

fn wanted() -> Option<String> {
    std::env::var_os(VARIABLE).map(|value| value.to_string_lossy().into_owned())
}

#[cfg(not(feature = "fault-injection"))]
mod imp {
    use super::{UnknownFault, wanted};

    /// Refuses a fault: nobody who asked for one should believe that it is under way.
    pub(crate) fn arm() -> Result<(), UnknownFault> {
        wanted().map_or(Ok(()), |value| {
            let known = "none; this program was built without the feature `fault-injection`".into();
            Err(UnknownFault { value, known })
        })
    }

    /// A moment at which a partition can be made to fail: nothing in this build.
    #[inline(always)]
    pub(crate) fn point(_partition: usize, _name: &'static str) {}
}

#[cfg(feature = "fault-injection")]
mod imp {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::{UnknownFault, wanted};

    /// Every point that [`point`] is called with, in the order in which a run comes by.
    const POINTS: &[&str] = &["start", "gate", "exchange", "repeat", "evaluate"];

    #[derive(Debug)]
    struct Fault {
        partition: usize,
        point: String,
        /// Passages still to be let through, this one included.
        passages: AtomicU64,
    }

    /// Arms what `PHALANX_FAULT` asks for. Before this, no point does anything.
    pub(crate) fn arm() -> Result<(), UnknownFault> {
        let fault = wanted().map(|value| parse(&value)).transpose()?;
        // Only the first call arms: a fault strikes once in the life of a process.
        FAULT.get_or_init(|| fault);
        Ok(())
    }

    static FAULT: OnceLock<Option<Fault>> = OnceLock::new();

    fn parse(value: &str) -> Result<Fault, UnknownFault> {
        let unknown = || UnknownFault {
            value: value.to_owned(),
            known: format!(
                "PARTITION:POINT and PARTITION:POINT:NTH, where POINT is one of {}",
                POINTS.join(", ")
            ),
        };
        let mut fields = value.splitn(3, ':');
        let partition = fields.next().and_then(|text| text.parse().ok());
        let point = fields.next().filter(|name| POINTS.contains(name));
        let nth = fields.next().map_or(Some(1), |text| text.parse().ok());
        match (partition, point, nth) {
            (Some(partition), Some(point), Some(nth @ 1..)) => Ok(Fault {
                partition,
                point: point.to_owned(),
                passages: AtomicU64::new(nth),
            }),
            _ => Err(unknown()),
        }
    }

    /// A moment at which a partition can be made to fail.
    ///
    /// # Panics
    /// If the fault that was armed is for this partition, this point and this passage.
    pub(crate) fn point(partition: usize, name: &'static str) {
        let Some(Some(fault)) = FAULT.get() else {
            return;
        };
        if fault.partition != partition || fault.point != name {
            return;
        }
        // Relaxed: only this partition's thread counts, and nothing else is published by the count.
        if fault.passages.fetch_sub(1, Ordering::Relaxed) == 1 {
            panic!("a fault on purpose in partition {partition} at {name:?}");
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_fault_is_a_partition_a_point_and_a_passage() {
            let fault = parse("2:gate").unwrap();
            assert_eq!((fault.partition, fault.point.as_str()), (2, "gate"));
            assert_eq!(fault.passages.into_inner(), 1);
            let fault = parse("0:repeat:7").unwrap();
            assert_eq!(fault.passages.into_inner(), 7);
        }

        #[test]
        fn anything_else_is_refused_with_the_points() {
            for value in [
                "",
                "gate",
                "1",
                "1:",
                "1:gates",
                "-1:gate",
                "1:gate:0",
                "1:gate:x",
                "1:gate:1:1",
            ] {
                let error = parse(value).unwrap_err();
                let message = error.known;
                for point in POINTS {
                    assert!(message.contains(point), "{message}");
                }
            }
        }
    }
}
