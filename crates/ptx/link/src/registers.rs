//! `CU_JIT_MAX_REGISTERS` and the tools' `-maxrregcount`: a register limit for all kernels.
//!
//! texunit makes no machine code, so the limit affects only what is reported about a kernel. The
//! limit is inserted as the equivalent directive `.maxnreg`, which linking keeps.

use crate::Ptx;
use texunit_syntax::ast::Item;
use texunit_syntax::{Edit, SourceFile, Span, fix};

/// Maximum number of registers of a thread.
const MAX_REGISTERS: u32 = 255;
/// Directives of a kernel that override `-maxrregcount`, as in ptxas 13.5.
const OWN: [&str; 3] = ["maxnreg", "maxntid", "reqntid"];

/// The lowest register limit for an architecture such as 86; ptxas raises lower limits to it.
pub const fn fewest_registers(architecture: u32) -> u32 {
    if architecture < 70 { 16 } else { 24 }
}

/// Adds a register limit to each kernel without directives that override it. A limit of 0, or above
/// the maximum of a thread, is ignored; a limit below [`fewest_registers`] is raised to it.
#[must_use]
pub fn limited(ptx: Ptx, limit: Option<u32>, architecture: u32) -> Ptx {
    let Some(limit) = limit.filter(|limit| (1..=MAX_REGISTERS).contains(limit)) else { return ptx };
    let limit = limit.max(fewest_registers(architecture));
    let source = SourceFile::new(ptx.name.as_str(), ptx.text.as_str());
    let parsed = texunit_syntax::parse(&source);
    let limits = parsed.module.items.iter().filter_map(|item| match item {
        Item::Function(f) if f.is_entry => {
            let own = f.directives.iter().any(|d| OWN.contains(&d.name.text));
            let brace = f.body.as_ref().filter(|_| !own)?.span.start;
            // Inserted on the line of the brace, so that line numbers do not change.
            let span = Span { start: brace, end: brace };
            Some(Edit { span, text: format!(".maxnreg {limit} ") })
        }
        _ => None,
    });
    let text = fix::apply(&ptx.text, &limits.collect::<Vec<_>>());
    Ptx { text: text.expect("braces are apart"), ..ptx }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_without_a_limit_get_one() {
        let text = ".version 7.8\n.target sm_75\n.address_size 64\n.func f() { ret; }\n\
                    .visible .entry a(.param .u64 p)\n{\n ret; }\n.entry b() .maxntid 32 { ret; }\n\
                    .entry c() .maxnreg 40 { ret; }\n.entry d() .minnctapersm 2 { ret; }\n";
        let ptx = Ptx { name: "t".to_owned(), text: text.to_owned() };
        let with = |limit, architecture| limited(ptx.clone(), limit, architecture).text;
        let wanted = |n: u32| {
            text.replace("p)\n{", &format!("p)\n.maxnreg {n} {{"))
                .replace("minnctapersm 2 {", &format!("minnctapersm 2 .maxnreg {n} {{"))
        };
        assert_eq!(with(Some(50), 86), wanted(50));
        // Results of ptxas 12.9 and 13.5 for a limit of 8: raised to 16 on sm_50 to sm_61, to 24
        // from sm_70 on.
        assert_eq!(with(Some(8), 86), wanted(24));
        assert_eq!(with(Some(8), 70), wanted(24));
        assert_eq!(with(Some(8), 61), wanted(16));
        for none in [None, Some(0), Some(256), Some(u32::MAX)] {
            assert_eq!(with(none, 86), text);
        }
    }
}
