//! Statements that access memory: the input, the thread's part of the output, shared and local
//! memory, and counters.

use super::Maker;

impl Maker {
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

    pub(super) fn load(&mut self) {
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
    pub(super) fn store(&mut self) {
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

    pub(super) fn shared(&mut self) {
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

    pub(super) fn atomic(&mut self) {
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

    pub(super) fn local(&mut self) {
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
}
