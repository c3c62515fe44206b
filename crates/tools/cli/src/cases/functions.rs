//! The part of the conformance suite for units besides the texture unit: results of a GPU, and a C
//! program that reads and checks them. docs/special-functions.md and docs/tensor-cores.md explain
//! the units.

use std::fmt::Write;
use std::io::Read;
use texunit_sfu::{EX2, LG2, RCP, RSQ, SIN, SQRT, TANH, Table};

/// The files: their paths in the suite's folder, and their contents.
pub(super) fn files() -> Result<[(&'static str, String); 5], std::io::Error> {
    Ok([
        ("special-functions/tables.txt", tables()),
        ("special-functions/hashes.txt", texunit_sfu::H200_HASHES.to_owned()),
        (
            "special-functions/mufu.c",
            include_str!("../../../../../examples/conformance/mufu.c").to_owned(),
        ),
        ("tensor-core/elements.txt", elements()?),
        ("tensor-core/mma.c", include_str!("../../../../../examples/conformance/mma.c").to_owned()),
    ])
}

fn elements() -> Result<String, std::io::Error> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(texunit_tensor::H200_ELEMENTS).read_to_string(&mut text)?;
    Ok(text)
}

const HEAD: &str = "\
# The tables of the special function unit (MUFU) of an NVIDIA H200 (sm_90), version 1 of this form.
# A line `table NAME SEGMENTS S0 S1 S2 BIAS` begins a table; a line `SEGMENT C0 C1 C2` of decimal integers follows for each segment.
#     V = (C0 << S0) + BIAS + (C1 * X << S1) + (C2 * Q(X) << S2)                      exactly, in units of 2^-41
#     Q(X) = the square of the 17 bits X over 2^19, without partial products in columns below 2^19, cut
# Which bits of an operand are the segment and X, and which of V the result, is in mufu.c, beside this file.
";

fn tables() -> String {
    let mut text = HEAD.to_owned();
    add(&mut text, "RCP", &RCP);
    add(&mut text, "RSQ", &RSQ);
    add(&mut text, "SQRT", &SQRT);
    add(&mut text, "EX2", &EX2);
    add(&mut text, "LG2", &LG2);
    add(&mut text, "SIN", &SIN);
    add(&mut text, "TANH", &TANH);
    text
}

fn add<const SEGMENTS: usize>(text: &mut String, name: &str, table: &Table<SEGMENTS>) {
    let [s0, s1, s2] = table.shifts;
    let _ = writeln!(text, "table {name} {SEGMENTS} {s0} {s1} {s2} {}", table.bias);
    for (segment, [c0, c1, c2]) in table.coefficients.iter().enumerate() {
        let _ = writeln!(text, "{segment} {c0} {c1} {c2}");
    }
}
