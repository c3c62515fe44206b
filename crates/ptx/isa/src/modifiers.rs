//! The modifiers of an instruction, read into fields.

use crate::types::words;
use crate::types::*;

/// Everything that the words after the opcode say. Fields that an opcode has no word for keep
/// their default. Cache operators, eviction hints, memory orders and scopes are read and checked
/// but not kept: the executor is sequentially consistent enough for all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Modifiers {
    /// Type words in the order written (`cvt.f32.u8`: `[F32, U8]`; `set.lt.u32.f32`: `[U32, F32]`).
    pub types: Vec<ScalarType>,
    /// `.v2`, `.v4`, `.v8`; 0 if absent.
    pub vector: u8,
    /// `.rn` ...
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
    /// `.cc`: writes the carry.
    pub cc: bool,
    /// `.lo`, `.hi`, `.wide`
    pub part: Option<MulPart>,
    /// Comparison.
    pub cmp: Option<CmpOp>,
    /// Boolean operation with the third source.
    pub bool_op: Option<BoolOp>,
    /// State space of ld, st, atom, cvta, isspacep, prefetch...; absent: generic.
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
    /// `.popc`, `.and`, `.or` of bar.red: None is popc when `red`.
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
    /// Width of an element that cvt.pack makes, and whether it is signed.
    pub pack: Option<(u8, bool)>,
    /// `.po` of vmad: plus one.
    pub po: bool,
    /// `.shr7` of vmad.
    pub shr7: bool,
    /// `.shr15` of vmad.
    pub shr15: bool,
    /// Selectors and signs of the operands of a video instruction.
    pub video: Option<VideoOperands>,
    /// The words that tell apart what shares an opcode: `init`, `arrive`, `expect_tx` of mbarrier,
    /// `commit_group` of cp.async, `trans` of ldmatrix; in the documented order.
    pub actions: Vec<&'static str>,
    /// `.proxy` and other kinds of fence, random rounding: a word that changes what
    /// the instruction does and that has no field. The executor must refuse an instruction that
    /// has one.
    pub unexecuted: Option<&'static str>,
}

/// `.b0`, `.h10`, `.b3210`: the parts of a register that a video instruction takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Selector {
    /// Half-words (`.h`), else bytes (`.b`).
    pub half: bool,
    /// Numbers of the parts, lowest element first; a selector is written with the highest first.
    pub parts: [u8; 4],
    /// How many parts are written; 0: no selector.
    pub count: u8,
}

/// What stands at the operands of a video instruction besides registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct VideoOperands {
    /// Of the destination: where the result goes, or the mask of a SIMD instruction.
    pub d: Selector,
    /// Of the first source.
    pub a: Selector,
    /// Of the second source.
    pub b: Selector,
    /// Which of a, b and c are negated (vmad).
    pub negated: [bool; 3],
}

words! {
    /// Which half of a product.
    MulPart { Lo = "lo", Hi = "hi", Wide = "wide" }
}

impl Modifiers {
    /// Whether a word stands among the actions.
    pub fn acts(&self, word: &str) -> bool {
        self.actions.contains(&word)
    }

    /// First type word. Every instruction that the executor knows by type has one.
    pub fn ty(&self) -> Option<ScalarType> {
        self.types.first().copied()
    }
}
