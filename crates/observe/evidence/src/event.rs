//! What a process tells.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use texunit_forms::Count;
use texunit_report::{CodeLocation, Instruction, Severity};

/// A line of a process's file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    /// The process begins, or has become another program.
    Process(Process),
    /// The names of its devices, once they are made.
    Devices {
        /// As `--device` takes them.
        names: Vec<String>,
    },
    /// What all launches of a kernel have done up to now: the last one of a name counts.
    Kernel(Kernel),
    /// The instruction forms of a kernel, those that were told before left out.
    Instructions {
        /// In the order of the text.
        rows: Vec<Instruction>,
    },
    /// A launch that takes long is running.
    Running(Running),
    /// A launch that was told to be running has ended.
    Ended {
        /// [`Running::launch`].
        launch: u64,
    },
    /// A fault of a kernel, or what a check has found: the last one of a number counts.
    Finding(Finding),
    /// A call that was refused: the last one of a function, code and reason counts.
    Api(Api),
    /// An allocation that was not freed.
    Allocation(Allocation),
    /// A library with the name of one of NVIDIA's that was loaded when the process ended.
    Library(Library),
    /// Numbers of the process up to now: the last one counts.
    Totals(Totals),
}

/// A process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// Its parent's.
    pub parent: u32,
    /// Program and arguments.
    pub command: Vec<String>,
    /// The version of texunit.
    pub texunit: String,
    /// When it loaded the library: seconds since 1970.
    pub started: f64,
}

/// All launches of the kernels of one name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Kernel {
    /// Its name in the PTX.
    pub name: String,
    /// Where it begins, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<CodeLocation>,
    /// Launches that have ended, also in a fault.
    pub launches: u64,
    /// How many of them each kernel has launched, by its name in the PTX; those of the host are not here.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub launched_by: BTreeMap<String, u64>,
    /// CTAs of these launches.
    pub blocks: u64,
    /// Threads of these launches.
    pub threads: u64,
    /// Wall time.
    pub milliseconds: f64,
    /// Time of all cores together.
    pub cpu_milliseconds: f64,
    /// Warp instructions.
    pub warp_instructions: u64,
    /// Thread instructions.
    pub thread_instructions: u64,
    /// Texture fetches, a lane each.
    pub fetches: u64,
    /// Surface accesses, a lane each.
    pub surface_accesses: u64,
    /// Integer divisions by zero.
    pub divisions_by_zero: u64,
    /// Accesses past the end of an object that `--bounds hardware` has let pass.
    pub accesses_past_end: u64,
    /// Sums of its code that a product was fused into.
    pub fused_sums: u64,
    /// Sums that were left as they are written, as it is not known whether an assembler fuses them.
    pub undecided_sums: u64,
    /// The target of its PTX, if that is older than the device: `sm_70`.
    pub ptx_older_than_device: Option<String>,
    /// Fetches and surface accesses by geometry and format.
    pub accesses: Vec<Accesses>,
    /// What was interpreted in the middle of machine code, the most often first.
    pub interpreted: Vec<Interpreted>,
}

/// An instruction that was interpreted in the middle of machine code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interpreted {
    /// Where it is.
    pub place: CodeLocation,
    /// Its text in the PTX.
    pub instruction: String,
    /// How often, for a warp each.
    pub count: u64,
}

impl Interpreted {
    /// Instructions of a kernel that are told at most.
    pub const MAX_KEPT: usize = 20;
}

/// Fetches or surface accesses of one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Accesses {
    /// `texture` or `surface`.
    pub kind: String,
    /// As in PTX: `.2d`.
    pub geometry: String,
    /// Name of the format.
    pub format: String,
    /// How many, a lane each.
    pub count: u64,
}

/// A launch that is running.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Running {
    /// Number of the launch in its process, from 1.
    pub launch: u64,
    /// The kernel's name in the PTX.
    pub kernel: String,
    /// Where it begins, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<CodeLocation>,
    /// CTAs.
    pub grid: [u32; 3],
    /// Threads of a CTA.
    pub block: [u32; 3],
    /// How long it has been running when this was told.
    pub milliseconds: f64,
    /// CTAs that had ended then.
    pub ctas: u64,
}

/// A fault of a kernel, or what a check has found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Finding {
    /// Number in its process, from 1.
    pub number: u64,
    /// How often it came up: what is of one kind and of the same lines of the source is told of once, with what is known
    /// of the first.
    pub count: u64,
    /// Instructions of the PTX at which it came up.
    pub places: u64,
    /// Its code: the name of the fault (`out-of-bounds`) or of what was found (`sync-barrier-missed`).
    pub kind: String,
    /// The check that has found it (`sync`); none of a fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// How bad it is.
    #[serde(with = "severity")]
    pub severity: Severity,
    /// One sentence.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// What else is known: where the program asked for the memory, and freed it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What later calls of the program answer, if the context has ended: `CUDA_ERROR_ILLEGAL_ADDRESS`.
    pub code: Option<String>,
    /// The kernel's name in the PTX.
    pub kernel: String,
    /// Number of the launch in its process, from 1.
    pub launch: u64,
    /// %ctaid
    pub block: [u32; 3],
    /// %tid
    pub thread: [u32; 3],
    /// Where it is.
    pub place: Option<CodeLocation>,
    /// Other places that have to do with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
    /// The variable or allocation that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
}

/// Another end of a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Related {
    /// Who does what there.
    pub text: String,
    /// Where it is.
    pub place: CodeLocation,
}

/// A call that was refused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Api {
    /// The function: `cuMemcpy2D_v2`.
    pub function: String,
    /// What it answered: `CUDA_ERROR_INVALID_VALUE`.
    pub code: String,
    /// Why.
    pub reason: String,
    /// How often.
    pub count: u64,
}

/// An allocation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Allocation {
    /// Its number (`CU_POINTER_ATTRIBUTE_BUFFER_ID`).
    pub number: u64,
    /// Bytes.
    pub bytes: u64,
    /// What made it: `cuMemAlloc_v2`.
    pub function: String,
    /// The place in the program that asked for it, the innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub backtrace: Vec<String>,
}

/// A library with the name of one of NVIDIA's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Library {
    /// The file.
    pub path: String,
    /// `texunit`: it is texunit's; `works`: NVIDIA's, which works on texunit's driver; `fails`: NVIDIA's, of which calls fail; `unused`:
    /// NVIDIA's, of which nothing was called that needs the driver.
    pub state: String,
}

/// Numbers of a process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// Faults besides those that were told one by one.
    pub more_findings: u64,
    /// What checks have found besides what was told one by one.
    pub more_checked: Counts,
    /// Refused calls besides those that were told one by one.
    pub more_api: u64,
    /// Time of all cores that the process has used.
    pub cpu_milliseconds: f64,
    /// Whether the process has ended by itself.
    pub has_ended: bool,
}

/// How many findings there are of each severity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Notes.
    pub notes: u64,
    /// Warnings.
    pub warnings: u64,
    /// Errors.
    pub errors: u64,
}

impl Counts {
    /// So many more.
    pub fn add(&mut self, severity: Severity, count: u64) {
        let sum = match severity {
            Severity::Note => &mut self.notes,
            Severity::Warning => &mut self.warnings,
            Severity::Error => &mut self.errors,
        };
        *sum = sum.saturating_add(count);
    }

    /// As many more as others are.
    pub fn add_all(&mut self, more: &Self) {
        Severity::ALL.into_iter().for_each(|severity| self.add(severity, more.of(severity)));
    }

    /// Those that are so bad.
    fn of(&self, severity: Severity) -> u64 {
        match severity {
            Severity::Note => self.notes,
            Severity::Warning => self.warnings,
            Severity::Error => self.errors,
        }
    }

    /// Those that are so bad or worse.
    pub fn from(&self, severity: Severity) -> u64 {
        let all = Severity::ALL.into_iter().filter(|&one| one >= severity);
        all.map(|one| self.of(one)).fold(0, u64::saturating_add)
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.from(Severity::Note)
    }

    /// `2 errors, 1 note`
    pub fn words(&self) -> String {
        let count = |&severity: &Severity| {
            let (n, name) = (self.of(severity), severity.name());
            (n > 0).then(|| Count(texunit_report::grouped(n), name).to_string())
        };
        Severity::ALL.iter().rev().filter_map(count).collect::<Vec<_>>().join(", ")
    }
}

/// Severities by their names; what has another one is an error.
mod severity {
    use serde::{Deserialize, Deserializer, Serializer};
    use texunit_report::Severity;

    pub(super) fn serialize<S: Serializer>(of: &Severity, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(of.name())
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Severity, D::Error> {
        Ok(Severity::named(&String::deserialize(from)?).unwrap_or_default())
    }
}
