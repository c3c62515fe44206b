//! Coverage of device code: which lines, functions and branches of the source lanes have come to, and how often.
//!
//! A [`Module`] is an observer of the launches of one loaded module. It has the executor count blocks and branches
//! (`simt::observe::BlockCounters`), which leaves compiled arithmetic as it is, and knows which lines, functions and branches
//! of the source these are (`table`). A [`Recorder`] has what all modules of a process have counted, and writes it
//! as the process goes; in a run, with every launch (`ledger`), so that no way to end a process loses it. [`Coverage`] is the sum, by file, which [`Coverage::add`] merges over processes and
//! [`lcov`] writes and reads.
//!
//! # What the numbers are
//!
//! * They are counts of lanes: a kernel of 1000 threads is entered 1000 times.
//! * The lines of a block count together: as often as lanes come to the block. Guarded instructions other than branches,
//!   exits and returns count with their block.
//! * A line of several blocks counts as often as the one of them to which most lanes came; copies of a function that
//!   were inlined at several places, or into several functions, add up. Copies that a compiler makes by unrolling a loop do not.
//! * A line that calls an inlined function counts as often as lanes came to the first instruction of the copy, and so
//!   does the function. Lines of the copy count at their own file and line.
//! * A branch has two ways: lanes that take it, and those that do not. A `brx` has one for each target.
//! * Functions without `.loc` are shown by the lines of the PTX.
//!
//! What it leaves out: functions that the compiler has removed, and which condition of the source a branch stands for.

mod data;
pub mod lcov;
mod ledger;
mod maker;
mod module;
mod recorder;
mod table;

pub use data::{BranchKey, Coverage, File, Function};
pub use ledger::EXTENSION;
pub use module::Module;
pub use recorder::{Recorder, Target};
