//! Coverage of device code: which lines, functions and branches of the source were executed, and by
//! how many lanes.
//!
//! A [`Module`] observes the launches of one loaded module. It makes the executor count blocks and
//! branches (`simt::observe::BlockCounters`), which compiled arithmetic supports without change,
//! and maps them to lines, functions and branches of the source (`table`). A [`Recorder`] collects
//! the counts of all modules of a process and writes them repeatedly; in a run it does so after
//! every launch (`ledger`), so that no way of ending a process loses them. [`Coverage`] is the sum
//! by file. [`Coverage::add`] merges processes, and [`lcov`] reads and writes it.
//!
//! # Meaning of the counts
//!
//! * Counts are numbers of lanes: a kernel with 1000 threads is entered 1000 times.
//! * All lines of a basic block have the count of the block. Predicated instructions other than
//!   branches, exits and returns count with their block.
//! * A line in several blocks has the maximum of their counts. The counts of copies of a function
//!   that was inlined at several places or into several functions are added; those of copies made
//!   by unrolling a loop are not.
//! * A line that calls an inlined function has the count of the copy's first instruction, and so
//!   has the function. Lines of the copy count at their own file and line.
//! * A branch has two directions: taken and not taken. A `brx` has one for each target.
//! * Functions without `.loc` are shown by the lines of the PTX.
//!
//! Not covered: functions that the compiler has removed, and which condition of the source a branch
//! belongs to.

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
