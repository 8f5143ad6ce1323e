//! Numbers and words.

use std::fmt::{self, Formatter};

use serde::de::{DeserializeSeed, Deserializer, Error, Unexpected, Visitor};

use super::{Fault, MAX_MODES, Trail, shortened};

/// A finite double.
pub(super) struct Real;

impl<'de> DeserializeSeed<'de> for Real {
    type Value = f64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<f64, D::Error> {
        deserializer.deserialize_f64(self)
    }
}

impl Visitor<'_> for Real {
    type Value = f64;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("one real, finite number (monomials are Hermitian, so coefficients are real)")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<f64, E> {
        Ok(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<f64, E> {
        Ok(value as f64)
    }
}

/// A whole number of at least 0, written without fraction or exponent. The field says what it is.
pub(super) struct Whole(pub(super) &'static str);

impl<'de> DeserializeSeed<'de> for Whole {
    type Value = u64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u64, D::Error> {
        deserializer.deserialize_u64(self)
    }
}

impl Visitor<'_> for Whole {
    type Value = u64;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}, a whole number of at least 0", self.0)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<u64, E> {
        Ok(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<u64, E> {
        u64::try_from(value).map_err(|_| E::invalid_value(Unexpected::Signed(value), &self))
    }
}

/// A string, any or one of a few.
pub(super) struct Text<'t> {
    trail: &'t Trail,
    known: Option<&'static [&'static str]>,
}

impl<'t> Text<'t> {
    pub(super) fn any(trail: &'t Trail) -> Self {
        Text { trail, known: None }
    }

    pub(super) fn one_of(trail: &'t Trail, known: &'static [&'static str]) -> Self {
        Text {
            trail,
            known: Some(known),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Text<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Text<'_> {
    type Value = String;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.known {
            None => f.write_str("a string"),
            Some(known) => write!(f, "one of the strings {}", known.join(", ")),
        }
    }

    fn visit_str<E: Error>(self, found: &str) -> Result<String, E> {
        match self.known {
            Some(known) if !known.contains(&found) => {
                let found = shortened(found);
                Err(self.trail.fail(Fault::UnknownValue { found, known }))
            }
            _ => Ok(found.to_owned()),
        }
    }
}

/// A slot, not yet compared with the number of modes: that may stand further down in the file.
pub(super) struct Slot<'t>(pub(super) &'t Trail);

impl<'de> DeserializeSeed<'de> for Slot<'_> {
    type Value = u32;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u32, D::Error> {
        let slot = Whole("a slot").deserialize(deserializer)?;
        let last = 2 * MAX_MODES - 1;
        u32::try_from(slot).map_err(|_| self.0.fail(Fault::SlotOutOfRange { slot, last }))
    }
}

/// An occupied mode, likewise.
pub(super) struct Occupied<'t>(pub(super) &'t Trail);

impl<'de> DeserializeSeed<'de> for Occupied<'_> {
    type Value = u32;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u32, D::Error> {
        let mode = Whole("a mode").deserialize(deserializer)?;
        let last = MAX_MODES - 1;
        u32::try_from(mode).map_err(|_| self.0.fail(Fault::ModeOutOfRange { mode, last }))
    }
}
