//! Statements with statements inside: branches and loops.

use super::Maker;

impl Maker {
    pub(super) fn branch(&mut self) {
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
        if self.random.one_in(2) && !self.ends.is_empty() {
            let out = self.random.pick(&self.ends).clone();
            let (p, r) = (self.p(), self.r());
            self.line(&format!("setp.lt.s32 {p}, {r}, 0;\n@{p} bra {out};"));
        }
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

    pub(super) fn repeat(&mut self) {
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
        self.body(&end);
        if !self.uniform && self.random.one_in(3) {
            self.line(&format!("@{p} bra {end};"));
        }
        self.line(&format!("sub.u32 {counter}, {counter}, 1;\nsetp.gt.s32 %again, {counter}, 0;\n@%again bra {start};"));
        self.line(&format!("{end}:"));
        self.depth = depth;
        self.uniform = before;
    }

    /// A loop whose lanes load along rows of their own, by an index, by an address, or by what they
    /// have loaded, each as often as it likes; a row may lead out of the input.
    pub(super) fn walk(&mut self) {
        let (start, end) = (self.label(), self.label());
        let depth = self.depth;
        let [i, last, row] = ["i", "last", "row"].map(|name| format!("%{name}{depth}"));
        let (ty, bytes, to) = self.random.of(&[
            ("u32", 4, "%r2"),
            ("s8", 1, "%r3"),
            ("u16", 2, "%r1"),
            ("u64", 8, "%w1"),
            ("f32", 4, "%f1"),
            ("f64", 8, "%g1"),
        ]);
        let (stride, step) = (self.random.of(&[0, 1, 2, 3, 8, 11]), self.random.of(&[1, 1, 2, 4]));
        let (trips, ahead) = (self.random.of(&[1, 3, 9, 24]), self.random.of(&[0, 0, 1, 5]));
        let mut first = self.random.below(8_u32);
        if self.faults && self.uniform && self.random.one_in(3) {
            // The last lanes come to the end of the input.
            self.faults = false;
            first = 1024 * 4 / bytes - 31 * stride - 2;
        }
        let (r, p) = (self.r(), self.p());
        let uniform = std::mem::replace(&mut self.uniform, false);
        self.depth += 1;
        if self.random.one_in(3) {
            self.line(&format!("@{p} bra {end};"));
        }
        self.line(&format!("and.b32 %x, %t, 31;\nmad.lo.u32 {i}, %x, {stride}, {first};"));
        self.line(&format!(
            "rem.u32 {last}, {r}, {trips};\nmad.lo.u32 {last}, {last}, {step}, {i};"
        ));
        self.line(&format!("mad.wide.u32 {row}, {i}, {bytes}, %in;\n{start}:"));
        let guard = self.guard();
        match self.random.below(4_u32) {
            0 => self.line(&format!("{guard}ld.global.{ty} {to}, [{row}+{}];", ahead * bytes)),
            1 => self.line(&format!(
                "and.b32 %x, {r}, 255;\nmad.wide.u32 %addr, %x, {bytes}, %in;\n\
                 {guard}ld.global.{ty} {to}, [%addr];"
            )),
            _ => self.line(&format!(
                "add.u32 %x, {i}, {ahead};\nmul.wide.u32 %addr, %x, {bytes};\n\
                 add.u64 %addr, %in, %addr;\n{guard}ld.global.{ty} {to}, [%addr];"
            )),
        }
        self.body(&end);
        if self.random.one_in(3) {
            let out = self.p();
            self.line(&format!("@{out} bra {end};"));
        }
        self.line(&format!("add.u32 {i}, {i}, {step};\nadd.u64 {row}, {row}, {};", step * bytes));
        let again = self.random.of(&[
            "setp.le.u32 %again, {I}, {LAST};\n@%again bra {START};",
            "setp.gt.u32 %again, {I}, {LAST};\n@!%again bra {START};",
            "setp.gt.u32 %again, {I}, {LAST};\n@%again bra {END};\nbra {START};",
        ]);
        let again = again.replace("{I}", &i).replace("{LAST}", &last);
        self.line(&again.replace("{START}", &start).replace("{END}", &end));
        self.line(&format!("{end}:"));
        (self.depth, self.uniform) = (depth, uniform);
    }

    /// The body of a loop, which diverged lanes may leave for `end`.
    fn body(&mut self, end: &str) {
        let outer = self.ends.len();
        if !self.uniform {
            self.ends.push(end.to_owned());
        }
        self.some();
        self.ends.truncate(outer);
    }

    fn some(&mut self) {
        for _ in 0..1 + self.random.below(4_u32) {
            self.statement();
        }
    }
}
