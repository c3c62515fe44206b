//! Parses ptxas's command line: the options in the help of release 13.5, and one that Triton
//! passes.

use std::fmt;
use texunit_check::Architecture;

/// Form of an option's value.
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

/// Effect of an option here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Ignored: the option tunes speed, registers or caches, or messages about them.
    Tunes,
    /// Refused: the option would change the generated code.
    Refused,
    /// As [`Effect::Refused`], except that `false` is accepted as the default.
    RefusedIfTrue,
    Help,
    Version,
    Architectures,
    Versions,
    Architecture,
    Output,
    Text,
    File,
    Fmad,
    Registers,
    Verbose,
    Silent,
    Strict,
    Machine,
}
use Effect::{Refused, RefusedIfTrue, Tunes};

/// An option: its long name, its short name, the form of its value, and its effect.
type OptionSpec = (&'static str, &'static str, ValueForm, Effect);

#[rustfmt::skip]
const ROWS: &[OptionSpec] = &[
    ("Ofast-compile", "Ofc", Word, Tunes),
    ("allow-expensive-optimizations", "allow-expensive-optimizations", Truth, Tunes),
    ("apply-controls", "apply-controls", Word, Refused),
    ("compile-as-tools-patch", "astoolspatch", Nothing, Refused),
    // Relocatable code of a single input, which another linker would link.
    ("compile-only", "c", Nothing, Tunes),
    ("compiler-annotations", "annotate", Nothing, Tunes),
    ("def-load-cache", "dlcm", Word, Tunes),
    ("def-store-cache", "dscm", Word, Tunes),
    ("device-debug", "g", Nothing, Tunes),
    ("device-function-maxrregcount", "func-maxrregcount", Word, Tunes),
    ("device-stack-protector", "device-stack-protector", Truth, RefusedIfTrue),
    ("disable-optimizer-constants", "disable-optimizer-consts", Nothing, Tunes),
    ("disable-warnings", "w", Nothing, Effect::Silent),
    ("dont-merge-basicblocks", "no-bb-merge", Nothing, Tunes),
    ("enable-func-clone-sc", "enable-func-clone-sc", Truth, Tunes),
    ("entry", "e", Word, Refused),
    ("extensible-whole-program", "ewp", Nothing, Tunes),
    ("fmad", "fmad", Truth, Effect::Fmad),
    ("force-load-cache", "flcm", Word, Tunes),
    ("force-store-cache", "fscm", Word, Tunes),
    ("g-tensor-memory-access-check", "g-tmem-access-check", Nothing, Tunes),
    ("generate-line-info", "lineinfo", Nothing, Tunes),
    ("gno-fabric-access-check", "gno-fabric-access-check", Nothing, Tunes),
    ("gno-tensor-memory-access-check", "gno-tmem-access-check", Nothing, Tunes),
    ("gpu-name", "arch", Word, Effect::Architecture),
    ("help", "h", Nothing, Effect::Help),
    ("input-as-string", "ias", Word, Effect::Text),
    ("jobserver", "jobserver", Nothing, Tunes),
    ("legacy-bar-warp-wide-behavior", "legacy-bar-warp-wide-behavior", Nothing, Refused),
    ("list-arch", "arch-ls", Nothing, Effect::Architectures),
    ("list-version", "version-ls", Nothing, Effect::Versions),
    ("machine", "m", Attached, Effect::Machine),
    ("make-errors-visible-at-exit", "make-errors-visible-at-exit", Nothing, Tunes),
    ("maxntid", "maxntid", Word, Refused),
    ("maxrregcount", "maxrregcount", Word, Effect::Registers),
    ("minnctapersm", "minnctapersm", Word, Tunes),
    ("opt-level", "O", Attached, Tunes),
    ("optimize-float-atomics", "opt-fp-atomics", Nothing, Tunes),
    ("options-file", "optf", Word, Effect::File),
    ("output-file", "o", Word, Effect::Output),
    ("override-directive-values", "override-directive-values", Nothing, Refused),
    ("position-independent-code", "pic", Truth, Tunes),
    ("preserve-relocs", "preserve-relocs", Nothing, Tunes),
    // Undocumented; Triton passes it.
    ("regAllocOptLevel", "regAllocOptLevel", Word, Tunes),
    ("register-usage-level", "regUsageLevel", Word, Tunes),
    ("return-at-end", "ret-end", Nothing, Tunes),
    ("sanitize", "sanitize", Word, Refused),
    ("sp-bounds-check", "sp-bounds-check", Nothing, Tunes),
    ("split-compile", "split-compile", Word, Tunes),
    ("suppress-async-bulk-multicast-advisory-warning", "suppress-async-bulk-multicast-advisory-warning", Nothing, Tunes),
    ("suppress-debug-info", "suppress-debug-info", Nothing, Tunes),
    ("suppress-double-demote-warning", "suppress-double-demote-warning", Nothing, Tunes),
    ("suppress-position-independent-code-warning", "suppress-position-independent-code-warning", Nothing, Tunes),
    ("suppress-sparse-mma-advisory-info", "suppress-sparse-mma-advisory-info", Nothing, Tunes),
    ("suppress-stack-size-warning", "suppress-stack-size-warning", Nothing, Tunes),
    ("verbose", "v", Nothing, Effect::Verbose),
    ("verbose2", "v2", Nothing, Effect::Verbose),
    ("version", "V", Nothing, Effect::Version),
    ("warn-on-double-precision-use", "warn-double-usage", Nothing, Tunes),
    ("warn-on-local-memory-usage", "warn-lmem-usage", Nothing, Tunes),
    ("warn-on-spills", "warn-spills", Nothing, Tunes),
    ("warning-as-error", "Werror", Nothing, Effect::Strict),
];

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
    /// The text itself, passed as an argument.
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
    /// Whether the architecture is virtual, so that no file is written.
    pub(super) only_checks: bool,
    pub(super) output: String,
    pub(super) inputs: Vec<Input>,
    pub(super) fmad: bool,
    /// Maximum number of registers.
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
            if let Effect::File = effect {
                files += 1;
                let text = (files <= MAX_FILES).then(|| std::fs::read_to_string(&value).ok());
                let text = text.flatten();
                let text = text.ok_or_else(|| format!("Could not open options file '{value}'"))?;
                rest.extend(text.split_whitespace().rev().map(str::to_owned));
                continue;
            }
            let is_one = matches!(effect, Effect::Architecture | Effect::Output | Effect::Fmad);
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
            Tunes | Effect::File => {}
            RefusedIfTrue if value == "false" => {}
            Refused | RefusedIfTrue => {
                return Err(format!(
                    "option '{name}' makes code that differs from the PTX, which is all that texunit's ptxas hands on"
                ));
            }
            Effect::Help => self.wanted = self.wanted.max(Action::Help),
            Effect::Version => self.wanted = self.wanted.max(Action::Version),
            Effect::Architectures => self.wanted = self.wanted.max(Action::Architectures),
            Effect::Versions => self.wanted = self.wanted.max(Action::Versions),
            Effect::Architecture => {
                let known = value.parse().ok().filter(|&arch| is_known(arch));
                self.arch = known.ok_or_else(|| match value.starts_with("lto_") {
                    true => format!(
                        "'{value}' is for NVIDIA's linker, and texunit's ptxas links nothing"
                    ),
                    false => undefined(value, name),
                })?;
                self.only_checks = value.starts_with("compute_");
            }
            Effect::Output => value.clone_into(&mut self.output),
            Effect::Text => self.inputs.push(Input::Text(value.to_owned())),
            Effect::Fmad => self.fmad = value == "true",
            Effect::Registers if matches!(value, "archmax" | "archmin") => {}
            Effect::Registers => {
                let number = value
                    .parse()
                    .map_err(|_| format!("Invalid value '{value}' for option '{name}'"))?;
                self.registers = Some(number);
            }
            Effect::Verbose => self.verbose = true,
            Effect::Silent => self.silent = true,
            Effect::Strict => self.strict = true,
            Effect::Machine if value == "64" => {}
            Effect::Machine => return Err(undefined(value, name)),
        }
        Ok(())
    }
}

fn undefined(value: &str, name: &str) -> String {
    format!("Value '{value}' is not defined for option '{name}'")
}

/// The oldest architecture that a supported release (11.8) assembles for.
const OLDEST: u32 = 35;

/// The architectures that are accepted.
pub(super) fn architectures() -> impl Iterator<Item = Architecture> {
    texunit_check::architectures().filter(|arch| arch.number >= OLDEST)
}

fn is_known(arch: Architecture) -> bool {
    architectures().any(|known| known == arch)
}

/// The option that an argument names, with an attached value: `--name`, `-short`, each also with
/// `=value`, and `-O3`.
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
    let found = found.next();
    found.ok_or_else(|| format!("Unknown option '{name}'"))
}

/// The text of `--help`.
pub(super) fn help() -> String {
    let mut text = "\
Usage  : ptxas [options] <ptx file>

texunit's ptxas checks PTX as NVIDIA's does, and writes it where that writes machine code: texunit's driver
runs it. Options of ptxas 13.5:

"
    .to_owned();
    for (name, short, takes, effect) in ROWS {
        let value = match takes {
            Nothing => "",
            Word | Attached => " <value>",
            Truth => " <true|false>",
        };
        let what = match effect {
            Tunes => "no effect here",
            Refused => "refused: it would make other code",
            RefusedIfTrue => "true is refused: it would make other code",
            Effect::Help => "this text",
            Effect::Version => "the release that this program stands for",
            Effect::Architectures => "the architectures",
            Effect::Versions => "the versions of the PTX ISA",
            Effect::Architecture => {
                "what is assembled for; default: sm_75; of compute_XX nothing is written"
            }
            Effect::Output => "the file; default: elf.o",
            Effect::Text => "PTX as an argument; `-` is standard input",
            Effect::File => "a file with options",
            Effect::Fmad => "whether products and sums may be contracted; default: true",
            Effect::Registers => "maximum number of registers: .maxnreg",
            Effect::Verbose => "name the entries",
            Effect::Silent => "no warnings",
            Effect::Strict => "warnings are errors",
            Effect::Machine => "64",
        };
        text += &format!("--{name}{value} (-{short})\n        {what}\n");
    }
    text
}
