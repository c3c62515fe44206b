//! Where everything that is said leaves the program. What a command reads may be anybody's, so no text reaches a terminal
//! or a log with characters that these obey (`texunit_report::screen`); a test holds that nothing else in this crate writes
//! to the standard streams.

use std::io::{self, IsTerminal, Write};
use texunit_report::{in_json, screen, visible};

/// Prints lines on standard output.
pub(crate) fn print(text: &str) -> io::Result<()> {
    print_bytes(screen(text, false).as_bytes())
}

/// Prints a JSON text on standard output.
pub(crate) fn print_json(text: &str) -> io::Result<()> {
    print_bytes(in_json(text).as_bytes())
}

/// Prints bytes as they are: a file that was asked for on standard output.
pub(crate) fn print_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// What a kernel has printed, for a stream: to programs as it is, to people and logs of CI services as far as they can
/// show it.
pub(crate) fn of_kernel(bytes: &[u8], is_terminal: bool) -> std::borrow::Cow<'_, [u8]> {
    let is_log = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    match is_terminal || is_log {
        true => screen(&String::from_utf8_lossy(bytes), false).into_owned().into_bytes().into(),
        false => bytes.into(),
    }
}

/// Whether standard output is a terminal.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Says one line on standard error. Nobody may be there to read it.
pub(crate) fn tell(line: &str) {
    let _ = tell_text(&(visible(line) + "\n"), false);
}

/// Says lines on standard error, with the colours that texunit has put in, if it has.
pub(crate) fn tell_text(text: &str, colored: bool) -> io::Result<()> {
    io::stderr().lock().write_all(screen(text, colored).as_bytes())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::path::Path;

    /// Files that have a stream for something else: whether it is a terminal, a bar of progress, a protocol.
    const OTHERS: [&str; 6] =
        ["out.rs", "color.rs", "progress.rs", "lsp/mod.rs", "debug/mod.rs", "debug/dap/mod.rs"];

    fn writers(folder: &Path, root: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                writers(&path, root, found);
                continue;
            }
            let name = path.strip_prefix(root).unwrap().display().to_string();
            let text = std::fs::read_to_string(&path).unwrap();
            let writes = ["stdout()", "stderr()", "println!", "eprint"].iter().any(|word| {
                text.match_indices(word).any(|(at, _)| !text[..at].ends_with(['_', '.']))
            });
            if writes && !OTHERS.contains(&&*name) {
                found.push(name);
            }
        }
    }

    #[test]
    fn nothing_else_writes_to_the_streams() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut found = Vec::new();
        writers(&root, &root, &mut found);
        assert_eq!(found, Vec::<String>::new());
    }
}
