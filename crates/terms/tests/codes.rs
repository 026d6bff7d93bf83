//! Error codes: every fault in the sources has one, codes follow the convention, and
//! `docs/errors.md` lists them.
//!
//! The sources of all crates are read as tokens, without comments and test modules.
//! `THRONG_BLESS=1 cargo test -p throng-terms --test codes` writes the page.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Codes without an area, and what they mean.
const WITHOUT_AREA: [(&str, &str); 2] = [
    ("internal", "A mistake in Throng itself. The message differs from place to place."),
    ("cancelled", "The user or another program asked to stop."),
];

/// What the codes of an area are about.
const AREAS: &[(&str, &str)] = &[
    ("algorithm", "Search and recoding."),
    ("arguments", "Arguments of the program."),
    ("argus", "Decisions by hand, `throng argus`."),
    ("attack", "Attacks on releases, `throng attack`."),
    ("augment", "One field per level, `throng augment`."),
    ("bundle", "Policies that are bundled with their files."),
    ("certificate", "Certificates."),
    ("command", "Models that are commands, `search.model.command`."),
    ("evaluate", "What models learn from releases, `throng evaluate`."),
    ("experiment", "Experiments, `throng compare`."),
    ("explore", "The lattice, `throng explore`."),
    ("expression", "Expressions that rank nodes and columns: `search.prefer` and `search.choose`."),
    ("file", "Files that cannot be read or written."),
    ("hierarchy", "Hierarchies: their files, the keys that build them, and values that they do not contain."),
    ("inspect", "Proposals for a table, `throng inspect`."),
    ("key", "Keys that sign certificates, `throng key`."),
    ("ledger", "The record of earlier releases, `[ledger]` and `throng ledger`."),
    ("loss", "The loss that a search minimizes, `search.loss`."),
    ("measure", "Releases of other tools, `throng measure`."),
    ("model", "Privacy models, `privacy.models`."),
    ("network", "Bayesian networks."),
    ("people", "Several rows per person, `role = \"subject\"`."),
    ("policy", "Policies: their syntax, their keys, and keys that contradict each other or the table."),
    ("population", "The population that models compare with."),
    ("poset", "Posets: their files, the keys that build them, and values that they do not contain."),
    ("predicate", "Conditions on rows: `input.where`, and the steps of `input.prepare`."),
    ("predict", "Predictive models."),
    ("prepare", "Preparation of a table: `input.pairs`, `input.join` and `input.prepare`."),
    ("pseudonym", "Replacements of identifiers, and their keys."),
    ("registry", "Names of losses, algorithms, models, hierarchies, posets, forms and transforms."),
    ("release", "What a release writes, and where."),
    ("risk", "Re-identification risk, `throng risk`."),
    ("sampling", "Differential privacy by sampling."),
    ("screen", "Columns ranked by information, `throng screen`."),
    ("scrub", "Documents, `throng scrub`."),
    ("search", "Searches that find no safe release, or not in time."),
    ("statistics", "Statistics of a release, `throng stats`."),
    ("suggest", "Other settings for a policy, `throng suggest` and `throng compare POLICY`."),
    ("synth", "Made-up tables, `throng synth`."),
    ("system", "The operating system."),
    ("table", "Tables: their files, their layout, and cells that do not fit."),
    ("template", "Templates: their files, and rules that a policy does not satisfy."),
    ("text", "Settings for free text."),
    ("utility", "Statistics that a release must bound narrowly, `privacy.utility`."),
    ("verify", "Verification of a release."),
];

const INTRODUCTION: &str = "\
<!-- Generated from the sources: THRONG_BLESS=1 cargo test -p throng-terms --test codes -->

# Errors

Every error has a code, such as `policy.no-such-column`: the area and the problem. The message explains the problem to
people, and its wording may change. The code keeps its meaning in later versions. Search for the code on this page, or
match on it in a program.

`--json` prints errors as JSON. Each error has `code`, `kind` and `message`. Where they are known, it also has `help`
(the remedy), `file`, `line`, `key` (of the policy), `column`, and `arguments`: the values in the message by the names
that this page shows in braces. In the library, `Error::faults` lists the errors with `code` and `arguments`, and
`Error::has_code` looks for a code.

| Kind | Meaning |
|---|---|
| input | What the user wrote is wrong: a policy, an argument, a hierarchy. |
| data | The data do not fit what the user wrote. |
| unsolvable | The run was right, but there is no release within the limits. |
| system | A file, a disk or another program failed. |
| cancelled | The user or another program asked to stop. |
| bug | A mistake in Throng itself. |
";

/// A part of a Rust source.
#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    /// The value of a string literal.
    Text(String),
    Mark(char),
}

/// The tokens of a source, without comments.
fn tokens(source: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if rest.starts_with("/*") {
            rest = &rest[rest.find("*/").unwrap() + 2..];
        } else if c == '"' {
            let (text, after) = text(&rest[1..]);
            tokens.push(Token::Text(text));
            rest = after;
        } else if let Some(hashes) = raw(rest) {
            let end = format!("\"{}", "#".repeat(hashes));
            let inner = &rest[hashes + 2..];
            let at = inner.find(&end).unwrap();
            tokens.push(Token::Text(inner[..at].to_owned()));
            rest = &inner[at + end.len()..];
        } else if c == '\'' {
            rest = &rest[quoted(rest)..];
        } else if c.is_alphanumeric() || c == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            tokens.push(Token::Word(rest[..end].to_owned()));
            rest = &rest[end..];
        } else {
            if !c.is_whitespace() {
                tokens.push(Token::Mark(c));
            }
            rest = &rest[c.len_utf8()..];
        }
    }
    tokens
}

/// The value of a string literal after its opening quote, and what follows the literal.
fn text(source: &str) -> (String, &str) {
    let mut text = String::new();
    let mut chars = source.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => break,
            '\\' => match chars.next().unwrap() {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                '\n' => chars = chars.as_str().trim_start().chars(),
                other => text.push(other),
            },
            c => text.push(c),
        }
    }
    (text, chars.as_str())
}

/// The number of `#` of a raw string literal that starts here.
fn raw(source: &str) -> Option<usize> {
    let rest = source.strip_prefix('r')?;
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    rest[hashes..].starts_with('"').then_some(hashes)
}

/// The length of a character literal, or of the mark of a lifetime.
fn quoted(source: &str) -> usize {
    let mut chars = source.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => 3 + source[3..].find('\'').unwrap(),
        Some((at, c)) if source[at + c.len_utf8()..].starts_with('\'') => at + c.len_utf8() + 1,
        _ => 1,
    }
}

/// A fault as the sources make it.
#[derive(Debug, Clone)]
struct Site {
    code: String,
    /// None where a variable has it.
    kind: Option<String>,
    /// None where the message is not a literal.
    template: Option<String>,
    /// The names of the arguments; None for `Fault::coded`.
    arguments: Option<BTreeSet<String>>,
}

/// The tokens up to the parenthesis that closes the one before them, each with its depth.
fn enclosed(tokens: &[Token]) -> Vec<(usize, &Token)> {
    let mut depth = 0;
    let mut found = Vec::new();
    for token in tokens {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') if depth == 0 => break,
            Token::Mark(')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        found.push((depth, token));
    }
    found
}

/// `fault!(Kind, "code", "template", name = value)`, from the tokens after its parenthesis.
fn of_macro(tokens: &[Token]) -> Option<Site> {
    use Token::{Mark, Text, Word};
    let [Word(kind), Mark(','), Text(code), Mark(','), Text(template), rest @ ..] = tokens else {
        return None;
    };
    let names = enclosed(rest);
    let names = names.windows(3).filter_map(|three| match three {
        [(0, Mark(',')), (0, Word(name)), (0, Mark('='))] => Some(name.clone()),
        _ => None,
    });
    let (code, template) = (code.clone(), Some(template.clone()));
    Some(Site { code, kind: Some(kind.to_lowercase()), template, arguments: Some(names.collect()) })
}

/// `Fault::coded(kind, "code", message)`, from the tokens after its parenthesis.
fn of_function(tokens: &[Token]) -> Option<Site> {
    let parts = enclosed(tokens);
    let comma = parts.iter().position(|part| *part == (0, &Token::Mark(',')))?;
    let Token::Text(code) = parts.get(comma + 1)?.1 else { return None };
    let kind = match &tokens[..comma] {
        [.., path, Token::Mark(':'), Token::Mark(':'), Token::Word(kind)] if is_word(path, "Kind") => {
            Some(kind.to_lowercase())
        }
        _ => None,
    };
    let template = parts[comma + 2..].iter().find_map(|(_, token)| match token {
        Token::Text(text) => Some(text.clone()),
        _ => None,
    });
    Some(Site { code: code.clone(), kind, template, arguments: None })
}

fn is_word(token: &Token, word: &str) -> bool {
    matches!(token, Token::Word(found) if found == word)
}

/// The name of a function of `Fault` that is called here, with the tokens after its parenthesis.
fn called(tokens: &[Token]) -> Option<(&str, &[Token])> {
    use Token::{Mark, Word};
    match tokens {
        [fault, Mark(':'), Mark(':'), Word(name), Mark('('), rest @ ..] if is_word(fault, "Fault") => {
            Some((name, rest))
        }
        _ => None,
    }
}

/// All faults of a source that have a code.
fn sites(tokens: &[Token]) -> Vec<Site> {
    let mut sites = Vec::new();
    for at in 0..tokens.len() {
        let site = match &tokens[at..] {
            [name, Token::Mark('!'), Token::Mark('('), rest @ ..] if is_word(name, "fault") => of_macro(rest),
            here => match called(here) {
                // The definition of `fault!`.
                Some(("coded", [Token::Mark('$'), ..])) => continue,
                Some(("coded", rest)) => of_function(rest),
                _ => continue,
            },
        };
        sites.push(site.unwrap_or_else(|| {
            let end = tokens.len().min(at + 12);
            panic!("this fault has no literal code or text: {:?}", &tokens[at..end])
        }));
    }
    sites
}

/// The sources of a folder, without tests.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name == "tests" || name == "tests.rs" {
            continue;
        } else if path.is_dir() {
            sources(&path, found);
        } else if name.ends_with(".rs") {
            found.push(path);
        }
    }
    found.sort();
}

/// Crate, file and tokens of all sources.
fn all() -> Vec<(String, PathBuf, Vec<Token>)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(crates).unwrap() {
        let entry = entry.unwrap();
        let folder = entry.path().join("src");
        if !folder.is_dir() {
            continue;
        }
        let mut files = Vec::new();
        sources(&folder, &mut files);
        for file in files {
            let source = std::fs::read_to_string(&file).unwrap();
            // The tests of a file are its end.
            let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap();
            all.push((entry.file_name().into_string().unwrap(), file, tokens(source)));
        }
    }
    all.sort_by(|a, b| a.1.cmp(&b.1));
    assert!(all.len() > 100, "the sources were not found");
    all
}

/// The sites of every code that occurs.
fn codes() -> BTreeMap<String, Vec<Site>> {
    let mut codes: BTreeMap<String, Vec<Site>> = BTreeMap::new();
    for site in all().iter().flat_map(|(_, _, tokens)| sites(tokens)) {
        codes.entry(site.code.clone()).or_default().push(site);
    }
    codes
}

/// Whether a code has an area and a problem of one to five words.
fn conventional(code: &str) -> bool {
    let words = |text: &str| -> Option<usize> {
        let letters = |word: &str| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        };
        text.split('-').all(letters).then(|| text.split('-').count())
    };
    let Some((area, problem)) = code.split_once('.') else {
        return WITHOUT_AREA.iter().any(|(known, _)| *known == code);
    };
    words(area) == Some(1) && words(problem).is_some_and(|count| (1..=5).contains(&count))
}

/// The names between braces of a template.
fn placeholders(template: &str) -> BTreeSet<String> {
    let plain = template.replace("{{", "").replace("}}", "");
    plain.split('{').skip(1).map(|part| part.split(['}', ':']).next().unwrap().to_owned()).collect()
}

#[test]
fn codes_follow_the_convention() {
    let mut wrong = Vec::new();
    for (code, sites) in codes() {
        assert!(conventional(&code), "`{code}` is not area.problem in 1 to 5 lower-case words");
        let kinds: BTreeSet<&String> = sites.iter().filter_map(|site| site.kind.as_ref()).collect();
        assert!(kinds.len() <= 1, "`{code}` is of several kinds: {kinds:?}");
        for site in &sites {
            if let (Some(template), Some(arguments)) = (&site.template, &site.arguments) {
                let unnamed: Vec<String> = placeholders(template).difference(arguments).cloned().collect();
                if !unnamed.is_empty() {
                    wrong.push(format!("`{code}`: {unnamed:?} of the message are not arguments"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A template as a cell of a Markdown table.
fn cell(template: &str) -> String {
    let mut plain = template.replace('|', "\\|").replace('\n', " ");
    for name in placeholders(template) {
        // Without the format: `{share:.2}` is shown as `{share}`.
        while let Some(at) = plain.find(&format!("{{{name}:")) {
            let end = at + plain[at..].find('}').unwrap();
            plain.replace_range(at..=end, &format!("{{{name}}}"));
        }
    }
    let plain = plain.replace("{{", "{").replace("}}", "}");
    let spans = plain.split('`').enumerate().map(|(at, part)| match at % 2 {
        0 => part.replace('<', "\\<").replace('*', "\\*"),
        _ => part.to_owned(),
    });
    spans.collect::<Vec<_>>().join("`")
}

fn page(codes: &BTreeMap<String, Vec<Site>>) -> String {
    let mut page = INTRODUCTION.to_owned();
    page += "\n## Everywhere\n\n| Code | Kind | Meaning |\n|---|---|---|\n";
    for (code, meaning) in WITHOUT_AREA {
        let kind = codes[code].iter().find_map(|site| site.kind.clone()).unwrap();
        writeln!(page, "| `{code}` | {kind} | {meaning} |").unwrap();
    }
    let mut last = "";
    for (code, sites) in codes {
        let Some((area, _)) = code.split_once('.') else { continue };
        if area != last {
            write!(page, "\n## {area}\n\n").unwrap();
            if let Some((_, about)) = AREAS.iter().find(|(known, _)| *known == area) {
                write!(page, "{about}\n\n").unwrap();
            }
            page += "| Code | Kind | Message |\n|---|---|---|\n";
            last = area;
        }
        let kind = sites.iter().find_map(|site| site.kind.clone()).unwrap_or_else(|| "several".into());
        let templates: BTreeSet<String> =
            sites.iter().filter_map(|site| site.template.as_deref()).map(cell).collect();
        let templates = templates.into_iter().collect::<Vec<_>>().join("<br>");
        writeln!(page, "| `{code}` | {kind} | {templates} |").unwrap();
    }
    page
}

#[test]
fn every_area_is_described() {
    let areas: BTreeSet<String> =
        codes().keys().filter_map(|code| code.split_once('.')).map(|(area, _)| area.to_owned()).collect();
    let missing: Vec<&String> =
        areas.iter().filter(|area| !AREAS.iter().any(|(known, _)| known == *area)).collect();
    assert!(missing.is_empty(), "describe {missing:?} in AREAS");
}

#[test]
fn page_of_errors_lists_all_codes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md");
    let page = page(&codes());
    if std::env::var_os("THRONG_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "docs/errors.md is not what the sources say: THRONG_BLESS=1 cargo test -p throng-terms --test codes writes it anew"
    );
}

#[test]
fn sources_are_read_as_tokens() {
    let source = r##"
        // fault!(Input, "a.comment", "x")
        fn f<'a>(c: char) -> &'a str {
            if c == '"' || c == '\'' || c == '(' { return r#"fault!(Input, "a.raw", "x")"#; }
            fault!(Data, "a.macro", "the \"{first}\" \
                of {second:.2}", first = g(x, y = 2), second = "1, z = 3").help("no");
            Fault::coded(Kind::System, "a.function", format!("{c} is wrong")).argument("c", c);
            Fault::coded(kind, "a.variable", message);
            Fault::input("uncoded");
        }
    "##;
    let tokens = tokens(source);
    let sites = sites(&tokens);
    let shown: Vec<(&str, Option<&str>, Option<&str>)> = sites
        .iter()
        .map(|site| (site.code.as_str(), site.kind.as_deref(), site.template.as_deref()))
        .collect();
    assert_eq!(
        shown,
        [
            ("a.macro", Some("data"), Some("the \"{first}\" of {second:.2}")),
            ("a.function", Some("system"), Some("{c} is wrong")),
            ("a.variable", None, None),
        ]
    );
    let names: Vec<&String> = sites[0].arguments.as_ref().unwrap().iter().collect();
    assert_eq!(names, ["first", "second"]);
    let functions = (0..tokens.len()).filter_map(|at| called(&tokens[at..])).map(|(name, _)| name);
    assert_eq!(functions.collect::<Vec<_>>(), ["coded", "coded", "input"]);
}

#[test]
fn convention_is_checked() {
    for code in ["poset.cycle", "certificate.broken-seal", "policy.file-not-utf8", "internal"] {
        assert!(conventional(code), "{code}");
    }
    for code in
        ["uncoded", "policy", "Policy.x", "policy.no_such", "policy.", "a.b.c", "a.b-c-d-e-f-g", "a.b--c"]
    {
        assert!(!conventional(code), "{code}");
    }
    assert_eq!(placeholders("{a} {{b}} {c:.4}").into_iter().collect::<Vec<_>>(), ["a", "c"]);
    assert_eq!(cell("{a} | {{b}} {c:.4} `<{c:?}>` <*>"), "{a} \\| {b} {c} `<{c}>` \\<\\*>");
}
