//! The C types of generated programs, and expressions of these types.

use texunit_testkit::Random;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ty {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

use Ty::{F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

pub(crate) const ALL: [Ty; 10] = [I8, U8, I16, U16, I32, U32, I64, U64, F32, F64];

impl Ty {
    pub(crate) fn name(self) -> &'static str {
        match self {
            I8 => "i8",
            U8 => "u8",
            I16 => "i16",
            U16 => "u16",
            I32 => "i32",
            U32 => "u32",
            I64 => "i64",
            U64 => "u64",
            F32 => "f32",
            F64 => "f64",
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, F32 | F64)
    }

    fn is_signed(self) -> bool {
        matches!(self, I8 | I16 | I32 | I64)
    }

    fn bits(self) -> i32 {
        match self {
            I8 | U8 => 8,
            I16 | U16 => 16,
            I32 | U32 | F32 => 32,
            I64 | U64 | F64 => 64,
        }
    }

    /// The unsigned type in which the operation is computed.
    fn unsigned(self) -> &'static str {
        if self.bits() == 64 { "u64" } else { "u32" }
    }

    /// A random number of a kind that often exposes errors.
    pub(crate) fn constant(self, random: &mut Random) -> String {
        if self.is_float() {
            let value = random.of(&[
                "0.0",
                "1.0",
                "-0.5",
                "3.25",
                "1e10",
                "-1e-3",
                "16777217.0",
                "1e-40",
                "0.1",
            ]);
            return format!("({})({value})", self.name());
        }
        let value = match random.below(4_u32) {
            0 => random.of(&[0, 1, 2, 7, 31, 0x7fff_ffff, 0x8000_0000, u64::MAX, 1 << 63, 0xff]),
            1 => random.below(100_u64),
            2 => u64::from(random.u32()),
            _ => random.u64(),
        };
        // A division by a number that is not 0 or -1 becomes a product.
        format!("({}){value:#x}ull", self.name())
    }
}

/// A variable that an expression may read: its type, and its text with an index, if it has one.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) ty: Ty,
    pub(crate) text: String,
    /// Number of elements, for an array: an index below it replaces `@`.
    pub(crate) count: u32,
}

impl Place {
    pub(crate) fn new(ty: Ty, text: impl Into<String>) -> Self {
        Self { ty, text: text.into(), count: 0 }
    }

    /// `text` has `@` in place of the index.
    pub(crate) fn array(ty: Ty, text: impl Into<String>, count: u32) -> Self {
        Self { ty, text: text.into(), count }
    }
}

/// Generator of expressions.
pub(crate) struct Expressions<'a> {
    pub(crate) random: &'a mut Random,
    /// Variables that may be read.
    pub(crate) reads: Vec<Place>,
}

impl Expressions<'_> {
    /// The text of the variable, with an index.
    pub(crate) fn element(&mut self, place: &Place, depth: u32) -> String {
        if place.count == 0 {
            return place.text.clone();
        }
        let index = if self.random.one_in(3) {
            self.random.below(place.count).to_string()
        } else {
            format!("({}) % {}u", self.of(U32, depth.saturating_sub(1)), place.count)
        };
        place.text.replace('@', &index)
    }

    fn leaf(&mut self, ty: Ty, depth: u32) -> String {
        if self.random.one_in(4) {
            return ty.constant(self.random);
        }
        let fits: Vec<Place> = self.reads.iter().filter(|p| p.ty == ty).cloned().collect();
        if fits.is_empty() || self.random.one_in(8) {
            let place = self.random.pick(&self.reads).clone();
            let text = self.element(&place, depth);
            return convert(place.ty, ty, &text);
        }
        let place = self.random.pick(&fits).clone();
        self.element(&place, depth)
    }

    /// A condition.
    pub(crate) fn condition(&mut self, depth: u32) -> String {
        let ty = self.random.of(&ALL);
        let op = self.random.of(&["<", "<=", ">", ">=", "==", "!="]);
        let (a, b) = (self.of(ty, depth.saturating_sub(1)), self.of(ty, depth.saturating_sub(1)));
        match self.random.below(6_u32) {
            0 if depth > 0 => {
                let more = self.condition(depth - 1);
                format!("{a} {op} {b} {} {more}", self.random.of(&["&&", "||"]))
            }
            1 => format!("(({}) & 3) == {}", self.of(U32, depth), self.random.below(4_u32)),
            _ => format!("{a} {op} {b}"),
        }
    }

    /// An expression of exactly this type.
    pub(crate) fn of(&mut self, ty: Ty, depth: u32) -> String {
        if depth == 0 || self.random.one_in(5) {
            return self.leaf(ty, depth);
        }
        match self.random.below(8_u32) {
            0 => {
                let from = self.random.of(&ALL);
                let inner = self.of(from, depth - 1);
                convert(from, ty, &inner)
            }
            1 => {
                let condition = self.condition(depth - 1);
                let (a, b) = (self.of(ty, depth - 1), self.of(ty, depth - 1));
                // For lvalues chosen by a condition, one of them constant, g++ makes a reference
                // that its sanitizer considers null.
                format!("({condition} ? ({0})({a}) : ({0})({b}))", ty.name())
            }
            _ if ty.is_float() => self.float(ty, depth - 1),
            _ => self.integer(ty, depth - 1),
        }
    }

    fn float(&mut self, ty: Ty, depth: u32) -> String {
        let f = if ty == F32 { "f" } else { "" };
        let (a, b) = (self.of(ty, depth), self.of(ty, depth));
        match self.random.below(12_u32) {
            0..=2 => format!("({a} + {b})"),
            3..=4 => format!("({a} - {b})"),
            5..=6 => format!("({a} * {b})"),
            7 => format!("({a} / {b})"),
            8 => {
                let c = self.of(ty, depth);
                format!("fma{f}({a}, {b}, {c})")
            }
            9 => format!("sqrt{f}(fabs{f}({a}))"),
            10 => {
                let name = self.random.of(&["floor", "ceil", "trunc", "rint", "fabs"]);
                format!("{name}{f}({a})")
            }
            _ => format!("{}<{}>({a}, {b})", self.random.of(&["least", "most"]), ty.name()),
        }
    }

    fn integer(&mut self, ty: Ty, depth: u32) -> String {
        let (name, unsigned, bits) = (ty.name(), ty.unsigned(), ty.bits());
        let (a, b) = (self.of(ty, depth), self.of(ty, depth));
        match self.random.below(24_u32) {
            0..=10 => {
                let op = self.random.of(&["+", "+", "-", "*", "&", "|", "^"]);
                format!("({name})(({unsigned}){a} {op} ({unsigned}){b})")
            }
            11 => format!("({name})(({unsigned}){a} << (({unsigned}){b} & {}))", bits - 1),
            12 => format!("({name})({a} >> (({unsigned}){b} & {}))", bits - 1),
            13 => format!("divide<{name}>({a}, {b})"),
            14 => format!("modulo<{name}>({a}, {b})"),
            // A division by a constant, which compilers turn into products and shifts.
            15 => {
                let by = 3 + self.random.below(20_u32);
                format!("({name})({a} {} {by})", self.random.of(&["/", "%"]))
            }
            16 => format!("({name})~{a}"),
            17 => format!("({name})(0 - ({unsigned}){a})"),
            18 => format!("{}<{name}>({a}, {b})", self.random.of(&["least", "most"])),
            _ => self.intrinsic(name, depth),
        }
    }

    fn intrinsic(&mut self, name: &str, depth: u32) -> String {
        let mut of = |ty| self.of(ty, depth);
        let (a, b, c, w, v) = (of(U32), of(U32), of(U32), of(U64), of(U64));
        let call = match self.random.below(11_u32) {
            0 => format!("__popc({a})"),
            1 => format!("__popcll({w})"),
            2 => format!("__clz({a})"),
            3 => format!("__clzll({w})"),
            4 => format!("__ffs({a})"),
            5 => format!("__brev({a})"),
            6 => format!("__umulhi({a}, {b})"),
            7 => format!("__umul64hi({w}, {v})"),
            8 => format!("__funnelshift_l({a}, {b}, {c})"),
            9 => format!("bits({})", self.of(F32, depth)),
            _ => format!("__byte_perm({a}, {b}, {c} & 0x7777)"),
        };
        format!("({name}){call}")
    }
}

/// Conversions to integers return 0 for values out of range.
fn convert(from: Ty, to: Ty, text: &str) -> String {
    if !from.is_float() || to.is_float() {
        return format!("({})({text})", to.name());
    }
    let (low, high) = match to.is_signed() {
        true => (-(2_f64.powi(to.bits() - 1)), 2_f64.powi(to.bits() - 1)),
        false => (-1.0, 2_f64.powi(to.bits())),
    };
    let (to, from) = (to.name(), from.name());
    format!("integer<{to}, {from}>({text}, ({from}){low:?}, ({from}){high:?})")
}
