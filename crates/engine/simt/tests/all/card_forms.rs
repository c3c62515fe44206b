//! Compares instructions with results recorded on a card (tests/instructions).

use crate::common::{Arg, How, load_text};
use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use texunit_memory::Block;
use texunit_simt::JitMode;

const HEAD: &str = ".version 8.6\n.target sm_90\n.address_size 64\n";
const BEGIN: &str = "
    .reg .b32 %l, %l2, %l3; .reg .b64 %in, %out, %o, %ll;
    ld.param.u64 %in, [in]; ld.param.u64 %out, [out];
    mov.u32 %l, %tid.x; mov.u32 %l2, %ctaid.x; mov.u32 %l3, %ntid.x; mad.lo.u32 %l, %l2, %l3, %l;
    mul.wide.u32 %ll, %l, 8; add.u64 %in, %in, %ll; mad.wide.u32 %out, %l, 16, %out;";

/// Output of the threads: two words each.
fn pairs(block: &Block, threads: u64) -> Vec<[u64; 2]> {
    let word = |at| block.load_u64(8 * at).unwrap();
    (0..threads).map(|i| [word(2 * i), word(2 * i + 1)]).collect()
}

#[test]
fn forms_give_the_bits_of_a_card() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/instructions/h200.json.gz");
    let file = flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap());
    let file: Value = serde_json::from_reader(file).unwrap();
    // The number of threads is the maximum number of lanes of a form, in whole warps.
    const THREADS: usize = 128;
    let mut wrong = String::new();
    for form in file["forms"].as_array().unwrap() {
        let name = form["form"].as_str().unwrap();
        let mut kernel = form["kernel"].as_str().unwrap().to_owned();
        for k in 0..4 {
            kernel = kernel.replace(&format!("%in+@{k}"), &format!("%in+{}", 8 * k * THREADS));
        }
        let (registers, body) = kernel.split_once('\n').unwrap();
        let loaded = load_text(&format!(
            "{HEAD}.visible .entry k(.param .u64 in, .param .u64 out) {{ {registers} {BEGIN}\n{body}\nret; }}"
        ));
        let (sources, block) = loaded.buffer(2 * 4 * THREADS);
        let mut expected = Vec::new();
        for (lane, line) in form["lanes"].as_array().unwrap().iter().enumerate() {
            let (operands, results) = line.as_str().unwrap().split_once(" = ").unwrap();
            let numbers = |words: &str| -> Vec<u64> {
                words.split(' ').map(|word| u64::from_str_radix(word, 16).unwrap()).collect()
            };
            for (k, operand) in numbers(operands).into_iter().enumerate() {
                block.store_u64(8 * (k * THREADS + lane) as u64, operand).unwrap();
            }
            let results = numbers(results);
            expected.push([results[0], results.get(1).copied().unwrap_or(0)]);
        }
        for jit in [JitMode::Off, JitMode::Always] {
            let (to, given) = loaded.buffer(4 * THREADS);
            let how =
                How { block: [THREADS as u32, 1, 1], jit: Some(jit), fmad: true, ..How::default() };
            if let Err(fault) = loaded.run("k", how, &[Arg::U64(sources), Arg::U64(to)]) {
                writeln!(wrong, "{name}, {jit:?}: {:?}", fault.kind).unwrap();
                continue;
            }
            let given = pairs(&given, expected.len() as u64);
            let differ = || given.iter().zip(&expected).enumerate().filter(|(_, (a, b))| a != b);
            if let Some((lane, (given, expected))) = differ().next() {
                let line = &form["lanes"][lane];
                let count = differ().count();
                writeln!(
                    wrong,
                    "{name}, {jit:?}: {count} lanes, {line}: {given:x?}, {expected:x?}"
                )
                .unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Mixes a word (splitmix64).
fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// The recorded result of a form: a hash of all words, or the words of the first lanes.
enum Answer {
    Hash(u64),
    Lanes(Vec<[u64; 2]>),
}

fn little(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// Reads the results in a folder: `tex.h` has pairs of a form's number and the hash computed by
/// texunit, `alu.txt` lists the forms for which the card had the same hash, and `alu` has the lanes
/// of the others.
fn answers(folder: &Path) -> HashMap<u64, Answer> {
    let hashes = std::fs::read(folder.join("tex.h")).unwrap();
    let mut all: HashMap<u64, Answer> =
        hashes.chunks_exact(12).map(|h| (little(&h[..4]), Answer::Hash(little(&h[4..])))).collect();
    let report = std::fs::read_to_string(folder.join("alu.txt")).unwrap();
    for form in report.lines().filter_map(|line| line.strip_prefix("differs ")) {
        all.remove(&form.parse().unwrap());
    }
    for file in std::fs::read_dir(folder.join("alu")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|end| end != "bin") {
            continue;
        }
        let bytes = std::fs::read(path).unwrap();
        let mut rest = &bytes[..];
        while let Some((head, words)) = rest.split_at_checked(20) {
            let [form, lanes, first, second] = [1, 2, 3, 4].map(|k| little(&head[4 * k..][..4]));
            let (firsts, after) = words.split_at((lanes * first) as usize);
            let (seconds, after) = after.split_at((lanes * second) as usize);
            let word = |of: &[u8], size: u64, lane: u64| {
                little(&of[(lane * size) as usize..][..size as usize])
            };
            let lane = |i| [word(firsts, first, i), word(seconds, second, i)];
            all.insert(form, Answer::Lanes((0..lanes).map(lane).collect()));
            rest = after;
        }
    }
    all
}

/// Compares all forms recorded on a card; `forms_give_the_bits_of_a_card` compares a sample. The
/// folder `TEXUNIT_CARD_FORMS` contains `forms` and `forms_risky` (modules, `labels.txt`, and
/// `pools.bin` with the operands) and the results. Differences are printed.
#[test]
#[ignore = "needs the forms and answers of a card, which are not in the repository"]
fn all_forms() {
    let folder = std::env::var("TEXUNIT_CARD_FORMS").expect("TEXUNIT_CARD_FORMS names a folder");
    let (folder, answers) = (Path::new(&folder), answers(Path::new(&folder)));
    const THREADS: u64 = 4096;
    let (mut equal, mut wrong) = ([0; 2], String::new());
    for forms in ["forms", "forms_risky"].map(|name| folder.join(name)) {
        let labels = std::fs::read_to_string(forms.join("labels.txt")).unwrap();
        let labels: HashMap<&str, &str> = labels
            .lines()
            .map(|line| {
                let fields: Vec<&str> = line.split('\t').collect();
                (fields[1], fields[2])
            })
            .collect();
        let pools = std::fs::read(forms.join("pools.bin")).unwrap();
        for module in (0..).map(|k| forms.join(format!("m{k:03}.ptx"))).take_while(|m| m.exists()) {
            let text = std::fs::read_to_string(module).unwrap();
            let loaded = load_text(&text);
            let (sources, block) = loaded.buffer(pools.len() / 4);
            block.write(0, &pools).unwrap();
            let (to, given) = loaded.buffer(4 * THREADS as usize);
            for form in text.split("//@ ").skip(1).map(|part| part.lines().next().unwrap()) {
                for (k, jit) in [JitMode::Off, JitMode::Always].into_iter().enumerate() {
                    given.write(0, &[0; 16 * THREADS as usize]).unwrap();
                    let how = How {
                        grid: [16, 1, 1],
                        block: [256, 1, 1],
                        jit: Some(jit),
                        fmad: true,
                        ..How::default()
                    };
                    let args = [Arg::U64(sources), Arg::U64(to)];
                    if let Err(fault) = loaded.run(&format!("k{form}"), how, &args) {
                        writeln!(wrong, "{}, {jit:?}: {:?}", labels[form], fault.kind).unwrap();
                        continue;
                    }
                    let given = pairs(&given, THREADS);
                    let words = || given.iter().flatten().zip(0..);
                    let hash = words().fold(0_u64, |sum, (&word, i): (&u64, u64)| {
                        sum.wrapping_add(mix(word ^ i << 48 ^ mix(i)))
                    });
                    let differ = match &answers[&form.parse().unwrap()] {
                        Answer::Hash(expected) => THREADS as usize * usize::from(hash != *expected),
                        Answer::Lanes(lanes) => {
                            given.iter().zip(lanes).filter(|(a, b)| a != b).count()
                        }
                    };
                    equal[k] += u32::from(differ == 0);
                    if differ != 0 {
                        writeln!(wrong, "{}, {jit:?}: {differ} lanes", labels[form]).unwrap();
                    }
                }
            }
        }
    }
    panic!("equal: {} interpreted, {} compiled; the others:\n{wrong}", equal[0], equal[1]);
}
