//! Every command explains itself.

use clap::CommandFactory;

use super::Args;

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
