//! What a range of CTAs reads and writes, and how the sets of several ranges become the bytes of one launch.
//!
//! [`Recorder`] is an observer of a launch of some CTAs (`LaunchOptions::ctas`). Its [`Sets`] say which bytes of which
//! allocation the range has read, written and reduced, by which instructions, and what the bytes are now. They are
//! plain data: [`Sets::to_bytes`] and [`Sets::from_bytes`] are a file of them. [`merge()`] puts those of all ranges of a
//! grid into the memory that they all began with, or says why that would not be what one machine computes.
//!
//! # What is promised
//!
//! A merge is made only if no range has read what another one has written or reduced, and no two have written
//! different bytes to one place. So each range has computed what it would have computed in one launch, whatever the
//! order of CTAs there, and the merged bytes are those of such a launch. Integer additions, minima, maxima and bit
//! operations whose results nobody uses are *reductions*: they come out the same in any order, and are folded. An
//! atomic whose result is used, and one on floats, reads and writes its bytes. What depends on more than memory (clocks,
//! the heap, CTAs that wait for each other) is [`Refused`] while the range is launched.
//!
//! # What it does not know
//!
//! Jobs, files and the command line. [`identity`] takes whatever else makes a launch what it is as text.

mod file;
mod fold;
mod identity;
mod merge;
mod object;
mod record;
mod runs;
mod set;
mod shadow;

pub use file::{MAGIC, Unreadable};
pub use fold::{Fold, FoldKind};
pub use identity::identity;
pub use merge::{Conflict, Does, End, MergeError, Merged, merge};
pub use object::{Object, Objects};
pub use record::{Recorder, Refused};
pub use runs::{Part, Run, SECTOR};
pub use set::{ObjectSets, Sets};
