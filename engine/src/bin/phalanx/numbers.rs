//! Numbers as people read them.

use std::time::Duration;

/// `1,169,024`
pub(crate) fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 gate`, `3 gates`
pub(crate) fn count(n: u64, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(n))
}

/// `58.1 MB`, in powers of 1,000.
pub(crate) fn bytes(n: u64) -> String {
    scaled(n as f64, "B")
}

/// `3.1 M`: three digits and the prefix.
pub(crate) fn scaled(value: f64, unit: &str) -> String {
    let prefixes = ["", "k", "M", "G", "T", "P"];
    let mut rest = value;
    let mut at = 0;
    // 999.5 would be shown as 1000.
    while rest >= 999.5 && at + 1 < prefixes.len() {
        rest /= 1000.0;
        at += 1;
    }
    let digits = match rest {
        _ if at == 0 => 0,
        rest if rest < 9.995 => 2,
        rest if rest < 99.95 => 1,
        _ => 0,
    };
    format!("{rest:.digits$} {}{unit}", prefixes[at])
        .trim_end()
        .to_owned()
}

/// `12 s`, `3 min 20 s`, `2 h 05 min`
pub(crate) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64().round() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, min, s) => format!("{min} min {s:02} s"),
        (h @ 1..100, min, _) => format!("{h} h {min:02} min"),
        (h, _, _) => format!("{} days", h / 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_from_the_right() {
        let shown = [0, 999, 1_000, 12_345, 1_169_024, u64::MAX].map(thousands);
        assert_eq!(
            shown,
            [
                "0",
                "999",
                "1,000",
                "12,345",
                "1,169,024",
                "18,446,744,073,709,551,615"
            ]
        );
        assert_eq!(count(1, "gate"), "1 gate");
        assert_eq!(count(1_000, "gate"), "1,000 gates");
    }

    #[test]
    fn sizes_have_three_digits_and_a_prefix() {
        let shown = [
            0,
            999,
            1_000,
            9_994,
            9_996,
            58_100_000,
            999_600,
            123_456_789,
        ]
        .map(bytes);
        assert_eq!(
            shown,
            [
                "0 B", "999 B", "1.00 kB", "9.99 kB", "10.0 kB", "58.1 MB", "1.00 MB", "123 MB"
            ]
        );
        assert_eq!(scaled(3_100_000.0, ""), "3.10 M");
        assert_eq!(scaled(7.0, ""), "7");
    }

    #[test]
    fn durations_are_rough() {
        let shown = [0.4, 12.0, 59.6, 200.0, 7_500.0, 1e6]
            .map(Duration::from_secs_f64)
            .map(duration);
        assert_eq!(
            shown,
            [
                "0 s",
                "12 s",
                "1 min 00 s",
                "3 min 20 s",
                "2 h 05 min",
                "11 days"
            ]
        );
    }
}
