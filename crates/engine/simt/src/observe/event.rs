//! The data that notifications of observers carry: who executes an operation, memory accesses,
//! synchronisation, branches, calls, fetches, and uses of uninitialised data.

use super::{Arrangement, GroupedLoad, Order, Register, Sink, coordinates};
use crate::code::{Constants, Slot};
use std::sync::Arc;
use texunit_alu::{L32, L64};
use texunit_isa::AtomOp;
use texunit_jit::region::LaneValues;
use texunit_memory::SpaceKind;
use texunit_unit::{
    AccessFault, FetchAnswer, FetchPlan, FetchRequest, Resource, Surface, SurfaceAnswer,
    SurfaceForm, SurfacePlan, SurfaceRequest, TexelIndex,
};

/// The warp, lanes and operation of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct At {
    /// `%ctaid` of the CTA.
    pub cta: [u32; 3],
    /// Number of the warp in its CTA.
    pub warp: u32,
    /// Mask of the lanes concerned.
    pub lanes: u32,
    /// Number of the operation in the program's code ([`super::Listing`]).
    pub op: u32,
}

impl At {
    /// `%tid` of a lane.
    pub fn thread(&self, lane: u32, block: [u32; 3]) -> [u32; 3] {
        coordinates((self.warp * 32 + lane).into(), block)
    }
}

/// Position and size of a CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CtaInfo {
    /// `%ctaid` of the CTA.
    pub id: [u32; 3],
    /// Linear number of the CTA in the grid, x varying fastest.
    pub index: u64,
    /// `%ntid`, the size of the CTA.
    pub block: [u32; 3],
    /// Number of warps; the last one may have fewer than 32 lanes.
    pub warps: u32,
    /// Bytes of shared memory that the program requested.
    pub shared: u64,
}

impl CtaInfo {
    /// Mask of the lanes of a warp that have a thread.
    pub fn lanes(&self, warp: u32) -> u32 {
        let threads = self.block.iter().product::<u32>();
        match threads.saturating_sub(warp * 32) {
            n @ 0..32 => (1 << n) - 1,
            _ => u32::MAX,
        }
    }
}

/// Kind of a memory access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessOp {
    /// A load (`ld`, `ldu`).
    Load,
    /// A store (`st`).
    Store,
    /// `atom`, `red`: each element is both loaded and stored.
    Atomic(AtomOp),
    /// The source of `cp.async`.
    CopyFrom,
    /// The destination of `cp.async`. The copy is executed immediately; on hardware it is complete
    /// after a wait.
    CopyTo,
    /// The source of `cp.async.bulk`, in pieces of 16 bytes.
    BulkLoad,
    /// The destination of `cp.async.bulk`, in pieces of 16 bytes.
    BulkStore,
    /// The destination of `cp.reduce.async.bulk`, by element.
    BulkReduce,
    /// `ldmatrix`: rows of 16 bytes, whose addresses come from one lane each.
    MatrixLoad,
    /// `stmatrix`, with rows as for `ldmatrix`.
    MatrixStore,
}

impl AccessOp {
    /// Whether the access writes memory.
    pub fn writes(self) -> bool {
        !matches!(self, Self::Load | Self::CopyFrom | Self::BulkLoad | Self::MatrixLoad)
    }

    /// Whether the access reads memory.
    pub fn reads(self) -> bool {
        !matches!(self, Self::Store | Self::CopyTo | Self::BulkStore | Self::MatrixStore)
    }
}

/// A memory access of some lanes to one state space. If the lanes of a generic access point into
/// several spaces, there is an event for each of them.
pub struct Access<'a> {
    /// Kind of the access.
    pub operation: AccessOp,
    /// State space of the addresses.
    pub space: SpaceKind,
    /// Address of each lane's first byte: a generic address in global and constant memory, an
    /// offset in other spaces.
    pub addresses: &'a L64,
    /// Arrangement of the addresses.
    pub arrangement: Arrangement,
    /// Bytes of an element. The elements of a lane are contiguous.
    pub size: u32,
    /// Number of elements of a lane.
    pub elements: u32,
    /// Memory order of the access.
    pub order: Order,
    /// Values that are stored, or the operands of an atomic; for `cas` the values to compare with.
    pub values: Values<'a>,
}

impl Access<'_> {
    /// Bytes accessed by a lane.
    pub fn bytes(&self) -> u32 {
        self.size * self.elements
    }
}

impl GroupedLoad {
    /// Addresses of the load.
    pub fn addresses(&self, first: &Access<'_>) -> L64 {
        first.addresses.map(|address| address.wrapping_add(self.offset))
    }

    /// The load as an access of these lanes with the given addresses.
    pub fn access<'a>(&self, first: &Access<'a>, addresses: &'a L64, lanes: u32) -> Access<'a> {
        let &Self { size, elements, .. } = self;
        let &Access { operation, space, order, values, .. } = first;
        let arrangement = match size * elements == first.bytes() {
            true => first.arrangement.moved(self.offset),
            false => Arrangement::of(addresses, lanes, size * elements),
        };
        Access { operation, space, addresses, arrangement, size, elements, order, values }
    }
}

/// The values of the elements of an access, which are read from registers on demand.
#[derive(Clone, Copy)]
pub struct Values<'a>(pub(crate) ValueSource<'a>);

/// Location of the values.
#[derive(Clone, Copy)]
pub(crate) enum ValueSource<'a> {
    /// The values are in registers of a warp.
    Registers { registers: Registers<'a>, parts: &'a [Slot] },
    /// The values are in rows that compiled code has stored.
    Rows(&'a [LaneValues<'a>]),
}

impl Default for Values<'_> {
    /// Makes an empty set of values.
    fn default() -> Self {
        Self(ValueSource::Rows(&[]))
    }
}

impl Values<'_> {
    /// Number of elements, or 0 if the values are not in registers.
    pub fn len(&self) -> usize {
        match self.0 {
            ValueSource::Registers { parts, .. } => parts.len(),
            ValueSource::Rows(rows) => rows.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values of an element in all lanes, zero-extended; `None` if its register is `_` or there
    /// is no such element.
    pub fn get(&self, element: usize) -> Option<L64> {
        match self.0 {
            ValueSource::Registers { registers, parts } => {
                let slot = *parts.get(element).filter(|slot| !slot.is_none())?;
                Some(registers.value(slot))
            }
            ValueSource::Rows(rows) => Some(match rows.get(element)? {
                LaneValues::B32(row) => row.map(u64::from),
                LaneValues::B64(row) => **row,
            }),
        }
    }

    /// The low 32 bits of an element in all lanes; `None` as for [`Self::get`].
    #[inline]
    pub fn low(&self, element: usize) -> Option<[u32; 32]> {
        match self.0 {
            ValueSource::Rows(rows) => Some(match rows.get(element)? {
                LaneValues::B32(row) => **row,
                LaneValues::B64(row) => row.map(|value| value as u32),
            }),
            ValueSource::Registers { .. } => {
                self.get(element).map(|row| row.map(|value| value as u32))
            }
        }
    }
}

/// The registers of a warp before an operation.
#[derive(Clone, Copy)]
pub struct Registers<'a> {
    pub(crate) narrow: &'a [L32],
    pub(crate) wide: &'a [L64],
    pub(crate) predicates: &'a [u32],
    pub(crate) constants: &'a Constants,
    /// Indices of the running function's first register of each kind.
    pub(crate) bases: [usize; 3],
}

impl Registers<'_> {
    /// The value of a register of the running function in each lane, zero-extended; a predicate as
    /// 0 or 1.
    pub fn read(&self, register: Register) -> L64 {
        self.value(register.slot())
    }

    /// The value of an operand of any kind in each lane, zero-extended; a predicate as 0 or 1.
    pub(crate) fn value(&self, slot: Slot) -> L64 {
        let [narrow, wide, predicates] = self.bases;
        let is_constant = slot.is_constant();
        if slot.is_predicate() {
            let bits = match is_constant {
                true => u32::MAX,
                false => self.predicates[predicates + slot.predicate_index()],
            };
            let bits = if slot.is_negated() { !bits } else { bits };
            std::array::from_fn(|lane| u64::from(bits >> lane & 1))
        } else if slot.is_wide() {
            let (rows, base) =
                if is_constant { (&self.constants.wide[..], 0) } else { (self.wide, wide) };
            rows[base + slot.index()]
        } else {
            let (rows, base) =
                if is_constant { (&self.constants.narrow[..], 0) } else { (self.narrow, narrow) };
            rows[base + slot.index()].map(u64::from)
        }
    }

    /// Number of a register among all registers of its kind in the warp. The registers of nested
    /// calls are consecutive.
    pub fn row(&self, register: Register) -> usize {
        let [narrow, wide, predicates] = self.bases;
        match register {
            Register::Narrow(i) => narrow + i as usize,
            Register::Wide(i) => wide + i as usize,
            Register::Predicate(i) => predicates + i as usize,
            Register::Constant(..) => 0,
        }
    }
}

/// A branch of the lanes of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Mask of the lanes that go to `target`; the others fall through. A `brx` has one event for
    /// each target, with the lanes that go there.
    pub taken: u32,
    /// Number of the operation at the target.
    pub target: u32,
    /// Whether the branch is a `brx`.
    pub indexed: bool,
}

/// A use of a value that depends on uninitialised data.
#[derive(Clone, Copy)]
pub struct Undefined<'a> {
    /// Kind of the use.
    pub sink: Sink,
    /// The register that holds the value; for [`Sink::Origin`] and [`Sink::Atomic`] the destination
    /// register, if there is one.
    pub register: Option<Register>,
    /// Mask of the uninitialised bits, for each lane.
    pub bits: &'a L64,
    /// Size of the value in bytes.
    pub size: u32,
    /// The memory location that the value is loaded from or stored to: space, and addresses as in
    /// [`Access`].
    pub memory: Option<(SpaceKind, &'a L64)>,
    /// The texels that the value is loaded from, or that a surface reduction computes with.
    pub texels: Option<Texels<'a>>,
}

/// Uninitialised texels that a fetch or surface access reads.
#[derive(Clone, Copy)]
pub struct Texels<'a> {
    /// The texture or surface, as the instruction sees it.
    pub resource: &'a Resource,
    /// The first uninitialised texel of each lane.
    pub at: &'a [TexelIndex; 32],
}

/// A call event: start or end of a function, heap operation, or device launch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CallEvent<'a> {
    /// Lanes start to execute a function; the event's operation is the call.
    Enters {
        /// Name of the function.
        function: &'a str,
    },
    /// Lanes return from a function; the event's operation is the return.
    Returns {
        /// Number of the call.
        to: u32,
    },
    /// Lanes exit.
    Exits {
        /// Whether no lane of the warp is left.
        last: bool,
    },
    /// `malloc` has returned addresses to the lanes; 0 stands for no memory.
    Allocates {
        /// Size requested by each lane.
        sizes: &'a L64,
        /// Address returned to each lane.
        addresses: &'a L64,
    },
    /// `free` has been called by the lanes with addresses.
    Frees {
        /// Address given by each lane.
        addresses: &'a L64,
    },
    /// A lane has submitted work to the device runtime: a grid, a copy or a fill.
    Launches {
        /// Number of the work item in its grid (`runtime::Work`).
        work: u64,
    },
}

/// A planned fetch of lanes that share texture and sampler.
#[derive(Clone, Copy)]
pub struct PlannedFetch<'a> {
    /// The plan: instruction form, texture, sampler.
    pub plan: &'a FetchPlan,
    /// Operands of the fetch.
    pub request: &'a FetchRequest<'a>,
}

/// A surface access of lanes that share the surface.
#[derive(Clone, Copy)]
pub struct PlannedSurfaceAccess<'a> {
    /// Instruction form.
    pub form: SurfaceForm,
    /// The surface.
    pub surface: &'a Arc<Surface>,
    /// Operands of the access.
    pub request: &'a SurfaceRequest<'a>,
}

/// An executed fetch with its result. The result has all components for the lanes of
/// [`Probe::answer_lanes`](super::Probe::answer_lanes), including those that the kernel does not
/// use.
#[derive(Clone, Copy)]
pub struct ExecutedFetch<'a> {
    /// The plan: instruction form, texture, sampler.
    pub plan: &'a FetchPlan,
    /// Operands of the fetch.
    pub request: &'a FetchRequest<'a>,
    /// Components of the result; for `.f16x2` two registers hold all of them.
    pub answer: &'a FetchAnswer,
}

/// An executed surface access with its result.
#[derive(Clone, Copy)]
pub struct ExecutedSurfaceAccess<'a> {
    /// Instruction form.
    pub form: SurfaceForm,
    /// The plan of the access, which has the surface.
    pub plan: &'a SurfacePlan,
    /// Operands of the access.
    pub request: &'a SurfaceRequest<'a>,
    /// Elements that were loaded, stored or combined.
    pub elements: &'a SurfaceAnswer,
    /// Number of elements of a lane.
    pub parts: usize,
    /// The first lane whose access failed, if any; later lanes did not execute the access.
    pub fault: Option<&'a AccessFault>,
}

impl ExecutedSurfaceAccess<'_> {
    /// Result of the access for a lane, or `None` if a fault of an earlier lane had ended the
    /// launch.
    pub fn outcome(&self, lane: usize) -> Option<Result<[u64; 4], AccessFault>> {
        match self.fault {
            Some(fault) if fault.lane() < lane => None,
            Some(fault) if fault.lane() == lane => Some(Err(fault.clone())),
            _ => {
                let mut values = [0; 4];
                for (value, all) in values.iter_mut().zip(&self.elements.values).take(self.parts) {
                    *value = all[lane];
                }
                Some(Ok(values))
            }
        }
    }
}
