//! What the processes of a run leave behind, and reports of it.
//!
//! A *run* is a tree of processes. `texunit run` makes a folder for it and names it in the environment
//! ([`FOLDER`]); every process that loads libcuda appends [`Event`]s to a file of its own there, through a
//! [`Writer`], one line of JSON each. When the tree has ended, [`read`] makes a [`Record`] of each process, and
//! [`Run`] is what all of them did together, which [`Format`]s write down.
//!
//! # What it promises
//!
//! * What was appended is there whatever ends the process: a line is one write to the end of a file, and nobody
//!   waits for the process to end by itself. No handler of signals is needed.
//! * A reader takes any file for what it is worth: lines that are cut off or nonsense are left out, and sizes have
//!   bounds.
//! * What is lost all the same (no room, a child that removes files) is counted ([`Lost`]).
//!
//! What it leaves out: who makes events (crate `cuda`), and who starts and ends processes (`cli::program`). Other
//! data of a process (coverage, for example) are files beside its events: [`own_file`] names them, [`files`]
//! finds those of all processes.

mod event;
mod format;
mod own;
mod parents;
mod reader;
mod run;
mod variables;
mod witness;
mod write;
mod writer;

pub use event::{
    Accesses, Allocation, Api, Counts, Event, Finding, Interpreted, Kernel, Library, Process,
    Related, Running, Totals,
};
pub use format::Format;
pub use own::{files, folder_name, is_over, own_file, process_of, processes};
pub use parents::{Above, run_above};
pub use reader::{Read, Record, read, read_all};
pub use run::Run;
pub use variables::{keep_variables, kept_variables};
pub use witness::{Lost, Tally, Told, WITNESS, note};
pub use write::{is_of_each_process, is_written_in_place, name_of_process, write};
pub use writer::Writer;

/// The variable that names the folder of a run.
pub const FOLDER: &str = "TEXUNIT_EVIDENCE";

/// A file in the folder that tells the processes to end the kernels that they run: the time is over ([`is_over`]).
pub const STOP: &str = "stop";

/// The folder of this run, if the process is part of one.
pub fn folder() -> Option<std::path::PathBuf> {
    std::env::var_os(FOLDER).filter(|folder| !folder.is_empty()).map(Into::into)
}
