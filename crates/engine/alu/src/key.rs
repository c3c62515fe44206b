//! Keys of operations. A key is the opcode, the types and the modifiers of an instruction, packed
//! into one number, by which the instruction's operation is found.

use texunit_isa::{
    CmpOp, Modifiers, MulPart, Opcode, PrmtMode, Rounding, ScalarType as Ty, TestOp,
};
use texunit_jit::Rounding as Direction;

/// The opcode, types and modifiers of an instruction. The Boolean operation of a comparison is not
/// part of the key, `set` has the key of the `setp` with the same comparison, and `.rn` is the same
/// as no rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key(u64);

/// Bit positions of the fields in a key. A field holds the index of a modifier among those of its
/// kind, plus one; 0 means that the modifier is absent.
const TYPES: [u32; 2] = [8, 14];
const ROUNDING: u32 = 20;
const CMP: u32 = 24;
const PART: u32 = 29;
const PRMT: u32 = 31;
const TEST: u32 = 34;
const FLAGS: u32 = 37;

/// The modifiers that are present or absent, in PTX's spelling, in the order in which [`Key::of`]
/// adds them. `three` stands for `min` and `max` of three sources. `rounded` comes from the launch
/// and not from the instruction ([`Approximate::Rounded`](crate::Approximate)).
const FLAG_WORDS: [&str; 16] = [
    "approx",
    "full",
    "ftz",
    "sat",
    "satfinite",
    "relu",
    "NaN",
    "xorsign",
    "abs",
    "cc",
    "r",
    "wrap",
    "shiftamt",
    "three",
    "oob",
    "rounded",
];

// Each field has room for all modifiers of its kind.
const _: () = {
    assert!(Opcode::ALL.len() <= 1 << TYPES[0]);
    assert!(
        Ty::ALL.len() < 1 << (TYPES[1] - TYPES[0]) && Ty::ALL.len() < 1 << (ROUNDING - TYPES[1])
    );
    assert!(Rounding::ALL.len() < 1 << (CMP - ROUNDING) && CmpOp::ALL.len() < 1 << (PART - CMP));
    assert!(MulPart::ALL.len() < 1 << (PRMT - PART) && PrmtMode::ALL.len() < 1 << (TEST - PRMT));
    assert!(TestOp::ALL.len() < 1 << (FLAGS - TEST) && FLAGS as usize + FLAG_WORDS.len() <= 64);
};

impl Key {
    /// The key of an instruction. Returns `None` if the instruction has a modifier that no
    /// operation of the tables has, such as byte selectors.
    pub(crate) fn of(opcode: Opcode, mods: &Modifiers, three: bool) -> Option<Self> {
        let others = mods.unexecuted.is_some() || mods.pack.is_some() || mods.video.is_some();
        if others || mods.vector != 0 || mods.types.len() > TYPES.len() {
            return None;
        }
        let (opcode, types) = match opcode {
            Opcode::Set => (Opcode::Setp, mods.types.get(1..)?),
            _ => (opcode, &mods.types[..]),
        };
        let (mut rounding, mut limits) = (mods.rounding, mods.sat);
        if let (Opcode::Cvt, [to, from]) = (opcode, types)
            && to.is_integer()
            && from.is_float()
        {
            // A conversion to an integer always limits its result, so that `.sat` has no effect.
            // Its rounding was optional before PTX 1.5.
            (rounding, limits) = (rounding.or(Some(Rounding::Rzi)), false);
        }
        let mut key = opcode as u64;
        for (at, &ty) in TYPES.into_iter().zip(types) {
            key |= (ty as u64 + 1) << at;
        }
        key |= rounding.map_or(0, rounding_bits);
        let mut field = |at: u32, place: Option<u64>| key |= place.map_or(0, |p| p + 1) << at;
        field(CMP, mods.cmp.map(|c| c as u64));
        field(PART, mods.part.map(|p| p as u64));
        field(PRMT, mods.prmt.map(|p| p as u64));
        field(TEST, mods.test.map(|t| t as u64));
        let Modifiers { approx, full, ftz, satfinite, relu, nan, .. } = *mods;
        let Modifiers { xorsign, abs, cc, shf_right, wrap, shiftamt, oob, .. } = *mods;
        let flags = [
            approx, full, ftz, limits, satfinite, relu, nan, xorsign, abs, cc, shf_right, wrap,
            shiftamt, three, oob,
        ];
        for (at, flag) in (FLAGS..).zip(flags) {
            key |= u64::from(flag) << at;
        }
        Some(Self(key))
    }

    /// The instruction of this key in PTX, without `.rn`.
    pub(crate) fn text(self) -> String {
        let field = |at: u32, bits: u32| (self.0 >> at & ((1 << bits) - 1)) as usize;
        macro_rules! word {
            ($list:ident, $at:expr, $bits:literal) => {
                field($at, $bits).checked_sub(1).map(|place| $list::ALL[place].name())
            };
        }
        let modifiers = [
            word!(CmpOp, CMP, 5),
            word!(MulPart, PART, 2),
            word!(PrmtMode, PRMT, 3),
            word!(TestOp, TEST, 3),
            word!(Rounding, ROUNDING, 4),
        ];
        let flags = (FLAGS..).zip(FLAG_WORDS).map(|(at, word)| (field(at, 1) == 1).then_some(word));
        let types = TYPES.map(|at| word!(Ty, at, 6));
        let words = modifiers.into_iter().chain(flags).chain(types).flatten();
        words.fold(Opcode::ALL[field(0, 8)].name().to_owned(), |text, word| text + "." + word)
    }

    /// Adds a modifier to the key of an instruction, if `is` is true.
    pub(crate) fn flag(self, word: &str, is: bool) -> Self {
        if is { self.with(Opcode::Add, word) } else { self }
    }

    /// The key with a rounding of the result to its type (`.rn` to `.rp`).
    pub(crate) fn rounded(self, direction: Direction) -> Self {
        self.with_rounding(match direction {
            Direction::Near => Rounding::Rn,
            Direction::Trunc => Rounding::Rz,
            Direction::Floor => Rounding::Rm,
            Direction::Ceil => Rounding::Rp,
        })
    }

    /// The key with a rounding to an integral value (`.rni` to `.rpi`).
    pub(crate) fn integral(self, direction: Direction) -> Self {
        self.with_rounding(match direction {
            Direction::Near => Rounding::Rni,
            Direction::Trunc => Rounding::Rzi,
            Direction::Floor => Rounding::Rmi,
            Direction::Ceil => Rounding::Rpi,
        })
    }

    fn with_rounding(self, rounding: Rounding) -> Self {
        Self(self.0 | rounding_bits(rounding))
    }

    /// The key with one more type modifier, in the first type field, or in the second one if the
    /// first is in use.
    pub(crate) fn of_type(self, ty: Ty) -> Self {
        let has_one = (self.0 >> TYPES[0]) & 0x3f != 0;
        Self(self.0 | (ty as u64 + 1) << TYPES[has_one as usize])
    }

    /// The key of an instruction that is spelled as in PTX, such as `add.rn.ftz.f32`.
    pub(crate) fn spelled(text: &str) -> Self {
        let mut words = text.split('.');
        let opcode = words.next().and_then(Opcode::from_name).expect("the tables name opcodes");
        words.fold(Self(opcode as u64), |key, word| key.with(opcode, word))
    }

    /// The key with one more modifier. `.clamp` is the absence of `.wrap`.
    fn with(self, opcode: Opcode, word: &str) -> Self {
        if let Some(ty) = Ty::from_name(word) {
            return self.of_type(ty);
        }
        let compares = opcode == Opcode::Setp;
        let bits = if compares && let Some(cmp) = CmpOp::from_name(word) {
            (cmp as u64 + 1) << CMP
        } else if let Some(part) = MulPart::from_name(word) {
            (part as u64 + 1) << PART
        } else if let Some(rounding) = Rounding::from_name(word) {
            rounding_bits(rounding)
        } else if let Some(mode) = PrmtMode::from_name(word) {
            (mode as u64 + 1) << PRMT
        } else if let Some(test) = TestOp::from_name(word) {
            (test as u64 + 1) << TEST
        } else if let Some(flag) = FLAG_WORDS.iter().position(|flag| *flag == word) {
            1 << (FLAGS + flag as u32)
        } else {
            assert!(matches!(word, "clamp" | "l"), "`{word}` is not a modifier");
            0
        };
        Self(self.0 | bits)
    }
}

/// The bits of a rounding modifier in a key.
fn rounding_bits(rounding: Rounding) -> u64 {
    if rounding == Rounding::Rn { 0 } else { (rounding as u64 + 1) << ROUNDING }
}
