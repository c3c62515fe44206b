//! Generates random PTX modules with `tex.grad`, whose lowering is compared with that of ptxas.

use std::fmt::Write;
use texunit_sass::Arch;
use texunit_testkit::Random;

/// A random module, and the options of ptxas for it.
#[derive(Clone, Debug)]
pub(super) struct Module {
    pub(super) arch: Arch,
    /// The optimisation level of ptxas.
    pub(super) level: usize,
    pub(super) text: String,
}

/// Geometry modifiers: number of coordinates, whether it is an array, whether it allows offsets.
#[rustfmt::skip]
const GEOMETRIES: [(&str, usize, bool, bool); 7] = [
    ("1d", 1, false, true), ("2d", 2, false, true), ("a1d", 1, true, true), ("a2d", 2, true, true),
    ("3d", 3, false, true), ("cube", 3, false, false), ("acube", 3, true, false),
];

/// Parameters of kernels besides `in` and `out`: the declaration, and loads of a handle from it.
#[rustfmt::skip]
const PARAMS: &[(&str, &[&str])] = &[
    (".param .u64 NAME", &["ld.param.u64 REG, [NAME];", "ld.param.b64 REG, [NAME+0];",
        "mov.b64 %q, NAME; ld.param.u64 REG, [%q];"]),
    (".param .u32 NAME", &[]),
    (".param .u8 NAME", &[]),
    (".param .texref NAME", &[]),
    (".param .align 8 .b8 NAME[24]", &["ld.param.u64 REG, [NAME];", "ld.param.u64 REG, [NAME+16];",
        "mov.b64 %q, NAME; add.s64 %q, %q, 8; ld.param.u64 REG, [%q];"]),
    (".param .align 16 .b8 NAME[16]", &["ld.param.v2.u64 {%q, REG}, [NAME];", "ld.param.v2.u64 {REG, %q}, [NAME];"]),
];

/// Instructions that copy a handle to another register after it is loaded.
#[rustfmt::skip]
const COPIES: &[&str] = &[
    "mov.b64 TO, FROM;", "mov.u64 TO, FROM;", "cvta.to.global.u64 TO, FROM;", "add.s64 TO, FROM, 4;",
    "and.b64 TO, FROM, 1048575;", "@%p1 mov.b64 FROM, 3; mov.b64 TO, FROM;",
];

/// Instructions that compute predicates for guards, branches, and selections.
const PREDICATES: &str = "ld.global.u32 %c, [%in+-4];\nsetp.ne.u32 %p2, %c, 0;\n\
    ld.global.u32 %c, [%in+-8];\nsetp.ne.u32 %p3, %c, 0;\n\
    ld.global.u32 %c, [%in];\nsetp.ne.u32 %p1, %c, 0;\n";

struct Writer {
    random: Random,
    arch: Arch,
    independent: bool,
    /// Whether ptxas optimises. Otherwise a component counts as used if any instruction names its
    /// register.
    optimised: bool,
    /// Declarations of the kernel's parameters, and loads of handles from them.
    params: Vec<(String, String, &'static [&'static str])>,
    body: String,
    /// Number of bytes that the kernel has loaded and stored so far.
    loaded: usize,
    stored: usize,
    /// Number of registers that the kernel has used so far.
    registers: usize,
}

impl Module {
    /// The random module with this number.
    pub(super) fn random(seed: u64, item: u64) -> Self {
        let mut random = Random::of_item(seed ^ 0x6772_6164, item);
        let arch = random.of(Arch::ALL);
        let level = random.of(&[0, 1, 2, 3, 3, 3]);
        let independent = random.chance(45);
        let mut writer = Writer {
            random,
            arch,
            independent,
            optimised: level > 0,
            params: Vec::new(),
            body: String::new(),
            loaded: 0,
            stored: 0,
            registers: 0,
        };
        Self { arch, level, text: writer.module() }
    }
}

impl Writer {
    fn module(&mut self) -> String {
        let mode = if self.independent { ", texmode_independent" } else { "" };
        let mut text = format!(".version 7.8\n.target {}{mode}\n.address_size 64\n", self.arch);
        for name in ["ta", "tb", "tc"] {
            let _ = writeln!(text, ".global .texref {name};");
        }
        if self.independent {
            text += ".global .samplerref sa;\n.global .samplerref sb;\n";
        }
        let functions = self.random.of(&[0, 0, 0, 1, 2]);
        for n in 0..functions {
            text += &self.function(n);
        }
        // Each function is called by one kernel, so that it has one constant bank.
        let mut calls: Vec<usize> = (0..functions).collect();
        if self.random.chance(50) {
            calls.reverse();
        }
        if self.random.chance(25) {
            text += &self.kernel("k0", calls.pop().into_iter().collect());
        }
        text += &self.kernel("k", calls);
        text
    }

    fn kernel(&mut self, kernel: &str, mut calls: Vec<usize>) -> String {
        self.body.clear();
        self.params.clear();
        (self.stored, self.loaded) = (0, 0);
        for n in 0..self.random.below(5) {
            let (declaration, loads) = self.random.of(PARAMS);
            let name = format!("{kernel}x{n}");
            self.params.push((name.clone(), declaration.replace("NAME", &name), loads));
        }
        for _ in 0..1 + self.random.below(3) {
            if self.random.chance(40)
                && let Some(callee) = calls.pop()
            {
                self.call(callee);
            }
            self.fetch();
        }
        while let Some(callee) = calls.pop() {
            self.call(callee);
        }
        let params: String = self.params.iter().map(|(_, text, _)| format!(", {text}")).collect();
        format!(
            ".visible .entry {kernel}(.param .u64 in, .param .u64 out{params})\n{{\n{}\
             ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\n\
             {PREDICATES}{}ret;\n}}\n",
            self.registers_text(),
            self.body
        )
    }

    fn registers_text(&self) -> String {
        let n = self.registers + 1;
        format!(
            ".reg .f32 %f<{n}>;\n.reg .b32 %r<{n}>;\n.reg .b64 %h<{n}>;\n.reg .b16 %s<{n}>;\n.reg .pred %t<{n}>;\n\
             .reg .pred %p<4>;\n.reg .b64 %q, %in, %out;\n.reg .b32 %c;\n"
        )
    }

    fn fresh(&mut self, kind: &str) -> String {
        self.registers += 1;
        format!("%{kind}{}", self.registers)
    }

    /// Loads a value of this type from memory; returns the register.
    fn load(&mut self, kind: &str, ty: &str, bytes: usize) -> String {
        let register = self.fresh(kind);
        self.loaded = self.loaded.next_multiple_of(bytes) + bytes;
        let _ = writeln!(self.body, "ld.global.{ty} {register}, [%in+{}];", self.loaded);
        register
    }

    fn store(&mut self, ty: &str, bytes: usize, register: &str) {
        self.stored = self.stored.next_multiple_of(bytes) + bytes;
        let _ = writeln!(self.body, "st.global.{ty} [%out+{}], {register};", self.stored);
    }

    /// Writes a function that fetches, and that is called once.
    fn function(&mut self, n: usize) -> String {
        let visible = self.random.of(&["", "", ".visible "]);
        self.body.clear();
        let handles = self.named();
        let geometry = self.random.of(&GEOMETRIES[..4]);
        self.gradient(geometry, &handles, "%x");
        let body = std::mem::take(&mut self.body);
        let registers = self.registers_text();
        format!(
            "{visible}.func (.param .b32 r) g{n}(.param .u64 a, .param .u64 b)\n{{\n{registers}.reg .f32 %x;\n\
             ld.param.u64 %in, [a];\nld.param.u64 %out, [b];\n{PREDICATES}\
             ld.global.f32 %x, [%in+{}];\n{body}st.param.b32 [r], %c;\nret;\n}}\n",
            4 * (n + 900)
        )
    }

    fn call(&mut self, callee: usize) {
        let n = self.registers;
        let _ = writeln!(
            self.body,
            "{{ .param .b32 r{n}; .param .u64 a{n}; .param .u64 b{n}; st.param.u64 [a{n}], %in; \
             add.s64 %q, %out, {}; st.param.u64 [b{n}], %q; call (r{n}), g{callee}, (a{n}, b{n}); }}",
            4096 * (callee + 1)
        );
    }

    /// The operand for a texture and, in independent mode, a sampler, by name.
    fn named(&mut self) -> String {
        let texture = self.texture();
        match self.independent {
            true => format!("{texture}, {}", self.random.of(&["sa", "sb"])),
            false => texture,
        }
    }

    fn texture(&mut self) -> String {
        let mut names = vec!["ta", "tb", "tc"];
        let params = self.params.iter().filter(|(_, text, _)| text.contains("texref"));
        names.extend(params.map(|(name, ..)| name.as_str()));
        self.random.of(&names).to_owned()
    }

    /// Computes a handle; returns its register.
    fn handle(&mut self) -> String {
        let register = self.fresh("h");
        let loads: Vec<_> = self
            .params
            .iter()
            .flat_map(|(name, _, loads)| loads.iter().map(move |load| load.replace("NAME", name)))
            .collect();
        match self.random.below(10) {
            0 => {
                let name = self.texture();
                let _ = writeln!(self.body, "mov.u64 {register}, {name};");
                return register;
            }
            1 => {
                let _ = writeln!(self.body, "mov.u64 {register}, {};", self.random.below(4096));
            }
            2 if loads.len() > 1 => {
                let two = [self.fresh("h"), self.fresh("h")];
                for name in &two {
                    let load = loads[self.random.below(loads.len())].replace("REG", name);
                    let _ = writeln!(self.body, "{load}");
                }
                let _ = writeln!(self.body, "selp.b64 {register}, {}, {}, %p1;", two[0], two[1]);
            }
            2..=7 if !loads.is_empty() => {
                let load = loads[self.random.below(loads.len())].replace("REG", &register);
                let _ = writeln!(self.body, "{load}");
            }
            _ => return self.load("h", "u64", 8),
        }
        let mut at = register;
        while self.random.chance(35) {
            let to = self.fresh("h");
            let copy = self.random.of(COPIES);
            let _ = writeln!(self.body, "{}", copy.replace("TO", &to).replace("FROM", &at));
            at = to;
        }
        at
    }

    fn fetch(&mut self) {
        let handles = match (self.independent, self.random.below(10)) {
            (_, 0..5) => self.named(),
            (false, _) => self.handle(),
            (true, 5..8) => format!("{}, {}", self.handle(), self.handle()),
            (true, 8) => format!("{}, {}", self.handle(), self.random.of(&["sa", "sb"])),
            (true, _) => format!("{}, {}", self.texture(), self.handle()),
        };
        let count = if self.random.chance(70) { 4 } else { GEOMETRIES.len() };
        let geometry = self.random.of(&GEOMETRIES[..count]);
        let x = match self.random.chance(10) {
            true => "0f3E800000".to_owned(),
            false => self.load("f", "f32", 4),
        };
        let label = self.random.chance(15).then_some(self.registers);
        if let Some(label) = label {
            let _ = writeln!(self.body, "@%p2 bra L{label};");
        }
        self.gradient(geometry, &handles, &x);
        if let Some(label) = label {
            let _ = writeln!(self.body, "L{label}:");
        }
    }

    /// Writes a `tex.grad`, and stores of some of its results. `x` is the register of a coordinate.
    fn gradient(&mut self, geometry: (&str, usize, bool, bool), handles: &str, x: &str) {
        let (name, dims, array, offsets) = geometry;
        let (ty, kind, store) = match self.random.below(if self.arch > Arch::Sm52 { 9 } else { 7 })
        {
            0..4 => ("v4.f32", "f", ("f32", 4)),
            4 => ("v4.u32", "r", ("b32", 4)),
            5..7 => ("v4.s32", "r", ("b32", 4)),
            7 => ("v4.f16", "s", ("b16", 2)),
            _ => ("v2.f16x2", "r", ("b32", 4)),
        };
        let compare = ty.ends_with("f32") && name != "3d" && self.random.chance(12);
        let dest: Vec<String> =
            (0..if ty.starts_with("v2") { 2 } else { 4 }).map(|_| self.fresh(kind)).collect();
        let mut shown = dest.clone();
        let few = self.random.chance(40);
        let used: Vec<bool> = dest.iter().map(|_| !few || self.random.chance(50)).collect();
        for (n, used) in used.iter().enumerate() {
            if !used && !ty.starts_with("v2") && self.random.chance(50) {
                shown[n] = "_".into();
            }
        }
        if shown.iter().all(|name| name == "_") {
            shown[0].clone_from(&dest[0]);
        }
        if self.random.chance(5) {
            shown[1] = shown[0].clone();
        }
        let resident = (self.arch >= Arch::Sm60 && self.random.chance(20)).then(|| self.fresh("t"));
        let mut coords = Vec::new();
        if array {
            coords.push(match self.random.chance(20) {
                true => self.random.below(70_000).to_string(),
                false => self.load("r", "u32", 4),
            });
        }
        coords.push(x.to_owned());
        for _ in 1..dims {
            coords.push(self.load("f", "f32", 4));
        }
        // Vectors of three coordinates are padded to four elements.
        let padded = |mut list: Vec<String>| {
            list.resize(list.len().next_power_of_two(), list.last().cloned().unwrap_or_default());
            list.join(", ")
        };
        let derivative =
            |this: &mut Self| padded((0..dims).map(|_| this.load("f", "f32", 4)).collect());
        let (dx, dy) = (derivative(self), derivative(self));
        let mut rest = String::new();
        if offsets && self.random.chance(25) {
            let list: Vec<String> = (0..dims)
                .map(|_| match self.random.chance(40) {
                    true => (self.random.below(16) as i64 - 8).to_string(),
                    false => self.load("r", "s32", 4),
                })
                .collect();
            rest += &format!(", {{{}}}", padded(list));
        }
        if compare {
            rest += &format!(", {}", self.load("f", "f32", 4));
        }
        let guard = if self.random.chance(12) { self.random.of(&["@%p1 ", "@!%p1 "]) } else { "" };
        if !guard.is_empty() {
            for register in &dest {
                let _ = writeln!(self.body, "mov.b{} {register}, 0;", 8 * store.1);
            }
            if let Some(resident) = &resident {
                let _ = writeln!(self.body, "setp.eq.u32 {resident}, %c, 77;");
            }
        }
        let predicate = resident.as_ref().map_or(String::new(), |p| format!("|{p}"));
        let _ = writeln!(
            self.body,
            "{guard}tex.grad.{name}.{ty}.f32 {{{}}}{predicate}, [{handles}, {{{}}}], {{{dx}}}, {{{dy}}}{rest};",
            shown.join(", "),
            padded(coords)
        );
        for (register, used) in dest.iter().zip(&used) {
            if self.optimised && self.random.chance(10) {
                let guard = self.random.of(&["@%p3 ", ""]);
                let _ = writeln!(self.body, "{guard}mov.b{} {register}, 1;", 8 * store.1);
            }
            if *used {
                self.store(store.0, store.1, register);
            }
        }
        if let Some(resident) = resident
            && self.random.chance(70)
        {
            let number = self.fresh("r");
            let _ = writeln!(self.body, "selp.b32 {number}, 1, 0, {resident};");
            self.store("b32", 4, &number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Module;

    #[test]
    fn modules_have_fetches_and_no_places_that_are_not_filled() {
        for item in 0..200 {
            let module = Module::random(1, item);
            assert!(module.text.contains("tex.grad."), "{}", module.text);
            for place in ["NAME", "REG", "TO,", "FROM"] {
                assert!(!module.text.contains(place), "{place}: {}", module.text);
            }
            assert_eq!(module.text, Module::random(1, item).text);
        }
    }
}
