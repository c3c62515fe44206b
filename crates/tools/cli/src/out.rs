//! All output of the program. Input files are untrusted, so that control characters must not reach
//! a terminal or log (`texunit_report::screen`). A test ensures that nothing else in this crate
//! writes to the standard streams.

use crate::color::{self, Stream};
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

/// Prints bytes unchanged, for a file that goes to standard output.
pub(crate) fn print_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// A kernel's output for a stream: unchanged for programs, with control characters replaced for
/// terminals and CI logs.
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

/// Prints a line on standard error, ignoring errors.
pub(crate) fn stderr_line(line: &str) {
    let _ = stderr_text(&(visible(line) + "\n"), false);
}

/// Reports why a command has failed; returns its exit code, which is `code`.
pub(crate) fn error(why: impl std::fmt::Display, code: u8) -> u8 {
    stderr_line(&format!("error: {why}"));
    code
}

/// Reports why a command has failed, in lines with texunit's own colours; returns the exit code.
pub(crate) fn failed(lines: &str) -> u8 {
    // Standard error may be closed.
    let _ = stderr_text(&format!("{}\n", lines.trim_end()), color::wanted(Stream::Stderr));
    crate::FAILED
}

/// Prints lines on standard error, optionally with texunit's own colours.
pub(crate) fn stderr_text(text: &str, colored: bool) -> io::Result<()> {
    io::stderr().lock().write_all(screen(text, colored).as_bytes())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// Files that use a stream otherwise: to test whether it is a terminal, for a progress bar, or
    /// for a protocol.
    const OTHERS: [&str; 5] =
        ["out.rs", "color.rs", "progress.rs", "lsp/mod.rs", "debug/dap/mod.rs"];

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
