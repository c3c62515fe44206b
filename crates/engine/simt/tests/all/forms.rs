//! Whole instructions, from text to result, against the tables that `data/form_tables.py` and, of
//! scalar video instructions, `data/video_tables.py` make.
#![allow(clippy::unwrap_used)]

use crate::common::{Arg, How, load_text, words};
use std::collections::BTreeMap;
use std::fmt::Write;
use texunit_simt::JitMode;

/// A source or result of up to 16 bytes.
type Value = u128;

/// An instruction's rows: sources and result.
type Rows = Vec<([Value; 3], Value)>;

fn table(text: &str) -> BTreeMap<&str, Rows> {
    let mut all: BTreeMap<&str, Rows> = BTreeMap::new();
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let (text, values) = line.split_once(" | ").unwrap();
        let values: Vec<Value> = values
            .split([' ', '='])
            .filter(|v| !v.is_empty())
            .map(|v| Value::from_str_radix(v, 16).unwrap())
            .collect();
        let [a, b, c, d] = values[..] else { panic!("{line}") };
        all.entry(text).or_default().push(([a, b, c], d));
    }
    all
}

/// The widths that an instruction has registers of, by their letters.
fn widths(text: &str, letter: char) -> Vec<u32> {
    let mut found: Vec<u32> = [8, 16, 32, 64, 128]
        .into_iter()
        .filter(|bits| {
            let name = format!("{letter}{bits}");
            text.match_indices(&name)
                .any(|(at, _)| !text[at + name.len()..].starts_with(|c: char| c.is_ascii_digit()))
        })
        .collect();
    found.dedup();
    found
}

/// A kernel that runs the instruction once in each thread, on 48 bytes of sources.
fn kernel(name: usize, text: &str) -> String {
    let mut body = String::new();
    for (k, letter) in ['A', 'B', 'C'].into_iter().enumerate() {
        for bits in widths(text, letter) {
            let at = 16 * k;
            writeln!(body, "ld.global.b{bits} %{letter}{bits}, [%from+{at}];").unwrap();
        }
    }
    let mut named = text.to_owned();
    for letter in ['A', 'B', 'C', 'D'] {
        for bits in widths(text, letter) {
            writeln!(body, ".reg .b{bits} %{letter}{bits};").unwrap();
            named = named.replace(&format!("{letter}{bits}"), &format!("%{letter}{bits}"));
        }
    }
    // Declarations come first.
    let (mut lines, rest): (Vec<&str>, Vec<&str>) =
        body.lines().partition(|l| l.starts_with(".reg"));
    lines.extend(rest);
    let bits = widths(text, 'D')[0];
    format!(
        ".visible .entry k{name}(.param .u64 from, .param .u64 to) {{
         .reg .u32 %t; .reg .u64 %from, %to;
         ld.param.u64 %from, [from]; ld.param.u64 %to, [to];
         mov.u32 %t, %tid.x;
         mad.wide.u32 %from, %t, 48, %from; mad.wide.u32 %to, %t, 16, %to;
         {}
         {named}
         st.global.b{bits} [%to], %D{bits};
         ret; }}\n",
        lines.join("\n")
    )
}

#[test]
fn instructions_of_the_table() {
    assert!(check(&table(include_str!("../data/forms.txt"))) > 5000);
}

#[test]
fn scalar_video_instructions() {
    let all = table(include_str!("../data/video.txt"));
    assert!(check(&all) > 10_000);
    // The one whose rule had to be found: the word that is looked at has 34 bits.
    assert!(all.keys().any(|text| text.starts_with("vshl.u32.u32.u32.sat.clamp ")));
}

/// Runs all rows; gives their number.
fn check(all: &BTreeMap<&str, Rows>) -> usize {
    let mut text = ".version 9.4\n.target sm_107a\n.address_size 64\n".to_owned();
    for (n, instruction) in all.keys().enumerate() {
        text += &kernel(n, instruction);
    }
    let loaded = load_text(&text);
    let (mut seen, mut wrong) = (0, Vec::new());
    for (n, (instruction, rows)) in all.iter().enumerate() {
        for some in rows.chunks(256) {
            let words: Vec<u32> = some
                .iter()
                .flat_map(|(sources, _)| sources.iter())
                .flat_map(|v| (0..4).map(move |k| (v >> (32 * k)) as u32))
                .collect();
            let (from, _) = loaded.filled(&words);
            let (to, block) = loaded.buffer(4 * some.len());
            let how = How { block: [some.len() as u32, 1, 1], ..How::default() };
            loaded.run(&format!("k{n}"), how, &[Arg::U64(from), Arg::U64(to)]).unwrap();
            for (i, (sources, expected)) in some.iter().enumerate() {
                let half = |k: u64| Value::from(block.load_u64(16 * i as u64 + 8 * k).unwrap());
                let got = half(0) | half(1) << 64;
                seen += 1;
                if got != *expected {
                    wrong.push(format!(
                        "{instruction} {sources:x?}: got {got:#x}, expected {expected:#x}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {seen} wrong:\n{}", wrong.len(), wrong.join("\n"));
    seen
}

/// Whether a result is tiny is found with larger sources: those that become infinite are no reason
/// to flush.
#[test]
fn large_sources_make_no_tiny_results() {
    for rounding in ["rn", "rz", "rm", "rp"] {
        let text = crate::common::kernel(
            ".reg .f32 %a, %b, %c;",
            &format!(
                "ld.global.f32 %a, [%out]; ld.global.f32 %b, [%out+4]; ld.global.f32 %c, [%out+8];
                 fma.{rounding}.ftz.f32 %a, %a, %b, %c;
                 st.global.f32 [%out+12], %a;
                 ret;"
            ),
        );
        let loaded = load_text(&text);
        for jit in [JitMode::Off, JitMode::Always] {
            let sources = [2f32.powi(120), 1.0, -(2f32.powi(121))].map(f32::to_bits);
            let (out, block) = loaded.filled(&[sources[0], sources[1], sources[2], 0]);
            let how = How { jit: Some(jit), ..How::default() };
            loaded.run("k", how, &[Arg::U64(out)]).unwrap();
            assert_eq!(words(&block)[3], (-(2f32.powi(120))).to_bits(), "{rounding}, {jit:?}");
        }
    }
}
