//! Which products of matrices there are.

use crate::Number;

/// Rows of A, columns of B, and what is summed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows of A, C and D.
    pub m: u16,
    /// Columns of B, C and D.
    pub n: u16,
    /// Columns of A, rows of B.
    pub k: u16,
}

impl Shape {
    /// `m16n8k16`
    pub fn from_name(name: &str) -> Option<Self> {
        let (m, rest) = name.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        let size = |text: &str| text.parse().ok().filter(|size| (1..=256).contains(size));
        Some(Self { m: size(m)?, n: size(n)?, k: size(k)? })
    }
}

/// How an order of elements in memory, or in the registers of `m8n8k4`, goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Elements of a row follow each other.
    #[default]
    Row,
    /// Elements of a column do.
    Column,
}

/// What is done to pairs of bits before the ones are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BitOperation {
    /// `.xor.popc`
    #[default]
    Xor,
    /// `.and.popc`
    And,
}

/// D = A * B + C, as one instruction computes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    /// Sizes.
    pub shape: Shape,
    /// Elements of A.
    pub a: Number,
    /// Elements of B.
    pub b: Number,
    /// Elements of C.
    pub c: Number,
    /// Elements of D.
    pub d: Number,
    /// Whether integers are limited instead of wrapped.
    pub saturate: bool,
    /// Of single bits.
    pub operation: BitOperation,
    /// Whether half of A is zeros that are not stored (`mma.sp`).
    pub sparse: bool,
    /// Whether it is an instruction of fragments (`wmma`), which ptxas makes of others.
    pub wmma: bool,
}

/// How well it is known what a product gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// The PTX ISA says it.
    Specified,
    /// Found from the answers of an NVIDIA H200, or code that ptxas makes of what was.
    Measured,
    /// By analogy.
    Assumed,
}

impl Product {
    /// How well its result is known.
    pub fn evidence(&self) -> Evidence {
        let Shape { m, k, .. } = self.shape;
        match self.a {
            Number::S8 | Number::U8 | Number::S4 | Number::U4 | Number::B1 => Evidence::Specified,
            _ if self.sparse => Evidence::Assumed,
            Number::F64 if m != 8 => Evidence::Assumed,
            Number::E4m3 if self.b == Number::E4m3 && self.d == Number::F32 && k == 32 => {
                Evidence::Measured
            }
            Number::E4m3 | Number::E5m2 => Evidence::Assumed,
            // Found in code of ptxas, whose instructions were not asked themselves.
            _ if self.is_volta() => Evidence::Assumed,
            Number::Bf16 if k == 8 => Evidence::Assumed,
            Number::F16 if k == 8 && self.d == Number::F16 => Evidence::Assumed,
            _ => Evidence::Measured,
        }
    }

    /// What is summed up by one sum after the other, the first of them with C: all products; of 8-bit floats those with
    /// k % 4 below 2, then the others; of the halves of K that ptxas makes of tf32 fragments, one.
    pub(crate) fn parts(&self) -> Vec<Vec<u8>> {
        let terms = 0..self.terms() as u8;
        let part = |of: &dyn Fn(u8) -> bool| terms.clone().filter(|&k| of(k)).collect();
        match self.a {
            Number::E4m3 | Number::E5m2 => vec![part(&|k| k % 4 < 2), part(&|k| k % 4 >= 2)],
            Number::Tf32 if self.wmma => vec![part(&|k| k < 4), part(&|k| k >= 4)],
            _ => vec![part(&|_| true)],
        }
    }

    /// What floats are summed up in: f32 if C or D is.
    pub(crate) fn sum_in(&self) -> Number {
        if self.c == Number::F16 && self.d == Number::F16 { Number::F16 } else { Number::F32 }
    }

    /// Products that are added to an element of C: half of K, if half of A is not stored.
    pub fn terms(&self) -> usize {
        usize::from(self.shape.k) / if self.sparse { 2 } else { 1 }
    }

    /// Whether it is the product of Volta, which cards from sm_80 on have as code of their compiler.
    pub(crate) fn is_volta(&self) -> bool {
        self.a == Number::F16 && self.shape == Shape { m: 8, n: 8, k: 4 }
    }
}
