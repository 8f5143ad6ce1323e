//! Problem files: JSON read straight into a [`ProblemBuilder`], strictly, with the path of whatever is at fault.
//!
//! No tree of values is built. Each JSON value is read by a seed that knows what belongs there, so that an unknown or doubled key, a value of
//! the wrong kind, or nesting where none belongs is an error on the spot. A [`Trail`] is the path to where the reader stands. It is left as it is
//! when an error comes up, so that it then names the place, also for faults that the JSON parser finds by itself.

mod fields;
mod lists;
mod scalars;
mod trail;

use fields::Fields;
use lists::List;
use scalars::{Occupied, Real, Slot, Text, Whole};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::error::Category;
use trail::Trail;

use super::{
    Basis, FORMAT, Fault, Gate, MAX_MODES, Measure, Picture, Problem, ProblemBuilder, ProblemError,
    Term, Truncation,
};

/// The longest stretch of a foreign text that a message repeats.
const MAX_QUOTED_CHARS: usize = 120;

/// Reads the text of a problem file.
pub(super) fn parse(text: &str) -> Result<Problem, ProblemError> {
    let trail = Trail::default();
    let mut json = serde_json::Deserializer::from_str(text);
    let read = Top(&trail).deserialize(&mut json);
    let builder = read.and_then(|builder| json.end().map(|()| builder));
    builder.map_err(|error| explain(&error, &trail))?.build()
}

/// Turns an error of the JSON parser, or the fault that a seed left in the trail, into ours.
fn explain(error: &serde_json::Error, trail: &Trail) -> ProblemError {
    let (line, column) = (error.line(), error.column());
    let whole = error.to_string();
    let detail = whole
        .strip_suffix(&format!(" at line {line} column {column}"))
        .unwrap_or(&whole);
    let detail = shortened(detail);
    let fault = match (trail.take_fault(), error.classify()) {
        (Some(fault), _) => fault,
        (None, Category::Data) => Fault::WrongType { detail },
        (None, _) if detail == "number out of range" => Fault::NumberTooLarge,
        (None, _) => Fault::NotJson { detail },
    };
    let error = ProblemError::new(trail.path(), fault);
    // Line 0 means that the parser was not asked for more text.
    if line == 0 {
        error
    } else {
        error.at(line, column)
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

/// The object that a file consists of.
struct Top<'t>(&'t Trail);

impl<'de> DeserializeSeed<'de> for Top<'_> {
    type Value = ProblemBuilder;

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<ProblemBuilder, D::Error> {
        deserializer.deserialize_map(self)
    }
}

/// The keys of the whole.
const TOP: &[&str] = &[
    "format",
    "name",
    "basis",
    "num_modes",
    "initial_state",
    "observable",
    "circuit",
    "truncation",
    "picture",
    "schrodinger_cutoff",
];
/// The keys of `circuit`.
const CIRCUIT: &[&str] = &["gates", "parameters", "repeat"];
/// The keys of `truncation`.
const TRUNCATION: &[&str] = &[
    "measure",
    "cutoff",
    "lower_atol",
    "upper_atol",
    "max_rotated_length",
];

impl<'de> Visitor<'de> for Top<'_> {
    type Value = ProblemBuilder;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "a problem, which is one JSON object with the keys {}",
            TOP.join(", ")
        )
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ProblemBuilder, A::Error> {
        let trail = self.0;
        let mut fields = Fields::new(trail, TOP);
        let (mut format, mut basis, mut num_modes, mut observable, mut circuit) =
            (None, None, None, None, None);
        let (mut name, mut initial_state, mut truncation) = (None, Vec::new(), None);
        let (mut picture, mut cutoff) = (None, None);
        while let Some(key) = fields.next_key(&mut map)? {
            match key {
                "format" => format = Some(map.next_value_seed(Text::one_of(trail, &[FORMAT]))?),
                "name" => name = Some(map.next_value_seed(Text::any(trail))?),
                "basis" => {
                    basis =
                        Basis::from_name(&map.next_value_seed(Text::one_of(trail, Basis::NAMES))?)
                }
                "num_modes" => {
                    let found = map.next_value_seed(Whole("the number of modes"))?;
                    let in_range = u32::try_from(found)
                        .ok()
                        .filter(|&modes| (1..=MAX_MODES).contains(&modes));
                    num_modes = Some(in_range.ok_or_else(|| trail.fail(Fault::Modes { found }))?);
                }
                "initial_state" => {
                    initial_state =
                        map.next_value_seed(List::new(trail, "a list of occupied modes", || {
                            Occupied(trail)
                        }))?
                }
                "observable" => observable = Some(map.next_value_seed(lists::terms(trail))?),
                "circuit" => circuit = Some(map.next_value_seed(CircuitSeed(trail))?),
                "truncation" => truncation = Some(map.next_value_seed(TruncationSeed(trail))?),
                "picture" => {
                    picture = Some(map.next_value_seed(Text::one_of(trail, Picture::NAMES))?)
                }
                _ => cutoff = Some(map.next_value_seed(Whole("the size of the initial state"))?),
            }
            fields.done();
        }
        fields.require("format", format)?;
        let basis = fields.require("basis", basis)?;
        let num_modes = fields.require("num_modes", num_modes)?;
        let observable = fields.require("observable", observable)?;
        let (gates, parameters, repeat) = fields.require("circuit", circuit)?;
        let schrodinger = picture.as_deref() == Some("schrodinger");
        let picture = match (schrodinger, cutoff) {
            (false, None) => Picture::Heisenberg,
            (true, Some(cutoff)) => Picture::Schrodinger { cutoff },
            (true, None) => return Err(trail.fail_at("picture", Fault::SchrodingerWithoutCutoff)),
            (false, Some(_)) => {
                return Err(trail.fail_at("schrodinger_cutoff", Fault::CutoffWithHeisenberg));
            }
        };
        Ok(ProblemBuilder {
            name,
            basis,
            num_modes,
            initial_state,
            observable,
            gates,
            parameters,
            repeat,
            truncation,
            picture,
        })
    }
}

/// The object under `circuit`: gates, parameters, repeat.
struct CircuitSeed<'t>(&'t Trail);

impl<'de> DeserializeSeed<'de> for CircuitSeed<'_> {
    type Value = (Vec<Gate>, Vec<f64>, u64);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for CircuitSeed<'_> {
    type Value = (Vec<Gate>, Vec<f64>, u64);

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "an object with the keys {}", CIRCUIT.join(", "))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let trail = self.0;
        let mut fields = Fields::new(trail, CIRCUIT);
        let (mut gates, mut parameters, mut repeat) = (None, None, 1);
        while let Some(key) = fields.next_key(&mut map)? {
            match key {
                "gates" => gates = Some(map.next_value_seed(lists::gates(trail))?),
                "parameters" => {
                    parameters = Some(map.next_value_seed(List::new(
                        trail,
                        "a list of parameters",
                        || Real,
                    ))?)
                }
                _ => repeat = map.next_value_seed(Whole("the number of repeats"))?,
            }
            fields.done();
        }
        let gates = fields.require("gates", gates)?;
        Ok((gates, fields.require("parameters", parameters)?, repeat))
    }
}

/// The object under `truncation`.
struct TruncationSeed<'t>(&'t Trail);

impl<'de> DeserializeSeed<'de> for TruncationSeed<'_> {
    type Value = Truncation;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Truncation, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for TruncationSeed<'_> {
    type Value = Truncation;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "an object with the keys {}", TRUNCATION.join(", "))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Truncation, A::Error> {
        let trail = self.0;
        let mut fields = Fields::new(trail, TRUNCATION);
        let (mut measure, mut cutoff) = (None, None);
        let (mut lower_atol, mut upper_atol, mut max_rotated_length) = (None, None, None);
        while let Some(key) = fields.next_key(&mut map)? {
            match key {
                "measure" => {
                    measure = Measure::from_name(
                        &map.next_value_seed(Text::one_of(trail, Measure::NAMES))?,
                    )
                }
                "cutoff" => cutoff = Some(map.next_value_seed(Whole("a cutoff"))?),
                "lower_atol" => lower_atol = Some(map.next_value_seed(Real)?),
                "upper_atol" => upper_atol = Some(map.next_value_seed(Real)?),
                _ => {
                    let found = map.next_value_seed(Whole("a number of slots"))?;
                    let limit = 2 * MAX_MODES;
                    let cap = u32::try_from(found)
                        .map_err(|_| trail.fail(Fault::MaxRotatedLength { found, limit }))?;
                    max_rotated_length = Some(cap);
                }
            }
            fields.done();
        }
        Ok(Truncation {
            measure: fields.require("measure", measure)?,
            cutoff: fields.require("cutoff", cutoff)?,
            lower_atol,
            upper_atol,
            max_rotated_length,
        })
    }
}
