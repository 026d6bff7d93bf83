//! HTML that is safe by its type: [`Html`] is made of fixed text of this program and of values that
//! were escaped.
//!
//! `markup!("<td>{}{bar}</td>", name; bar)` is like `format!`, but every value is escaped unless it
//! is [`Html`] itself. Values that the text names in braces stand behind the `;`. A name that does
//! not would reach the page as it is, so it does not compile. Costs one copy of the text.

use std::fmt;

use super::text::escape;

/// A piece of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Html(String);

impl Html {
    /// Markup that is written in this program.
    pub fn fixed(markup: &'static str) -> Html {
        Html(markup.to_owned())
    }

    /// What [`markup!`] makes, and nothing else.
    pub fn assembled(parts: fmt::Arguments<'_>) -> Html {
        Html(fmt::format(parts))
    }

    /// A picture: the pen that drew it escaped every text.
    pub fn escaped_before(markup: String) -> Html {
        Html(markup)
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The markup.
    pub fn into_string(self) -> String {
        self.0
    }
}

impl FromIterator<Html> for Html {
    fn from_iter<T: IntoIterator<Item = Html>>(parts: T) -> Html {
        Html(parts.into_iter().map(Html::into_string).collect())
    }
}

/// What can stand on a page.
pub trait ToHtml {
    /// Writes it, escaped if it is text.
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl ToHtml for Html {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ToHtml for str {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escape(self))
    }
}

impl ToHtml for String {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().write(f)
    }
}

impl<T: ToHtml + ?Sized> ToHtml for &T {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).write(f)
    }
}

macro_rules! numbers {
    ($($number:ty),+) => {
        $(impl ToHtml for $number {
            fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{self}")
            }
        })+
    };
}

numbers!(u8, u32, u64, usize);

/// A value as the page shows it.
pub struct Shown<'a, T: ?Sized>(pub &'a T);

impl<T: ToHtml + ?Sized> fmt::Display for Shown<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f)
    }
}

/// Refuses, when compiling, a template that names a value which is not among those to be escaped.
pub const fn check(template: &str, names: &[&str]) {
    assert!(is_listed(template, names), "list this value behind `;`, so that it is escaped");
}

const fn is_listed(template: &str, names: &[&str]) -> bool {
    let bytes = template.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'{' && at + 1 < bytes.len() {
            if bytes[at + 1] == b'{' {
                at += 1;
            } else if !is_name(bytes, at + 1, names) {
                return false;
            }
        }
        at += 1;
    }
    true
}

/// Whether what is in braces is nothing, or one of the names.
const fn is_name(template: &[u8], from: usize, names: &[&str]) -> bool {
    if template[from] == b'}' {
        return true;
    }
    let mut each = 0;
    while each < names.len() {
        let name = names[each].as_bytes();
        let mut same = 0;
        while same < name.len() && from + same < template.len() && template[from + same] == name[same] {
            same += 1;
        }
        if same == name.len() && from + same < template.len() && template[from + same] == b'}' {
            return true;
        }
        each += 1;
    }
    false
}

/// Like `format!`, with every value escaped that is not [`Html`]; values that the template names
/// stand behind `;`.
#[macro_export]
macro_rules! markup {
    ($template:literal $(, $value:expr)* $(,)? $(; $($name:ident),+ $(,)?)?) => {{
        const _: () = $crate::page::markup::check($template, &[$($(stringify!($name)),+)?]);
        $crate::page::markup::Html::assembled(format_args!(
            $template
            $(, $crate::page::markup::Shown(&$value))*
            $($(, $name = $crate::page::markup::Shown(&$name))+)?
        ))
    }};
}
pub use crate::markup;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_escaped_and_markup_is_not() {
        let (name, bar) = ("<b>&\"'", Html::fixed("<hr>"));
        let owned = name.to_owned();
        let html = markup!("<p title=\"{}\">{bar}{name} {} {}</p>", owned, 7u64, &bar; name, bar);
        assert_eq!(
            html.into_string(),
            "<p title=\"&lt;b&gt;&amp;&quot;&#39;\"><hr>&lt;b&gt;&amp;&quot;&#39; 7 <hr></p>"
        );
        assert_eq!(markup!("{{{}}}", "<").into_string(), "{&lt;}");
    }

    #[test]
    fn names_that_are_not_listed_are_refused() {
        assert!(is_listed("<p>{}</p>{a}{{b}}", &["a"]));
        assert!(!is_listed("<p>{a}{b}</p>", &["a"]));
        assert!(!is_listed("{ab}", &["a"]) && !is_listed("{a}", &["ab"]));
        assert!(!is_listed("{0}", &[]) && !is_listed("{a:?}", &["a"]));
    }
}
