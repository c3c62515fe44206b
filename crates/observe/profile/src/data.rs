//! A profile: what was counted, by kernel and instruction, of one process or many.

use crate::class::Class;
use crate::counts::Counts;
use crate::lines::{Line, OverLaunches};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::Path;

/// What `format` says.
const FORMAT: &str = "texunit-profile";
/// The version of the form.
const VERSION: u32 = 1;
/// Launches of a kernel that are kept one by one; others are only in the sums.
pub(crate) const MAX_LAUNCHES: usize = 1000;
/// The largest file that is read.
const LARGEST: u64 = 1 << 30;

/// Counts by kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// By name and text.
    pub kernels: BTreeMap<Key, Kernel>,
}

/// What a kernel is known by: its name in the PTX, and a hash of the text that it is in.
pub type Key = (String, u64);

/// A kernel with the functions that it calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// What its PTX is called.
    pub ptx: String,
    /// How often it was launched.
    pub launches: u64,
    /// The first launches, one by one.
    pub each: Vec<LaunchCounts>,
    /// Its instructions, by their first byte in the PTX.
    pub instructions: BTreeMap<u32, Instruction>,
    /// What its lines have in common over launches.
    pub lines: BTreeMap<(String, u32), OverLaunches>,
}

/// A launch of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LaunchCounts {
    /// Its number among the launches of its process that are profiled, from 1.
    pub launch: u64,
    /// CTAs along x, y, z.
    pub grid: [u32; 3],
    /// Threads along x, y, z.
    pub block: [u32; 3],
    /// Instructions that warps have issued.
    pub warp_instructions: u64,
    /// Active lanes of these.
    pub thread_instructions: u64,
}

/// A PTX instruction of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Instruction {
    /// Its line in the PTX.
    pub ptx_line: u32,
    /// Its text in one line.
    pub text: String,
    /// What kind it is.
    pub class: Class,
    /// The function of the PTX that it is of, demangled.
    pub ptx_function: String,
    /// Where it comes from; without `.loc` in the PTX.
    #[serde(flatten)]
    pub place: Place,
    /// What was counted.
    #[serde(flatten)]
    pub counts: Counts,
}

/// A line of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Place {
    /// The file, by its whole path if it is there.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// The function of the source, demangled.
    pub function: String,
}

/// The JSON of a kernel.
#[derive(Serialize, Deserialize)]
struct KernelForm {
    name: String,
    #[serde(default)]
    function: String,
    ptx: String,
    /// As text, as JSON has no whole numbers of 64 bits.
    text_hash: String,
    launches: u64,
    each_launch: Vec<LaunchCounts>,
    totals: Counts,
    classes: BTreeMap<Class, ClassForm>,
    lines: Vec<Line>,
    instructions: Vec<InstructionForm>,
}

#[derive(Serialize, Deserialize, Default, Clone, Copy)]
struct ClassForm {
    warp_instructions: u64,
    thread_instructions: u64,
    thread_instructions_on: u64,
}

#[derive(Serialize, Deserialize)]
struct InstructionForm {
    at: u32,
    #[serde(flatten)]
    instruction: Instruction,
}

#[derive(Serialize, Deserialize)]
struct Form {
    format: String,
    version: u32,
    #[serde(default)]
    texunit: String,
    kernels: Vec<KernelForm>,
}

/// A text that is not a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable(String);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unreadable {}

impl Kernel {
    /// The sum over all instructions.
    pub fn totals(&self) -> Counts {
        let mut totals = Counts::default();
        self.instructions.values().for_each(|instruction| totals.add(&instruction.counts));
        totals
    }

    /// Its lines with what was counted, the busiest first.
    pub fn all_lines(&self) -> Vec<Line> {
        let mut lines: BTreeMap<(String, u32), Line> = BTreeMap::new();
        for instruction in self.instructions.values() {
            let Place { file, line, function } = &instruction.place;
            let key = (file.clone(), *line);
            let over_launches = self.lines.get(&key).copied().unwrap_or_default();
            let sum = lines.entry(key).or_insert_with(|| Line {
                file: file.clone(),
                line: *line,
                function: function.clone(),
                over_launches,
                ..Line::default()
            });
            sum.instructions += 1;
            sum.counts.add(&instruction.counts);
        }
        let mut lines: Vec<Line> = lines.into_values().collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.counts.thread_instructions));
        lines
    }

    fn add(&mut self, other: &Kernel) {
        if self.ptx.is_empty() {
            self.ptx.clone_from(&other.ptx);
        }
        self.launches = self.launches.saturating_add(other.launches);
        let room = MAX_LAUNCHES.saturating_sub(self.each.len());
        self.each.extend(other.each.iter().take(room));
        for (&start, instruction) in &other.instructions {
            match self.instructions.get_mut(&start) {
                Some(sum) => sum.counts.add(&instruction.counts),
                None => drop(self.instructions.insert(start, instruction.clone())),
            }
        }
        for (key, line) in &other.lines {
            self.lines.entry(key.clone()).or_default().add(line);
        }
    }
}

impl Profile {
    /// Adds what another process has counted.
    pub fn add(&mut self, other: &Profile) {
        for (key, kernel) in &other.kernels {
            self.kernels.entry(key.clone()).or_default().add(kernel);
        }
    }

    /// Whether nothing was launched.
    pub fn is_empty(&self) -> bool {
        self.kernels.is_empty()
    }

    /// The profile in JSON: `schemas/profile.schema.json` describes it.
    pub fn to_json(&self) -> String {
        let kernel = |((name, hash), kernel): (&Key, &Kernel)| {
            let mut classes: BTreeMap<Class, ClassForm> = BTreeMap::new();
            for instruction in kernel.instructions.values() {
                let (sum, counts) =
                    (classes.entry(instruction.class).or_default(), &instruction.counts);
                sum.warp_instructions += counts.warp_instructions;
                sum.thread_instructions += counts.thread_instructions;
                sum.thread_instructions_on += counts.thread_instructions_on;
            }
            let instructions = kernel.instructions.iter();
            KernelForm {
                name: name.clone(),
                function: texunit_report::place::function_name(name),
                ptx: kernel.ptx.clone(),
                text_hash: format!("{hash:016x}"),
                launches: kernel.launches,
                each_launch: kernel.each.clone(),
                totals: kernel.totals(),
                classes,
                lines: kernel.all_lines(),
                instructions: instructions
                    .map(|(&at, instruction)| InstructionForm {
                        at,
                        instruction: instruction.clone(),
                    })
                    .collect(),
            }
        };
        let form = Form {
            format: FORMAT.to_owned(),
            version: VERSION,
            texunit: env!("CARGO_PKG_VERSION").to_owned(),
            kernels: self.kernels.iter().map(kernel).collect(),
        };
        // Numbers and texts alone cannot fail.
        let mut text = serde_json::to_string_pretty(&form).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads what [`Self::to_json`] writes.
    ///
    /// # Errors
    /// It is something else, or a later version.
    pub fn parse(text: &str) -> Result<Self, Unreadable> {
        let form: Form = serde_json::from_str(text)
            .map_err(|error| Unreadable(format!("not a profile of texunit: {error}")))?;
        if form.format != FORMAT || form.version != VERSION {
            return Err(Unreadable(format!(
                "the profile has version {} of the form {}; this texunit reads version {VERSION} of {FORMAT}",
                form.version, form.format
            )));
        }
        let mut profile = Self::default();
        for kernel in form.kernels {
            let hash = u64::from_str_radix(&kernel.text_hash, 16).map_err(|_| {
                Unreadable(format!("text_hash of {} is not a hexadecimal number", kernel.name))
            })?;
            let lines = kernel.lines.into_iter();
            let read = Kernel {
                ptx: kernel.ptx,
                launches: kernel.launches,
                each: kernel.each_launch,
                instructions: kernel
                    .instructions
                    .into_iter()
                    .map(|form| (form.at, form.instruction))
                    .collect(),
                lines: lines.map(|line| ((line.file, line.line), line.over_launches)).collect(),
            };
            profile.kernels.entry((kernel.name, hash)).or_default().add(&read);
        }
        Ok(profile)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, or is not a profile.
    pub fn read(path: &Path) -> io::Result<Self> {
        if path.metadata()?.len() > LARGEST {
            return Err(io::Error::other("the file has more than 1 GiB"));
        }
        Self::parse(&std::fs::read_to_string(path)?).map_err(io::Error::other)
    }

    /// What several processes have left in files. Files that cannot be read count as empty: their processes ended before
    /// they had anything to say.
    pub fn merged(files: &[impl AsRef<Path>]) -> Self {
        let mut sum = Self::default();
        for profile in files.iter().filter_map(|path| Self::read(path.as_ref()).ok()) {
            sum.add(&profile);
        }
        sum
    }
}
