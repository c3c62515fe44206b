//! Kernels as text, at each stage of compilation: warp code, regions, machine code.
//!
//! `texunit dump` and the `.kir` file tests print their output from here.

use crate::code::{Callee, Code, Func, Inst, Op, Slot};
use crate::flow::{FunctionCode, reads, writes};
use crate::launch::Arithmetic;
use crate::lower::{KernelId, Program};
use crate::regions::regions_of;
use std::collections::HashSet;
use std::fmt::Write;
use texunit_flow::Code as _;
pub use texunit_jit::region::{Level, Mode};
pub use texunit_jit::text::Processor;
use texunit_jit::text::disassemble;
use texunit_syntax::SourceFile;

/// Warp code of a kernel and of all functions that it can call. Each line has an instruction with
/// its guard, destinations and sources, and the PTX that it was lowered from. `'` marks helpers,
/// which do not count as instructions.
pub fn warp_code(program: &Program, kernel: KernelId) -> String {
    let code = &program.unit(kernel, Arithmetic::default()).code;
    let mut text = String::new();
    for (i, func) in code.funcs.iter().enumerate().filter(|(_, func)| func.has_body) {
        header(&mut text, func);
        let Some(of) = FunctionCode::new(code, i) else { continue };
        let targets = targets(&of);
        let mut last = None;
        for (n, inst) in of.insts.iter().enumerate() {
            let at = of.first as usize + n;
            if targets.contains(&n) {
                let _ = writeln!(text, "L{at}:");
            }
            let span = (last != Some(inst.span)).then_some(inst.span);
            last = Some(inst.span);
            let snippet = span.map(|span| one_line(&program.source, span)).unwrap_or_default();
            let line =
                format!("{at:>4}{} {}", if inst.count == 0 { "'" } else { " " }, line(code, inst));
            let _ = match snippet.is_empty() {
                true => writeln!(text, "  {line}"),
                false => writeln!(text, "  {line:<54} // {snippet}"),
            };
        }
    }
    text
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
///
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
    let mut text = String::new();
    for (i, func) in code.funcs.iter().enumerate().filter(|(_, func)| func.has_body) {
        header(&mut text, func);
        regions_of(code, i).iter().for_each(|region| print(&mut text, region));
    }
    text
}

fn header(text: &mut String, func: &Func) {
    let kind = if func.is_entry { "kernel" } else { "function" };
    let Func { name, narrow, wide, predicates, frame, .. } = func;
    let _ =
        writeln!(text, "; {kind} {name}: n {narrow}, w {wide}, p {predicates}, frame {frame} B");
}

/// Instructions that are branch targets within a function.
fn targets(of: &FunctionCode<'_>) -> HashSet<usize> {
    let mut targets = HashSet::new();
    for inst in 0..of.instructions() {
        of.control(inst, &mut |target| {
            targets.insert(target);
        });
    }
    targets
}

/// The PTX source of an instruction, joined into one line.
fn one_line(source: &SourceFile, span: texunit_syntax::Span) -> String {
    source.snippet(span).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn line(code: &Code, inst: &Inst) -> String {
    let mut text = String::new();
    if inst.guard != Slot::TRUE {
        let _ = write!(text, "@{} ", slot(code, inst.guard));
    }
    text.push_str(&name(&inst.op));
    let list = |slots: Vec<Slot>| {
        let slots: Vec<_> = slots.into_iter().map(|of| slot(code, of)).collect();
        slots.join(", ")
    };
    let (mut to, mut from) = (Vec::new(), Vec::new());
    writes(&inst.op, &mut |of| to.push(of));
    reads(&inst.op, &mut |of| from.push(of));
    for (slots, before) in [(to, " "), (from, " <- ")] {
        let slots = list(slots.into_iter().filter(|of| !of.is_none()).collect());
        if !slots.is_empty() {
            text += before;
            text += &slots;
        }
    }
    match &inst.op {
        Op::Load(access) | Op::Store(access) | Op::LoadQuad(access) | Op::StoreQuad(access)
            if access.offset != 0 =>
        {
            let _ = write!(text, " + {}", access.offset as i64);
        }
        Op::Branch { target, reconverge } => {
            let _ = write!(text, " L{target}{}", meets(*reconverge));
        }
        Op::BranchIndexed { targets, reconverge, .. } => {
            let all: Vec<_> = targets.iter().map(|target| format!("L{target}")).collect();
            let _ = write!(text, " [{}]{}", all.join(", "), meets(*reconverge));
        }
        Op::Call(call) => {
            if let Callee::Direct(function) = call.callee {
                let name = code.funcs.get(function as usize).map_or("?", |func| &func.name);
                let _ = write!(text, " {name}");
            }
        }
        _ => {}
    }
    text
}

/// Prints where the lanes of a branch reconverge.
fn meets(reconverge: u32) -> String {
    match reconverge {
        crate::code::NONE => String::new(),
        crate::code::AT_RETURN => ", meets at return".to_owned(),
        at => format!(", meets @{at}"),
    }
}

/// Prints an operand: `n3`, `w1`, `p2`, `!p2`, or the value of a constant.
fn slot(code: &Code, slot: Slot) -> String {
    match slot {
        Slot::TRUE => "true".to_owned(),
        Slot::FALSE => "false".to_owned(),
        of if of.is_predicate() => {
            format!("{}p{}", if of.is_negated() { "!" } else { "" }, of.predicate_index())
        }
        of if of.is_constant() && of.is_wide() => {
            number(code.constants.wide.get(of.index()).map(|l| l[0]))
        }
        of if of.is_constant() => {
            number(code.constants.narrow.get(of.index()).map(|lanes| lanes[0].into()))
        }
        of if of.is_wide() => format!("w{}", of.index()),
        of => format!("n{}", of.index()),
    }
}

fn number(value: Option<u64>) -> String {
    match value {
        None => "?".to_owned(),
        Some(value) if value < 4096 => value.to_string(),
        Some(value) => format!("{value:#x}"),
    }
}

/// Prints the mnemonic of an operation, with its modifiers.
fn name(op: &Op) -> String {
    let word = |word: &str| word.to_owned();
    match op {
        Op::Compute { row, .. } => format!("{row:?}"),
        Op::Compare { row, to, .. } | Op::ComparePair { row, to, .. } => {
            format!("{row:?}.{:?}", to.op).to_lowercase()
        }
        Op::Rare(rare) => format!("rare.{}", variant(&rare.alu)),
        Op::Lop3 { table, .. } => format!("lop3.{table:#04x}"),
        Op::Load(access) | Op::LoadQuad(access) => memory("ld", access),
        Op::Store(access) | Op::StoreQuad(access) => memory("st", access),
        Op::Atomic(atomic) => {
            let space = variant(&atomic.mem_space);
            format!("atom.{space}.{:?}.{:?}", atomic.op, atomic.ty).to_lowercase()
        }
        Op::Special { reg, component, .. } => format!("special.{reg:?}.{component}").to_lowercase(),
        Op::Fetch(fetch) => format!("fetch.{:?}", fetch.form.geometry).to_lowercase(),
        Op::SurfaceLoad(_) => word("suld"),
        Op::SurfaceStore(access) => word(if access.is_reduction() { "sured" } else { "sust" }),
        Op::Barrier(barrier) => format!("barrier.{:?}", barrier.kind).to_lowercase(),
        Op::Vote { mode, .. } => format!("vote.{mode:?}").to_lowercase(),
        Op::Match { mode, .. } => format!("match.{mode:?}").to_lowercase(),
        Op::Redux { op, ty, .. } => format!("redux.{op:?}.{ty:?}").to_lowercase(),
        Op::Shuffle(shuffle) => format!("shfl.{:?}", shuffle.mode).to_lowercase(),
        Op::Cvta { to, .. } => word(if *to { "cvta.to" } else { "cvta" }),
        Op::FrameAddress { offset, .. } => format!("frameaddress.{offset}"),
        op => variant(op).to_lowercase(),
    }
}

/// The name of an enumeration's variant, taken from its `Debug` output.
fn variant(of: &impl std::fmt::Debug) -> String {
    let text = format!("{of:?}");
    text.split(['(', '{', ' ']).next().unwrap_or_default().to_owned()
}

/// Prints the mnemonic of a memory access, for example `ld.global.4x2.signed.row`.
fn memory(word: &str, access: &crate::code::Access) -> String {
    let space = variant(&access.mem_space).to_lowercase();
    let signed = if access.signed { ".signed" } else { "" };
    format!("{word}.{space}.{}x{}{signed}", access.size, access.parts.len())
}
