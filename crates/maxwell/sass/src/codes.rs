//! The diagnostic codes of this crate: errors in the text of a machine instruction.

use texunit_syntax::codes::Code;
use texunit_syntax::examples::{Example, ExampleSite};

const fn code(code: &'static str, title: &'static str, explanation: &'static str) -> Code {
    Code { code, title, explanation }
}

/// Every diagnostic code of this crate, in order: E060x for text that cannot be read, E061x for an
/// instruction that the rules forbid.
#[rustfmt::skip]
pub const CODES: &[Code] = &[
    code("E0600", "not a TXD", "The text is not of the form `@P0 TXD.B.AOFFI P1, R0, R4, R8, 0x5, ARRAY_2D, 0xf`: an optional guard, the mnemonic with its modifiers, an optional predicate, three registers, the index, the coordinates and the write mask."),
    code("E0601", "unknown modifier", "TXD has the modifiers .B, .LC, .AOFFI, .NODEP and one of the phases .T and .P."),
    code("E0602", "modifier given twice", "Each modifier and each annotation is written once."),
    code("E0603", "number out of range", "The index has 13 bits; in its older spelling tid has 8 and smp 5. The write mask has 4, a barrier 3, the wait mask 6, the scheduling information 5."),
    code("E0610", "misaligned register", "The first register of a group must be a multiple of the group's size, 3 counting as 4: Rd by the bits of the write mask, Ra and Rb by the values that are packed into them."),
    code("E0611", "RZ as operand", "Ra and Rb hold values and cannot be RZ. Rd may."),
    code("E0612", "not enough registers", "The registers of a group follow each other, and the last one there is, is R254."),
    code("E0613", "reserved coordinates", "TXD takes 1D, ARRAY_1D, 2D and ARRAY_2D. The hardware has no derivatives for volumes and cube maps: compilers emulate them with SHFL and TEX."),
    code("E0614", "not on this architecture", ".LC and the predicate Ps came with sm_52."),
    code("E0615", "two phases", "An instruction has the phase .T, or .P, or none."),
    code("E0616", "no such barrier", "A warp has six barriers, 0 to 5; 7 in place of a barrier means none."),
];

const fn example(code: &'static str, wrong: &'static str, right: &'static str) -> Example {
    Example { code, place: ExampleSite::Machine, wrong, right }
}

/// For each diagnostic code, an example text that causes the diagnostic.
#[rustfmt::skip]
pub const EXAMPLES: &[Example] = &[
    example("E0600", "TXD R0, R4, 0x5, 2D, 0xf", "TXD R0, R4, R8, 0x5, 2D, 0xf"),
    example("E0601", "TXD.LZ R0, R4, R8, 0x5, 2D, 0xf", "TXD.LC R0, R4, R8, 0x5, 2D, 0xf"),
    example("E0602", "TXD.B.B R0, R4, R8, 0x0, 2D, 0xf", "TXD.B R0, R4, R8, 0x0, 2D, 0xf"),
    example("E0603", "TXD R0, R4, R8, 0x2000, 2D, 0xf", "TXD R0, R4, R8, 0x1fff, 2D, 0xf"),
    example("E0610", "TXD R1, R4, R8, 0x5, 2D, 0xf", "TXD R0, R4, R8, 0x5, 2D, 0xf"),
    example("E0611", "TXD R0, R4, RZ, 0x5, 2D, 0xf", "TXD R0, R4, R8, 0x5, 2D, 0xf"),
    example("E0612", "TXD R252, R4, R8, 0x5, 2D, 0xf", "TXD R248, R4, R8, 0x5, 2D, 0xf"),
    example("E0613", "TXD R0, R4, R8, 0x5, 3D, 0xf", "TXD R0, R4, R8, 0x5, 2D, 0xf"),
    example("E0614", "TXD.LC R0, R4, R8, 0x5, 2D, 0xf", "TXD R0, R4, R8, 0x5, 2D, 0xf"),
    example("E0615", "TXD.T.P R0, R4, R8, 0x5, 2D, 0xf", "TXD.P R0, R4, R8, 0x5, 2D, 0xf"),
    example("E0616", "TXD R0, R4, R8, 0x5, 2D, 0xf &wr6", "TXD R0, R4, R8, 0x5, 2D, 0xf &wr5"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;
    use crate::{Arch, rules};

    fn codes(text: &str, arch: Arch) -> Vec<&'static str> {
        match parse(text) {
            Err(error) => vec![error.code],
            Ok(parsed) => {
                rules::check(&parsed.txd, &parsed.places, arch).iter().map(|d| d.code).collect()
            }
        }
    }

    #[test]
    fn examples() {
        assert!(EXAMPLES.iter().map(|e| e.code).eq(CODES.iter().map(|c| c.code)));
        for example in EXAMPLES {
            assert_eq!(codes(example.wrong, Arch::Sm50), [example.code], "{}", example.wrong);
            let none: [&str; 0] = [];
            assert_eq!(codes(example.right, Arch::Sm52), none, "{}", example.right);
        }
    }

    #[test]
    fn in_order() {
        assert!(CODES.is_sorted_by(|a, b| a.code < b.code));
    }
}
