//! Examples at the end of help texts. examples.txt has them, each below the name of its command.

/// The text of a command: `texunit cases run`.
pub fn of(command: &str) -> &'static str {
    let texts = include_str!("examples.txt").split("\n== ").skip(1);
    let text = texts.filter_map(|text| text.split_once('\n')).find(|text| text.0 == command);
    text.map_or("", |text| text.1.trim_end())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    /// Every command says how it is used, and no line is wider than a terminal.
    #[test]
    fn every_help_text_has_examples() {
        let mut program = crate::command_line::Cli::command();
        program.build();
        let mut waiting = vec![program];
        while let Some(command) = waiting.pop() {
            let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
            if command.get_name() == "help" {
                continue;
            }
            let help = command.clone().render_long_help().to_string();
            assert!(help.contains("Examples:\n  "), "{name}:\n{help}");
            let examples = help.rsplit("Examples:\n").next().unwrap_or_default();
            assert!(
                examples.lines().all(|line| line.chars().count() <= 120),
                "{name}:\n{examples}"
            );
            waiting.extend(command.get_subcommands().cloned());
        }
    }
}
