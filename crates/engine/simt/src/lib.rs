//! Executes typed PTX on the CPU.
//!
//! [`lower`] translates a typed module into warp code once. [`launch()`] executes a kernel of that
//! module: warps of 32 lanes with structure-of-arrays registers, and CTAs distributed over host
//! threads. An error of the running program ends the launch with a [`Fault`] value, never with a
//! panic.

mod clock;
mod code;
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
pub mod dump;
mod exec;
pub mod fault;
mod flow;
mod gradients;
pub mod launch;
mod lower;
mod marks;
mod nearest;
pub mod observe;
mod regions;
pub mod runtime;
mod stats;
mod tally;
mod text;
mod waiting;
pub mod watch;

pub use exec::{format_general, launch, machine as debug};
pub use fault::{BadHandle, Described, FaultKind};
pub use gradients::{Answered, GradientEngine, GradientFetch, GradientStats};
pub use launch::{
    Approximate, Arithmetic, BadFetch, Bounds, CtaRange, Descriptors, split_shared_address,
};
pub use lower::{
    CODES, FetchSite, HandleSource, InstructionForm, KernelId, Program, Reach, Resources, Symbols,
    function_address, function_of_address, is_known_function, lower,
};
pub use observe::{ExecutionOptions, LaunchConfig, Observer};
pub use regions::{JitError, JitMode};
pub use stats::{BadFetches, Fault, Fusion, Interpreted, LaunchStats};
pub use tally::{AccessKind, Tallies, Tally};
pub use texunit_check::sources::{Frame, SourceId, SourcePlace, Sources};
pub use texunit_memory::{End, SpaceKind};
pub use waiting::{ExternalWriters, PolledMemory, Verdict, WaitingLoop};
pub use watch::{Watch, Watched, WatchedAccess, WatchedFetch, WatchedSurface};
