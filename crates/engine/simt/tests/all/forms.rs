//! Whole instructions, from text to result, against the tables that `data/form_tables.py` and, of
//! scalar video instructions, `data/video_tables.py` make.
#![allow(clippy::unwrap_used)]

use crate::common::{Arg, How, load_text};
use std::collections::BTreeMap;
use std::fmt::Write;

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
