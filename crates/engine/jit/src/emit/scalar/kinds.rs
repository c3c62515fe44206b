//! What operations of a lane alone read and write: numbers in general registers, or floats.

use super::rename::LaneStep;
use crate::op::{Float, Op, Rounding};
use crate::operand::{Place, Source, Test};
use crate::region::Action;
use std::collections::HashSet;

/// What an operation works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// 32 bits.
    Bits32,
    /// 64 bits.
    Bits64,
    /// A float of 32 bits.
    Single,
    /// A float of 64 bits.
    Double,
    /// 32 bits that are only moved.
    Any32,
    /// 64 bits that are only moved.
    Any64,
}

impl Kind {
    pub(super) fn is_wide(self) -> bool {
        matches!(self, Self::Bits64 | Self::Double | Self::Any64)
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, Self::Single | Self::Double)
    }

    /// Whether a source is as wide.
    pub(super) fn fits(self, source: Source) -> bool {
        match source {
            Source::Literal(_) => true,
            Source::Wide(_) | Source::WideConstant(_) | Source::Bytes64(_) | Source::FrameAt => {
                self.is_wide()
            }
            Source::Narrow(_)
            | Source::Constant(_)
            | Source::Row(_)
            | Source::Word(_)
            | Source::Bytes32(_)
            | Source::Lane => !self.is_wide(),
        }
    }
}

/// What an operation computes, and of what; none: lanes alone do not have it.
///
/// Of floats there are those alone whose result is a NaN wherever a source is one: where a result of the loop is one, lanes go
/// through it together, so that no NaN of a lane alone is ever seen.
pub(super) fn of(op: Op, from: &[Source; 3]) -> Option<(Kind, [Kind; 3])> {
    use Kind::{Any32, Any64, Bits32, Bits64, Double, Single};
    let arithmetic = |op: Float| {
        matches!(op, Float::Add | Float::Sub | Float::Mul | Float::Fma | Float::Neg | Float::Abs)
    };
    let by_literal = matches!(from[1], Source::Literal(_));
    let kinds = match op {
        Op::Copy => (Any32, [Any32; 3]),
        Op::CopyWide => (Any64, [Any64; 3]),
        Op::Select(_) => (Any32, [Any32; 3]),
        Op::SelectWide(_) => (Any64, [Any64; 3]),
        Op::Add | Op::Sub | Op::Mul | Op::MulAdd | Op::MinS | Op::MaxS | Op::MinU | Op::MaxU => {
            (Bits32, [Bits32; 3])
        }
        Op::ShiftLeft | Op::ShiftRightU | Op::ShiftRightS if by_literal => (Bits32, [Bits32; 3]),
        Op::Bits(_) if op.sources() < 3 => (Bits32, [Bits32; 3]),
        Op::AddWide | Op::SubWide | Op::MulWide => (Bits64, [Bits64; 3]),
        Op::BitsWide(_) if op.sources() < 3 => (Bits64, [Bits64; 3]),
        Op::ShiftLeftWide | Op::ShiftRightWideU | Op::ShiftRightWideS if by_literal => {
            (Bits64, [Bits64, Bits32, Bits32])
        }
        Op::ProductU | Op::ProductS | Op::ProductAddU | Op::ProductAddS => {
            (Bits64, [Bits32, Bits32, Bits64])
        }
        Op::ExtendU | Op::ExtendS => (Bits64, [Bits32; 3]),
        Op::Low => (Bits32, [Bits64; 3]),
        Op::Float { op, flush: false, saturate: false } if arithmetic(op) => (Single, [Single; 3]),
        Op::Double(op) if arithmetic(op) => (Double, [Double; 3]),
        Op::FromS => (Single, [Bits32; 3]),
        Op::DoubleFromS => (Double, [Bits32; 3]),
        Op::DoubleFromF => (Double, [Single; 3]),
        Op::FromDouble(Rounding::Near) => (Single, [Double; 3]),
        _ => return None,
    };
    let all = from.iter().zip(kinds.1).take(op.sources());
    all.into_iter().all(|(&source, kind)| kind.fits(source)).then_some(kinds)
}

/// What a comparison is of.
pub(super) fn of_test(test: Test) -> Kind {
    match test {
        Test::Signed(_) | Test::Unsigned(_) => Kind::Bits32,
        Test::SignedWide(_) | Test::UnsignedWide(_) => Kind::Bits64,
        Test::Float { .. } => Kind::Single,
        Test::Double { .. } => Kind::Double,
    }
}

/// Which values of some steps are floats: none, if one is both that and a number.
pub(super) fn floats(steps: &[&LaneStep]) -> Option<HashSet<Place>> {
    let mut floats = HashSet::new();
    // What is moved is what it is moved from or to.
    loop {
        let before = floats.len();
        for step in steps {
            each(step, |kind, places| {
                let moved = matches!(kind, Kind::Any32 | Kind::Any64);
                if kind.is_float() || moved && places.iter().any(|place| floats.contains(place)) {
                    floats.extend(places);
                }
            });
        }
        if floats.len() == before {
            break;
        }
    }
    let mut fits = true;
    for step in steps {
        each(step, |kind, places| {
            let is_number = matches!(kind, Kind::Bits32 | Kind::Bits64);
            fits &= !(is_number && places.iter().any(|place| floats.contains(place)));
        });
        // What is loaded for a float is one as it is.
        if let Action::Load(load) = &step.step.action
            && let [Some(to)] = load.to[..]
            && floats.contains(&to)
        {
            fits &= match to {
                Place::Narrow(_) => load.access.size == 4 && load.keep as u32 == u32::MAX,
                _ => load.access.size == 8,
            };
        }
    }
    fits.then_some(floats)
}

/// Calls `f` with values of a step that are of one kind; of what is only moved all are.
fn each(LaneStep { step, by, .. }: &LaneStep, mut f: impl FnMut(Kind, &[Place])) {
    if let Some(by) = by {
        f(Kind::Bits32, &[Place::Narrow(by.index)]);
    }
    match &step.action {
        Action::Compute { op, to, from } => {
            let Some((kind, kinds)) = of(*op, from) else { return };
            let places = from.iter().zip(kinds).take(op.sources());
            let places = places.filter_map(|(source, kind)| Some((kind, source.place()?)));
            if matches!(kind, Kind::Any32 | Kind::Any64) {
                let all: Vec<Place> = places.map(|of| of.1).chain([*to]).collect();
                return f(kind, &all);
            }
            f(kind, &[*to]);
            places.for_each(|(kind, place)| f(kind, &[place]));
        }
        Action::Compare { test, from, .. } => {
            from.iter().filter_map(|of| of.place()).for_each(|place| f(of_test(*test), &[place]));
        }
        Action::Load(load) => {
            load.access
                .base
                .and_then(Source::place)
                .into_iter()
                .for_each(|place| f(Kind::Bits64, &[place]));
        }
        _ => {}
    }
}
