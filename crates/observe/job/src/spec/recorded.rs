//! Keys of jobs that were recorded from a program's launch: launch options and expected results.

use super::memory::{Data, Parts, data, parts};
use crate::problem::codes;
use texunit_device::{Approximate, Arithmetic, BadFetch, Bounds, ComputeCapability, DeviceOptions};
use texunit_spec::{At, Table, TomlValue};

/// Launch options, unless the command line overrides them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// The key `arch`.
    pub arch: Option<ComputeCapability>,
    /// The key `memory_limit`.
    pub memory_limit: Option<u64>,
    /// The key `max_steps`.
    pub max_steps: Option<u64>,
    /// The key `fmad`.
    pub fmad: Option<bool>,
    /// The key `approx`.
    pub approximate: Option<Approximate>,
    /// The key `bounds`.
    pub bounds: Option<Bounds>,
    /// The key `bad_fetch`.
    pub bad_fetch: Option<BadFetch>,
    /// The key `stack_limit`.
    pub stack_limit: Option<u32>,
    /// The key `printf_limit`.
    pub printf_limit: Option<usize>,
    /// The key `grid_id`, the value of `%gridid`.
    pub grid_id: u64,
    /// The key `check`, which says whether objects without `expected` must be unchanged.
    pub check: bool,
}

impl Settings {
    /// These settings, with those of `job` where these have none.
    pub fn over(&self, job: &Self) -> Self {
        Self {
            arch: self.arch.or(job.arch),
            memory_limit: self.memory_limit.or(job.memory_limit),
            max_steps: self.max_steps.or(job.max_steps),
            fmad: self.fmad.or(job.fmad),
            approximate: self.approximate.or(job.approximate),
            bounds: self.bounds.or(job.bounds),
            bad_fetch: self.bad_fetch.or(job.bad_fetch),
            ..*job
        }
    }

    /// The device of the launch.
    pub fn device(&self) -> DeviceOptions {
        let usual = DeviceOptions::default();
        let (arch, memory) = (usual.architecture, usual.memory_limit);
        usual
            .with_architecture(self.arch.unwrap_or(arch))
            .with_memory_limit(self.memory_limit.unwrap_or(memory))
            .with_first_launch(self.grid_id)
    }

    /// The arithmetic of the launch.
    pub fn arithmetic(&self) -> Arithmetic {
        let usual = Arithmetic::default();
        Arithmetic {
            fmad: self.fmad.unwrap_or(usual.fmad),
            approximate: self.approximate.unwrap_or(usual.approximate),
        }
    }
}

/// Maximum memory of a device in bytes, more than any GPU has.
const MAX_MEMORY: u64 = 1 << 40;
/// Maximum stack of a thread in bytes.
const MAX_STACK: u64 = 512 * 1024;
/// Maximum `printf` output in bytes.
const MAX_TEXT: u64 = 1 << 30;

/// Parses the keys at the top of a job.
pub(super) fn settings(root: &Table<'_>) -> Settings {
    let number = |key, most| root.get(key).and_then(|v| v.number(1, most));
    let arch = root.get("arch").and_then(|v| {
        let name = v.string("an architecture, such as \"sm_75\"")?;
        let wrong = || format!("`{}` is not an architecture, such as sm_75", name.value);
        ComputeCapability::from_target(&name.value).or_else(|| v.refuse(codes::VALUE, wrong()))
    });
    Settings {
        arch,
        memory_limit: number("memory_limit", MAX_MEMORY),
        max_steps: number("max_steps", i64::MAX as u64),
        fmad: root.get("fmad").and_then(|v| v.boolean()),
        approximate: root.get("approx").and_then(|v| v.word(&Approximate::NAMES)),
        bounds: root.get("bounds").and_then(|v| v.word(&Bounds::NAMES)),
        bad_fetch: root.get("bad_fetch").and_then(|v| v.word(&BadFetch::NAMES)),
        stack_limit: number("stack_limit", MAX_STACK).map(|n| n as u32),
        printf_limit: number("printf_limit", MAX_TEXT).map(|n| n as usize),
        grid_id: root.get("grid_id").and_then(|v| v.number(0, i64::MAX as u64)).unwrap_or(0),
        check: root.get("check").and_then(|v| v.boolean()).unwrap_or(false),
    }
}

/// The bytes of an object that the launch is expected to change.
#[derive(Clone, Debug)]
pub struct ExpectedSpec {
    /// The expected bytes.
    pub data: Data,
    /// Offsets and lengths of the bytes that `data` describes; `None` if it begins at offset 0.
    pub parts: Option<At<Parts>>,
}

/// Parses the key `expected`.
pub(super) fn expected(value: &TomlValue<'_>) -> Option<At<ExpectedSpec>> {
    let table = value.table()?;
    let before = table.problem_count();
    let (data, parts) = (data(&table), parts(&table));
    table.finish();
    if data.is_none() && table.problem_count() == before {
        let keys = "`file`, `bytes` or a type such as `u32`";
        table.problem(codes::MISSING_KEY, format!("expected one of the keys {keys}"));
    }
    Some(value.at(ExpectedSpec { data: data?, parts }))
}
