//! The forms of an instruction, and what its modifiers need.
#![allow(clippy::print_stdout, reason = "a program")]

use texunit_isa::{Opcode, describe, forms_of};

fn main() {
    // A program can read the rows of the instruction table: here, the oldest version of tex.
    let versions = forms_of(Opcode::Tex).iter().map(|form| form.row.version);
    assert_eq!(versions.min(), Some(10));

    // For people, there are descriptions: here, what `texunit isa tld4` prints.
    let description = describe::describe("tld4").expect("PTX has this instruction");
    println!("{} (section {}): {}", description.name, description.section, description.summary);
    description.forms.iter().for_each(|form| println!("  {}  {}", form.syntax, form.operands));
    assert!(describe::describe("tex5").is_err());
}
