//! Matrix products: the common implementation of all `gemm` functions, `gemv`, `ger` and
//! `cublasLtMatmul`.

use crate::call::Call;
use crate::code::*;
use crate::format::Format;
use crate::number::Number;
use crate::operand::{BoundOperand, Factor, Memory, Operand, changed};
use crate::view::{Operation, multiply};
use num_complex::{Complex32, Complex64};

/// `D = activation(alpha op(A) op(B) + beta C + bias)`, for each matrix of a batch.
pub(crate) struct Product {
    pub(crate) operations: [Operation; 2],
    /// A, B and the result D, of compatible sizes.
    pub(crate) operands: [Operand; 3],
    /// C, if its memory is not that of D.
    pub(crate) added: Option<Operand>,
    pub(crate) count: usize,
    /// The type of alpha and beta; sums are computed in a type that is at least as wide.
    pub(crate) scalar: Format,
    /// The vector that is added to each column of the product.
    pub(crate) bias: Option<Operand>,
    pub(crate) activation: Activation,
}

/// The activation function of an epilogue, applied to each element of the result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activation {
    None,
    Relu,
    Gelu,
}

/// A product whose matrices are in the memory of a submitted computation.
struct BoundProduct {
    operations: [Operation; 2],
    /// A and B; `None` if they are not read, because alpha is 0.
    factors: Option<[BoundOperand; 2]>,
    result: BoundOperand,
    added: Option<BoundOperand>,
    bias: Option<BoundOperand>,
    activation: Activation,
    scalars: [Factor; 2],
}

impl Product {
    /// A product of matrices of one type, without an epilogue.
    pub(crate) fn new(operations: [Operation; 2], operands: [Operand; 3]) -> Self {
        Self {
            operations,
            operands,
            added: None,
            count: 1,
            scalar: operands[2].format,
            bias: None,
            activation: Activation::None,
        }
    }

    /// Submits the product to the handle's stream.
    pub(crate) fn submit(self, mut call: Call, [alpha, beta]: [Factor; 2]) -> Answer {
        let Self { operations, operands: [a, b, result], count, activation, .. } = self;
        let mut add = |operand: Operand, access: u64| operand.add(&mut call, self.count, access);
        // An operand whose scalar is 0 is not read.
        let factors = match alpha.is_zero() {
            true => None,
            false => Some([add(a, Region::READ)?, add(b, Region::READ)?]),
        };
        let access = if self.added.is_some() { Region::WRITTEN } else { changed(beta) };
        let result = add(result, access)?;
        let added = self.added.filter(|_| !beta.is_zero());
        let added = added.map(|added| add(added, Region::READ)).transpose()?;
        let bias = self.bias.map(|bias| add(bias, Region::READ)).transpose()?;
        let scalars = [alpha, beta];
        let ready = BoundProduct { operations, factors, result, added, bias, activation, scalars };
        let scalar = self.scalar;
        call.submit(move |memory| {
            (0..count).for_each(|i| match scalar {
                Format::Half | Format::Bfloat | Format::Single => ready.run::<f32>(memory, i),
                Format::Double | Format::Byte | Format::Integer => ready.run::<f64>(memory, i),
                Format::ComplexSingle => ready.run::<Complex32>(memory, i),
                Format::ComplexDouble => ready.run::<Complex64>(memory, i),
            });
        })
    }
}

impl BoundProduct {
    fn run<T: Number>(&self, memory: &mut Memory<'_>, i: usize) {
        let [alpha, beta] = self.scalars.map(|scalar| scalar.value::<T>(memory));
        let steps = self.result.steps();
        self.result.change::<T>(memory, i, |to, memory| {
            if let Some(added) = &self.added {
                let added = added.read::<T>(memory, i);
                let added = added.view();
                for (row, column, number) in self.result.places(to) {
                    *number = added.at(row, column);
                }
            }
            match &self.factors {
                Some([a, b]) => {
                    let (a, b) = (a.read(memory, i), b.read(memory, i));
                    let factors =
                        (a.view().after(self.operations[0]), b.view().after(self.operations[1]));
                    multiply((to, steps), factors, (alpha, beta), threads());
                }
                None => to.iter_mut().for_each(|number| {
                    *number = if beta.is_zero() { T::zero() } else { *number * beta };
                }),
            }
            let bias = self.bias.as_ref().map(|bias| bias.read::<T>(memory, i));
            if bias.is_some() || self.activation != Activation::None {
                for (row, _, number) in self.result.places(to) {
                    let bias = bias.as_ref().map_or_else(T::zero, |bias| bias.all()[row]);
                    *number = self.activation.of(*number + bias);
                }
            }
        });
    }
}

impl Activation {
    fn of<T: Number>(self, number: T) -> T {
        let x = number.wide().re;
        let y = match self {
            Self::None => return number,
            // A NaN stays a NaN, because it does not compare as less than 0.
            Self::Relu if x < 0.0 => 0.0,
            Self::Relu => x,
            // The documentation specifies the approximation by a hyperbolic tangent.
            Self::Gelu => {
                let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x * x * x);
                0.5 * x * (1.0 + inner.tanh())
            }
        };
        T::narrow(y.into())
    }
}
