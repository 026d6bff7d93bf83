//! Parsers of the values of arguments.

use std::num::NonZeroUsize;

pub(super) fn at_least_1(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("k must be a whole number of at least 1".into()),
        Ok(k) => Ok(k),
    }
}

/// Parses a number of threads.
pub(super) fn threads(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "expected a whole number of at least 1".into())
}

pub(super) fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "a share from 0 to 1 is expected: 0.05 is 5 %".into())
}

pub(super) fn at_least_100(text: &str) -> Result<usize, String> {
    let rows: usize = text.parse().map_err(|e| format!("{e}"))?;
    if rows < 100 { Err("the demo needs at least 100 patients".into()) } else { Ok(rows) }
}

/// Parses a name and a regular expression, which may have equals signs of its own.
pub(super) fn named_pattern(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, pattern)) if !name.trim().is_empty() && !pattern.is_empty() => {
            Ok((name.trim().to_owned(), pattern.to_owned()))
        }
        _ => Err("expected a name and a regular expression, such as study=ST-[0-9]{4}".into()),
    }
}

/// Parses a decimal sign.
pub(super) fn decimal_sign(text: &str) -> Result<char, String> {
    match text {
        "." => Ok('.'),
        "," => Ok(','),
        _ => Err("\".\" or \",\" is expected".into()),
    }
}

/// Parses a number of seconds above 0.
pub(super) fn positive_seconds(text: &str) -> Result<f64, String> {
    match seconds(text) {
        Ok(seconds) if seconds > 0.0 => Ok(seconds),
        _ => Err("a number of seconds above 0, such as 30 or 0.5, is expected".into()),
    }
}

/// Parses a number of bytes, with a unit of 1,024 or its powers.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => Some(0),
        "K" | "KB" | "KIB" => Some(10),
        "M" | "MB" | "MIB" => Some(20),
        "G" | "GB" | "GIB" => Some(30),
        "T" | "TB" | "TIB" => Some(40),
        _ => None,
    };
    let number = digits.parse::<f64>().ok().filter(|number| (0.0..1e15).contains(number));
    match (number, unit) {
        (Some(number), Some(unit)) => Ok((number * f64::from(unit).exp2()) as u64),
        _ => Err("expected a size, such as 500M or 2G".into()),
    }
}

/// Parses a time limit in seconds.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=1e9).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number of seconds, such as 30 or 0.5".into()),
    }
}
