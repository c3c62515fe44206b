//! `texunit dump`: prints the intermediate representations of a kernel.

use crate::check::read::read_file;
use crate::out;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use texunit_check::ir::{Module, print};
use texunit_files::{CommandFiles, write_atomically};
use texunit_simt::dump::{self, Level, Mode, Pass, Processor};
use texunit_simt::{Program, Symbols};
use texunit_syntax::SourceFile;

/// Arguments of `texunit dump`.
#[derive(Clone, Debug, Args)]
pub struct DumpArgs {
    /// A PTX file; or, for `region` and `asm`, a file with a region as `--stage region` prints it;
    /// or, for `kir`, one with warp code as `--stage kir` prints it.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Only this kernel, with the functions that it can call. Default: all kernels.
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// What is printed.
    #[arg(long, value_enum, default_value_t = Stage::Kir)]
    pub stage: Stage,
    /// A pass that is applied to a file with warp code.
    #[arg(long, value_enum, value_name = "PASS")]
    pub pass: Option<PassArg>,
    /// The instructions that `asm` is made of. Default: the best ones of this processor.
    #[arg(long, value_enum)]
    pub level: Option<LevelArg>,
    /// The code that `asm` prints: for warps whose live lanes are all active, or for diverged ones.
    #[arg(long, value_enum, default_value_t = Lanes::All)]
    pub lanes: Lanes,
    /// The processor that `asm` is made for, as far as code differs by it. Default: this one.
    #[arg(long, value_enum)]
    pub processor: Option<ProcessorArg>,
    /// A file for the text. Default: standard output.
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// A stage of a kernel's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// The typed module: PTX with every name and type resolved
    Ir,
    /// Warp code, which the interpreter executes
    Kir,
    /// Regions: the graphs of blocks that become machine code
    Region,
    /// Machine code, with how each access finds its addresses
    Asm,
}

crate::args::choices! {
    /// A pass from warp code to warp code.
    PassArg for Pass {
        /// Yields in spin loops
        Yields,
        /// Joins at the reconvergence points of branches
        Joins,
        /// Registers of kernels are allocated
        Registers,
        /// Marks, which notify observers
        Marks,
        /// Counters of blocks and branches
        Counters,
        /// Shadows, which tell which bits are uninitialised
        Shadows,
    }
}

crate::args::choices! {
    /// A set of vector instructions.
    LevelArg for Level {
        /// x86-64-v3
        Avx2,
        /// x86-64-v4
        Avx512,
    }
}

crate::args::choices! {
    /// A family of processors.
    ProcessorArg for Processor {
        /// AMD's: no gathers, other prefetches
        Amd,
        /// Intel's since Sapphire Rapids and Alder Lake
        Intel,
        /// Intel's before them, whose gathers are slow
        Skylake,
    }
}

/// Which lanes of a warp code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Lanes {
    /// All that have not ended
    All,
    /// Some of them: the code has that for all, too, and that for divergence and reconvergence
    Some,
}

/// Runs the command; returns the exit code.
pub fn run(args: &DumpArgs) -> u8 {
    let mut places = CommandFiles::default();
    places.reads("is dumped", &args.file);
    args.out.iter().for_each(|out| places.writes("--out", out));
    if let Some(conflict) = places.conflicts().first() {
        return crate::usage_error("dump", &conflict.message);
    }
    match (text(args), &args.out) {
        (Err(message), _) => out::failed(&message),
        (Ok(text), None) => crate::exit(out::print(&text), true),
        (Ok(text), Some(path)) => match write_atomically(path, text.as_bytes()) {
            Ok(()) => 0,
            Err(error) => out::error(error, crate::FAILED),
        },
    }
}

impl DumpArgs {
    fn code(&self) -> (Mode, Level) {
        // The processor can be set because nothing has read it before in this process.
        if let Some(processor) = self.processor {
            Processor::from(processor).assume();
        }
        let mode = if self.lanes == Lanes::Some { Mode::Some } else { Mode::Live };
        let level = match self.level {
            Some(level) => level.into(),
            None if Level::Avx512.is_available() => Level::Avx512,
            None => Level::Avx2,
        };
        (mode, level)
    }
}

/// The text, or an error message.
pub fn text(args: &DumpArgs) -> Result<String, String> {
    let error = |message: String| format!("error: {}", texunit_report::visible(&message));
    let source = read_file(&args.file).map_err(|unread| error(unread.message()))?.source;
    if dump::is_region(source.text()) {
        if !matches!(args.stage, Stage::Region | Stage::Asm) {
            return Err("error: a region can be printed as `region` and as `asm` only".to_owned());
        }
        let shown = args.file.display();
        return dump::of_region(source.text(), (args.stage == Stage::Asm).then(|| args.code()))
            .map_err(|e| error(format!("`{shown}` has no region: {e}")));
    }
    if dump::is_warp_code(source.text()) {
        if args.stage != Stage::Kir {
            return Err("error: warp code can be printed as `kir` only".to_owned());
        }
        let shown = args.file.display();
        return dump::of_warp_code(source.text(), args.pass.map(Pass::from))
            .map_err(|e| error(format!("`{shown}` has no warp code: {e}")));
    }
    if args.pass.is_some() {
        return Err(
            "error: `--pass` needs a file with warp code, as `--stage kir` prints it".to_owned()
        );
    }
    let module = crate::init::typed(&source)?;
    if args.stage == Stage::Ir {
        return ir(&module, &source, args).map_err(error);
    }
    let program = texunit_simt::lower(module, Symbols::default(), source);
    let kernels = kernels(&program, args).map_err(error)?;
    let (mode, level) = args.code();
    let print = |&kernel: &_| match args.stage {
        Stage::Region => dump::regions(&program, kernel),
        Stage::Asm => dump::machine_code(&program, kernel, mode, level),
        _ => dump::warp_code(&program, kernel),
    };
    Ok(kernels.iter().map(print).collect())
}

fn kernels(program: &Program, args: &DumpArgs) -> Result<Vec<texunit_simt::KernelId>, String> {
    let names: Vec<&str> = program.kernels().map(|(_, name)| name).collect();
    chosen(&names, args)?;
    let is_wanted = |name: &str| args.kernel.as_deref().is_none_or(|wanted| wanted == name);
    Ok(program.kernels().filter(|(_, name)| is_wanted(name)).map(|(id, _)| id).collect())
}

fn ir(module: &Module, source: &SourceFile, args: &DumpArgs) -> Result<String, String> {
    let with_body = || module.functions.iter().filter(|function| function.body.is_some());
    let names: Vec<&str> =
        with_body().filter(|of| of.is_entry).map(|function| function.name.as_str()).collect();
    chosen(&names, args)?;
    let is_wanted = |name: &str| args.kernel.as_deref().is_none_or(|wanted| wanted == name);
    let wanted = with_body().filter(|function| is_wanted(&function.name));
    Ok(wanted.map(|function| print::text(module, function, source)).collect())
}

/// Checks that there are kernels, and that the requested one exists.
fn chosen(names: &[&str], args: &DumpArgs) -> Result<(), String> {
    let shown = args.file.display();
    if names.is_empty() {
        return Err(format!("`{shown}` has no kernel (`.entry`)"));
    }
    match &args.kernel {
        Some(name) if !names.contains(&name.as_str()) => {
            Err(crate::init::no_kernel(&args.file, name, names))
        }
        _ => Ok(()),
    }
}
