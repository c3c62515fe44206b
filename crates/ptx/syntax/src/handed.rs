//! In-memory sources of compiled PTX. If a program passes source text to a compiler in memory, the
//! text is appended to the PTX as comments, so that messages can show source lines in any process,
//! even for PTX from a cache.
//!
//! ```text
//! // texunit: source scale.cu
//! //|__global__ void scale(float *out) {
//! //|    out[threadIdx.x] *= 2;
//! //|}
//! ```

use std::fmt::Write;

/// Prefix of the comment with a source's name.
const HEAD: &str = "// texunit: source ";
/// Prefix of a comment with a source line.
const LINE: &str = "//|";
/// Maximum size in bytes of all sources appended to a PTX text, and of one source when it is read.
const MAX_KEPT: usize = 1 << 20;
/// Maximum number of sources that are read from a PTX text; linked PTX has those of each input.
const MAX_SOURCES: usize = 1000;

/// A source text that a program passed to a compiler in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedSource {
    /// Name that the program gave the source.
    pub name: String,
    /// The source text.
    pub text: String,
}

impl HandedSource {
    /// Whether the `.file` name refers to this source; compilers prepend the current folder to it.
    pub fn is(&self, file: &str) -> bool {
        let name = self.name.strip_prefix("./").unwrap_or(&self.name);
        let folder = file.strip_suffix(name);
        !name.is_empty() && folder.is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
    }

    /// The text of a line, numbered from 1.
    pub fn line(&self, line: u32) -> Option<&str> {
        self.text.lines().nth((line as usize).checked_sub(1)?)
    }
}

/// Whether a PTX text contains in-memory sources as comments.
pub fn has_handed(ptx: &str) -> bool {
    ptx.contains(HEAD)
}

/// The comments to append to a PTX text for sources, given as name and text. Sources that are too
/// large are left out.
pub fn handed_comments<'a>(sources: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut all = String::new();
    for (name, text) in sources {
        if all.len() + text.len() > MAX_KEPT {
            continue;
        }
        let before = all.len();
        let _ = write!(all, "\n{HEAD}");
        escape(name, &mut all);
        all.push('\n');
        for line in text.lines() {
            all += LINE;
            escape(line, &mut all);
            all.push('\n');
        }
        if all.len() > MAX_KEPT {
            all.truncate(before);
        }
    }
    all
}

/// The in-memory sources in the comments of a PTX text.
pub fn handed_sources(ptx: &str) -> Vec<HandedSource> {
    let mut all = Vec::new();
    let mut rest = ptx;
    while let Some(at) = rest.find(HEAD).filter(|_| all.len() < MAX_SOURCES) {
        let is_line = at == 0 || rest.as_bytes()[at - 1] == b'\n';
        rest = &rest[at + HEAD.len()..];
        if !is_line {
            continue;
        }
        let (name, mut lines) = rest.split_once('\n').unwrap_or((rest, ""));
        let mut text = String::new();
        while let Some(line) = lines.strip_prefix(LINE) {
            let (line, behind) = line.split_once('\n').unwrap_or((line, ""));
            unescape(line, &mut text);
            text.push('\n');
            lines = behind;
        }
        rest = lines;
        if text.len() <= MAX_KEPT {
            all.push(HandedSource { name: unescaped(name), text });
        }
    }
    all
}

/// Escapes non-ASCII characters, because PTX is ASCII even in comments.
fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '\\' => *out += r"\\",
            '\t' | ' '..='~' => out.push(c),
            _ => out.extend(c.escape_unicode()),
        }
    }
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    unescape(text.trim_end_matches('\r'), &mut out);
    out
}

fn unescape(mut text: &str, out: &mut String) {
    while let Some(at) = text.find('\\') {
        *out += &text[..at];
        let behind = &text[at + 1..];
        let code = behind.strip_prefix("u{").and_then(|code| code.split_once('}'));
        let decoded = code.and_then(|(code, behind)| {
            Some((char::from_u32(u32::from_str_radix(code, 16).ok()?)?, behind))
        });
        let (c, behind) = decoded.unwrap_or(('\\', behind.strip_prefix('\\').unwrap_or(behind)));
        out.push(c);
        text = behind;
    }
    *out += text;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_come_back() {
        let scale =
            "// größe \u{1f600}\r\n\tprintf(\"\\n\\u{41}\\\\\");\n\n// texunit: source x\n//|\n*/";
        let given = [("scale.cu", scale), ("a/\u{e9}\n.h", ""), ("last", "\u{202e}\u{0}")];
        let ptx = format!(".version 8.0\n{}", handed_comments(given));
        assert!(ptx.is_ascii() && has_handed(&ptx) && !has_handed(".version 8.0\n"));
        let sources = handed_sources(&ptx);
        assert_eq!(sources.len(), 3, "{ptx}");
        for (source, (name, text)) in sources.iter().zip(given) {
            assert_eq!(source.name, name);
            assert!(source.text.lines().eq(text.lines()), "{:?}", source.text);
        }
        assert_eq!(sources[0].line(2), Some("\tprintf(\"\\n\\u{41}\\\\\");"));
        assert_eq!((sources[0].line(0), sources[0].line(7)), (None, None));
        // PTX texts that are concatenated have more code after the first sources.
        let linked = format!("{ptx}.func f() {{}}\n{}", handed_comments([("other.cu", "x")]));
        assert_eq!(handed_sources(&linked).len(), 4);
    }

    #[test]
    fn what_is_too_large_is_left_out() {
        let large = "x\n".repeat(MAX_KEPT);
        let kept = handed_sources(&handed_comments([("large", &*large), ("small", "y")]));
        assert_eq!(kept.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["small"]);
        let escaped = "\u{e9}".repeat(MAX_KEPT / 3);
        assert_eq!(handed_comments([("grows", escaped.as_str())]), "");
        // Sources beyond the limit are ignored, because PTX is untrusted.
        let hostile = format!("{HEAD}x\n").repeat(3 * MAX_SOURCES);
        assert_eq!(handed_sources(&hostile).len(), MAX_SOURCES);
        let large = format!("{HEAD}x\n{}", format!("{LINE}\n").repeat(MAX_KEPT + 1));
        assert_eq!(handed_sources(&large), []);
    }

    #[test]
    fn folders_may_stand_before_a_name() {
        let source = |name: &str| HandedSource { name: name.into(), text: String::new() };
        assert!(source("k.cu").is("/here/k.cu") && source("./k.cu").is("k.cu"));
        assert!(source("/x/k.cu").is("/x/k.cu") && source("a/k.cu").is("/here/a/k.cu"));
        assert!(!source("k.cu").is("/here/ak.cu") && !source("").is("/here/"));
    }
}
