//! Generates the emulation of gradients that TXD does not support.
//!
//! An ordinary fetch computes its level from the coordinate differences in a quad. For each lane k
//! of the quad, all four lanes fetch with coordinates that differ by k's derivatives; lane 0's
//! result is the result of lane k.

use super::handle::{Handle, HandleLocation};
use super::operands::Operands;
use super::{Context, Quad, Step, UsedComponents};
use texunit_check::ir::Operand;
use texunit_sass::txd::COORDINATES;

const NAMES: [&str; 3] = ["s", "t", "r"];

/// The SHFL.IDX mask that selects lanes within a quad.
const QUAD: &str = "0x1c03";

pub(super) fn lower(
    context: &Context,
    operands: &Operands,
    used: &UsedComponents,
    handle: Handle,
    why: String,
) -> Quad {
    let (index, steps) = match handle.place {
        HandleLocation::Constant(index) => (Some(index), Vec::new()),
        HandleLocation::Computed(steps) => (None, steps),
    };
    let bindless = index.is_none();
    let mut fetch = "TEX".to_owned();
    for (given, word) in [
        (bindless, ".B"),
        (operands.offset.is_some(), ".AOFFI"),
        (operands.compare.is_some(), ".DC"),
        (true, ".NDV"),
        // If only the predicate result is used, the assembler sets .NODEP.
        (used.mask == 0, ".NODEP"),
        (true, ".P"),
    ] {
        if given {
            fetch += word;
        }
    }
    let (geometry, is_array) = (operands.geometry, operands.geometry.is_array());
    let plain = if geometry.is_cube() { 3 } else { geometry.axes() - 1 };
    let coordinates = COORDINATES[2 * plain + usize::from(is_array)];
    let mask = if used.mask == 0 { 1 } else { used.mask };
    let (before, shared) = shared(context, operands, steps, bindless);
    let mut each = Vec::new();
    if bindless {
        let why = "skip lane k if it is not active: it has no handle then";
        each.push(Step::new("VOTE.ANY, SHR, BRA", why));
    }
    each.push(Step::new("SAM", "all lanes take part"));
    coordinate_steps(context, operands, &mut each);
    for (name, text) in shared {
        each.push(Step::new(format!("SHFL.IDX PT, {name}, {text}, k, {QUAD}"), "lane k's"));
    }
    fetch_steps(context, operands, used, &fetch, (coordinates, mask, index), &mut each);
    let mut after = Vec::new();
    if operands.is_half() {
        after.push(Step::new("F2F.F16.F32", "every component that is used, to half"));
    }
    if let (true, Some(resident)) = (used.resident, operands.resident) {
        let set = format!("ISETP.EQ.AND {}, PT, resident, RZ, PT", context.text(resident));
        after.push(Step::new(set, "Ps says that a tile is missing, p that all are there"));
    }
    Quad { why, fetch, coordinates, mask, index, handle: handle.from, before, each, after }
}

/// The instructions that are executed once, and, for each value other than coordinates that is
/// taken from lane k, its name and description.
fn shared(
    context: &Context,
    operands: &Operands,
    mut before: Vec<Step>,
    bindless: bool,
) -> (Vec<Step>, Vec<(&'static str, String)>) {
    let mut shared = Vec::new();
    if let Some(array) = operands.array {
        let saturated = format!("I2I.U16.U32.SAT array, {}", context.text(array));
        before.push(Step::new(saturated, "array index, at most 65535"));
        shared.push(("array_k", "array".to_owned()));
    }
    if bindless {
        shared.push(("handle_k", "R0".to_owned()));
    }
    if let Some(offset) = operands.offset {
        let mut from = context.text(&offset[0]);
        for (o, (place, why)) in offset[1..].iter().zip([("0x404", "v"), ("0x408", "w")]) {
            let insert = format!("BFI offset, {}, {place}, {from}", context.text(o));
            before.push(Step::new(insert, format!("{why}, 4 bits")));
            "offset".clone_into(&mut from);
        }
        shared.push(("offset_k", from));
    }
    if let Some(compare) = operands.compare {
        shared.push(("reference_k", context.text(compare)));
    }
    (before, shared)
}

fn coordinate_steps(context: &Context, operands: &Operands, each: &mut Vec<Step>) {
    let all = operands.coords.iter().zip(operands.dpdx.iter().zip(operands.dpdy));
    for (name, (c, (dx, dy))) in NAMES.into_iter().zip(all) {
        let [c, dx, dy] = [c, dx, dy].map(|o: &Operand| context.text(o));
        let shuffle = |to: String, from: &str, why: &str| {
            Step::new(format!("SHFL.IDX PT, {to}, {from}, k, {QUAD}"), why)
        };
        each.extend([
            shuffle(name.to_owned(), &c, "lane k's coordinate in the whole quad"),
            shuffle(format!("d{name}dx"), &dx, "and its derivatives"),
            shuffle(format!("d{name}dy"), &dy, "in x and y"),
            Step::new(
                format!("FSWZADD.NDV {name}, d{name}dx, {name}, ZPPPZPPP"),
                "lanes 1 and 3 add that in x",
            ),
            Step::new(
                format!("FSWZADD.NDV {name}, d{name}dy, {name}, ZPZPPPPP"),
                "lanes 2 and 3 add that in y",
            ),
        ]);
    }
    if operands.geometry.is_cube() {
        each.extend([
            Step::new("FMNMX m, |s|, |t|, !PT", "the largest magnitude"),
            Step::new("FMNMX m, m, |r|, !PT", "of the three"),
            Step::new("MUFU.RCP m, m", "its reciprocal"),
        ]);
        for name in NAMES {
            each.push(Step::new(format!("FMUL {name}, {name}, m"), "onto the cube"));
        }
    }
}

fn fetch_steps(
    context: &Context,
    operands: &Operands,
    used: &UsedComponents,
    fetch: &str,
    (coordinates, mask, index): (&str, u64, Option<u64>),
    each: &mut Vec<Step>,
) {
    let dims = operands.coords.len();
    let mut ra: Vec<&str> = operands.array.iter().map(|_| "array_k").collect();
    ra.extend(&NAMES[..dims]);
    let rb = [
        (index.is_none(), "handle_k"),
        (operands.offset.is_some(), "offset_k"),
        (operands.compare.is_some(), "reference_k"),
    ];
    let rb: Vec<&str> = rb.into_iter().filter(|row| row.0).map(|row| row.1).collect();
    let rb = if rb.is_empty() { String::new() } else { format!("{{{}}}, ", rb.join(", ")) };
    let ps = if used.resident { "P0, " } else { "" };
    let (ra, index) = (ra.join(", "), index.unwrap_or(0));
    let text = format!("{fetch} {ps}colour, {{{ra}}}, {rb}{index:#x}, {coordinates}, {mask:#x}");
    each.push(Step::new(text, "the fetch, level from the differences within the quad"));
    if used.resident {
        each.push(Step::new("PSET.AND.AND missing, P0, PT, PT", "the predicate as a number"));
    }
    each.extend([
        Step::new(
            format!("SHFL.IDX PT, colour, colour, RZ, {QUAD}"),
            "lane 0's result in the whole quad; k = 0 needs none",
        ),
        Step::new("RAM", "the lanes that were active before"),
    ]);
    let paired = operands.is_paired();
    let mut texts: Vec<String> = (0..4)
        .filter(|n| used.mask >> n & 1 == 1)
        .filter_map(|n| operands.dest.get(if paired { n / 2 } else { n }))
        .map(|dest| context.text(dest))
        .collect();
    texts.dedup();
    if used.resident {
        texts.push("resident".to_owned());
    }
    for text in texts {
        let take = format!("MOV {text}, colour, 1 << k");
        each.push(Step::new(take, "only lane k of the quad takes it"));
    }
}
