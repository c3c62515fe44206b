//! Instructions as text: `vpaddd zmm2{k1}{z},zmm1,dword bcst [r9+10h]`. It is made of the names of
//! codes, which say the kinds of operands (`EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32`), because the
//! formatters of `iced-x86` take more time to compile than its encoder.

use iced_x86::{Instruction, OpKind, Register, RoundingControl};
use std::fmt::Write;

/// Names of comparisons of integers, by their number in the instruction.
const INTEGERS: [&str; 8] = ["eq", "lt", "le", "false", "neq", "nlt", "nle", "true"];
/// Names of comparisons of floating-point numbers.
const FLOATS: [&str; 32] = [
    "eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord", "eq_uq", "nge", "ngt", "false",
    "neq_oq", "ge", "gt", "true", "eq_os", "lt_oq", "le_oq", "unord_s", "neq_us", "nlt_uq",
    "nle_uq", "ord_s", "eq_us", "nge_uq", "ngt_uq", "false_os", "neq_os", "ge_oq", "gt_oq",
    "true_us",
];

/// The text of an instruction; targets of jumps are numbers.
pub(super) fn text(instruction: &Instruction) -> String {
    let code = format!("{:?}", instruction.code());
    let code = code.strip_prefix("EVEX_").or(code.strip_prefix("VEX_")).unwrap_or(&code);
    let mut kinds = code.split('_').filter(|kind| !matches!(*kind, "k1" | "k1z"));
    let name = kinds.next().unwrap_or_default().to_lowercase().replace("retnq", "ret");
    let (name, operands) = compared(name, instruction);
    let mut text = if instruction.has_lock_prefix() { "lock ".to_owned() } else { String::new() };
    text += &name;
    for (n, kind) in (0..operands).zip(kinds) {
        text.push(if n == 0 { ' ' } else { ',' });
        match instruction.op_kind(n) {
            OpKind::Register => text += &register(instruction.op_register(n)),
            OpKind::Memory => text += &(size(&name, kind, instruction) + &memory(instruction)),
            OpKind::NearBranch64 => text += &hex(instruction.near_branch64()),
            OpKind::Immediate8 | OpKind::Immediate32 | OpKind::Immediate8to32 => {
                text += &hex(u64::from(instruction.immediate(n) as u32));
            }
            _ => text += &hex(instruction.immediate(n)),
        }
        if n == 0 && instruction.op_mask() != Register::None {
            let _ = write!(text, "{{{}}}", register(instruction.op_mask()));
            text += if instruction.zeroing_masking() { "{z}" } else { "" };
        }
    }
    text + rounding(instruction)
}

/// The name of a comparison with that of its predicate, and the number of operands without it.
fn compared(name: String, instruction: &Instruction) -> (String, u32) {
    let count = instruction.op_count();
    let parts = ["vpcmp", "vcmp"].into_iter().find_map(|of| Some((of, name.strip_prefix(of)?)));
    match parts {
        Some((of, kind)) if instruction.op_kind(count - 1) == OpKind::Immediate8 => {
            let number = usize::from(instruction.immediate8());
            let names = if of == "vpcmp" { &INTEGERS[..] } else { &FLOATS };
            (format!("{of}{}{kind}", names[number % names.len()]), count - 1)
        }
        _ => (name, count),
    }
}

/// The size of a memory operand, if no register says it.
fn size(name: &str, kind: &str, instruction: &Instruction) -> String {
    if instruction.is_broadcast() {
        return if kind.ends_with("b64") { "qword bcst " } else { "dword bcst " }.to_owned();
    }
    let extends = name.starts_with("movzx") || name.starts_with("movsx");
    if instruction.op_kinds().any(|kind| kind == OpKind::Register) && !extends {
        return String::new();
    }
    let size = match kind {
        "rm8" => "byte",
        "rm16" => "word",
        "rm32" => "dword",
        "rm64" => "qword",
        _ => return String::new(),
    };
    format!("{size} ptr ")
}

fn memory(instruction: &Instruction) -> String {
    let (base, index) = (instruction.memory_base(), instruction.memory_index());
    let mut parts = Vec::new();
    if base != Register::None {
        parts.push(register(base));
    }
    if index != Register::None {
        let scale = instruction.memory_index_scale();
        let times = if scale == 1 { String::new() } else { format!("*{scale}") };
        parts.push(register(index) + &times);
    }
    let (sum, at) = (parts.join("+"), instruction.memory_displacement64() as i64);
    match at {
        _ if sum.is_empty() => format!("[{}]", hex(at as u64)),
        0 => format!("[{sum}]"),
        ..0 => format!("[{sum}-{}]", hex(at.unsigned_abs())),
        _ => format!("[{sum}+{}]", hex(at as u64)),
    }
}

fn rounding(instruction: &Instruction) -> &'static str {
    match instruction.rounding_control() {
        RoundingControl::RoundToNearest => "{rn-sae}",
        RoundingControl::RoundDown => "{rd-sae}",
        RoundingControl::RoundUp => "{ru-sae}",
        RoundingControl::RoundTowardZero => "{rz-sae}",
        RoundingControl::None if instruction.suppress_all_exceptions() => "{sae}",
        RoundingControl::None => "",
    }
}

/// The name of a register; the lowest byte of `r8` is `r8b`, as assemblers have it.
fn register(register: Register) -> String {
    let name = format!("{register:?}").to_lowercase();
    match name.strip_prefix('r').and(name.strip_suffix('l')) {
        Some(whole) => format!("{whole}b"),
        None => name,
    }
}

/// A number that begins with a digit: `0Ch`.
fn hex(number: u64) -> String {
    let digits = format!("{number:X}h");
    if digits.starts_with(|digit: char| digit.is_ascii_digit()) {
        digits
    } else {
        format!("0{digits}")
    }
}
