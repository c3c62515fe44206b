//! A launch as a job: what it found on the device, how it was launched, and what it changed.
//!
//! [`Before::of`] keeps what a launch is about to find, [`Before::write`] compares that with what it has left, and writes
//! a folder that `texunit launch DIR/job.toml` repeats: buffers at their addresses, textures and surfaces under their
//! handles, so that pointers and handles in memory mean what they meant. docs/jobs.md describes the keys.
//!
//! [`refusal`] names launches that another process cannot repeat. What a program does to its own memory while a kernel
//! of its runs is not known here; such a job says that something is not as expected.

mod arrays;
mod bytes;
mod files;
mod memory;
mod params;
mod resources;
mod text;
mod wanted;
mod write;

pub use files::Written;
use texunit_forms::Count;
pub use wanted::{Chosen, Limit};

use arrays::Texels;
use bytes::Budget;
use memory::Held;
use std::path::Path;
use texunit_device::{Fault, Kernel, LaunchOptions, State};

/// A launch that is about to be.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// What runs.
    pub kernel: &'a Kernel,
    /// How.
    pub options: &'a LaunchOptions<'a>,
    /// The kernel's parameter buffer.
    pub params: &'a [u8],
    /// What the job says at its top of where it comes from: lines without `#`.
    pub remarks: &'a [String],
}

/// How a launch has ended.
#[derive(Clone, Copy, Debug)]
pub enum Ended<'a> {
    /// The kernel has come to its end: what is on the device now is what the job expects.
    Done,
    /// It went wrong, and will again.
    Fault(&'a Fault),
}

/// Why a launch is not recorded, in words that follow "because".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Another process cannot repeat it.
    #[error("{0}")]
    Launch(String),
    /// A job has one place for each memory.
    #[error("it reaches one memory at two addresses, {first:#x} and {second:#x} (cuMemMap)")]
    Twice {
        /// Of a block.
        first: u64,
        /// Of another one.
        second: u64,
    },
    /// It would take more room than is left.
    #[error("it holds more than the {} that are left of the limit", Count(limit, "byte"))]
    Limit {
        /// Bytes that were left.
        limit: u64,
    },
    /// A file cannot be written.
    #[error("{0}")]
    File(String),
}

/// What a launch cannot be repeated for; `None` if there is nothing. `devices` is the number of devices that the program
/// has.
pub fn refusal(kernel: &Kernel, devices: usize) -> Option<String> {
    if devices > 1 {
        return Some(format!("the program has {}, and a job has one", Count(devices, "device")));
    }
    if kernel.uses_heap() {
        let why = "it can call malloc or free: what the heap of a device holds is not recorded";
        return Some(why.to_owned());
    }
    let nondeterministic_inputs = kernel.nondeterministic_inputs();
    if !nondeterministic_inputs.is_empty() {
        let names: Vec<String> =
            nondeterministic_inputs.iter().map(|name| format!("%{name}")).collect();
        let (clocks, threads): (Vec<_>, Vec<_>) =
            names.into_iter().partition(|name| !name.ends_with("smid"));
        let list = |names: &[String]| names.join(", ");
        return Some(if threads.is_empty() {
            format!("it can read a clock ({})", list(&clocks))
        } else {
            format!("it can read the number of a multiprocessor ({})", list(&threads))
        });
    }
    if kernel.module().has_duplicate_variables() {
        return Some("two variables of its module have one name".to_owned());
    }
    None
}

/// What a launch finds.
#[derive(Debug)]
pub struct Before {
    state: State,
    memory: Vec<Held>,
    texels: Vec<Texels>,
    /// Bytes that all of that takes.
    budget: Budget,
}

impl Before {
    /// Keeps what the launch is about to find: of memory what is not zero, at most `limit` bytes in all.
    ///
    /// # Errors
    /// The launch finds more than `limit` bytes, or what no job can have.
    pub fn of(launch: &Launch<'_>, limit: u64) -> Result<Self, Refused> {
        let state = launch.kernel.module().device().state();
        if let Some((first, second)) = state.memory.shared_pages() {
            return Err(Refused::Twice { first, second });
        }
        let mut budget = Budget::new(limit);
        budget.take(launch.kernel.module().source().text().len() as u64)?;
        let memory = memory::hold(&state.memory, &mut budget)?;
        let texels = arrays::hold(&state.arrays, &mut budget)?;
        Ok(Self { state, memory, texels, budget })
    }

    /// Writes the job into a folder, which is made. If it cannot be written whole, nothing of it is left there.
    ///
    /// # Errors
    /// The folder cannot be written, or the launch had what no job can have.
    pub fn write(
        self,
        launch: &Launch<'_>,
        folder: &Path,
        ended: Ended<'_>,
    ) -> Result<Written, Refused> {
        write::job(self, launch, folder, ended)
    }
}
