//! What events carry.

use super::{Order, Register};
pub use crate::code::MbarrierAction;
use crate::code::{Constants, Slot};
pub use crate::exec::MbarrierState;
use crate::exec::{Warp, lane_of};
use std::sync::Arc;
use texunit_alu::L64;
use texunit_isa::AtomOp;
use texunit_jit::region::LaneValues;
use texunit_memory::SpaceKind;
use texunit_unit::{
    AccessFault, FetchAnswer, FetchPlan, FetchRequest, Resource, Surface, SurfaceAnswer,
    SurfaceForm, SurfaceRequest, TexelIndex,
};

/// Who does something, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct At {
    /// %ctaid
    pub cta: [u32; 3],
    /// Number of the warp in the CTA.
    pub warp: u32,
    /// Bits of the lanes.
    pub lanes: u32,
    /// Number of the operation in the program's code: see [`super::Listing`].
    pub op: u32,
}

impl At {
    /// %tid of a lane.
    pub fn thread(&self, lane: u32, block: [u32; 3]) -> [u32; 3] {
        let ([w, h, _], index) = (block.map(|n| n.max(1)), self.warp * 32 + lane);
        [index % w, index / w % h, index / w / h]
    }
}

/// A CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CtaInfo {
    /// %ctaid
    pub id: [u32; 3],
    /// Its number in the grid, x first.
    pub index: u64,
    /// %ntid
    pub block: [u32; 3],
    /// Warps; the last may have fewer than 32 lanes.
    pub warps: u32,
    /// Bytes of shared memory that the program has asked for.
    pub shared: u64,
}

impl CtaInfo {
    /// Lanes that a warp begins with.
    pub fn lanes(&self, warp: u32) -> u32 {
        let threads = self.block.iter().product::<u32>();
        match threads.saturating_sub(warp * 32) {
            n @ 0..32 => (1 << n) - 1,
            _ => u32::MAX,
        }
    }
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Doing {
    /// `ld`, `ldu`
    Load,
    /// `st`
    Store,
    /// `atom`, `red`: each element is loaded and stored.
    Atomic(AtomOp),
    /// What `cp.async` reads.
    CopyFrom,
    /// What it writes: at once here, behind a wait on hardware.
    CopyTo,
    /// What `cp.async.bulk` reads and writes, 16 bytes at a time and at once.
    BulkLoad,
    /// See [`Doing::BulkLoad`].
    BulkStore,
    /// What `cp.reduce.async.bulk` changes, an element at a time.
    BulkReduce,
    /// `ldmatrix`: rows of 16 bytes, an address a lane.
    MatrixLoad,
    /// `stmatrix`, likewise.
    MatrixStore,
}

impl Doing {
    /// Whether memory is written.
    pub fn writes(self) -> bool {
        !matches!(self, Self::Load | Self::CopyFrom | Self::BulkLoad | Self::MatrixLoad)
    }

    /// Whether memory is read.
    pub fn reads(self) -> bool {
        !matches!(self, Self::Store | Self::CopyTo | Self::BulkStore | Self::MatrixStore)
    }
}

/// An access of lanes to one state space. A generic access whose lanes point into several is told once for each.
pub struct Access<'a> {
    /// What is done.
    pub doing: Doing,
    /// The space that the addresses are of.
    pub space: SpaceKind,
    /// First byte of each lane: a generic address of global and constant memory, an offset of the others.
    pub addresses: &'a L64,
    /// Bytes of an element. Elements follow each other.
    pub size: u32,
    /// How many.
    pub elements: u32,
    /// How it is ordered.
    pub order: Order,
    /// What is stored, or an atomic's operands; of `cas` the values to compare with.
    pub values: Values<'a>,
}

impl Access<'_> {
    /// Bytes of a lane.
    pub fn bytes(&self) -> u32 {
        self.size * self.elements
    }
}

/// A load that is told with another one before it: of the same lanes, elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Further {
    /// Number of the operation.
    pub op: u32,
    /// How many bytes behind those of the other one its addresses are.
    pub offset: u64,
    /// Bytes of an element.
    pub size: u32,
    /// How many.
    pub elements: u32,
}

impl Further {
    /// Its addresses.
    pub fn addresses(&self, first: &Access<'_>) -> L64 {
        first.addresses.map(|address| address.wrapping_add(self.offset))
    }

    /// The load, with these addresses.
    pub fn access<'a>(&self, first: &Access<'a>, addresses: &'a L64) -> Access<'a> {
        let &Self { size, elements, .. } = self;
        let &Access { doing, space, order, values, .. } = first;
        Access { doing, space, addresses, size, elements, order, values }
    }
}

/// Registers of the elements of an access, read where they are asked for.
#[derive(Clone, Copy)]
pub struct Values<'a>(pub(crate) Of<'a>);

/// Where the elements are.
#[derive(Clone, Copy)]
pub(crate) enum Of<'a> {
    /// In these registers.
    Registers { warp: &'a Warp, constants: &'a Constants, parts: &'a [Slot] },
    /// Compiled code has put them here.
    Rows(&'a [LaneValues<'a>]),
}

impl Default for Values<'_> {
    /// None.
    fn default() -> Self {
        Self(Of::Rows(&[]))
    }
}

impl Values<'_> {
    /// How many there are: none where the values are in no registers.
    pub fn len(&self) -> usize {
        match self.0 {
            Of::Registers { parts, .. } => parts.len(),
            Of::Rows(rows) => rows.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An element of each lane, zero-extended; `None`: its register is `_`, or it has none.
    pub fn get(&self, element: usize) -> Option<L64> {
        match self.0 {
            Of::Registers { warp, constants, parts } => {
                let slot = *parts.get(element).filter(|slot| !slot.is_none())?;
                let mut values = [0; 32];
                warp.read(constants, slot, &mut values);
                Some(values)
            }
            Of::Rows(rows) => Some(match rows.get(element)? {
                LaneValues::B32(row) => row.map(u64::from),
                LaneValues::B64(row) => **row,
            }),
        }
    }
}

impl Values<'_> {
    /// The low 32 bits of an element of each lane; `None` as of [`Self::get`].
    #[inline]
    pub fn low(&self, element: usize) -> Option<[u32; 32]> {
        match self.0 {
            Of::Rows(rows) => Some(match rows.get(element)? {
                LaneValues::B32(row) => **row,
                LaneValues::B64(row) => row.map(|value| value as u32),
            }),
            Of::Registers { .. } => self.get(element).map(|row| row.map(|value| value as u32)),
        }
    }
}

/// Registers of a warp, before an operation.
#[derive(Clone, Copy)]
pub struct Registers<'a> {
    pub(crate) warp: &'a Warp,
    pub(crate) constants: &'a Constants,
}

impl Registers<'_> {
    /// What a register of the running function holds, zero-extended; a predicate as 0 or 1.
    pub fn read(&self, register: Register) -> L64 {
        let mut values = [0; 32];
        self.warp.read(self.constants, register.slot(), &mut values);
        values
    }

    /// Its number among all registers of its kind that the warp has: the frames of calls have theirs one behind
    /// the other.
    pub fn row(&self, register: Register) -> usize {
        let [narrow, wide, predicates] = self.warp.bases();
        match register {
            Register::Narrow(i) => narrow + i as usize,
            Register::Wide(i) => wide + i as usize,
            Register::Predicate(i) => predicates + i as usize,
            Register::Constant(..) => 0,
        }
    }
}

/// What orders threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Synchronized<'a> {
    /// `bar`, `barrier`: lanes arrive.
    Arrives {
        /// Its number.
        barrier: u32,
        /// Threads that it is for, as written; `None`: all of the CTA.
        threads: Option<u32>,
        /// Whether they wait, or go on at once (`.arrive`).
        waits: bool,
        /// Whether there are lanes among them that had waited for others of their warp where they meet again, and were let
        /// run on as these did not come for long (they wait for another CTA, say). A GPU's come to the barrier together.
        ahead: bool,
    },
    /// The barrier is complete, and these lanes go on behind it. All that wait are told one after the other,
    /// with nothing of the CTA in between.
    Passes {
        /// Its number.
        barrier: u32,
    },
    /// Lanes come to a `.sync` instruction (`bar.warp.sync`, `shfl.sync` and so on) with this membermask.
    Joins {
        /// The mask.
        members: u32,
    },
    /// The lanes of the event have all come, and go on together.
    Joined,
    /// `barrier.cluster.arrive`
    ClusterArrives,
    /// `barrier.cluster.wait`: all threads of the cluster have arrived, and these lanes go on.
    ClusterPasses,
    /// `fence`, `membar`.
    Fence(Order),
    /// `cp.async.commit_group`
    CommitsCopies,
    /// `cp.async.wait_group`: all groups but the last so many are waited for. `.wait_all`: all copies, also those of no
    /// group.
    WaitsForCopies {
        /// `None`: `.wait_all`.
        but: Option<u32>,
    },
    /// An mbarrier instruction has been executed.
    Mbarrier {
        /// What it does.
        action: MbarrierAction,
        /// How it is ordered, where a word says so.
        order: Order,
        /// Where it lies in shared memory, of each lane; of another CTA of the cluster with its rank
        /// ([`crate::split_shared_address`]).
        addresses: &'a L64,
        /// Its operand: count, bytes, token or parity.
        operands: &'a L64,
        /// Its result: the token of an arrival, or 1 where the phase is over.
        results: &'a L64,
        /// The mbarrier afterwards: [`MbarrierState`].
        states: &'a L64,
    },
}

/// A branch of the lanes of its event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Lanes that go to `target`; the others go on behind the branch. A `brx` is told once for each of its targets,
    /// of the lanes that go there.
    pub taken: u32,
    /// Number of the operation there.
    pub target: u32,
    /// Whether it is a `brx`.
    pub indexed: bool,
}

/// Where it matters that a value is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sink {
    /// A load has brought it. It stays undefined, and only what is told next may depend on it.
    Origin,
    /// A branch depends on it.
    Branch,
    /// The guard of an instruction.
    Guard,
    /// An address.
    Address,
    /// An operand of a fetch, of a surface access or of a query: coordinates, levels, handles.
    Fetch,
    /// An operand of a vote, a reduction or a barrier, a lane or a membermask.
    Collective,
    /// It was computed, and is stored to global memory or to a surface.
    Store,
    /// It is stored as it was loaded. It stays undefined there.
    Copy,
    /// It was computed, and is stored to memory that only the CTA or the thread has. It stays undefined there.
    Keep,
    /// An atomic computes with it, as an operand.
    Operand,
    /// An atomic computes with what is in memory.
    Atomic,
}

/// A value that depends on uninitialised data.
#[derive(Clone, Copy)]
pub struct Undefined<'a> {
    /// Where it matters.
    pub sink: Sink,
    /// The register that holds it; of [`Sink::Origin`] and [`Sink::Atomic`] the one that is loaded, if there is one.
    pub register: Option<Register>,
    /// Which bits are undefined, by lane.
    pub bits: &'a L64,
    /// Its size in bytes.
    pub size: u32,
    /// The memory that it comes from or goes to, if it is an element of an access: space, addresses as of [`Access`].
    pub memory: Option<(SpaceKind, &'a L64)>,
    /// The texels that it comes from, or that a reduction on a surface computes with.
    pub texels: Option<Texels<'a>>,
}

/// Texels that nobody has written, as a fetch or surface access finds them.
#[derive(Clone, Copy)]
pub struct Texels<'a> {
    /// What they lie in, as the instruction sees it.
    pub resource: &'a Resource,
    /// The first of each lane of the event.
    pub at: &'a [TexelIndex; 32],
}

/// What a function call or its end is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Called<'a> {
    /// Lanes begin a function; the call is the event's operation.
    Enters {
        /// Its name.
        function: &'a str,
    },
    /// Lanes go back behind the call at this operation.
    Returns {
        /// Number of the call.
        to: u32,
    },
    /// Lanes end. `last`: the warp with them.
    Exits {
        /// Whether no lane of the warp is left.
        last: bool,
    },
    /// `malloc` gave these addresses; 0: nothing.
    Allocates {
        /// By lane.
        sizes: &'a L64,
        /// By lane.
        addresses: &'a L64,
    },
    /// `free` of these addresses.
    Frees {
        /// By lane.
        addresses: &'a L64,
    },
    /// A lane has asked the runtime of the device for work: a grid, a copy or a fill.
    Launches {
        /// Its number in the grid (`runtime::Work`).
        work: u64,
    },
}

/// A fetch of lanes that have texture and sampler in common, as it was planned.
#[derive(Clone, Copy)]
pub struct FetchMade<'a> {
    /// Instruction form, texture, sampler.
    pub plan: &'a FetchPlan,
}

/// A surface access of lanes that have the surface in common.
#[derive(Clone, Copy)]
pub struct SurfaceMade<'a> {
    /// Instruction form.
    pub form: SurfaceForm,
    /// What is accessed.
    pub surface: &'a Arc<Surface>,
}

/// What came of a fetch. All components of [`Probe::answer_lanes`](super::Probe::answer_lanes) are there, also
/// those that the kernel does not use.
#[derive(Clone, Copy)]
pub struct FetchAnswered<'a> {
    /// Instruction form, texture, sampler.
    pub plan: &'a FetchPlan,
    /// Operands.
    pub request: &'a FetchRequest<'a>,
    /// Components; of `.f16x2` two registers hold all.
    pub answer: &'a FetchAnswer,
}

/// What came of a surface access.
#[derive(Clone, Copy)]
pub struct SurfaceAnswered<'a> {
    /// Instruction form.
    pub form: SurfaceForm,
    /// What was accessed.
    pub surface: &'a Arc<Surface>,
    /// Operands.
    pub request: &'a SurfaceRequest<'a>,
    /// Elements that were loaded, stored or combined.
    pub elements: &'a SurfaceAnswer,
    /// Elements of a lane.
    pub parts: usize,
    /// The first lane whose access failed, if one has: lanes behind it have done nothing.
    pub fault: Option<&'a AccessFault>,
}

impl SurfaceAnswered<'_> {
    /// What came of a lane's part of the access; none if the lanes before it have ended the kernel.
    pub fn outcome(&self, lane: usize) -> Option<Result<[u64; 4], AccessFault>> {
        match self.fault {
            Some(fault) if lane_of(fault) < lane => None,
            Some(fault) if lane_of(fault) == lane => Some(Err(fault.clone())),
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
