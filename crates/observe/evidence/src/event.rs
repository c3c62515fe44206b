//! The events that a process appends to its file in the run's folder.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use texunit_forms::Count;
use texunit_report::{CodeLocation, Instruction, Severity};

/// An event of a process, which is one line of the process's event file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    /// The process begins, or has replaced itself by another program (`exec`).
    Process(Process),
    /// The devices of the process, after the process has created them.
    Devices {
        /// The names of the devices, as for the option `--device`.
        names: Vec<String>,
    },
    /// Totals of a kernel's launches until now; a later event of the same kernel replaces this
    /// event.
    Kernel(Kernel),
    /// The instruction forms of a kernel that no earlier event has reported.
    Instructions {
        /// The instruction forms, in the order of the PTX.
        rows: Vec<Instruction>,
    },
    /// A long launch is still running.
    Running(Running),
    /// A launch that was reported as running has ended.
    Ended {
        /// The number of the launch, as in [`Running::launch`].
        launch: u64,
    },
    /// A fault or a check's finding; a later event with the same number replaces it.
    Finding(Finding),
    /// A refused API call; a later event with the same function, code and reason replaces it.
    Api(Api),
    /// An allocation that was not freed.
    Allocation(Allocation),
    /// A library named like one of NVIDIA's that was loaded when the process ended.
    Library(Library),
    /// Totals of the process until now; a later event with totals replaces this event.
    Totals(Totals),
}

/// A process of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Process {
    /// The process ID.
    pub pid: u32,
    /// The parent's process ID.
    pub parent: u32,
    /// Program and arguments.
    pub command: Vec<String>,
    /// The version of texunit.
    pub texunit: String,
    /// When the process loaded libcuda, in seconds since 1970.
    pub started: f64,
}

/// The counts of all launches of kernels with one name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Kernel {
    /// The kernel's name in the PTX.
    pub name: String,
    /// The kernel's first line, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<CodeLocation>,
    /// Launches that have ended, including those that ended with a fault.
    pub launches: u64,
    /// Number of launches that were made by kernels, by the launching kernel's name in the PTX.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub launched_by: BTreeMap<String, u64>,
    /// Number of CTAs of all launches.
    pub blocks: u64,
    /// Number of threads of all launches.
    pub threads: u64,
    /// Wall time of all launches in milliseconds.
    pub milliseconds: f64,
    /// CPU time of all launches, of all host threads together, in milliseconds.
    pub cpu_milliseconds: f64,
    /// Number of warp instructions executed.
    pub warp_instructions: u64,
    /// Number of thread instructions executed.
    pub thread_instructions: u64,
    /// Texture fetches, counted per lane.
    pub fetches: u64,
    /// Surface accesses, counted per lane.
    pub surface_accesses: u64,
    /// Integer divisions by zero.
    pub divisions_by_zero: u64,
    /// Accesses past the end of an object that `--bounds hardware` allowed.
    pub accesses_past_end: u64,
    /// Number of additions in the kernel's code that were fused with a multiplication.
    pub fused_sums: u64,
    /// Number of additions in the kernel's code that were not fused, because it is unknown whether
    /// an assembler fuses them.
    pub undecided_sums: u64,
    /// The target of the kernel's PTX (`sm_70`), if the target is older than the device.
    pub ptx_older_than_device: Option<String>,
    /// Fetches and surface accesses, by geometry and format.
    pub accesses: Vec<Accesses>,
    /// Instructions that were interpreted in the middle of compiled code, the most frequent first.
    pub interpreted: Vec<Interpreted>,
}

/// An instruction that was interpreted in the middle of compiled code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interpreted {
    /// The position of the interpreted instruction.
    pub place: CodeLocation,
    /// The text of the instruction in the PTX.
    pub instruction: String,
    /// Number of executions, counted per warp.
    pub count: u64,
}

impl Interpreted {
    /// Maximum number of interpreted instructions that are reported of a kernel.
    pub const MAX_KEPT: usize = 20;
}

/// Fetches or surface accesses of one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Accesses {
    /// The kind of object: `texture` or `surface`.
    pub kind: String,
    /// The geometry as in PTX: `.2d`.
    pub geometry: String,
    /// Name of the texel format.
    pub format: String,
    /// Number of accesses, counted per lane.
    pub count: u64,
}

/// A launch that is still running.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Running {
    /// Number of the launch in its process, from 1.
    pub launch: u64,
    /// The kernel's name in the PTX.
    pub kernel: String,
    /// The kernel's first line, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<CodeLocation>,
    /// Number of CTAs along x, y, z.
    pub grid: [u32; 3],
    /// Number of threads of a CTA along x, y, z.
    pub block: [u32; 3],
    /// Run time until this event, in milliseconds.
    pub milliseconds: f64,
    /// CTAs that had ended at this event.
    pub ctas: u64,
}

/// A fault of a kernel, or a check's finding.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Finding {
    /// The finding's number in its process, from 1.
    pub number: u64,
    /// How often the finding occurred. Findings of one kind at the same source lines are grouped,
    /// with the details of the first.
    pub count: u64,
    /// Number of PTX instructions at which the finding occurred.
    pub places: u64,
    /// The fault's name (`out-of-bounds`) or the finding's code (`sync-barrier-missed`).
    pub kind: String,
    /// The check that reported the finding (`sync`); `None` for a fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// The severity of the finding.
    #[serde(with = "severity")]
    pub severity: Severity,
    /// The message, which is one sentence.
    pub message: String,
    /// Advice for removing the cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Further remarks, for example where the program allocated and freed the memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The error that later API calls return, if the context is lost: `CUDA_ERROR_ILLEGAL_ADDRESS`.
    pub code: Option<String>,
    /// The kernel's name in the PTX.
    pub kernel: String,
    /// Number of the launch in its process, from 1.
    pub launch: u64,
    /// The CTA of the thread that caused the finding, `%ctaid`.
    pub block: [u32; 3],
    /// The thread that caused the finding, `%tid`.
    pub thread: [u32; 3],
    /// The position of the thread's instruction.
    pub place: Option<CodeLocation>,
    /// Other positions that are involved in the finding, for example that of a racing access.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
    /// The variable or allocation that the finding is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
}

/// Another position of a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Related {
    /// A text that says what happened at the position.
    pub text: String,
    /// The position in the source.
    pub place: CodeLocation,
}

/// A refused API call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Api {
    /// The name of the API function: `cuMemcpy2D_v2`.
    pub function: String,
    /// The returned error: `CUDA_ERROR_INVALID_VALUE`.
    pub code: String,
    /// Why the call was refused.
    pub reason: String,
    /// Number of refused calls with this function, error and reason.
    pub count: u64,
}

/// An allocation that was not freed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Allocation {
    /// The allocation's number (`CU_POINTER_ATTRIBUTE_BUFFER_ID`).
    pub number: u64,
    /// The allocation's size in bytes.
    pub bytes: u64,
    /// The API function that made the allocation: `cuMemAlloc_v2`.
    pub function: String,
    /// The program's call stack at the allocation, innermost frame first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub backtrace: Vec<String>,
}

/// A library named like one of NVIDIA's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Library {
    /// The path of the file.
    pub path: String,
    /// `texunit` for a library of texunit. For a library of NVIDIA: `works` if it works with
    /// texunit's driver, `fails` if some of its calls fail, `unused` if no function that needs the
    /// driver was called.
    pub state: String,
}

/// Totals of a process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// Faults that were counted but not reported individually.
    pub more_findings: u64,
    /// Findings that were counted but not reported individually.
    pub more_checked: Counts,
    /// Refused calls that were counted but not reported individually.
    pub more_api: u64,
    /// CPU time of the process, in milliseconds.
    pub cpu_milliseconds: f64,
    /// Whether the process has ended by itself, and was not killed.
    pub has_ended: bool,
}

/// How many findings there are of each severity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Number of findings that are notes.
    pub notes: u64,
    /// Number of findings that are warnings.
    pub warnings: u64,
    /// Number of findings that are errors.
    pub errors: u64,
}

impl Counts {
    /// Adds to the count of a severity.
    pub fn add(&mut self, severity: Severity, count: u64) {
        let sum = match severity {
            Severity::Note => &mut self.notes,
            Severity::Warning => &mut self.warnings,
            Severity::Error => &mut self.errors,
        };
        *sum = sum.saturating_add(count);
    }

    /// Adds the counts of another process.
    pub fn add_all(&mut self, more: &Self) {
        Severity::ALL.iter().for_each(|&severity| self.add(severity, more.of(severity)));
    }

    /// Number of findings of a severity.
    fn of(&self, severity: Severity) -> u64 {
        match severity {
            Severity::Note => self.notes,
            Severity::Warning => self.warnings,
            Severity::Error => self.errors,
        }
    }

    /// Number of findings of this severity and above.
    pub fn from(&self, severity: Severity) -> u64 {
        let all = Severity::ALL.iter().filter(|one| **one >= severity);
        all.map(|&one| self.of(one)).fold(0, u64::saturating_add)
    }

    /// Number of findings of all severities.
    pub fn total(&self) -> u64 {
        self.from(Severity::Note)
    }

    /// The counts as text: `2 errors, 1 note`.
    pub fn words(&self) -> String {
        let count = |&severity: &Severity| {
            let (n, name) = (self.of(severity), severity.name());
            (n > 0).then(|| Count(texunit_report::grouped(n), name).to_string())
        };
        Severity::ALL.iter().rev().filter_map(count).collect::<Vec<_>>().join(", ")
    }
}

/// Serialises severities by name; an unknown name is read as an error.
mod severity {
    use serde::{Deserialize, Deserializer, Serializer};
    use texunit_report::Severity;

    pub(super) fn serialize<S: Serializer>(of: &Severity, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(of.name())
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Severity, D::Error> {
        Ok(Severity::from_name(&String::deserialize(from)?).unwrap_or_default())
    }
}
