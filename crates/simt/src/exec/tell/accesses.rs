//! Accesses, as observers are told of them.

use super::{Told, each_group};
use crate::alu::L64;
use crate::code::{Access as Stored, AsyncCopy, MatrixAction, Op, Place, Slot};
use crate::exec::context::Context;
use crate::exec::warp::{Warp, lanes};
use crate::observe::{Access, At, Doing, Events, Values};
use texunit_isa::ScalarType;
use texunit_memory::{CONST_BASE, CONST_END, SpaceKind, space_of};

/// What an access does, of all its lanes.
struct Made<'a> {
    doing: Doing,
    place: Place,
    size: u32,
    elements: usize,
    parts: &'a [Slot],
}

/// Whether something holds for the addresses of these lanes. All are asked: then it is done for several at once.
fn holds_for(all: &L64, lanes: u32, holds: impl Fn(u64) -> bool) -> bool {
    (0..32).fold(true, |all_do, l| all_do & (holds(all[l]) | (lanes >> l & 1 == 0)))
}

impl Context<'_> {
    /// Tells the accesses of an operation.
    pub(super) fn accesses(&mut self, probe: &mut Told<'_>, warp: &Warp, op: &Op, at: At) {
        match op {
            Op::Load(access) | Op::LoadQuad(access) => {
                self.stored(probe, warp, (access, Doing::Load, &[]), at);
            }
            Op::Store(access) | Op::StoreQuad(access) => {
                self.stored(probe, warp, (access, Doing::Store, &access.parts), at);
            }
            Op::Atomic(atomic) => {
                self.address(warp, atomic.base, atomic.offset);
                let quad = atomic.ty == ScalarType::B128;
                let size = if quad { 8 } else { atomic.ty.bytes() };
                let made = Made {
                    doing: Doing::Atomic(atomic.op),
                    place: atomic.place,
                    size,
                    elements: atomic.b.len(),
                    parts: &atomic.b,
                };
                self.made(probe, warp, &made, at);
            }
            Op::AsyncCopy(copy) => self.copied(probe, warp, copy, at),
            Op::Matrix(matrix) => {
                let doing = match matrix.action {
                    MatrixAction::Load => Doing::MatrixLoad,
                    MatrixAction::Store => Doing::MatrixStore,
                    MatrixAction::Transpose => return,
                };
                self.address(warp, matrix.at.base, matrix.at.offset);
                // Each 8 lanes have the rows of a matrix.
                let rows = crate::lower::mask_of(8 * matrix.parts.len() as u32) as u32;
                let made =
                    Made { doing, place: matrix.at.place, size: 16, elements: 1, parts: &[] };
                self.made(probe, warp, &made, At { lanes: at.lanes & rows, ..at });
            }
            _ => {}
        }
    }

    fn stored(
        &mut self,
        probe: &mut Told<'_>,
        warp: &Warp,
        (access, doing, parts): (&Stored, Doing, &[Slot]),
        at: At,
    ) {
        self.addresses_of(warp, access);
        let (size, elements) = (access.size.into(), access.parts.len());
        let made = Made { doing, place: access.place, size, elements, parts };
        self.made(probe, warp, &made, at);
    }

    fn copied(&mut self, probe: &mut Told<'_>, warp: &Warp, copy: &AsyncCopy, at: At) {
        let size = u32::from(copy.size);
        let mut counts = [u64::from(size); 32];
        if !copy.bytes.is_none() {
            warp.read(&self.launch.constants, copy.bytes, &mut counts);
        }
        let ignored = warp.p(copy.ignore);
        let count = |lane: usize| if ignored >> lane & 1 == 1 { 0 } else { counts[lane] as u32 };
        // More than the size is a fault.
        each_group(
            at.lanes,
            |lane| count(lane).min(size),
            |lanes, size| {
                if size != 0 {
                    self.address(warp, copy.from.base, copy.from.offset);
                    let (doing, place) = (Doing::CopyFrom, copy.from.place);
                    let made = Made { doing, place, size, elements: 1, parts: &[] };
                    self.made(probe, warp, &made, At { lanes, ..at });
                }
            },
        );
        self.address(warp, copy.to.base, copy.to.offset);
        let made =
            Made { doing: Doing::CopyTo, place: copy.to.place, size, elements: 1, parts: &[] };
        self.made(probe, warp, &made, at);
    }

    /// Tells an access at `self.addresses`, once for each space.
    fn made(&self, probe: &mut Told<'_>, warp: &Warp, made: &Made<'_>, at: At) {
        if let Some(space) = self.plain_space(made.place, at.lanes) {
            return self.made_in(probe, warp, made, at, (space, &self.addresses));
        }
        let mut own: L64 = [0; 32];
        each_group(
            at.lanes,
            |lane| self.space(warp, made.place, self.addresses[lane]).0,
            |same, space| {
                for lane in lanes(same) {
                    own[lane] = self.space(warp, made.place, self.addresses[lane]).1;
                }
                self.made_in(probe, warp, made, At { lanes: same, ..at }, (space, &own));
            },
        );
    }

    /// The space of all of these lanes, if it is the same and their addresses are already those of it.
    fn plain_space(&self, place: Place, mask: u32) -> Option<SpaceKind> {
        let all = &self.addresses;
        let is_global = match place {
            Place::Shared => return Some(SpaceKind::Shared),
            Place::KernelParam => return Some(SpaceKind::Param),
            Place::Global => holds_for(all, mask, |a| !(CONST_BASE..CONST_END).contains(&a)),
            Place::Generic => holds_for(all, mask, |a| space_of(a) == SpaceKind::Global),
            Place::Local | Place::Frame | Place::Param => false,
        };
        is_global.then_some(SpaceKind::Global)
    }

    /// Tells an access of lanes with addresses in a space.
    fn made_in(
        &self,
        probe: &mut Told<'_>,
        warp: &Warp,
        made: &Made<'_>,
        at: At,
        (space, addresses): (SpaceKind, &L64),
    ) {
        if !self.events.has(Events::of_space(space)) {
            return;
        }
        let &Made { doing, size, elements, parts, .. } = made;
        let values = Values { warp, constants: &self.launch.constants, parts };
        let (elements, order) = (elements as u32, self.told_op.1);
        let access = Access { doing, space, addresses, size, elements, order, values };
        probe.access(&at, &access);
    }
}
