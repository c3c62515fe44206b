//! Removal tests of the check `init`: in generated kernels, every initialisation is necessary. Each
//! is removed in turn, and the use must be found at its line; in the complete kernel nothing may be
//! found, and its results are the same with and without the check. `TEXUNIT_LONG_TESTS=1` generates
//! 500 kernels, different ones for each `TEXUNIT_SEED`.

use std::fmt::Write;
use texunit_checks::{Check, InitWhen, Log, Options};
use texunit_device::{Arg, Device, DeviceOptions, InitialContents, LaunchOptions, Module};
use texunit_testkit::Random;

/// Bytes of each buffer.
const BUFFER: u64 = 64 << 10;

const START: &str = include_str!("../ptx/initialized_start.ptx");

/// A kernel under construction.
struct Kernel {
    lines: Vec<String>,
    /// By item: the line that can be removed, and the line that must then be found.
    items: Vec<(&'static str, usize, usize)>,
    block: u32,
    grid: u32,
    registers: u32,
    shared: u32,
    global: u32,
    local: u32,
}

impl Kernel {
    fn add(&mut self, text: &str) -> usize {
        self.lines.extend(text.lines().map(|line| line.trim().to_owned()));
        self.lines.len() - 1
    }

    fn register(&mut self) -> u32 {
        self.registers += 1;
        self.registers
    }

    /// Uses a number in a way that the check reports. Returns the line.
    fn used(&mut self, random: &mut Random, value: &str) -> usize {
        let r = self.register();
        match random.within(0..=3) {
            0 => {
                self.add(&format!("setp.gt.u32 %p{r}, {value}, 12;"));
                let line = self.add(&format!("@%p{r} bra L{r};"));
                self.add(&format!("add.u32 %sum, %sum, 5;\nL{r}:"));
                line
            }
            1 => {
                self.add(&format!("add.u32 %v{r}, {value}, %t;"));
                self.add(&format!("st.global.u32 [%my+{}], %v{r};", 4096 * (1 + r % 8)))
            }
            2 => {
                self.add(&format!("setp.lt.u32 %p{r}, {value}, 40;"));
                self.add(&format!("@%p{r} st.global.u32 [%my+{}], 9;", 4096 * (1 + r % 8)))
            }
            _ => {
                self.add(&format!("and.b32 %v{r}, {value}, 60;\ncvt.u64.u32 %a{r}, %v{r};"));
                self.add(&format!("add.u64 %a{r}, %a{r}, %work;"));
                // A copy of uninitialised memory, which is no use.
                let line = self.add(&format!("ld.global.u32 %v{r}, [%a{r}+32768];"));
                self.add(&format!("st.global.u32 [%my+{}], %v{r};", 4096 * (1 + r % 8)));
                line
            }
        }
    }

    fn item(&mut self, name: &'static str, gone: usize, found: usize) {
        self.items.push((name, gone, found));
    }

    /// A register to which a loop adds.
    fn accumulator(&mut self, random: &mut Random) {
        let (r, i) = (self.register(), self.register());
        let gone = self.add(&format!("mov.u32 %v{r}, {};", random.within(0..=9)));
        let turns = random.of(&[1, 3, 40, 200]);
        self.add(&format!("mov.u32 %v{i}, 0;\nT{i}:"));
        self.add(&format!("mad.lo.u32 %v{r}, %v{r}, 3, %v{i};\nadd.u32 %v{i}, %v{i}, 1;"));
        self.add(&format!("setp.lt.u32 %p{i}, %v{i}, {turns};\n@%p{i} bra T{i};"));
        let found = self.used(random, &format!("%v{r}"));
        self.item("accumulator", gone, found);
    }

    /// A float operand of arithmetic.
    fn float(&mut self, random: &mut Random) {
        let r = self.register();
        let gone = self.add(&format!("mov.f32 %f{r}, 0f3FC00000;"));
        self.add(&format!(
            "fma.rn.f32 %f{r}, %f{r}, %f{r}, 0f40000000;\nsqrt.rn.f32 %f{r}, %f{r};"
        ));
        self.add(&format!("cvt.rzi.u32.f32 %v{r}, %f{r};"));
        let found = self.used(random, &format!("%v{r}"));
        self.item("float", gone, found);
    }

    /// A predicate that one of two branches sets.
    fn ways(&mut self, random: &mut Random) {
        let (r, half) = (self.register(), self.block / 2);
        self.add(&format!("setp.lt.u32 %p{r}, %t, {half};\n@%p{r} bra A{r};"));
        let first = self.add(&format!("mov.u32 %v{r}, 3;"));
        self.add(&format!("bra B{r};\nA{r}:"));
        let second = self.add(&format!("mov.u32 %v{r}, 4;"));
        self.add(&format!("B{r}:"));
        let found = self.used(random, &format!("%v{r}"));
        self.item("way", first, found);
        self.item("other way", second, found);
    }

    /// A tile of which each thread writes a word that another thread reads.
    fn tile(&mut self, random: &mut Random) {
        let (r, at, n) = (self.register(), self.shared, self.block);
        self.shared += 4 * n;
        let shift = random.within(1..=n - 1);
        self.add("mov.u32 %s, tile;\nmad.lo.u32 %s, %t, 4, %s;");
        let gone = self.add(&format!("st.shared.u32 [%s+{at}], %t;"));
        self.add("bar.sync 0;");
        self.add(&format!("add.u32 %v{r}, %t, {shift};\nrem.u32 %v{r}, %v{r}, %n;"));
        self.add(&format!("mov.u32 %s, tile;\nmad.lo.u32 %s, %v{r}, 4, %s;"));
        self.add(&format!("ld.shared.u32 %v{r}, [%s+{at}];"));
        let found = self.used(random, &format!("%v{r}"));
        self.item("tile", gone, found);
    }

    /// Vectors of bytes.
    fn bytes(&mut self, random: &mut Random) {
        let (r, at) = (self.register(), self.shared);
        self.shared += 4 * self.block;
        self.add("mov.u32 %s, tile;\nmad.lo.u32 %s, %t, 4, %s;");
        let byte = random.within(0..=3);
        let mut gone = 0;
        for i in 0..4 {
            let line = self.add(&format!("st.shared.u8 [%s+{}], %t;", at + i));
            gone = if i == byte { line } else { gone };
        }
        self.add(&format!("ld.shared.u32 %v{r}, [%s+{at}];\nshr.u32 %v{r}, %v{r}, {};", 8 * byte));
        let found = self.used(random, &format!("%v{r}"));
        self.item("byte", gone, found);
    }

    /// A histogram that must be cleared.
    fn histogram(&mut self, random: &mut Random) {
        let (r, at) = (self.register(), self.shared);
        self.shared += 4 * self.block;
        self.add("mov.u32 %s, tile;\nmad.lo.u32 %s, %t, 4, %s;");
        let gone = self.add(&format!("st.shared.u32 [%s+{at}], 0;"));
        self.add(&format!(
            "bar.sync 0;\nmov.u32 %s, tile;\nand.b32 %v{r}, %t, {};",
            random.of(&[1, 7, 31])
        ));
        self.add(&format!("mad.lo.u32 %s, %v{r}, 4, %s;"));
        let found = self.add(&format!("atom.shared.add.u32 %v{r}, [%s+{at}], 1;"));
        self.add("bar.sync 0;");
        self.item("histogram", gone, found);
    }

    /// A word of global memory.
    fn global(&mut self, random: &mut Random) {
        let (r, at) = (self.register(), self.global);
        self.global += 4 * self.block * self.grid;
        self.add(&format!("mul.wide.u32 %a{r}, %g, 4;\nadd.u64 %a{r}, %a{r}, %work;"));
        let gone = self.add(&format!("st.global.u32 [%a{r}+{at}], %t;"));
        self.add(&format!("ld.global.u32 %v{r}, [%a{r}+{at}];"));
        let found = self.used(random, &format!("%v{r}"));
        self.item("global", gone, found);
    }

    /// An element of a local array.
    fn local(&mut self, random: &mut Random) {
        let (r, at) = (self.register(), self.local);
        self.local += 64;
        self.add(&format!(
            "and.b32 %v{r}, %t, 15;\nmov.u32 %s, own;\nmad.lo.u32 %s, %v{r}, 4, %s;"
        ));
        let gone = self.add(&format!("st.local.u32 [%s+{at}], %t;"));
        self.add(&format!("ld.local.u32 %v{r}, [%s+{at}];"));
        let found = self.used(random, &format!("%v{r}"));
        self.item("local", gone, found);
    }

    /// A value that a lane gets from another lane.
    fn shuffled(&mut self, random: &mut Random) {
        let (r, mask) = (self.register(), random.within(1..=31));
        let gone = self.add(&format!("mov.u32 %v{r}, %t;"));
        self.add(&format!("shfl.sync.bfly.b32 %v{r}, %v{r}, {mask}, 31, 0xffffffff;"));
        let found = self.used(random, &format!("%v{r}"));
        self.item("shuffled", gone, found);
    }

    fn of(number: u64, random: &mut Random) -> Self {
        let block = random.of(&[32, 64, 96, 128]);
        let grid = random.within(1..=3);
        let (lines, items) = (Vec::new(), Vec::new());
        let mut kernel =
            Self { lines, items, block, grid, registers: 1, shared: 0, global: 0, local: 0 };
        let parts: [fn(&mut Self, &mut Random); 9] = [
            Self::accumulator,
            Self::float,
            Self::ways,
            Self::tile,
            Self::bytes,
            Self::histogram,
            Self::global,
            Self::local,
            Self::shuffled,
        ];
        parts[(number % 9) as usize](&mut kernel, random);
        for _ in 0..random.within(1..=4) {
            let part = random.of(&parts);
            part(&mut kernel, random);
        }
        kernel.add("st.global.u32 [%my], %sum;");
        kernel
    }

    fn text(&self, without: Option<usize>) -> String {
        let mut text = START.to_owned();
        for (i, line) in self.lines.iter().enumerate() {
            // The other lines keep their numbers.
            let _ = writeln!(text, "{}", if without == Some(i) { "//" } else { line });
        }
        text + "ret;\n}\n"
    }

    /// The lines of findings, with messages, and the contents of the buffer after the launch.
    fn run(&self, text: &str, is_checked: bool, threads: usize) -> (Vec<(u32, String)>, Vec<u8>) {
        let fresh = InitialContents { is_tracked: is_checked, ..InitialContents::default() };
        let device = Device::new(&DeviceOptions::default().with_initial_contents(fresh));
        let module = Module::load(&device, "k.ptx", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let function = module.kernel("k").expect("it is there");
        let buffers = [0, 1].map(|_| device.alloc(BUFFER, "buffer").expect("there is room"));
        let log = Log::new(Options { checks: Check::Init.into(), ..Options::default() });
        let checks = if is_checked { log.launch("k") } else { None };
        let options = LaunchOptions::new(self.grid, self.block)
            .with_threads(threads)
            .with_observer(checks.as_ref().map(|checks| checks as _));
        let args: Vec<_> = buffers.iter().map(Arg::Buffer).collect();
        function.launch(&options, &args).unwrap_or_else(|e| panic!("{e}\n{text}"));
        drop(checks);
        let line = |f: texunit_checks::Finding| {
            let at = f.at.as_ref().map_or(0, |end| end.place.ptx.line);
            (at, format!("{} {at}: {}", f.code(), f.message))
        };
        let bytes = buffers[0].read();
        (log.findings().into_iter().map(line).collect(), bytes)
    }
}

#[test]
fn every_initialisation_that_is_left_out_is_found_at_its_use() {
    let long = std::env::var_os("TEXUNIT_LONG_TESTS").is_some();
    let kernels = if long { 500 } else { 27 };
    let first = START.lines().count() as u32 + 1;
    let (mut removed, mut missed) = (0, Vec::new());
    for number in 0..kernels {
        let mut random = Random::of_item(Random::for_test(24).u64(), number);
        let kernel = Kernel::of(number, &mut random);
        let threads = 1 + (number % 2) as usize;
        let whole = kernel.text(None);
        let (none, bytes) = kernel.run(&whole, true, threads);
        assert!(none.is_empty(), "{number}: {none:#?}\n{whole}");
        assert!(bytes == kernel.run(&whole, false, threads).1, "{number} differs\n{whole}");
        for &(name, gone, found) in &kernel.items {
            let text = kernel.text(Some(gone));
            let (all, bytes) = kernel.run(&text, true, threads);
            removed += 1;
            if !all.iter().any(|(line, _)| *line == first + found as u32) || all.len() != 1 {
                missed.push(format!(
                    "{number} {name}, line {}: {all:#?}\n{text}",
                    first + found as u32
                ));
            }
            assert!(bytes == kernel.run(&text, false, threads).1, "{number} differs\n{text}");
        }
    }
    println!("{removed} initialisations were left out, {} of them unseen", missed.len());
    assert!(missed.len() <= removed / 100, "{} of {removed}:\n{}", missed.len(), missed[0]);
}

#[test]
fn loads_are_told_where_that_is_asked_for() {
    let text = START.to_owned()
        + "ld.shared.u32 %v1, [tile];
mov.u32 %v2, %v1;
st.shared.u32 [tile+4], %v2;
st.shared.u32 [tile+8], %t;
ld.shared.u32 %v3, [tile+8];
st.global.u32 [%my], %v3;
ret;
}
";
    let device = Device::default();
    let module = Module::load(&device, "k.ptx", &text).expect("it is right");
    let buffers = [0, 1].map(|_| device.alloc(BUFFER, "buffer").expect("there is room"));
    for (init, expected) in [(InitWhen::Use, vec![]), (InitWhen::Load, vec!["init-load"])] {
        let log = Log::new(Options { checks: Check::Init.into(), init, ..Options::default() });
        let checks = log.launch("k");
        let options =
            LaunchOptions::new(1, 32).with_observer(checks.as_ref().map(|checks| checks as _));
        let args: Vec<_> = buffers.iter().map(Arg::Buffer).collect();
        module.kernel("k").expect("it is there").launch(&options, &args).expect("no fault");
        drop(checks);
        let findings = log.findings();
        let codes: Vec<&str> = findings.iter().map(|finding| finding.code()).collect();
        assert_eq!(codes, expected);
        let begin = "the load brings 4 bytes of the shared variable `tile` (65536 bytes)";
        assert!(findings.iter().all(|f| f.message.starts_with(begin)), "{findings:?}");
    }
}
