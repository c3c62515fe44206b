//! The modifiers of an instruction, parsed into fields.

use crate::types::words;
use crate::types::*;

/// The modifiers of an instruction. The field of a modifier that is absent has its default. Cache
/// operators, eviction hints, memory orders and scopes are checked but not kept, because the
/// executor's memory ordering is strong enough for all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Modifiers {
    /// Type modifiers in source order (`cvt.f32.u8`: `[F32, U8]`; `set.lt.u32.f32`: `[U32, F32]`).
    pub types: Vec<ScalarType>,
    /// Vector length, given by `.v2`, `.v4` or `.v8`; 0 if absent.
    pub vector: u8,
    /// Rounding modifier, such as `.rn`.
    pub rounding: Option<Rounding>,
    /// Whether `.approx` is present.
    pub approx: bool,
    /// Whether `.full` is present.
    pub full: bool,
    /// Whether `.ftz` is present.
    pub ftz: bool,
    /// Whether `.sat` is present.
    pub sat: bool,
    /// Whether `.satfinite` is present.
    pub satfinite: bool,
    /// Whether `.relu` is present.
    pub relu: bool,
    /// Whether `.oob` of fma is present.
    pub oob: bool,
    /// Whether `.NaN` of min and max is present.
    pub nan: bool,
    /// Whether `.xorsign` of min and max is present.
    pub xorsign: bool,
    /// Whether `.abs` of min, max and redux is present.
    pub abs: bool,
    /// Whether `.cc` is present: the instruction writes the carry.
    pub cc: bool,
    /// Which half of a product is the result: `.lo`, `.hi`, or both with `.wide`.
    pub part: Option<MulPart>,
    /// Comparison operator of set and setp.
    pub cmp: Option<CmpOp>,
    /// Boolean operation that combines the comparison result of set and setp with the third source.
    pub bool_op: Option<BoolOp>,
    /// State space of ld, st, atom, cvta, isspacep, prefetch and so on; absent: generic.
    pub space: Option<Space>,
    /// Whether `.to` of cvta is present.
    pub to: bool,
    /// Whether `.nc` of ld.global is present.
    pub nc: bool,
    /// Operation of atom and red; the secondary operation of video instructions.
    pub atom: Option<AtomOp>,
    /// Operation of sured, such as `.add`.
    pub reduce: Option<ReduceOp>,
    /// Whether `.L2::cache_hint` is present: the last operand is a cache policy.
    pub policy: bool,
    /// Whether `.noftz` of atom.add.f16 and the like is present.
    pub noftz: bool,
    /// `.l` (false) or `.r` (true) of shf.
    pub shf_right: bool,
    /// `.clamp` (false) or `.wrap` (true) of shf, bmsk, szext.
    pub wrap: bool,
    /// Whether `.shiftamt` of bfind is present.
    pub shiftamt: bool,
    /// Mode of prmt: `.f4e`, `.b4e` and so on.
    pub prmt: Option<PrmtMode>,
    /// The class of numbers for which `testp` tests.
    pub test: Option<TestOp>,
    /// The mode of `shfl`.
    pub shfl: Option<ShflMode>,
    /// The mode of `vote`.
    pub vote: Option<VoteMode>,
    /// The mode of `match`.
    pub matching: Option<MatchMode>,
    /// Operation of redux.sync: add, min, max, and, or, xor.
    pub redux: Option<AtomOp>,
    /// Whether `.sync` is present, as in shfl.sync.
    pub sync: bool,
    /// Whether `.warp` of bar.warp.sync is present.
    pub warp: bool,
    /// Whether `.arrive` of bar is present.
    pub arrive: bool,
    /// Whether `.red` of bar is present; its operation is `red_op`.
    pub red: bool,
    /// Operation `.and` or `.or` of bar.red; `None` for `.popc`.
    pub red_op: Option<BoolOp>,
    /// Whether `.uni` of bra, call, ret is present.
    pub uni: bool,
    /// Geometry of texture and surface instructions, such as `.2d`.
    pub geometry: Option<Geometry>,
    /// Mip mode of tex: `.base`, `.level`, `.grad`.
    pub mip: Option<MipMode>,
    /// Component that tld4 gathers.
    pub component: Option<Component>,
    /// Attribute of txq and suq.
    pub query: Option<Attribute>,
    /// Clamp mode of surface instructions: `.trap`, `.clamp`, `.zero`.
    pub clamp: Option<ClampMode>,
    /// `.p` (true) or `.b` (false) of suld, sust, sured.
    pub formatted: bool,
    /// Width in bits of an element that cvt.pack produces, and whether the element is signed.
    pub pack: Option<(u8, bool)>,
    /// Whether `.po` (plus one) of vmad is present.
    pub po: bool,
    /// Whether `.shr7` of vmad is present.
    pub shr7: bool,
    /// Whether `.shr15` of vmad is present.
    pub shr15: bool,
    /// Selectors and signs of the operands of a video instruction.
    pub video: Option<VideoOperands>,
    /// Modifiers that distinguish instructions with the same opcode, in the documented order:
    /// `init`, `arrive`, `expect_tx` of mbarrier, `commit_group` of cp.async, `trans` of ldmatrix.
    pub actions: Vec<&'static str>,
    /// A modifier that changes the result but has no field, such as `.proxy` of fence, or random
    /// rounding. The executor must refuse an instruction with such a modifier.
    pub unexecuted: Option<&'static str>,
}

/// A selector of a video instruction, such as `.b0`, `.h10`: the bytes or half-words of a register
/// that the instruction uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Selector {
    /// Whether the selector selects half-words (`.h`) instead of bytes (`.b`).
    pub half: bool,
    /// Indices of the selected bytes or half-words, lowest element first: `.b3210` is 0, 1, 2, 3.
    pub parts: [u8; 4],
    /// Number of selected bytes or half-words; 0: no selector is written.
    pub count: u8,
}

/// Selectors and signs at the operands of a video instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct VideoOperands {
    /// Selector of the destination: the written byte or half-word, or a SIMD instruction's mask.
    pub d: Selector,
    /// Selector of the first source.
    pub a: Selector,
    /// Selector of the second source.
    pub b: Selector,
    /// Whether the operands a, b and c of vmad are negated.
    pub negated: [bool; 3],
}

words! {
    /// The half of a product that is the result; `.wide` is the whole product.
    MulPart { Lo = "lo", Hi = "hi", Wide = "wide" }
}

impl Modifiers {
    /// Whether a modifier is one of [`Self::actions`].
    pub fn acts(&self, word: &str) -> bool {
        self.actions.contains(&word)
    }

    /// The number N of a shape modifier `m64nNk16`, or of a modifier `.xN`.
    pub fn columns(&self) -> Option<usize> {
        self.actions.iter().find_map(|word| columns(word))
    }

    /// The first type modifier; `None` if the instruction has none.
    pub fn ty(&self) -> Option<ScalarType> {
        self.types.first().copied()
    }
}

/// The number N of a shape `m64nNk16`, or of `xN`; `None` for other modifiers.
pub fn columns(word: &str) -> Option<usize> {
    let number = word.strip_prefix("m64n").and_then(|shape| shape.split('k').next());
    number.or(word.strip_prefix('x'))?.parse().ok()
}
