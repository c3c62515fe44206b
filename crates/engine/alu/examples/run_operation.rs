//! Runs an arithmetic instruction on the 32 lanes of a warp.
#![allow(clippy::print_stdout, reason = "a program")]

use texunit_alu::{Approximate, Lanes, Value, find};
use texunit_isa::{Modifiers, MulPart, Opcode, ScalarType};

fn main() {
    // mad.lo.u32
    let mut modifiers = Modifiers { part: Some(MulPart::Lo), ..Modifiers::default() };
    modifiers.types.push(ScalarType::U32);
    let row = find(Opcode::Mad, &modifiers, 3, Approximate::default()).expect("a row of the table");
    println!("{}: {:?}", row.name(), row.shape());

    let lanes: [u32; 32] = std::array::from_fn(|lane| lane as u32);
    let [three, ten] = [[3; 32], [10; 32]];
    let [a, b, c] = [&lanes, &three, &ten].map(Lanes::Narrow);
    let mut d = Value::ZERO;
    row.run([a, b, c, c], &mut d);
    assert!((0..32).all(|lane| d.narrow[lane] == 3 * lane as u32 + 10));
}
