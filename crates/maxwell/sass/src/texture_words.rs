//! Decodes the other texture and surface instructions: TEX, TEXS, TLD, TLDS, TLD4, TLD4S, TXQ,
//! SULD, SUST, SURED.
//!
//! [`FORMS`] has an entry for each form: the upper bits that identify it, its modifiers in the
//! order of the text, and its operands. The text is that of NVIDIA's disassembler, including its
//! names for reserved values (`INVALIDBLOD4`). In a list of names, `-` is a value that the
//! disassembler rejects.

use crate::control::PHASE;
use crate::txd::{COORDINATES, PT, RZ};
use crate::{Arch, Control};

/// A modifier of an instruction, and how the word encodes it.
#[derive(Clone, Copy, Debug)]
enum Modifier {
    /// A flag: the name that is printed if the bit with this number is set.
    Flag(&'static str, u32),
    /// A flag like [`Self::Flag`], but the word is invalid before sm_52 if the bit is set.
    Since52(&'static str, u32),
    /// A flag like [`Self::Flag`], but the bit is ignored from sm_60 on.
    Until53(&'static str, u32),
    /// A bit that must be clear, or else the word is invalid.
    Clear(u32),
    /// A field with a name for each value: field name, lowest bit, width, names. An empty name is
    /// not printed.
    List(&'static str, u32, u32, &'static [&'static str]),
    /// The operand size of SURED, whose fifth value differs between architectures.
    ReduceSize,
}

/// An operand of an instruction, and how the word encodes it.
#[derive(Clone, Copy, Debug)]
enum Operand {
    /// A register: operand name, number of its lowest bit.
    Register(&'static str, u32),
    /// A register that the text omits if it is RZ.
    Optional(&'static str, u32),
    /// A register with an address, which the text has in brackets.
    Address(&'static str, u32),
    /// The predicate result for non-resident texels, from sm_52 on; the text omits PT.
    Sparse,
    /// The predicate result of SULD for non-resident texels, from sm_52 on. Its bits are the
    /// inverse of those of [`Self::Sparse`].
    SurfaceSparse,
    /// The index of the handle's word in the constant bank.
    Index,
    /// The index field of an instruction with .B, which uses a register instead.
    NoIndex,
    /// The coordinate description, an index into [`COORDINATES`].
    Coordinates,
    /// The write mask: a bit for each component of the result.
    Mask,
    /// The coordinate description of TEXS, TLDS or TLD4S, as names indexed by the mode field.
    Mode(&'static [&'static str]),
    /// The components that TEXS or TLDS returns. Their encoding depends on whether the instruction
    /// has a second destination register.
    Components,
    /// The attribute of a texture that TXQ queries.
    Query,
    /// A surface handle: a constant index if bit 51 is set, otherwise a register.
    Surface,
}

/// A form of a texture or surface instruction: the encoding that its words share.
#[derive(Debug)]
pub struct Form {
    /// The mnemonic: `TEX`, `TEX.B`, `SULD.P`.
    pub name: &'static str,
    /// The upper bits of the instruction word, which all words of this form share.
    pattern: u64,
    /// The number of bits in `pattern`.
    bits: u32,
    modifiers: &'static [Modifier],
    operands: &'static [Operand],
    since: Arch,
    /// Whether the control field of this instruction can have a phase.
    phase: bool,
}

/// A field of an instruction word: name and value.
pub type FieldValue = (&'static str, u64);

/// A valid texture or surface instruction other than TXD.
#[derive(Clone, Copy, Debug)]
pub struct TextureWord {
    /// The form of the instruction.
    pub form: &'static Form,
    word: u64,
    control: Control,
    arch: Arch,
}

use Modifier::{Clear, Flag, List, Since52, Until53};
use Operand::{
    Address, Components, Coordinates, Index, Mask, NoIndex, Optional, Query, Register, Sparse,
    Surface, SurfaceSparse,
};

const LODS: &[&str] = &["", "LZ", "LB", "LL", "INVALIDBLOD4", "INVALIDBLOD5", "LBA", "LLA"];
const LEVELS: &[&str] = &["LZ", "LL"];
const CHANNELS: &[&str] = &["R", "G", "B", "A"];
const OFFSETS: &[&str] = &["", "AOFFI", "PTP", "INVALIDBTOFF03"];
const TEXS_MODES: &[&str] = &[
    "LZ", "", "LZ", "LL", "DC", "LL.DC", "LZ.DC", "", "LZ", "LZ.DC", "", "LZ", "", "LL", "-", "-",
];
const TEXS_COORDS: &[&str] = &[
    "1D", "2D", "2D", "2D", "2D", "2D", "2D", "ARRAY_2D", "ARRAY_2D", "ARRAY_2D", "3D", "3D",
    "CUBE", "CUBE", "-", "-",
];
const TLDS_MODES: &[&str] = &[
    "LZ", "LL", "LZ", "-", "LZ.AOFFI", "LL", "LZ.MS", "LZ", "LZ", "-", "-", "-", "LL.AOFFI", "-",
    "-", "-",
];
const TLDS_COORDS: &[&str] = &[
    "1D", "1D", "2D", "-", "2D", "2D", "2D", "3D", "ARRAY_2D", "-", "-", "-", "2D", "-", "-", "-",
];
const FOUR: &[&str] = &["RGB", "RGA", "RBA", "GBA", "RGBA", "INVALID5", "INVALID6", "INVALID7"];
const TWO: &[&str] = &["R", "G", "B", "A", "RG", "RA", "GA", "BA"];
#[rustfmt::skip]
const DIMS: &[&str] = &[
    "1D", "1D_BUFFER", "1D_ARRAY", "2D", "2D_ARRAY", "3D",
    "INVALIDSURFACEDIM6", "INVALIDSURFACEDIM7",
];
const CLAMPS: &[&str] = &["IGN", "", "TRAP", "INVALIDSURFACECLAMP3"];
const LOAD_CACHE: &[&str] = &["", "CG", "CI", "CV"];
const STORE_CACHE: &[&str] = &["", "CG", "CS", "WT"];
const SIZES: &[&str] = &["U8", "S8", "U16", "S16", "", "64", "128", "INVALIDSIZE7"];
const RGBA: &[&str] = &[
    "???0", "R", "G", "RG", "B", "RB", "GB", "RGB", "A", "RA", "GA", "RGA", "BA", "RBA", "GBA", "",
];
const OPERATIONS: &[&str] = &["ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR"];

const DIM: Modifier = List("dim", 33, 3, DIMS);
const CLAMP: Modifier = List("clamp", 49, 2, CLAMPS);
const NODEP: Modifier = Flag("NODEP", 49);

const RD: Operand = Register("Rd", 0);
const RA: Operand = Register("Ra", 8);
const RB: Operand = Optional("Rb", 20);
const RD2: Operand = Register("Rd2", 28);

const TEX: &[Operand] = &[Sparse, RD, RA, RB, Index, Coordinates, Mask];
const TEX_B: &[Operand] = &[Sparse, RD, RA, RB, NoIndex, Coordinates, Mask];
const TEXS: &[Operand] = &[RD2, RD, RA, RB, Index, Operand::Mode(TEXS_COORDS), Components];
const TLDS: &[Operand] = &[RD2, RD, RA, RB, Index, Operand::Mode(TLDS_COORDS), Components];
const TLD4S: &[Operand] = &[RD2, RD, RA, Register("Rb", 20), Index];
const LOAD: &[Operand] = &[SurfaceSparse, RD, Address("Ra", 8), Surface];
const STORE: &[Operand] = &[Address("Ra", 8), Register("Rb", 0), Surface];

macro_rules! forms {
    ($($name:literal $bits:literal $pattern:literal $since:ident $phase:literal [$($modifier:expr),*] $operands:expr;)*) => {
        /// Every instruction form. No form's pattern is a prefix of another's.
        pub const FORMS: &[Form] = &[$(Form {
            name: $name, bits: $bits, pattern: $pattern, since: Arch::$since, phase: $phase,
            modifiers: &[$($modifier),*], operands: $operands,
        }),*];
    };
}

#[rustfmt::skip]
forms! {
    "TEX"       5 0b11000           Sm50 true  [List("lod", 55, 3, LODS), Since52("LC", 58), Flag("AOFFI", 54), Flag("DC", 50), Flag("NDV", 35), NODEP] TEX;
    "TEX.B"    10 0b1101111010      Sm50 true  [List("lod", 37, 3, LODS), Since52("LC", 40), Flag("AOFFI", 36), Flag("DC", 50), Flag("NDV", 35), NODEP] TEX_B;
    "TLD"       8 0b11011100        Sm50 true  [List("lod", 55, 1, LEVELS), Flag("AOFFI", 35), Flag("MS", 50), Flag("CL", 54), NODEP] TEX;
    "TLD.B"     8 0b11011101        Sm50 true  [List("lod", 55, 1, LEVELS), Flag("AOFFI", 35), Flag("MS", 50), Flag("CL", 54), NODEP] TEX_B;
    "TLD4"      6 0b110010          Sm50 true  [List("component", 56, 2, CHANNELS), List("offset", 54, 2, OFFSETS), Flag("DC", 50), Until53("NDV", 35), NODEP] TEX;
    "TLD4.B"   10 0b1101111011      Sm50 true  [List("component", 38, 2, CHANNELS), Flag("B", 54), List("offset", 36, 2, OFFSETS), Clear(40), Flag("DC", 50), Until53("NDV", 35), NODEP] TEX_B;
    "TEXS"      7 0b1101100         Sm50 true  [List("mode", 53, 4, TEXS_MODES), NODEP] TEXS;
    "TEXS.F16"  7 0b1101000         Sm52 true  [List("mode", 53, 4, TEXS_MODES), NODEP] TEXS;
    "TLDS"      7 0b1101101         Sm50 true  [List("mode", 53, 4, TLDS_MODES), NODEP] TLDS;
    "TLDS.F16"  7 0b1101001         Sm52 true  [List("mode", 53, 4, TLDS_MODES), NODEP] TLDS;
    "TEXS.F16.RTZ" 7 0b1101010      Sm60 true  [List("mode", 53, 4, TEXS_MODES), NODEP] TEXS;
    "TLDS.F16.RTZ" 7 0b1101011      Sm60 true  [List("mode", 53, 4, TLDS_MODES), NODEP] TLDS;
    "TLD4S"    10 0b1101111100      Sm50 true  [List("component", 52, 2, CHANNELS), Flag("AOFFI", 51), Flag("DC", 50), NODEP] TLD4S;
    "TLD4S.F16" 10 0b1101111110     Sm52 true  [List("component", 52, 2, CHANNELS), Flag("AOFFI", 51), Flag("DC", 50), NODEP] TLD4S;
    "TLD4S.F16.RTZ" 10 0b1101111111 Sm60 true  [List("component", 52, 2, CHANNELS), Flag("AOFFI", 51), Flag("DC", 50), NODEP] TLD4S;
    "TXQ"      13 0b1101111101001   Sm50 true  [NODEP] &[RD, RA, Query, Index, Mask];
    "TXQ.B"    13 0b1101111101010   Sm50 true  [NODEP] &[RD, RA, Query, NoIndex, Mask];
    "SULD.P"   12 0b111010110000    Sm50 false [DIM, List("cache", 24, 2, LOAD_CACHE), List("components", 20, 4, RGBA), CLAMP] LOAD;
    "SULD.D"   12 0b111010110001    Sm50 false [Flag("BA", 23), DIM, List("cache", 24, 2, LOAD_CACHE), List("size", 20, 3, SIZES), CLAMP] LOAD;
    "SUST.P"   12 0b111010110010    Sm50 false [DIM, List("cache", 24, 2, STORE_CACHE), List("components", 20, 4, RGBA), CLAMP] STORE;
    "SUST.D"   12 0b111010110011    Sm50 false [Flag("BA", 23), DIM, List("cache", 24, 2, STORE_CACHE), List("size", 20, 3, SIZES), CLAMP] STORE;
    "SURED.P"  12 0b111010110100    Sm50 false [DIM, List("operation", 24, 3, OPERATIONS), CLAMP] STORE;
    "SURED.D"  12 0b111010110101    Sm50 false [Flag("BA", 23), DIM, List("operation", 24, 3, OPERATIONS), Modifier::ReduceSize, CLAMP] STORE;
}

const fn bits(word: u64, low: u32, width: u32) -> u64 {
    word >> low & ((1 << width) - 1)
}

fn size_of_reduction(word: u64, arch: Arch) -> &'static str {
    match bits(word, 20, 3) {
        0 => "",
        1 => "S32",
        2 => "U64",
        3 => "F32.FTZ.RN",
        4 if arch == Arch::Sm50 => "INVALIDATOMICSIZE4",
        4 if arch < Arch::Sm60 => "F16x2.FTZ.RN",
        4 => "F16x2.RN",
        5 => "S64",
        6 => "SD32",
        _ => "SD64",
    }
}

/// The name of a TXQ's query attribute; `None` if the disassembler rejects it.
fn query(value: u64) -> Option<String> {
    Some(match value {
        1 => "TEX_HEADER_DIMENSION".into(),
        2 => "TEX_HEADER_TEXTURE_TYPE".into(),
        5 => "TEX_HEADER_SAMPLER_POS".into(),
        16 => "TEX_SAMPLER_FILTER".into(),
        18 => "TEX_SAMPLER_LOD".into(),
        20 => "TEX_SAMPLER_WRAP".into(),
        22 => "TEX_SAMPLER_BORDER_COLOR".into(),
        even if even >= 6 && even % 2 == 0 => (even / 2).to_string(),
        _ => return None,
    })
}

/// Number of upper bits of a word that distinguish the forms.
const FORM_BITS: u32 = 13;

/// The form for each value of a word's upper [`FORM_BITS`] bits, as its index in [`FORMS`] plus 1;
/// 0 for no form.
static FORM_OF: [u8; 1 << FORM_BITS] = {
    let mut table = [0; 1 << FORM_BITS];
    let mut row = 0;
    while row < FORMS.len() {
        let free = FORM_BITS - FORMS[row].bits;
        let mut upper = (FORMS[row].pattern << free) as usize;
        let end = upper + (1 << free);
        while upper < end {
            table[upper] = row as u8 + 1;
            upper += 1;
        }
        row += 1;
    }
    table
};

impl Form {
    /// The form of an instruction word, judged by its upper bits only.
    pub fn of(word: u64) -> Option<&'static Self> {
        let row = FORM_OF[(word >> (64 - FORM_BITS)) as usize];
        FORMS.get(usize::from(row).wrapping_sub(1))
    }
}

impl TextureWord {
    /// Decodes an instruction word; `None` if it is another instruction, or the disassembler
    /// rejects it.
    pub fn decode(word: u64, control: Control, arch: Arch) -> Option<Self> {
        let form = Form::of(word)?;
        let refused = |modifier: &Modifier| match *modifier {
            Since52(_, bit) => arch < Arch::Sm52 && bits(word, bit, 1) == 1,
            Clear(bit) => bits(word, bit, 1) == 1,
            List(_, low, width, words) => words[bits(word, low, width) as usize] == "-",
            Flag(..) | Until53(..) | Modifier::ReduceSize => false,
        };
        let refused_operand = |operand: &Operand| match operand {
            Sparse => arch < Arch::Sm52 && bits(word, 51, 3) != PT,
            Query => query(bits(word, 22, 6)).is_none(),
            _ => false,
        };
        let known = arch >= form.since
            && !form.modifiers.iter().any(refused)
            && !form.operands.iter().any(refused_operand);
        known.then_some(Self { form, word, control, arch })
    }

    /// The fields of the instruction word, in the order of the text.
    pub fn parts(&self) -> Vec<FieldValue> {
        let get = |low, width| bits(self.word, low, width);
        let mut parts = vec![("Pg", get(16, 3)), ("!Pg", get(19, 1))];
        parts.extend(self.form.modifiers.iter().filter_map(|modifier| match *modifier {
            Flag(name, bit) | Since52(name, bit) | Until53(name, bit) => Some((name, get(bit, 1))),
            List(name, low, width, _) => Some((name, get(low, width))),
            Modifier::ReduceSize => Some(("size", get(20, 3))),
            Clear(_) => None,
        }));
        parts.extend(self.form.operands.iter().filter_map(|operand| match *operand {
            Register(name, low) | Optional(name, low) | Address(name, low) => {
                Some((name, get(low, 8)))
            }
            Sparse => Some(("Ps", get(51, 3))),
            SurfaceSparse => Some(("Ps", PT - get(30, 3))),
            Index => Some(("index", get(36, 13))),
            NoIndex => None,
            Coordinates => Some(("coordinates", get(28, 3))),
            Mask => Some(("mask", get(31, 4))),
            // The modifiers of a short form, with which the list of fields begins, name the mode
            // already.
            Operand::Mode(_) => None,
            Components => Some(("components", get(50, 3))),
            Query => Some(("query", get(22, 6))),
            Surface if get(51, 1) == 1 => Some(("index", get(36, 13))),
            Surface => Some(("Rc", get(39, 8))),
        }));
        parts
    }

    fn modifier(&self, modifier: &Modifier) -> &'static str {
        let get = |low, width| bits(self.word, low, width);
        match *modifier {
            Until53(_, _) if self.arch >= Arch::Sm60 => "",
            Flag(name, bit) | Since52(name, bit) | Until53(name, bit) if get(bit, 1) == 1 => name,
            List(_, low, width, words) => words[get(low, width) as usize],
            Modifier::ReduceSize => size_of_reduction(self.word, self.arch),
            Flag(..) | Since52(..) | Until53(..) | Clear(_) => "",
        }
    }

    /// The text of an operand; `None` if the operand is omitted.
    fn operand(&self, operand: &Operand) -> Option<String> {
        let get = |low, width| bits(self.word, low, width);
        let register = |low| match get(low, 8) {
            RZ => "RZ".to_owned(),
            number => format!("R{number}"),
        };
        let index = || format!("{:#x}", get(36, 13));
        Some(match *operand {
            Optional(_, low) if get(low, 8) == RZ => return None,
            Register(_, low) | Optional(_, low) => register(low),
            Address(_, low) => format!("[{}]", register(low)),
            Sparse if get(51, 3) == PT => return None,
            Sparse => format!("P{}", get(51, 3)),
            SurfaceSparse if self.arch < Arch::Sm52 || get(30, 3) == 0 => return None,
            SurfaceSparse => format!("P{}", PT - get(30, 3)),
            Index => index(),
            NoIndex => "0x0".into(),
            Coordinates => COORDINATES[get(28, 3) as usize].into(),
            Mask => format!("{:#x}", get(31, 4)),
            Operand::Mode(words) => words[get(53, 4) as usize].into(),
            Components => {
                let words = if get(28, 8) == RZ { TWO } else { FOUR };
                words[get(50, 3) as usize].into()
            }
            Query => query(get(22, 6))?,
            Surface if get(51, 1) == 1 => index(),
            Surface => register(39),
        })
    }
}

impl std::fmt::Display for TextureWord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.control.is_dual_issue() {
            f.write_str("{ ")?;
        }
        f.write_str(&crate::print::guard(self.word))?;
        // In the mnemonic of a bindless TLD4 the component precedes the B.
        f.write_str(
            self.form.name.strip_suffix(".B").filter(|n| *n == "TLD4").unwrap_or(self.form.name),
        )?;
        for modifier in self.form.modifiers {
            let word = self.modifier(modifier);
            if !word.is_empty() {
                write!(f, ".{word}")?;
            }
        }
        if self.form.phase {
            f.write_str(["", ".T", ".P", ".INVALIDPHASE3"][self.control.get(&PHASE) as usize])?;
        }
        let operands: Vec<String> =
            self.form.operands.iter().filter_map(|operand| self.operand(operand)).collect();
        write!(f, " {}", operands.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_form_hides_another() {
        for (n, a) in FORMS.iter().enumerate() {
            assert!(a.pattern >> a.bits == 0 && a.pattern >> (a.bits - 1) == 1, "{}", a.name);
            for b in &FORMS[n + 1..] {
                let common = a.bits.min(b.bits);
                let [first, second] = [a, b].map(|form| form.pattern >> (form.bits - common));
                assert_ne!(first, second, "{} {}", a.name, b.name);
            }
            for modifier in a.modifiers {
                if let List(name, _, width, words) = modifier {
                    assert_eq!(words.len(), 1 << width, "{} {name}", a.name);
                }
            }
        }
    }
}
