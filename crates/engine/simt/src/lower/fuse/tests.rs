//! Compares fusing decisions with those of ptxas for random kernels (tests/fmad/ptxas.py).

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use super::*;
use crate::lower::checked;
use std::path::Path;

/// Makes a kernel of a body in the test file.
fn kernel(head: &str, body: &str) -> String {
    let [ty, inputs, count, scaled] = head.split(' ').collect::<Vec<_>>()[..] else {
        panic!("{head}: type, inputs, registers, whether the first is a parameter")
    };
    let (prefix, reg) = match ty {
        "f32" => ("%f", "f32"),
        "f64" => ("%d", "f64"),
        "f16" | "bf16" => ("%h", "b16"),
        _ => ("%q", "b32"),
    };
    let mut text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out, .param .u64 scale) {{\n\
         .reg .{reg} {prefix}<{count}>; .reg .pred %p<4>; .reg .u32 %n, %c<3>; .reg .u64 %in, %out, %o;\n\
         ld.param.u64 %in,[in]; ld.param.u64 %out,[out]; mov.b64 %o,%out;\n"
    );
    for i in 0..inputs.parse().unwrap_or(0) {
        text += &match i == 0 && scaled == "1" {
            true => format!("ld.param.{reg} {prefix}0,[scale];\n"),
            false => format!("ld.global.{reg} {prefix}{i},[%in+{}];\n", i * 8),
        };
    }
    for i in 0..3 {
        let at = 4096 + 4 * i;
        text += &format!("ld.global.u32 %c{i},[%in+{at}]; setp.ne.u32 %p{i},%c{i},0;\n");
    }
    text + body + "ret; }\n"
}

/// Compares the decisions for a kernel. Where they differ from those of ptxas, or where ptxas
/// decides in several ways (`?`), the sum must be left unfused and counted as undecided.
fn compare(head: &str, body: &str) -> Result<u64, String> {
    let text = kernel(head, body);
    let (module, source) = checked(&text);
    let function = &module.functions[0];
    let pairs = pairs(function);
    let (mut sums, mut undecided) = (0, 0);
    for (i, inst) in function.body.iter().flatten().enumerate() {
        // The expected decision is a comment after the instruction.
        let rest = &text[inst.span.end as usize..];
        let line = rest.lines().next().unwrap_or_default();
        let Some((_, mark)) = line.split_once("// ") else { continue };
        let own = if let Some(Role::Sum(sum)) = pairs.at(i) { sum.operand } else { 0 };
        let is_same = mark == "=" || own.to_string() == mark;
        if !is_same && own != 0 {
            return Err(format!("{}: ptxas {mark}, here {own}\n{body}", source.snippet(inst.span)));
        }
        sums += 1;
        undecided += u64::from(!is_same);
    }
    if undecided > pairs.fusion.undecided {
        return Err(format!("{undecided} undecided, counted {}\n{body}", pairs.fusion.undecided));
    }
    Ok(sums)
}

/// Checks a file of kernels. Returns the number of sums and the differences from ptxas.
fn check(file: &str) -> (u64, Vec<String>) {
    let (mut sums, mut wrong) = (0, Vec::new());
    for kernel in file.split("kernel ").skip(1) {
        let (head, body) = kernel.split_once('\n').unwrap_or_default();
        match compare(head, body) {
            Ok(found) => sums += found,
            Err(why) => wrong.push(why),
        }
    }
    wrong.sort_by_key(String::len);
    (sums, wrong)
}

/// Checks the kernels in the repository, and for `.ci/full` another file. ptxas also moves products
/// and unrolls loops: of 31,804 sums with seeds that were not used for deriving the rules, those of
/// five kernels differed. The bound is three times that.
#[test]
fn what_ptxas_fuses() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fmad");
    let (sums, wrong) = check(&std::fs::read_to_string(folder.join("cases.txt")).unwrap());
    assert!(sums > 500 && wrong.is_empty(), "{} kernels differ: {wrong:?}", wrong.len());
    if let Some(path) = std::env::var_os("TEXUNIT_FMAD_CASES") {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").join(path);
        let (sums, wrong) = check(&std::fs::read_to_string(path).unwrap());
        println!("{sums} sums, {} kernels differ: {wrong:?}", wrong.len());
        assert!(wrong.len() as u64 * 2_000 <= sums, "{} kernels differ", wrong.len());
    }
}
