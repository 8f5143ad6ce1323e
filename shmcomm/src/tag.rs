//! What a participant announces before it waits: which verb, its how-manieth, and with what detail.

use crate::Verb;
use crate::shared::Lends;

/// Call number, detail and verb in one word. Zero is what a participant that has not begun shows.
///
/// | bits | what |
/// |---|---|
/// | 0 to 6 | the number of the verb, from 1 |
/// | 7 | whether the participant lends memory, which need not be the same for all |
/// | 8 to 31 | the detail that all must agree on: a lane's number, a broadcast's root |
/// | 32 to 63 | how many verbs the participant has begun, modulo 2^32 |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tag(pub(crate) u64);

impl Tag {
    /// Details are below this; so are numbers of participants and of lanes.
    pub(crate) const DETAIL_LIMIT: usize = 1 << 24;

    const LENDS: u64 = 1 << 7;

    pub(crate) fn new(call: u64, verb: Verb, detail: u32) -> Tag {
        debug_assert!((detail as usize) < Self::DETAIL_LIMIT);
        Tag(call << 32 | u64::from(detail) << 8 | verb as u64)
    }

    /// The same announcement by a participant that lends memory in the verb.
    pub(crate) fn lending(self, lends: Lends) -> Tag {
        match lends {
            Lends::Nothing => self,
            Lends::Memory => Tag(self.0 | Self::LENDS),
        }
    }

    /// Whether the participant lends memory in the verb.
    pub(crate) fn lends(self) -> bool {
        self.0 & Self::LENDS != 0
    }

    /// Whether both are in the same call of the same verb with the same detail.
    pub(crate) fn agrees_with(self, other: Tag) -> bool {
        (self.0 ^ other.0) & !Self::LENDS == 0
    }

    pub(crate) fn verb(self) -> Option<Verb> {
        Verb::from_number(self.0 as u8 & 0x7f)
    }

    pub(crate) fn detail(self) -> u32 {
        (self.0 >> 8) as u32 & 0x00ff_ffff
    }

    pub(crate) fn call(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Whether `self` was announced after `other` by a participant that has not gone once around
    /// the call numbers in between.
    #[cfg(not(phalanx_loom))]
    pub(crate) fn is_later_than(self, other: Tag) -> bool {
        (self.call().wrapping_sub(other.call()) as i32) > 0
    }
}

impl std::fmt::Display for Tag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some(verb) = self.verb() else {
            return f.write_str("no verb yet");
        };
        let (detail, call) = (self.detail(), self.call());
        match verb {
            Verb::PairExchange | Verb::PairLane => {
                write!(f, "{verb} on lane {detail} (call {call})")
            }
            Verb::Broadcast => write!(f, "{verb} from participant {detail} (call {call})"),
            _ => write!(f, "{verb} (call {call})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Lends, Tag};
    use crate::Verb;

    #[test]
    fn a_tag_holds_what_was_put_in() {
        for verb in Verb::ALL {
            let tag = Tag::new(0x1_2345_6789, verb, 0xabcdef);
            assert_eq!(tag.verb(), Some(verb));
            assert_eq!(tag.detail(), 0xabcdef);
            assert_eq!(tag.call(), 0x2345_6789);
            assert_eq!(Verb::from_number(verb as u8), Some(verb));
        }
        assert_eq!(Tag(0).verb(), None);
    }

    #[test]
    fn lending_is_nobody_elses_business() {
        let tag = Tag::new(7, Verb::Resolve, 3);
        let lending = tag.lending(Lends::Memory);
        assert!(lending.lends() && !tag.lends());
        assert!(lending.agrees_with(tag) && tag.agrees_with(lending));
        assert!(!tag.agrees_with(Tag::new(7, Verb::Resolve, 4)));
        assert_eq!(
            (lending.verb(), lending.detail(), lending.call()),
            (Some(Verb::Resolve), 3, 7)
        );
    }

    #[test]
    fn later_survives_the_wrap_of_the_call_number() {
        let at = |call| Tag::new(call, Verb::Barrier, 0);
        assert!(at(2).is_later_than(at(1)));
        assert!(!at(1).is_later_than(at(2)));
        assert!(!at(2).is_later_than(at(2)));
        assert!(at(1 << 32).is_later_than(at((1 << 32) - 1)));
    }
}
