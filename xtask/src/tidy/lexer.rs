//! Tells code from comments and from the insides of strings, line by line.
//!
//! No parser: just enough of Rust's lexis that a check for `unsafe` is not
//! misled by a word in a comment, a message or a test's fixture.

/// A line of source, taken apart.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct Line {
    /// The code; what is inside strings and characters is left out, their quotes are kept.
    pub(super) code: String,
    /// The text of comments, with their marks.
    pub(super) comment: String,
}

impl Line {
    /// Whether `word` stands in the code, not as a part of a longer name.
    pub(super) fn has_word(&self, word: &str) -> bool {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        self.code.match_indices(word).any(|(at, _)| {
            let before = self.code[..at].chars().next_back();
            let after = self.code[at + word.len()..].chars().next();
            !before.is_some_and(is_name) && !after.is_some_and(is_name)
        })
    }
}

#[derive(Clone, Copy)]
enum State {
    Code,
    LineComment,
    /// How deep it is nested.
    BlockComment(usize),
    String,
    /// How many `#` close it.
    RawString(usize),
}

/// Takes `text` apart, one entry for each of its lines.
pub(super) fn lines(text: &str) -> Vec<Line> {
    let chars: Vec<char> = text.chars().collect();
    let mut lines = Vec::new();
    let mut line = Line::default();
    let mut state = State::Code;
    let mut at = 0;
    while at < chars.len() {
        let rest = &chars[at..];
        if rest[0] == '\n' {
            if matches!(state, State::LineComment) {
                state = State::Code;
            }
            lines.push(std::mem::take(&mut line));
            at += 1;
            continue;
        }
        let (width, next) = match state {
            State::Code => code(rest, at.checked_sub(1).map(|before| chars[before])),
            State::LineComment => (1, State::LineComment),
            State::BlockComment(depth) => match rest {
                ['*', '/', ..] if depth == 1 => (2, State::Code),
                ['*', '/', ..] => (2, State::BlockComment(depth - 1)),
                ['/', '*', ..] => (2, State::BlockComment(depth + 1)),
                _ => (1, state),
            },
            State::String => match rest {
                ['\\', '\n', ..] => (1, state),
                ['\\', _, ..] => (2, state),
                ['"', ..] => (1, State::Code),
                _ => (1, state),
            },
            State::RawString(hashes) => match rest[0] == '"' && closes(&rest[1..], hashes) {
                true => (1 + hashes, State::Code),
                false => (1, state),
            },
        };
        let taken: String = rest[..width].iter().collect();
        match (&next, &state) {
            (State::LineComment | State::BlockComment(_), _) | (_, State::BlockComment(_)) => {
                line.comment += &taken;
            }
            (State::Code, State::Code) if taken.starts_with('\'') && width > 1 => line.code += "''",
            (State::String | State::RawString(_), State::String | State::RawString(_)) => (),
            _ => line.code += &taken,
        }
        state = next;
        at += width;
    }
    lines.push(line);
    lines
}

/// What begins here, in code: how wide it is and what comes after it.
fn code(rest: &[char], before: Option<char>) -> (usize, State) {
    let in_name = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    match rest {
        ['/', '/', ..] => (2, State::LineComment),
        ['/', '*', ..] => (2, State::BlockComment(1)),
        ['"', ..] => (1, State::String),
        ['r', ..] if !in_name => raw(rest, 1),
        ['b' | 'c', 'r', ..] if !in_name => raw(rest, 2),
        ['\'', '\\', _, tail @ ..] => {
            let end = tail
                .iter()
                .take_while(|c| **c != '\n')
                .position(|c| *c == '\'');
            (end.map_or(1, |end| end + 4), State::Code)
        }
        ['\'', _, '\'', ..] => (3, State::Code),
        _ => (1, State::Code),
    }
}

/// A raw string whose `#`s begin at `from`, or else one character of a name.
fn raw(rest: &[char], from: usize) -> (usize, State) {
    let hashes = rest[from..].iter().take_while(|c| **c == '#').count();
    match rest.get(from + hashes) {
        Some('"') => (from + hashes + 1, State::RawString(hashes)),
        _ => (1, State::Code),
    }
}

fn closes(rest: &[char], hashes: usize) -> bool {
    rest.len() >= hashes && rest[..hashes].iter().all(|c| *c == '#')
}

#[cfg(test)]
mod tests {
    use super::{Line, lines};

    fn codes(text: &str) -> Vec<String> {
        lines(text).into_iter().map(|line| line.code).collect()
    }

    #[test]
    fn comments_are_told_from_code() {
        let told = lines("a // b\n/* c\n/* d */ e */ f\n//! g");
        let told: Vec<_> = told
            .iter()
            .map(|l| (l.code.as_str(), l.comment.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                ("a ", "// b"),
                ("", "/* c"),
                (" f", "/* d */ e */"),
                ("", "//! g")
            ]
        );
    }

    #[test]
    fn the_insides_of_strings_are_left_out() {
        assert_eq!(codes(r#"x("a // b \" c", d) // e"#), [r#"x("", d) "#]);
        assert_eq!(codes("r#\"a \" b\"# c"), ["r#\"\"# c"]);
        assert_eq!(codes("\"a\nb\" c"), ["\"", "\" c"]);
        assert_eq!(codes("br\"\\\" c"), ["br\"\" c"]);
        assert_eq!(codes("\"a \\\n b\" c"), ["\"", "\" c"]);
    }

    #[test]
    fn characters_are_told_from_lifetimes() {
        assert_eq!(codes("'\"' x '\\'' y '\\u{22}' z"), ["'' x '' y '' z"]);
        assert_eq!(
            codes("fn f<'a>(x: &'a str) {}"),
            ["fn f<'a>(x: &'a str) {}"]
        );
        assert_eq!(codes("for r in bar {}"), ["for r in bar {}"]);
    }

    #[test]
    fn words_are_whole() {
        let line = Line {
            code: "unsafe_code; un_unsafe".to_owned(),
            comment: String::new(),
        };
        assert!(!line.has_word("unsafe"));
        let line = Line {
            code: "x = unsafe { y }".to_owned(),
            comment: String::new(),
        };
        assert!(line.has_word("unsafe"));
    }

    #[test]
    fn there_is_one_entry_for_each_line() {
        for text in [
            "", "a", "a\n", "\n\n", "\"", "/*\n", "'", "r#", "'\\", "'\\n", "'\\n\n'",
        ] {
            assert_eq!(lines(text).len(), text.split('\n').count(), "{text:?}");
        }
    }
}
