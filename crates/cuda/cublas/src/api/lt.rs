//! cuBLASLt: products with a bias and an activation, of matrices by columns or by rows (`cublasLtMatmul`).
//!
//! Descriptors ([`descriptor`]) are memory of the program, or of a box that is handed out.

mod descriptor;

use super::ex::{Compute, Factor, Format, Sums};
use super::gemm::{Sizes, multiply_one};
use crate::call::Call;
use crate::code::{Answer, BlasCode};
use crate::handle;
use crate::level3::transposed;
use crate::number::Number;
use crate::view::Operation;
use descriptor::{LAYOUT, PREFERENCE, PRODUCT};
use num_complex::{Complex32, Complex64};
use std::ffi::{c_int, c_void};
use texunit_client::call::Code;
use texunit_client::driver::CUstream;
use texunit_client::library_api;
use texunit_client::work::{Region, threads};
use texunit_cuda_abi::args::{In, Out};

/// Defines the functions for the attributes of a kind of descriptor.
macro_rules! descriptor {
    ($kind:ident: $destroy:ident $set:ident $get:ident) => {
        library_api! { (BlasCode)
            /// Ends a descriptor.
            fn $destroy(descriptor: usize) {
                $kind.destroy(descriptor)
            }

            /// Sets an attribute.
            fn $set(descriptor: usize, attr: u32, buf: In<u8>, sizeInBytes: usize) {
                $kind.set(descriptor, attr, buf, sizeInBytes)
            }

            /// The value of an attribute.
            fn $get(descriptor: usize, attr: u32, buf: Out<u8>, sizeInBytes: usize, sizeWritten: Out<usize>) {
                $kind.get(descriptor, attr, buf, sizeInBytes, sizeWritten)
            }
        }
    };
}
descriptor! { LAYOUT: cublasLtMatrixLayoutDestroy cublasLtMatrixLayoutSetAttribute cublasLtMatrixLayoutGetAttribute }
descriptor! { PRODUCT: cublasLtMatmulDescDestroy cublasLtMatmulDescSetAttribute cublasLtMatmulDescGetAttribute }
descriptor! { PREFERENCE:
cublasLtMatmulPreferenceDestroy cublasLtMatmulPreferenceSetAttribute cublasLtMatmulPreferenceGetAttribute }

/// The values of a new layout: one matrix by columns.
fn layout(r#type: u32, rows: u64, cols: u64, ld: i64) -> [(usize, u64); 5] {
    [(0, r#type.into()), (2, rows), (3, cols), (4, ld.cast_unsigned()), (5, 1)]
}

/// The values of a new product, without an epilogue. The bias has the type of the result.
fn product(compute: u32, scale: u32) -> [(usize, u64); 4] {
    [(0, compute.into()), (1, scale.into()), (7, 1), (11, u32::MAX.into())]
}

library_api! { (BlasCode)
    /// A new handle.
    fn cublasLtCreate(lightHandle: Out<usize>) {
        lightHandle.check()?;
        lightHandle.set(handle::create()?)?;
        Ok(())
    }

    /// Ends a handle.
    fn cublasLtDestroy(lightHandle: usize) {
        handle::destroy(lightHandle)
    }

    /// A new layout.
    fn cublasLtMatrixLayoutCreate(matLayout: Out<usize>, r#type: u32, rows: u64, cols: u64, ld: i64) {
        LAYOUT.create(matLayout, &layout(r#type, rows, cols, ld))
    }

    /// A layout in memory of the program.
    fn cublasLtMatrixLayoutInit_internal(matLayout: Out<u64>, size: usize, r#type: u32, rows: u64, cols: u64, ld: i64) {
        // SAFETY: the caller's room.
        unsafe { LAYOUT.write(matLayout, size, &layout(r#type, rows, cols, ld)) }
    }

    /// A new product.
    fn cublasLtMatmulDescCreate(matmulDesc: Out<usize>, computeType: u32, scaleType: u32) {
        PRODUCT.create(matmulDesc, &product(computeType, scaleType))
    }

    /// A product in memory of the program.
    fn cublasLtMatmulDescInit_internal(matmulDesc: Out<u64>, size: usize, computeType: u32, scaleType: u32) {
        // SAFETY: the caller's room.
        unsafe { PRODUCT.write(matmulDesc, size, &product(computeType, scaleType)) }
    }

    /// A new preference.
    fn cublasLtMatmulPreferenceCreate(pref: Out<usize>) {
        PREFERENCE.create(pref, &[])
    }

    /// A preference in memory of the program.
    fn cublasLtMatmulPreferenceInit_internal(pref: Out<u64>, size: usize) {
        // SAFETY: the caller's room.
        unsafe { PREFERENCE.write(pref, size, &[]) }
    }

    /// How a product is made: there is one way, which needs no work area.
    fn cublasLtMatmulAlgoGetHeuristic(
        lightHandle: usize,
        operationDesc: usize,
        Adesc: usize,
        Bdesc: usize,
        Cdesc: usize,
        Ddesc: usize,
        _preference: usize,
        requestedAlgoCount: c_int,
        heuristicResultsArray: Out<[u64; 12]>,
        returnAlgoCount: Out<c_int>,
    ) {
        handle::get(lightHandle)?;
        returnAlgoCount.check()?;
        if requestedAlgoCount < 1 {
            return Err(BlasCode::InvalidValue.because("requestedAlgoCount is less than 1"));
        }
        Product::read(operationDesc, [Adesc, Bdesc, Cdesc, Ddesc])?;
        // The way, no work area, success, and one wave.
        let mut result = [0; 12];
        result[0] = 1;
        result[9] = u64::from(1.0_f32.to_bits()) << 32;
        heuristicResultsArray.set(result)?;
        returnAlgoCount.set(1)?;
        Ok(())
    }

    /// `D = activation(alpha op(A) op(B) + beta C + bias)`.
    fn cublasLtMatmul(
        lightHandle: usize,
        computeDesc: usize,
        alpha: u64,
        A: u64,
        Adesc: usize,
        B: u64,
        Bdesc: usize,
        beta: u64,
        C: u64,
        Cdesc: usize,
        D: u64,
        Ddesc: usize,
        _algo: u64,
        _workspace: *mut c_void,
        _workspaceSizeInBytes: usize,
        stream: CUstream,
    ) {
        let mut call = Call::new("cublasLtMatmul", lightHandle)?;
        call.settings.stream = stream;
        Product::read(computeDesc, [Adesc, Bdesc, Cdesc, Ddesc])?.submit(call, [alpha, beta], [A, B, C, D])
    }
}

/// One matrix, or equally distant ones.
#[derive(Clone, Copy)]
struct Layout {
    format: Format,
    by_rows: bool,
    rows: usize,
    columns: usize,
    leading: i64,
    count: usize,
    distance: i64,
}

impl Layout {
    fn read(at: usize) -> Answer<Self> {
        let words = LAYOUT.read(at)?;
        let size = |word: u64| {
            usize::try_from(word).map_err(|_| BlasCode::InvalidValue.because("a size is too large"))
        };
        if words[1] > 1 {
            let why = "the order of a matrix is not by columns (0) or by rows (1)";
            return Err(BlasCode::NotSupported.because(why));
        }
        Ok(Self {
            format: Format::of_c("the type of a layout", words[0] as u32)?,
            by_rows: words[1] == 1,
            rows: size(words[2])?,
            columns: size(words[3])?,
            leading: words[4].cast_signed(),
            count: size(words[5])?,
            distance: words[6].cast_signed(),
        })
    }

    /// As it is in memory by columns.
    fn shape(&self) -> [usize; 2] {
        if self.by_rows { [self.columns, self.rows] } else { [self.rows, self.columns] }
    }

    fn add(&self, call: &mut Call, address: u64, access: u64) -> Answer<usize> {
        let leading = ("the leading dimension of a layout", self.leading);
        call.typed(
            address,
            self.format.size(),
            self.shape(),
            leading,
            (self.count, self.distance),
            access,
        )
    }

    /// The numbers of one of the matrices, by columns.
    fn numbers<T: Number>(&self, bytes: &[u8], i: usize) -> Vec<T> {
        let size = self.rows * self.columns * self.format.size();
        let all = self.format.widen(&bytes[i * size..(i + 1) * size]);
        if self.by_rows { transposed(&all, self.columns, self.rows) } else { all }
    }
}

/// The activation function of an epilogue, applied to each element of the result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Activation {
    None,
    Relu,
    Gelu,
}

/// A product as it is described.
struct Product {
    layouts: [Layout; 4],
    operations: [Operation; 2],
    sizes: Sizes,
    compute: Compute,
    on_device: bool,
    activation: Activation,
    /// Where the bias is, its type, and the distance to that of the next matrix.
    bias: Option<(u64, Format, i64)>,
}

impl Product {
    fn read(desc: usize, layouts: [usize; 4]) -> Answer<Self> {
        let words = PRODUCT.read(desc)?;
        let [a, b, c, d] = layouts.map(Layout::read);
        let layouts = [a?, b?, c?, d?];
        let [a, b, c, d] = layouts;
        let compute = Compute::of_c(words[0] as u32, [a.format, b.format, d.format])?;
        if c.format != d.format || Format::of_c("scaleType", words[1] as u32)? != compute.scalar {
            let why = "the types of C and D, or of the scalars and the computation, differ";
            return Err(BlasCode::NotSupported.because(why));
        }
        if words[2] > 1 || words[5] != 0 {
            let why = "a pointer mode with vectors, or an operation on C, is not provided";
            return Err(BlasCode::NotSupported.because(why));
        }
        let operations = [words[3] as u32, words[4] as u32];
        let k = if operations[0] == 0 { a.columns } else { a.rows };
        let sizes = Sizes::new(operations, [d.rows as i64, d.columns as i64, k as i64])?;
        let shapes = sizes.shapes();
        let fits = [[a.rows, a.columns], [b.rows, b.columns]] == shapes
            && [c.rows, c.columns] == [d.rows, d.columns]
            && [a, b, c].iter().all(|layout| layout.count == d.count);
        if !fits {
            return Err(BlasCode::InvalidValue
                .because("the rows, columns or batches of the matrices do not fit"));
        }
        let (activation, has_bias) = match words[7] {
            1 => (Activation::None, false),
            2 => (Activation::Relu, false),
            4 => (Activation::None, true),
            6 => (Activation::Relu, true),
            32 => (Activation::Gelu, false),
            36 => (Activation::Gelu, true),
            other => {
                return Err(
                    BlasCode::NotSupported.because(format!("epilogue {other} is not provided"))
                );
            }
        };
        let format = match words[11] as u32 {
            u32::MAX => d.format,
            number => Format::of_c("the type of the bias", number)?,
        };
        let bias = has_bias.then_some((words[8], format, words[10].cast_signed()));
        Ok(Self {
            layouts,
            operations: sizes.operations,
            sizes,
            compute,
            on_device: words[2] == 1,
            activation,
            bias,
        })
    }

    fn submit(self, mut call: Call, [alpha, beta]: [u64; 2], addresses: [u64; 4]) -> Answer {
        call.settings.on_device = self.on_device;
        let alpha = Factor::new(&mut call, "alpha", alpha, self.compute.scalar)?;
        let beta = Factor::new(&mut call, "beta", beta, self.compute.scalar)?;
        let [a, b, mut c, d] = self.layouts;
        if beta.is_zero() {
            // C is not read.
            (c.rows, c.columns, c.leading) = (0, 0, 1);
        }
        let first = a.add(&mut call, addresses[0], Region::READ)?;
        b.add(&mut call, addresses[1], Region::READ)?;
        c.add(&mut call, addresses[2], Region::READ)?;
        d.add(&mut call, addresses[3], Region::WRITTEN)?;
        if let Some((address, format, distance)) = self.bias {
            let leading = ("the bias", d.rows.max(1) as i64);
            call.typed(
                address,
                format.size(),
                [d.rows, 1],
                leading,
                (d.count, distance),
                Region::READ,
            )?;
        }
        let product = Self { layouts: [a, b, c, d], ..self };
        call.submit(move |memory| {
            let factors = [alpha.value(memory), beta.value(memory)];
            let memory = &mut memory[first..];
            match product.compute.sums {
                Sums::Single => product.run::<f32>(memory, factors),
                Sums::Double => product.run::<f64>(memory, factors),
                Sums::ComplexSingle => product.run::<Complex32>(memory, factors),
                Sums::ComplexDouble => product.run::<Complex64>(memory, factors),
            }
        })
    }

    fn run<T: Number>(&self, memory: &mut [&mut [u8]], factors: [Complex64; 2]) {
        let [a, b, c, d, rest @ ..] = memory else { return };
        let [of_a, of_b, of_c, of_d] = &self.layouts;
        debug_assert!(self.operations == self.sizes.operations);
        let (rows, size) = (of_d.rows, of_d.rows * of_d.columns);
        for i in 0..of_d.count {
            let (a, b) = (of_a.numbers::<T>(a, i), of_b.numbers::<T>(b, i));
            let mut result = match of_c.rows {
                0 => vec![T::zero(); size],
                _ => of_c.numbers(c, i),
            };
            let factors = (T::narrow(factors[0]), T::narrow(factors[1]));
            multiply_one(&self.sizes, [&a, &b], &mut result, factors, threads());
            if let (Some((_, format, _)), Some(bytes)) = (self.bias, rest.first()) {
                let bytes = &bytes[i * rows * format.size()..(i + 1) * rows * format.size()];
                let bias = format.widen::<T>(bytes);
                for (number, &bias) in result.iter_mut().zip(bias.iter().cycle()) {
                    *number += bias;
                }
            }
            if self.activation != Activation::None {
                for number in &mut result {
                    *number = T::narrow(self.activation.of(number.wide().re).into());
                }
            }
            if of_d.by_rows {
                result = transposed(&result, rows, of_d.columns);
            }
            let bytes = size * of_d.format.size();
            of_d.format.narrow(&result, &mut d[i * bytes..(i + 1) * bytes]);
        }
    }
}

impl Activation {
    fn of(self, x: f64) -> f64 {
        match self {
            Self::None => x,
            Self::Relu => x.max(0.0),
            // The approximation by a hyperbolic tangent, as the documentation says.
            Self::Gelu => {
                let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x * x * x);
                0.5 * x * (1.0 + inner.tanh())
            }
        }
    }
}
