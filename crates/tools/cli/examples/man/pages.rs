//! Generates man pages from the program's command line.

use clap::{Command, CommandFactory};
use std::path::Path;
use texunit::command_line::Cli;

/// Writes a page for the program and one for each command (`texunit-launch.1` etc.); returns their
/// number.
pub(crate) fn write(folder: &Path) -> std::io::Result<usize> {
    std::fs::create_dir_all(folder)?;
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    let mut count = 0;
    pages(&program, "texunit", folder, &mut count)?;
    Ok(count)
}

fn pages(command: &Command, name: &str, folder: &Path, count: &mut usize) -> std::io::Result<()> {
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        pages(sub, &format!("{name}-{}", sub.get_name()), folder, count)?;
    }
    // Examples are in a section of their own, with unchanged lines.
    let help = command.get_after_help().map_or_else(String::new, ToString::to_string);
    let (rest, examples) = help.split_once("Examples:\n").unwrap_or((&help, ""));
    let titled = command.clone().display_name(name.to_owned());
    let titled = match rest.trim() {
        "" => titled.after_help(None::<&str>),
        rest => titled.after_help(rest.to_owned()),
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(titled).manual("texunit").render(&mut page)?;
    page.extend_from_slice(examples_section(examples).as_bytes());
    *count += 1;
    std::fs::write(folder.join(format!("{name}.1")), page)
}

/// Lines in roff that are not filled.
fn examples_section(lines: &str) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let escape = |line: &str| line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
    let lines: String = lines.lines().map(|line| format!("{}\n", escape(line))).collect();
    format!(".SH EXAMPLES\n.nf\n{lines}.fi\n")
}
