//! Translates loads, stores and atomics to steps of a region.

use super::moves::compute;
use super::operand::{Operands, vreg};
use crate::code::{self, Located, MemSpace, Op, Slot};
use texunit_alu::Temporaries;
use texunit_isa::{AtomOp, ScalarType};
use texunit_jit::region::{Access, Action, Atomic, Change, Load, Reduce, Space, Store};
use texunit_jit::{Combine, Op as J, Predicate, Relation, Source, Test, VReg as To};
use texunit_memory::{LOCAL_WINDOW, SHARED_WINDOW, SpaceKind, WINDOW_SIZE};

/// Index of memory, as opposed to its shadow, in [`Access::map`].
const MEMORY: u8 = 0;

/// The operands of an access in the region's form; `None` if the interpreter has to execute it.
fn access(operands: &mut Operands<'_>, access: &code::Access) -> Option<Access> {
    let space = match access.at.mem_space {
        // Addresses of parameters in registers are generic.
        MemSpace::Global | MemSpace::Generic | MemSpace::Param => Space::Global,
        MemSpace::Shared => Space::Shared,
        MemSpace::Local => Space::Local,
        MemSpace::Frame => Space::Frame,
        MemSpace::KernelParam => Space::Param,
    };
    if access.constant && access.at.base.is_none() {
        return None;
    }
    let base = operands.base(access.at.base)?;
    placed(operands, access, space, (base, access.at.offset), MEMORY)
}

/// An access to elements in another place; `None` if the interpreter has to execute it because of
/// the elements' number.
pub(super) fn placed(
    operands: &mut Operands<'_>,
    of: &code::Access,
    space: Space,
    (base, offset): (Option<Source>, u64),
    map: u8,
) -> Option<Access> {
    let count = u8::try_from(of.parts.len()).ok()?;
    let is_whole = matches!(usize::from(of.size) * of.parts.len(), 1 | 2 | 4 | 8 | 16);
    let access =
        || Access { space, size: of.size, count, base, offset, site: operands.site(space), map };
    is_whole.then(access)
}

/// Translates an access whose generic addresses have all pointed into one window so far to an
/// access of that space, by offset in the window. The interpreter executes accesses to other
/// spaces. Returns `None` if the access is not of this kind.
pub(super) fn in_window(operands: &mut Operands<'_>, op: &Op) -> Option<Vec<Action>> {
    let accessed = op.access().filter(|access| !access.constant)?;
    let (mut actions, space, base) = place_in_window(operands, accessed)?;
    let mut place = |of| placed(operands, of, space, (Some(base), 0), MEMORY);
    actions.push(match op {
        Op::Load(of) => load_from(of, place(of)?)?,
        Op::Store(of) => {
            let access = place(of)?;
            store_to(operands, of, access)?
        }
        Op::Atomic(of) if space == Space::Shared => {
            let Action::Atomic(mut atomic) = atomic(operands, of)? else { return None };
            atomic.access = placed(operands, accessed, space, (Some(base), 0), MEMORY)?;
            Action::Atomic(atomic)
        }
        _ => return None,
    });
    Some(actions)
}

/// Steps that compute the offset of an address in the window that previous addresses pointed into,
/// together with its state space.
fn place_in_window(
    operands: &Operands<'_>,
    access: &code::Access,
) -> Option<(Vec<Action>, Space, Source)> {
    let Located { base, offset, .. } = access.at;
    let (space, window) = match access.seen.window()? {
        SpaceKind::Shared => (Space::Shared, SHARED_WINDOW),
        _ => (Space::Local, LOCAL_WINDOW),
    };
    if !base.is_wide() || base.is_none() {
        return None;
    }
    let Temporaries { narrow: place, wide: distance, predicates: inside } = operands.temporaries;
    let offset = Source::Literal(offset.wrapping_sub(window));
    // An offset outside every memory makes the access leave the region.
    let outside = Source::Literal(u32::MAX.into());
    let select = J::Select(Predicate::If(inside));
    let actions = vec![
        compute(J::AddWide, To::B64(distance), &[operands.number(base)?, offset]),
        Action::Compare {
            test: Test::UnsignedWide(Relation::Lt),
            from: [Source::B64(distance), Source::Literal(WINDOW_SIZE)],
            to: [Some(inside), None],
            with: (Combine::And, Predicate::Always),
        },
        compute(J::Low, To::B32(place), &[Source::B64(distance)]),
        compute(select, To::B32(place), &[Source::B32(place), outside]),
    ];
    Some((actions, space, Source::B32(place)))
}

/// Translates a load.
pub(super) fn load(operands: &mut Operands<'_>, of: &code::Access) -> Option<Action> {
    let access = access(operands, of)?;
    load_from(of, access)
}

pub(super) fn load_from(of: &code::Access, access: Access) -> Option<Action> {
    if of.parts.iter().any(|part| part.is_predicate() && !part.is_none()) {
        return None;
    }
    let to = of.parts.iter().map(|&part| (!part.is_none()).then(|| vreg(part))).collect();
    let load = Load { access, signed: of.signed, keep: of.mask, to };
    Some(Action::Load(Box::new(load)))
}

/// Translates a store.
pub(super) fn store(operands: &mut Operands<'_>, of: &code::Access) -> Option<Action> {
    if of.constant || matches!(of.at.mem_space, MemSpace::KernelParam | MemSpace::Param) {
        return None;
    }
    let access = access(operands, of)?;
    store_to(operands, of, access)
}

pub(super) fn store_to(operands: &Operands<'_>, of: &code::Access, at: Access) -> Option<Action> {
    let from: Option<Vec<_>> = of.parts.iter().map(|&part| operands.number(part)).collect();
    Some(Action::Store(Box::new(Store { access: at, from: from? })))
}

/// The operation of `redux`, or of an atomic that only combines two integers.
pub(super) fn reduce(op: AtomOp, ty: ScalarType) -> Option<Reduce> {
    Some(match op {
        AtomOp::Add => Reduce::Add,
        AtomOp::Min if ty.is_signed() => Reduce::MinS,
        AtomOp::Max if ty.is_signed() => Reduce::MaxS,
        AtomOp::Min => Reduce::MinU,
        AtomOp::Max => Reduce::MaxU,
        AtomOp::And => Reduce::And,
        AtomOp::Or => Reduce::Or,
        AtomOp::Xor => Reduce::Xor,
        AtomOp::Inc | AtomOp::Dec | AtomOp::Exch | AtomOp::Cas => return None,
    })
}

/// Translates an atomic on a single element of 4 or 8 bytes.
pub(super) fn atomic(operands: &mut Operands<'_>, of: &code::Atomic) -> Option<Action> {
    use ScalarType as T;
    let ([d], [b]) = (&of.access.parts[..], &of.b[..]) else { return None };
    let is_number =
        matches!(of.ty, T::U32 | T::S32 | T::B32 | T::F32 | T::U64 | T::S64 | T::B64 | T::F64);
    if !is_number || of.access.at.mem_space == MemSpace::Local {
        return None;
    }
    let floats = matches!(of.ty, T::F32 | T::F64);
    let change = match of.op {
        AtomOp::Add if floats => Change::AddFloat,
        AtomOp::Exch => Change::Exchange,
        AtomOp::Cas => Change::Compare,
        _ if floats => return None,
        AtomOp::Inc => Change::Inc,
        AtomOp::Dec => Change::Dec,
        op => Change::Reduce(reduce(op, of.ty)?),
    };
    let is_own = |slot: Slot| slot.is_wide() == (of.access.size == 8) && !slot.is_predicate();
    let c = match of.c[..] {
        [] if change != Change::Compare => None,
        [c] if is_own(c) => Some(operands.number(c)?),
        _ => return None,
    };
    if !is_own(*b) || !(d.is_none() || is_own(*d)) {
        return None;
    }
    let to = (!d.is_none()).then(|| vreg(*d));
    let (b, access) = (operands.number(*b)?, access(operands, &of.access)?);
    Some(Action::Atomic(Box::new(Atomic { access, change, to, b, c })))
}
