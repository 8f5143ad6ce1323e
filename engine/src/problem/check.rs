//! The checks that every problem passes, whichever way it was made. Each names the field as problem files do.

use std::collections::HashMap;

use super::{
    Basis, Fault, Gate, MAX_INITIAL_ROWS, MAX_MODES, MAX_NAME_CHARS, MAX_REPEAT, Measure, Picture,
    ProblemError, Term, Truncation, commute,
};

type Checked<T = ()> = Result<T, ProblemError>;

pub(super) fn name(name: &str) -> Checked {
    if name.chars().count() > MAX_NAME_CHARS || name.chars().any(char::is_control) {
        return Err(ProblemError::new("name", Fault::Name));
    }
    Ok(())
}

pub(super) fn num_modes(found: u64) -> Checked {
    if found == 0 || found > u64::from(MAX_MODES) {
        return Err(ProblemError::new("num_modes", Fault::Modes { found }));
    }
    Ok(())
}

/// The occupied modes in ascending order.
pub(super) fn initial_state(num_modes: u32, mut occupied: Vec<u32>) -> Checked<Vec<u32>> {
    let mut seen = vec![false; num_modes as usize];
    for (index, &mode) in occupied.iter().enumerate() {
        let fault = match seen.get_mut(mode as usize) {
            None => Fault::ModeOutOfRange {
                mode: mode.into(),
                last: num_modes - 1,
            },
            Some(true) => Fault::ModeTwice { mode },
            Some(free) => {
                *free = true;
                continue;
            }
        };
        return Err(ProblemError::new(format!("initial_state[{index}]"), fault));
    }
    occupied.sort_unstable();
    Ok(occupied)
}

/// The coefficient of the identity, and the distinct other monomials in order of first appearance, equal ones added up.
pub(super) fn observable(num_modes: u32, terms: Vec<Term>) -> Checked<(f64, Vec<Term>)> {
    let mut core = 0.0;
    let mut distinct: Vec<Term> = Vec::with_capacity(terms.len());
    let mut place: HashMap<Vec<u32>, usize> = HashMap::with_capacity(terms.len());
    for (index, term) in terms.into_iter().enumerate() {
        let field = || format!("observable[{index}]");
        check_term(num_modes, &term, field)?;
        let sum = if term.slots.is_empty() {
            core += term.coefficient;
            core
        } else if let Some(&first) = place.get(&term.slots) {
            distinct[first].coefficient += term.coefficient;
            distinct[first].coefficient
        } else {
            place.insert(term.slots.clone(), distinct.len());
            distinct.push(term);
            continue;
        };
        if !sum.is_finite() {
            return Err(ProblemError::new(
                field(),
                Fault::SumOverflows { slots: term.slots },
            ));
        }
    }
    Ok((core, distinct))
}

pub(super) fn gates(basis: Basis, num_modes: u32, gates: &[Gate]) -> Checked {
    for (k, gate) in gates.iter().enumerate() {
        for (j, term) in gate.generator.iter().enumerate() {
            check_term(num_modes, term, || {
                format!("circuit.gates[{k}].generator[{j}]")
            })?;
        }
        if let Some((first, second)) = commute::first_clash(basis, num_modes, &gate.generator) {
            let fault = Fault::NotCommuting { first, second };
            return Err(ProblemError::new(
                format!("circuit.gates[{k}].generator"),
                fault,
            ));
        }
    }
    Ok(())
}

/// The parameters, and that each gate has one that gives it finite doubled angles: what goes into sine and cosine.
pub(super) fn angles(gates: &[Gate], parameters: &[f64]) -> Checked {
    if let Some(index) = parameters.iter().position(|value| !value.is_finite()) {
        let value = parameters[index];
        return Err(ProblemError::new(
            format!("circuit.parameters[{index}]"),
            Fault::NotFinite { value },
        ));
    }
    for (k, gate) in gates.iter().enumerate() {
        let Some(&parameter) = parameters.get(gate.parameter) else {
            let fault = Fault::ParameterOutOfRange {
                index: gate.parameter as u64,
                count: parameters.len(),
            };
            return Err(ProblemError::new(
                format!("circuit.gates[{k}].parameter"),
                fault,
            ));
        };
        let overflows = |term: &&Term| !(2.0 * (parameter * term.coefficient)).is_finite();
        if let Some(&Term { coefficient, .. }) = gate.generator.iter().find(overflows) {
            let fault = Fault::AngleOverflows {
                parameter,
                coefficient,
            };
            return Err(ProblemError::new(
                format!("circuit.gates[{k}].parameter"),
                fault,
            ));
        }
    }
    Ok(())
}

pub(super) fn repeat(found: u64) -> Checked {
    if found > MAX_REPEAT {
        return Err(ProblemError::new("circuit.repeat", Fault::Repeat { found }));
    }
    Ok(())
}

pub(super) fn truncation(basis: Basis, num_modes: u32, truncation: &Truncation) -> Checked {
    if basis == Basis::Pauli && truncation.measure == Measure::Length {
        return Err(ProblemError::new(
            "truncation.measure",
            Fault::LengthWithPauli,
        ));
    }
    for (field, threshold) in [
        ("lower_atol", truncation.lower_atol),
        ("upper_atol", truncation.upper_atol),
    ] {
        match threshold {
            Some(value) if !value.is_finite() || value < 0.0 => {
                return Err(ProblemError::new(
                    format!("truncation.{field}"),
                    Fault::Threshold { value },
                ));
            }
            _ => {}
        }
    }
    if let (Some(lower), Some(upper)) = (truncation.lower_atol, truncation.upper_atol)
        && upper < lower
    {
        return Err(ProblemError::new(
            "truncation.upper_atol",
            Fault::UpperBelowLower { upper, lower },
        ));
    }
    let limit = 2 * num_modes;
    match truncation.max_rotated_length {
        Some(cap) if cap == 0 || cap > limit => {
            let fault = Fault::MaxRotatedLength {
                found: cap.into(),
                limit,
            };
            Err(ProblemError::new("truncation.max_rotated_length", fault))
        }
        _ => Ok(()),
    }
}

pub(super) fn picture(basis: Basis, num_modes: u32, picture: Picture) -> Checked {
    match picture.initial_rows(basis, num_modes) {
        Some(rows) if rows > MAX_INITIAL_ROWS => Err(ProblemError::new(
            "schrodinger_cutoff",
            Fault::StateTooLarge { rows },
        )),
        _ => Ok(()),
    }
}

fn check_term(num_modes: u32, term: &Term, field: impl Fn() -> String) -> Checked {
    if let Some(fault) = slots_fault(num_modes, &term.slots) {
        return Err(ProblemError::new(field(), fault));
    }
    if !term.coefficient.is_finite() {
        let value = term.coefficient;
        return Err(ProblemError::new(field(), Fault::NotFinite { value }));
    }
    Ok(())
}

fn slots_fault(num_modes: u32, slots: &[u32]) -> Option<Fault> {
    let last = 2 * num_modes - 1;
    if let Some(&slot) = slots.iter().find(|&&slot| slot > last) {
        return Some(Fault::SlotOutOfRange {
            slot: slot.into(),
            last,
        });
    }
    let falling = slots.windows(2).find(|pair| pair[0] >= pair[1])?;
    let (before, after) = (falling[0], falling[1]);
    Some(if before == after {
        Fault::SlotTwice { slot: after }
    } else {
        Fault::SlotsNotAscending { before, after }
    })
}
