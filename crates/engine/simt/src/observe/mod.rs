//! Observers: notifications of the events of a kernel during its execution.
//!
//! An [`Observer`] selects [`Events`] and provides each worker of a launch with its own [`Probe`],
//! whose methods are called with the events of the CTAs that this worker executes. Probes need no
//! locks; a probe passes its results to the observer when it is dropped, after the worker's last
//! CTA. Shadow memory, counters, coverage and traces are observers; [`crate::Watch`] and
//! [`crate::Tallies`] are two of them.
//!
//! # Implementation, and the cost of a launch without an observer
//!
//! A launch without an observer executes the code as it was lowered and pays nothing. The
//! interpreter's loops do not call observers: marks do, which are operations of their own, inserted
//! into a copy of the module's code before or after the observed operations (`crate::marks`).
//! Marks are placed where straight-line arithmetic ends in any case, so the machine code between
//! them is the same. A copy is made once for each set of events and stored with the program.
//! Counts of blocks and branches ([`Events::COUNTS`]) have operations of their own, too, which make
//! no callbacks, and compiled code adds up the costs of most loads and stores ([`Events::COSTS`]).
//! Rare events (completed barriers, calls, exits, mbarriers, begin and end of a CTA) and results of
//! fetches are reported by the functions that execute them, if there is a probe.
//!
//! # Guarantees
//!
//! * The events of a thread are reported in program order. An access, a branch or a fence is
//!   reported **before** its execution, with no other event of its warp in between, except that
//!   successive loads of shared memory may all be reported before the first one is executed
//!   ([`Probe::loads`]), and so before uses of uninitialised data between them
//!   ([`Probe::undefined`]). The values of loads and atomics ([`Events::RESULTS`]) are reported
//!   **after** execution. So if one CTA stores a value that another, concurrent one loads, the
//!   store's access is reported before the load's result, though possibly after the load's access.
//! * The warps of a CTA are reported in the order in which they are scheduled, each for the length
//!   of its turn (docs/checks.md, "The order of execution"), so that event and operation are
//!   adjacent. Between workers the only order is that of memory itself.
//! * The grouping of lanes in an event depends on how the executor schedules diverged lanes: two
//!   lanes at the same instruction may be reported in one event or in two, and if lanes stay
//!   diverged for long, marks can change the scheduling (and so `warp_instructions`). The data
//!   reported for a lane does not depend on it.
//! * An access is reported even if it faults afterwards. The launch ends there, and `cta_ends`
//!   carries the fault.
//! * The following are not reported as accesses: copies of arguments and results of calls, the
//!   hidden words of `alloca` and `printf`, and constants in instructions. Loads of kernel
//!   parameters are reported with [`Events::PARAMETERS`] only, those of constant memory with
//!   [`Events::CONSTANTS`].
//!
//! # Writing one
//!
//! An observer that counts bytes stored to global memory:
//!
//! ```
//! use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
//! use texunit_simt::SpaceKind;
//! use texunit_simt::observe::{Access, At, AccessOp, Events, LaunchInfo, Observer, Probe};
//!
//! #[derive(Debug, Default)]
//! struct Stored(AtomicU64);
//!
//! /// The probe of one worker.
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
//!         if access.space == SpaceKind::Global && access.operation == AccessOp::Store {
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
//! [`ExecutionOptions::observer`] takes the observer, and [`Several`] combines several into one.
//! `at.op` is the number of an operation in the program's code: [`Listing`] gives its source
//! location, its function and its registers.

mod arrangement;
mod config;
pub(crate) mod event;
mod grid;
mod listing;
mod object;
mod origins;
mod several;
mod used;

pub use crate::code::{
    Events, GroupedLoad, MbarrierAction, MbarrierState, Order, Scope, Semantics, Sink,
    Synchronization,
};
pub use crate::marks::{
    AccessCost, BlockCounters, Costs, CountedBlock, CountedBranch, Issues, LaneCount, Stretch,
};
pub use arrangement::Arrangement;
pub use config::{ExecutionOptions, LaunchConfig};
pub use event::{
    Access, AccessOp, At, Branch, CallEvent, CtaInfo, ExecutedFetch, ExecutedSurfaceAccess,
    PlannedFetch, PlannedSurfaceAccess, Registers, Texels, Undefined, Values,
};
pub use grid::{coordinates, linear_index};
pub use listing::{Constant, LaunchInfo, Listing, Operands, Register};
pub use object::{MemoryObject, ObjectKind};
pub use origins::{Origin, SharedVariable};
pub use several::{Several, probes};
pub use used::AtomicForm;

use crate::stats::Fault;

/// Observes launches: selects events and provides probes.
pub trait Observer: Sync + std::fmt::Debug {
    /// Called first while a launch is being prepared; the selected events may depend on the
    /// configuration.
    fn prepares(&self, _config: &LaunchConfig<'_>) {}

    /// The events to be reported, which must not change until the launch ends.
    fn wants(&self) -> Events;

    /// Creates the probe of a worker; for a cooperative launch, that of each CTA.
    fn probe<'a>(&'a self, launch: &LaunchInfo<'a>) -> Box<dyn Probe + 'a>;

    /// Called at the begin of a launch, before the first probe is created.
    fn launch_begins(&self, _launch: &LaunchInfo<'_>) {}

    /// Called at the end of a launch, after the last probe has been dropped.
    fn launch_ends(&self, _launch: &LaunchInfo<'_>, _fault: Option<&Fault>) {}
}

/// Receives the events of the CTAs that a worker executes. The default implementation of each
/// method ignores the event.
pub trait Probe: Send {
    /// A CTA begins. Called regardless of the selected events.
    fn cta_begins(&mut self, _cta: &CtaInfo) {}

    /// A CTA has ended: all its threads have exited, it has a fault, or the launch was ended by
    /// another CTA. Called regardless of the selected events.
    fn cta_ends(&mut self, _cta: &CtaInfo, _fault: Option<&Fault>) {}

    /// A load, store, atomic or copy is about to be executed ([`Events::ACCESSES`],
    /// [`Events::PARAMETERS`], [`Events::CONSTANTS`]).
    fn access(&mut self, _at: &At, _access: &Access<'_>) {}

    /// Several loads of shared memory are about to be executed in succession; their addresses have
    /// the same distances in each lane, and no other event of the warp occurs in between, except
    /// [`Self::undefined`]. The default implementation reports each as an access.
    fn loads(&mut self, at: &At, first: &Access<'_>, more: &[GroupedLoad]) {
        self.access(at, first);
        for further in more {
            let addresses = further.addresses(first);
            let at = At { op: further.op, ..*at };
            self.access(&at, &further.access(first, &addresses, at.lanes));
        }
    }

    /// Values returned by a load or atomic ([`Events::RESULTS`], [`Events::STRONG_RESULTS`]).
    /// Results that another observer of the launch has selected may be included.
    fn result(&mut self, _at: &At, _values: &Values<'_>) {}

    /// Lanes execute a barrier, fence, mbarrier operation or `.sync` instruction
    /// ([`Events::SYNCHRONIZATION`]).
    fn synchronized(&mut self, _at: &At, _what: &Synchronization<'_>) {}

    /// A branch is about to be executed ([`Events::BRANCHES`]).
    fn branch(&mut self, _at: &At, _branch: &Branch) {}

    /// Lanes enter a basic block ([`Events::BLOCKS`]).
    fn block(&mut self, _at: &At) {}

    /// Increments of the counters of [`Listing::counting`] since the last call
    /// ([`Events::COUNTS`]). Called after the worker's last CTA, and occasionally before.
    fn counted(&mut self, _counts: &[u64]) {}

    /// An operation is about to be executed ([`Events::OPERATIONS`]).
    fn operation(&mut self, _at: &At, _registers: &Registers<'_>) {}

    /// Lanes use uninitialised data ([`Events::DEFINED`]). Except for [`Sink::Origin`], the value
    /// counts as initialised afterwards.
    fn undefined(&mut self, _at: &At, _what: &Undefined<'_>) {}

    /// Calls, returns and exits ([`Events::CALLS`]); heap operations also with [`Events::HEAP`],
    /// calls also with [`Events::ENTERS`].
    fn call(&mut self, _at: &At, _called: &CallEvent<'_>) {}

    /// A fetch is about to be executed ([`Events::FETCHES`]).
    fn fetch(&mut self, _at: &At, _fetch: &PlannedFetch<'_>) {}

    /// A surface access is about to be executed ([`Events::FETCHES`]).
    fn surface(&mut self, _at: &At, _surface: &PlannedSurfaceAccess<'_>) {}

    /// Selects the lanes of a fetch or surface access whose results are wanted
    /// ([`Events::ANSWERS`]).
    fn answer_lanes(&mut self, at: &At) -> u32 {
        at.lanes
    }

    /// Result of a fetch ([`Events::ANSWERS`]).
    fn fetch_answer(&mut self, _at: &At, _fetch: &ExecutedFetch<'_>) {}

    /// Result of a surface access ([`Events::ANSWERS`]).
    fn surface_answer(&mut self, _at: &At, _surface: &ExecutedSurfaceAccess<'_>) {}
}
