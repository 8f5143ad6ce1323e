//! Lists, and what they are lists of: terms and gates.

use std::fmt::{self, Formatter};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::{Fields, Gate, Real, Slot, Term, Trail, Whole};

/// The keys of a gate.
const GATE: &[&str] = &["generator", "parameter"];

/// A list of terms.
pub(super) fn terms<'t, 'de>(
    trail: &'t Trail,
) -> impl DeserializeSeed<'de, Value = Vec<Term>> + 't {
    List::new(trail, "a list of terms [[slots], coefficient]", || {
        TermSeed(trail)
    })
}

/// A list of gates.
pub(super) fn gates<'t, 'de>(
    trail: &'t Trail,
) -> impl DeserializeSeed<'de, Value = Vec<Gate>> + 't {
    List::new(trail, "a list of gates", || GateSeed(trail))
}

/// A list whose elements are all read by the seed that `element` makes.
pub(super) struct List<'t, F> {
    trail: &'t Trail,
    what: &'static str,
    element: F,
}

impl<'t, F> List<'t, F> {
    pub(super) fn new(trail: &'t Trail, what: &'static str, element: F) -> Self {
        List {
            trail,
            what,
            element,
        }
    }
}

impl<'de, S: DeserializeSeed<'de>, F: Fn() -> S> DeserializeSeed<'de> for List<'_, F> {
    type Value = Vec<S::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, S: DeserializeSeed<'de>, F: Fn() -> S> Visitor<'de> for List<'_, F> {
    type Value = Vec<S::Value>;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        loop {
            self.trail.enter_index(items.len());
            let item = seq.next_element_seed((self.element)())?;
            self.trail.leave();
            match item {
                Some(item) => items.push(item),
                None => return Ok(items),
            }
        }
    }
}

/// `[[slots], coefficient]`
struct TermSeed<'t>(&'t Trail);

impl<'de> DeserializeSeed<'de> for TermSeed<'_> {
    type Value = Term;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Term, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for TermSeed<'_> {
    type Value = Term;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a term [[slots], coefficient]")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Term, A::Error> {
        let trail = self.0;
        let slots = List::new(trail, "a list of slots", || Slot(trail));
        trail.enter_index(0);
        let slots = seq.next_element_seed(slots)?;
        trail.leave();
        let slots = slots.ok_or_else(|| A::Error::invalid_length(0, &self))?;
        trail.enter_index(1);
        let coefficient = seq.next_element_seed(Real)?;
        trail.leave();
        let coefficient = coefficient.ok_or_else(|| A::Error::invalid_length(1, &self))?;
        // Two numbers after the slots are how a complex coefficient is often written.
        match seq.next_element_seed(Real)? {
            None => Ok(Term { slots, coefficient }),
            Some(_) => Err(A::Error::invalid_length(3, &self)),
        }
    }
}

/// The object of one gate.
struct GateSeed<'t>(&'t Trail);

impl<'de> DeserializeSeed<'de> for GateSeed<'_> {
    type Value = Gate;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Gate, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for GateSeed<'_> {
    type Value = Gate;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a gate, which is an object with the keys {}",
            GATE.join(", ")
        )
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Gate, A::Error> {
        let trail = self.0;
        let mut fields = Fields::new(trail, GATE);
        let (mut generator, mut parameter) = (None, None);
        while let Some(key) = fields.next_key(&mut map)? {
            match key {
                "generator" => generator = Some(map.next_value_seed(terms(trail))?),
                _ => {
                    let index = map.next_value_seed(Whole("the index of a parameter"))?;
                    // Beyond usize it is beyond any list of parameters; the check of the whole says so.
                    parameter = Some(usize::try_from(index).unwrap_or(usize::MAX));
                }
            }
            fields.done();
        }
        Ok(Gate {
            generator: fields.require("generator", generator)?,
            parameter: fields.require("parameter", parameter)?,
        })
    }
}
