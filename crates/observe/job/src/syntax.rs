//! Messages for files that are not TOML: which other format it is, or which mark is missing.

use crate::problem::{Problem, codes};
use std::ops::Range;
use std::path::Path;
use texunit_forms::sort_by_key;
use texunit_syntax::foreign::language;

/// Recognises a file that is not a job; `None` if it looks like a job with errors.
pub(crate) fn other_file(text: &str, path: &Path) -> Option<Problem> {
    let problem = |what: &str| {
        Problem::new(codes::SYNTAX, ("", 0..0), format!("this is {what}, not a job file"))
    };
    let name = path.display();
    let starts = |word: &str| text.lines().any(|line| line.trim_start().starts_with(word));
    if starts(".version") {
        return Some(problem("PTX").help(format!(
            "`texunit init {name}` writes a job file for it; a job is a TOML file that names the PTX: \
             `ptx = \"kernel.ptx\"`"
        )));
    }
    let source = path.extension().is_some_and(|e| {
        ["cu", "cuh", "cpp", "cc", "cxx", "c", "h", "hpp"].iter().any(|known| e == *known)
    });
    let known = language(text).map(|known| (known.name, known.help));
    match known {
        Some((name_of, _)) if name_of.contains("C++") => Some(cuda(problem(name_of), path)),
        Some((name_of, help)) => Some(problem(name_of).help(help)),
        None if source => Some(cuda(problem("CUDA C++"), path)),
        None => None,
    }
}

fn cuda(problem: Problem, path: &Path) -> Problem {
    let ptx = path.with_extension("ptx");
    let (name, ptx) = (path.display(), ptx.display());
    problem.help(format!(
        "compile it with `nvcc -ptx {name}` and let `texunit init {ptx}` write a job for its kernels; or \
         compile the whole program and run it: `texunit run ./program`"
    ))
}

/// The syntax errors of a TOML file, one per line, since further errors usually follow from the
/// first.
pub(crate) fn mistakes(text: &str, errors: &[toml::de::Error]) -> Vec<Problem> {
    let mut lines: Vec<usize> = Vec::new();
    let mut problems = Vec::new();
    let mut spans: Vec<_> =
        errors.iter().map(|e| (e.span().unwrap_or(0..0), e.message())).collect();
    sort_by_key(&mut spans, |(span, _)| span.start);
    for (span, message) in spans {
        let at = span.start.min(text.len());
        let line = text.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count();
        if lines.contains(&line) {
            continue;
        }
        lines.push(line);
        let message = in_words(text, &span, message);
        problems.push(Problem::new(codes::SYNTAX, ("", span), message));
    }
    problems
}

/// The parser's message, or a better message where the parser guesses wrong.
fn in_words(text: &str, span: &Range<usize>, message: &str) -> String {
    let written = text.get(span.clone()).unwrap_or_default();
    let before = text.get(..span.start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let open = |a, b| line.matches(a).count() > line.matches(b).count();
    let mut words = written.split_whitespace();
    if message.starts_with("string values must be quoted") {
        return match (words.next(), words.next()) {
            (Some(first), Some(second)) if open('[', ']') => {
                format!("expected `,` between `{}` and `{}`", cut(first), cut(second))
            }
            (Some(first), Some(_)) if open('{', '}') => {
                format!("expected `,` after `{}`", cut(first))
            }
            (Some(_), Some(_)) => format!(
                "`{0}` is not a value: strings are in quotes, `\"{0}\"`, and arrays in brackets, `[1, 2]`",
                cut(written)
            ),
            _ => format!("`{0}` is not a value: strings are in quotes, `\"{0}\"`", cut(written)),
        };
    }
    if message.starts_with("missing comma between array elements") {
        let after = text.get(span.start..).unwrap_or_default();
        let next = after.trim_start().split([' ', ',', ']', '\n']).next().unwrap_or_default();
        let last = line.trim_end().rsplit(['[', ',', ' ']).next().unwrap_or_default();
        return format!("expected `,` between `{}` and `{}`", cut(last), cut(next));
    }
    message.to_owned()
}

/// The beginning of a long text.
fn cut(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml::de::DeTable;

    fn said(text: &str) -> Vec<String> {
        let (_, errors) = DeTable::parse_recoverable(text);
        mistakes(text, &errors).into_iter().map(|p| p.message).collect()
    }

    #[test]
    fn missing_marks() {
        for (text, message) in [
            ("grid = [16 16]", "expected `,` between `16` and `16`"),
            ("grid = [1, 2 3, 4]", "expected `,` between `2` and `3`"),
            ("a = [\"x\" \"y\"]", "expected `,` between `\"x\"` and `\"y\"`"),
            ("b = { x = 1 y = 2 }", "expected `,` after `1`"),
            (
                "ptx = kernel.ptx",
                "`kernel.ptx` is not a value: strings are in quotes, `\"kernel.ptx\"`",
            ),
            (
                "grid = 16 16",
                "`16 16` is not a value: strings are in quotes, `\"16 16\"`, and arrays in brackets, `[1, 2]`",
            ),
        ] {
            assert_eq!(said(text), [message], "{text}");
        }
        assert_eq!(said("a = [1 1]\nb = x").len(), 2);
    }

    #[test]
    fn other_files() {
        let message = |text: &str, path: &str| other_file(text, Path::new(path)).map(|p| p.message);
        let cuda = Some("this is CUDA C++, not a job file".to_owned());
        assert_eq!(message("__global__ void k() {}", "k.txt"), cuda);
        assert_eq!(message("// a kernel\nk();", "k.cu"), cuda);
        for text in ["#include <x>", "// a kernel\nvoid k();"] {
            let c = Some("this is C or C++, not a job file");
            assert_eq!(message(text, "k.cu").as_deref(), c);
        }
        assert!(message("\n.version 8.0", "k").unwrap().contains("PTX"));
        assert!(message("target triple = \"x\"", "k.ll").unwrap().contains("LLVM IR"));
        assert_eq!(message("ptx = k.ptx", "job.toml"), None);
    }
}
