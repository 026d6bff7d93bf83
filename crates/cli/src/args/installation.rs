//! Arguments of the commands that help to install the program.

/// `throng completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng completions bash > ~/.local/share/bash-completion/completions/throng
  throng completions zsh > ~/.zfunc/_throng
  throng completions fish > ~/.config/fish/completions/throng.fish")]
pub struct Completions {
    /// Shell
    pub shell: clap_complete::Shell,
}

/// `throng man`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  throng man | man -l -
  throng man release > throng-release.1
  throng man --list                        the commands that have a page")]
pub struct Man {
    /// Command, such as release or hierarchy build [default: the program as a whole]
    pub command: Vec<String>,
    /// List the commands that have a page
    #[arg(long, conflicts_with = "command")]
    pub list: bool,
}
