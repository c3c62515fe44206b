//! Generator of random programs.
//!
//! A program is a tree of statements. At *uniform* points all live lanes of a warp are converged;
//! only there are barriers, shuffles and other collective operations generated. Elsewhere only
//! operations are generated whose results do not depend on the order of lanes.

mod flow;
mod memory;

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
    /// Labels behind the loops that diverged lanes may leave.
    ends: Vec<String>,
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
            ends: Vec::new(),
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
        match self.random.below(21_u32) {
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
            20 if self.depth < 3 => self.walk(),
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
        let shift = self.random.of(&[0, 1, 5, 31, 32, 33, 40, 63, 64, 70]);
        let table = self.random.below(256_u32);
        // A truth table that ignores the third source.
        let of_two = (0..8).fold(0, |bits, at| bits | (table >> (at >> 1) & 1) << at);
        let ty = self.random.of(&["u32", "s32"]);
        let lanes = self.random.of(&["eq", "lt", "le", "ge", "gt"]);
        let lines = [
            format!("add.u32 {d}, {a}, {b};"),
            format!("sub.s32 {d}, {a}, {b};"),
            format!("mul.lo.u32 {d}, {a}, {b};"),
            format!("mul.hi.s32 {d}, {a}, {c};"),
            format!("mad.lo.s32 {d}, {a}, {c}, {b};"),
            format!("div.u32 {d}, {a}, {c};"),
            format!("rem.s32 {d}, {a}, {b};"),
            format!("min.{ty} {d}, {a}, {b};"),
            format!("max.{ty} {d}, {a}, {b};"),
            format!("and.b32 {d}, {a}, {b};"),
            format!("or.b32 {d}, {a}, {b};"),
            format!("xor.b32 {d}, {a}, {b};"),
            format!("not.b32 {d}, {a};"),
            format!("shl.b32 {d}, {a}, {shift};"),
            format!("shr.s32 {d}, {a}, {c};"),
            format!("shr.{ty} {d}, {a}, {shift};"),
            format!("popc.b32 {d}, {a};"),
            format!("clz.b32 {d}, {a};"),
            format!("bfe.u32 {d}, {a}, 3, 9;"),
            format!("lop3.b32 {d}, {a}, {c}, {b}, {table};"),
            format!("lop3.b32 {d}, {a}, {b}, 0, {of_two};"),
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
            format!("mul.wide.{ty} {wd}, {a}, {b};"),
            format!("mad.wide.{ty} {wd}, {a}, {b}, {wa};"),
            format!("add.u64 {wd}, {wa}, {wd};"),
            format!("add.u64 {wd}, {wa}, 1234567890123456789;"),
            format!("sub.u64 {wd}, {wa}, {wd};"),
            format!("and.b64 {wd}, {wa}, {wd};"),
            format!("or.b64 {wd}, {wa}, {wd};"),
            format!("xor.b64 {wd}, {wa}, {wd};"),
            format!("not.b64 {wd}, {wa};"),
            format!("selp.b64 {wd}, {wa}, {wd}, {p};"),
            format!("shl.b64 {wd}, {wa}, {shift};"),
            format!("mul.lo.u64 {wd}, {wa}, {wd};"),
            format!("shr.{}64 {wd}, {wa}, {shift};", &ty[..1]),
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
            format!("abs.f32 {fd}, {fa};"),
            format!("selp.f32 {fd}, {fa}, 0f3F000000, {p};"),
            "fma.rn.f64 %g0, %g1, %g0, %g1;".to_owned(),
            format!("cvt.f64.f32 %g1, {fa};"),
            format!("cvt.rn.f32.f64 {fd}, %g0;"),
            format!("cvt.rn.f64.s32 %g1, {a};"),
            "add.f64 %g0, %g0, %g1;".to_owned(),
            "sub.f64 %g0, %g1, %g0;".to_owned(),
            "mul.f64 %g1, %g0, %g1;".to_owned(),
            "neg.f64 %g1, %g0;".to_owned(),
            "abs.f64 %g0, %g1;".to_owned(),
            format!("selp.f64 %g0, %g0, %g1, {p};"),
            format!("mov.u32 {d}, %laneid;"),
            format!("mov.u32 {d}, %lanemask_{lanes};"),
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
        let of = self.random.of(&["eq", "ne", "lt", "le", "gt", "ge"]);
        let sign = self.random.of(&["u", "s"]);
        let or_nan = self.random.of(&["", "u"]);
        let lines = [
            format!("setp.{of}.{sign}32 {p}, {a}, {b};"),
            format!("setp.{of}.{sign}32 {p}, {a}, {b};"),
            format!("setp.{of}.{sign}64 {p}, {w}, {v};"),
            format!("setp.{of}{or_nan}.f32 {p}, {f}, {g};"),
            format!("setp.{of}{or_nan}.f64 {p}, %g0, %g1;"),
            format!("setp.{of}.and.f32 {p}|{q}, {f}, {g}, {c};").replace(&format!("{p}|{p}"), &p),
            format!("and.pred {p}, {q}, {c};"),
            format!("or.pred {p}, {q}, {c};"),
            format!("setp.lt.and.u32 {p}, {a}, {b}, {c};"),
            format!("setp.gt.xor.s32 {p}|{q}, {a}, {b}, !{c};").replace(&format!("{p}|{p}"), &p),
            format!("xor.pred {p}, {q}, {c};"),
            format!("not.pred {p}, {q};"),
            format!("set.lt.u32.u32 {a}, {a}, {b};"),
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
}

/// Declarations, and initialisations.
fn start(random: &mut Random) -> String {
    let mut text = format!(
        ".reg .u32 %r<{R}>, %x, %y, %t, %c<4>, %i<4>, %last<4>;\n.reg .u64 %row<4>, %w<{W}>, %out, %in, %counts, %own, %addr, %cadr, %wslot;\n\
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
