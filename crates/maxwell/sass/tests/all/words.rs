//! Tests the disassembler's text, the round trip from text to words, and instructions that
//! docs/sass.md forbids.

use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use proptest::prelude::*;
use serde_json::Value;
use texunit_sass::parse::parse;
use texunit_sass::print::{Style, print};
use texunit_sass::rules::check;
use texunit_sass::texture_words::{FORMS, TextureWord};
use texunit_sass::txd::{BINDLESS, FIELDS, INDEX, OPCODE};
use texunit_sass::{Arch, Control, Txd, control};

struct DisassembledWord {
    arch: Arch,
    word: u64,
    control: Control,
    text: Option<String>,
}

fn rows(name: &str) -> Vec<DisassembledWord> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/sass").join(name);
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    let hex = |v: &Value| u64::from_str_radix(&v.as_str().unwrap()[2..], 16).unwrap();
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        DisassembledWord {
            arch: row["arch"].as_str().unwrap().parse().unwrap(),
            word: hex(&row["word"]),
            control: Control::new(hex(&row["control"]) as u32).unwrap(),
            text: row["text"].as_str().map(str::to_owned),
        }
    };
    text.lines().map(row).collect()
}

#[test]
fn words_print_as_the_disassembler_prints_them() {
    let rows = rows("txd.jsonl.gz");
    assert_eq!(rows.len(), 4000);
    for DisassembledWord { arch, word, control, text } in rows {
        let ours = Txd::decode(word, control, arch).ok().map(|t| print(&t, Style::Nvidia));
        assert_eq!(ours, text, "{arch} {word:#x} {:#x}", control.bits());
    }
}

#[test]
fn other_words_print_as_the_disassembler_prints_them() {
    let rows = rows("others.jsonl.gz");
    assert!(rows.len() > 2000);
    let mut seen = std::collections::BTreeSet::new();
    for DisassembledWord { arch, word, control, text } in rows {
        let ours = TextureWord::decode(word, control, arch);
        seen.extend(ours.map(|o| o.form.name));
        assert_eq!(ours.map(|o| o.to_string()), text, "{arch} {word:#x} {:#x}", control.bits());
    }
    for form in FORMS {
        assert!(seen.contains(form.name), "no word of {}", form.name);
    }
}

/// The bits of a word that its text determines: with .B, the index is not printed.
fn printed_part(txd: &Txd) -> u64 {
    if txd.has(&BINDLESS) { INDEX.set(txd.word, 0) } else { txd.word }
}

#[test]
fn the_disassemblers_texts_come_back_as_words() {
    for DisassembledWord { arch, word, control, text } in rows("txd.jsonl.gz") {
        let Some(text) = text else { continue };
        let txd = Txd::decode(word, control, arch).unwrap();
        let back = parse(&text).unwrap_or_else(|e| panic!("{text}: {e:?}")).txd;
        assert_eq!(back.word, printed_part(&txd), "{text}");
        assert_eq!(back.control.get(&control::PHASE), control.get(&control::PHASE), "{text}");
        assert_eq!(back.control.is_dual_issue(), control.is_dual_issue(), "{text}");
    }
}

proptest! {
    #[test]
    fn every_word_comes_back(bits: u64, control in 0u32..1 << 21, arch in 0usize..6) {
        let word = OPCODE.set(bits, OPCODE.absent());
        let control = Control::new(control).unwrap();
        if let Ok(txd) = Txd::decode(word, control, Arch::ALL[arch]) {
            let text = print(&txd, Style::Isa);
            let back = parse(&text).unwrap().txd;
            prop_assert_eq!(back, Txd { word: printed_part(&txd), control }, "{}", text);
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "[@!{]{0,2}[TXDPR0-9.,#&?;/* _a-zA-Zé]{0,60}") {
        if let Ok(parsed) = parse(&text) {
            let _ = check(&parsed.txd, &parsed.places, Arch::Sm50);
            prop_assert_eq!(parse(&print(&parsed.txd, Style::Isa)).unwrap().txd.word, printed_part(&parsed.txd));
        }
    }
}

#[test]
fn both_styles_and_the_older_spelling() {
    #[rustfmt::skip]
    let same = [
        "TXD R0, R2, R4, 0x105, 2D, 0xf",
        "TXD R0,R2,R4,0x105,2D;",
        "txd r0, r2, r4, 5, 1, 2d, 15",
        "TXD R0, R2, R4, #5, #1, #2D, #0xf;",
        "TXD PT, R0, R2, R4, 261, 2D",
        "@PT TXD R0, R2, R4, 0x105, 2D, 0xf /* a comment */ ;",
        "/*0048*/ TXD R0, R2, R4, 0x105, 2D, 0xf ; /* 0xde381057a0470200 */",
    ];
    for text in same {
        let parsed = parse(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        assert_eq!(parsed.txd.word, 0xde38_1057_a047_0200, "{text}");
        assert_eq!(parsed.txd.control, Control::NONE, "{text}");
        assert_eq!(check(&parsed.txd, &parsed.places, Arch::Sm50), [], "{text}");
    }
    let isa = "@!P3 TXD.B.LC.AOFFI.NODEP.P P1, R4, R8, R16, 0x0, ARRAY_2D, 0x7 &req_0x21 &rd0 &wr5 ?0x0d;";
    let parsed = parse(isa).unwrap();
    assert_eq!(print(&parsed.txd, Style::Isa), isa);
    assert_eq!(check(&parsed.txd, &parsed.places, Arch::Sm52), []);
}

/// The rows of `wrong.txt`: a wrong instruction of sm_50, the error's code, and the marked part of
/// the text.
#[test]
fn mistakes() {
    let mut codes: Vec<&str> = Vec::new();
    for row in include_str!("wrong.txt").lines() {
        let (text, error) = row.split_once(" => ").unwrap();
        let (code, marked) = error.split_once(' ').unwrap();
        let found = match parse(text) {
            Ok(parsed) => check(&parsed.txd, &parsed.places, Arch::Sm50),
            Err(error) => vec![*error],
        };
        let [error] = &found[..] else { panic!("{text}: {found:?}") };
        let span = &text[error.primary.span.range()];
        assert_eq!((error.code, span), (code, marked), "{text}: {}", error.message);
        assert!(error.help.is_some(), "{text}");
        codes.push(code);
    }
    for code in texunit_sass::codes::CODES.iter() {
        assert!(codes.contains(&code.code), "no case for {}", code.code);
    }
    // No rule forbids these texts.
    for text in
        ["TXD RZ, R2, R4, 5, 2D", "TXD R3, R2, R4, 5, 2D, 0x0", "TXD R254, R253, R252, 5, 1D, 1"]
    {
        let parsed = parse(text).unwrap();
        assert_eq!(check(&parsed.txd, &parsed.places, Arch::Sm50), [], "{text}");
    }
}

#[test]
fn groups_of_a_file() {
    let controls = [0x0_0012, 0x1f_ffff, 0x0_5a5a].map(|bits| Control::new(bits).unwrap());
    let words = [1u64, 2, 3];
    let mut code = Control::group(controls).to_le_bytes().to_vec();
    code.extend(words.iter().flat_map(|w| w.to_le_bytes()));
    let twice = [code.clone(), code.clone()].concat();
    let lines: Vec<_> = texunit_sass::listing::lines(&twice).unwrap().collect();
    assert_eq!(lines.len(), 6);
    for (n, line) in lines.iter().enumerate() {
        assert_eq!((line.word, line.control), (words[n % 3], controls[n % 3]));
        assert_eq!(line.offset, 32 * (n / 3) + 8 + 8 * (n % 3));
    }
    assert!(texunit_sass::listing::lines(&code[1..]).is_err());
    assert_eq!(texunit_sass::listing::lines(&[]).unwrap().count(), 0);
}

#[test]
fn the_table_names_each_field_once() {
    let names: std::collections::BTreeSet<_> = FIELDS.iter().map(|f| f.name).collect();
    assert_eq!(names.len(), FIELDS.len());
}

/// The table of docs/sass.md must match the fields. `UPDATE=1` writes it.
#[test]
fn the_documentation_has_the_fields() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/sass.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let head = "| bits | field | meaning |\n|---|---|---|\n";
    let (before, rest) = text.split_once(head).unwrap();
    let (_, after) = rest.split_once("The phases").unwrap();
    let row = |field: &texunit_sass::field::Field| {
        let (low, high) = (field.low, field.low + field.width - 1);
        let since = if field.since > Arch::Sm50 {
            format!(" From {} on.", field.since)
        } else {
            String::new()
        };
        format!("| {high}:{low} | {} | {}{since} |\n", field.name, field.meaning)
    };
    let rows: String = FIELDS.iter().map(row).collect();
    let expected = format!("{before}{head}{rows}\nThe phases{after}");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, expected).unwrap();
    } else {
        assert!(text == expected, "docs/sass.md is stale: UPDATE=1 writes it");
    }
}
