//! `texunit completions`: prints completion scripts for shells.

use clap::{Args, Command};
use clap_complete::Shell;

/// Arguments of `texunit completions`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  \
    texunit completions bash > ~/.local/share/bash-completion/completions/texunit\n  \
    texunit completions zsh > ~/.zfunc/_texunit        (with ~/.zfunc in fpath)\n  \
    texunit completions fish > ~/.config/fish/completions/texunit.fish")]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: Shell,
}

/// Prints the script for a program's `command` line; returns the exit code.
pub fn run(args: &CompletionsArgs, mut command: Command) -> u8 {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "texunit", &mut script);
    crate::exit(crate::out::print_bytes(&script), true)
}
