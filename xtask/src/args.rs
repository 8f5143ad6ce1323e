//! Reads a command's options, and writes its help, from one table.

use anyhow::{Result, bail};

/// One chore: what it is called, what it does, what it takes.
pub(crate) struct Command {
    pub(crate) name: &'static str,
    /// One line, for the list of commands.
    pub(crate) summary: &'static str,
    /// What `--help` adds: what the command does, when to use it, what it costs.
    pub(crate) about: &'static str,
    pub(crate) flags: &'static [Flag],
    pub(crate) run: fn(&Options) -> Result<()>,
}

/// An option of a command.
pub(crate) struct Flag {
    /// The long name, or the short one where there is no other: the name that [`Options`] knows it by.
    pub(crate) name: &'static str,
    /// What the value stands for, if the option takes one.
    pub(crate) value: Option<&'static str>,
    pub(crate) help: &'static str,
}

/// The options that were given, each known to its command.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Options(Vec<(&'static str, String)>);

impl Options {
    /// Reads `args`; whatever `flags` does not list is an error that lists what it does.
    pub(crate) fn parse(args: &[String], flags: &'static [Flag]) -> Result<Options> {
        let mut options = Options::default();
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let (name, inline) = match arg.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
                _ => (arg.as_str(), None),
            };
            let Some(flag) = flags.iter().find(|flag| flag.name == name) else {
                bail!("`{arg}` is not an option here; known: {}", known(flags));
            };
            let value = match (flag.value, inline) {
                (None, None) => String::new(),
                (None, Some(value)) => bail!("`{name}` takes no value, but got `{value}`"),
                (Some(_), Some(value)) => value,
                (Some(what), None) => match args.next() {
                    Some(value) => value.clone(),
                    None => bail!("`{name}` needs a value: {what}"),
                },
            };
            options.0.push((flag.name, value));
        }
        Ok(options)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(given, _)| *given == name)
    }

    /// Every value of an option that may be given more than once.
    pub(crate) fn values(&self, name: &str) -> Vec<&str> {
        let given = self.0.iter().filter(|(given, _)| *given == name);
        given.map(|(_, value)| value.as_str()).collect()
    }

    /// The last value of an option, as a whole number of at least 1.
    pub(crate) fn number(&self, name: &str) -> Result<Option<u64>> {
        match self.values(name).last() {
            None => Ok(None),
            Some(text) => match text.parse() {
                Ok(0) | Err(_) => bail!("`{name}` needs a whole number from 1, not `{text}`"),
                Ok(number) => Ok(Some(number)),
            },
        }
    }
}

/// The list of all commands.
pub(crate) fn overview(commands: &[Command]) -> String {
    let mut text =
        String::from("The project's chores.\n\nUsage: cargo xtask COMMAND [OPTIONS]\n\n");
    for command in commands {
        text += &format!("  {:<14}{}\n", command.name, command.summary);
    }
    text + "\n`cargo xtask COMMAND --help` says more about each.\n"
}

/// What `--help` prints for one command.
pub(crate) fn help(command: &Command) -> String {
    let options = if command.flags.is_empty() {
        ""
    } else {
        " [OPTIONS]"
    };
    let mut text = format!(
        "{}\n\nUsage: cargo xtask {}{options}\n\n{}\n",
        command.summary, command.name, command.about
    );
    if !command.flags.is_empty() {
        text += "\nOptions:\n";
    }
    for flag in command.flags {
        let left = match flag.value {
            Some(value) => format!("{} {value}", flag.name),
            None => flag.name.to_owned(),
        };
        text += &format!("  {left:<20}{}\n", flag.help);
    }
    text
}

fn known(flags: &[Flag]) -> String {
    let names: Vec<_> = flags.iter().map(|flag| flag.name).collect();
    match names.is_empty() {
        true => "none but --help".to_owned(),
        false => format!("{}, --help", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{Flag, Options};

    const FLAGS: &[Flag] = &[
        Flag {
            name: "-p",
            value: Some("CRATE"),
            help: "",
        },
        Flag {
            name: "--bound",
            value: Some("N"),
            help: "",
        },
        Flag {
            name: "--mutants",
            value: None,
            help: "",
        },
    ];

    fn parse(line: &str) -> anyhow::Result<Options> {
        let args: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        Options::parse(&args, FLAGS)
    }

    #[test]
    fn options_are_read_in_any_order_and_form() {
        let options = parse("-p a --mutants -p b --bound=3").unwrap();
        assert_eq!(options.values("-p"), ["a", "b"]);
        assert!(options.has("--mutants"));
        assert_eq!(options.number("--bound").unwrap(), Some(3));
        assert_eq!(parse("").unwrap().number("--bound").unwrap(), None);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, said) in [
            ("--mutant", "known: -p, --bound, --mutants, --help"),
            ("stray", "`stray` is not an option here"),
            ("-p", "`-p` needs a value: CRATE"),
            ("--mutants=yes", "`--mutants` takes no value"),
        ] {
            let error = parse(line).unwrap_err().to_string();
            assert!(error.contains(said), "{line}: {error}");
        }
        for line in ["--bound 0", "--bound x", "--bound -1"] {
            assert!(parse(line).unwrap().number("--bound").is_err(), "{line}");
        }
    }
}
