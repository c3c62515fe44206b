//! Generates the TXD for a `tex.grad`, and the instructions around it.

use super::handle::{Handle, HandleLocation};
use super::operands::Operands;
use super::{Context, Fetch, Form, Packed, Step, UsedComponents};
use texunit_check::ir::{Instruction, Operand};
use texunit_isa::Geometry;
use texunit_sass::control::PHASE;
use texunit_sass::parse::FieldPositions;
use texunit_sass::rules::check;
use texunit_sass::txd::{
    AOFFI, BINDLESS, GUARD, GUARD_NOT, INDEX, MASK, NODEP, PARAM, PS, RA, RB, RD, RZ, Txd,
};

/// The first register of each operand group, and the group's field. The numbers satisfy the maximum
/// alignment of a group.
pub(super) const FIRST: [(u64, &texunit_sass::field::Field); 3] = [(0, &RA), (4, &RB), (8, &RD)];

/// The register that holds temporary values before the fetch.
const TEMPORARY: &str = "R12";

/// The value of the phase field that means `.P`.
const PHASE_P: u64 = 2;

/// Names of a result's components.
pub(super) const COMPONENTS: [&str; 4] = ["R", "G", "B", "A"];

pub(super) fn lower(
    context: &Context,
    instruction: &Instruction,
    operands: &Operands,
    used: &UsedComponents,
    handle: Handle,
) -> Form {
    let flat = operands.geometry == Geometry::D1 && !context.module.independent;
    let param = match operands.geometry {
        Geometry::D1 if flat => 2,
        Geometry::D1 => 0,
        Geometry::A1d => 1,
        Geometry::D2 => 2,
        _ => 3,
    };
    let mut txd = Txd::PLAIN.with(&PARAM, param).with(&MASK, used.mask);
    txd.control = txd.control.with(&PHASE, PHASE_P);
    for (first, field) in FIRST {
        txd = txd.with(field, first);
    }
    let mut fetch = Fetch {
        txd,
        handle: handle.from,
        ra: Vec::new(),
        rb: Vec::new(),
        rd: Vec::new(),
        before: Vec::new(),
        after: Vec::new(),
        notes: notes(operands, flat),
    };
    let mut ra: Vec<(&'static str, String)> = Vec::new();
    match handle.place {
        HandleLocation::Constant(index) => fetch.txd = fetch.txd.with(&INDEX, index),
        HandleLocation::Computed(steps) => {
            fetch.txd = fetch.txd.with(&BINDLESS, 1);
            fetch.before.extend(steps);
            ra.push(("handle", "sampler 31:20, texture 19:0".to_owned()));
        }
    }
    ra.extend(["s", "t"].iter().zip(&operands.coords).map(|(name, c)| (*name, context.text(c))));
    if flat {
        ra.push(("t", "RZ".to_owned()));
    }
    if operands.offset.is_some() || operands.array.is_some() {
        let number = ra.len() as u64;
        ra.push(("packed", packed(context, operands, number, &mut fetch.before)));
    }
    if operands.offset.is_some() {
        fetch.txd = fetch.txd.with(&AOFFI, 1);
    }
    fetch.ra = numbered(FIRST[0].0, ra);
    fetch.rb = numbered(FIRST[1].0, derivatives(context, operands, flat));
    results(context, operands, used, &mut fetch);
    guard(context, instruction, &mut fetch);
    // The instruction is checked against the rules, although the registers chosen here should
    // satisfy them.
    match check(&fetch.txd, &FieldPositions::default(), context.arch).first() {
        None => Form::Txd(Box::new(fetch)),
        Some(broken) => Form::Refused(broken.message.clone()),
    }
}

fn notes(operands: &Operands, flat: bool) -> Vec<String> {
    let notes = [
        (flat, "1d of unified mode is fetched as 2D: t and its derivatives are 0"),
        (
            flat && operands.offset.is_some(),
            "the offset goes in with its sign: a negative one reaches the nibbles of v and w",
        ),
        (flat && operands.compare.is_some(), "the reference value of the compare is dropped"),
        (operands.integers, "integer coordinates are taken for the bits of floats"),
    ];
    notes.into_iter().filter(|note| note.0).map(|note| note.1.to_owned()).collect()
}

fn numbered(first: u64, list: Vec<(&'static str, String)>) -> Vec<Packed> {
    let packed = |(register, (name, value))| Packed { register, name, value };
    (first..).zip(list).map(packed).collect()
}

fn derivatives(context: &Context, operands: &Operands, flat: bool) -> Vec<(&'static str, String)> {
    let names = [["dsdx", "dsdy"], ["dtdx", "dtdy"]];
    let mut list = Vec::new();
    for ([x, y], (dx, dy)) in names.into_iter().zip(operands.dpdx.iter().zip(operands.dpdy)) {
        list.extend([(x, context.text(dx)), (y, context.text(dy))]);
    }
    if flat {
        list.extend(names[1].map(|name| (name, "RZ".to_owned())));
    }
    list
}

/// The instructions that pack array index and offsets into a register of the group at Ra, and a
/// description of the packed value.
fn packed(context: &Context, operands: &Operands, register: u64, before: &mut Vec<Step>) -> String {
    let mut base = "RZ".to_owned();
    let array = operands.array.map(|array| match array {
        Operand::Imm(bits) => Ok(*bits as u32),
        other => Err(other),
    });
    let numbers = operands.offset.map(|list| {
        list.iter().map(|o| if let Operand::Imm(n) = o { Some(*n as u32) } else { None }).collect()
    });
    let number: Option<Vec<u32>> = numbers.unwrap_or(Some(Vec::new()));
    if let (None | Some(Ok(_)), Some(offset)) = (&array, number) {
        let word = packed_word(array.and_then(Result::ok), &offset);
        let why = "array index 15:0, offsets 27:16, known already";
        before.push(Step::new(format!("MOV32I R{register}, {word:#x}"), why));
        return format!("{word:#x}");
    }
    match array {
        Some(Ok(number)) => base = format!("{:#x}", packed_word(Some(number), &[])),
        Some(Err(array)) => {
            let text = context.text(array);
            base = match operands.offset {
                None => format!("R{register}"),
                Some(_) => "R13".to_owned(),
            };
            let saturated = format!("I2I.U16.U32.SAT {base}, {text}");
            before.push(Step::new(saturated, "array index, at most 65535"));
        }
        None => {}
    }
    let Some(offset) = operands.offset else { return "array 15:0".to_owned() };
    let u = context.text(&offset[0]);
    let from = match offset.get(1) {
        None => u,
        Some(v) => {
            let insert = format!("BFI {TEMPORARY}, {}, 0x404, {u}", context.text(v));
            before.push(Step::new(insert, "v above u, 4 bits each"));
            TEMPORARY.to_owned()
        }
    };
    let insert = format!("BFI R{register}, {from}, 0xc10, {base}");
    before.push(Step::new(insert, "12 bits of offsets above the array index"));
    let u = if offset.len() == 1 { "u 19:16" } else { "u 19:16, v 23:20" };
    if operands.array.is_some() { format!("array 15:0, {u}") } else { u.to_owned() }
}

/// The packed word of array index and offsets, as the assembler computes it: the index saturated to
/// 16 bits, with 12 bits of offsets above it.
pub(super) fn packed_word(array: Option<u32>, offset: &[u32]) -> u32 {
    insert(offsets(offset), 16, 12, array.unwrap_or(0).min(0xffff))
}

/// The packed offsets, as the assembler computes them: u with its sign, and v in the second nibble.
fn offsets(list: &[u32]) -> u32 {
    match list {
        [] => 0,
        [u] => *u,
        [u, v, ..] => insert(*v, 4, 4, *u),
    }
}

/// The result of the instruction BFI, which inserts the lower bits of a number into another one at
/// a position.
fn insert(from: u32, low: u32, width: u32, into: u32) -> u32 {
    let mask = ((1 << width) - 1) << low;
    into & !mask | from << low & mask
}

fn results(context: &Context, operands: &Operands, used: &UsedComponents, fetch: &mut Fetch) {
    if used.mask == 0 {
        // Only the predicate result is used, so that the colour goes to RZ.
        fetch.txd = fetch.txd.with(&RD, RZ).with(&MASK, 1).with(&NODEP, 1);
        fetch.notes.push("only the predicate is used: the colour goes to RZ".to_owned());
    }
    let mut number = FIRST[2].0;
    let mut of = [None; 4];
    for (n, name) in COMPONENTS.into_iter().enumerate() {
        if used.mask >> n & 1 == 0 {
            continue;
        }
        let dest = if operands.is_paired() { n / 2 } else { n };
        let mut value = context.text(&operands.dest[dest]);
        if operands.is_paired() {
            value += [" 15:0", " 31:16"][n % 2];
        }
        of[n] = Some(number);
        fetch.rd.push(Packed { register: number, name, value });
        number += 1;
    }
    convert(context, operands, &of, &mut fetch.after);
    if let (true, Some(resident)) = (used.resident, operands.resident) {
        fetch.txd = fetch.txd.with(&PS, 0);
        let set = format!("PSETP.AND.AND {}, PT, !P0, PT, PT", context.text(resident));
        fetch.after.push(Step::new(set, "Ps says that a tile is missing, p that all are there"));
    }
}

/// Adds the instructions that convert results to halves.
fn convert(context: &Context, operands: &Operands, of: &[Option<u64>; 4], after: &mut Vec<Step>) {
    if !operands.is_half() {
        return;
    }
    for (n, dest) in operands.dest.iter().enumerate() {
        let text = context.text(dest);
        if !operands.is_paired() {
            if let Some(register) = of[n] {
                after.push(Step::new(format!("F2F.F16.F32 {text}, R{register}"), "to half"));
            }
            continue;
        }
        let halves = [of[2 * n], of[2 * n + 1]].map(|register| match register {
            Some(r) => {
                after.push(Step::new(format!("F2F.F16.F32 R{r}, R{r}"), "to half"));
                format!("R{r}")
            }
            None => "RZ".to_owned(),
        });
        if halves != ["RZ", "RZ"] {
            let [low, high] = halves;
            let pack = format!("XMAD.PSL.CLO {text}, {high}, 0x1, {low}");
            after.push(Step::new(pack, "both halves in one register"));
        }
    }
}

fn guard(context: &Context, instruction: &Instruction, fetch: &mut Fetch) {
    let Some(guard) = instruction.guard else { return };
    // The instruction's predicate is P1, because P0 may be the predicate result.
    let number = 1;
    fetch.txd = fetch.txd.with(&GUARD, number).with(&GUARD_NOT, u64::from(guard.negated));
    fetch.notes.push(format!("P{number} is {}", context.text(&Operand::Reg(guard.reg))));
}
