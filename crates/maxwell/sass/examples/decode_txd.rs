//! A machine word of Maxwell as text, the text as a word, and what the instruction forbids.
#![allow(clippy::print_stdout, reason = "a program")]

use std::error::Error;
use texunit_sass::print::Style;
use texunit_sass::{Arch, Control, Word, parse, rules};

fn main() -> Result<(), Box<dyn Error>> {
    let word = Word::decode(0xde7a_000f_b7c7_10c0, Control::NONE, Arch::Sm50);
    let text = word.text(Style::Nvidia).ok_or("no texture instruction")?;
    println!("{text}");
    assert_eq!(text, "TXD.B.AOFFI.NODEP R192, R16, R124, 0x0, ARRAY_2D, 0xf");

    let parsed = parse::parse(&text).map_err(|mistake| mistake.message)?;
    assert_eq!(parsed.txd.word, 0xde7a_000f_b7c7_10c0);

    // The parser accepts R193, but the rules reject it, because a destination of four registers
    // must begin at a multiple of four.
    let parsed = parse::parse(&text.replace("R192", "R193")).map_err(|mistake| mistake.message)?;
    let mistakes = rules::check(&parsed.txd, &parsed.places, Arch::Sm50);
    mistakes.iter().for_each(|mistake| println!("{}: {}", mistake.code, mistake.message));
    assert_eq!(mistakes[0].code, "E0610");
    Ok(())
}
