//! How numbers and names are written on the page.

/// A space that neither breaks nor tears a number from its unit.
const THIN: char = '\u{202F}';

/// Text that is safe between tags and in quoted attributes. Control characters and those that turn
/// the direction of writing would let a value disguise itself or its surroundings; they become `�`.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(' '),
            '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => safe.push('\u{FFFD}'),
            c if c.is_control() => safe.push('\u{FFFD}'),
            c => safe.push(c),
        }
    }
    safe
}

/// A count with its thousands set apart; past a million million, rounded. The largest stands for
/// more.
pub fn integer(count: impl Into<u128>) -> String {
    let count = count.into();
    if count == u128::MAX {
        return format!("more than {}", scientific(count as f64));
    }
    if count >= 1_000_000_000_000 {
        return scientific(count as f64);
    }
    let digits = count.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with about three digits that mean something.
pub fn decimal(number: f64) -> String {
    let size = number.abs();
    let sign = if number < 0.0 { "−" } else { "" };
    if !number.is_finite() {
        "–".to_owned()
    } else if size >= 1e12 || (size > 0.0 && size < 1e-4) {
        scientific(number)
    } else if size >= 1000.0 || size.fract() == 0.0 {
        format!("{sign}{}", integer(size.round() as u64))
    } else {
        let digits = if size >= 100.0 {
            1
        } else if size >= 1.0 {
            2
        } else {
            4
        };
        let text = format!("{size:.digits$}");
        format!("{sign}{}", text.trim_end_matches('0').trim_end_matches('.'))
    }
}

fn scientific(number: f64) -> String {
    let text = format!("{number:.1e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let raised = exponent.chars().map(|c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        c => c.to_digit(10).and_then(|d| char::from_u32(0x2070 + d)).unwrap_or(c),
    });
    format!("{}{THIN}×{THIN}10{}", mantissa.replace('-', "−"), raised.collect::<String>())
}

/// A share as a percentage that says neither nothing nor everything unless it is so.
pub fn percent(share: f64) -> String {
    let hundred = share * 100.0;
    let text = match hundred {
        h if !h.is_finite() => return "–".to_owned(),
        h if h > 0.0 && h < 0.01 => "under 0.01".to_owned(),
        h if h < 100.0 && h > 99.9 => "over 99.9".to_owned(),
        h if h.fract() == 0.0 || h >= 100.0 => format!("{h:.0}"),
        h if h < 1.0 => format!("{h:.2}"),
        h => format!("{h:.1}"),
    };
    format!("{text}{THIN}%")
}

/// A count with its noun; the plural only adds an s.
pub fn count(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", integer(number), if number == 1 { "" } else { "s" })
}

/// About how wide a text is in a sans-serif face of the given size.
///
/// Pictures cannot ask the browser, so this errs to the wide side.
pub fn width(text: &str, size: f64) -> f64 {
    let ems = text.chars().map(|c| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' | '\u{202F}' => 0.28,
        'f' | 't' | 'r' | ' ' | '(' | ')' | '[' | ']' | '-' | '/' | '*' => 0.37,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.9,
        'A'..='Z' | '≥' | '≤' | '<' | '>' | '…' => 0.72,
        c if (c as u32) >= 0x2E80 => 1.05,
        _ => 0.57,
    });
    ems.sum::<f64>() * size
}

/// The text, cut with an ellipsis where it would be wider than `room`.
pub fn fit(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let room = room - width("…", size);
    let mut used = 0.0;
    let kept = text.chars().take_while(|c| {
        used += width(c.encode_utf8(&mut [0; 4]), size);
        used <= room
    });
    let kept: String = kept.collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(integer(0_u64), "0");
        assert_eq!(integer(999_u64), "999");
        assert_eq!(integer(30_162_u64), "30,162");
        assert_eq!(integer(u128::MAX), "more than 3.4\u{202F}×\u{202F}10³⁸");
        assert_eq!(decimal(0.0), "0");
        assert_eq!(decimal(-2.5), "−2.5");
        assert_eq!(decimal(0.083_33), "0.0833");
        assert_eq!(decimal(123.456), "123.5");
        assert_eq!(decimal(153_022.7), "153,023");
        assert_eq!(decimal(0.000_021), "2.1\u{202F}×\u{202F}10⁻⁵");
        assert_eq!(decimal(f64::NAN), "–");
    }

    #[test]
    fn percentages_claim_neither_nothing_nor_all() {
        let bare = |share| percent(share).replace('\u{202F}', "");
        assert_eq!(bare(0.0), "0%");
        assert_eq!(bare(0.000_01), "under 0.01%");
        assert_eq!(bare(0.004_23), "0.42%");
        assert_eq!(bare(0.25), "25%");
        assert_eq!(bare(0.3333), "33.3%");
        assert_eq!(bare(0.999_96), "over 99.9%");
        assert_eq!(bare(1.0), "100%");
        assert_eq!(bare(f64::INFINITY), "–");
    }

    #[test]
    fn nothing_leaves_its_place() {
        assert_eq!(escape("<a b=\"c\">'&\0\u{202E}"), "&lt;a b=&quot;c&quot;&gt;&#39;&amp;\u{FFFD}\u{FFFD}");
        assert_eq!(fit("short", 10.0, 100.0), "short");
        let cut = fit(&"long ".repeat(40), 10.0, 100.0);
        assert!(cut.ends_with('…') && width(&cut, 10.0) <= 100.0);
    }
}
