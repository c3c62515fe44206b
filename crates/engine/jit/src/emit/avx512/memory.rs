//! Loads and stores: preparation of the operands, bounds checks, and the choice of how lanes are
//! accessed.
//!
//! The data of an access consists of *pieces* ([`Pieces`]): 32-bit values of 32 lanes, or 64-bit
//! values if a lane has 8 bytes or more. If all lanes execute the step, the lanes of each half of
//! the warp may be contiguous or have one address ([`super::shape`]); an access of a base group
//! takes the shape that its leader has found ([`crate::emit::base_groups`]). Otherwise each lane is
//! checked ([`super::check`]), and accessed by gathers and scatters ([`super::lanes`]), or by
//! masked vectors if the active lanes are part of a contiguous range ([`super::partial`]).

use super::Avx512Emitter;
use super::pieces::Pieces;
use crate::emit::affine::Affine;
use crate::emit::asm::{Label, at};
use crate::emit::backend;
use crate::emit::index::Indexed;
use crate::emit::register_cache::Reg;
use crate::frame::Frame;
use crate::machine::Site;
use crate::operand::{Predicate, Source};
use crate::region::ExitReason;
use crate::region::{Access, Load, Space, Step, Store};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;

/// The general register of the mask of executing lanes.
pub(super) const ACTIVE: R = R::EBP;
/// The general register of the host address that offsets are added to.
pub(super) const HOST: R = R::RBX;
/// The number of vector registers for 32 lanes of 32 and of 64 bits.
pub(super) const PARTS: [usize; 2] = [2, 4];

/// An access, with all registers that its code needs before its first jump.
pub(in crate::emit) struct MemAccess {
    pub(super) access: Access,
    pub(super) total: u64,
    pub(super) stores: bool,
    /// Whether offsets have 64 bits.
    pub(super) wide: bool,
    /// The base address of each lane, and the offset of each lane in the allocation, by parts.
    pub(super) bases: Vec<Reg>,
    pub(super) offsets: Vec<Reg>,
    /// The affine value of the base and the parts of its index, if the base is affine. `bases` are
    /// then registers in which the base can be computed.
    pub(super) affine: Option<(Affine, [Reg; 2])>,
    /// The shape of the index, if the bounds check is on the index ([`super::indexed`]).
    pub(super) indexed: Option<Indexed>,
    /// Registers for 32-bit offsets.
    pub(super) short: Option<[Reg; 2]>,
    pub(super) scratch: Reg,
    pub(super) masks: [Reg; 2],
    /// The exit before the step.
    pub(super) out: Label,
}

impl Avx512Emitter<'_> {
    /// Loads the mask of lanes that execute the step into [`ACTIVE`].
    pub(super) fn active(&mut self, guard: Predicate) {
        match guard {
            Predicate::Always => self.asm.put(I::with2(C::Mov_r32_rm32, ACTIVE, R::R8D)),
            guard => {
                self.lanes_of(guard, ACTIVE);
                self.asm.put(I::with2(C::And_r32_rm32, ACTIVE, R::R8D));
            }
        }
    }

    /// Emits a load that may exit.
    pub(super) fn load_step(&mut self, step: &Step, load: &Load) -> Option<()> {
        self.active(step.guard);
        let mut pieces = Pieces::new(self, &load.access);
        self.access(step, &load.access, &mut pieces, false)?;
        self.take_elements(load, &pieces, step.guard)
    }

    /// Emits a store that may exit.
    pub(super) fn store_step(&mut self, step: &Step, store: &Store) -> Option<()> {
        self.active(step.guard);
        let mut pieces = self.make_pieces(store)?;
        self.access(step, &store.access, &mut pieces, true)
    }

    /// Prepares an access. 64-bit addresses of shared and local memory are checked and shortened to
    /// 32 bits.
    pub(super) fn mem_access(
        &mut self,
        step: &Step,
        access: &Access,
        stores: bool,
    ) -> Option<MemAccess> {
        let base = access.base.unwrap_or(Source::Literal(0));
        let long = access.space == Space::Global || is_wide(base) && access.base.is_some();
        let known = self.facts.plans.get(self.block).and_then(|plan| plan.get(self.step));
        let value = known.and_then(|known| known.base);
        let mut bases = Vec::new();
        let parts = if value.is_some() { 0 } else { PARTS[usize::from(long)] };
        for part in 0..parts {
            let part = part as u8;
            bases.push(if long { self.wide(base, part)? } else { self.narrow(base, part)? });
        }
        let wide = access.space == Space::Global;
        let mut affine = None;
        if let Some(value) = value {
            let index = Source::B32(value.index);
            affine = Some((value, [self.narrow(index, 0)?, self.narrow(index, 1)?]));
        }
        let offsets: Vec<Reg> = (0..PARTS[usize::from(wide)]).map(|_| self.temporary()).collect();
        if affine.is_some() {
            bases.clone_from(&offsets);
        }
        let total = u64::from(access.size) * u64::from(access.count);
        let shorten = if long && !wide { vec![self.temporary(), self.temporary()] } else { vec![] };
        let looked_for = stores || self.indexed().is_none();
        let short =
            (wide && looked_for && total <= 8).then(|| [self.temporary(), self.temporary()]);
        let (scratch, masks) = (self.temporary(), [self.temporary_mask(), self.temporary_mask()]);
        let why = match access.space {
            Space::Global => ExitReason::Site(access.site),
            _ => ExitReason::Instruction,
        };
        let (access, out) = (*access, self.exit_stub(why, step.at));
        let indexed = self.indexed();
        let mut mem = MemAccess {
            access,
            total,
            stores,
            wide,
            bases,
            offsets,
            affine,
            indexed,
            short,
            scratch,
            masks,
            out,
        };
        if long && !wide {
            self.shorten(&mut mem, shorten);
        }
        Some(mem)
    }

    fn access(
        &mut self,
        step: &Step,
        access: &Access,
        pieces: &mut Pieces,
        stores: bool,
    ) -> Option<()> {
        let mem = self.mem_access(step, access, stores)?;
        let same = !is_by_lane(access.base.unwrap_or(Source::Literal(0)));
        let (done, each) = (self.asm.label(), self.asm.label());
        let known = access.space != Space::Local;
        if known && same && !stores {
            self.one(&mem, pieces);
            self.drop_mem_access(&mem);
            return Some(());
        }
        if known && !same && mem.total <= 16 {
            let member = self.facts.base_groups.member(self.block, self.step);
            if let Some(member) = member.filter(|member| member.leads) {
                self.set_shape(member, 0);
            }
            match member {
                _ if mem.indexed.is_some_and(|of| of.is_loaded) => {}
                _ if mem.indexed.is_some_and(|of| of.is_row) => {
                    self.known_row(&mem, pieces, (done, each));
                }
                Some(member) if !member.leads => {
                    self.known_row(&mem, pieces, (done, each));
                    self.follow(&mem, pieces, member, done);
                }
                member => {
                    self.known_row(&mem, pieces, (done, each));
                    self.shapes(&mem, pieces, member, (done, each));
                }
            }
        }
        self.asm.bind(each);
        self.gather(&mem, pieces, done);
        self.compute_bases(&mem);
        self.checks(&mem);
        self.each(&mem, pieces);
        self.asm.bind(done);
        self.drop_mem_access(&mem);
        Some(())
    }

    fn drop_mem_access(&mut self, mem: &MemAccess) {
        mem.masks.iter().chain(&mem.offsets).for_each(|&reg| self.cache.release(reg));
        mem.short.iter().flatten().for_each(|&reg| self.cache.release(reg));
        self.cache.release(mem.scratch);
    }
}

/// Whether the back end supports an access of this size, count and space.
pub(super) fn is_supported(access: &Access, stores: bool) -> bool {
    let total = u64::from(access.size) * u64::from(access.count);
    let known = matches!(access.size, 1 | 2 | 4 | 8) && total.is_power_of_two() && total <= 32;
    known
        && match access.space {
            Space::Global => access.base.is_none_or(is_wide),
            Space::Shared => access.base.is_some() || access.offset < 1 << 31,
            Space::Local => access.base.is_some_and(|b| !is_wide(b)) && (total >= 4 || !stores),
            Space::Frame | Space::Param => false,
        }
}

/// Whether a source is read as 64 bits, which includes immediates.
fn is_wide(source: Source) -> bool {
    matches!(
        source,
        Source::B64(_)
            | Source::WideConstant(_)
            | Source::Bytes64(_)
            | Source::FrameAt
            | Source::Literal(_)
    )
}

/// Whether a source may differ between lanes.
pub(super) fn is_by_lane(source: Source) -> bool {
    matches!(source, Source::B64(_) | Source::B32(_) | Source::PerLane(_) | Source::Lane)
}

pub(super) fn low_word(register: R) -> R {
    if register == R::EBP { R::BP } else { R::AX }
}

/// The memory operand of a field of the access's site.
pub(super) fn site(mem: &MemAccess, field: usize) -> MemoryOperand {
    backend::site(mem.access.site, field)
}

/// The memory operand of the exclusive limit of an offset, for an access of `bytes` bytes.
pub(super) fn limit(mem: &MemAccess, bytes: u64) -> MemoryOperand {
    let field =
        if mem.access.space == Space::Shared { Frame::SHARED_LIMITS } else { Frame::LOCAL_LIMITS };
    at(R::RDI, field + 8 * bytes.trailing_zeros() as usize)
}

pub(super) fn host(mem: &MemAccess) -> MemoryOperand {
    match mem.access.space {
        Space::Shared => at(R::RDI, Frame::SHARED),
        Space::Local => at(R::RDI, Frame::LOCAL),
        _ => site(mem, offset_of!(Site, host)),
    }
}

pub(super) fn spread_of(memory: MemoryOperand) -> MemoryOperand {
    MemoryOperand { is_broadcast: true, ..memory }
}
