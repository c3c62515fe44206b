//! The forms of an instruction, and what its modifiers need.
#![allow(clippy::print_stdout, reason = "a program")]

use texunit_isa::{Opcode, describe, forms_of};

fn main() {
    // For programs: rows of the table.
    let versions = forms_of(Opcode::Tex).iter().map(|form| form.row.version);
    assert_eq!(versions.min(), Some(10));

    // For people: what `texunit isa tld4` prints.
    let description = describe::describe("tld4").expect("PTX has this instruction");
    println!("{} (section {}): {}", description.name, description.section, description.summary);
    description.forms.iter().for_each(|form| println!("  {}  {}", form.syntax, form.operands));
    assert!(describe::describe("tex5").is_err());
}
