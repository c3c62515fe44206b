//! The interface to regions and to the functions that are compiled from them.

pub use crate::compiled::{Function, Running, Sites, compile};
pub use crate::diverged::{DivergedLanes, Group, Side};
pub use crate::ir::{
    Access, Action, Atomic, Block, Call, Change, Cost, End, LaneValues, Listener, Load, Match,
    Notification, Reduce, Region, Routine, RoutineFn, Shuffle, Shuffling, Space, Step, Store,
    Target, Vote,
};
pub use crate::machine::{Entry, Inputs, Level, Mode};
pub use crate::run::{
    DivergenceLimits, Exit, ExitReason, FIRST_TURN, MAX_WARPS, RegisterFiles, Resume, WarpStart,
};
pub use crate::waiting::{Passed, Runtime, WaitingWarps};
pub use crate::warp_table::{Retired, WarpTable};
