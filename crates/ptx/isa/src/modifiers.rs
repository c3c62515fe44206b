//! The modifiers of an instruction, parsed into fields.

use crate::types::words;
use crate::types::*;

/// The modifiers after the opcode. Fields without a corresponding word have their default. Cache
/// operators, eviction hints, memory orders and scopes are checked but not kept, because the
/// executor's memory ordering is strong enough for all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Modifiers {
    /// Type modifiers in source order (`cvt.f32.u8`: `[F32, U8]`; `set.lt.u32.f32`: `[U32, F32]`).
    pub types: Vec<ScalarType>,
    /// Vector length of `.v2`, `.v4`, `.v8`; 0 if absent.
    pub vector: u8,
    /// Rounding modifier, such as `.rn`.
    pub rounding: Option<Rounding>,
    /// `.approx`
    pub approx: bool,
    /// `.full`
    pub full: bool,
    /// `.ftz`
    pub ftz: bool,
    /// `.sat`
    pub sat: bool,
    /// `.satfinite`
    pub satfinite: bool,
    /// `.relu`
    pub relu: bool,
    /// `.oob` of fma
    pub oob: bool,
    /// `.NaN` of min and max.
    pub nan: bool,
    /// `.xorsign` of min and max.
    pub xorsign: bool,
    /// `.abs` of min, max and redux.
    pub abs: bool,
    /// `.cc`: the instruction writes the carry.
    pub cc: bool,
    /// `.lo`, `.hi`, `.wide`
    pub part: Option<MulPart>,
    /// Comparison operator.
    pub cmp: Option<CmpOp>,
    /// Boolean operation that combines the result with the third source.
    pub bool_op: Option<BoolOp>,
    /// State space of ld, st, atom, cvta, isspacep, prefetch and so on; absent: generic.
    pub space: Option<Space>,
    /// `.to` of cvta.
    pub to: bool,
    /// `.nc` of ld.global
    pub nc: bool,
    /// Operation of atom and red; the secondary operation of video instructions.
    pub atom: Option<AtomOp>,
    /// Operation of sured.
    pub reduce: Option<ReduceOp>,
    /// `.L2::cache_hint`: the last operand is a cache policy.
    pub policy: bool,
    /// `.noftz` of atom.add.f16 and the like.
    pub noftz: bool,
    /// `.l` (false) or `.r` (true) of shf.
    pub shf_right: bool,
    /// `.clamp` (false) or `.wrap` (true) of shf, bmsk, szext.
    pub wrap: bool,
    /// `.shiftamt` of bfind.
    pub shiftamt: bool,
    /// `.f4e` ... of prmt.
    pub prmt: Option<PrmtMode>,
    /// Class of testp.
    pub test: Option<TestOp>,
    /// Mode of shfl.
    pub shfl: Option<ShflMode>,
    /// Mode of vote.
    pub vote: Option<VoteMode>,
    /// Mode of match.
    pub matching: Option<MatchMode>,
    /// Operation of redux.sync: add, min, max, and, or, xor.
    pub redux: Option<AtomOp>,
    /// `.sync`
    pub sync: bool,
    /// `.warp` of bar.warp.sync
    pub warp: bool,
    /// `.arrive` of bar
    pub arrive: bool,
    /// `.red` of bar, with its operation in `red_op`.
    pub red: bool,
    /// Operation `.popc`, `.and`, `.or` of bar.red; `None` with `red` is popc.
    pub red_op: Option<BoolOp>,
    /// `.uni` of bra, call, ret.
    pub uni: bool,
    /// `.geom` of texture and surface instructions.
    pub geometry: Option<Geometry>,
    /// `.base`, `.level`, `.grad`
    pub mip: Option<MipMode>,
    /// Component of tld4.
    pub component: Option<Component>,
    /// Attribute of txq and suq.
    pub query: Option<Attribute>,
    /// `.trap`, `.clamp`, `.zero` of surface instructions.
    pub clamp: Option<ClampMode>,
    /// `.p` (true) or `.b` (false) of suld, sust, sured.
    pub formatted: bool,
    /// Width of an element that cvt.pack produces, and whether it is signed.
    pub pack: Option<(u8, bool)>,
    /// `.po` of vmad: plus one.
    pub po: bool,
    /// `.shr7` of vmad.
    pub shr7: bool,
    /// `.shr15` of vmad.
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

/// A selector such as `.b0`, `.h10`, `.b3210`: the parts of a register that a video instruction
/// uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Selector {
    /// Whether the parts are half-words (`.h`) instead of bytes (`.b`).
    pub half: bool,
    /// Indices of the parts, lowest element first; the written selector has the highest first.
    pub parts: [u8; 4],
    /// Number of parts; 0: no selector.
    pub count: u8,
}

/// Selectors and signs at the operands of a video instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct VideoOperands {
    /// Selector of the destination: the part that is written, or the mask of a SIMD instruction.
    pub d: Selector,
    /// Selector of the first source.
    pub a: Selector,
    /// Selector of the second source.
    pub b: Selector,
    /// Whether a, b and c are negated (vmad).
    pub negated: [bool; 3],
}

words! {
    /// The selected half of a product.
    MulPart { Lo = "lo", Hi = "hi", Wide = "wide" }
}

impl Modifiers {
    /// Whether a word is one of the actions.
    pub fn acts(&self, word: &str) -> bool {
        self.actions.contains(&word)
    }

    /// The first type modifier, which every instruction with a type has.
    pub fn ty(&self) -> Option<ScalarType> {
        self.types.first().copied()
    }
}
