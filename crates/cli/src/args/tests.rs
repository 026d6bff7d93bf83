//! Every command explains itself.

#[path = "../../../terms/tests/plain/mod.rs"]
mod plain;

use clap::CommandFactory;

use super::{Args, help};

/// All commands with what is typed for each, subcommands of subcommands too.
fn commands(command: &clap::Command, typed: &str, all: &mut Vec<(String, clap::Command)>) {
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        let typed = format!("{typed} {}", sub.get_name());
        commands(sub, &typed, all);
        all.push((typed, sub.clone()));
    }
}

fn all() -> Vec<(String, clap::Command)> {
    let (mut all, root) = (Vec::new(), Args::command());
    root.clone().debug_assert();
    commands(&root, "throng", &mut all);
    all
}

#[test]
fn every_command_has_an_example_of_itself() {
    let all = all();
    assert!(all.len() > 15, "{}", all.len());
    for (typed, mut command) in all {
        let help = command.render_long_help().to_string();
        let example = help.split_once("Example").map_or("", |(_, example)| example);
        assert!(example.contains(&format!("  {typed} ")), "{typed} has no example: {help}");
    }
}

#[test]
fn every_command_says_what_it_does() {
    let mut abouts: Vec<String> = Vec::new();
    for (typed, command) in all() {
        let about = command.get_about().unwrap_or_else(|| panic!("{typed} says nothing")).to_string();
        assert!(!abouts.contains(&about), "{typed} has the description of another command: {about}");
        abouts.push(about);
    }
}

/// One wording each for what several commands have; a seed in place of the policy's has its own.
#[test]
fn an_option_means_the_same_everywhere() {
    for name in ["json", "force", "delimiter", "null", "header", "seed"] {
        let mut wordings: Vec<String> = Vec::new();
        for (_, command) in all() {
            let options = command.get_arguments().filter(|option| option.get_long() == Some(name));
            wordings.extend(options.filter_map(|option| option.get_help()).map(ToString::to_string));
        }
        assert!(wordings.len() > 1, "{name}");
        wordings.sort();
        wordings.dedup();
        assert_eq!(wordings.len(), if name == "seed" { 2 } else { 1 }, "{name}: {wordings:?}");
    }
}

#[test]
fn commands_are_listed_in_groups() {
    let text = help::command().render_long_help().to_string();
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("{words} is missing: {text}"));
    let order = [
        "Usage:",
        "Everyday commands:",
        "  demo ",
        "  inspect ",
        "  release ",
        "  verify ",
        "Research commands:",
        "  explore ",
    ];
    assert!(order.map(at).is_sorted(), "{text}");
    for sub in Args::command().get_subcommands() {
        assert_eq!(
            text.matches(&format!("\n  {:<12} ", sub.get_name())).count(),
            1,
            "{}: {text}",
            sub.get_name()
        );
    }
    assert!(!text.contains("Other commands"), "put the command into a group: {text}");
    assert!(text.contains("--quiet") && text.contains("Exit codes: 0"));
}

/// One letter means the same in every command.
#[test]
fn short_options_are_the_same_everywhere() {
    let letters = [
        ('o', "out"),
        ('j', "json"),
        ('f', "force"),
        ('k', "k"),
        ('p', "policy"),
        ('w', "write"),
        ('q', "quiet"),
    ];
    let (mut used, always) = (std::collections::BTreeSet::new(), [('h', "help"), ('V', "version")]);
    for (typed, command) in all() {
        for option in command.get_arguments() {
            let (Some(letter), Some(name)) = (option.get_short(), option.get_long()) else { continue };
            assert!(
                letters.contains(&(letter, name)) || always.contains(&(letter, name)),
                "{typed} -{letter} --{name}"
            );
            used.insert(letter);
        }
        for name in ["out", "json", "force", "policy"] {
            let mut options = command.get_arguments().filter(|option| option.get_long() == Some(name));
            assert!(options.all(|option| option.get_short().is_some()), "{typed} --{name} has no letter");
        }
    }
    assert!(used.len() >= 6, "{used:?}");
}

#[test]
fn every_command_has_a_manual_page() {
    let pages = help::pages();
    assert_eq!(pages.len(), all().len() + 1);
    for page in pages {
        let words: Vec<String> = page.split_whitespace().map(String::from).collect();
        let page = String::from_utf8(help::manual(&words).unwrap().unwrap()).unwrap();
        let name =
            std::iter::once("throng").chain(words.iter().map(String::as_str)).collect::<Vec<_>>().join("-");
        assert!(page.contains(&format!(".TH {name} 1")), "{name}: {page}");
        assert!(page.contains("SYNOPSIS"), "{page}");
    }
    assert!(help::manual(&["nonsense".into()]).is_none());
}

#[test]
fn shells_complete_every_command() {
    use clap_complete::Shell;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        let script = String::from_utf8(help::completions(shell)).unwrap();
        for sub in Args::command().get_subcommands() {
            assert!(script.contains(sub.get_name()), "{shell}: {}", sub.get_name());
        }
    }
}

#[test]
fn names_from_elsewhere_are_understood() {
    let error = help::command().try_get_matches_from(["throng", "anonymize", "p.toml"]).unwrap_err();
    let said = help::with_suggestion(error).to_string();
    assert!(said.contains("unrecognized subcommand 'anonymize'") && said.contains("'release'"), "{said}");
    let error = help::command().try_get_matches_from(["throng", "relese"]).unwrap_err();
    assert!(help::with_suggestion(error).to_string().contains("'release'"));
}

/// Help is read by people who do not know the program: no phrase that has to be read twice.
#[test]
fn help_is_plain() {
    let root = help::command().render_long_help().to_string();
    let helps = all().into_iter().map(|(_, mut command)| command.render_long_help().to_string());
    for help in helps.chain([root]) {
        plain::check_plain(&help, &help);
    }
}
