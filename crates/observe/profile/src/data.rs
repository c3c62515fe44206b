//! A profile: counts by kernel, instruction and source line, of one process or several, and its
//! JSON form.

use crate::class::Class;
use crate::counts::Counts;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// The value of the key `format` in the JSON.
const FORMAT: &str = "texunit-profile";
/// The version of the JSON format.
const VERSION: u32 = 1;
/// Maximum number of launches of a kernel that are listed individually; further ones are only in
/// the sums.
pub(crate) const MAX_LAUNCHES: usize = 1000;
/// Maximum size in bytes of a profile file that is read.
const LARGEST: u64 = 1 << 30;

/// Counts by kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// The profiles of kernels, by the kernel's name and text.
    pub kernels: BTreeMap<Key, Kernel>,
}

/// Identifies a kernel: its name in the PTX, and a hash of the module's text.
pub type Key = (String, u64);

/// A kernel, including the functions that it calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// The name of the kernel's PTX file.
    pub ptx: String,
    /// Number of the kernel's launches.
    pub launches: u64,
    /// The kernel's first launches individually.
    pub each: Vec<LaunchCounts>,
    /// The kernel's instructions, by their first byte in the PTX.
    pub instructions: BTreeMap<u32, Instruction>,
    /// The variation of each source line over the launches.
    pub lines: BTreeMap<(String, u32), OverLaunches>,
}

/// A launch of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LaunchCounts {
    /// The launch's number among the profiled launches of its process, from 1.
    pub launch: u64,
    /// Number of CTAs along x, y, z.
    pub grid: [u32; 3],
    /// Number of threads of a CTA along x, y, z.
    pub block: [u32; 3],
    /// Number of warp instructions.
    pub warp_instructions: u64,
    /// Number of active lanes of the warp instructions.
    pub thread_instructions: u64,
}

/// A PTX instruction of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Instruction {
    /// The instruction's line in the PTX.
    pub ptx_line: u32,
    /// The instruction's text on one line.
    pub text: String,
    /// The instruction's class.
    pub class: Class,
    /// The PTX function that contains it, demangled.
    pub ptx_function: String,
    /// The instruction's position in the source, or in the PTX if there is no `.loc`.
    #[serde(flatten)]
    pub place: Place,
    /// The counts of the instruction.
    #[serde(flatten)]
    pub counts: Counts,
}

/// A source line.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Place {
    /// The file, with its full path if the file exists.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The source function, demangled.
    pub function: String,
}

/// A source line with the sums over its instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Line {
    /// The source file of the line.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The function that contains the line, demangled.
    pub function: String,
    /// Number of the line's PTX instructions that were executed.
    pub instructions: u64,
    /// The variation of the line's thread instructions over launches.
    pub over_launches: OverLaunches,
    /// The sums of the counts of the line's instructions.
    #[serde(flatten)]
    pub counts: Counts,
}

/// Minimum and maximum of a line's thread instructions over the launches of its kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OverLaunches {
    /// Number of the kernel's launches that have executed the line.
    pub launches: u64,
    /// The minimum number of thread instructions among launches that executed the line.
    pub least: u64,
    /// The number of the launch with the minimum number of thread instructions.
    pub least_launch: u64,
    /// The maximum number of thread instructions in a launch.
    pub most: u64,
    /// The number of the launch with the maximum number of thread instructions.
    pub most_launch: u64,
}

impl OverLaunches {
    /// The minimum and maximum of a line after a single launch, which has executed `threads` thread
    /// instructions of it.
    pub(crate) fn of(launch: u64, threads: u64) -> Self {
        let (least, least_launch, most, most_launch) = (threads, launch, threads, launch);
        Self { launches: 1, least, least_launch, most, most_launch }
    }

    /// Adds the minimum and maximum of other launches of the kernel.
    pub fn add(&mut self, other: &Self) {
        if self.launches == 0 || other.launches == 0 {
            *self = if self.launches == 0 { *other } else { *self };
            return;
        }
        self.launches = self.launches.saturating_add(other.launches);
        if other.least < self.least {
            (self.least, self.least_launch) = (other.least, other.least_launch);
        }
        if other.most > self.most {
            (self.most, self.most_launch) = (other.most, other.most_launch);
        }
    }
}

/// A kernel in the form that the JSON has.
#[derive(Serialize, Deserialize)]
struct KernelForm {
    name: String,
    #[serde(default)]
    function: String,
    ptx: String,
    /// The hash of the module's text, as a string, since JSON numbers do not hold 64 bits.
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

impl Kernel {
    /// The sums over all instructions.
    pub fn totals(&self) -> Counts {
        let mut totals = Counts::default();
        self.instructions.values().for_each(|instruction| totals.add(&instruction.counts));
        totals
    }

    /// The kernel's source lines with their counts, those with the most thread instructions first.
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
    /// Adds the profile of another process.
    pub fn add(&mut self, other: &Profile) {
        for (key, kernel) in &other.kernels {
            self.kernels.entry(key.clone()).or_default().add(kernel);
        }
    }

    /// Whether the profile has no launches.
    pub fn is_empty(&self) -> bool {
        self.kernels.is_empty()
    }

    /// Formats the profile as JSON, described by `schemas/profile.schema.json`.
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
            let form =
                |(&at, i): (&u32, &Instruction)| InstructionForm { at, instruction: i.clone() };
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
                instructions: instructions.map(form).collect(),
            }
        };
        let form = Form {
            format: FORMAT.to_owned(),
            version: VERSION,
            texunit: env!("CARGO_PKG_VERSION").to_owned(),
            kernels: self.kernels.iter().map(kernel).collect(),
        };
        // Serialising numbers and strings cannot fail.
        let mut text = serde_json::to_string_pretty(&form).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Parses the output of [`Self::to_json`].
    ///
    /// # Errors
    /// The text has another format or a later version, as the message says.
    pub fn parse(text: &str) -> Result<Self, String> {
        let form: Form = serde_json::from_str(text)
            .map_err(|error| format!("not a profile of texunit: {error}"))?;
        if form.format != FORMAT || form.version != VERSION {
            return Err(format!(
                "the profile has version {} of the form {}; this texunit reads version {VERSION} of {FORMAT}",
                form.version, form.format
            ));
        }
        let mut profile = Self::default();
        for kernel in form.kernels {
            let hash = u64::from_str_radix(&kernel.text_hash, 16)
                .map_err(|_| format!("text_hash of {} is not a hexadecimal number", kernel.name))?;
            let lines = kernel.lines.into_iter();
            let instructions = kernel.instructions.into_iter();
            let read = Kernel {
                ptx: kernel.ptx,
                launches: kernel.launches,
                each: kernel.each_launch,
                instructions: instructions.map(|form| (form.at, form.instruction)).collect(),
                lines: lines.map(|line| ((line.file, line.line), line.over_launches)).collect(),
            };
            profile.kernels.entry((kernel.name, hash)).or_default().add(&read);
        }
        Ok(profile)
    }

    /// Reads a profile file.
    ///
    /// # Errors The file cannot be read or is not a profile.
    pub fn read(path: &Path) -> io::Result<Self> {
        if path.metadata()?.len() > LARGEST {
            return Err(io::Error::other("the file has more than 1 GiB"));
        }
        Self::parse(&std::fs::read_to_string(path)?).map_err(io::Error::other)
    }

    /// Reads and merges the profile files of several processes. An unreadable file counts as empty,
    /// because its process ended before it had written any counts.
    pub fn merged(files: &[impl AsRef<Path>]) -> Self {
        let mut sum = Self::default();
        for profile in files.iter().filter_map(|path| Self::read(path.as_ref()).ok()) {
            sum.add(&profile);
        }
        sum
    }
}
