//! Everything that is wrong with a module, as NVIDIA's assembler would judge it.
#![allow(clippy::print_stdout, reason = "a program")]

use texunit_check::{Options, check_source, find_code};
use texunit_syntax::SourceFile;

const TEXT: &str = "\
.version 8.0
.target sm_75
.address_size 64
.entry add(.param .u64 out) {
    .reg .b32 %r<3>;
    .reg .b64 %rd;
    ld.param.u64 %rd, [out];
    add.u32 %r1, %rd, 1;
    ret;
}
";

fn main() {
    let source = SourceFile::new("add.ptx", TEXT);
    let diagnostics = check_source(&source, &Options::default());
    for diagnostic in &diagnostics {
        let line = source.location(diagnostic.primary.span.start).line;
        println!("add.ptx:{line}: {} {}", diagnostic.code, diagnostic.message);
    }
    let error = diagnostics.iter().find(|diagnostic| diagnostic.is_error());
    let error = error.expect("a register of 64 bits is no operand of add.u32");
    assert_eq!(source.snippet(error.primary.span), "%rd");
    // What `texunit explain-code` says, and docs/diagnostics.md.
    println!("{}", find_code(error.code).expect("every code is documented").explanation);
}
