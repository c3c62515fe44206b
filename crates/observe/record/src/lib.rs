//! Records a launch as a job that `texunit launch` can repeat: its inputs, its options, and its
//! results.
//!
//! [`Before::of`] copies the device's memory before the launch. [`Before::write`] compares it with
//! the memory afterwards and writes a folder that `texunit launch DIR/job.toml` repeats: buffers at
//! the same addresses, textures and surfaces with the same handles, so that pointers and handles in
//! memory stay valid. docs/jobs.md describes the keys.
//!
//! [`refusal`] recognises launches that another process cannot repeat. Changes that the program
//! itself makes to memory during the launch are not recorded; such a job reports a difference when
//! it is repeated.

mod bytes;
mod files;
mod memory;
mod resources;
mod text;
mod wanted;
mod write;

pub use files::Written;
use texunit_forms::Count;
pub use wanted::{Chosen, Limit};

use bytes::Budget;
use memory::{SavedBlock, Texels};
use texunit_device::{Fault, Kernel, LaunchOptions, State};

/// A launch that is about to start.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The kernel that is launched.
    pub kernel: &'a Kernel,
    /// The options of the launch.
    pub options: &'a LaunchOptions<'a>,
    /// The kernel's parameter buffer.
    pub params: &'a [u8],
    /// Comment lines for the top of the job, without `#`.
    pub remarks: &'a [String],
}

/// How a launch has ended.
#[derive(Clone, Copy, Debug)]
pub enum Ended<'a> {
    /// The kernel has completed; the job expects the present contents of device memory.
    Done,
    /// The launch ended with a fault, which the job expects.
    Fault(&'a Fault),
}

/// Why a launch is not recorded; completes a sentence after "because".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Another process cannot repeat the launch.
    #[error("{0}")]
    Launch(String),
    /// Two addresses refer to the same memory, which a job cannot express.
    #[error("it reaches one memory at two addresses, {first:#x} and {second:#x} (cuMemMap)")]
    Twice {
        /// One address of the memory.
        first: u64,
        /// The other address of the same memory.
        second: u64,
    },
    /// The job would exceed the size limit.
    #[error("it holds more than the {} that are left of the limit", Count(limit, "byte"))]
    Limit {
        /// The size limit in bytes.
        limit: u64,
    },
    /// A file cannot be written.
    #[error("{0}")]
    File(String),
}

/// Why another process cannot repeat a launch; `None` if it can. `devices` is the program's number
/// of devices.
pub fn refusal(kernel: &Kernel, devices: usize) -> Option<String> {
    if devices > 1 {
        return Some(format!("the program has {}, and a job has one", Count(devices, "device")));
    }
    if kernel.uses_heap() {
        let why = "it can call malloc or free: what the heap of a device holds is not recorded";
        return Some(why.to_owned());
    }
    let inputs = kernel.nondeterministic_inputs();
    let (threads, clocks): (Vec<String>, Vec<String>) =
        inputs.iter().map(|name| format!("%{name}")).partition(|name| name.ends_with("smid"));
    if !threads.is_empty() {
        let list = threads.join(", ");
        return Some(format!("it can read the number of a multiprocessor ({list})"));
    }
    if !clocks.is_empty() {
        return Some(format!("it can read a clock ({})", clocks.join(", ")));
    }
    if kernel.module().has_duplicate_variables() {
        return Some("two variables of its module have one name".to_owned());
    }
    None
}

/// The state of the device before a launch.
#[derive(Debug)]
pub struct Before {
    state: State,
    memory: Vec<SavedBlock>,
    texels: Vec<Texels>,
    /// The size limit of the job, less the bytes that are stored already.
    budget: Budget,
}

impl Before {
    /// Copies the state of the device; of memory only nonzero bytes, at most `limit` bytes in
    /// total.
    ///
    /// # Errors
    /// The limit is exceeded, or a job cannot express the state.
    pub fn of(launch: &Launch<'_>, limit: u64) -> Result<Self, Refused> {
        let state = launch.kernel.module().device().state();
        if let Some((first, second)) = state.memory.shared_pages() {
            return Err(Refused::Twice { first, second });
        }
        let mut budget = Budget::new(limit);
        budget.take(launch.kernel.module().source().text().len() as u64)?;
        let memory = memory::hold(&state.memory, &mut budget)?;
        let texels = memory::hold_arrays(&state.arrays, &mut budget)?;
        Ok(Self { state, memory, texels, budget })
    }
}
