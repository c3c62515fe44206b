//! Generator of random programs.
//!
//! A program is a tree of statements. At *uniform* points all live lanes of a warp are converged;
//! only there are barriers, shuffles and other collective operations generated. Elsewhere only
//! operations are generated whose results do not depend on the order of lanes.

use texunit_testkit::Random;
use texunit_testkit::ptx::SM_80;

/// Number of registers of each kind.
const R: u32 = 8;
const W: u32 = 4;
const F: u32 = 4;
const P: u32 = 4;

/// A random number of a kind that often exposes errors.
pub(crate) fn number(random: &mut Random) -> u32 {
    match random.below(8_u32) {
        0 => random.of(&[0, 1, 2, 31, 32, 0x7fff_ffff, 0x8000_0000, u32::MAX]),
        1 => random.below(64_u32),
        2 => random.between(-100.0, 100.0).to_bits(),
        3 => random.of(&[f32::NAN, f32::INFINITY, -0.0, 1e-40, 0.5]).to_bits(),
        _ => random.u32(),
    }
}

pub(crate) struct Maker {
    random: Random,
    text: String,
    labels: u32,
    /// Number of threads of a CTA.
    threads: u32,
    /// Nesting depth of statements, and of loops.
    depth: u32,
    /// Whether all live lanes of a warp are converged.
    uniform: bool,
    /// Whether a fault may still be generated.
    faults: bool,
    /// Number of statements left.
    left: u32,
}

impl Maker {
    pub(crate) fn new(mut random: Random, threads: u32, faults: bool) -> Self {
        let left = 10 + random.below(50_u32);
        Self {
            random,
            text: String::new(),
            labels: 0,
            threads,
            depth: 0,
            uniform: true,
            faults,
            left,
        }
    }

    fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    fn r(&mut self) -> String {
        format!("%r{}", self.random.below(R))
    }

    fn w(&mut self) -> String {
        format!("%w{}", self.random.below(W))
    }

    fn f(&mut self) -> String {
        format!("%f{}", self.random.below(F))
    }

    fn p(&mut self) -> String {
        format!("%p{}", self.random.below(P))
    }

    /// A register or a number.
    fn b(&mut self) -> String {
        if self.random.one_in(3) { number(&mut self.random).to_string() } else { self.r() }
    }

    /// Usually no guard.
    fn guard(&mut self) -> String {
        match self.random.below(5_u32) {
            0 => format!("@{} ", self.p()),
            1 => format!("@!{} ", self.p()),
            _ => String::new(),
        }
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("L{}", self.labels)
    }

    /// The generated program, and the random generator.
    pub(crate) fn program(mut self) -> (String, Random) {
        while self.left > 0 {
            self.statement();
        }
        let body = std::mem::take(&mut self.text);
        // All registers are stored at the end.
        let mut end = String::from("END:\n");
        for i in 0..R {
            end += &format!("st.global.u32 [%own+{}], %r{i};\n", 4 * i);
        }
        for i in 0..W {
            end += &format!("st.global.u64 [%own+{}], %w{i};\n", 32 + 8 * i);
        }
        for i in 0..F {
            end += &format!("st.global.f32 [%own+{}], %f{i};\n", 64 + 4 * i);
        }
        end += "mov.u32 %x, 0;\n";
        for i in 0..P {
            end += &format!("selp.u32 %y, {}, 0, %p{i};\nor.b32 %x, %x, %y;\n", 1 << i);
        }
        end += "st.global.u32 [%own+80], %x;\nld.shared.u32 %x, [%slot];\nst.global.u32 [%own+84], %x;\nret;\n";
        let head = format!(
            "{SM_80}.const .align 8 .u32 table[16] = {{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3}};\n\
             .func (.param .u32 res) twice(.param .u32 a, .param .u32 b)\n{{\n.reg .u32 %a, %b; .reg .pred %q;\n\
             ld.param.u32 %a, [a];\nld.param.u32 %b, [b];\nsetp.lt.u32 %q, %a, %b;\n@%q bra LESS;\n\
             sub.u32 %a, %a, %b;\nbra.uni DONE;\nLESS:\nmad.lo.u32 %a, %a, 2, %b;\nDONE:\nst.param.u32 [res], %a;\nret;\n}}\n"
        );
        let params = ".param .u64 out, .param .u64 in, .param .u64 counts, .param .u32 n";
        let start = start(&mut self.random);
        let text = format!(".visible .entry k({params})\n{{\n{start}{body}{end}}}\n");
        (head + &text, self.random)
    }

    fn statement(&mut self) {
        self.left = self.left.saturating_sub(1);
        match self.random.below(20_u32) {
            0..=8 => self.arithmetic(),
            9..=10 => self.load(),
            11 => self.store(),
            12 => self.shared(),
            13 => self.atomic(),
            14 if self.depth < 3 => self.branch(),
            15 if self.depth < 3 => self.repeat(),
            16 if self.uniform => self.meeting(),
            17 if self.uniform => self.meeting(),
            18 => self.local(),
            19 => self.rare(),
            _ => self.compare(),
        }
    }

    fn arithmetic(&mut self) {
        let guard = self.guard();
        let (r, w, f) =
            ([self.r(), self.r(), self.r()], [self.w(), self.w()], [self.f(), self.f(), self.f()]);
        let (b, p) = (self.b(), self.p());
        let [d, a, c] = r;
        let [wd, wa] = w;
        let [fd, fa, fb] = f;
        let shift = self.random.below(40_u32);
        let lines = [
            format!("add.u32 {d}, {a}, {b};"),
            format!("sub.s32 {d}, {a}, {b};"),
            format!("mul.lo.u32 {d}, {a}, {b};"),
            format!("mul.hi.s32 {d}, {a}, {c};"),
            format!("mad.lo.s32 {d}, {a}, {c}, {b};"),
            format!("div.u32 {d}, {a}, {c};"),
            format!("rem.s32 {d}, {a}, {b};"),
            format!("min.s32 {d}, {a}, {b};"),
            format!("max.u32 {d}, {a}, {b};"),
            format!("and.b32 {d}, {a}, {b};"),
            format!("xor.b32 {d}, {a}, {b};"),
            format!("shl.b32 {d}, {a}, {shift};"),
            format!("shr.s32 {d}, {a}, {c};"),
            format!("popc.b32 {d}, {a};"),
            format!("clz.b32 {d}, {a};"),
            format!("bfe.u32 {d}, {a}, 3, 9;"),
            format!("lop3.b32 {d}, {a}, {c}, {b}, 0xca;"),
            format!("prmt.b32 {d}, {a}, {c}, 0x5410;"),
            format!("shf.l.wrap.b32 {d}, {a}, {c}, {shift};"),
            format!("selp.b32 {d}, {a}, {b}, {p};"),
            format!("abs.s32 {d}, {a};"),
            format!("cvt.u32.u8 {d}, {a};"),
            format!("cvt.s32.s16 {d}, {a};"),
            format!("cvt.u32.u64 {d}, {wa};"),
            format!("cvt.rzi.u32.f32 {d}, {fa};"),
            format!("cvt.rn.f32.s32 {fd}, {a};"),
            format!("cvt.u64.u32 {wd}, {a};"),
            format!("cvt.s64.s32 {wd}, {a};"),
            format!("mul.wide.u32 {wd}, {a}, {c};"),
            format!("mad.wide.s32 {wd}, {a}, {c}, {wa};"),
            format!("add.u64 {wd}, {wa}, {wd};"),
            format!("mul.lo.u64 {wd}, {wa}, {wd};"),
            format!("shr.u64 {wd}, {wa}, {shift};"),
            format!("mov.b64 {wd}, {{{a}, {c}}};"),
            format!("mov.b64 {{{d}, {a}}}, {wa};")
                .replace(&format!("{{{a}, {a}}}"), &format!("{{{a}, %x}}")),
            format!("mov.b32 {fd}, {a};"),
            format!("mov.b32 {d}, {fa};"),
            format!("add.f32 {fd}, {fa}, {fb};"),
            format!("sub.ftz.f32 {fd}, {fa}, {fb};"),
            format!("mul.rn.f32 {fd}, {fa}, {fb};"),
            format!("fma.rn.f32 {fd}, {fa}, {fb}, {fd};"),
            format!("div.rn.f32 {fd}, {fa}, {fb};"),
            format!("sqrt.rn.f32 {fd}, {fa};"),
            format!("ex2.approx.f32 {fd}, {fa};"),
            format!("min.f32 {fd}, {fa}, {fb};"),
            format!("neg.f32 {fd}, {fa};"),
            "fma.rn.f64 %g0, %g1, %g0, %g1;".to_owned(),
            format!("cvt.f64.f32 %g1, {fa};"),
            format!("cvt.rn.f32.f64 {fd}, %g0;"),
            "add.f64 %g0, %g0, %g1;".to_owned(),
            format!("mov.u32 {d}, %laneid;"),
            format!("mov.u32 {d}, %lanemask_lt;"),
            format!("mov.b32 {{%h0, %h1}}, {a};"),
            format!("mov.b32 {d}, {{%h1, %h0}};"),
            "add.u16 %h0, %h0, %h1;".to_owned(),
            format!("mov.u32 {d}, {b};"),
        ];
        let line = self.random.pick(&lines).clone();
        self.line(&format!("{guard}{line}"));
    }

    fn compare(&mut self) {
        let (p, q, c) = (self.p(), self.p(), self.p());
        let (a, b, f, g, w, v) = (self.r(), self.b(), self.f(), self.f(), self.w(), self.w());
        let guard = self.guard();
        let lines = [
            format!("setp.lt.u32 {p}, {a}, {b};"),
            format!("setp.ge.s32 {p}, {a}, {b};"),
            format!("setp.eq.s32 {p}, {a}, {b};"),
            format!("setp.ltu.f32 {p}, {f}, {g};"),
            format!("setp.gt.f32 {p}, {f}, {g};"),
            format!("setp.ne.s64 {p}, {w}, {v};"),
            format!("setp.lt.and.u32 {p}, {a}, {b}, {c};"),
            format!("setp.gt.xor.s32 {p}|{q}, {a}, {b}, !{c};").replace(&format!("{p}|{p}"), &p),
            format!("xor.pred {p}, {q}, {c};"),
            format!("not.pred {p}, {q};"),
            format!("set.lt.u32.u32 {a}, {a}, {b};"),
        ];
        let line = self.random.pick(&lines).clone();
        self.line(&format!("{guard}{line}"));
    }

    /// Computes `%addr`: a random position in the input for an access of the given size.
    fn input(&mut self, bytes: u32) {
        let a = self.r();
        let count = 1024 * 4 / bytes;
        match self.random.below(4_u32) {
            // Contiguous lanes.
            0 => self.line(&format!("add.u32 %x, %t, {};", self.random.clone().below(32_u32))),
            // The same address for all lanes.
            1 => self.line("mov.u32 %x, %ctaid.x;"),
            _ => self.line(&format!("mov.u32 %x, {a};")),
        }
        self.line(&format!("and.b32 %x, %x, {};", count - 1));
        self.line(&format!("mul.wide.u32 %addr, %x, {bytes};"));
        self.line("add.u64 %addr, %addr, %in;");
        if self.faults && self.uniform && self.random.one_in(3) {
            self.faults = false;
            let by = self.random.of(&["1", "0x7000000", "-0x4000", "0x100000000"]);
            let p = self.p();
            self.line(&format!("@{p} add.s64 %addr, %addr, {by};"));
        }
    }

    fn load(&mut self) {
        let (r, s, w) = (self.r(), self.r(), self.w());
        let two = if r == s { format!("{{{r}, %x}}") } else { format!("{{{r}, {s}}}") };
        let guard = self.guard();
        let forms = [
            (4, format!("ld.global.u32 {r}, [%addr];")),
            (4, format!("ld.global.nc.u32 {r}, [%addr];")),
            (4, format!("ld.u32 {r}, [%addr];")),
            (4, "ld.volatile.global.f32 %f1, [%addr];".to_owned()),
            (1, format!("ld.global.u8 {r}, [%addr];")),
            (1, format!("ld.global.s8 {r}, [%addr];")),
            (2, format!("ld.global.u16 {r}, [%addr];")),
            (2, "ld.global.s16 %h0, [%addr];".to_owned()),
            (8, format!("ld.global.u64 {w}, [%addr];")),
            (4, format!("ld.global.s32 {w}, [%addr];")),
            (8, format!("ld.global.v2.u32 {two}, [%addr];")),
            (16, "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%addr];".to_owned()),
            (16, "ld.global.v2.u64 {%w0, %w1}, [%addr];".to_owned()),
            (4, "ld.global.v2.u16 {%h0, %h1}, [%addr];".to_owned()),
        ];
        let (bytes, line) = self.random.pick(&forms).clone();
        if self.random.one_in(6) {
            let a = self.r();
            self.line(&format!(
                "and.b32 %x, {a}, 15;\nmul.wide.u32 %addr, %x, 4;\nmov.u64 %cadr, table;"
            ));
            self.line(&format!("add.u64 %addr, %addr, %cadr;\n{guard}ld.const.u32 {r}, [%addr];"));
            return;
        }
        self.input(bytes);
        self.line(&format!("{guard}{line}"));
    }

    /// Stores to the thread's part of the output, after the registers.
    fn store(&mut self) {
        let (a, r, s, w) = (self.r(), self.r(), self.r(), self.w());
        let guard = self.guard();
        let forms = [
            (4, 4, format!("st.global.u32 [%addr], {r};")),
            (4, 4, format!("st.u32 [%addr], {r};")),
            (1, 16, format!("st.global.u8 [%addr], {r};")),
            (2, 8, format!("st.global.u16 [%addr], {r};")),
            (8, 2, format!("st.global.u64 [%addr], {w};")),
            (8, 2, format!("st.global.v2.u32 [%addr], {{{r}, {s}}};")),
            (16, 1, format!("st.global.v4.u32 [%addr], {{{r}, {s}, %r1, {r}}};")),
            (4, 4, "st.global.f32 [%addr], %f1;".to_owned()),
            (2, 8, "st.global.u16 [%addr], %h1;".to_owned()),
        ];
        let (bytes, count, line) = self.random.pick(&forms).clone();
        self.line(&format!("and.b32 %x, {a}, {};", count - 1));
        self.line(&format!("mul.wide.u32 %addr, %x, {bytes};\nadd.u64 %addr, %addr, %own;"));
        self.line(&format!("add.u64 %addr, %addr, 96;\n{guard}{line}"));
    }

    fn shared(&mut self) {
        let (r, a) = (self.r(), self.r());
        let guard = self.guard();
        match self.random.below(5_u32) {
            0 => self.line(&format!("{guard}st.shared.u32 [%slot], {r};")),
            1 => self.line(&format!("{guard}ld.shared.u32 {r}, [%slot];")),
            2 => self.line(&format!("{guard}st.shared.u8 [%slot+1], {r};")),
            3 => self.line(&format!("{guard}ld.shared.s16 {r}, [%slot+2];")),
            _ if self.uniform => {
                // Loads other threads' values between barriers.
                let n = self.threads;
                self.line(&format!("bar.sync 0;\nrem.u32 %x, {a}, {n};\nshl.b32 %x, %x, 2;"));
                self.line(&format!(
                    "mov.u32 %y, store;\nadd.u32 %x, %x, %y;\nld.shared.u32 {r}, [%x];\nbar.sync 0;"
                ));
            }
            _ => self.line(&format!("{guard}ld.shared.u8 {r}, [%slot+3];")),
        }
    }

    fn atomic(&mut self) {
        let (r, a) = (self.r(), self.r());
        let guard = self.guard();
        let op = self.random.of(&["add.u32", "and.b32", "or.b32", "xor.b32", "max.u32", "min.s32"]);
        // Where the order is observable, a single converged warp executes the operation, and
        // operations that do not commute have separate words.
        let index = ["add.u32", "and.b32", "or.b32", "xor.b32", "max.u32", "min.s32"];
        let first = 8 * index.iter().position(|&o| o == op).unwrap_or(0) as u32;
        match self.random.below(4_u32) {
            0 => {
                self.line(&format!(
                    "and.b32 %x, {a}, 7;\nadd.u32 %x, %x, {first};\nmul.wide.u32 %addr, %x, 4;"
                ));
                self.line(&format!(
                    "add.u64 %addr, %addr, %counts;\n{guard}red.global.{op} [%addr], {r};"
                ));
            }
            1 => {
                self.line(&format!(
                    "and.b32 %x, {a}, 7;\nadd.u32 %x, %x, {first};\nshl.b32 %x, %x, 2;"
                ));
                self.line(&format!(
                    "mov.u32 %y, bins;\nadd.u32 %x, %x, %y;\n{guard}red.shared.{op} [%x], {r};"
                ));
            }
            2 => {
                // An operation on the thread's own word.
                let d = self.r();
                let op = self
                    .random
                    .of(&["add.u32", "exch.b32", "inc.u32", "dec.u32", "max.s32", "add.f32"]);
                let (d, r) =
                    if op == "add.f32" { ("%f2".to_owned(), "%f1".to_owned()) } else { (d, r) };
                self.line(&format!("{guard}atom.shared.{op} {d}, [%slot], {r};"));
            }
            _ => {
                let (d, c) = (self.r(), self.r());
                self.line(&format!("{guard}atom.global.cas.b32 {d}, [%own+124], {r}, {c};"));
            }
        }
    }

    fn local(&mut self) {
        let (a, r, w) = (self.r(), self.r(), self.w());
        let guard = self.guard();
        self.line(&format!("and.b32 %x, {a}, 7;\nmul.wide.u32 %addr, %x, 8;\nmov.u64 %cadr, mine;\nadd.u64 %addr, %addr, %cadr;"));
        let lines = [
            format!("st.local.u32 [%addr], {r};"),
            format!("ld.local.u32 {r}, [%addr];"),
            format!("st.local.u64 [%addr], {w};"),
            format!("ld.local.u64 {w}, [%addr];"),
            format!("st.local.u8 [%addr+3], {r};"),
            format!("ld.local.s16 {r}, [%addr+2];"),
            format!("st.local.u32 [mine+12], {r};"),
            format!("ld.local.u32 {r}, [mine+12];"),
            "ld.local.v2.u32 {%r1, %r2}, [mine+16];".to_owned(),
        ];
        let line = self.random.pick(&lines).clone();
        self.line(&format!("{guard}{line}"));
    }

    /// Collective operations.
    fn meeting(&mut self) {
        let (d, a, b, p, q) = (self.r(), self.r(), self.b(), self.p(), self.p());
        let all = "0xffffffff";
        let lane = self.random.below(34_u32);
        let lines = [
            format!("shfl.sync.idx.b32 {d}|{p}, {a}, {lane}, 31, {all};"),
            format!("shfl.sync.bfly.b32 {d}, {a}, {lane}, 31, {all};"),
            format!("shfl.sync.up.b32 {d}|{p}, {a}, {lane}, 0, {all};"),
            format!("shfl.sync.down.b32 {d}, {a}, {b}, 0x181f, {all};"),
            format!("vote.sync.ballot.b32 {d}, {p}, {all};"),
            format!("vote.sync.all.pred {p}, {q}, {all};"),
            format!("vote.sync.any.pred {p}, !{q}, {all};"),
            format!("vote.sync.uni.pred {p}, {q}, {all};"),
            format!("redux.sync.add.u32 {d}, {a}, {all};"),
            format!("redux.sync.min.s32 {d}, {a}, {all};"),
            format!("redux.sync.xor.b32 {d}, {a}, {all};"),
            format!("activemask.b32 {d};"),
            format!("bar.warp.sync {all};"),
            "bar.sync 0;".to_owned(),
            format!("bar.red.popc.u32 {d}, 0, {p};"),
        ];
        let line = self.random.pick(&lines).clone();
        if self.random.one_in(5) {
            self.line(&format!("and.b32 %x, {a}, 3;\nmatch.any.sync.b32 {d}, %x, {all};"));
        } else {
            self.line(&line);
        }
    }

    fn rare(&mut self) {
        let (d, a, b, p, w) = (self.r(), self.r(), self.r(), self.p(), self.w());
        match self.random.below(7_u32) {
            0 => {
                self.line(&format!(
                    "{{\n.param .u32 a; .param .u32 b; .param .u32 c;\nst.param.u32 [a], {a};\nst.param.u32 [b], {b};\n\
                     call.uni (c), twice, (a, b);\nld.param.u32 {d}, [c];\n}}"
                ));
            }
            1 => self.line(&format!("ld.param.u32 {d}, [n];")),
            2 => self.line(&format!("add.cc.u32 {d}, {a}, {b};\naddc.u32 {a}, {b}, {d};")),
            3 => self.line(&format!(
                "cvta.shared.u64 {w}, %wslot;\nld.u32 {d}, [{w}];\nisspacep.shared {p}, {w};"
            )),
            4 if self.uniform && self.random.one_in(3) => self.line(&format!("@{p} bra END;")),
            5 => self.line(&format!("mov.u32 {d}, %warpid;")),
            _ => self.line(&format!(
                "mov.u64 {w}, mine;\ncvta.local.u64 {w}, {w};\nst.u32 [{w}+4], {a};"
            )),
        }
        // An exiting thread stores its registers. Afterwards not all threads exist, but all live
        // ones are converged.
    }

    fn branch(&mut self) {
        let (other, end) = (self.label(), self.label());
        let p = self.p();
        let before = self.uniform;
        if self.uniform && self.random.one_in(4) {
            // All lanes take the same decision.
            self.line(&format!("vote.sync.any.pred {p}, {p}, 0xffffffff;"));
        } else {
            self.uniform = false;
        }
        self.depth += 1;
        let not = if self.random.one_in(2) { "!" } else { "" };
        self.line(&format!("@{not}{p} bra {other};"));
        self.some();
        let both = self.random.one_in(2);
        if both {
            self.line(&format!("bra.uni {end};"));
        }
        self.line(&format!("{other}:"));
        if both {
            self.some();
        }
        self.line(&format!("{end}:"));
        self.depth -= 1;
        self.uniform = before;
    }

    fn repeat(&mut self) {
        let (start, end) = (self.label(), self.label());
        let (a, p) = (self.r(), self.p());
        let before = self.uniform;
        let depth = self.depth;
        self.depth += 1;
        // Each depth has its own counter, which no other statement writes.
        let counter = format!("%c{depth}");
        if self.random.one_in(2) {
            let turns = 1 + self.random.below(5_u32);
            self.line(&format!("mov.u32 {counter}, {turns};"));
        } else {
            self.uniform = false;
            self.line(&format!("and.b32 {counter}, {a}, 3;"));
        }
        self.line(&format!("{start}:"));
        self.some();
        if !self.uniform && self.random.one_in(3) {
            self.line(&format!("@{p} bra {end};"));
        }
        self.line(&format!("sub.u32 {counter}, {counter}, 1;\nsetp.gt.s32 %again, {counter}, 0;\n@%again bra {start};"));
        self.line(&format!("{end}:"));
        self.depth = depth;
        self.uniform = before;
    }

    fn some(&mut self) {
        for _ in 0..1 + self.random.below(4_u32) {
            self.statement();
        }
    }
}

/// Declarations, and initialisations.
fn start(random: &mut Random) -> String {
    let mut text = format!(
        ".reg .u32 %r<{R}>, %x, %y, %t, %c<4>;\n.reg .u64 %w<{W}>, %out, %in, %counts, %own, %addr, %cadr, %wslot;\n\
         .reg .f32 %f<{F}>;\n.reg .f64 %g<2>;\n.reg .u16 %h<2>;\n.reg .pred %p<{P}>, %again;\n.reg .u32 %slot;\n\
         .shared .align 8 .u32 store[1024];\n.shared .align 8 .u32 bins[64];\n.local .align 16 .b8 mine[80];\n\
         ld.param.u64 %out, [out];\nld.param.u64 %in, [in];\nld.param.u64 %counts, [counts];\n\
         mov.u32 %t, %tid.x;\nmov.u32 %x, %ctaid.x;\nmov.u32 %y, %ntid.x;\nshl.b32 %slot, %t, 2;\n\
         mad.lo.u32 %t, %x, %y, %t;\nmul.wide.u32 %own, %t, 128;\nadd.u64 %own, %own, %out;\n\
         mov.u32 %x, store;\nadd.u32 %slot, %slot, %x;\ncvt.u64.u32 %wslot, %slot;\n"
    );
    for i in 0..R {
        let (a, b) = (number(random), number(random));
        text += &format!("mov.u32 %r{i}, {b};\nmad.lo.u32 %r{i}, %t, {a}, %r{i};\n");
    }
    for i in 0..W {
        text += &format!("mul.wide.u32 %w{i}, %r{i}, %r{};\n", i + 1);
    }
    for i in 0..F {
        text += &format!("cvt.rn.f32.s32 %f{i}, %r{i};\nmul.f32 %f{i}, %f{i}, 0f3a83126f;\n");
    }
    for i in 0..P {
        text += &format!("setp.lt.s32 %p{i}, %r{i}, %r{};\n", i + 2);
    }
    text + "cvt.f64.f32 %g0, %f0;\ncvt.f64.f32 %g1, %f1;\ncvt.u16.u32 %h0, %r0;\ncvt.u16.u32 %h1, %r1;\n\
            setp.eq.u32 %again, %t, %t;\nmov.u32 %x, 0;\nmov.u32 %y, 0;\n"
}
