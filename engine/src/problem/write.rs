//! From a problem to its canonical file.

use super::{FORMAT, Gate, Picture, Problem, Term, Truncation};

impl Problem {
    /// The problem as the text of a problem file: keys in one order, one gate a line, numbers as the shortest decimals that read back to the same bits.
    ///
    /// Reading it gives an equal problem, and equal problems give equal texts.
    pub fn to_json(&self) -> String {
        let identity = (self.core != 0.0).then(|| Term::new([], self.core));
        let observable: Vec<&Term> = identity.iter().chain(&self.observable).collect();

        let mut fields = vec![field("format", &quoted(FORMAT))];
        fields.extend(
            self.name
                .as_deref()
                .map(|name| field("name", &quoted(name))),
        );
        fields.extend([
            field("basis", &quoted(self.basis.name())),
            field("num_modes", &self.num_modes),
            field("initial_state", &list(&self.initial_state, u32::to_string)),
            field("observable", &list(&observable, |t| term(t))),
            field("circuit", &self.circuit_json()),
        ]);
        fields.extend(
            self.truncation
                .as_ref()
                .map(|t| field("truncation", &truncation(t))),
        );
        if let Picture::Schrodinger { cutoff } = self.picture {
            fields.push(field("picture", &quoted(self.picture.name())));
            fields.push(field("schrodinger_cutoff", &cutoff));
        }
        format!("{{\n{}\n}}\n", fields.join(",\n"))
    }

    fn circuit_json(&self) -> String {
        let gates = list(&self.gates, gate);
        let parameters = list(&self.parameters, |&theta| number(theta));
        let fields = [
            field("gates", &gates),
            field("parameters", &parameters),
            field("repeat", &self.repeat),
        ];
        format!("{{{}}}", fields.join(",\n"))
    }
}

fn gate(gate: &Gate) -> String {
    let generator = list(&gate.generator, term);
    format!(
        "\n{{\"generator\":{generator},\"parameter\":{}}}",
        gate.parameter
    )
}

fn term(term: &Term) -> String {
    let slots = list(&term.slots, u32::to_string);
    format!("[{slots},{}]", number(term.coefficient))
}

fn truncation(found: &Truncation) -> String {
    let threshold = |key, value: Option<f64>| value.map(|value| field(key, &number(value)));
    let mut fields = vec![
        field("measure", &quoted(found.measure.name())),
        field("cutoff", &found.cutoff),
    ];
    fields.extend(threshold("lower_atol", found.lower_atol));
    fields.extend(threshold("upper_atol", found.upper_atol));
    fields.extend(
        found
            .max_rotated_length
            .map(|cap| field("max_rotated_length", &cap)),
    );
    format!("{{{}}}", fields.join(","))
}

fn field(key: &str, value: &dyn std::fmt::Display) -> String {
    format!("\"{key}\":{value}")
}

fn list<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    let items: Vec<String> = items.iter().map(show).collect();
    format!("[{}]", items.join(","))
}

/// The shortest decimal that reads back to the same bits: for finite numbers Rust's debug form is just that, and it is valid JSON.
fn number(value: f64) -> String {
    format!("{value:?}")
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
