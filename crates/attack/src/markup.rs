//! Pages: escaping, and the head that all of them share.

/// A text that is safe on a page.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            '\'' => safe += "&#39;",
            c if c.is_control() && c != '\n' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// The beginning of a page.
pub(crate) fn head(title: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title><style>\
         body{{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}}\
         table{{border-collapse:collapse}}td,th{{border:1px solid #bbb;padding:.2em .6em;text-align:left}}\
         </style></head><body><h1>{title}</h1>"
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn markup_in_cells_is_harmless() {
        assert_eq!(super::escaped("<b onload='x'>&\u{7}"), "&lt;b onload=&#39;x&#39;&gt;&amp;\u{fffd}");
    }
}
