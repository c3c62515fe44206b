//! The matrix products that instructions compute: sizes, element types, and how well their results
//! are known.

use crate::ElementType;

/// The sizes of a product: rows of A, columns of B, and the dimension that is summed over.
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
    /// The shape with a name such as `m16n8k16`.
    pub fn from_name(name: &str) -> Option<Self> {
        let (m, rest) = name.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        let size = |text: &str| text.parse().ok().filter(|size| (1..=256).contains(size));
        Some(Self { m: size(m)?, n: size(n)?, k: size(k)? })
    }
}

/// The order of a matrix's elements in memory, or in the registers of `m8n8k4`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Row-major.
    #[default]
    Row,
    /// Column-major.
    Column,
}

/// The operation on pairs of bits before the set bits are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BitOperation {
    /// `.xor.popc`: exclusive or
    #[default]
    Xor,
    /// `.and.popc`: and
    And,
}

/// A product D = A * B + C, as one instruction computes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    /// The sizes of the matrices.
    pub shape: Shape,
    /// Element type of A.
    pub a: ElementType,
    /// Element type of B.
    pub b: ElementType,
    /// Element type of C.
    pub c: ElementType,
    /// Element type of D.
    pub d: ElementType,
    /// Whether integer results are clamped (`.satfinite`); otherwise they wrap around.
    pub saturate: bool,
    /// For single-bit elements, the operation on pairs of bits.
    pub operation: BitOperation,
    /// Whether half of A consists of zeros that are not stored (`mma.sp`).
    pub sparse: bool,
    /// Whether the instruction is `wmma`, which ptxas composes of other instructions.
    pub wmma: bool,
}

/// How well the result of a product is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// The PTX ISA defines the result.
    Specified,
    /// The result was measured on an NVIDIA H200, or follows from the code that ptxas generates of
    /// measured instructions.
    Measured,
    /// The result is assumed by analogy with measured instructions.
    Assumed,
}

impl Product {
    /// How the bits of this product's result are known: specified, measured or assumed.
    pub fn evidence(&self) -> Evidence {
        let Shape { m, k, .. } = self.shape;
        match self.a {
            ElementType::S8
            | ElementType::U8
            | ElementType::S4
            | ElementType::U4
            | ElementType::B1 => Evidence::Specified,
            _ if self.sparse => Evidence::Assumed,
            ElementType::F64 if m != 8 => Evidence::Assumed,
            ElementType::E4m3
                if self.b == ElementType::E4m3 && self.d == ElementType::F32 && k == 32 =>
            {
                Evidence::Measured
            }
            ElementType::E4m3 | ElementType::E5m2 => Evidence::Assumed,
            // Known from ptxas's code only; the instructions in it were not measured.
            _ if self.is_volta() => Evidence::Assumed,
            ElementType::Bf16 if k == 8 => Evidence::Assumed,
            ElementType::F16 if k == 8 && self.d == ElementType::F16 => Evidence::Assumed,
            _ => Evidence::Measured,
        }
    }

    /// The products that are added in one sum, for each of several sums that are computed one after
    /// the other (the first of them includes C, except for 8-bit floats). Most types have one sum
    /// of all products. 8-bit floats have one sum of the products with k % 4 below 2, and one sum
    /// of the products with k % 4 of 2 or 3; tf32 fragments, which ptxas splits into halves of K,
    /// have one sum for each half.
    pub(crate) fn parts(&self) -> Vec<Vec<u8>> {
        let terms = 0..self.terms() as u8;
        let part = |of: &dyn Fn(u8) -> bool| terms.clone().filter(|&k| of(k)).collect();
        match self.a {
            ElementType::E4m3 | ElementType::E5m2 => {
                vec![part(&|k| k % 4 < 2), part(&|k| k % 4 >= 2)]
            }
            ElementType::Tf32 if self.wmma => vec![part(&|k| k < 4), part(&|k| k >= 4)],
            _ => vec![part(&|_| true)],
        }
    }

    /// The type in which floats are summed: f32 if C or D is f32.
    pub(crate) fn sum_in(&self) -> ElementType {
        if self.c == ElementType::F16 && self.d == ElementType::F16 {
            ElementType::F16
        } else {
            ElementType::F32
        }
    }

    /// The number of products that are added to an element of C: half of K, if half of A is not
    /// stored.
    pub fn terms(&self) -> usize {
        usize::from(self.shape.k) / if self.sparse { 2 } else { 1 }
    }

    /// Whether this is Volta's product, which the compiler emulates from sm_80 on.
    pub(crate) fn is_volta(&self) -> bool {
        self.a == ElementType::F16 && self.shape == Shape { m: 8, n: 8, k: 4 }
    }
}
