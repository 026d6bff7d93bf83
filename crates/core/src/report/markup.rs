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
pub(super) struct Html(String);

impl Html {
    /// Markup that is written in this program.
    pub(super) fn fixed(markup: &'static str) -> Html {
        Html(markup.to_owned())
    }

    /// What [`markup!`] makes, and nothing else.
    pub(super) fn assembled(parts: fmt::Arguments<'_>) -> Html {
        Html(fmt::format(parts))
    }

    /// A picture: the pen that drew it escaped every text.
    pub(super) fn escaped_before(markup: String) -> Html {
        Html(markup)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }
}

impl FromIterator<Html> for Html {
    fn from_iter<T: IntoIterator<Item = Html>>(parts: T) -> Html {
        Html(parts.into_iter().map(Html::into_string).collect())
    }
}

/// What can stand on a page.
pub(super) trait ToHtml {
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
pub(super) struct Shown<'a, T: ?Sized>(pub(super) &'a T);

impl<T: ToHtml + ?Sized> fmt::Display for Shown<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f)
    }
}

/// Refuses, when compiling, a template that names a value which is not among those to be escaped.
pub(super) const fn check(template: &str, names: &[&str]) {
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
macro_rules! markup {
    ($template:literal $(, $value:expr)* $(,)? $(; $($name:ident),+ $(,)?)?) => {{
        const _: () = $crate::report::markup::check($template, &[$($(stringify!($name)),+)?]);
        $crate::report::markup::Html::assembled(format_args!(
            $template
            $(, $crate::report::markup::Shown(&$value))*
            $($(, $name = $crate::report::markup::Shown(&$name))+)?
        ))
    }};
}
pub(super) use markup;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::release::{RegionFacts, StepFacts};
    use crate::report::sample::sample;
    use crate::report::tests::check_page;
    use crate::report::{Facts, html};

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

    /// Text that must never reach a page unescaped.
    const EVIL: &str = "<script>&\"'";
    const SAFE: &str = "&lt;script&gt;&amp;&quot;&#39;";

    /// A release with hostile text in a column name, its labels, every path and the warnings. Each
    /// text begins with a word of its own.
    fn hostile() -> Facts {
        let mut facts = sample();
        let evil = |word: &str| format!("{word}{EVIL}");
        let column = &mut facts.columns[1];
        (column.name, column.empty) = (evil("column"), true);
        column.before.iter_mut().chain(&mut column.after).for_each(|bar| bar.label = evil("label"));
        column.ladder.iter_mut().for_each(|step| step.example = evil("rung"));
        facts.lattice.chosen[0].column = evil("column");
        facts.release.input.path = evil("input");
        facts.release.output.path = evil("output");
        facts.policy.path = evil("policy");
        facts.policy.certificate = Some(evil("certificate"));
        facts.warnings = vec![evil("warning")];
        facts.exposures = vec![evil("exposure")];
        facts
    }

    /// Checks that the page has these phrases with the hostile text escaped once, and has that text
    /// nowhere unescaped.
    fn escaped(facts: &Facts, phrases: &[&str]) {
        let page = html(facts);
        check_page(&page);
        for phrase in phrases {
            assert!(page.contains(&phrase.replace(EVIL, SAFE)), "the page lacks {phrase}");
        }
        for raw in ["<script", "script>", "&\"", "\"'", "&amp;lt;", "&amp;amp;", "&amp;quot;"] {
            assert!(!page.contains(raw), "the page has {raw}");
        }
    }

    #[test]
    fn names_labels_paths_and_warnings_are_escaped_once_on_the_page() {
        let facts = hostile();
        escaped(
            &facts,
            &[
                "<li class=\"exposed\">exposure<script>&\"'</li><li class=\"\">warning<script>&\"'</li>",
                "The columns: column<script>&\"', sex",
                " column<script>&\"' holds nothing but *.",
                "<th scope=\"row\">column<script>&\"'</th>",
                "<h3>column<script>&\"'</h3>",
                "<title>label<script>&\"':",
                ">rung<script>&\"'</span>",
                "<code>input<script>&\"'</code>",
                "<code>output<script>&\"'</code>",
                "<code>policy<script>&\"'</code>",
                "--certificate &#39;certificate<script>&\"'",
            ],
        );
        let mut several = facts.clone();
        several.columns[2].empty = true;
        escaped(&several, &["These hold nothing but *: column<script>&\"', sex."]);
    }

    #[test]
    fn the_verdict_is_escaped_once() {
        let mut facts = hostile();
        facts.columns.truncate(2);
        escaped(&facts, &["every released value of column<script>&\"' is shared by at least 5 rows"]);
        let mut claim = facts.release.privacy["k-anonymity"].clone();
        (claim.achieved, claim.holds) = (Some(1.0), false);
        facts.release.privacy.insert("k-anonymity".to_owned(), claim.clone());
        escaped(&facts, &["some value of column<script>&\"' occurs only 1 time"]);
        facts.release.privacy = BTreeMap::from([(format!("claim{EVIL}"), claim.clone())]);
        escaped(
            &facts,
            &["</strong> claim<script>&\"' does not hold</p>", "<th scope=\"row\">claim<script>&\"'</th>"],
        );
        claim.holds = true;
        facts.release.privacy = BTreeMap::from([(format!("claim{EVIL}"), claim)]);
        escaped(&facts, &["<strong>Guarantee holds:</strong> claim<script>&\"'</p>"]);
        facts.policy.suppression_limit = format!("share{EVIL}");
        escaped(&facts, &["<small>limit share<script>&\"'</small>"]);
    }

    #[test]
    fn steps_and_regions_are_escaped_once() {
        let mut facts = hostile();
        facts.policy.local = true;
        facts.release.levels = BTreeMap::from([(format!("column{EVIL}"), 0)]);
        let step = StepFacts { levels: facts.release.levels.clone(), rows: 995, starred: 0 };
        facts.release.steps = vec![step.clone(), step];
        escaped(&facts, &["The steps", "<th scope=\"col\" class=\"n\">column<script>&\"'</th></tr>"]);
        facts.release.search.algorithm = format!("search{EVIL}");
        facts.release.regions = Some(RegionFacts { count: 1_000, forms: BTreeMap::new(), parted: true });
        escaped(&facts, &["The regions", "by \"search<script>&\"'\",", "search<script>&\"', 0.042 s"]);
    }
}
