//! Visitors of the parts of an operation. The two macros `each_part` and `each_other` are the only
//! description of what operations consist of: the analyses, the observers and the JIT visit
//! operands, the text form ([`crate::text`]) also modifiers.

use super::others::{each_other, each_other_mut};
use super::parts::{Parts, PartsMut};
use crate::code::{Handle, HandleSource, MoreOperands, Op, Shadow, Slot};
use texunit_flow::Access;
use texunit_unit::SurfaceKind;

/// Defines a function that calls a visitor with each part of an operation, by shared or mutable
/// reference. Sources are visited before destinations. The function returns whether all operands
/// are registers of the executing lane that have been visited.
macro_rules! each_part {
    ($(#[$doc:meta])* $name:ident $others:ident $parts:ident $($mutable:ident)?) => {
        $(#[$doc])*
        pub(crate) fn $name(op: &$($mutable)? Op, v: &mut impl $parts) -> bool {
            use Access::{Def, Use};
            macro_rules! all {
                ($what:ident: $slots:expr) => {
                    for slot in $slots {
                        v.slot($what, slot);
                    }
                };
            }
            macro_rules! access {
                ($what:ident: $of:expr) => {{
                    v.word(&$($mutable)? $of.mem_space);
                    v.word(&$($mutable)? $of.size);
                    v.flag("signed", &$($mutable)? $of.signed);
                    v.flag("constant", &$($mutable)? $of.constant);
                    v.address(&$($mutable)? $of.base, &$($mutable)? $of.offset);
                    v.list($what, &$($mutable)? $of.parts);
                    v.field("keep", &$($mutable)? $of.mask, u64::MAX);
                }};
            }
            macro_rules! handle {
                ($of:expr, $source:literal, $label:literal) => {
                    v.slot(Use, &$($mutable)? $of.slot);
                    v.field($source, &$($mutable)? $of.source, HandleSource::Register);
                    v.field($label, &$($mutable)? $of.name, None);
                };
            }
            match op {
                Op::Join | Op::Nop | Op::Mark(_) | Op::Yield => {}
                Op::Exit | Op::Return | Op::Trap | Op::Breakpoint => {}
                Op::Branch { target, reconverge } => {
                    v.target(target);
                    v.meets(reconverge);
                }
                Op::BranchIndexed { index, targets, reconverge } => {
                    v.slot(Use, index);
                    v.targets(targets);
                    v.meets(reconverge);
                }
                Op::ClusterBarrier { waits } => v.flag("wait", waits),
                Op::Count { counter, of } | Op::Issue { counter, of } => {
                    v.word(counter);
                    v.slot(Use, of);
                }
                Op::CountIndexed { counter, index, targets } => {
                    v.word(counter);
                    v.word(targets);
                    v.slot(Use, index);
                }
                Op::IssueIndexed { counter, of, index, targets } => {
                    v.word(counter);
                    v.targets(targets);
                    all!(Use: [of, index]);
                }
                Op::CountZero { divisor: a }
                | Op::WarpSync { mask: a }
                | Op::Converge { members: a } => v.slot(Use, a),
                Op::Special { d, reg, component } => {
                    v.word(reg);
                    v.word(component);
                    v.slot(Def, d);
                }
                Op::FrameAddress { d, offset } => {
                    v.word(offset);
                    v.slot(Def, d);
                }
                Op::EnvReg { d, number } => {
                    v.word(number);
                    v.slot(Def, d);
                }
                Op::ActiveMask { d } => v.slot(Def, d),
                Op::Shadow(shadow) => match &$($mutable)? **shadow {
                    Shadow::Load(access) => access!(Def: access),
                    Shadow::Store(access) => access!(Use: access),
                    Shadow::Check(check) => {
                        all!(Use: &$($mutable)? check.shadows);
                        if let Some(access) = &$($mutable)? check.access {
                            v.slot(Use, &$($mutable)? access.base);
                        }
                    }
                    _ => return false,
                },
                Op::Compute { row, d, s } => {
                    v.row(row);
                    all!(Use: s);
                    v.slot(Def, d);
                }
                Op::Lop3 { d, s, table } => {
                    v.word(table);
                    all!(Use: s);
                    v.slot(Def, d);
                }
                Op::Rare(rare) => {
                    v.alu(&$($mutable)? rare.alu);
                    v.flag("cc", &$($mutable)? rare.write_carry);
                    all!(Use: &$($mutable)? rare.s);
                    v.slot(Def, &$($mutable)? rare.d);
                    v.field("keep", &$($mutable)? rare.mask, u64::MAX);
                }
                Op::Mov { d, a } => {
                    v.slot(Use, a);
                    v.slot(Def, d);
                }
                Op::Cvta { d, a, window, to } => {
                    v.flag("to", to);
                    v.slot(Use, a);
                    v.slot(Def, d);
                    v.field("window", window, 0);
                }
                Op::IsSpace { d, a, space } => {
                    v.word(space);
                    v.slot(Use, a);
                    v.slot(Def, d);
                }
                Op::SharedRank { d, a, window } => {
                    v.slot(Use, a);
                    v.slot(Def, d);
                    v.field("window", window, 0);
                }
                Op::MapShared { d, a, rank, window } => {
                    all!(Use: [a, rank]);
                    v.slot(Def, d);
                    v.field("window", window, 0);
                }
                Op::Logic { table, d, a, b } => {
                    v.word(table);
                    all!(Use: [a, b]);
                    v.slot(Def, d);
                }
                Op::Vote { mode, d, p, members } => {
                    v.word(mode);
                    all!(Use: [p, members]);
                    v.slot(Def, d);
                }
                Op::Redux { op, ty, d, a, members } => {
                    v.word(op);
                    v.word(ty);
                    all!(Use: [a, members]);
                    v.slot(Def, d);
                }
                Op::Compare { row, a, b, to } | Op::ComparePair { row, a, b, to } => {
                    v.row(row);
                    v.word(&$($mutable)? to.op);
                    all!(Use: [a, b, &$($mutable)? to.c]);
                    all!(Def: [&$($mutable)? to.p, &$($mutable)? to.q]);
                }
                Op::Select { d, a, b, p } => {
                    all!(Use: [a, b, p]);
                    v.slot(Def, d);
                }
                Op::Load(access) | Op::LoadQuad(access) => access!(Def: access),
                Op::Store(access) | Op::StoreQuad(access) => access!(Use: access),
                Op::Atomic(atomic) => {
                    v.word(&$($mutable)? atomic.mem_space);
                    v.word(&$($mutable)? atomic.op);
                    v.word(&$($mutable)? atomic.ty);
                    v.address(&$($mutable)? atomic.base, &$($mutable)? atomic.offset);
                    v.list(Use, &$($mutable)? atomic.b);
                    v.list(Use, &$($mutable)? atomic.c);
                    v.list(Def, &$($mutable)? atomic.d);
                }
                Op::Fetch(fetch) => {
                    v.word(&$($mutable)? fetch.form.kind);
                    v.word(&$($mutable)? fetch.form.geometry);
                    v.word(&$($mutable)? fetch.form.result);
                    v.word(&$($mutable)? fetch.form.coord);
                    v.flag("offset", &$($mutable)? fetch.form.offset);
                    v.flag("compare", &$($mutable)? fetch.form.compare);
                    handle!(fetch.texture, "texture", "texture name");
                    v.some("sampler", &$($mutable)? fetch.sampler, Handle::default);
                    if let Some(sampler) = &$($mutable)? fetch.sampler {
                        handle!(sampler, "sampler", "sampler name");
                    }
                    all!(Use: &$($mutable)? fetch.coords);
                    v.some("more", &$($mutable)? fetch.more, MoreOperands::default);
                    if let Some(more) = &$($mutable)? fetch.more {
                        all!(Use: [&$($mutable)? more.level, &$($mutable)? more.compare]);
                        all!(Use: &$($mutable)? more.dpdx);
                        all!(Use: &$($mutable)? more.dpdy);
                        all!(Use: &$($mutable)? more.offset);
                    }
                    all!(Def: &$($mutable)? fetch.parts);
                    v.slot(Def, &$($mutable)? fetch.resident);
                    v.field("site", &$($mutable)? fetch.site, 0);
                }
                Op::SurfaceLoad(access) | Op::SurfaceStore(access) => {
                    let kind = &$($mutable)? access.form.kind;
                    v.word(kind);
                    match kind {
                        SurfaceKind::Load { element_size, vector }
                        | SurfaceKind::Store { element_size, vector } => {
                            v.word(element_size);
                            v.word(vector);
                        }
                        SurfaceKind::StoreFormatted { vector } => v.word(vector),
                        SurfaceKind::Reduce { op, ty, formatted } => {
                            v.word(op);
                            v.word(ty);
                            v.flag("p", formatted);
                        }
                    }
                    let access_kind = if access.form.kind.loads() { Def } else { Use };
                    v.word(&$($mutable)? access.form.geometry);
                    v.word(&$($mutable)? access.form.clamp);
                    handle!(access.surface, "surface", "surface name");
                    all!(Use: &$($mutable)? access.coords);
                    v.list(access_kind, &$($mutable)? access.parts);
                    v.field("bits", &$($mutable)? access.mask, u64::MAX);
                    v.field("keep", &$($mutable)? access.register_mask, u64::MAX);
                    v.field("site", &$($mutable)? access.site, 0);
                }
                Op::Query(query) => {
                    v.word(&$($mutable)? query.attribute);
                    v.flag("surface", &$($mutable)? query.of_surface);
                    handle!(query.handle, "handle", "handle name");
                    v.slot(Use, &$($mutable)? query.level);
                    v.slot(Def, &$($mutable)? query.d);
                }
                Op::Barrier(barrier) => {
                    v.word(&$($mutable)? barrier.kind);
                    all!(Use: [&$($mutable)? barrier.id, &$($mutable)? barrier.threads]);
                    v.slot(Use, &$($mutable)? barrier.p);
                    v.slot(Def, &$($mutable)? barrier.d);
                }
                Op::Match { mode, d, p, a, members } => {
                    v.word(mode);
                    all!(Use: [a, members]);
                    all!(Def: [d, p]);
                }
                Op::Elect { d, p, members } => {
                    v.slot(Use, members);
                    all!(Def: [d, p]);
                }
                // Sources of lanes outside the active mask are not read.
                Op::Shuffle(shuffle) => {
                    v.word(&$($mutable)? shuffle.mode);
                    all!(Use: [&$($mutable)? shuffle.a, &$($mutable)? shuffle.b]);
                    all!(Use: [&$($mutable)? shuffle.c, &$($mutable)? shuffle.members]);
                    all!(Def: [&$($mutable)? shuffle.d, &$($mutable)? shuffle.p]);
                }
                op => return $others(op, v),
            }
            true
        }
    };
}

each_part! {
    /// Visits the parts of an operation except its guard.
    each_part each_other Parts
}
each_part! {
    /// As [`each_part`], with mutable parts.
    each_part_mut each_other_mut PartsMut mut
}

/// A visitor of operands alone.
struct Operands<F>(F);

impl Parts for Operands<&mut dyn FnMut(Access, Slot)> {
    fn slot(&mut self, access: Access, slot: &Slot) {
        (self.0)(access, *slot);
    }
}

impl PartsMut for Operands<&mut dyn FnMut(Access, &mut Slot)> {
    fn slot(&mut self, access: Access, slot: &mut Slot) {
        (self.0)(access, slot);
    }
}

/// Calls `f` with each operand of an operation except its guard, sources first. Returns false if
/// the operation may access further operands or registers of other lanes.
pub(crate) fn each_slot(op: &Op, f: &mut dyn FnMut(Access, Slot)) -> bool {
    each_part(op, &mut Operands(f))
}

/// As [`each_slot`], with mutable operands.
pub(crate) fn each_slot_mut(op: &mut Op, f: &mut dyn FnMut(Access, &mut Slot)) -> bool {
    each_part_mut(op, &mut Operands(f))
}

/// Calls `f` with each register or constant that an operation reads, except its guard.
pub(crate) fn reads(op: &Op, f: &mut dyn FnMut(Slot)) {
    each_slot(op, &mut |access, slot| {
        if access == Access::Use {
            f(slot);
        }
    });
}

/// Calls `f` with each register that an operation writes.
pub(crate) fn writes(op: &Op, f: &mut dyn FnMut(Slot)) {
    each_slot(op, &mut |access, slot| {
        if access == Access::Def {
            f(slot);
        }
    });
}
