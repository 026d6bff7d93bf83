//! The frame of a page: head, style sheet, sections, tables and tiles.

use super::markup::{Html, ToHtml, markup};

const STYLE: &str = concat!(include_str!("colours.css"), include_str!("style.css"), include_str!("plot.css"));

/// The page forbids itself what it does not need: scripts, pictures from elsewhere, any connection.
const HEAD: &str = r#"<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
"#;

/// A page: what it is, its heading, its name in the browser, and what is on it.
pub fn page(kind: &str, heading: &str, title: &str, body: Html, footer: Html) -> String {
    let (head, style) = (Html::fixed(HEAD), Html::fixed(STYLE));
    let page = markup!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n{head}<title>{title}</title>\n<style>\n{style}</style>\n\
         </head>\n<body>\n<header>\n<p class=\"eyebrow\">Throng · {kind}</p>\n<h1>{heading}</h1>\n</header>\n\
         <main>\n{body}</main>\n<footer><p>{footer}</p></footer>\n</body>\n</html>\n";
        head, style, kind, heading, title, body, footer
    );
    page.into_string()
}

/// A numbered section.
pub fn section(number: u8, id: &str, title: &str, lead: Html, body: Html) -> Html {
    markup!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<div class=\"head\"><h2 id=\"{id}-title\">\
         <span class=\"no\">{number}</span> {title}</h2>\n<p class=\"lead\">{lead}</p></div>\n{body}\n</section>\n";
        number, id, title, lead, body
    )
}

/// One figure to remember.
pub fn tile(class: &str, name: &str, value: impl ToHtml, note: impl ToHtml) -> Html {
    markup!(
        "<div class=\"tile {class}\"><dt>{name}</dt><dd>{value}<small>{note}</small></dd></div>\n";
        class, name, value, note
    )
}

/// A table in a box of its own, so that a wide one moves inside it and not the page.
pub fn table(class: &str, caption: &str, head: Html, rows: Html) -> Html {
    markup!(
        "<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\"><table class=\"{class}\">\
         <caption>{caption}</caption>\n<thead>{head}</thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n";
        class, caption, head, rows
    )
}
