//! Copies of vectors and matrices between host and device.

use crate::api::*;

/// Defines the functions that copy vectors and matrices in one direction, with 32-bit and, under
/// the name that ends in `_64`, with 64-bit integers. The macro is given the names of the address
/// parameters, whether the destination is the device, and the stream parameter, if the functions
/// have one. A vector is copied as a matrix whose rows have one element.
macro_rules! transfers {
    ($(
        $doc:tt $vector:ident($from:ident $to:ident) $matrix:ident $to_device:tt
        $($stream:ident)?;
    )*) => {$(
        transfers! { @ c_int $doc $vector($from $to) $matrix $to_device [$($stream)?] }
        pastey::paste! {
            transfers! {
                @ i64 $doc [<$vector _64>]($from $to) [<$matrix _64>] $to_device [$($stream)?]
            }
        }
    )*};
    (
        @ $int:ident $doc:tt $vector:ident($from:ident $to:ident) $matrix:ident
        $to_device:tt [$($stream:ident)?]
    ) => {
        library_api! { (BlasCode)
            #[doc = concat!("Copies a vector ", $doc)]
            fn $vector(
                n: $int, elemSize: $int, $from: u64, incx: $int, $to: u64, incy: $int,
                $($stream: CUstream)?
            ) {
                copy(($to_device, &[$($stream)?]), elemSize, [1, n], [($from, incx), ($to, incy)])
            }

            #[doc = concat!("Copies a matrix ", $doc)]
            fn $matrix(
                rows: $int, cols: $int, elemSize: $int, A: u64, lda: $int, B: u64, ldb: $int,
                $($stream: CUstream)?
            ) {
                copy(($to_device, &[$($stream)?]), elemSize, [rows, cols], [(A, lda), (B, ldb)])
            }
        }
    };
}
transfers! {
    "from host to device." cublasSetVector(x devicePtr) cublasSetMatrix true;
    "from device to host." cublasGetVector(x y) cublasGetMatrix false;
    "from host to device, in stream order."
        cublasSetVectorAsync(hostPtr devicePtr) cublasSetMatrixAsync true stream;
    "from device to host, in stream order."
        cublasGetVectorAsync(devicePtr hostPtr) cublasGetMatrixAsync false stream;
}

/// Copies a matrix of elements with this number of bytes, in the stream, if a stream is given; each
/// side has an address and a leading dimension.
fn copy<N: Into<Integer>>(
    (to_device, stream): (bool, &[CUstream]),
    bytes: N,
    [rows, columns]: [N; 2],
    [(from, from_step), (to, to_step)]: [(u64, N); 2],
) -> Answer {
    let [rows, columns] = [size("rows", rows.into())?, size("cols", columns.into())?];
    let wrong =
        || BlasCode::InvalidValue.because("the size of an element, or a step, is too small");
    let positive = |number: N| {
        usize::try_from(number.into()).ok().filter(|&number| number > 0).ok_or_else(wrong)
    };
    let (bytes, from_step, to_step) = (positive(bytes)?, positive(from_step)?, positive(to_step)?);
    if from_step < rows || to_step < rows {
        return Err(wrong());
    }
    if rows == 0 || columns == 0 {
        return Ok(());
    }
    let pitch = |step: usize| step.checked_mul(bytes).ok_or_else(wrong);
    driver::make_current()?;
    let side = |address: u64, is_device: bool, pitch: usize| CopySide2D {
        memory_type: if is_device { 2 } else { 1 },
        host: if is_device { 0 } else { address },
        device: if is_device { address } else { 0 },
        pitch,
        ..CopySide2D::default()
    };
    let copy = CUDA_MEMCPY2D {
        src: side(from, !to_device, pitch(from_step)?),
        dst: side(to, to_device, pitch(to_step)?),
        width_in_bytes: pitch(rows)?,
        height: columns,
    };
    // SAFETY: the caller describes its own memory.
    let code = unsafe {
        match stream {
            [stream, ..] => driver::cuMemcpy2DAsync_v2(&raw const copy, *stream),
            [] => driver::cuMemcpy2DUnaligned_v2(&raw const copy),
        }
    };
    driver::check(code).map_err(|why| BlasCode::MappingError.with(why))
}
