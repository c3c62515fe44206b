//! Fragments: which lane and register of a warp holds which element of a matrix (PTX ISA 9.7.14.5).
//!
//! All fragments of `mma` follow one pattern. A lane belongs to group `g` (lane / 4) and has
//! position `t` (lane % 4) in it. The first register of A holds 32 bits of row g, which are unit t
//! along K; the next register holds those of row g + 8, and further registers the next four units.
//! B has the same layout, with columns instead of rows. C and D hold row g, columns 2t and 2t + 1,
//! then row g + 8.

use crate::{ElementType, Order, Product, Shape};

/// The maximum number of lines of a matrix (its rows or columns), and of elements in a line; the
/// encoding of [`Fragment::positions`] depends on it.
pub(crate) const LINE: usize = 32;

/// The fragment of one matrix: the positions of the elements in its registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// The number of bits of an element in its register.
    pub(crate) bits: u32,
    /// The number of elements in a register.
    pub(crate) per_register: usize,
    /// For each register, lane and element (lowest bits first), the position of the element:
    /// `32 * y + x`. In A and B, y is the position along K, and x the row or column; in C and D, y
    /// is the column and x the row.
    pub(crate) positions: Vec<u16>,
    /// The number of leading registers that contain every element; later registers repeat elements.
    pub(crate) distinct: usize,
}

impl Fragment {
    fn new(
        number: ElementType,
        registers: usize,
        position: impl Fn(usize, usize, usize) -> (usize, usize),
    ) -> Self {
        let (bits, per_register) = in_register(number);
        let mut positions = Vec::with_capacity(registers * 32 * per_register);
        for register in 0..registers {
            for lane in 0..32 {
                positions.extend((0..per_register).map(|element| {
                    let (y, x) = position(lane, register, element);
                    (LINE * y + x) as u16
                }));
            }
        }
        Self { bits, per_register, positions, distinct: registers }
    }

    /// The number of registers of a lane.
    pub fn registers(&self) -> usize {
        self.positions.len() / (32 * self.per_register)
    }

    /// The position of an element in the matrix: along K and row or column (A, B), or column and
    /// row (C, D).
    pub fn position(&self, register: usize, lane: usize, element: usize) -> (usize, usize) {
        let at = usize::from(self.positions[(register * 32 + lane) * self.per_register + element]);
        (at / LINE, at % LINE)
    }

    /// The number of elements in a register; 1 for single bits, because 32 of them are handled as
    /// one element.
    pub fn elements(&self) -> usize {
        self.per_register
    }

    /// The fragment of A or B with `lines` lines (rows of A, columns of B) of `words` 32-bit units
    /// along K. Blocks have 8 lines, or 16 if `paired`, in which case registers alternate between
    /// the lines g and g + 8.
    fn factor(number: ElementType, lines: usize, words: usize, paired: bool) -> Self {
        let block = if paired { 16 } else { 8 };
        let registers = block / 8 * words / 4;
        let (_, per_register) = in_register(number);
        Self::new(number, lines / block * registers, |lane, register, element| {
            let (of, register) = (register / registers, register % registers);
            let (line, word) = match paired {
                true => (lane / 4 + 8 * (register % 2), lane % 4 + 4 * (register / 2)),
                false => (lane / 4, lane % 4 + 4 * register),
            };
            (word * per_register + element, of * block + line)
        })
    }

    /// The fragment of C or D with `blocks` blocks of `rows` x 8 elements, whose positions `of`
    /// returns.
    fn sum(
        number: ElementType,
        (blocks, rows): (usize, usize),
        of: impl Fn(usize, usize, usize) -> (usize, usize),
    ) -> Self {
        let per_register = if number == ElementType::F16 { 2 } else { 1 };
        let registers = rows / 4 / per_register;
        Self::new(number, blocks * registers, |lane, register, element| {
            let (block, e) = (register / registers, register % registers * per_register + element);
            of(block, lane / 4 + 8 * (e / 2), 2 * (lane % 4) + e % 2)
        })
    }
}

/// The number of bits of an element in a register, and the number of elements in the register. 32
/// single bits are handled as one element.
fn in_register(number: ElementType) -> (u32, usize) {
    match number {
        ElementType::F64 => (64, 1),
        ElementType::B1 => (32, 1),
        _ => (number.bits(), 32 / number.bits() as usize),
    }
}

/// The fragments of A, B, C and D.
pub(crate) type Fragments = [Fragment; 4];

/// The number of 32-bit units along K.
fn words(number: ElementType, k: usize) -> usize {
    if number == ElementType::F64 { k } else { k * number.bits() as usize / 32 }
}

/// The fragments of `mma`.
pub(crate) fn of_mma(product: &Product, orders: (Order, Order)) -> Fragments {
    if product.is_volta() {
        return of_volta(product, orders);
    }
    let (m, stored) = (usize::from(product.shape.m), product.terms());
    let sum = |number| Fragment::sum(number, (1, m), |_, row, column| (column, row));
    let b = words(product.b, product.shape.k.into());
    [
        Fragment::factor(product.a, m, words(product.a, stored), m == 16),
        Fragment::factor(product.b, 8, b, false),
        sum(product.c),
        sum(product.d),
    ]
}

/// The fragments of `mma.m8n8k4` of f16: four products, each by a group of four lanes and the group
/// 16 lanes above it. The rows of A and the columns of B of product q begin at 8q.
fn of_volta(product: &Product, (a, b): (Order, Order)) -> Fragments {
    let factor = |along: bool| {
        Fragment::new(ElementType::F16, 2, |lane, register, element| {
            let (first, half) = (8 * (lane % 16 / 4), 4 * (lane / 16));
            let (at, i) = (lane % 4, 2 * register + element);
            if along { (i, first + half + at) } else { (at, first + half + i) }
        })
    };
    let sum = |number: ElementType| {
        let registers = if number == ElementType::F16 { 4 } else { 8 };
        Fragment::new(number, registers, |lane, register, element| {
            let (first, half) = (8 * (lane % 16 / 4), 4 * (lane / 16));
            match number {
                ElementType::F16 => (2 * register + element, first + half + lane % 4),
                _ => (
                    (register & 4) + (lane & 2) + (register & 1),
                    first + half + (lane & 1) + (register & 2),
                ),
            }
        })
    };
    [factor(a == Order::Row), factor(b == Order::Column), sum(product.c), sum(product.d)]
}

/// The fragments of `wmma`, which ptxas composes of `mma` instructions for 16 x 8 elements of D (or
/// of D transposed, for 8 rows).
pub(crate) fn of_wmma(product: &Product) -> Fragments {
    let Shape { m, n, k } = product.shape;
    let (m, n, k) = (usize::from(m), usize::from(n), usize::from(k));
    if n == 8 && m == 8 {
        return of_mma(product, Default::default());
    }
    // With 8 rows, the instruction computes D transposed, so that A and B exchange their roles.
    let turned = m == 8;
    let mut a = Fragment::factor(product.a, m, words(product.a, k), !turned);
    let mut b = Fragment::factor(product.b, n, words(product.b, k), turned);
    if product.a == ElementType::F16 {
        for fragment in [&mut a, &mut b] {
            // The PTX ISA requires 8 registers, which Volta needed; the second half repeats the
            // first.
            fragment.distinct = fragment.registers();
            let held = fragment.positions.clone();
            fragment.positions.extend(held.iter().cycle().take(8 * 32 * 2 - held.len()));
        }
    }
    let sum = |number| {
        Fragment::sum(number, (m * n / 128, 16), |block, line, across| match (turned, m) {
            (true, _) => (16 * block + line, across),
            (false, 16) => (8 * block + across, line),
            (false, _) => (across, 16 * block + line),
        })
    };
    [a, b, sum(product.c), sum(product.d)]
}
