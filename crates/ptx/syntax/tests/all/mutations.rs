//! Thousands of broken modules, made from good and bad ones by a seeded generator: the parser
//! must not panic, its diagnostics must lie in the text, and what it accepts must print and read
//! back the same. The same property as the fuzz target `parse`, for machines without cargo-fuzz.

use std::fs;
use std::path::Path;

use texunit_syntax::{MAX_ERRORS, SourceFile, parse};
use texunit_testkit::Random;

/// Mutants of each seed file. Large seeds get fewer, so that the time is the same for all.
const WORK: usize = 3_000_000;
const MAX: usize = 1_500;

/// Pieces that are put into the text.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "{", "}", "(", ")", "[", "]", "<", ">", ",", ";", ":", "::", ".", "..", "@", "@!", "!", "|", "||", "&&",
    "+", "-", "*", "/", "%", "~", "^", "?", "=", "==", "_", "$", "\\", "'", "\"", "#", "/*", "*/", "//", "\n",
    "0x", "0b", "0f", "0d", "0f3f800000", "0d3ff0000000000000", "1.5e", "1e999", "089", "18446744073709551616",
    ".5", "1.", "12U", "WARP_SZ", "generic", "%r", "%p1", "mov.u32", "call", "tex.2d.v4.f32.f32", "ret", "if",
    ".reg", ".global", ".shared", ".param", ".align", ".ptr", ".v4", ".f32", ".pred", ".texref", ".entry", ".func",
    ".visible", ".extern", ".maxntid", ".pragma", ".loc", ".file", ".section", ".alias", ".version", ".target",
    ".attribute", ".branchtargets", ".callprototype", "(.u64)", "\0", "\u{e9}", "\u{feff}", "\u{1a}", "\t",
    "((((((((", "{{{{{{{{", "--------", "!!!!!!!!",
];

fn seeds() -> Vec<(String, String)> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests");
    let mut seeds = Vec::new();
    for folder in ["check/syntax", "programs/ptx"] {
        for entry in fs::read_dir(tests.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "ptx") {
                let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                seeds.push((path.display().to_string(), text));
            }
        }
    }
    seeds.sort();
    seeds
}

/// A place between two characters.
fn place(text: &str, random: &mut Random) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn mutate(text: &mut String, other: &str, random: &mut Random) {
    let at = place(text, random);
    let mut end = (at + random.below(12)).min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    match random.below(8) {
        0 => drop(text.drain(at..end)),
        1 | 2 => text.insert_str(at, PIECES[random.below(PIECES.len())]),
        3 => text.replace_range(at..end, PIECES[random.below(PIECES.len())]),
        4 => text.insert(at, char::from(random.below(128_u8))),
        5 => text.truncate(at),
        6 => {
            let copy = text[at..end].repeat(1 + random.below(300));
            text.insert_str(at, &copy);
        }
        _ => {
            let from = place(other, random);
            let mut to = (from + random.below(200)).min(other.len());
            while !other.is_char_boundary(to) {
                to += 1;
            }
            text.insert_str(at, &other[from..to]);
        }
    }
}

fn check(text: &str) {
    let source = SourceFile::new("mutant", text);
    let parsed = parse(&source);
    assert!(parsed.diagnostics.len() <= MAX_ERRORS + 1);
    let mut last = 0;
    for diagnostic in &parsed.diagnostics {
        let labels = std::iter::once(&diagnostic.primary).chain(&diagnostic.secondary);
        for label in labels {
            assert!(
                text.get(label.span.range()).is_some(),
                "{:?} of {} bytes",
                label.span,
                text.len()
            );
        }
        assert!(diagnostic.primary.span.start >= last, "not in order");
        last = diagnostic.primary.span.start;
        assert!(diagnostic.help.is_some() && !diagnostic.message.contains('\n'));
    }
    if parsed.diagnostics.is_empty() {
        let printed = parsed.module.to_string();
        let again = SourceFile::new("printed", printed.clone());
        let reparsed = parse(&again);
        assert!(reparsed.diagnostics.is_empty(), "{:?}\n{printed}", reparsed.diagnostics);
        assert_eq!(reparsed.module.to_string(), printed);
    }
}

#[test]
fn mutants_do_no_harm() {
    let seeds = seeds();
    let mut random = Random::for_test(0x9e37_79b9_7f4a_7c15);
    let mut count = 0;
    for (name, seed) in &seeds {
        let rounds = (WORK / (seed.len() + 100)).clamp(50, MAX);
        for _ in 0..rounds {
            let mut text = seed.clone();
            let other = &seeds[random.below(seeds.len())].1;
            for _ in 0..=random.below(4) {
                mutate(&mut text, other, &mut random);
            }
            let result = std::panic::catch_unwind(|| check(&text));
            if let Err(panic) = result {
                eprintln!("mutant of {name}:\n{text}");
                std::panic::resume_unwind(panic);
            }
            count += 1;
        }
    }
    assert!(count > 10_000, "only {count} mutants");
}

#[test]
fn random_tokens_do_no_harm() {
    let mut random = Random::for_test(42);
    for _ in 0..20_000 {
        let mut text = String::from(".version 8.8\n.target sm_75\n");
        if random.below(4) > 0 {
            text += ".entry k() {\n";
        }
        for _ in 0..random.below(40) {
            text += PIECES[random.below(PIECES.len())];
            if random.below(3) > 0 {
                text.push(' ');
            }
        }
        check(&text);
    }
}

/// The deepest input there is must fit a small stack, dropping and printing the tree included.
#[test]
fn deep_input_needs_little_stack() {
    let deep = |open: &str, middle: &str, close: &str, times: usize| {
        let body = format!("{}{middle}{}", open.repeat(times), close.repeat(times));
        [
            format!(".version 8.8\n.target sm_75\n.entry k() {{ mov.u32 %r1, {body}; }}"),
            format!(".version 8.8\n.target sm_75\n.entry k() {{ {body} }}"),
            format!(".version 8.8\n.target sm_75\n.global .u32 a = {body};"),
            format!(".version 8.8\n.target sm_75\n{body}"),
        ]
    };
    #[rustfmt::skip]
    let shapes = [
        ("(", "1", ")"), ("{", "1", "}"), ("{", "ret;", "}"), ("-", "1", ""), ("(.u64)", "1", ""),
        ("1 ? 2 : ", "3", ""), ("1 ? ", "3", ": 4"), ("1 + ", "1", ""), ("", "1", " + 1"), ("[", "a", "]"),
        ("0xff(", "a", ")"), ("call (", "a", ")"), ("1||1&&1|1^1&1==1<1<<1+1*(", "1", ")"), ("L: ", "ret;", ""),
        ("@p ", "ret;", ""), ("~!-+(", "1", ")"),
    ];
    let run = move || {
        for (open, middle, close) in shapes {
            for times in [10, 20, 100, 127, 128, 129, 256, 257, 100_000] {
                deep(open, middle, close, times).iter().for_each(|text| check(text));
            }
        }
    };
    std::thread::Builder::new().stack_size(512 * 1024).spawn(run).unwrap().join().unwrap();
}

#[test]
fn no_time_is_lost_on_long_input() {
    for piece in [
        "{",
        "}",
        "(",
        "@",
        "'",
        "0x ",
        "/* */",
        ".reg .u32 a",
        "mov ",
        "if (",
        "{ ret",
        ".entry ",
        "\u{e9} ",
        "a:",
        ";",
    ] {
        for head in ["", ".entry k() {\n"] {
            let text = format!(".version 8.8\n.target sm_75\n{head}{}", piece.repeat(200_000));
            let begin = std::time::Instant::now();
            check(&text);
            let text = text.replace(piece, &format!("{piece}\n"));
            check(&text);
            assert!(begin.elapsed().as_secs() < 20, "{piece:?} takes {:?}", begin.elapsed());
        }
    }
}
