//! Visitors of the parts of an operation. The table in [`each_part`] is the only description of
//! what operations consist of: the analyses, the observers and the JIT visit operands, the text
//! form ([`crate::text`]) also modifiers.

use super::parts::{Parts, PartsMut};
use crate::code::{
    Callee, HandleSource, MatrixAction, MbarrierAction, MoreOperands, Op, Shadow, Slot, Stack,
    StackAction,
};
use texunit_flow::Access;
use texunit_unit::SurfaceKind;

/// Visits parts in order. A part is a method of [`Parts`] with its first arguments, and a field of
/// the operation. `use` and `def` are operands that are read and written, `uses` and `defs` arrays
/// of them.
macro_rules! visit {
    ($v:ident $mutable:tt) => {};
    ($v:ident $mutable:tt use $($rest:tt)*) => { visit!($v $mutable slot(Access::Use) $($rest)*) };
    ($v:ident $mutable:tt def $($rest:tt)*) => { visit!($v $mutable slot(Access::Def) $($rest)*) };
    ($v:ident $mutable:tt uses $($rest:tt)*) => {
        visit!($v $mutable slots(Access::Use) $($rest)*)
    };
    ($v:ident $mutable:tt defs $($rest:tt)*) => {
        visit!($v $mutable slots(Access::Def) $($rest)*)
    };
    ($v:ident $mutable:tt $part:ident $(($($argument:expr),*))? $of:ident $(.$field:tt)*
        $(, $($rest:tt)*)?) => {
        $v.$part($($($argument,)*)? place!($mutable $of $(.$field)*));
        visit!($v $mutable $($($rest)*)?);
    };
}

/// A reference to a field, or a variable that is a reference.
macro_rules! place {
    ([$($mutable:ident)?] $of:ident) => { $of };
    ([$($mutable:ident)?] $of:ident $(.$field:tt)+) => { &$($mutable)? $of $(.$field)+ };
}

/// Defines a function that calls a visitor with each part of an operation, by shared or mutable
/// reference. Sources are visited before destinations. The function returns whether all operands
/// are registers of the executing lane that have been visited. `$d` is a dollar sign, for the
/// repetition of a macro within this one.
macro_rules! each_part {
    ($d:tt $(#[$doc:meta])* $name:ident $parts:ident $($mutable:ident)?) => {
        $(#[$doc])*
        pub(crate) fn $name(op: &$($mutable)? Op, v: &mut impl $parts) -> bool {
            macro_rules! parts {
                ($d($d part:tt)*) => {{ visit!(v [$($mutable)?] $d($d part)*); }};
            }
            macro_rules! access {
                ($what:ident $of:ident) => {
                    parts!(
                        located $of.at, word $of.size, flag("signed") $of.signed,
                        flag("constant") $of.constant, list(Access::$what) $of.parts,
                        field("keep", u64::MAX) $of.mask
                    )
                };
            }
            match op {
                Op::Join | Op::Nop | Op::Mark(_) | Op::Yield | Op::Unsupported => {}
                Op::Exit | Op::Return | Op::Trap | Op::Breakpoint => {}
                Op::Branch { target, reconverge } => parts!(target target, meets reconverge),
                Op::BranchIndexed { index, targets, reconverge } => {
                    parts!(use index, targets targets, meets reconverge)
                }
                Op::ClusterBarrier { waits } => parts!(flag("wait") waits),
                Op::Count { counter, of } | Op::Issue { counter, of } => {
                    parts!(word counter, use of)
                }
                Op::CountIndexed { counter, index, targets } => {
                    parts!(word counter, word targets, use index)
                }
                Op::IssueIndexed { counter, of, index, targets } => {
                    parts!(word counter, targets targets, use of, use index)
                }
                Op::CountZero { divisor: a }
                | Op::WarpSync { mask: a }
                | Op::Converge { members: a } => parts!(use a),
                Op::Special { d, reg, component } => parts!(word reg, word component, def d),
                Op::FrameAddress { d, offset } => parts!(word offset, def d),
                Op::EnvReg { d, number } => parts!(word number, def d),
                Op::ActiveMask { d } => parts!(def d),
                Op::Shadow(shadow) => match &$($mutable)? **shadow {
                    Shadow::Load(access) => access!(Def access),
                    Shadow::Store(access) => access!(Use access),
                    Shadow::Check(check) => {
                        parts!(uses check.shadows);
                        if let Some(access) = &$($mutable)? check.access {
                            parts!(use access.at.base);
                        }
                    }
                    _ => return false,
                },
                Op::Compute { row, d, s } => parts!(row row, uses s, def d),
                Op::Lop3 { d, s, table } => parts!(word table, uses s, def d),
                Op::Rare(of) => parts!(
                    alu of.alu, flag("cc") of.write_carry, uses of.s, def of.d,
                    field("keep", u64::MAX) of.mask
                ),
                Op::Mov { d, a } => parts!(use a, def d),
                Op::Cvta { d, a, window, to } => {
                    parts!(flag("to") to, use a, def d, field("window", 0) window)
                }
                Op::IsSpace { d, a, space } => parts!(word space, use a, def d),
                Op::SharedRank { d, a, window } => parts!(use a, def d, field("window", 0) window),
                Op::MapShared { d, a, rank, window } => {
                    parts!(use a, use rank, def d, field("window", 0) window)
                }
                Op::Logic { table, d, a, b } => parts!(word table, use a, use b, def d),
                Op::Vote { mode, d, p, members } => parts!(word mode, use p, use members, def d),
                Op::Redux { op, ty, d, a, members } => {
                    parts!(word op, word ty, use a, use members, def d)
                }
                Op::Compare { row, a, b, to } | Op::ComparePair { row, a, b, to } => {
                    parts!(row row, word to.op, use a, use b, use to.c, def to.p, def to.q)
                }
                Op::Select { d, a, b, p } => parts!(use a, use b, use p, def d),
                Op::Load(access) | Op::LoadQuad(access) => access!(Def access),
                Op::Store(access) | Op::StoreQuad(access) => access!(Use access),
                Op::Atomic(of) => parts!(
                    located of.access.at, word of.op, word of.ty, list(Access::Use) of.b,
                    list(Access::Use) of.c, list(Access::Def) of.access.parts
                ),
                Op::Fetch(fetch) => {
                    parts!(
                        word fetch.form.kind, word fetch.form.geometry, word fetch.form.result,
                        word fetch.form.coord, flag("offset") fetch.form.offset,
                        flag("compare") fetch.form.compare, use fetch.texture.slot,
                        field("texture", HandleSource::Register) fetch.texture.source,
                        field("texture name", None) fetch.texture.name,
                        some("sampler") fetch.sampler
                    );
                    if let Some(of) = &$($mutable)? fetch.sampler {
                        parts!(
                            use of.slot, field("sampler", HandleSource::Register) of.source,
                            field("sampler name", None) of.name
                        );
                    }
                    parts!(uses fetch.coords, some("more") fetch.more);
                    if let Some(MoreOperands { level, dpdx, dpdy, offset, compare }) =
                        &$($mutable)? fetch.more
                    {
                        parts!(use level, use compare, uses dpdx, uses dpdy, uses offset);
                    }
                    parts!(defs fetch.parts, def fetch.resident, field("site", 0) fetch.site);
                }
                Op::SurfaceLoad(access) | Op::SurfaceStore(access) => {
                    parts!(word access.form.kind);
                    match &$($mutable)? access.form.kind {
                        SurfaceKind::Load { element_size, vector }
                        | SurfaceKind::Store { element_size, vector } => {
                            parts!(word element_size, word vector)
                        }
                        SurfaceKind::StoreFormatted { vector } => parts!(word vector),
                        SurfaceKind::Reduce { op, ty, formatted } => {
                            parts!(word op, word ty, flag("p") formatted)
                        }
                    }
                    let what = if access.form.kind.loads() { Access::Def } else { Access::Use };
                    parts!(
                        word access.form.geometry, word access.form.clamp, use access.surface.slot,
                        field("surface", HandleSource::Register) access.surface.source,
                        field("surface name", None) access.surface.name, uses access.coords,
                        list(what) access.parts, field("bits", u64::MAX) access.mask,
                        field("keep", u64::MAX) access.register_mask, field("site", 0) access.site
                    );
                }
                Op::Query(query) => parts!(
                    word query.attribute, flag("surface") query.of_surface, use query.handle.slot,
                    field("handle", HandleSource::Register) query.handle.source,
                    field("handle name", None) query.handle.name, use query.level, def query.d
                ),
                Op::Barrier(of) => {
                    parts!(word of.kind, use of.id, use of.threads, use of.p, def of.d)
                }
                Op::Match { mode, d, p, a, members } => {
                    parts!(word mode, use a, use members, def d, def p)
                }
                Op::Elect { d, p, members } => parts!(use members, def d, def p),
                // Sources of lanes outside the active mask are not read.
                Op::Shuffle(of) => parts!(
                    word of.mode, use of.a, use of.b, use of.c, use of.members, def of.d, def of.p
                ),
                // Matrix operations write registers of other lanes than those whose registers they
                // read.
                Op::Matrix(of) => {
                    parts!(word of.action, flag("trans") of.transposed, located of.at);
                    let loads = of.action == MatrixAction::Load;
                    let what = if loads { Access::Def } else { Access::Use };
                    parts!(list(what) of.parts, use of.members, def of.d);
                }
                Op::Mma(of) => {
                    parts!(operation of.operation);
                    for source in &$($mutable)? of.sources {
                        parts!(list(Access::Use) source);
                    }
                    parts!(use of.metadata, use of.members, list(Access::Def) of.d);
                }
                // Operands of calls can be locations in the call frame.
                Op::Call(call) => {
                    parts!(word call.callee, passed(Access::Use) call.arguments);
                    match &$($mutable)? call.callee {
                        Callee::Direct(function) => parts!(function function),
                        Callee::Indirect { address, reconverge } => {
                            parts!(use address, meets reconverge)
                        }
                    }
                    parts!(
                        passed(Access::Def) call.results,
                        field("results", Vec::new()) call.shape.0,
                        field("parameters", Vec::new()) call.shape.1
                    );
                }
                Op::Builtin(of) => parts!(word of.function, values of.arguments, result of.result),
                Op::AsyncCopy(of) => parts!(
                    flag("bulk") of.is_bulk, word of.grain, located of.to, located of.from,
                    use of.size, use of.read, use of.ignore, use of.ranks, use of.bytes,
                    field("reduce", None) of.reduce
                ),
                Op::Mbarrier(of) => {
                    parts!(word of.action);
                    match &$($mutable)? of.action {
                        MbarrierAction::Arrive { drops, expects, completes } => parts!(
                            flag("drop") drops, flag("expect_tx") expects,
                            flag("completes") completes
                        ),
                        MbarrierAction::CopyArrive { increments } => parts!(flag("inc") increments),
                        MbarrierAction::Test { parity } => parts!(flag("parity") parity),
                        MbarrierAction::Init { v1 } | MbarrierAction::CheckLayout { v1 } => {
                            parts!(flag("v1") v1)
                        }
                        _ => {}
                    }
                    parts!(located of.at, use of.value, use of.ranks, def of.d);
                }
                Op::Stack(Stack { action, at, end }) => {
                    parts!(word action);
                    match action {
                        StackAction::Allocate { d, size, align } => {
                            parts!(word align, use size, def d)
                        }
                        StackAction::Restore { a } => parts!(use a),
                        StackAction::Save { d } => parts!(def d),
                    }
                    parts!(field("at", 0) at, field("end", 0) end);
                }
            }
            let has_other_operands = matches!(
                op,
                Op::Matrix(_) | Op::Mma(_) | Op::Call(_) | Op::Builtin(_) | Op::AsyncCopy(_)
                    | Op::Mbarrier(_) | Op::Stack(_) | Op::Unsupported
            );
            !has_other_operands
        }
    };
}

each_part! {
    $
    /// Visits the parts of an operation except its guard.
    each_part Parts
}
each_part! {
    $
    /// As [`each_part`], with mutable references to the parts.
    each_part_mut PartsMut mut
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

/// As [`each_slot`], with mutable references to the operands.
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
