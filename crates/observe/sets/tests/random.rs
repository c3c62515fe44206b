//! Random kernels whose CTAs sometimes access each other's bytes, launched in random ranges: the
//! merged bytes must equal those of one launch in the order of CTAs, or the merge must be refused.
#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use texunit_device::{
    Arg, Buffer, CtaRange, Device, DeviceOptions, LaunchOptions, LaunchStats, Module, Observer,
};
use texunit_sets::{MergeError, Objects, Recorder, Sets, identity, merge};
use texunit_testkit::Random;

/// Bytes of the buffer.
const SIZE: u64 = 8192;
/// Offset of the bytes that kernels seldom write.
const INPUT: u32 = 4096;
const GRID: [u32; 3] = [5, 2, 2];
const CTAS: u64 = 20;

/// Puts an address into %at: in the CTA's own 160 bytes, or with a probability of `stray` percent
/// nearby.
fn address(random: &mut Random, text: &mut String, (size, first): (u32, u32), stray: u32) {
    let lane = size * random.of(&[0, 1, 1, 1, 2]);
    let of_cta = match random.below(100) < stray {
        true => random.of(&[0, size, 16, 64]),
        false => 160 + size * random.of(&[0, 0, 0, 1]),
    };
    let (more, mask) = (size * random.below(3_u32), !(size - 1));
    let _ = writeln!(
        text,
        "mul.lo.u32 %a, %n, {of_cta}; mad.lo.u32 %a, %t, {lane}, %a; add.u32 %a, %a, {more};
         rem.u32 %a, %a, 4032; and.b32 %a, %a, {mask}; add.u32 %a, %a, {first};
         cvt.u64.u32 %at, %a; add.u64 %at, %at, %base;"
    );
}

fn statement(random: &mut Random, text: &mut String, stray: u32) {
    let size = random.of(&[1, 2, 4, 4, 4, 8, 16]);
    match random.below(10_u32) {
        0..3 => {
            let first = if random.below(100) < stray { 0 } else { INPUT };
            address(random, text, (size, first), 50);
            text.push_str(match size {
                1 => "ld.global.u8 %x, [%at];",
                2 => "ld.volatile.global.u16 %s, [%at]; cvt.u32.u16 %x, %s;",
                4 => "ld.u32 %x, [%at];",
                8 => "ld.global.v2.u32 {%x, %y}, [%at]; xor.b32 %x, %x, %y;",
                _ => "ld.global.nc.v4.u32 {%y, %x, %y, %z}, [%at];",
            });
            text.push_str(" mad.lo.u32 %v, %v, 5, %x;\n");
        }
        3..7 => {
            address(random, text, (size, 0), stray);
            // Equal stores of all ranges may be merged.
            let value = if random.one_in(4) { "%c" } else { "%v" };
            let _ = match size {
                1 => writeln!(text, "st.global.u8 [%at], {value};"),
                2 => writeln!(text, "cvt.u16.u32 %s, {value}; st.u16 [%at], %s;"),
                4 => writeln!(text, "st.relaxed.gpu.global.u32 [%at], {value};"),
                8 => writeln!(text, "st.global.v2.u32 [%at], {{{value}, {value}}};"),
                _ => writeln!(text, "st.global.v4.u32 [%at], {{{value}, %c, {value}, %c}};"),
            };
        }
        _ => atomic(random, text, stray),
    }
}

/// The results of %z and %u are not used.
fn atomic(random: &mut Random, text: &mut String, stray: u32) {
    let wide = random.one_in(4);
    // Reductions of all CTAs to the same numbers are the main case of this test.
    let stray = if random.one_in(2) { 100 } else { stray };
    let ops = ["add.u", "min.u", "max.u", "min.s", "max.s", "and.b", "or.b", "xor.b"];
    let op = if random.one_in(2) { ops[0] } else { random.of(&ops) };
    let (bits, value) = if wide { (64, "%w") } else { (32, "%v") };
    let kind = random.below(10_u32);
    address(random, text, (bits / 8, 0), if kind < 3 && !wide { stray.min(10) } else { stray });
    let _ = writeln!(text, "cvt.u64.u32 %w, %v;");
    let _ = match kind {
        0 if !wide => writeln!(text, "atom.global.add.u32 %x, [%at], %v; add.u32 %v, %v, %x;"),
        1 if !wide => writeln!(text, "atom.global.exch.b32 %x, [%at], %v;"),
        2 if !wide => writeln!(text, "red.global.inc.u32 [%at], %v;"),
        3..6 => {
            let unused = if wide { "%u" } else { "%z" };
            writeln!(text, "atom.global.{op}{bits} {unused}, [%at], {value};")
        }
        _ => writeln!(text, "red.global.{op}{bits} [%at], {value};"),
    };
}

fn kernel(random: &mut Random) -> String {
    let stray = random.of(&[0, 0, 0, 5, 20]);
    let mut body = String::new();
    for _ in 0..random.within(2..=7) {
        statement(random, &mut body, stray);
    }
    let [w, h, _] = GRID;
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 to)\n{{\n\
         .reg .u16 %s; .reg .u32 %n, %t, %a, %x, %y, %z, %v, %c, %cy, %cz;\n\
         .reg .u64 %base, %at, %w, %u;\n\
         ld.param.u64 %base, [to]; mov.u32 %t, %tid.x;\n\
         mov.u32 %n, %ctaid.x; mov.u32 %cy, %ctaid.y; mov.u32 %cz, %ctaid.z;\n\
         mad.lo.u32 %cy, %cz, {h}, %cy; mad.lo.u32 %n, %cy, {w}, %n;\n\
         mad.lo.u32 %v, %n, 77, %t; mov.u32 %c, {};\n{body}ret;\n}}\n",
        random.u32(),
    )
}

/// A device with the module and a buffer.
struct Machine {
    module: Module,
    buffer: Buffer,
}

impl Machine {
    fn new(text: &str, input: &[u8]) -> Self {
        let device = Device::new(&DeviceOptions::default());
        let module = Module::load(&device, "k.ptx", text);
        let module = module.unwrap_or_else(|e| panic!("{:?}\n{text}", e.diagnostics));
        let buffer = device.alloc(SIZE, "to").unwrap();
        buffer.write(0, input).unwrap();
        Self { module, buffer }
    }

    fn objects(&self) -> Objects {
        Objects::of(&self.module.device().state())
    }

    fn run(&self, ctas: Option<CtaRange>, observer: Option<&dyn Observer>) -> LaunchStats {
        let options =
            LaunchOptions::new(GRID, 16).with_ctas(ctas).with_threads(1).with_observer(observer);
        let kernel = self.module.kernel("k").unwrap();
        kernel.launch(&options, &[Arg::Buffer(&self.buffer)]).unwrap()
    }
}

/// Random ranges that together are the grid, in any order.
fn ranges(random: &mut Random) -> Vec<CtaRange> {
    let mut ends: Vec<u64> =
        (0..random.within(1..=4)).map(|_| random.within(1..=CTAS - 1)).collect();
    ends.extend([0, CTAS]);
    ends.sort_unstable();
    ends.dedup();
    let mut all: Vec<CtaRange> =
        ends.windows(2).map(|w| CtaRange { begin: w[0], end: w[1] }).collect();
    if random.one_in(2) {
        all.reverse();
    }
    all
}

/// The sets of a range, after a round trip through a file.
fn sets(text: &str, input: &[u8], ctas: CtaRange) -> Sets {
    let machine = Machine::new(text, input);
    let objects = machine.objects();
    let own = identity([text], &objects);
    let recorder = Recorder::new(objects);
    let stats = machine.run(Some(ctas), Some(&recorder));
    let sets = recorder.sets(own, (GRID, ctas), &stats).unwrap();
    Sets::from_bytes(&sets.to_bytes()).unwrap()
}

#[test]
fn equal_bytes_or_none() {
    let mut random = Random::for_test(24);
    let (mut merged, mut refused) = (0, 0);
    for case in 0..400 {
        let (text, input) = (kernel(&mut random), random.bytes(SIZE as usize));
        let whole = Machine::new(&text, &input);
        whole.run(None, None);
        let expected = whole.buffer.read();
        let all: Vec<Sets> =
            ranges(&mut random).into_iter().map(|ctas| sets(&text, &input, ctas)).collect();
        let target = Machine::new(&text, &input);
        let objects = target.objects();
        let own = identity([text.as_str()], &objects);
        match merge(&objects, &own, &all, 0) {
            Ok(_) => {
                merged += 1;
                let found = target.buffer.read();
                let at = found.iter().zip(&expected).position(|(a, b)| a != b);
                let ctas: Vec<String> = all.iter().map(|s| s.range().to_string()).collect();
                assert_eq!(at, None, "case {case}, {ctas:?}:\n{text}");
            }
            Err(MergeError::Conflict(conflict)) => {
                refused += 1;
                assert_eq!(target.buffer.read(), input, "nothing is written");
                let lines = conflict.ends.map(|end| &text[end.span.range()]);
                assert!(lines.iter().all(|l| l.contains("[%at]")), "{lines:?}");
                assert!(conflict.ends[0].ctas.end <= conflict.ends[1].ctas.begin);
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert!(merged >= 100 && refused >= 50, "{merged} merged, {refused} refused");
}

/// Sets of launches with other initial bytes or another PTX text are refused.
#[test]
fn sets_of_other_launches_are_refused() {
    let mut random = Random::for_test(25);
    let (text, input) = (kernel(&mut random), random.bytes(SIZE as usize));
    let all = [sets(&text, &input, CtaRange { begin: 0, end: CTAS })];
    let mut other = input.clone();
    other[SIZE as usize - 1] ^= 1;
    for (input, name) in [(&input, "another"), (&other, &*text)] {
        let objects = Machine::new(&text, input).objects();
        let own = identity([name], &objects);
        assert_eq!(merge(&objects, &own, &all, 0), Err(MergeError::Other(0)));
    }
}
