//! Translates marks to steps of a region: the region calls the observer and continues.

use super::operand::{Operands, predicate};
use crate::code::{self, Code, Events, GroupedLoad, Inst, Mark, MemSpace, Op, Order, Slot};
use crate::launch::{GLOBAL_BITS, RANK_SHIFT};
use texunit_forms::sort_by_key;
use texunit_jit::region::{Action, Call, Cost, Notification, Region, Routine, Space, Step};
use texunit_jit::{Predicate, Source};
use texunit_memory::GLOBAL_BASE;

/// Number of source operands of a call.
const SOURCES: usize = 4;

/// The step of a mark that only reports a weak load or store of global or shared memory, a fence,
/// or a `.sync` instruction. Strong accesses, which can order warps by the contents of memory, are
/// reported by the interpreter, between whose instructions no other warp runs. For an observer that
/// adds up costs, in any order, marks of accesses of any kind are translated.
pub(super) fn step(operands: &Operands<'_>, mark: &Mark, at: u32) -> Option<Step> {
    let inst @ Inst { op, guard, .. } = operands.inst(mark.target)?;
    if Events::SYNCHRONIZATION.contains(mark.reports) {
        return meeting(operands, mark, inst, at);
    }
    if mark.after || !Events::ANY_ACCESS.contains(mark.reports) {
        return None;
    }
    let (base, values, cost): (Slot, &[Slot], _) = match op {
        Op::Load(access) | Op::Store(access) if mark.sums_costs && is_access(access) => {
            (access.at.base, &[], cost(mark, access))
        }
        Op::Atomic(atomic) if mark.sums_costs => (atomic.access.at.base, &[], None),
        Op::Load(access) if is_plain(mark, access) => (access.at.base, &[], None),
        Op::Store(access) if is_plain(mark, access) => (access.at.base, &access.parts, None),
        _ => return None,
    };
    if values.len() >= SOURCES {
        return None;
    }
    let mut from = [Source::Literal(0); SOURCES];
    let mut tell = Notification { sources: 1 + values.len() as u8, cost, ..nothing(at) };
    for (i, &slot) in std::iter::once(&base).chain(values).enumerate() {
        from[i] = operands.number(slot)?;
        tell.narrow[i] = !slot.is_none() && !slot.is_wide();
    }
    let guard = predicate(*guard);
    let action = call(tell, from);
    (guard != Predicate::Never).then_some(Step { at, guard, counted: false, action })
}

/// Whether the access is to a state space that observers are notified of.
fn is_access(access: &code::Access) -> bool {
    !matches!(access.at.mem_space, MemSpace::Param | MemSpace::KernelParam | MemSpace::Frame)
}

/// Whether the access is a weak load or store of global or shared memory.
fn is_plain(mark: &Mark, access: &code::Access) -> bool {
    let is_weak = mark.order == Order::default() && !access.constant;
    is_weak && is_access(access) && access.at.mem_space != MemSpace::Local
}

/// The parameters with which compiled code computes the cost of an access itself, if possible.
fn cost(mark: &Mark, access: &code::Access) -> Option<Cost> {
    let bytes = access.total();
    let banks = access.at.mem_space == MemSpace::Shared;
    let is_far = i32::try_from(access.at.offset as i64).is_err();
    if access.at.base.is_none()
        || access.at.mem_space == MemSpace::Local
        || !bytes.is_power_of_two()
        || bytes > 16
        || (if banks { access.at.base.is_wide() } else { is_far || !access.at.base.is_wide() })
    {
        return None;
    }
    // The upper bits that all addresses must have. Addresses in the shared memory of other CTAs,
    // and in other state spaces, have other upper bits.
    let above = match banks {
        true => (RANK_SHIFT, 0),
        false => (GLOBAL_BITS, (GLOBAL_BASE >> GLOBAL_BITS) as u32),
    };
    Some(Cost { counter: mark.cost?, bytes, offset: access.at.offset as u32, above, banks })
}

/// A notification without operands.
fn nothing(number: u32) -> Notification {
    Notification { number, sources: 0, narrow: [false; SOURCES], cost: None }
}

fn call(tell: Notification, from: [Source; SOURCES]) -> Action {
    Action::Call(Box::new(Call { routine: Routine::Notify(tell), to: None, keep: u64::MAX, from }))
}

/// A fence, the arrival of lanes at a `.sync` instruction, or their continuation after it.
fn meeting(operands: &Operands<'_>, mark: &Mark, inst: &Inst, at: u32) -> Option<Step> {
    let mut from = [Source::Literal(0); SOURCES];
    let mut tell = nothing(at);
    match mark.fence {
        Some(_) => {}
        // The lanes that execute the step must be exactly those of the split, which a guard may not
        // ensure.
        None if inst.guard != Slot::TRUE => return None,
        None => {
            let members = inst.op.members()?;
            if !mark.after {
                from[0] = operands.number(members)?;
                (tell.sources, tell.narrow[0]) = (1, true);
            }
        }
    }
    let (guard, action) = (predicate(inst.guard), call(tell, from));
    (guard != Predicate::Never).then_some(Step { at, guard, counted: false, action })
}

/// Reports that lanes continue after a `bar.warp.sync`.
pub(super) fn joined(at: u32) -> Action {
    call(nothing(at), [Source::Literal(0); SOURCES])
}

/// Groups of loads from shared memory with the same base register. The first load's mark reports
/// the whole group: in between, no event occurs but uses of uninitialised data, and the region is
/// left only for a fault, or for a shadow operation, after which the same region continues.
#[derive(Debug, Default)]
pub(crate) struct LoadGroups(Vec<Group>);

#[derive(Debug)]
struct Group {
    /// The marks of the first load and the last one.
    first: u32,
    last: u32,
    more: Vec<GroupedLoad>,
}

impl LoadGroups {
    /// The further loads reported with a mark.
    #[inline]
    pub(crate) fn with(&self, first: u32) -> &[GroupedLoad] {
        let found = self.0.binary_search_by_key(&first, |group| group.first);
        found.map_or(&[], |i| &self.0[i].more)
    }

    /// Whether an instruction is within a group of loads. The region must not be entered at such an
    /// instruction, because the mark of the group's first load would be skipped.
    pub(crate) fn closes(&self, at: u32) -> bool {
        self.0.iter().any(|group| group.first < at && at <= group.last)
    }
}

/// The shared-memory load that a step reports, and its base register.
fn notified_load<'c>(step: &Step, code: &'c Code) -> Option<(u32, &'c code::Access, Source)> {
    let Action::Call(call) = &step.action else { return None };
    let Routine::Notify(Notification { cost: None, .. }) = call.routine else { return None };
    let Op::Mark(mark) = &code.insts.get(step.at as usize)?.op else { return None };
    let Op::Load(access) = &code.insts.get(mark.target as usize)?.op else { return None };
    let is_shared = access.at.mem_space == MemSpace::Shared && step.guard == Predicate::Always;
    is_shared.then_some((mark.op, access, call.from[0]))
}

/// Whether a step ends a group of loads: it can report an access, store, or leave the region for
/// another one. (After a shadow operation the same region continues.)
fn parts(step: &Step, code: &Code) -> bool {
    let is_shadow = matches!(code.insts[step.at as usize].op, Op::Shadow(_));
    match &step.action {
        Action::Load(load) if load.access.space == Space::Shared => false,
        Action::Store(_) => true,
        Action::Call(call) => matches!(call.routine, Routine::Notify(_)),
        _ => step.may_exit() && !is_shadow,
    }
}

/// Groups loads that are reported together, and removes the steps of all but the first.
pub(super) fn gather(region: &mut Region, code: &Code) -> LoadGroups {
    let mut all: Vec<Group> = Vec::new();
    for block in &mut region.blocks {
        // For each base register, the current group of loads and the first load of the group.
        let mut open: Vec<(Source, usize, &code::Access)> = Vec::new();
        block.steps.retain(|step| {
            let Some((op, access, base)) = notified_load(step, code) else {
                if parts(step, code) {
                    open.clear();
                }
                step.each_written(&mut |place| open.retain(|(base, ..)| !is(*base, place)));
                return true;
            };
            if let Some(&(_, i, first)) = open.iter().find(|(other, ..)| *other == base) {
                all[i].last = step.at;
                all[i].more.push(GroupedLoad {
                    op,
                    offset: access.at.offset.wrapping_sub(first.at.offset),
                    size: access.size.into(),
                    elements: access.parts.len() as u32,
                });
                return false;
            }
            open.push((base, all.len(), access));
            all.push(Group { first: step.at, last: step.at, more: Vec::new() });
            true
        });
    }
    all.retain(|group| !group.more.is_empty());
    sort_by_key(&mut all, |group| group.first);
    LoadGroups(all)
}

/// Whether a source is a given register.
fn is(source: Source, place: texunit_jit::VReg) -> bool {
    match source {
        Source::B32(i) => place == texunit_jit::VReg::B32(i),
        Source::B64(i) => place == texunit_jit::VReg::B64(i),
        _ => false,
    }
}
