//! Observers: what is told of the things that a kernel does, while it does them.
//!
//! An [`Observer`] says which [`Events`] it wants and gives each worker of a launch a [`Probe`] of its own, whose
//! methods are called with what happens in the CTAs that this worker runs. Probes need no locks; what they have
//! found goes to the observer when the worker has run its last CTA and drops them. Shadow memory, counters,
//! coverage and traces are observers; [`crate::Watch`] and [`crate::Tallies`] are two.
//!
//! # How a launch is observed, and what a launch without an observer pays
//!
//! Nothing. The loops of the executor call no observer: marks do, operations of their own that are put into a
//! copy of the module's code before (or behind) the operations that an observer wants to hear of
//! (`observe::marks`). They stand where straight arithmetic ends anyway, so the machine code between them is the
//! same. A copy is made once for each set of events and kept with the program. A launch without an observer runs
//! the code as it was lowered, through the same loops.
//! Counts of blocks and branches ([`Events::COUNTS`]) have operations of their own, too, which call nobody, and code adds up what
//! most loads and stores cost ([`Events::COSTS`]).
//! What happens seldom (barriers that open, calls, exits, mbarriers, the begin and end of a CTA) and answers of
//! fetches are told by the functions that do it, which ask whether there is a probe.
//!
//! # What is promised
//!
//! * The events of a thread come in its program order. An access, a branch or a fence is told **before** it is
//!   done, and nothing else of its warp is told in between, but for loads of shared memory that follow each other,
//!   which may all be told before the first one is made ([`Probe::loads`]); what a load or an atomic has brought
//!   ([`Events::RESULTS`]) is told **after** it. So of two CTAs that run at the same time, one of which stores what
//!   the other then loads, the store's access is told before the load's result, though perhaps behind its access.
//! * The warps of a CTA are told of in the order in which they take turns, each as far as its turn goes
//!   (docs/checks.md, "The order of execution"), so that event and operation are next to each other. Between workers
//!   there is no order but that of memory itself.
//! * Which lanes share an event follows from how the executor has them run together: two lanes that are at the
//!   same place may be told of in one event or in two, and where lanes part for long, marks can move the turns in
//!   which they do (and with them `warp_instructions`). What is told of a lane does not depend on it.
//! * An access is told whether or not it then faults. The launch ends there, and `cta_ends` says so.
//! * Not accesses: what the executor copies for a call (arguments and results), the words of `alloca` and `printf`,
//!   constants in instructions. Loads of the kernel's parameters are told with [`Events::PARAMETERS`] only.
//!
//! # Writing one
//!
//! An observer that counts bytes stored to global memory:
//!
//! ```
//! use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
//! use texunit_simt::SpaceKind;
//! use texunit_simt::observe::{Access, At, Doing, Events, LaunchInfo, Observer, Probe};
//!
//! #[derive(Debug, Default)]
//! struct Stored(AtomicU64);
//!
//! /// Of one worker.
//! struct Counter<'a> {
//!     all: &'a Stored,
//!     bytes: u64,
//! }
//!
//! impl Observer for Stored {
//!     fn wants(&self) -> Events {
//!         Events::ACCESSES
//!     }
//!
//!     fn probe<'a>(&'a self, _: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
//!         Box::new(Counter { all: self, bytes: 0 })
//!     }
//! }
//!
//! impl Probe for Counter<'_> {
//!     fn access(&mut self, at: &At, access: &Access<'_>) {
//!         if access.space == SpaceKind::Global && access.doing == Doing::Store {
//!             self.bytes += u64::from(at.lanes.count_ones() * access.bytes());
//!         }
//!     }
//! }
//!
//! impl Drop for Counter<'_> {
//!     fn drop(&mut self) {
//!         self.all.0.fetch_add(self.bytes, Relaxed);
//!     }
//! }
//! ```
//!
//! `LaunchConfig::observer` takes it; [`Several`] makes one of many. `at.op` is a number of an operation of the
//! program's code: [`Listing`] says where it stands in the source, in which function, and which registers it has.

mod costs;
mod counts;
pub(crate) mod event;
mod events;
mod issues;
mod listing;
pub(crate) mod mark;
pub(crate) mod marks;
mod object;
mod observer;
pub(crate) mod order;
mod origins;
mod several;
mod shadow;
mod used;

pub use costs::{Costed, Costs};
pub(crate) use counts::Counted;
pub use counts::{CountedBlock, CountedBranch, Counting, Sum};
pub use event::{
    Access, At, Branch, Called, CtaInfo, Doing, FetchAnswered, FetchMade, Further, MbarrierAction,
    MbarrierState, Registers, Sink, SurfaceAnswered, SurfaceMade, Synchronized, Texels, Undefined,
    Values,
};
pub use events::Events;
pub use issues::{Issues, Stretch};
pub use listing::{Constant, LaunchInfo, Listing, Operands, Register};
pub use object::{MemoryObject, ObjectKind};
pub use observer::Observer;
pub use order::{Order, Scope, Semantics};
pub use origins::{Origin, SharedVariable};
pub use several::{Several, probes};
pub use used::AtomicForm;
pub(crate) use used::is_nondeterministic;

use crate::stats::Fault;

/// What a worker tells of the CTAs that it runs. A method that is not written hears nothing.
pub trait Probe: Send {
    /// A CTA begins. Told whatever is wanted.
    fn cta_begins(&mut self, _cta: &CtaInfo) {}

    /// It has ended: all its threads have exited, it has a fault, or the launch was over before. Told whatever is
    /// wanted.
    fn cta_ends(&mut self, _cta: &CtaInfo, _fault: Option<&Fault>) {}

    /// A load, store, atomic or copy is about to be made: [`Events::ACCESSES`], [`Events::PARAMETERS`].
    fn access(&mut self, _at: &At, _access: &Access<'_>) {}

    /// Loads of shared memory are about to be made one after the other, of each lane at addresses that differ by the same
    /// numbers; nothing else of the warp is told in between. Each is an access, unless this is written.
    fn loads(&mut self, at: &At, first: &Access<'_>, more: &[Further]) {
        self.access(at, first);
        for further in more {
            let addresses = further.addresses(first);
            let at = At { op: further.op, ..*at };
            self.access(&at, &further.access(first, &addresses));
        }
    }

    /// What a load or atomic has brought: [`Events::RESULTS`], [`Events::STRONG_RESULTS`]; also what only another
    /// observer of the launch wants.
    fn result(&mut self, _at: &At, _values: &Values<'_>) {}

    /// Barriers, fences, mbarriers, instructions that lanes execute together: [`Events::SYNCHRONIZATION`].
    fn synchronized(&mut self, _at: &At, _what: &Synchronized<'_>) {}

    /// A branch is about to be taken, or not: [`Events::BRANCHES`].
    fn branch(&mut self, _at: &At, _branch: &Branch) {}

    /// Lanes come to the first operation of a block: [`Events::BLOCKS`].
    fn block(&mut self, _at: &At) {}

    /// What the worker has counted since this was told last, the counters of [`Listing::counting`]:
    /// [`Events::COUNTS`]. Told when it has run its last CTA, and before that now and then.
    fn counted(&mut self, _counts: &[u64]) {}

    /// An operation is about to be executed: [`Events::OPERATIONS`].
    fn operation(&mut self, _at: &At, _registers: &Registers<'_>) {}

    /// Lanes use uninitialised data: [`Events::DEFINED`]. But for origins the value counts as defined behind it.
    fn undefined(&mut self, _at: &At, _what: &Undefined<'_>) {}

    /// Calls, returns, exits: [`Events::CALLS`]; the heap also with [`Events::HEAP`], calls with [`Events::ENTERS`].
    fn call(&mut self, _at: &At, _called: &Called<'_>) {}

    /// A fetch has been made: [`Events::FETCHES`].
    fn fetch(&mut self, _at: &At, _fetch: &FetchMade<'_>) {}

    /// A surface has been accessed: [`Events::FETCHES`].
    fn surface(&mut self, _at: &At, _surface: &SurfaceMade<'_>) {}

    /// Of which lanes of a fetch or surface access the answers are wanted: [`Events::ANSWERS`].
    fn answer_lanes(&mut self, at: &At) -> u32 {
        at.lanes
    }

    /// What came of a fetch: [`Events::ANSWERS`].
    fn fetch_answer(&mut self, _at: &At, _fetch: &FetchAnswered<'_>) {}

    /// What came of a surface access: [`Events::ANSWERS`].
    fn surface_answer(&mut self, _at: &At, _surface: &SurfaceAnswered<'_>) {}
}
