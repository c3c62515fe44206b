//! How values differ between threads: the kinds, where they come from, and what instructions make
//! of them. How they spread through a function is the matter of `divergence`.

use texunit_isa::{CmpOp, Opcode, ScalarType, SpecialReg};

use super::body::Body;
use crate::ir::Operand;

/// How a value differs between threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Variation {
    /// One value in all threads, or nothing is known.
    #[default]
    Uniform,
    /// `%tid.x`
    Tid,
    /// `%tid.x` plus something uniform.
    Affine,
    /// `%laneid` and what distinguishes the lanes of a warp like it.
    Lane,
    /// A predicate that is certainly different in threads of one warp.
    InWarp,
    /// A predicate that compares one of these with something uniform.
    Bound,
    /// Differs between threads.
    Varying,
}

impl Variation {
    pub(super) fn varies(self) -> bool {
        self != Variation::Uniform
    }

    pub(super) fn join(self, other: Variation) -> Variation {
        match (self, other) {
            (Variation::Uniform, k) | (k, Variation::Uniform) => k,
            (a, b) if a == b => a,
            _ => Variation::Varying,
        }
    }
}

/// What a special register holds.
pub(super) fn special_kind(special: SpecialReg, component: u8) -> Variation {
    match special {
        SpecialReg::Tid if component == 0 => Variation::Tid,
        SpecialReg::Tid if component < 3 => Variation::Varying,
        SpecialReg::Laneid
        | SpecialReg::LanemaskEq
        | SpecialReg::LanemaskLe
        | SpecialReg::LanemaskLt
        | SpecialReg::LanemaskGe
        | SpecialReg::LanemaskGt => Variation::Lane,
        SpecialReg::Warpid
        | SpecialReg::Clock
        | SpecialReg::ClockHi
        | SpecialReg::Clock64
        | SpecialReg::Globaltimer
        | SpecialReg::GlobaltimerLo
        | SpecialReg::GlobaltimerHi => Variation::Varying,
        _ => Variation::Uniform,
    }
}

/// What an operation makes of kinds.
pub(super) fn combine(
    body: &Body,
    at: usize,
    joined: Variation,
    sources: &[&Operand],
    kinds: &[Variation],
) -> Variation {
    let i = &body.code[at];
    if !joined.varies() {
        return Variation::Uniform;
    }
    let constant = |n: usize| match sources.get(n) {
        Some(operand) => body.integer(operand, at).map(|c| c.0),
        None => None,
    };
    let one = |wanted: &[Variation]| {
        let varying: Vec<_> = kinds.iter().filter(|k| k.varies()).collect();
        matches!(varying.as_slice(), [k] if wanted.contains(k))
    };
    let numbered = [Variation::Tid, Variation::Lane];
    let same = sources.len() == 2 && sources[0] == sources[1];
    match i.opcode {
        Opcode::Sub | Opcode::Xor if same => Variation::Uniform,
        Opcode::And | Opcode::Rem if i.mods.ty() != Some(ScalarType::Pred) && one(&numbered) => {
            let limit = if i.opcode == Opcode::And { 1..=31 } else { 2..=32 };
            match constant(0).or_else(|| constant(1)) {
                Some(c) if limit.contains(&c) => Variation::Lane,
                _ => Variation::Varying,
            }
        }
        Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not
            if i.mods.ty() == Some(ScalarType::Pred) =>
        {
            joined
        }
        Opcode::Add | Opcode::Sub if one(&[Variation::Tid, Variation::Affine]) => Variation::Affine,
        Opcode::Mad
            if kinds.len() == 3
                && one(&[Variation::Tid, Variation::Affine])
                && kinds[2].varies() =>
        {
            Variation::Affine
        }
        Opcode::Setp
            if one(&[Variation::Tid, Variation::Lane, Variation::Affine])
                && i.mods.bool_op.is_none() =>
        {
            compared(i.mods.cmp, joined, constant(0), constant(1))
        }
        _ => Variation::Varying,
    }
}

/// What comparing a thread's number with a constant says about a warp.
fn compared(
    cmp: Option<CmpOp>,
    kind: Variation,
    left: Option<i32>,
    right: Option<i32>,
) -> Variation {
    use CmpOp::{Eq, Ge, Gt, Hi, Hs, Le, Lo, Ls, Lt, Ne};
    let Some(constant) = left.or(right) else { return Variation::Bound };
    let limit = match (cmp, left.is_some()) {
        (Some(Eq | Ne), _) => None,
        // Threads below the limit go one way.
        (Some(Lt | Lo | Ge | Hs), false) | (Some(Gt | Hi | Le | Ls), true) => Some(constant),
        (Some(Le | Ls | Gt | Hi), false) | (Some(Ge | Hs | Lt | Lo), true) => {
            Some(constant.wrapping_add(1))
        }
        _ => return Variation::Bound,
    };
    match (kind, limit) {
        (Variation::Affine, _) => Variation::Bound,
        // Whole warps, or all threads, go one way.
        (Variation::Lane, Some(limit)) if !(1..32).contains(&limit) => Variation::Varying,
        (Variation::Tid, Some(limit)) if limit % 32 == 0 || limit < 0 => Variation::Varying,
        (Variation::Lane, None) if !(0..32).contains(&constant) => Variation::Varying,
        (_, None) if constant < 0 => Variation::Varying,
        _ => Variation::InWarp,
    }
}
