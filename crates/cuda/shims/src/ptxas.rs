//! `ptxas`, for programs that call NVIDIA's assembler themselves, as Triton does.
//!
//! It reads ptxas's options, checks the PTX, prints errors in ptxas's format, and exits with
//! ptxas's code. Where ptxas writes machine code, this program writes the PTX, because drivers
//! accept either; texunit's driver says once that it was given such PTX. Registers are not
//! allocated and nothing is optimised, so that tuning options have no effect. Options that would
//! change the results of the code are refused by name, and so is linking. `--fmad=false` is applied
//! by rewriting the text.

mod options;
#[cfg(test)]
mod tests;

use options::{Action, Input, Options};
use std::io::{Read, Write};
use texunit_check::{Architecture, Ptxas, Verdicts};
use texunit_link::{IN_PLACE, Ptx, limited};
use texunit_syntax::ast::{Block, Instruction, Item, Statement};
use texunit_syntax::{Diagnostic, SourceFile};

/// Exit code of ptxas for any error.
const FAILED: u8 = 255;
/// Size limit of a PTX file, in bytes.
const MAX_BYTES: u64 = 1 << 30;
/// Output of `--version`, with the release that the program stands in for. Callers look for
/// `release X.Y`. Triton's cache is keyed by the whole text, which therefore differs from NVIDIA's.
const VERSION: &str = concat!(
    "ptxas: the assembler of texunit ",
    env!("CARGO_PKG_VERSION"),
    ", which hands PTX on\nCuda compilation tools, release 13.5, V13.5.0"
);
/// Text that the process prints.
#[derive(Debug, Default, PartialEq, Eq)]
struct Output {
    out: String,
    err: String,
}

impl Output {
    /// Adds a message that names no source line. `kind` is `fatal`, `warning` or `info`.
    fn say(&mut self, kind: &str, text: &str) {
        self.err += &format!("ptxas {kind:8}: {text}\n");
    }

    fn fatal(&mut self, text: &str) -> u8 {
        self.say("fatal", text);
        FAILED
    }
}

/// Runs the program with the arguments of the process and returns its exit code.
pub fn main() -> u8 {
    let arguments = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let mut said = Output::default();
    let code = run(arguments.collect(), &mut said);
    // A reader that closes the pipe is not an error of the PTX.
    let _ = std::io::stdout().write_all(said.out.as_bytes());
    let _ = std::io::stderr().write_all(said.err.as_bytes());
    code
}

fn run(arguments: Vec<String>, said: &mut Output) -> u8 {
    let options = match Options::read(arguments, &mut |text| said.say("warning", &text)) {
        Ok(options) => options,
        Err(why) => return said.fatal(&why),
    };
    match options.wanted {
        Action::Help => said.out += &options::help(),
        Action::Version => said.out += &format!("{VERSION}\n"),
        Action::Architectures => {
            let all = options::architectures().filter(|arch| arch.suffix.is_none());
            all.for_each(|arch| said.out += &format!("{}\n", arch.number));
        }
        Action::Versions => {
            texunit_check::versions().for_each(|(x, y)| said.out += &format!("{x}.{y}\n"));
        }
        Action::Assembly => return assemble(&options, said),
    }
    0
}

fn assemble(options: &Options, said: &mut Output) -> u8 {
    let source = match &options.inputs[..] {
        [] => {
            said.out += &options::help();
            return 0;
        }
        [only] => match read(only) {
            Ok(source) => source,
            Err(why) => {
                said.fatal(&why);
                return aborted(said);
            }
        },
        [first, second, ..] => {
            return said.fatal(&format!(
                "'{first}' and '{second}' would be linked, which texunit's ptxas does not do: give it one input"
            ));
        }
    };
    let checked = texunit_check::Options {
        verdicts: Verdicts::Ptxas(Some(release(options.arch))),
        arch: Some(options.arch),
        ..texunit_check::Options::default()
    };
    let diagnostics = texunit_check::check_source(&source, &checked);
    let mut failed = false;
    for diagnostic in diagnostics.iter().filter(|d| is_ptxas(d)) {
        let is_error = diagnostic.is_error() || options.strict;
        if is_error || !options.silent {
            print_diagnostic(&source, diagnostic, is_error, said);
        }
        failed |= is_error;
    }
    if failed {
        return aborted(said);
    }
    if options.verbose {
        statistics(&source, options, said);
    }
    if options.only_checks {
        return 0;
    }
    match std::fs::write(&options.output, written(&source, options)) {
        Ok(()) => 0,
        Err(_) => said.fatal(&format!("Output file '{}' could not be opened", options.output)),
    }
}

fn aborted(said: &mut Output) -> u8 {
    said.fatal("Ptx assembly aborted due to errors")
}

/// Whether ptxas would report this diagnostic, unlike warnings of texunit about suspicious code.
fn is_ptxas(diagnostic: &Diagnostic) -> bool {
    diagnostic.is_error() || diagnostic.code.starts_with('E')
}

/// The newest known release that supports an architecture.
fn release(arch: Architecture) -> Ptxas {
    match arch.number {
        ..50 => Ptxas::V11_8,
        50..75 => Ptxas::V12_9,
        _ => Ptxas::V13_5,
    }
}

/// Reads the text of an input.
fn read(input: &Input) -> Result<SourceFile, String> {
    let limited = |from: &mut dyn Read| {
        let mut bytes = Vec::new();
        from.take(MAX_BYTES + 1).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= MAX_BYTES).then_some(bytes)
    };
    let bytes = match input {
        Input::Text(text) => Some(text.as_bytes().to_vec()),
        Input::Standard => limited(&mut std::io::stdin().lock()),
        Input::File(file) => std::fs::File::open(file).ok().and_then(|mut file| limited(&mut file)),
    };
    let bytes = bytes.ok_or_else(|| format!("Input file '{input}' could not be opened"))?;
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    Ok(SourceFile::from_bytes(input.to_string(), &bytes[..end]))
}

/// Prints a diagnostic in ptxas's format: `ptxas k.ptx, line 6; error   : unknown instruction
/// 'mull'`.
fn print_diagnostic(
    source: &SourceFile,
    diagnostic: &Diagnostic,
    is_error: bool,
    said: &mut Output,
) {
    let line = source.location(diagnostic.primary.span.start).line;
    let kind = if is_error { "error" } else { "warning" };
    let help = diagnostic.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
    let (name, message) = (source.name(), &diagnostic.message);
    said.err += &format!("ptxas {name}, line {line}; {kind:8}: {message}{help}\n");
}

/// The output of `-v` as far as it applies without compilation and register allocation.
fn statistics(source: &SourceFile, options: &Options, said: &mut Output) {
    for item in &texunit_syntax::parse(source).module.items {
        if let Item::Function(f) = item
            && f.is_entry
            && f.body.is_some()
        {
            said.say(
                "info",
                &format!("Checked entry function '{}' for '{}'", f.name.text, options.arch),
            );
        }
    }
    said.say("info", "texunit runs the PTX: no registers are allocated");
}

/// The output file, in place of machine code: the text, a line that marks it for texunit's driver,
/// and the terminating zero that any driver expects.
fn written(source: &SourceFile, options: &Options) -> Vec<u8> {
    let text = if options.fmad { source.text().to_owned() } else { without_contraction(source) };
    let ptx = Ptx { name: String::new(), text };
    let text = limited(ptx, options.registers, options.arch.number).text;
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{end}{IN_PLACE}: {}\n\0", options.arch).into_bytes()
}

/// Operations that may be contracted.
const CONTRACTED: [&str; 3] = ["add", "mul", "sub"];
/// Floating-point types whose products may be contracted.
const FLOATS: [&str; 7] = ["f16", "f16x2", "bf16", "bf16x2", "f32", "f32x2", "f64"];
/// Rounding modifiers of an instruction.
const ROUNDINGS: [&str; 4] = ["rn", "rz", "rm", "rp"];

/// The same program with explicit rounding modifiers, so that nothing is contracted. PTX may
/// contract products and sums without a rounding modifier into fused operations, but not those with
/// one (PTX ISA, `mul.rn`, `add.rn`). Line numbers stay the same.
fn without_contraction(source: &SourceFile) -> String {
    let text = source.text();
    let parsed = texunit_syntax::parse(source);
    let bodies = parsed.module.items.iter().filter_map(|item| match item {
        Item::Function(f) => f.body.as_ref(),
        _ => None,
    });
    let mut ends: Vec<usize> = Vec::new();
    let mut blocks: Vec<&Block<'_>> = bodies.collect();
    while let Some(block) = blocks.pop() {
        for statement in &block.statements {
            match statement {
                Statement::Instruction(i) if may_be_contracted(i) => {
                    ends.push(i.opcode.span.end as usize);
                }
                Statement::Block(inner) => blocks.push(inner),
                _ => {}
            }
        }
    }
    ends.sort_unstable();
    let mut result = String::with_capacity(text.len() + 3 * ends.len());
    let mut at = 0;
    for end in ends {
        result += &text[at..end];
        result += ".rn";
        at = end;
    }
    result + &text[at..]
}

fn may_be_contracted(instruction: &Instruction<'_>) -> bool {
    let has = |words: &[&str]| instruction.modifiers.iter().any(|m| words.contains(&m.text));
    CONTRACTED.contains(&instruction.opcode.text) && has(&FLOATS) && !has(&ROUNDINGS)
}
