//! Distributed launches: which bytes a range of CTAs reads and writes, and how the results of
//! several ranges are merged into those of one launch.
//!
//! [`Recorder`] observes the launch of a range of CTAs (`LaunchOptions::ctas`). Its [`Sets`] list
//! which bytes of which allocation the range has read, written and reduced, by which instructions,
//! and their final values. Sets are plain data; [`Sets::to_bytes`] and [`Sets::from_bytes`] convert
//! them to and from a file. [`merge()`] applies the sets of all ranges of a grid to the memory that
//! they started with, or explains why the result would differ from that of one machine.
//!
//! # Guarantees
//!
//! Sets are merged only if no range has read a byte that another one has written or reduced, and no
//! two ranges have written different values to one byte. Each range has then computed what it would
//! have computed in a single launch, in any order of CTAs, and the merged bytes are those of a
//! single launch. Integer additions, minima, maxima and bit operations whose results are not used
//! are *reductions*: their result does not depend on the order, so they are combined. Other atomics
//! (whose result is used, or on floats) count as reads and writes. A dependence on anything else
//! than memory (clocks, the heap, CTAs that wait for each other) is [`Refused`] during the launch.
//!
//! # Limits
//!
//! The crate does not know jobs, files or the command line; [`identity`] takes them as texts.

mod file;
mod fold;
mod merge;
mod object;
mod record;
mod set;
mod shadow;

pub use file::{MAGIC, Unreadable};
pub use fold::Fold;
pub use merge::{Conflict, ConflictSide, Does, MergeError, Merged, merge};
pub use object::{Object, Objects, identity};
pub use record::{Recorder, Refused};
pub use set::{AccessedBytes, ObjectSets, Run, Sets};
pub use shadow::SECTOR;
