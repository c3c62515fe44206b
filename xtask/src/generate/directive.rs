//! Random pragmas by version and position, and sections with arbitrary lines.

use super::Question;
use super::setup::Setup;
use texunit_testkit::Random;

/// The strings of `.pragma`: those of the PTX ISA with valid and invalid arguments, and unknown
/// ones.
const PRAGMAS: &[&str] = &[
    "nounroll",
    "used_bytes_mask 0xfff",
    "used_bytes_mask 0x0ff",
    "used_bytes_mask",
    "enable_smem_spilling",
    "frequency 32",
    "frequency 0x10",
    "frequency 0",
    "frequency",
    "frequency -1",
    "frequency 1 2",
    "frequency 08",
    "frequency 99999999999999999999",
    "nounroll 1",
    "unroll 4",
    " frequency 0",
    "Frequency 0",
    "",
];

/// Lines that sections are filled with, valid and invalid ones.
const LINES: &[&str] = &[
    ".b8 1, 2, 255",
    ".b16 65535",
    ".b32 0xffffffff",
    ".b64 0x0102030405060708",
    ".b8 -1",
    ".b16 -32768",
    ".b32 -4",
    ".b64 -4",
    ".b8 256",
    ".b8 -129",
    "L0:",
    "L1:",
    "L0: L2: .b8 1",
    ".b32 L0",
    ".b64 L0",
    ".b16 L0",
    ".b32 L0+4",
    ".b32 L0-L1",
    ".b64 L1-L0",
    ".b32 L0-L9",
    ".b32 L0-4",
    ".b32 L1-L0+4",
    ".b32 nobody",
    ".b32 .debug_loc",
    ".b32 .debug_loc+4",
    ".b32 .debug_loc-4",
    ".b32 L0, L1-L0",
    ".b32 k",
];

const NAMES: &[&str] = &[".debug_info", ".debug_str", ".debug_pubnames", ".debug_loc", ".other"];

fn pragma(random: &mut Random) -> String {
    let mut strings = format!("\"{}\"", random.of(PRAGMAS));
    if random.chance(15) {
        strings += &format!(", \"{}\"", random.of(PRAGMAS));
    }
    format!(".pragma {strings};\n")
}

fn section(random: &mut Random) -> String {
    let mut text = format!(".section {} {{\n", random.of(NAMES));
    for _ in 0..random.of(&[0, 1, 1, 2, 3, 4]) {
        text += random.of(LINES);
        text.push('\n');
    }
    text + "}\n"
}

/// A question about a module with one or two pragmas or sections.
pub(super) fn question(setup: Setup, family: &'static str, random: &mut Random) -> Question {
    let [mut before, mut head, mut body, mut after] = [const { String::new() }; 4];
    for _ in 0..random.of(&[1, 1, 1, 2]) {
        match random.below(10) {
            0 => before += &pragma(random),
            1 => head += &pragma(random),
            2..=5 => body += &pragma(random),
            6 => before += &section(random),
            _ => after += &section(random),
        }
    }
    let text = format!(
        "{}{before}.visible .entry k(.param .u64 p)\n{head}{{\n.reg .b32 %r<4>;\n.reg .b64 %d;\nld.param.b64 %d, [p];\n{body}\
         ld.global.v4.b32 {{%r0, %r1, %r2, %r3}}, [%d];\nst.global.b32 [%d], %r1;\nret;\n}}\n{after}",
        setup.head()
    );
    setup.whole(family, text)
}
