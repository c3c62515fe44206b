//! Grouping of repeated errors: a kernel may have thousands of instructions with the same opcode
//! that are refused for the same reason.

use crate::{Diagnostic, SourceFile};
use std::collections::HashMap;

/// Groups diagnostics with the same code and message for instructions with the same opcode: returns
/// the first diagnostic of each group with the size of the group. Diagnostics that `is_grouped`
/// does not select are returned individually. The order is kept.
#[must_use]
pub fn by_opcode(
    source: &SourceFile,
    diagnostics: &[Diagnostic],
    is_grouped: impl Fn(&Diagnostic) -> bool,
) -> Vec<Diagnostic> {
    // For each code, message and opcode, the index in `all` of the group's first diagnostic.
    let mut groups: HashMap<(&str, &str, String), usize> = HashMap::new();
    let mut all: Vec<(Diagnostic, usize)> = Vec::new();
    for diagnostic in diagnostics {
        let (opcode, word) = instruction(source, diagnostic.primary.span.start as usize);
        if opcode.is_empty() || !is_grouped(diagnostic) {
            all.push((diagnostic.clone(), 0));
            continue;
        }
        // Instructions with the same opcode but different modifiers belong to the same group.
        let message = diagnostic.message.replace(word, opcode);
        let new = all.len();
        let at = *groups.entry((diagnostic.code, opcode, message)).or_insert(new);
        match all.get_mut(at) {
            Some((_, more)) => *more += 1,
            None => all.push((diagnostic.clone(), 0)),
        }
    }
    let told = |(mut diagnostic, more): (Diagnostic, usize)| {
        if more > 0 {
            let (opcode, _) = instruction(source, diagnostic.primary.span.start as usize);
            diagnostic.message += &format!(" (and {more} more of `{opcode}`)");
        }
        diagnostic
    };
    all.into_iter().map(told).collect()
}

/// The opcode of the instruction at a position, and its whole first word: `wmma` and
/// `wmma.mma.sync.aligned`. Empty if no instruction begins on the position's line.
fn instruction(source: &SourceFile, at: usize) -> (&str, &str) {
    let text = source.text();
    let before = text.get(..at).unwrap_or_default();
    let start = before.rfind(['\n', ';', '{', '}']).map_or(0, |end| end + 1);
    let mut words = text.get(start..).unwrap_or_default().split_whitespace();
    let is_before = |word: &&str| word.starts_with('@') || word.ends_with(':');
    let word = words.find(|word| !is_before(word)).unwrap_or_default().trim_end_matches(';');
    let opcode = word.split('.').next().unwrap_or_default();
    let is_one = opcode.starts_with(|c: char| c.is_ascii_lowercase());
    if is_one { (opcode, word) } else { ("", "") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;

    #[test]
    fn one_line_for_each_opcode() {
        let text = "    wgmma.fence.sync.aligned;\n    @%p1 wgmma.wait_group.sync.aligned 0;\n    mapa.u32 %r1, %r2, 0;\n\
                    L: wgmma.fence.sync.aligned;\n    mov.u32 %r3, %x; mov.u32 %r4, %y;\n\
                    .reg .b128 %a;\n.reg .b128 %b;\n";
        let source = SourceFile::new("k.ptx", text);
        let of = |(word, from, code, message): (&str, usize, _, &str)| {
            let at = from + text[from..].find(word).unwrap_or_default();
            Diagnostic::error(code, Span::new(at, at + word.len()), message.replace('$', word))
        };
        let all = [
            ("wgmma.fence.sync.aligned", 0, "E0406", "`$` is not executed by texunit"),
            ("wgmma.wait_group.sync.aligned", 0, "E0406", "`$` is not executed by texunit"),
            ("mapa.u32", 0, "E0406", "`$` is not executed by texunit"),
            ("wgmma.fence.sync.aligned", 60, "E0406", "`$` is not executed by texunit"),
            ("%x", 0, "E0120", "unknown name $"),
            ("%y", 0, "E0120", "unknown name $"),
            (".b128", 0, "E0230", "PTX ISA version 8.3 is needed"),
            (".b128", text.len() - 16, "E0230", "PTX ISA version 8.3 is needed"),
        ]
        .map(of);
        let found = by_opcode(&source, &all, |_| true);
        let messages: Vec<&str> = found.iter().map(|d| d.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "`wgmma.fence.sync.aligned` is not executed by texunit (and 2 more of `wgmma`)",
                "`mapa.u32` is not executed by texunit",
                "unknown name %x",
                "unknown name %y",
                "PTX ISA version 8.3 is needed",
                "PTX ISA version 8.3 is needed",
            ]
        );
        assert_eq!(found[0].primary.span, all[0].primary.span);
        assert_eq!(by_opcode(&source, &all, |d| d.code != "E0406").len(), all.len());
    }
}
