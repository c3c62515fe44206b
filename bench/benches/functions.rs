//! Benchmark of approximate instructions in compiled code: results per second of one host thread,
//! as a GPU computes them (`--approx card`), and rounded (`--approx rounded`).
//!
//! A kernel applies the function repeatedly to 32 numbers of a thread, and adds the results. The
//! time of the same kernel without the function is subtracted. Prints a table with medians of
//! alternating rounds; time never makes it fail. Arguments select instructions by name, and
//! `TEXUNIT_SIMD` selects the SIMD level. docs/performance.md has measured numbers.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::fmt::Write as _;
use texunit_bench::{is_wanted, median, seconds};
use texunit_device::{Approximate, Arg, Device, DeviceOptions, Kernel, LaunchOptions, Module};

const ROUNDS: usize = 9;
/// Number of CTAs of 256 threads, loop iterations of a thread, and applications of the function per
/// iteration.
const CTAS: u32 = 8;
const TURNS: u32 = 64;
const FUNCTIONS: u32 = 32;

/// The measured instructions. The operand with number i is i times the first float plus the second.
const INSTRUCTIONS: [(&str, f32, f32); 16] = [
    ("rcp.approx.f32", 0.01, 0.5),
    ("rcp.approx.ftz.f32", 0.01, 0.5),
    ("rsqrt.approx.f32", 0.01, 0.5),
    ("rsqrt.approx.ftz.f32", 0.01, 0.5),
    ("sqrt.approx.f32", 0.01, 0.5),
    ("sqrt.approx.ftz.f32", 0.01, 0.5),
    ("ex2.approx.f32", 0.01, -3.0),
    ("ex2.approx.ftz.f32", 0.01, -3.0),
    ("lg2.approx.f32", 0.01, 0.5),
    ("lg2.approx.ftz.f32", 0.01, 0.5),
    ("sin.approx.f32", 0.01, -3.0),
    ("cos.approx.f32", 0.01, -3.0),
    ("tanh.approx.f32", 0.003, -3.0),
    ("div.approx.f32", 0.01, 0.5),
    ("div.full.f32", 0.01, 0.5),
    ("mov.f32", 0.01, 0.5),
];

fn ptx(instruction: &str, multiple: f32, offset: f32) -> String {
    let mut text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n\
         .reg .u64 %o; .reg .u32 %i, %n, %t; .reg .f32 %x, %y, %s; .reg .pred %p;\n\
         ld.param.u64 %o, [out]; mov.u32 %i, %tid.x; mov.u32 %n, 0; mov.f32 %s, 0f00000000;\n\
         cvt.rn.f32.u32 %x, %i; fma.rn.f32 %x, %x, 0f{:08X}, 0f{:08X};\nAGAIN:\n",
        multiple.to_bits(),
        offset.to_bits()
    );
    for _ in 0..FUNCTIONS {
        let more = if instruction.starts_with("div") { ", %x" } else { "" };
        let first = if more.is_empty() { "%x" } else { "%s" };
        let _ = writeln!(
            text,
            "{instruction} %y, {first}{more}; add.rn.f32 %s, %s, %y; add.rn.f32 %x, %x, 0f3A83126F;"
        );
    }
    let _ = write!(
        text,
        "add.u32 %n, %n, 1; setp.lt.u32 %p, %n, {TURNS}; @%p bra AGAIN;\n\
         mad.wide.u32 %o, %i, 4, %o; st.global.f32 [%o], %s; ret;\n}}\n"
    );
    text
}

fn time(kernel: &Kernel, approximate: Approximate, args: &[Arg<'_>]) -> f64 {
    let options = LaunchOptions::default()
        .with_grid(CTAS)
        .with_block(256)
        .with_threads(1)
        .with_approximate(approximate);
    seconds(|| kernel.launch(&options, args).unwrap()).0
}

fn main() {
    let device = Device::new(&DeviceOptions::default());
    let out = device.alloc(256 * 4, "out").unwrap();
    let args = [Arg::Buffer(&out)];
    let kernel = |(name, multiple, offset): (&str, f32, f32)| {
        Module::load(&device, "k.ptx", &ptx(name, multiple, offset)).unwrap().kernel("k").unwrap()
    };
    let empty = kernel(INSTRUCTIONS[INSTRUCTIONS.len() - 1]);
    let ways = [Approximate::Card, Approximate::Rounded];
    println!("| instruction | card, million a second | rounded | card is times |");
    println!("|---|---|---|---|");
    for &of in &INSTRUCTIONS[..INSTRUCTIONS.len() - 1] {
        if !is_wanted(of.0) {
            continue;
        }
        let kernel = kernel(of);
        let mut times: [Vec<f64>; 3] = Default::default();
        for round in 0..=ROUNDS {
            let mut now = ways.map(|way| time(&kernel, way, &args)).to_vec();
            now.push(time(&empty, Approximate::Card, &args));
            // The times of the first round are dropped, because it generates machine code.
            if round > 0 {
                times.iter_mut().zip(now).for_each(|(all, time)| all.push(time));
            }
        }
        let [card, rounded, empty] = times.map(median);
        let results = f64::from(CTAS * 256 * TURNS * FUNCTIONS) / 1e6;
        let rate = |seconds: f64| results / (seconds - empty).max(1e-9);
        let times = (rounded - empty) / (card - empty).max(1e-9);
        println!("| `{}` | {:.0} | {:.0} | {times:.2} |", of.0, rate(card), rate(rounded));
    }
}
