//! The codes of this crate: mistakes in the text of a machine instruction.

use texunit_syntax::codes::Code;

const fn code(code: &'static str, title: &'static str, explanation: &'static str) -> Code {
    Code { code, title, explanation }
}

/// Every code, in order: E050x the text cannot be read, E051x the instruction is forbidden.
#[rustfmt::skip]
pub const CODES: &[Code] = &[
    code("E0500", "not a TXD", "The text is not of the form `@P0 TXD.B.AOFFI P1, R0, R4, R8, 0x5, ARRAY_2D, 0xf`: an optional guard, the mnemonic with its modifiers, an optional predicate, three registers, the index, the coordinates and the write mask."),
    code("E0501", "unknown modifier", "TXD has the modifiers .B, .LC, .AOFFI, .NODEP and one of the phases .T and .P."),
    code("E0502", "modifier given twice", "Each modifier and each annotation is written once."),
    code("E0503", "number out of range", "The index has 13 bits; in its older spelling tid has 8 and smp 5. The write mask has 4, a barrier 3, the wait mask 6, the scheduling information 5."),
    code("E0510", "misaligned register", "The first register of a group must be a multiple of the group's size, 3 counting as 4: Rd by the bits of the write mask, Ra and Rb by the values that are packed into them."),
    code("E0511", "RZ as operand", "Ra and Rb hold values and cannot be RZ. Rd may."),
    code("E0512", "not enough registers", "The registers of a group follow each other, and the last one there is, is R254."),
    code("E0513", "reserved coordinates", "TXD takes 1D, ARRAY_1D, 2D and ARRAY_2D. The hardware has no derivatives for volumes and cube maps: compilers emulate them with SHFL and TEX."),
    code("E0514", "not on this architecture", ".LC and the predicate Ps came with sm_52."),
    code("E0515", "two phases", "An instruction has the phase .T, or .P, or none."),
    code("E0516", "no such barrier", "A warp has six barriers, 0 to 5; 7 in the place of a barrier means none."),
];

#[cfg(test)]
mod tests {
    #[test]
    fn in_order() {
        assert!(super::CODES.is_sorted_by(|a, b| a.code < b.code));
    }
}
