//! Fuzzes the checker of PTX. No input may panic or take long; diagnostics must be in order, lie in
//! the text and have known codes; fixes must be applicable; and a module without errors must have
//! none after it has been printed.
//!
//! Inputs are texts; the options with which they are checked are derived from their bytes.

#![no_main]

mod mutator;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use mutator::mutate;
use texunit_check::{Architecture, Options, Ptxas, Verdicts, check_source, find_code};
use texunit_syntax::{Diagnostic, SourceFile, fix, parse};
use texunit_testkit::Random;

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    let text = std::str::from_utf8(&data[..size]);
    match text {
        Ok(text) if seed % 8 != 0 => {
            let new = mutate(text, max_size, u64::from(seed));
            data[..new.len()].copy_from_slice(new.as_bytes());
            new.len()
        }
        _ => fuzzer_mutate(data, size, max_size),
    }
});

/// Options that are derived from the text.
fn options(text: &str) -> Options {
    let seed = text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, b| {
        (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut random = Random::new(seed);
    let verdicts = match random.below(3) {
        0 => Verdicts::Texunit,
        1 => Verdicts::Ptxas(None),
        _ => Verdicts::Ptxas(Some(*random.pick(&Ptxas::ALL))),
    };
    let names =
        ["sm_10", "sm_20", "sm_30", "sm_52", "sm_70", "sm_75", "sm_80", "sm_90a", "sm_100f"];
    let mut architecture = || match random.below(3) {
        0 => random.pick(&names).parse::<Architecture>().ok(),
        _ => None,
    };
    let (target, arch) = (architecture(), architecture());
    let versions = [(1, 0), (1, 4), (2, 3), (3, 1), (5, 0), (7, 8), (8, 4), (9, 0), (9, 5)];
    let version = (random.below(4) == 0).then(|| *random.pick(&versions));
    Options { verdicts, target, version, arch }
}

/// More diagnostics than the limits of all codes together.
const MAX: usize = 10_000;

fn inspect(source: &SourceFile, diagnostics: &[Diagnostic]) {
    let text = source.text();
    assert!(diagnostics.len() <= MAX, "{}", diagnostics.len());
    assert!(diagnostics.is_sorted_by_key(|d| d.primary.span.start), "not in order");
    for diagnostic in diagnostics {
        assert!(find_code(diagnostic.code).is_some(), "{}", diagnostic.code);
        assert!(!diagnostic.message.is_empty() && diagnostic.message.len() <= 4096);
        for label in std::iter::once(&diagnostic.primary).chain(&diagnostic.secondary) {
            assert!(text.get(label.span.range()).is_some(), "{diagnostic:?}");
        }
        if !diagnostic.fix.is_empty() {
            let fixed = fix::apply(text, &diagnostic.fix);
            assert!(fixed.is_some(), "a fix that cannot be made: {diagnostic:?}");
            assert_ne!(fixed.as_deref(), Some(text), "a fix that changes nothing: {diagnostic:?}");
        }
    }
}

fn codes(diagnostics: &[Diagnostic]) -> Vec<&'static str> {
    let mut codes: Vec<_> = diagnostics.iter().map(|d| d.code).collect();
    codes.sort_unstable();
    codes
}

fuzz_target!(|bytes: &[u8]| {
    let source = SourceFile::from_bytes("input", bytes);
    let chosen = options(source.text());
    let other = check_source(&source, &chosen);
    inspect(&source, &other);
    assert_eq!(other, check_source(&source, &chosen), "two answers");

    let plain = Options::default();
    let found = check_source(&source, &plain);
    inspect(&source, &found);
    if !found.iter().any(Diagnostic::is_error) {
        let printed = parse(&source).module.to_string();
        let again = SourceFile::new("printed", printed);
        let found_again = check_source(&again, &plain);
        assert_eq!(codes(&found), codes(&found_again), "of the printed module:\n{}", again.text());
    }
    let (fixed, _) = fix::apply_all(source.text(), &found);
    let fixed = SourceFile::new("fixed", fixed);
    inspect(&fixed, &check_source(&fixed, &plain));
});
