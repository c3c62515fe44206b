//! The disassembly of a region's machine code. It begins with how each memory access computes its
//! addresses.

use crate::Error;
use crate::emit;
use crate::frame::Frame;
use crate::ir::Region;
use crate::machine::{Level, Mode};
use iced_x86::{Code, FastFormatter, Instruction, OpKind, Register};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Bytes of a register of 32 lanes of 32 bits in the register file.
const ROW: u64 = 128;

/// Compiles a region for a mode and a level, which this processor need not support, and returns the
/// code as text: how each access computes its addresses, then entries, labels and instructions.
/// Memory operands in the register files and in the frame are followed by their names. Addresses of
/// this process are printed as `<address>`, so that the text is the same in each run.
///
/// # Errors
///
/// The errors of [`crate::region::compile`].
pub fn disassemble(region: &Region, mode: Mode, level: Level) -> Result<String, Error> {
    let code = emit::emit(region, mode, level, true)?;
    let mut text = emit::choices(region);
    let listing = code.listing.unwrap_or_default();
    let targets: BTreeSet<u64> = listing.instructions.iter().filter_map(branch).collect();
    let names = targets.into_iter().enumerate().map(|(i, target)| (target, format!("L{i}")));
    let names: BTreeMap<u64, String> = names.collect();
    let mut marks: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for (offset, line) in listing.marks {
        marks.entry(offset).or_default().push(line);
    }
    for (mode, at, offset) in code.entries {
        marks.entry(offset.into()).or_default().push(format!("entry @{at}, {}", mode.lanes()));
    }
    let mut formatter = FastFormatter::new();
    for instruction in &listing.instructions {
        let ip = instruction.ip();
        for line in marks.get(&ip).into_iter().flatten() {
            let _ = writeln!(text, "; {line}");
        }
        if let Some(name) = names.get(&ip) {
            let _ = writeln!(text, "{name}:");
        }
        let mut line = String::new();
        formatter.format(instruction, &mut line);
        if let Some(target) = branch(instruction) {
            let mnemonic = line.split(' ').next().unwrap_or_default();
            line = format!("{mnemonic} {}", names.get(&target).map_or("", String::as_str));
        } else if instruction.code() == Code::Mov_r64_imm64 && is_address(instruction.immediate64())
        {
            line = format!("{} <address>", line.split(',').next().unwrap_or_default());
        } else if let Some(name) = operand(instruction) {
            line = format!("{line} ; {name}");
        }
        let _ = writeln!(text, "    {line}");
    }
    Ok(text)
}

/// The target address of a near jump.
fn branch(instruction: &Instruction) -> Option<u64> {
    (instruction.op0_kind() == OpKind::NearBranch64).then(|| instruction.near_branch64())
}

/// Whether a number is an address in this process, which differs between runs.
fn is_address(number: u64) -> bool {
    (0x1_0000_0000..0x8000_0000_0000).contains(&number)
}

/// The name of a memory operand in the register files or in the frame.
fn operand(instruction: &Instruction) -> Option<String> {
    if instruction.memory_index() != Register::None {
        return None;
    }
    let at = instruction.memory_displacement64();
    match instruction.memory_base() {
        Register::RSI => Some(format!("n{}", at / ROW)),
        Register::RDX => Some(format!("w{}", at / (2 * ROW))),
        Register::RCX => Some(format!("p{}", at / 4)),
        Register::RDI => Frame::field(usize::try_from(at).ok()?).map(str::to_owned),
        _ => None,
    }
}
