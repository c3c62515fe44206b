//! Fuzzes the assembler and disassembler of machine code. All 64 bits must decode to an instruction
//! or an error, every text must parse or have errors that lie in it, a printed instruction must
//! parse to the same bits, and every texture header must have an explanation.
//!
//! An input is used twice: as machine code (the bytes after an instruction select control field and
//! architecture), and as text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use texunit_sass::control::{PHASE, READ, WRITE};
use texunit_sass::descriptor::{Descriptor, header, sampler};
use texunit_sass::parse::parse;
use texunit_sass::print::{Style, print};
use texunit_sass::rules::check;
use texunit_sass::txd::{BINDLESS, GUARD, GUARD_NOT, INDEX};
use texunit_sass::{Arch, Control, Txd, Word, listing};

/// Longer than the text of any instruction.
const MAX_TEXT: usize = 256;

fn word(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first_chunk::<8>() else { return };
    let Some((second, rest)) = rest.split_first_chunk::<4>() else { return };
    let word = u64::from_le_bytes(*first);
    let control = Control::new(u32::from_le_bytes(*second) & 0x1f_ffff).expect("21 bits");
    let arch = Arch::ALL[usize::from(rest.first().copied().unwrap_or(1)) % Arch::ALL.len()];
    let decoded = Word::decode(word, control, arch);
    for style in [Style::Nvidia, Style::Isa] {
        let text = decoded.text(style);
        let valid = matches!(decoded, Word::Txd(_) | Word::TextureWord(_));
        assert_eq!(text.is_some(), valid, "{word:#x} {arch}");
        assert_eq!(decoded.fields().is_empty(), !valid, "{word:#x} {arch}");
        let (Some(text), Word::Txd(txd)) = (text, decoded) else { continue };
        assert!(text.len() <= MAX_TEXT, "{text}");
        back(&txd, &text, style);
    }
}

/// Fields that are not printed need not be equal after parsing: the index of a bindless
/// instruction, `@!PT`, and in NVIDIA's style all of the control field except the phase.
fn back(txd: &Txd, text: &str, style: Style) {
    let read = parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}")).txd;
    let mut wanted = *txd;
    if txd.has(&BINDLESS) {
        wanted = wanted.with(&INDEX, 0);
    }
    if txd.get(&GUARD) == 7 && !text.starts_with('@') && !text.starts_with("{ @") {
        wanted = wanted.with(&GUARD_NOT, txd.get(&GUARD_NOT) & read.get(&GUARD_NOT));
    }
    assert_eq!(read.word, wanted.word, "{text}");
    match style {
        Style::Isa => assert_eq!(read.control, txd.control, "{text}"),
        Style::Nvidia => assert_eq!(read.control.get(&PHASE), txd.control.get(&PHASE), "{text}"),
    }
}

fn text(text: &str) {
    match parse(text) {
        Err(error) => assert!(text.get(error.primary.span.range()).is_some(), "{text}: {error:?}"),
        Ok(parsed) => {
            let txd = parsed.txd;
            for &arch in Arch::ALL {
                for broken in check(&txd, &parsed.places, arch) {
                    assert!(text.get(broken.primary.span.range()).is_some(), "{text}: {broken:?}");
                }
            }
            if !(txd.control.phase_t() && txd.control.phase_p()) {
                back(&txd, &print(&txd, Style::Isa), Style::Isa);
            }
            assert!(txd.control.get(&READ) <= 7 && txd.control.get(&WRITE) <= 7);
        }
    }
    if let Ok(descriptor) = text.parse::<Descriptor>() {
        explain(&descriptor);
    }
}

fn explain(descriptor: &Descriptor) {
    for bits in header::fields(descriptor).chain(sampler::FIELDS) {
        assert!(!bits.explain(descriptor).is_empty(), "{}", bits.name);
        assert!(bits.width >= 32 || bits.get(descriptor) >> bits.width == 0, "{}", bits.name);
    }
}

fuzz_target!(|bytes: &[u8]| {
    word(bytes);
    if let Ok(lines) = listing::lines(bytes) {
        for line in lines {
            let _ = Word::decode(line.word, line.control, Arch::Sm52).text(Style::Nvidia);
        }
    }
    if let Some((header, _)) = bytes.split_first_chunk::<32>() {
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(header.chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        explain(&Descriptor(words));
    }
    text(&String::from_utf8_lossy(bytes));
});
