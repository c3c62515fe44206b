//! Prints the machine code that a `tex.grad` of PTX becomes on Maxwell.
#![allow(clippy::print_stdout, reason = "a program")]

use std::collections::HashSet;
use texunit_check::check;
use texunit_sass::Arch;
use texunit_sass::print::{Style, print};
use texunit_syntax::{SourceFile, parse};
use texunit_txd::lower::{Form, module};

const TEXT: &str = "\
.version 7.8
.target sm_52
.address_size 64
.global .texref picture;
.visible .entry k(.param .u64 out) {
    .reg .f32 %f<12>;
    .reg .b64 %rd;
    ld.param.u64 %rd, [out];
    ld.global.v4.f32 {%f4, %f5, %f6, %f7}, [%rd];
    ld.global.v2.f32 {%f8, %f9}, [%rd+16];
    tex.grad.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [picture, {%f4, %f5}], {%f6, %f7}, {%f8, %f9};
    st.global.v4.f32 [%rd], {%f0, %f1, %f2, %f3};
    ret;
}
";

fn main() {
    let source = SourceFile::new("gradient.ptx", TEXT);
    let checked = check(&source, &parse(&source).module);
    let lowered = module(&checked.module, &HashSet::from(["k"]), Arch::Sm52);
    assert_eq!(lowered.len(), 1);
    let Form::Txd(fetch) = &lowered[0].form else { panic!("no TXD: {lowered:?}") };
    println!("{}", print(&fetch.txd, Style::Nvidia));
    for (name, registers) in [("Ra", &fetch.ra), ("Rb", &fetch.rb)] {
        let values: Vec<_> = registers.iter().map(|register| register.value.as_str()).collect();
        println!("{name}: {}", values.join(", "));
    }
}
