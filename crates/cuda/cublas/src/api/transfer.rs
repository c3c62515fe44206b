//! Copies of vectors and matrices between host and device.

use crate::api::*;

/// Defines the set and get functions, with and without a stream, for one width of integers.
macro_rules! transfers {
    ($int:ty: $set:ident $get:ident $set_matrix:ident $get_matrix:ident, $set_async:ident $get_async:ident $set_matrix_async:ident $get_matrix_async:ident) => {
        library_api! { (BlasCode)
            /// Copies a vector from host to device.
            fn $set(n: $int, elemSize: $int, x: u64, incx: $int, devicePtr: u64, incy: $int) {
                vector(n.into(), elemSize.into(), (x, incx.into()), (devicePtr, incy.into()), (true, None))
            }

            /// Copies a vector from device to host.
            fn $get(n: $int, elemSize: $int, x: u64, incx: $int, y: u64, incy: $int) {
                vector(n.into(), elemSize.into(), (x, incx.into()), (y, incy.into()), (false, None))
            }

            /// Copies a matrix from host to device.
            fn $set_matrix(rows: $int, cols: $int, elemSize: $int, A: u64, lda: $int, B: u64, ldb: $int) {
                matrix([rows.into(), cols.into()], elemSize.into(), (A, lda.into()), (B, ldb.into()), (true, None))
            }

            /// Copies a matrix from device to host.
            fn $get_matrix(rows: $int, cols: $int, elemSize: $int, A: u64, lda: $int, B: u64, ldb: $int) {
                matrix([rows.into(), cols.into()], elemSize.into(), (A, lda.into()), (B, ldb.into()), (false, None))
            }

            /// Copies a vector from host to device, in stream order.
            fn $set_async(n: $int, elemSize: $int, hostPtr: u64, incx: $int, devicePtr: u64, incy: $int, stream: CUstream) {
                vector(n.into(), elemSize.into(), (hostPtr, incx.into()), (devicePtr, incy.into()), (true, Some(stream)))
            }

            /// Copies a vector from device to host, in stream order.
            fn $get_async(n: $int, elemSize: $int, devicePtr: u64, incx: $int, hostPtr: u64, incy: $int, stream: CUstream) {
                vector(n.into(), elemSize.into(), (devicePtr, incx.into()), (hostPtr, incy.into()), (false, Some(stream)))
            }

            /// Copies a matrix from host to device, in stream order.
            fn $set_matrix_async(rows: $int, cols: $int, elemSize: $int, A: u64, lda: $int, B: u64, ldb: $int, stream: CUstream) {
                matrix([rows.into(), cols.into()], elemSize.into(), (A, lda.into()), (B, ldb.into()), (true, Some(stream)))
            }

            /// Copies a matrix from device to host, in stream order.
            fn $get_matrix_async(rows: $int, cols: $int, elemSize: $int, A: u64, lda: $int, B: u64, ldb: $int, stream: CUstream) {
                matrix([rows.into(), cols.into()], elemSize.into(), (A, lda.into()), (B, ldb.into()), (false, Some(stream)))
            }
        }
    };
}
transfers! { c_int: cublasSetVector cublasGetVector cublasSetMatrix cublasGetMatrix,
cublasSetVectorAsync cublasGetVectorAsync cublasSetMatrixAsync cublasGetMatrixAsync }
transfers! { i64: cublasSetVector_64 cublasGetVector_64 cublasSetMatrix_64 cublasGetMatrix_64,
cublasSetVectorAsync_64 cublasGetVectorAsync_64 cublasSetMatrixAsync_64 cublasGetMatrixAsync_64 }

/// An address, and the increment or leading dimension.
type Strided = (u64, Integer);

/// A vector is copied as a matrix whose rows have one element.
fn vector(
    n: Integer,
    bytes: Integer,
    from: Strided,
    to: Strided,
    how: (bool, Option<CUstream>),
) -> Answer {
    matrix([1, n], bytes, from, to, how)
}

fn matrix(
    [rows, columns]: [Integer; 2],
    bytes: Integer,
    from: Strided,
    to: Strided,
    (to_device, stream): (bool, Option<CUstream>),
) -> Answer {
    let [rows, columns] = [size("rows", rows)?, size("cols", columns)?];
    let wrong =
        || BlasCode::InvalidValue.because("the size of an element, or a step, is too small");
    let positive =
        |number: Integer| usize::try_from(number).ok().filter(|&n| n > 0).ok_or_else(wrong);
    let (bytes, from_step, to_step) = (positive(bytes)?, positive(from.1)?, positive(to.1)?);
    if from_step < rows || to_step < rows {
        return Err(wrong());
    }
    if rows == 0 || columns == 0 {
        return Ok(());
    }
    let pitch = |step: usize| step.checked_mul(bytes).ok_or_else(wrong);
    context::make_current()?;
    let side = |address: u64, is_device: bool, pitch: usize| CopySide2D {
        memory_type: if is_device { 2 } else { 1 },
        host: if is_device { 0 } else { address },
        device: if is_device { address } else { 0 },
        pitch,
        ..CopySide2D::default()
    };
    let copy = CUDA_MEMCPY2D {
        src: side(from.0, !to_device, pitch(from_step)?),
        dst: side(to.0, to_device, pitch(to_step)?),
        width_in_bytes: pitch(rows)?,
        height: columns,
    };
    // SAFETY: the caller describes its own memory.
    let code = unsafe {
        match stream {
            Some(stream) => driver::cuMemcpy2DAsync_v2(&raw const copy, stream),
            None => driver::cuMemcpy2DUnaligned_v2(&raw const copy),
        }
    };
    driver::check(code).map_err(|why| BlasCode::MappingError.with(why))
}
