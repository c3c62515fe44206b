//! Execution of one matrix instruction on the registers of a warp.

use texunit_simd::Build;

use crate::fast::{LANES, SplitMatrix, mantissa_shift, sums};
use crate::fragment::{Fragment, Fragments, LINE, of_mma, of_wmma};
use crate::number::{float8_to_f16, fma_f64, fma_f64_by};
use crate::reference::{add, convert};
use crate::registers::{Registers, each_element, gather, scatter};
use crate::sparse::{Indices, indices};
use crate::{BitOperation, ElementType, Order, Product, Shape};

/// A matrix product, with the layout of its matrices in registers.
#[derive(Clone, Debug)]
pub struct Operation {
    product: Product,
    fragments: Fragments,
    selector: u8,
    parts: Vec<Vec<u8>>,
    /// For f64, the fused multiply-add with the rounding of the instruction; `None` rounds to
    /// nearest.
    fma: Option<Fma>,
}

/// A fused multiply-add of f64 bits.
type Fma = fn(u64, u64, u64) -> u64;

/// Buffers for the matrices of an operation, which are reused by the next one.
#[derive(Debug, Default)]
pub struct Scratch {
    bits: [Vec<[u32; 32]>; 4],
    wide: [Vec<[u64; 32]>; 4],
    planes: [SplitMatrix; 2],
    indices: Indices,
    /// The elements of A or B, if they are 8-bit floats, converted to f16.
    halves: Vec<[u32; 32]>,
}

impl Operation {
    /// An `mma` with these orders of A and B. `selector` is for `mma.sp`: the lanes that have the
    /// metadata.
    pub fn mma(product: Product, orders: (Order, Order), selector: u8) -> Self {
        let (fragments, parts) = (of_mma(&product, orders), product.parts());
        Self { product, fragments, selector, parts, fma: None }
    }

    /// A `wmma.mma`. Its fragments do not depend on the orders of the matrices in memory.
    pub fn wmma(product: Product) -> Self {
        let product = Product { wmma: true, ..product };
        let (fragments, parts) = (of_wmma(&product), product.parts());
        Self { product, fragments, selector: 0, parts, fma: None }
    }

    /// This operation with a fused multiply-add of f64 that rounds in another mode. The function is
    /// never called with a NaN.
    pub fn rounding(self, fma: Fma) -> Self {
        Self { fma: Some(fma), ..self }
    }

    /// For `mma.sp`, which lanes have the metadata.
    pub fn selector(&self) -> u8 {
        self.selector
    }

    /// The product that the operation computes.
    pub fn product(&self) -> &Product {
        &self.product
    }

    /// The fragments of A, B, C and D.
    pub fn fragments(&self) -> &[Fragment; 4] {
        &self.fragments
    }

    /// Computes D from the registers of A, B and C. `metadata` is only used for sparse products.
    /// Missing registers count as zero.
    pub fn run(
        &self,
        build: Build,
        scratch: &mut Scratch,
        [a, b, c]: [&Registers; 3],
        metadata: &[u64; 32],
        d: &mut Registers,
    ) {
        let lines =
            [self.product.terms(), self.product.shape.k.into()].map(|k| match self.product.a {
                ElementType::B1 => k / 32,
                _ => k,
            });
        let lines = [lines[0], lines[1], LINE, LINE];
        if self.product.sparse {
            scratch.indices = indices(&self.product, self.selector, metadata);
        }
        if self.product.a == ElementType::F64 {
            for ((of, from), (to, lines)) in
                self.fragments.iter().zip([a, b, c]).zip(scratch.wide.iter_mut().zip(lines))
            {
                gather(of, from, to, lines, |bits| bits);
            }
            build.run(
                #[inline(always)]
                || self.doubles(scratch),
            );
            scatter(&self.fragments[3], &scratch.wide[3], d, |bits| bits);
            return;
        }
        for ((of, from), (to, lines)) in
            self.fragments.iter().zip([a, b, c]).zip(scratch.bits.iter_mut().zip(lines))
        {
            gather(of, from, to, lines, |bits| bits as u32);
        }
        scratch.bits[3].resize(LINE, [0; 32]);
        match self.product.a {
            _ if self.product.is_volta() => self.volta(scratch),
            ElementType::S8 | ElementType::U8 | ElementType::S4 | ElementType::U4 => {
                build.run(
                    #[inline(always)]
                    || self.integers(scratch),
                );
            }
            ElementType::B1 => build.run(
                #[inline(always)]
                || self.counts(scratch),
            ),
            _ => {
                build.run(
                    #[inline(always)]
                    || self.split(scratch),
                );
                // A call of its own, so that all types share one copy of these loops per SIMD
                // level.
                build.run(
                    #[inline(always)]
                    || self.sums(scratch),
                );
            }
        }
        scatter(&self.fragments[3], &scratch.bits[3], d, u64::from);
    }

    /// The blocks of D that are computed together: for each column, the first row of each block.
    #[inline(always)]
    fn blocks(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (m, n) = (usize::from(self.product.shape.m), usize::from(self.product.shape.n));
        (0..n).flat_map(move |column| (0..m).step_by(LANES).map(move |row| (column, row)))
    }

    /// Splits the float elements of A and B into sign, exponent and mantissa.
    #[inline(always)]
    fn split(&self, scratch: &mut Scratch) {
        match self.product.a {
            ElementType::F16 => self.split_floats(scratch, ElementType::F16),
            ElementType::Bf16 => self.split_floats(scratch, ElementType::Bf16),
            ElementType::Tf32 => self.split_floats(scratch, ElementType::Tf32),
            _ => self.split_tiny(scratch),
        }
    }

    #[inline(always)]
    fn split_floats(&self, scratch: &mut Scratch, number: ElementType) {
        let from = number.format();
        let Shape { m, n, .. } = self.product.shape;
        let Scratch { bits: [a, b, ..], planes: [a_plane, b_plane], .. } = scratch;
        a_plane.read(a, m, from, 0);
        b_plane.read(b, n, from, mantissa_shift(from));
    }

    /// Converts the 8-bit floats of A and B to f16, and splits these into sign, exponent and
    /// mantissa.
    #[inline(always)]
    fn split_tiny(&self, scratch: &mut Scratch) {
        let from = ElementType::F16.format();
        let Product { a: number, b: other, shape: Shape { m, n, .. }, .. } = self.product;
        let Scratch { bits: [a, b, ..], planes: [a_plane, b_plane], halves, .. } = scratch;
        let mut read =
            |plane: &mut SplitMatrix, bits: &[[u32; 32]], number, width, mantissa_shift| {
                halves.clear();
                halves.extend(bits.iter().map(|line| line.map(|bits| float8_to_f16(number, bits))));
                plane.read(halves, width, from, mantissa_shift);
            };
        read(a_plane, a, number, m, 0);
        read(b_plane, b, other, n, mantissa_shift(from));
    }

    /// Computes the sums of products from the split elements.
    #[inline(always)]
    fn sums(&self, scratch: &mut Scratch) {
        let (sum_in, tiny) = (self.product.sum_in(), self.product.a.bits() == 8);
        let Scratch { bits: [a_bits, b_bits, c, d], planes: [a, b], indices, .. } = scratch;
        for (n, row) in self.blocks() {
            let given = lanes(c, n, row);
            let own = match self.product.c == sum_in {
                true => *given,
                false => given.map(|bits| convert(self.product.c, sum_in, bits)),
            };
            let mut result = if tiny { [0; LANES] } else { own };
            let mut special = a.special >> row | (b.special >> n & 1).wrapping_neg();
            for ks in &self.parts {
                let b = &*b;
                let select = |k: usize| b.select(&indices[k][row..row + LANES], n);
                let spread = |k: usize| b.spread(k, n);
                // The two formats of sums are constants of separately compiled loops.
                let (of, more) = match (sum_in, self.product.sparse) {
                    (ElementType::F16, false) => sums::<10>(a, row, ks, spread, &result),
                    (ElementType::F16, true) => sums::<10>(a, row, ks, select, &result),
                    (_, false) => sums::<23>(a, row, ks, spread, &result),
                    (_, true) => sums::<23>(a, row, ks, select, &result),
                };
                result = of;
                // The sum over an earlier part of K may be infinite.
                special |= more;
            }
            for lane in 0..LANES {
                if tiny {
                    result[lane] = add(sum_in, result[lane], own[lane]);
                }
                if self.product.d != sum_in {
                    result[lane] = convert(sum_in, self.product.d, result[lane]);
                }
            }
            d[n][row..row + LANES].copy_from_slice(&result);
            self.specials(special, (n, row), [a_bits, b_bits, c], indices, d);
        }
    }

    /// Recomputes the rows of a block that contain infinities or NaNs, by [`crate::reference`].
    #[inline(always)]
    fn specials(
        &self,
        special: u32,
        (n, row): (usize, usize),
        bits: [&Vec<[u32; 32]>; 3],
        indices: &Indices,
        d: &mut [[u32; 32]],
    ) {
        let inside = u32::MAX >> (32 - (usize::from(self.product.shape.m) - row).min(LANES));
        if special & inside != 0 {
            self.recompute(special & inside, (n, row), bits, indices, d);
        }
    }

    #[cold]
    fn recompute(
        &self,
        mut special: u32,
        (n, row): (usize, usize),
        [a, b, c]: [&Vec<[u32; 32]>; 3],
        indices: &Indices,
        d: &mut [[u32; 32]],
    ) {
        while special != 0 {
            let x = row + special.trailing_zeros() as usize;
            special &= special - 1;
            let a: Vec<u64> = a.iter().map(|line| line[x].into()).collect();
            let b: Vec<u64> = match self.product.sparse {
                true => indices.iter().map(|of| b[usize::from(of[x])][n].into()).collect(),
                false => b.iter().map(|line| line[n].into()).collect(),
            };
            d[n][x] = self.product.element(&a, &b, c[n][x].into()) as u32;
        }
    }

    /// `m8n8k4` of Volta: four products, each with rows and columns of its own.
    fn volta(&self, scratch: &mut Scratch) {
        let [a, b, c, d] = &mut scratch.bits;
        for (n, column) in d.iter_mut().enumerate().take(8) {
            for (x, element) in column.iter_mut().enumerate() {
                let a: [u64; 4] = std::array::from_fn(|k| a[k][x].into());
                let b: [u64; 4] = std::array::from_fn(|k| b[k][x / 8 * 8 + n].into());
                *element = self.product.element(&a, &b, c[n][x].into()) as u32;
            }
        }
    }

    #[inline(always)]
    fn integers(&self, scratch: &mut Scratch) {
        let Scratch { bits: [a, b, c, d], indices, .. } = scratch;
        for (bits, number) in [(&mut *a, self.product.a), (&mut *b, self.product.b)] {
            for element in bits.as_flattened_mut() {
                *element = number.integer(*element) as u32;
            }
        }
        for (n, row) in self.blocks() {
            let mut sum = [0i32; LANES];
            for (k, line) in a.iter().enumerate() {
                let a: &[u32; LANES] = &line.as_chunks().0[row / LANES];
                let b: [u32; LANES] = match self.product.sparse {
                    true => std::array::from_fn(|x| b[usize::from(indices[k][row + x])][n]),
                    false => [b[k][n]; LANES],
                };
                for x in 0..LANES {
                    sum[x] = sum[x].wrapping_add((a[x] as i32).wrapping_mul(b[x] as i32));
                }
            }
            let c = lanes(c, n, row);
            for x in 0..LANES {
                let c = c[x] as i32;
                let total = if self.product.saturate {
                    c.saturating_add(sum[x])
                } else {
                    c.wrapping_add(sum[x])
                };
                d[n][row + x] = total as u32;
            }
        }
    }

    #[inline(always)]
    fn counts(&self, scratch: &mut Scratch) {
        let [a, b, c, d] = &mut scratch.bits;
        let and = self.product.operation == BitOperation::And;
        for (n, row) in self.blocks() {
            let mut sum = *lanes(c, n, row);
            for (line, b) in a.iter().zip(b.iter()) {
                let a: &[u32; LANES] = &line.as_chunks().0[row / LANES];
                for x in 0..LANES {
                    let bits = if and { a[x] & b[n] } else { a[x] ^ b[n] };
                    sum[x] = sum[x].wrapping_add(bits.count_ones());
                }
            }
            d[n][row..row + LANES].copy_from_slice(&sum);
        }
    }

    /// A chain of fused multiply-adds. The result's NaN is left to the reference.
    #[inline(always)]
    fn doubles(&self, scratch: &mut Scratch) {
        let [a, b, c, d] = &mut scratch.wide;
        d.resize(LINE, [0; 32]);
        let fma = self.fma.unwrap_or(fma_f64);
        for (n, row) in self.blocks() {
            let mut sum: [f64; LANES] = std::array::from_fn(|x| f64::from_bits(c[n][row + x]));
            for (a, b) in a.iter().zip(b.iter()) {
                for (x, sum) in sum.iter_mut().enumerate() {
                    *sum = f64::from_bits(a[row + x]).mul_add(f64::from_bits(b[n]), *sum);
                }
            }
            for (x, sum) in sum.into_iter().enumerate() {
                let x = row + x;
                d[n][x] = match self.fma.is_none() && !sum.is_nan() {
                    true => sum.to_bits(),
                    false => a
                        .iter()
                        .zip(b.iter())
                        .fold(c[n][x], |sum, (a, b)| fma_f64_by(fma, a[x], b[n], sum)),
                };
            }
        }
    }

    /// Computes which bits of D depend on bits that are set in A, B and C: all bits of an element,
    /// if bits are set in one of its factors or in its element of C.
    pub fn dependence(&self, [a, b, c]: [&Registers; 3], d: &mut Registers) {
        let mut lines = [0u32; 2];
        for (line, (of, from)) in lines.iter_mut().zip(self.fragments.iter().zip([a, b])) {
            each_element(of, from, |position, bits| {
                *line |= u32::from(bits != 0) << (position % LINE)
            });
        }
        let mut own = [0u32; LINE];
        each_element(&self.fragments[2], c, |position, bits| {
            own[position / LINE] |= u32::from(bits != 0) << (position % LINE);
        });
        let of = &self.fragments[3];
        let mask = u64::MAX >> (64 - of.bits);
        for (register, to) in d.iter_mut().enumerate().take(of.registers()) {
            for (lane, word) in to.iter_mut().enumerate() {
                *word = (0..of.per_register).fold(0, |word, i| {
                    let (column, row) = of.position(register, lane, i);
                    // `m8n8k4` of Volta computes four products, and each has 8 columns of B for
                    // itself.
                    let of_b = if self.product.is_volta() { row / 8 * 8 + column } else { column };
                    let any = lines[0] >> row | lines[1] >> of_b | own[column] >> row;
                    word | if any & 1 == 1 { mask << (of.bits as usize * i) } else { 0 }
                });
            }
        }
    }
}

/// The elements of column `n` in the block of [`LANES`] rows that begins at `row`.
#[inline(always)]
fn lanes(columns: &[[u32; 32]], n: usize, row: usize) -> &[u32; LANES] {
    &columns[n].as_chunks().0[row / LANES]
}
