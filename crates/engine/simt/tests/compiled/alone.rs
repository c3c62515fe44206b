//! Loops through which lanes can go one after the other: random ones of them, for lanes that walk
//! along rows of their own or together, all of a warp, some, or one alone; with numbers that are
//! NaNs, and some that lead out of memory.

use crate::common::{Arg, How, load_text, words};
use crate::maker::number;
use crate::{Outcome, counters, told};
use texunit_simt::JitMode;
use texunit_testkit::{Random, ptx};

/// Words of the table, and threads of a CTA.
const WORDS: u32 = 4096;
const THREADS: u32 = 64;
/// Words that each thread stores each time, and how often it comes to the loop.
const OWN: u32 = 16;
const TIMES: u32 = 5;

/// A register that is stored behind the loop.
const STORED: [&str; 12] =
    ["%r0", "%r1", "%r2", "%w0", "%w1", "%f0", "%f1", "%d0", "%p0", "%p1", "%i", "%a0"];

/// Makes the statements of a loop.
struct Body {
    random: Random,
    text: String,
    floats: bool,
    /// Whether addresses may hang on what has been loaded in the iteration before.
    chases: bool,
}

impl Body {
    fn r(&mut self) -> String {
        format!("%r{}", self.random.below(4_u32))
    }

    fn w(&mut self) -> String {
        format!("%w{}", self.random.below(3_u32))
    }

    fn f(&mut self) -> String {
        format!("%f{}", self.random.below(3_u32))
    }

    fn d(&mut self) -> String {
        format!("%d{}", self.random.below(2_u32))
    }

    fn p(&mut self) -> String {
        format!("%p{}", self.random.below(3_u32))
    }

    /// A register or a number.
    fn b(&mut self) -> String {
        match self.random.below(6_u32) {
            0 => number(&mut self.random).to_string(),
            1 => self.random.of(&["%tid.x", "%i", "7", "%n"]).to_owned(),
            _ => self.r(),
        }
    }

    fn line(&mut self, line: &str) {
        let guard = match self.random.below(6_u32) {
            0 => format!("@{} ", self.p()),
            1 => format!("@!{} ", self.p()),
            _ => String::new(),
        };
        self.text += &format!("{guard}{line}\n");
    }

    fn statement(&mut self) {
        match self.random.below(if self.floats { 20_u32 } else { 14 }) {
            0..=4 => self.load(),
            5..=6 => self.narrow(),
            7..=8 => self.wide(),
            9 => self.compare(),
            10 => self.copy(),
            11 => {
                let (p, a, b, of) = (self.p(), self.p(), self.p(), ["and", "or", "xor"]);
                let op = self.random.of(&of);
                self.line(&format!("{op}.pred {p}, {a}, {b};"));
            }
            12..=13 => {
                let (r, a, b, p, w, v) =
                    (self.r(), self.b(), self.b(), self.p(), self.w(), self.w());
                match self.random.below(3_u32) {
                    0 => self.line(&format!("selp.b64 {w}, {w}, {v}, {p};")),
                    1 => self.line(&format!("mov.u32 {r}, {a};")),
                    _ => self.line(&format!("selp.b32 {r}, {a}, {b}, {p};")),
                }
            }
            _ => self.float(),
        }
    }

    /// A number that all lanes have, without a guard: what is only copied may not be done by a
    /// step.
    fn copy(&mut self) {
        let (r, w, f, d) = (self.r(), self.w(), self.f(), self.d());
        let number = self.random.below(9_u32);
        self.text += &match self.random.below(if self.floats { 6_u32 } else { 4 }) {
            0 => format!("mov.u32 {r}, {number};\n"),
            1 => format!("mov.u64 {w}, {number};\n"),
            2 => format!("ld.param.u32 {r}, [n];\n"),
            3 => format!("ld.param.u64 {w}, [table];\n"),
            4 => format!("mov.f32 {f}, 0f3F00000{number};\n"),
            _ => format!("mov.f64 {d}, 0d3FE000000000000{number};\n"),
        };
    }

    fn narrow(&mut self) {
        let (r, a, b, c) = (self.r(), self.r(), self.b(), self.b());
        let by = self.random.of(&[0, 1, 2, 7, 31, 32, 40]);
        let line = match self.random.below(8_u32) {
            0 => format!("mad.lo.u32 {r}, {a}, {b}, {c};"),
            1 => format!("not.b32 {r}, {a};"),
            2 => format!("{} {r}, {a}, {by};", self.random.of(&["shl.b32", "shr.u32", "shr.s32"])),
            3 => format!(
                "{} {r}, {a}, {b};",
                self.random.of(&["min.s32", "max.s32", "min.u32", "max.u32"])
            ),
            4 => format!("{} {r}, {a}, {b};", self.random.of(&["and.b32", "or.b32", "xor.b32"])),
            5 => {
                let w = self.w();
                format!("cvt.u32.u64 {r}, {w};")
            }
            6 => {
                // Every table of two numbers, the third one not looked at.
                let table = self.random.below(16_u32);
                let bits = (0..8).fold(0, |bits, at| bits | (table >> (at >> 1) & 1) << at);
                format!("lop3.b32 {r}, {a}, {b}, 0, {bits};")
            }
            _ => {
                format!("{} {r}, {a}, {b};", self.random.of(&["add.u32", "sub.u32", "mul.lo.u32"]))
            }
        };
        self.line(&line);
    }

    fn wide(&mut self) {
        let (w, v, u, r, a) = (self.w(), self.w(), self.w(), self.r(), self.b());
        let by = self.random.of(&[0, 1, 5, 33, 63, 64, 70]);
        let ty = self.random.of(&["u32", "s32"]);
        let line = match self.random.below(6_u32) {
            0 => format!("{} {w}, {v}, {by};", self.random.of(&["shl.b64", "shr.u64", "shr.s64"])),
            1 => format!("{} {w}, {v}, {u};", self.random.of(&["and.b64", "or.b64", "xor.b64"])),
            2 => format!("mul.wide.{ty} {w}, {r}, {a};"),
            3 => format!("mad.wide.{ty} {w}, {r}, {a}, {v};"),
            4 => format!("cvt.{}64.{ty} {w}, {r};", ty.replace("32", "")),
            _ => {
                format!("{} {w}, {v}, {u};", self.random.of(&["add.u64", "sub.u64", "mul.lo.u64"]))
            }
        };
        self.line(&line);
    }

    fn compare(&mut self) {
        let relation = self.random.of(&["eq", "ne", "lt", "le", "gt", "ge"]);
        let ty = self.random.of(&["u32", "s32", "u64", "s64"]);
        let (a, b) = if ty.ends_with("64") { (self.w(), self.w()) } else { (self.r(), self.b()) };
        let (p, q, with) = (self.p(), self.p(), self.p());
        let to = if self.random.one_in(3) && p != q { format!("{p}|{q}") } else { p };
        let line = match self.random.below(3_u32) {
            0 => format!(
                "setp.{relation}.{}.{ty} {to}, {a}, {b}, {with};",
                self.random.of(&["and", "or", "xor"])
            ),
            _ => format!("setp.{relation}.{ty} {to}, {a}, {b};"),
        };
        self.line(&line);
    }

    fn float(&mut self) {
        let (f, a, b, c) = (self.f(), self.f(), self.f(), self.f());
        let (d, e, g, h) = (self.d(), self.d(), self.d(), self.d());
        let (p, r) = (self.p(), self.r());
        let op = self.random.of(&["add.rn", "sub.rn", "mul.rn"]);
        let one = self.random.of(&["neg", "abs", "mov"]);
        let relation = self
            .random
            .of(&["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu"]);
        let line = match self.random.below(12_u32) {
            0 => format!("fma.rn.f32 {f}, {a}, {b}, {c};"),
            1 => format!("{op}.f32 {f}, {a}, {b};"),
            2 => format!("{one}.f32 {f}, {a};"),
            3 => format!("selp.f32 {f}, {a}, 0f3F000000, {p};"),
            4 => format!("setp.{relation}.f32 {p}, {a}, {b};"),
            5 => format!("fma.rn.f64 {d}, {e}, {g}, {h};"),
            6 => format!("{op}.f64 {d}, {e}, {g};"),
            7 => format!("{one}.f64 {d}, {e};"),
            8 => format!("setp.{relation}.f64 {p}, {e}, {g};"),
            9 => format!("cvt.rn.f32.s32 {f}, {r};"),
            10 => format!("cvt.f64.f32 {d}, {a};"),
            _ => format!("cvt.rn.f32.f64 {f}, {d};"),
        };
        self.line(&line);
    }

    /// A load along the row of the lane, by an index or by an address, or by what has been loaded.
    fn load(&mut self) {
        let kinds: &[(&str, u32, u32)] = if self.floats {
            &[
                ("u32", 4, 0),
                ("f32", 4, 2),
                ("u8", 1, 0),
                ("s8", 1, 0),
                ("u16", 2, 0),
                ("s16", 2, 0),
                ("u64", 8, 1),
                ("f64", 8, 3),
            ]
        } else {
            &[("u32", 4, 0), ("u8", 1, 0), ("s16", 2, 0), ("u32", 4, 0), ("u64", 8, 1)]
        };
        let (ty, size, to) = self.random.of(kinds);
        let to = match to {
            0 => self.r(),
            1 => self.w(),
            2 => self.f(),
            _ => self.d(),
        };
        let behind = self.random.of(&[0, 0, 1, 2, 3, 5]);
        match self.random.below(8_u32) {
            0..=3 => {
                let sum = self.random.of(&["%j", "%i"]);
                if sum == "%j" {
                    self.text += &format!("add.u32 %j, %i, {behind};\n");
                }
                self.text += &format!("mul.wide.u32 %b, {sum}, {size};\nadd.u64 %b, %in, %b;\n");
                self.line(&format!("ld.global.{ty} {to}, [%b];"));
            }
            4..=5 => self.line(&format!("ld.global.{ty} {to}, [%a0+{}];", behind * 8)),
            _ => {
                let r = self.r();
                if !self.chases {
                    self.text += &format!(
                        "mul.wide.u32 %b, %i, 4;\nadd.u64 %b, %in, %b;\nld.global.u32 {r}, [%b];\n"
                    );
                }
                self.text += &format!(
                    "and.b32 %j, {r}, 255;\nmul.wide.u32 %b, %j, {size};\nadd.u64 %b, %in, %b;\n"
                );
                self.line(&format!("ld.global.{ty} {to}, [%b];"));
            }
        }
    }
}

/// A kernel with a loop: lanes begin with indices by a stride, and go round by numbers of their
/// own.
fn kernel(mut random: Random, out_of_memory: bool) -> String {
    let stride = random.of(&[0, 1, 2, 3, 8, 17, 24]);
    let step = random.of(&[1, 1, 2, 4]);
    let trips = random.of(&[1, 3, 9, 30]);
    let enters = random.of(&[
        "setp.ge.u32 %q, %t, 0;\n",
        "setp.ge.u32 %q, %t, 0;\n",
        "setp.ge.u32 %q, %t, 0;\n",
        "and.b32 %j, %tid.x, 31;\nsetp.eq.u32 %q, %j, 5;\n",
        "and.b32 %j, %tid.x, 3;\nsetp.ne.u32 %q, %j, 1;\n",
        "and.b32 %j, %tid.x, 29;\nsetp.eq.u32 %q, %j, 8;\n",
    ]);
    let stored: Vec<&str> = {
        let first = random.below(STORED.len());
        (0..4).map(|i| STORED[(first + i * 5) % STORED.len()]).collect()
    };
    let floats = random.one_in(2);
    let stored = if floats { [&["%f0", "%d0"], &stored[1..3]].concat() } else { stored };
    let chases = random.one_in(4);
    let mut body = Body { random, text: String::new(), floats, chases };
    let statements = 2 + body.random.below(7_u32);
    let exit = body.random.below(3 * statements);
    body.load();
    for i in 0..statements {
        body.statement();
        if i == exit {
            // Some lanes leave the loop in the middle of its body.
            let (p, r) = (body.p(), body.r());
            let (set, not) = body.random.of(&[("eq", ""), ("ne", "!"), ("lt", "")]);
            body.text +=
                &format!("and.b32 %j, {r}, 15;\nsetp.{set}.u32 {p}, %j, 3;\n@{not}{p} bra OUT;\n");
        }
    }
    let counts = format!("add.u32 %i, %i, {step};\nadd.u64 %a0, %a0, {};\n", 8 * step);
    let ends = body.random.of(&[
        "setp.lt.u32 %q, %i, %e;\n@%q bra LOOP;\n",
        "setp.ge.u32 %q, %i, %e;\n@!%q bra LOOP;\n",
        "setp.ge.u32 %q, %i, %e;\n@%q bra OUT;\nbra LOOP;\n",
    ]);
    // The last time some lanes come to the end of the table, by 4 bytes or by 8.
    let elements = body.random.of(&[WORDS, WORDS / 2]);
    let (behind, shift) = match out_of_memory {
        true => (elements - (31 * stride + 40).min(WORDS / 2), body.random.of(&[0, 5, 9, 40])),
        false => (0, 3),
    };
    if out_of_memory && body.random.one_in(4) {
        // The access may also be at an address that is not aligned.
        body.text += "shr.u32 %j, %o, 2;\ncvt.u64.u32 %b, %j;\nadd.u64 %b, %b, %a0;\nld.global.u16 %h, [%b];\n";
    }
    let mut stores = String::new();
    for (i, register) in stored.iter().enumerate() {
        let at = 8 * i;
        stores += &match register.as_bytes()[1] {
            b'w' | b'a' => format!("st.global.u64 [%own+{at}], {register};\n"),
            b'd' => format!("st.global.f64 [%own+{at}], {register};\n"),
            b'f' => format!("st.global.f32 [%own+{at}], {register};\n"),
            b'p' => format!("selp.u32 %j, 1, 0, {register};\nst.global.u32 [%own+{at}], %j;\n"),
            _ => format!("st.global.u32 [%own+{at}], {register};\n"),
        };
    }
    let text = format!(
        ".reg .u64 %in, %own, %b, %a<2>, %w<4>;\n.reg .u16 %h;\n.reg .u32 %o, %t, %i, %j, %e, %n, %c, %r<5>;\n.reg .f32 %f<4>;\n.reg .f64 %d<3>;\n\
         .reg .pred %q, %p<4>;\n\
         ld.param.u64 %own, [out];\nld.param.u64 %in, [table];\nld.param.u32 %n, [n];\n\
         mov.u32 %c, %ctaid.x;\nmad.lo.u32 %t, %c, {THREADS}, %tid.x;\nmad.wide.u32 %own, %t, {own}, %own;\nmov.u32 %o, 0;\nAGAIN:\n\
         mad.lo.u32 %i, %tid.x, {stride}, {behind};\nadd.u32 %i, %i, %c;\nmad.lo.u32 %i, %o, {shift}, %i;\n\
         mad.wide.u32 %a0, %i, 8, %in;\n\
         mad.lo.u32 %j, %tid.x, 7, %c;\nrem.u32 %j, %j, {trips};\nmad.lo.u32 %e, %j, {step}, %i;\nadd.u32 %e, %e, 1;\n\
         mov.u32 %r0, %t;\nmov.u32 %r1, 3;\nmul.lo.u32 %r2, %t, 77;\nmov.u32 %r3, %n;\n\
         cvt.u64.u32 %w0, %t;\nmov.u64 %w1, 9;\nmul.wide.u32 %w2, %t, %t;\n\
         cvt.rn.f32.u32 %f0, %t;\nmov.f32 %f1, 0f3F800000;\nmov.f32 %f2, 0f40490FDB;\nmov.f64 %d0, 0d3FF8000000000000;\n\
         cvt.rn.f64.u32 %d1, %t;\n\
         setp.gt.u32 %p0, %t, 9;\nsetp.eq.u32 %p1, %n, 0;\nsetp.ne.u32 %p2, %t, 40;\n\
         {enters}@!%q bra OUT;\n\
         LOOP:\n{text}{counts}{ends}OUT:\n{stores}\
         add.u64 %own, %own, {once};\nadd.u32 %o, %o, 1;\nsetp.lt.u32 %q, %o, {TIMES};\n@%q bra AGAIN;\nret;\n",
        once = 4 * OWN,
        own = 4 * OWN * TIMES,
        text = body.text,
    );
    let text = text.replace("%tid.x, 7", "%x, 7").replace("%tid.x", "%x");
    let text = text.replacen(".reg .u32 %o,", ".reg .u32 %x, %o,", 1);
    let text = text.replacen("mov.u32 %c,", "mov.u32 %x, %tid.x;\nmov.u32 %c,", 1);
    ptx::kernel(ptx::SM_75, ".param .u64 out, .param .u64 table, .param .u32 n", &text)
}

/// Runs a kernel in a mode of the JIT compiler, and returns its outcome.
fn run(text: &str, table: &[u32], jit: JitMode, ctas: u32) -> Outcome {
    let loaded = load_text(text);
    let (table, _) = loaded.filled(table);
    let (to, out) = loaded.buffer((ctas * THREADS * OWN * TIMES) as usize);
    let args = [Arg::U64(to), Arg::U64(table), Arg::U32(5)];
    let block = if ctas == 1 { 32 } else { THREADS };
    let how = How { grid: [ctas, 1, 1], block: [block, 1, 1], jit: Some(jit), ..How::default() };
    let (stats, fault) = match &loaded.run("k", how, &args) {
        Ok(stats) => (counters(stats), None),
        Err(fault) => (counters(&fault.stats), Some(told(&loaded, fault))),
    };
    Outcome { out: words(&out), counts: Vec::new(), stats, fault }
}

/// Compares what a kernel does in both modes.
fn compare(text: &str, table: &[u32], ctas: u32, what: &str) {
    let [expected, found] = [JitMode::Off, JitMode::Always].map(|jit| run(text, table, jit, ctas));
    let differs = expected.out.iter().zip(&found.out).position(|(a, b)| a != b);
    assert!(
        found == expected,
        "{what} differs at word {differs:?}: {:?} {:?}, interpreted {:?} {:?}\n{text}",
        found.stats,
        found.fault,
        expected.stats,
        expected.fault,
    );
}

#[test]
fn lanes_alone_do_what_they_do_together() {
    let seed = Random::for_test(22).u64();
    let count = if std::env::var_os("TEXUNIT_LONG_TESTS").is_some() { 20_000 } else { 300 };
    for n in 0..count {
        let mut random = Random::of_item(seed, n);
        // The progress of other CTAs at the time of a fault is unspecified, so that only launches
        // of one CTA may fault.
        let out_of_memory = random.one_in(5);
        let ctas = if out_of_memory { 1 } else { 12 };
        let table: Vec<u32> = (0..WORDS).map(|_| number(&mut random)).collect();
        let text = kernel(random, out_of_memory);
        compare(&text, &table, ctas, &format!("loop {n} of {seed}"));
    }
}

/// A statement of which all sources are loaded anew each time, as are `%r0`, `%r1`, `%w0`, `%w1`,
/// `%f0`, `%f1`, `%d0` and `%d1`; the result is `%r2`, `%w2`, `%f2`, `%d2` or `%p2`.
const STATEMENTS: [&str; 71] = [
    "add.u32 %r2, %r0, %r1;",
    "sub.u32 %r2, %r0, %r1;",
    "sub.u32 %r2, 9, %r1;",
    "mul.lo.u32 %r2, %r0, %r1;",
    "mul.lo.u32 %r2, %r0, 77;",
    "mad.lo.u32 %r2, %r0, %r1, %r2;",
    "mad.lo.u32 %r2, %r0, %n, 5;",
    "min.s32 %r2, %r0, %r1;",
    "max.s32 %r2, %r0, %r1;",
    "min.u32 %r2, %r0, %r1;",
    "max.u32 %r2, %r0, %r1;",
    "min.s32 %r2, %r0, -3;",
    "and.b32 %r2, %r0, %r1;",
    "or.b32 %r2, %r0, %r1;",
    "xor.b32 %r2, %r0, %r1;",
    "not.b32 %r2, %r0;",
    "lop3.b32 %r2, %r0, %r1, 0, 48;",
    "lop3.b32 %r2, %r0, %r1, 0, 12;",
    "lop3.b32 %r2, %r0, %r1, 0, 195;",
    "shl.b32 %r2, %r0, 5;",
    "shr.u32 %r2, %r0, 31;",
    "shr.s32 %r2, %r0, 40;",
    "shl.b32 %r2, %r0, 32;",
    "selp.b32 %r2, %r0, %r1, %p0;",
    "@!%p0 add.u32 %r2, %r0, %r1;",
    "cvt.u32.u64 %r2, %w0;",
    "add.u64 %w2, %w0, %w1;",
    "sub.u64 %w2, %w0, %w1;",
    "add.u64 %w2, %w0, 1234567890123456789;",
    "mul.lo.u64 %w2, %w0, %w1;",
    "and.b64 %w2, %w0, %w1;",
    "or.b64 %w2, %w0, %w1;",
    "xor.b64 %w2, %w0, %w1;",
    "not.b64 %w2, %w0;",
    "shl.b64 %w2, %w0, 33;",
    "shr.u64 %w2, %w0, 3;",
    "shr.s64 %w2, %w0, 64;",
    "selp.b64 %w2, %w0, %w1, %p0;",
    "mul.wide.u32 %w2, %r0, %r1;",
    "mul.wide.s32 %w2, %r0, %r1;",
    "mul.wide.s32 %w2, %r0, -9;",
    "mul.wide.u32 %w2, %r0, 4294967287;",
    "mad.wide.u32 %w2, %r0, 16, %w1;",
    "mad.wide.s32 %w2, %r0, %r1, %w1;",
    "cvt.u64.u32 %w2, %r0;",
    "cvt.s64.s32 %w2, %r0;",
    "add.rn.f32 %f2, %f0, %f1;",
    "sub.rn.f32 %f2, %f0, %f1;",
    "mul.rn.f32 %f2, %f0, %f1;",
    "fma.rn.f32 %f2, %f0, %f1, %f2;",
    "fma.rn.f32 %f2, %f2, %f1, %f0;",
    "fma.rn.f32 %f2, %f0, %f2, 0f3E000000;",
    "neg.f32 %f2, %f0;",
    "abs.f32 %f2, %f0;",
    "selp.f32 %f2, %f0, %f1, %p0;",
    "cvt.rn.f32.s32 %f2, %r0;",
    "cvt.rn.f32.f64 %f2, %d0;",
    "add.rn.f64 %d2, %d0, %d1;",
    "sub.rn.f64 %d2, %d0, %d1;",
    "mul.rn.f64 %d2, %d0, %d1;",
    "fma.rn.f64 %d2, %d0, %d1, %d2;",
    "fma.rn.f64 %d2, %d0, %d2, %d1;",
    "neg.f64 %d2, %d0;",
    "abs.f64 %d2, %d0;",
    "selp.f64 %d2, %d0, %d1, %p0;",
    "cvt.f64.f32 %d2, %f0;",
    "cvt.rn.f64.s32 %d2, %r0;",
    "and.pred %p2, %p0, %p1;",
    "or.pred %p2, %p0, %p1;",
    "xor.pred %p2, %p0, %p1;",
    "not.pred %p2, %p0;",
];

/// All comparisons, each with its types.
fn comparisons() -> Vec<String> {
    let mut all = Vec::new();
    for relation in ["eq", "ne", "lt", "le", "gt", "ge"] {
        for (ty, kind) in
            [("u32", 'r'), ("s32", 'r'), ("u64", 'w'), ("s64", 'w'), ("f32", 'f'), ("f64", 'd')]
        {
            all.push(format!("setp.{relation}.{ty} %p2, %{kind}0, %{kind}1;"));
            if ty.starts_with('f') {
                all.push(format!("setp.{relation}u.{ty} %p2, %{kind}0, %{kind}1;"));
            }
        }
    }
    for with in ["and", "or", "xor"] {
        all.push(format!("setp.lt.{with}.s32 %p2|%p3, %r0, %r1, %p0;"));
        all.push(format!("setp.ge.{with}.f32 %p3|%p2, %f0, %f1, !%p1;"));
    }
    all
}

/// A kernel of loops that do one thing with what they load along rows, and add up what comes out.
fn one_statement(statement: &str) -> String {
    let needs = |kind: char| (0..2).any(|i| statement.contains(&format!("%{kind}{i}")));
    let mut loads = String::new();
    for (kind, ty, size) in [('r', "u32", 4), ('w', "u64", 8), ('f', "f32", 4), ('d', "f64", 8)] {
        if needs(kind) || kind == 'r' && needs('p') {
            loads += &format!("mul.wide.u32 %b, %i, {size};\nadd.u64 %b, %b, %in;\n");
            for i in 0..2 {
                loads += &format!("ld.global.{ty} %{kind}{i}, [%b+{}];\n", i * size);
            }
        }
    }
    if needs('p') {
        loads += "setp.lt.s32 %p0, %r0, %r1;\nsetp.gt.u32 %p1, %r0, 99;\n";
    }
    let sum = match statement
        .split('%')
        .nth(if statement.starts_with('@') { 2 } else { 1 })
        .unwrap()
        .as_bytes()[0]
    {
        b'r' => "add.u32 %r3, %r3, %r2;\n",
        b'w' => "xor.b64 %w3, %w3, %w2;\n",
        b'f' => "add.rn.f32 %f3, %f3, %f2;\n",
        b'd' => "add.rn.f64 %d3, %d3, %d2;\n",
        _ => "add.u32 %r3, %r3, %r3;\n@%p2 add.u32 %r3, %r3, 1;\n@!%p3 add.u32 %r3, %r3, 5;\n",
    };
    let text = format!(
        ".reg .u64 %in, %own, %b, %w<4>;\n.reg .u32 %t, %o, %i, %e, %n, %c, %r<4>;\n.reg .f32 %f<4>;\n.reg .f64 %d<4>;\n\
         .reg .pred %q, %p<4>;\n\
         ld.param.u64 %own, [out];\nld.param.u64 %in, [table];\nld.param.u32 %n, [n];\nmov.u32 %o, 0;\n\
         mov.u32 %c, %ctaid.x;\nmov.u32 %t, %tid.x;\nmad.lo.u32 %t, %c, {THREADS}, %t;\nmad.wide.u32 %own, %t, {own}, %own;\n\
         AGAIN:\nmov.u32 %i, %tid.x;\nmad.lo.u32 %i, %i, 11, %o;\nadd.u32 %e, %i, 7;\n\
         mov.u32 %r2, 3;\nmov.u32 %r3, 0;\nmov.u64 %w3, 0;\nmov.f32 %f2, 0f3F800000;\nmov.f32 %f3, 0f00000000;\n\
         mov.f64 %d2, 0d3FF0000000000000;\nmov.f64 %d3, 0d0000000000000000;\nsetp.eq.u32 %p2, %t, 3;\nsetp.eq.u32 %p3, %t, 4;\n\
         LOOP:\n{loads}{statement}\n{sum}add.u32 %i, %i, 1;\nsetp.lt.u32 %q, %i, %e;\n@%q bra LOOP;\n\
         st.global.u32 [%own], %r3;\nst.global.u64 [%own+8], %w3;\nst.global.f32 [%own+16], %f3;\nst.global.f64 [%own+24], %d3;\n\
         add.u64 %own, %own, {once};\nadd.u32 %o, %o, 1;\nsetp.lt.u32 %q, %o, {TIMES};\n@%q bra AGAIN;\nret;\n",
        once = 4 * OWN,
        own = 4 * OWN * TIMES,
    );
    ptx::kernel(ptx::SM_75, ".param .u64 out, .param .u64 table, .param .u32 n", &text)
}

#[test]
fn every_statement_alone() {
    let mut random = Random::new(22);
    let comparisons = comparisons();
    let all = STATEMENTS.into_iter().chain(comparisons.iter().map(String::as_str));
    for statement in all {
        // Floats that are no NaNs, of which some are equal.
        let mut float = || (random.below(64_u32) as f32 - 20.0) * 0.37;
        let mut table: Vec<u32> = (0..WORDS).map(|_| float().to_bits()).collect();
        if statement.contains("set") && statement.contains(".f") {
            table.iter_mut().step_by(97).for_each(|word| *word = f32::NAN.to_bits());
        } else if !statement.contains(".f") {
            table.iter_mut().step_by(3).for_each(|word| *word = random.u32());
        }
        compare(&one_statement(statement), &table, 2, statement);
    }
}

/// What becomes of registers that get numbers in a loop: where it is left, in the next iteration,
/// and in the block behind.
#[test]
fn copies_in_loops() {
    let bodies = [
        "mov.u32 %r5, 1;\nsetp.eq.u32 %p, %r1, 3;\n@%p bra OUT;\nmov.u32 %r5, 0;\n",
        "setp.eq.u32 %p, %r1, 3;\n@%p bra OUT;\nmov.u32 %r5, %n;\n",
        "add.u32 %r2, %r2, %r5;\nmov.u32 %r5, 7;\n",
        "mov.u32 %r5, 7;\nsetp.eq.u32 %p, %r1, 3;\n@%p bra OUT;\nadd.u32 %r2, %r2, %r5;\n",
        "add.u32 %r5, %r5, 2;\nsetp.eq.u32 %p, %r1, 3;\n@%p bra OUT;\nmov.u32 %r5, 9;\n",
        "mov.u64 %w, 5;\nsetp.eq.u32 %p, %r1, 3;\n@%p bra OUT;\nmov.u64 %w, 6;\n",
        "mov.f32 %f, 0f3F800000;\nsetp.eq.u32 %p, %r1, 3;\n@%p bra OUT;\nadd.f32 %f, %f, %f;\n",
        "ld.param.u32 %r5, [n];\nsetp.eq.u32 %p, %r1, 3;\n@%p bra OUT;\nadd.u32 %r2, %r2, %r5;\nmov.u32 %r5, 1;\n",
        "mov.u32 %r5, %ntid.x;\nsetp.eq.u32 %p, %r1, 3;\n@%p bra OUT;\nmov.u32 %r5, %tid.x;\n",
    ];
    for (i, body) in bodies.into_iter().enumerate() {
        let text = format!(
            ".reg .u64 %in, %own, %b, %w;\n.reg .u32 %t, %o, %i, %e, %n, %r<6>;\n.reg .f32 %f;\n.reg .pred %p, %q;\n\
             ld.param.u64 %own, [out];\nld.param.u64 %in, [table];\nld.param.u32 %n, [n];\n\
             mov.u32 %t, %tid.x;\nmad.wide.u32 %own, %t, 32, %own;\nmov.u32 %o, 0;\n\
             AGAIN:\nmov.u32 %r2, 0;\nmov.u32 %r5, 0;\nmov.u64 %w, 0;\nmov.f32 %f, 0f40000000;\n\
             mad.lo.u32 %i, %t, 9, %o;\nadd.u32 %e, %i, 8;\n\
             LOOP:\nmul.wide.u32 %b, %i, 4;\nadd.u64 %b, %b, %in;\nld.global.u32 %r1, [%b];\n{body}\
             add.u32 %i, %i, 1;\nsetp.lt.u32 %q, %i, %e;\n@%q bra LOOP;\nOUT:\n\
             st.global.u32 [%own], %r2;\nst.global.u32 [%own+4], %r5;\nst.global.u64 [%own+8], %w;\nst.global.f32 [%own+16], %f;\n\
             add.u64 %own, %own, 2048;\nadd.u32 %o, %o, 1;\nsetp.lt.u32 %q, %o, {TIMES};\n@%q bra AGAIN;\nret;\n"
        );
        let params = ".param .u64 out, .param .u64 table, .param .u32 n";
        let table: Vec<u32> = (0..WORDS).map(|i| i.wrapping_mul(0x9e37_79b9) >> 28).collect();
        compare(&ptx::kernel(ptx::SM_75, params, &text), &table, 1, &format!("copies {i}"));
    }
}

#[test]
fn the_end_of_a_table() {
    let body = ".reg .u64 %in, %own, %b;\n.reg .u32 %o, %i, %j, %e, %r<4>;\n.reg .pred %q;\n\
        ld.param.u64 %own, [out];\nld.param.u64 %in, [table];\nmov.u32 %o, 0;\nAGAIN:\n\
        mov.u32 %i, %tid.x;\nmad.lo.u32 %i, %i, 16, %o;\nadd.u32 %e, %i, 8;\nmov.u32 %r2, 0;\n\
        LOOP:\nmul.wide.u32 %b, %i, 4;\nadd.u64 %b, %b, %in;\nld.global.u32 %r0, [%b];\nadd.u32 %j, %i, 5;\n\
        mul.wide.u32 %b, %j, 4;\nadd.u64 %b, %b, %in;\nld.global.u32 %r1, [%b];\nmad.lo.u32 %r2, %r2, 3, %r0;\n\
        add.u32 %r2, %r2, %r1;\nadd.u32 %i, %i, 2;\nsetp.lt.u32 %q, %i, %e;\n@%q bra LOOP;\n\
        mov.u32 %j, %tid.x;\nmul.wide.u32 %b, %j, 4;\nadd.u64 %b, %b, %own;\nst.global.u32 [%b], %r2;\n\
        add.u64 %own, %own, 128;\nadd.u32 %o, %o, 1;\nsetp.lt.u32 %q, %o, 5;\n@%q bra AGAIN;\nret;\n";
    let text = ptx::kernel(ptx::SM_75, ".param .u64 out, .param .u64 table, .param .u32 n", body);
    // The last lane comes to this word the last time.
    let last = 16 * 31 + 4 + 6 + 5;
    for words in last - 12..last + 3 {
        let table: Vec<u32> = (0..words).map(|i| i * 77).collect();
        compare(&text, &table, 1, &format!("a table of {words} words"));
    }
}
