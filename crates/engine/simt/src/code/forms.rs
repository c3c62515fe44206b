//! The larger operations of warp code.

use super::{Constants, Slot};
use crate::runtime::Function;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use texunit_isa::{AtomOp, BoolOp, ScalarType, ShflMode};
use texunit_memory::SpaceKind;
use texunit_syntax::Span;
use texunit_unit::{
    Attribute, Coordinates, FetchForm, FetchRequest, Lanes, Results, SurfaceForm, SurfaceKind,
    ZERO_LANES,
};

/// Barriers of a CTA: their numbers are below.
pub(crate) const BARRIERS: u8 = 16;

/// State space of an access as far as it is known before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// `.global`, `.const`: addresses are generic ones.
    Global,
    Generic,
    Shared,
    Local,
    /// `[register]` of `.param`: the kernel's parameters, or a frame's by generic address.
    Param,
    /// A known offset of the kernel's parameters.
    KernelParam,
    /// A known offset of the running frame in local memory.
    Frame,
}

/// A load or store.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) place: Place,
    /// Bytes of an element: 1, 2, 4, 8.
    pub(crate) size: u8,
    /// Sign-extend loaded elements.
    pub(crate) signed: bool,
    /// Registers, or sources of a store; `Slot::NONE` is not wanted.
    pub(crate) parts: Vec<Slot>,
    /// What remains of an element in its register.
    pub(crate) mask: u64,
    /// Address: this register or constant (or none) plus `offset`.
    pub(crate) base: Slot,
    pub(crate) offset: u64,
    /// `.const` access: checked to be one.
    pub(crate) constant: bool,
    /// Whether the lanes may make a row ([`Access::may_be_row`]).
    pub(crate) row: bool,
    /// Of generic addresses: where they have pointed.
    pub(crate) seen: SpaceProfile,
}

impl Access {
    /// That of a register's element of `size` bytes, which lies in the frame at a fixed place.
    pub(crate) fn of_frame(at: u32, size: u8, slot: Slot) -> Self {
        Self {
            place: Place::Frame,
            size,
            signed: false,
            parts: vec![slot],
            mask: u64::MAX,
            base: Slot::NONE,
            offset: u64::from(at),
            constant: false,
            row: false,
            seen: SpaceProfile::default(),
        }
    }
}

/// The spaces that generic addresses of an access have pointed into while it was interpreted: compiled code looks there.
#[derive(Debug, Default)]
pub(crate) struct SpaceProfile(AtomicU8);

impl SpaceProfile {
    const SHARED: u8 = 1;
    const LOCAL: u8 = 2;
    const PARAM: u8 = 4;
    const OTHERS: u8 = 8;

    /// They point there.
    #[inline]
    pub(crate) fn note(&self, space: SpaceKind) {
        let bit = match space {
            SpaceKind::Shared => Self::SHARED,
            SpaceKind::Local => Self::LOCAL,
            SpaceKind::Param => Self::PARAM,
            _ => Self::OTHERS,
        };
        let before = self.0.load(Relaxed);
        if before & bit == 0 {
            // What another worker notes at the same time, it notes again.
            self.0.store(before | bit, Relaxed);
        }
    }

    /// Whether they have pointed to parameters of the kernel alone.
    pub(crate) fn only_params(&self) -> bool {
        self.0.load(Relaxed) == Self::PARAM
    }

    /// The only window that they have pointed into: shared or local memory.
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

impl Access {
    /// Whether it is a global access of the usual kind, as far as it is known before it runs: up to 16 bytes
    /// by an address of 64 bits.
    pub(crate) fn is_usual(&self) -> bool {
        let total = usize::from(self.size) * self.parts.len();
        matches!(self.place, Place::Global | Place::Generic)
            && matches!(total, 1 | 2 | 4 | 8 | 16)
            && !self.constant
            && !self.base.is_none()
            && self.base.is_wide()
    }

    /// Whether it is of the usual kind and its elements are whole registers of 4 or 8 bytes: then lanes one
    /// behind the other are accessed in one copy.
    pub(crate) fn may_be_row(&self) -> bool {
        let wide = self.size == 8;
        let whole = |slot: &Slot| !slot.is_none() && !slot.is_predicate() && slot.is_wide() == wide;
        let all = if wide { u64::MAX } else { u64::from(u32::MAX) };
        self.is_usual()
            && matches!(self.size, 4 | 8)
            && self.mask & all == all
            && self.parts.iter().all(whole)
    }
}

/// atom, red.
#[derive(Clone, Debug)]
pub(crate) struct Atomic {
    pub(crate) place: Place,
    pub(crate) op: AtomOp,
    /// Of an element.
    pub(crate) ty: ScalarType,
    /// One for each element of a vector, of `.b128` the low and the high half.
    pub(crate) d: Vec<Slot>,
    pub(crate) base: Slot,
    pub(crate) offset: u64,
    pub(crate) b: Vec<Slot>,
    /// The new values of `cas`, else none.
    pub(crate) c: Vec<Slot>,
    /// Of generic addresses: where they have pointed.
    pub(crate) seen: SpaceProfile,
}

/// Who is called.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Callee {
    /// Index of a function.
    Direct(u32),
    /// A register with a function's address; lanes meet again at `reconverge`.
    Indirect { address: Slot, reconverge: u32 },
}

/// An argument or result of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    /// Offset in the caller's frame.
    Frame(u32),
    /// A register or constant.
    Register(Slot),
}

/// A value that passes between caller and callee.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passed {
    pub(crate) value: Value,
    /// Offset in the callee's frame.
    pub(crate) offset: u32,
    /// Bytes.
    pub(crate) size: u32,
    /// The shadow of a register (`observe::shadow`), if it has one.
    pub(crate) shadow: Slot,
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) callee: Callee,
    pub(crate) arguments: Vec<Passed>,
    pub(crate) results: Vec<Passed>,
    /// Sizes of results and arguments, which an indirect callee must have too.
    pub(crate) shape: (Vec<u32>, Vec<u32>),
}

/// A call of vprintf.
#[derive(Clone, Debug)]
pub(crate) struct Printf {
    pub(crate) format: Value,
    pub(crate) arguments: Value,
    pub(crate) result: Option<Value>,
}

/// What a call wants of the device heap.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HeapAction {
    /// malloc, `__nv_aligned_device_malloc`.
    Allocate { size: Value, align: Option<Value> },
    /// free.
    Free { pointer: Value },
}

/// A call of malloc or free.
#[derive(Clone, Debug)]
pub(crate) struct HeapCall {
    pub(crate) action: HeapAction,
    pub(crate) result: Option<Value>,
}

/// A call of the device runtime.
#[derive(Clone, Debug)]
pub(crate) struct RuntimeCall {
    pub(crate) function: Function,
    /// Whether stream 0 is that of the thread.
    pub(crate) is_per_thread: bool,
    pub(crate) arguments: Vec<Value>,
    /// Bytes of each.
    pub(crate) sizes: &'static [u8],
    pub(crate) result: Option<Value>,
}

/// A call of __assertfail.
#[derive(Clone, Debug)]
pub(crate) struct AssertFail {
    pub(crate) message: Value,
    pub(crate) file: Value,
    pub(crate) line: Value,
    pub(crate) function: Value,
}

/// What a barrier does besides counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierKind {
    Sync,
    Arrive,
    Popc,
    Reduce(BoolOp),
}

/// bar, barrier.
#[derive(Clone, Debug)]
pub(crate) struct Barrier {
    pub(crate) kind: BarrierKind,
    pub(crate) id: Slot,
    /// Threads, if written.
    pub(crate) threads: Slot,
    pub(crate) d: Slot,
    pub(crate) p: Slot,
}

impl Barrier {
    /// The number of a barrier of the CTA that is for all of its threads and does nothing else (PTX ISA, "bar").
    #[inline]
    pub(crate) fn plain(&self, constants: &Constants) -> Option<u8> {
        let is_plain = self.is_plain();
        let id = constants.narrow.get(self.id.index()).filter(|_| is_plain)?[0];
        u8::try_from(id).ok().filter(|&id| id < BARRIERS)
    }

    /// Whether it is for all threads of the CTA, does nothing else, and has a number that is known.
    pub(crate) fn is_plain(&self) -> bool {
        self.kind == BarrierKind::Sync && self.threads.is_none() && self.id.is_constant()
    }
}

/// shfl.
#[derive(Clone, Debug)]
pub(crate) struct Shuffle {
    pub(crate) mode: ShflMode,
    pub(crate) d: Slot,
    pub(crate) p: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) c: Slot,
    /// `Slot::NONE` without `.sync`.
    pub(crate) members: Slot,
}

/// A texture, sampler or surface operand.
#[derive(Clone, Debug)]
pub(crate) struct Handle {
    pub(crate) slot: Slot,
    /// Of a reference: keyword and name, for messages.
    pub(crate) name: Option<String>,
    pub(crate) source: HandleSource,
    /// Whether all lanes have the same one.
    pub(crate) uniform: bool,
}

/// What an instruction says its texture, sampler or surface is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandleSource {
    /// A module-scope reference of this name.
    Reference(String),
    /// A kernel parameter of this name.
    Parameter(String),
    /// A handle in a register.
    Register,
}

/// tex, tld4.
#[derive(Clone, Debug)]
pub(crate) struct Fetch {
    /// Number of the instruction among all texture and surface instructions.
    pub(crate) site: usize,
    pub(crate) form: FetchForm,
    pub(crate) texture: Handle,
    pub(crate) sampler: Option<Handle>,
    /// `Slot::NONE` for what the geometry lacks.
    pub(crate) coords: Coordinates<Slot>,
    /// Level, gradients, offset and compare reference of the forms that have one of them.
    pub(crate) more: Option<MoreOperands>,
    /// Registers of x, y, z, w; of `.f16x2` the two registers.
    pub(crate) parts: [Slot; 4],
    /// The wanted parts, if they are registers that follow each other, with no operand among them.
    pub(crate) block: Option<Results>,
    /// The parts that are read later.
    pub(crate) components: u8,
    /// Destination predicate, or none.
    pub(crate) resident: Slot,
    /// Which source instruction.
    pub(crate) span: Span,
}

/// The registers of wanted parts, if they are narrow and follow each other.
fn results(parts: &[Slot; 4]) -> Option<Results> {
    let wanted = || parts.iter().zip(0..).filter(|(part, _)| !part.is_none());
    let first = wanted().map(|(part, _)| part.index()).min()?;
    let len = wanted().count();
    let mut components = [u8::MAX; 4];
    for (part, component) in wanted() {
        let place = components[..len].get_mut(part.index() - first)?;
        if *place != u8::MAX {
            return None;
        }
        *place = component;
    }
    Some(Results { first, len, components })
}

/// Whether a register is one of them.
fn has(results: &Results, slot: Slot) -> bool {
    let others = slot.is_none() || slot.is_constant() || slot.is_wide() || slot.is_predicate();
    !others && (results.first..results.first + results.len).contains(&slot.index())
}

impl Fetch {
    /// The operands, each by its register or constant. What the geometry lacks is zero.
    #[inline(always)]
    pub(crate) fn request<'w>(
        &self,
        active: u32,
        n: impl Fn(Slot) -> &'w Lanes,
    ) -> FetchRequest<'w> {
        let coords = self.coords.map(|slot| if slot.is_none() { &ZERO_LANES } else { n(slot) });
        let request = FetchRequest::new(active, coords);
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

    /// Looks whether the wanted parts are a block.
    pub(crate) fn find_block(&mut self) {
        self.block = results(&self.parts).filter(|block| !self.overlaps(block));
    }

    /// Whether an operand is read where a result is written.
    fn overlaps(&self, block: &Results) -> bool {
        let more = self.more.iter().flat_map(|more| {
            let all = [more.dpdx, more.dpdy, more.offset, [more.level, more.compare, Slot::NONE]];
            all.into_iter().flatten()
        });
        self.coords.into_iter().copied().chain(more).any(|slot| has(block, slot))
    }
}

/// What follows the brackets of a `tex` or `tld4`; zeros for what is not written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MoreOperands {
    pub(crate) level: Slot,
    pub(crate) dpdx: [Slot; 3],
    pub(crate) dpdy: [Slot; 3],
    pub(crate) offset: [Slot; 3],
    pub(crate) compare: Slot,
}

/// txq, suq.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub(crate) attribute: Attribute,
    pub(crate) handle: Handle,
    /// suq.
    pub(crate) of_surface: bool,
    /// The level of `txq.level`, or none.
    pub(crate) level: Slot,
    pub(crate) d: Slot,
}

/// suld, sust, sured.
#[derive(Clone, Debug)]
pub(crate) struct SurfaceAccess {
    pub(crate) site: usize,
    pub(crate) form: SurfaceForm,
    pub(crate) surface: Handle,
    /// `Slot::NONE` for what the geometry lacks.
    pub(crate) coords: Coordinates<Slot>,
    /// Registers of the elements, or sources of a store or reduction.
    pub(crate) parts: Vec<Slot>,
    /// Bits of an element.
    pub(crate) mask: u64,
    /// What remains of a loaded element in its register.
    pub(crate) register_mask: u64,
}

impl SurfaceAccess {
    /// Whether it computes with what is there (`sured`).
    pub(crate) fn is_reduction(&self) -> bool {
        matches!(self.form.kind, SurfaceKind::Reduce { .. })
    }
}
