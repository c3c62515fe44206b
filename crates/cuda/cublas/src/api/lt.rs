//! cuBLASLt: matrix products with a bias and an activation, of column-major or row-major matrices
//! (`cublasLtMatmul`).
//!
//! Descriptors ([`descriptor`]) are in memory of the program, or in a Rust `Box`, whose address is
//! the descriptor's handle.

use crate::api::*;

mod descriptor;

use super::gemm::shapes;
use crate::product::{Activation, Product};
use descriptor::{LAYOUT, PREFERENCE, PRODUCT};

/// Defines the functions for the attributes of one kind of descriptor.
macro_rules! descriptor {
    ($kind:ident: $destroy:ident $set:ident $get:ident) => {
        library_api! { (BlasCode)
            /// Destroys a descriptor.
            fn $destroy(descriptor: usize) {
                $kind.destroy(descriptor)
            }

            /// Sets an attribute of a descriptor.
            fn $set(descriptor: usize, attr: u32, buf: In<u8>, sizeInBytes: usize) {
                $kind.set(descriptor, attr, buf, sizeInBytes)
            }

            /// Reads an attribute of a descriptor.
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

/// Initial attributes of a matrix layout: one column-major matrix.
fn layout(r#type: u32, rows: u64, cols: u64, ld: i64) -> [(usize, u64); 5] {
    [(0, r#type.into()), (2, rows), (3, cols), (4, ld.cast_unsigned()), (5, 1)]
}

/// Initial attributes of a product descriptor: no epilogue, and a bias of the result's type.
fn product(compute: u32, scale: u32) -> [(usize, u64); 4] {
    [(0, compute.into()), (1, scale.into()), (7, 1), (11, u32::MAX.into())]
}

library_api! { (BlasCode)
    /// Creates a handle.
    fn cublasLtCreate(lightHandle: Out<usize>) {
        lightHandle.give(create_handle)
    }

    /// Destroys a handle.
    fn cublasLtDestroy(lightHandle: usize) {
        HANDLES.remove(lightHandle).map(drop)
    }

    /// Creates a matrix layout.
    fn cublasLtMatrixLayoutCreate(matLayout: Out<usize>, r#type: u32, rows: u64, cols: u64, ld: i64) {
        LAYOUT.create(matLayout, &layout(r#type, rows, cols, ld))
    }

    /// Initialises a matrix layout in the program's memory.
    fn cublasLtMatrixLayoutInit_internal(matLayout: Out<u64>, size: usize, r#type: u32, rows: u64, cols: u64, ld: i64) {
        // SAFETY: the caller's buffer has this capacity.
        unsafe { LAYOUT.write(matLayout, size, &layout(r#type, rows, cols, ld)) }
    }

    /// Creates a product descriptor.
    fn cublasLtMatmulDescCreate(matmulDesc: Out<usize>, computeType: u32, scaleType: u32) {
        PRODUCT.create(matmulDesc, &product(computeType, scaleType))
    }

    /// Initialises a product descriptor in the program's memory.
    fn cublasLtMatmulDescInit_internal(matmulDesc: Out<u64>, size: usize, computeType: u32, scaleType: u32) {
        // SAFETY: the caller's buffer has this capacity.
        unsafe { PRODUCT.write(matmulDesc, size, &product(computeType, scaleType)) }
    }

    /// Creates a descriptor of preferences for the choice of an algorithm.
    fn cublasLtMatmulPreferenceCreate(pref: Out<usize>) {
        PREFERENCE.create(pref, &[])
    }

    /// Initialises a descriptor of preferences in the program's memory.
    fn cublasLtMatmulPreferenceInit_internal(pref: Out<u64>, size: usize) {
        // SAFETY: the caller's buffer has this capacity.
        unsafe { PREFERENCE.write(pref, size, &[]) }
    }

    /// Lists the algorithms for a matrix product: always a single algorithm, which needs no work
    /// area.
    fn cublasLtMatmulAlgoGetHeuristic(
        lightHandle: usize, operationDesc: usize, Adesc: usize, Bdesc: usize, Cdesc: usize,
        Ddesc: usize, _preference: usize, requestedAlgoCount: c_int,
        heuristicResultsArray: Out<[u64; 12]>, returnAlgoCount: Out<c_int>,
    ) {
        HANDLES.get(lightHandle)?;
        returnAlgoCount.check()?;
        if requestedAlgoCount < 1 {
            bail!(BlasCode::InvalidValue, "requestedAlgoCount is less than 1");
        }
        read(operationDesc, [Adesc, Bdesc, Cdesc, Ddesc], [0; 4])?;
        // The result describes the algorithm: its number is 1, its work area has size 0, its state
        // is 0 (success), and its kernel has 1.0 waves of CTAs.
        let mut result = [0; 12];
        result[0] = 1;
        result[9] = u64::from(1.0_f32.to_bits()) << 32;
        heuristicResultsArray.set(result)?;
        Ok(returnAlgoCount.set(1)?)
    }

    /// `D = activation(alpha op(A) op(B) + beta C + bias)`.
    fn cublasLtMatmul(
        lightHandle: usize, computeDesc: usize, alpha: u64, A: u64, Adesc: usize, B: u64,
        Bdesc: usize, beta: u64, C: u64, Cdesc: usize, D: u64, Ddesc: usize, _algo: u64,
        _workspace: *mut c_void, _workspaceSizeInBytes: usize, stream: CUstream,
    ) {
        let mut call = Call::new("cublasLtMatmul", lightHandle)?;
        call.settings.stream = stream;
        let (product, on_device) = read(computeDesc, [Adesc, Bdesc, Cdesc, Ddesc], [A, B, C, D])?;
        call.settings.on_device = on_device;
        let factors = Factor::both(&mut call, [alpha, beta], product.scalar)?;
        product.submit(call, factors)
    }
}

/// The matrices that a matrix layout descriptor (`layout`) describes, the first of which is at
/// `address`, and the number of matrices in the batch.
fn matrices(layout: usize, address: u64) -> Answer<(Operand, usize)> {
    let words = LAYOUT.read(layout)?;
    let size = |word: u64| {
        usize::try_from(word).map_err(|_| BlasCode::InvalidValue.because("a size is too large"))
    };
    let [rows, columns, count] = [size(words[2])?, size(words[3])?, size(words[5])?];
    let format = Format::of_c("the type of a layout", words[0] as u32)?;
    let leading = ("the leading dimension of a layout", words[4].cast_signed());
    let made = match words[1] {
        0 => Operand::matrix(format, address, [rows, columns], leading)?,
        1 => Operand::by_rows(format, address, [rows, columns], leading)?,
        _ => bail!(
            BlasCode::NotSupported,
            "the order of a matrix is not by columns (0) or by rows (1)"
        ),
    };
    Ok((made.each(words[6].cast_signed()), count))
}

/// Reads the descriptors of a product whose matrices A, B, C and D are at these addresses; also
/// returns whether the scalars alpha and beta are in device memory.
fn read(desc: usize, layouts: [usize; 4], addresses: [u64; 4]) -> Answer<(Product, bool)> {
    let words = PRODUCT.read(desc)?;
    let [a, b, c, d] = [0, 1, 2, 3].map(|i| matrices(layouts[i], addresses[i]));
    let [(a, count_a), (b, count_b), (c, count_c), (d, count)] = [a?, b?, c?, d?];
    let scalar = Format::of_scalars(words[0] as u32, [a.format, b.format, d.format])?;
    ensure!(
        c.format == d.format && Format::of_c("scaleType", words[1] as u32)? == scalar,
        BlasCode::NotSupported,
        "the types of C and D, or of the scalars and the computation, differ"
    );
    ensure!(
        words[2] <= 1 && words[5] == 0,
        BlasCode::NotSupported,
        "a pointer mode with vectors, or an operation on C, is not provided"
    );
    let operations = [operation("transa", words[3] as u32)?, operation("transb", words[4] as u32)?];
    let k = if words[3] == 0 { a.columns } else { a.rows };
    let fits = [[a.rows, a.columns], [b.rows, b.columns]]
        == shapes(operations, [d.rows, d.columns, k])
        && [c.rows, c.columns] == [d.rows, d.columns]
        && [count_a, count_b, count_c] == [count; 3];
    ensure!(
        fits,
        BlasCode::InvalidValue,
        "the rows, columns or batches of the matrices do not fit"
    );
    let (activation, has_bias) = match words[7] {
        1 => (Activation::None, false),
        2 => (Activation::Relu, false),
        4 => (Activation::None, true),
        6 => (Activation::Relu, true),
        32 => (Activation::Gelu, false),
        36 => (Activation::Gelu, true),
        other => bail!(BlasCode::NotSupported, "epilogue {other} is not provided"),
    };
    let format = match words[11] as u32 {
        u32::MAX => d.format,
        number => Format::of_c("the type of the bias", number)?,
    };
    let bias = match has_bias {
        true => Some(Operand::vector(format, words[8], d.rows, 1)?.each(words[10].cast_signed())),
        false => None,
    };
    let (operands, added) = ([a, b, d], Some(c));
    let product = Product { operations, operands, added, count, scalar, bias, activation };
    Ok((product, words[2] == 1))
}
