//! Kernels as text, at each stage of compilation: warp code, regions, machine code.
//!
//! `texunit dump` and the `.kir` file tests print their output from here.

use crate::code::{Code, Events};
use crate::launch::Arithmetic;
use crate::lower::{self, KernelId, Program};
use crate::regions::regions_of;
use crate::{marks, text};
use std::fmt::Write;
pub use texunit_jit::region::{Level, Mode};
pub use texunit_jit::text::Processor;
use texunit_jit::text::disassemble;

/// Warp code of a kernel and of all functions that it can call (`crate::text`).
pub fn warp_code(program: &Program, kernel: KernelId) -> String {
    text::print(&program.unit(kernel, Arithmetic::default()).code, &program.source)
}

/// A pass from warp code to warp code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Inserts yields into spin loops.
    Yields,
    /// Inserts joins at reconvergence points.
    Joins,
    /// Allocates the registers of kernels.
    Registers,
    /// Inserts a mark before and after what observers receive events of.
    Marks,
    /// Inserts counters of blocks and branches.
    Counters,
    /// Inserts the computation of shadows, which tell which bits are uninitialised.
    Shadows,
}

/// Whether a text is warp code, not PTX, judged by its first word.
pub fn is_warp_code(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.starts_with(';'));
    let first = lines.find(|line| !line.is_empty()).and_then(|line| line.split_once(' '));
    first.is_some_and(|(word, _)| matches!(word, "kernel" | "function"))
}

/// Parses warp code from text, applies a pass, and prints the result.
///
/// # Errors
/// The first line that cannot be parsed.
pub fn of_warp_code(text: &str, pass: Option<Pass>) -> Result<String, String> {
    let (mut code, source) = text::parse(text)?;
    let marked = |code: &Code, events| {
        marks::marked(&source, code, events, &|_| true).code.unwrap_or_default()
    };
    match pass {
        None => {}
        Some(Pass::Yields) => drop(lower::yield_in_loops(&mut code)),
        Some(Pass::Joins) => lower::join(&mut code),
        Some(Pass::Registers) => lower::share_rows(&mut code),
        Some(Pass::Marks) => {
            let memory = Events::ACCESSES | Events::RESULTS | Events::PARAMETERS;
            code = marked(&code, memory | Events::SYNCHRONIZATION | Events::BRANCHES);
        }
        Some(Pass::Counters) => code = marked(&code, Events::COUNTS | Events::ISSUES),
        Some(Pass::Shadows) => code = marked(&code, Events::DEFINED),
    }
    Ok(text::print(&code, &source))
}

/// The regions of a kernel and of all functions that it can call, for functions that are compiled
/// completely.
pub fn regions(program: &Program, kernel: KernelId) -> String {
    each_region(program, kernel, |text, region| {
        let _ = write!(text, "{region}");
    })
}

/// The machine code of the regions of a kernel, for a SIMD level that this processor need not
/// support.
pub fn machine_code(program: &Program, kernel: KernelId, mode: Mode, level: Level) -> String {
    each_region(program, kernel, |text, region| match disassemble(region, mode, level) {
        Ok(code) => text.push_str(&code),
        Err(e) => {
            let _ = writeln!(text, "; no code: {e}");
        }
    })
}

/// Whether a text is a region, not PTX, judged by its first word.
pub fn is_region(text: &str) -> bool {
    let lines = text.lines().map(|line| line.split(';').next().unwrap_or_default().trim());
    lines.clone().find(|line| !line.is_empty()).is_some_and(|line| line.starts_with("region"))
}

/// Parses a region from text and prints it again, or its machine code for a mode and a level.
///
/// # Errors
/// The first line that cannot be parsed.
pub fn of_region(text: &str, code: Option<(Mode, Level)>) -> Result<String, String> {
    let region = texunit_jit::text::parse(text).map_err(|e| e.to_string())?;
    match code {
        None => Ok(region.to_string()),
        Some((mode, level)) => disassemble(&region, mode, level).map_err(|e| e.to_string()),
    }
}

fn each_region(
    program: &Program,
    kernel: KernelId,
    print: impl Fn(&mut String, &texunit_jit::region::Region),
) -> String {
    let code = &program.unit(kernel, Arithmetic::default()).code;
    let mut out = String::new();
    for (i, func) in code.funcs.iter().enumerate().filter(|(_, func)| func.has_body) {
        out += "; ";
        text::header(&mut out, func);
        regions_of(code, i).iter().for_each(|region| print(&mut out, region));
    }
    out
}
