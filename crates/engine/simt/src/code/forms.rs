//! Operand structures of warp-code operations that need more than a few slots: memory accesses,
//! atomics, calls, barriers, shuffles, fetches and surface accesses. The module `lower` fills them
//! in, and [`super::Op`] has them in boxes. The executor, the observers and the JIT read them.

use super::{Constants, Located, Slot};
use crate::runtime::Named;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use texunit_isa::{AtomOp, BoolOp, ScalarType, ShflMode};
use texunit_memory::SpaceKind;
use texunit_syntax::Span;
use texunit_unit::{
    Attribute, Coordinates, FetchForm, FetchRequest, Lanes, Results, SurfaceForm, SurfaceKind,
    ZERO_LANES,
};

/// Number of barriers of a CTA; barrier numbers are less than this.
pub(crate) const BARRIERS: u8 = 16;

/// State space of an access, as far as it is known before execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemSpace {
    /// `.global` or `.const`; addresses are generic addresses.
    Global,
    Generic,
    Shared,
    Local,
    /// `[register]` in `.param`: a parameter of the kernel, or of a call frame by generic address.
    Param,
    /// A constant offset into the kernel's parameters.
    KernelParam,
    /// A constant offset into the running call frame, which is in local memory.
    Frame,
}

/// Operands of a load or store.
#[derive(Clone, Debug, Default)]
pub(crate) struct Access {
    /// The address of the first element.
    pub(crate) at: Located,
    /// Bytes of an element: 1, 2, 4 or 8.
    pub(crate) size: u8,
    /// Whether loaded elements are sign-extended.
    pub(crate) signed: bool,
    /// Destination registers of a load or source operands of a store, one for each element;
    /// `Slot::NONE`: the element is not needed.
    pub(crate) parts: Vec<Slot>,
    /// Bits of an element that its register keeps.
    pub(crate) mask: u64,
    /// Whether the access is to `.const`, so that the address is checked to be in constant memory.
    pub(crate) constant: bool,
    /// State spaces that the generic addresses have pointed into so far.
    pub(crate) seen: SpaceProfile,
}

impl Access {
    /// The access to a register's element of `size` bytes at a fixed offset of the call frame.
    pub(crate) fn of_frame(at: u32, size: u8, slot: Slot) -> Self {
        let at = Located { mem_space: MemSpace::Frame, base: Slot::NONE, offset: at.into() };
        Self::new(at, size, vec![slot])
    }

    /// The access to elements of `size` bytes, without sign extension.
    pub(crate) fn new(at: Located, size: u8, parts: Vec<Slot>) -> Self {
        Self { at, size, parts, mask: u64::MAX, ..Self::default() }
    }

    /// Bytes of all elements of a lane.
    pub(crate) fn total(&self) -> u32 {
        u32::from(self.size) * self.parts.len() as u32
    }
}

/// The state spaces that the generic addresses of an access pointed into while the access was
/// interpreted. Compiled code looks for the memory there first.
#[derive(Debug, Default)]
pub(crate) struct SpaceProfile(AtomicU8);

impl SpaceProfile {
    const SHARED: u8 = 1;
    const LOCAL: u8 = 2;
    const PARAM: u8 = 4;
    const OTHERS: u8 = 8;

    /// Records that an address pointed into this state space.
    #[inline]
    pub(crate) fn record(&self, space: SpaceKind) {
        let bit = match space {
            SpaceKind::Shared => Self::SHARED,
            SpaceKind::Local => Self::LOCAL,
            SpaceKind::Param => Self::PARAM,
            _ => Self::OTHERS,
        };
        let before = self.0.load(Relaxed);
        if before & bit == 0 {
            // A lost update is harmless, because the other worker records its space again at its
            // next access.
            self.0.store(before | bit, Relaxed);
        }
    }

    /// Whether all addresses so far pointed to parameters of the kernel.
    pub(crate) fn only_params(&self) -> bool {
        self.0.load(Relaxed) == Self::PARAM
    }

    /// The only window that all addresses so far pointed into, if it is shared or local memory.
    pub(crate) fn window(&self) -> Option<SpaceKind> {
        match self.0.load(Relaxed) {
            Self::SHARED => Some(SpaceKind::Shared),
            Self::LOCAL => Some(SpaceKind::Local),
            _ => None,
        }
    }
}

impl Clone for SpaceProfile {
    fn clone(&self) -> Self {
        Self(AtomicU8::new(self.0.load(Relaxed)))
    }
}

/// Operands of `atom` and `red`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Atomic {
    /// The elements, with the destination register of each. A `.b128` has two, for the low and the
    /// high half.
    pub(crate) access: Access,
    pub(crate) op: AtomOp,
    pub(crate) ty: ScalarType,
    pub(crate) b: Vec<Slot>,
    /// The new values of `cas`; empty for other operations.
    pub(crate) c: Vec<Slot>,
}

impl Atomic {
    /// An atomic on elements of this type.
    pub(crate) fn new(at: Located, op: AtomOp, ty: ScalarType, d: Vec<Slot>) -> Self {
        let access = Access::new(at, ty.bytes().min(8) as u8, d);
        Self { access, op, ty, ..Self::default() }
    }
}

/// The target of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Callee {
    /// A function known at lowering, by its index.
    Direct(u32),
    /// A register with a function's address. The lanes reconverge at instruction `reconverge`.
    Indirect { address: Slot, reconverge: u32 },
}

/// Where the caller has an argument or result of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    /// Offset in the caller's call frame.
    Frame(u32),
    /// A register or a constant.
    Register(Slot),
}

impl Default for Value {
    fn default() -> Self {
        Self::Frame(0)
    }
}

/// An argument or result that is copied between caller and callee.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    pub(crate) value: Value,
    /// Offset in the callee's call frame.
    pub(crate) offset: u32,
    /// Size of the value in bytes.
    pub(crate) size: u32,
    /// The register's shadow (`marks::shadow`), if it has one.
    pub(crate) shadow: Slot,
}

/// Operands of a call of a PTX function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Call {
    pub(crate) callee: Callee,
    pub(crate) arguments: Vec<Passed>,
    pub(crate) results: Vec<Passed>,
    /// Sizes of results and arguments, which the callee of an indirect call must match.
    pub(crate) shape: (Vec<u32>, Vec<u32>),
}

/// Operands of a call of a built-in function.
#[derive(Clone, Debug, Default)]
pub(crate) struct BuiltinCall {
    pub(crate) function: Named,
    pub(crate) arguments: Vec<Value>,
    pub(crate) result: Option<Value>,
}

/// The result that a barrier computes besides synchronising.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierKind {
    Sync,
    Arrive,
    Popc,
    Reduce(BoolOp),
}

/// Operands of `bar` and `barrier`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Barrier {
    pub(crate) kind: BarrierKind,
    pub(crate) id: Slot,
    /// Number of participating threads, if the instruction specifies one.
    pub(crate) threads: Slot,
    pub(crate) d: Slot,
    pub(crate) p: Slot,
}

impl Barrier {
    /// The barrier number, if the barrier is a plain one: all threads of the CTA take part, nothing
    /// is computed, and the number is a constant (PTX ISA, "bar").
    #[inline]
    pub(crate) fn plain(&self, constants: &Constants) -> Option<u8> {
        let id = constants.narrow.get(self.id.index()).filter(|_| self.is_plain())?[0];
        u8::try_from(id).ok().filter(|&id| id < BARRIERS)
    }

    /// Whether all threads of the CTA take part, nothing is computed, and the barrier number is a
    /// constant.
    pub(crate) fn is_plain(&self) -> bool {
        self.kind == BarrierKind::Sync && self.threads.is_none() && self.id.is_constant()
    }
}

/// Operands of `shfl`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shuffle {
    pub(crate) mode: ShflMode,
    pub(crate) d: Slot,
    pub(crate) p: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) c: Slot,
    /// The member mask; `Slot::NONE` for a shuffle without `.sync`.
    pub(crate) members: Slot,
}

/// A texture, sampler or surface operand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Handle {
    pub(crate) slot: Slot,
    /// Keyword and name of a module-scope reference, for messages.
    pub(crate) name: Option<String>,
    pub(crate) source: HandleSource,
}

/// Where an instruction takes its texture, sampler or surface from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum HandleSource {
    /// A module-scope reference of this name.
    Reference(String),
    /// A kernel parameter of this name.
    Parameter(String),
    /// A handle in a register.
    #[default]
    Register,
}

/// Operands of `tex` and `tld4`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fetch {
    /// Number of the instruction among all texture and surface instructions of the module.
    pub(crate) site: usize,
    pub(crate) form: FetchForm,
    pub(crate) texture: Handle,
    pub(crate) sampler: Option<Handle>,
    /// Coordinates; `Slot::NONE` for components that the geometry does not have.
    pub(crate) coords: Coordinates<Slot>,
    /// Operands for level, gradients, offset and compare reference, if the form has any of them.
    pub(crate) more: Option<MoreOperands>,
    /// Destination registers of x, y, z, w; for `.f16x2` two registers.
    pub(crate) parts: [Slot; 4],
    /// The needed destination registers as one block, if they have consecutive numbers and none of
    /// them is also an operand.
    pub(crate) block: Option<Results>,
    /// Mask of the components that are read later.
    pub(crate) components: u8,
    /// Destination predicate for the residency of the texels; `Slot::NONE` if the instruction has
    /// none.
    pub(crate) resident: Slot,
    /// Source location of the instruction.
    pub(crate) span: Span,
}

/// The registers of the needed components, if they are 32-bit registers with consecutive numbers.
fn results(parts: &[Slot; 4]) -> Option<Results> {
    let wanted = || parts.iter().zip(0..).filter(|(part, _)| !part.is_none());
    let first = wanted().map(|(part, _)| part.index()).min()?;
    let len = wanted().count();
    let (mut components, mut found) = (Results::IN_ORDER, 0);
    for (part, component) in wanted() {
        let row = part.index() - first;
        *components[..len].get_mut(row)? = component;
        found |= 1 << row;
    }
    if found != (1 << len) - 1 {
        return None;
    }
    Some(Results { first, len, components })
}

/// Whether a register is in a block of consecutive destination registers.
fn has(results: &Results, slot: Slot) -> bool {
    let others = slot.is_none() || slot.is_constant() || slot.is_wide() || slot.is_predicate();
    !others && (results.first..results.first + results.len).contains(&slot.index())
}

impl Fetch {
    /// The request to the texture unit with each operand's register or constant. Operands that the
    /// geometry does not have are zero.
    #[inline(always)]
    pub(crate) fn request<'w>(&self, mask: u32, n: impl Fn(Slot) -> &'w Lanes) -> FetchRequest<'w> {
        let coords = self.coords.map(|slot| if slot.is_none() { &ZERO_LANES } else { n(slot) });
        let request = FetchRequest::new(mask, coords);
        let Some(more) = &self.more else { return request };
        let [ax, ay, az] = more.dpdx;
        let [bx, by, bz] = more.dpdy;
        let [ox, oy, oz] = more.offset;
        FetchRequest {
            level: n(more.level),
            dpdx: [n(ax), n(ay), n(az)],
            dpdy: [n(bx), n(by), n(bz)],
            offset: [n(ox), n(oy), n(oz)],
            compare: n(more.compare),
            ..request
        }
    }

    /// Sets `block` if the needed destinations are a block of registers.
    pub(crate) fn find_block(&mut self) {
        self.block = results(&self.parts).filter(|block| !self.overlaps(block));
    }

    /// Whether a destination register is also an operand.
    fn overlaps(&self, block: &Results) -> bool {
        let more = self.more.iter().flat_map(|more| {
            let all = [more.dpdx, more.dpdy, more.offset, [more.level, more.compare, Slot::NONE]];
            all.into_iter().flatten()
        });
        self.coords.into_iter().copied().chain(more).any(|slot| has(block, slot))
    }
}

/// Operands behind the brackets of a `tex` or `tld4`. An operand that the instruction lacks is
/// zero.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MoreOperands {
    pub(crate) level: Slot,
    pub(crate) dpdx: [Slot; 3],
    pub(crate) dpdy: [Slot; 3],
    pub(crate) offset: [Slot; 3],
    pub(crate) compare: Slot,
}

/// Operands of `txq` and `suq`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query {
    pub(crate) attribute: Attribute,
    pub(crate) handle: Handle,
    /// Whether the instruction is `suq`.
    pub(crate) of_surface: bool,
    /// The level operand of `txq.level`; `Slot::NONE` for other queries.
    pub(crate) level: Slot,
    pub(crate) d: Slot,
}

/// Operands of `suld`, `sust` and `sured`.
#[derive(Clone, Debug, Default)]
pub(crate) struct SurfaceAccess {
    pub(crate) site: usize,
    pub(crate) form: SurfaceForm,
    pub(crate) surface: Handle,
    /// Coordinates; `Slot::NONE` for components that the geometry does not have.
    pub(crate) coords: Coordinates<Slot>,
    /// Destination registers of a load, or source operands of a store or reduction.
    pub(crate) parts: Vec<Slot>,
    /// Mask of the bits of an element.
    pub(crate) mask: u64,
    /// Bits of a loaded element that its register keeps.
    pub(crate) register_mask: u64,
}

impl SurfaceAccess {
    /// Whether the access combines its operand with the stored value (`sured`).
    pub(crate) fn is_reduction(&self) -> bool {
        matches!(self.form.kind, SurfaceKind::Reduce { .. })
    }
}
