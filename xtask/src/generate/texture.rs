//! Random texture and surface instructions: every form with random modifiers, coordinates, offsets,
//! depth references, levels, gradients, data and handles, usually valid.

use texunit_isa::{Form, Shape, forms};

use super::Question;
use super::operand::{any_register, braces, good, guard, modifiers, source, wild};
use super::pools::pool;
use super::setup::Setup;
use texunit_testkit::Random;

/// A question whose lines are random texture and surface instructions in one kernel.
pub(super) fn question(
    setup: Setup,
    family: &'static str,
    most: usize,
    random: &mut Random,
) -> Question {
    let texture = |f: &&Form| {
        !matches!(
            f.shape,
            Shape::Listed
                | Shape::Mov
                | Shape::Branch
                | Shape::IndexedBranch
                | Shape::Call
                | Shape::Unchecked
        )
    };
    let forms: Vec<&Form> = forms().iter().filter(texture).collect();
    let mut opcodes: Vec<&str> = forms.iter().map(|f| f.row.opcode.name()).collect();
    opcodes.dedup();
    // `tex` and `tld4` are drawn more often, because they have the most forms.
    opcodes.extend(["tex", "tex", "tex", "tld4"]);
    let independent = setup.independent();
    let lines = (0..most)
        .map(|_| {
            let opcode = random.of(&opcodes);
            let rows: Vec<&Form> =
                forms.iter().copied().filter(|f| f.row.opcode.name() == opcode).collect();
            line(random.of(&rows), independent, random)
        })
        .collect();
    setup.question(family, lines)
}

fn line(form: &Form, independent: bool, random: &mut Random) -> String {
    let words = modifiers(form, (40, 18), pool("texture_modifiers"), random);
    let it = Instruction { words: &words, independent };
    let operands = match form.shape {
        Shape::Texture | Shape::Gather => it.fetch(random),
        Shape::TextureQuery => it.query(&["tex_a", "tex_a", "smp_a", "%rd0", "%bd1"], random),
        Shape::SurfaceQuery => it.query(&["surf_a", "surf_a", "%rd0", "tex_a"], random),
        Shape::IsType => it.is_type(random),
        Shape::SurfaceLoad => {
            let data = it.data(true, random);
            format!("{data}, {}", it.place(random))
        }
        _ => format!("{}, {}", it.place(random), it.data(false, random)),
    };
    let dotted: String = words.iter().map(|w| format!(".{w}")).collect();
    let (guard, opcode) = (guard(random), form.row.opcode.name());
    format!("{guard}{opcode}{dotted} {operands};")
}

struct Instruction<'w> {
    words: &'w [&'static str],
    independent: bool,
}

impl Instruction<'_> {
    fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    /// Number of elements that the coordinate vector needs.
    fn size(&self) -> usize {
        match () {
            () if self.has("1d") => 1,
            () if self.has("2d") || self.has("a1d") => 2,
            () => 4,
        }
    }

    fn vector(&self) -> usize {
        self.words.iter().find_map(|w| w.strip_prefix('v')?.parse().ok()).unwrap_or(1).min(8)
    }

    fn handle(names: &[&str], random: &mut Random) -> String {
        match random.below(40) {
            0 => any_register(random),
            1 => wild(random),
            2 => random
                .of(&["tex_a+0", "tex_a[0]", "{tex_a}", "gi", "surf_a", "smp_a", "0", "pa"])
                .to_owned(),
            _ => random.of(names).to_owned(),
        }
    }

    /// A random coordinate, which usually has this type.
    fn coordinate(ty: &str, random: &mut Random) -> String {
        match random.below(40) {
            0 => any_register(random),
            1 => wild(random),
            2..=4 => {
                random.of(&["0", "1", "-3", "100", "1.0", "0.5", "0f3F800000", "%tid.x"]).to_owned()
            }
            5..=7 => good(random.of(&["b32", "u32", "s32", "f32"]), random),
            _ => good(ty, random),
        }
    }

    fn coordinates(&self, ty: &str, random: &mut Random) -> String {
        let right = self.size();
        let size = match random.below(30) {
            0 => random.below(5) + 1,
            1..=2 => 4,
            _ => right,
        };
        if random.chance(4) {
            return if random.chance(50) {
                Self::coordinate(ty, random)
            } else {
                random.of(&["%vf", "%vr", "%wf", "%ws", "%vs"]).to_owned()
            };
        }
        let layer = ["a1d", "a2d", "acube", "2dms", "a2dms"].iter().any(|w| self.has(w));
        let mut first = layer;
        braces(size, || {
            let ty =
                if std::mem::take(&mut first) { random.of(&["u32", "s32", "b32"]) } else { ty };
            Self::coordinate(ty, random)
        })
    }

    fn coordinate_type(&self) -> &'static str {
        let types: Vec<&str> = self
            .words
            .iter()
            .copied()
            .filter(|w| matches!(*w, "u32" | "s32" | "f32" | "f16" | "f16x2"))
            .collect();
        match types.last() {
            Some(&"s32") => "s32",
            _ => "f32",
        }
    }

    fn fetch(&self, random: &mut Random) -> String {
        let ty = self.coordinate_type();
        let mut text = self.result(random);
        let handles = ["tex_a", "tex_a", "tex_a", "%rd0", "%bd1", "%sd2"];
        let sampler = if random.chance(96) == self.independent { true } else { random.chance(8) };
        text += &format!(", [{}", Self::handle(&handles, random));
        if sampler {
            text += &format!(", {}", Self::handle(&["smp_a", "smp_a", "%rd3"], random));
        }
        text += &format!(", {}]", self.coordinates(ty, random));
        if self.has("level") {
            let level = match random.below(8) {
                0 => source("b32", random),
                1 => format!("{{{}}}", good(ty, random)),
                _ => Self::coordinate(ty, random),
            };
            text += &format!(", {level}");
        }
        if self.has("grad") {
            for _ in 0..2 {
                let size = match self.size() {
                    _ if self.has("1d") || self.has("a1d") => 1,
                    _ if self.has("2d") || self.has("a2d") => 2,
                    size => size,
                };
                let size = if random.chance(94) { size } else { random.below(4) + 1 };
                text += &format!(", {}", braces(size, || Self::coordinate("f32", random)));
            }
        }
        if random.chance(25) {
            let size = match self.size() {
                _ if self.has("1d") || self.has("a1d") => 1,
                _ if self.has("3d") => 4,
                _ => 2,
            };
            let size = if random.chance(90) { size } else { random.below(4) + 1 };
            text += &match random.chance(85) {
                true => format!(", {}", braces(size, || Self::coordinate("s32", random))),
                false => format!(", {}", Self::coordinate("s32", random)),
            };
        }
        if random.chance(20) {
            text += &format!(", {}", Self::coordinate("f32", random));
        }
        text
    }

    fn result(&self, random: &mut Random) -> String {
        let types = ["u32", "s32", "f32", "f16x2", "f16"];
        let ty = self.words.iter().copied().find(|w| types.contains(w)).unwrap_or("f32");
        let n = self.vector();
        let n = if random.chance(96) { n } else { random.below(5) + 1 };
        let mut text = match random.below(25) {
            0 => random.of(&["%vf", "%vr", "%vs", "%f0", "_", "%wf"]).to_owned(),
            _ => braces(n, || match random.below(20) {
                0 => "_".into(),
                1 => any_register(random),
                _ => good(ty, random),
            }),
        };
        if random.chance(12) {
            text += &format!("|{}", random.of(&["%p0", "%p1", "_", "%r0", "!%p1"]));
        }
        text
    }

    fn query(&self, handles: &[&str], random: &mut Random) -> String {
        let result = match random.below(12) {
            0 => any_register(random),
            1 => wild(random),
            _ => good("b32", random),
        };
        let handle = Self::handle(handles, random);
        let handle = if random.chance(97) { format!("[{handle}]") } else { handle };
        let level = match self.has("level") != random.chance(4) {
            true => format!(", {}", source("u32", random)),
            false => String::new(),
        };
        format!("{result}, {handle}{level}")
    }

    fn is_type(&self, random: &mut Random) -> String {
        let result = if random.chance(90) { good("pred", random) } else { wild(random) };
        let handle = match random.below(8) {
            0 => random.of(&["0", "1", "tex_a", "surf_a", "[%rd0]"]).to_owned(),
            1 => source("b64", random),
            _ => good("b64", random),
        };
        format!("{result}, {handle}")
    }

    /// The surface operand with its coordinates: `[surface, {coordinates}]`.
    fn place(&self, random: &mut Random) -> String {
        let handle = Self::handle(&["surf_a", "surf_a", "%rd0", "%bd1"], random);
        let text = format!("{handle}, {}", self.coordinates("s32", random));
        if random.chance(98) { format!("[{text}]") } else { text }
    }

    fn data(&self, load: bool, random: &mut Random) -> String {
        let types = ["b8", "b16", "b32", "b64", "u32", "s32", "u64", "s64"];
        let ty = self.words.iter().copied().find(|w| types.contains(w)).unwrap_or("b32");
        let n = self.vector();
        let n = if random.chance(95) { n } else { random.below(4) + 1 };
        let one = |random: &mut Random| match random.below(20) {
            0 => "_".into(),
            1..=2 => any_register(random),
            3 if !load => source(ty, random),
            4 => wild(random),
            _ => good(ty, random),
        };
        if n == 1 && random.chance(85) { one(random) } else { braces(n, || one(random)) }
    }
}
