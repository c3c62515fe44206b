//! Parses ptxas's command line: the options in the help of release 13.5, and one that Triton
//! passes.

use std::fmt;
use std::sync::LazyLock;
use texunit_check::Architecture;

/// How an option's value is written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueForm {
    Nothing,
    /// A value after `=`, or the next argument.
    Word,
    /// `true` or `false`, after `=` or as the next argument.
    Truth,
    /// A value after `=` or directly attached: `-O3`.
    Attached,
}
use ValueForm::{Attached, Nothing, Truth, Word};

/// Effect that an option of NVIDIA's ptxas has in texunit's ptxas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Ignored: the option tunes speed, registers or caches, or messages about them.
    Tunes,
    /// Refused: the option would change the generated code.
    Refused,
    /// As [`Effect::Refused`], except that `false` is accepted as the default.
    RefusedIfTrue,
    /// The effect that [`Options::take`] implements, with the option's text in `--help`.
    Acts(&'static str),
}
use Effect::{Acts, Refused, RefusedIfTrue, Tunes};

/// An option: its long name, its short name, the form of its value, and its effect.
type OptionSpec = (&'static str, &'static str, ValueForm, Effect);

/// The options that options.txt lists, one for each row.
static ROWS: LazyLock<Vec<OptionSpec>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let mut parts = line.split(" | ");
        let (name, short) = (parts.next()?, parts.next()?);
        let form = match parts.next()? {
            "none" => Nothing,
            "word" => Word,
            "truth" => Truth,
            _ => Attached,
        };
        let effect = match parts.next()? {
            "tunes" => Tunes,
            "refused" => Refused,
            "refused if true" => RefusedIfTrue,
            help => Acts(help),
        };
        Some((name, short, form, effect))
    };
    include_str!("options.txt").lines().filter_map(row).collect()
});

/// Action that the command line requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Action {
    #[default]
    Assembly,
    Versions,
    Architectures,
    Version,
    Help,
}

/// Source of the PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input {
    File(String),
    /// Standard input, `-`.
    Standard,
    /// PTX text that is itself an argument.
    Text(String),
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File(file) => file,
            Self::Standard => "standard input",
            Self::Text(_) => "application ptx input",
        })
    }
}

/// The parsed command line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub(super) struct Options {
    pub(super) wanted: Action,
    pub(super) arch: Architecture,
    /// Whether the target architecture is virtual (`compute_80`), so that the PTX is checked but no
    /// file is written.
    pub(super) only_checks: bool,
    pub(super) output: String,
    pub(super) inputs: Vec<Input>,
    pub(super) fmad: bool,
    /// Maximum number of registers per thread (`--maxrregcount`).
    pub(super) registers: Option<u32>,
    pub(super) verbose: bool,
    /// Whether warnings are suppressed.
    pub(super) silent: bool,
    /// Whether warnings are treated as errors.
    pub(super) strict: bool,
}

/// Maximum number of option files, each of which may name others.
const MAX_FILES: usize = 64;

impl Options {
    /// Parses arguments. An error is the message that ptxas prints.
    pub(super) fn read(
        arguments: Vec<String>,
        warn: &mut dyn FnMut(String),
    ) -> Result<Self, String> {
        let mut options = Self {
            wanted: Action::default(),
            arch: Architecture { number: 75, suffix: None },
            only_checks: false,
            output: "elf.o".to_owned(),
            inputs: Vec::new(),
            fmad: true,
            registers: None,
            verbose: false,
            silent: false,
            strict: false,
        };
        let mut rest: Vec<String> = arguments.into_iter().rev().collect();
        let (mut files, mut given): (usize, Vec<(&str, String)>) = (0, Vec::new());
        while let Some(word) = rest.pop() {
            if !word.starts_with('-') || word == "-" {
                let standard = word == "-";
                options.inputs.push(if standard { Input::Standard } else { Input::File(word) });
                continue;
            }
            let (&(name, _, takes, effect), value) = named(&word)?;
            let value = match (takes, value) {
                (Nothing, Some(_)) => {
                    let option = word.split('=').next().unwrap_or_default();
                    return Err(format!("no argument expected after '{option}'"));
                }
                (Nothing | Attached, None) if !word.starts_with("--") || takes == Nothing => {
                    String::new()
                }
                (_, Some(value)) => value.to_owned(),
                _ => rest.pop().ok_or_else(|| format!("argument expected after '{word}'"))?,
            };
            if takes == Truth && !matches!(value.as_str(), "true" | "false") {
                return Err(format!("'{value}': expected true or false"));
            }
            if name == "options-file" {
                files += 1;
                let text = (files <= MAX_FILES).then(|| std::fs::read_to_string(&value).ok());
                let text = text.flatten();
                let text = text.ok_or_else(|| format!("Could not open options file '{value}'"))?;
                rest.extend(text.split_whitespace().rev().map(str::to_owned));
                continue;
            }
            let is_one = matches!(name, "gpu-name" | "output-file" | "fmad");
            if is_one && given.iter().any(|(other, old)| *other == name && *old != value) {
                warn(format!(
                    "incompatible redefinition for option '{name}', the last value of this option was used"
                ));
            }
            options.take(name, effect, &value)?;
            given.push((name, value));
        }
        Ok(options)
    }

    fn take(&mut self, name: &str, effect: Effect, value: &str) -> Result<(), String> {
        match effect {
            Tunes => return Ok(()),
            RefusedIfTrue if value == "false" => return Ok(()),
            Refused | RefusedIfTrue => {
                return Err(format!(
                    "option '{name}' makes code that differs from the PTX, which is all that texunit's ptxas hands on"
                ));
            }
            Acts(_) => {}
        }
        match name {
            "help" => self.wanted = self.wanted.max(Action::Help),
            "version" => self.wanted = self.wanted.max(Action::Version),
            "list-arch" => self.wanted = self.wanted.max(Action::Architectures),
            "list-version" => self.wanted = self.wanted.max(Action::Versions),
            "gpu-name" => {
                let known =
                    value.parse().ok().filter(|&arch| architectures().any(|known| known == arch));
                self.arch = known.ok_or_else(|| match value.starts_with("lto_") {
                    true => format!(
                        "'{value}' is for NVIDIA's linker, and texunit's ptxas links nothing"
                    ),
                    false => undefined(value, name),
                })?;
                self.only_checks = value.starts_with("compute_");
            }
            "output-file" => value.clone_into(&mut self.output),
            "input-as-string" => self.inputs.push(Input::Text(value.to_owned())),
            "fmad" => self.fmad = value == "true",
            "maxrregcount" if matches!(value, "archmax" | "archmin") => {}
            "maxrregcount" => {
                let invalid = |_| format!("Invalid value '{value}' for option '{name}'");
                self.registers = Some(value.parse().map_err(invalid)?);
            }
            "verbose" | "verbose2" => self.verbose = true,
            "disable-warnings" => self.silent = true,
            "warning-as-error" => self.strict = true,
            "machine" if value == "64" => {}
            "machine" => return Err(undefined(value, name)),
            _ => {}
        }
        Ok(())
    }
}

fn undefined(value: &str, name: &str) -> String {
    format!("Value '{value}' is not defined for option '{name}'")
}

/// The oldest architecture that a supported release (11.8) assembles for.
const OLDEST: u32 = 35;

/// The architectures that `--gpu-name` accepts.
pub(super) fn architectures() -> impl Iterator<Item = Architecture> {
    texunit_check::architectures().filter(|arch| arch.number >= OLDEST)
}

/// The option that an argument names, and the value if it is attached: `--name`, `-short`,
/// `--name=value`, `-short=value`, `-O3`.
fn named(word: &str) -> Result<(&'static OptionSpec, Option<&str>), String> {
    let bare = &word[1..];
    let (name, value) = match bare.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (bare, None),
    };
    let is = |row: &&OptionSpec| match name.strip_prefix('-') {
        Some(long) => row.0 == long,
        None => row.1 == name,
    };
    if let Some(row) = ROWS.iter().find(is) {
        return Ok((row, value));
    }
    let attached = ROWS.iter().filter(|row| row.2 == Attached);
    let number = |value: &&str| value.starts_with(|c: char| c.is_ascii_digit());
    let mut found =
        attached.filter_map(|row| Some((row, Some(bare.strip_prefix(row.1).filter(number)?))));
    found.next().ok_or_else(|| format!("Unknown option '{name}'"))
}

/// The text of `--help`.
pub(super) fn help() -> String {
    let mut text = "\
Usage  : ptxas [options] <ptx file>

texunit's ptxas checks PTX as NVIDIA's does, and writes it where that writes machine code: texunit's driver
runs it. Options of ptxas 13.5:

"
    .to_owned();
    for (name, short, takes, effect) in ROWS.iter() {
        let value = match takes {
            Nothing => "",
            Word | Attached => " <value>",
            Truth => " <true|false>",
        };
        let what = match effect {
            Tunes => "no effect here",
            Refused => "refused: it would make other code",
            RefusedIfTrue => "true is refused: it would make other code",
            Acts(help) => help,
        };
        text += &format!("--{name}{value} (-{short})\n        {what}\n");
    }
    text
}
