//! Level 3: products of matrices, one, or many at once.

use super::for_types;
use crate::call::{Call, Integer, operation, size};
use crate::code::{Answer, BlasCode};
use crate::number::Number;
use crate::view::{Operation, View, multiply};
use num_complex::{Complex32, Complex64};
use texunit_client::call::{Code, Refused};
use texunit_client::work::{Region, threads};
use texunit_client::{driver, library_api, told};

/// A function, and the handle that it is called with.
pub(super) type Of = (&'static str, usize);

/// Matrices: where the first is, from a column to the next, and from a matrix to the next.
pub(super) type Matrices = (u64, Integer, Integer);

macro_rules! gemm {
    ($name:ident, $int:ty, $type:ty) => {
        library_api! { (BlasCode)
            /// `C = alpha op(A) op(B) + beta C`.
            fn $name(
                handle: usize,
                transa: u32,
                transb: u32,
                m: $int,
                n: $int,
                k: $int,
                alpha: u64,
                A: u64,
                lda: $int,
                B: u64,
                ldb: $int,
                beta: u64,
                C: u64,
                ldc: $int,
            ) {
                let matrices = [(A, lda.into(), 0), (B, ldb.into(), 0), (C, ldc.into(), 0)];
                product::<$type>(
                    (stringify!($name), handle),
                    [transa, transb],
                    [m.into(), n.into(), k.into()],
                    [alpha, beta],
                    matrices,
                    1,
                )
            }
        }
    };
}
for_types! { gemm:
    f32: cublasSgemm_v2 cublasSgemm_v2_64, f64: cublasDgemm_v2 cublasDgemm_v2_64,
    Complex32: cublasCgemm_v2 cublasCgemm_v2_64, Complex64: cublasZgemm_v2 cublasZgemm_v2_64,
    Complex32: cublasCgemm3m cublasCgemm3m_64, Complex64: cublasZgemm3m cublasZgemm3m_64,
}

macro_rules! strided {
    ($name:ident, $int:ty, $type:ty) => {
        library_api! { (BlasCode)
            /// The same of matrices that are equally far from each other.
            fn $name(
                handle: usize,
                transa: u32,
                transb: u32,
                m: $int,
                n: $int,
                k: $int,
                alpha: u64,
                A: u64,
                lda: $int,
                strideA: i64,
                B: u64,
                ldb: $int,
                strideB: i64,
                beta: u64,
                C: u64,
                ldc: $int,
                strideC: i64,
                batchCount: $int,
            ) {
                let matrices = [(A, lda.into(), strideA), (B, ldb.into(), strideB), (C, ldc.into(), strideC)];
                product::<$type>(
                    (stringify!($name), handle),
                    [transa, transb],
                    [m.into(), n.into(), k.into()],
                    [alpha, beta],
                    matrices,
                    size("batchCount", batchCount.into())?,
                )
            }
        }
    };
}
for_types! { strided:
    f32: cublasSgemmStridedBatched cublasSgemmStridedBatched_64,
    f64: cublasDgemmStridedBatched cublasDgemmStridedBatched_64,
    Complex32: cublasCgemmStridedBatched cublasCgemmStridedBatched_64,
    Complex64: cublasZgemmStridedBatched cublasZgemmStridedBatched_64,
    Complex32: cublasCgemm3mStridedBatched cublasCgemm3mStridedBatched_64,
}

/// What a product is of: operations, and the sizes of the matrices as they are in memory.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub(super) operations: [Operation; 2],
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
}

impl Sizes {
    pub(super) fn new([a, b]: [u32; 2], [m, n, k]: [Integer; 3]) -> Answer<Self> {
        let operations = [operation("transa", a)?, operation("transb", b)?];
        Ok(Self { operations, m: size("m", m)?, n: size("n", n)?, k: size("k", k)? })
    }

    /// Rows and columns of A and B in memory.
    pub(super) fn shapes(&self) -> [[usize; 2]; 2] {
        let Self { operations: [a, b], m, n, k } = *self;
        let a = if a == Operation::None { [m, k] } else { [k, m] };
        [a, if b == Operation::None { [k, n] } else { [n, k] }]
    }
}

/// `c = alpha op(a) op(b) + beta c` of matrices in memory of the host.
pub(super) fn multiply_one<T: Number>(
    sizes: &Sizes,
    [a, b]: [&[T]; 2],
    c: &mut [T],
    factors: (T, T),
    threads: usize,
) {
    let [[rows_a, columns_a], [rows_b, columns_b]] = sizes.shapes();
    let a = View::new(a, rows_a, columns_a).after(sizes.operations[0]);
    let b = View::new(b, rows_b, columns_b).after(sizes.operations[1]);
    multiply(c, (a, b), factors, threads);
}

fn product<T: Number>(
    (function, handle): Of,
    operations: [u32; 2],
    sizes: [Integer; 3],
    [alpha, beta]: [u64; 2],
    [a, b, c]: [Matrices; 3],
    count: usize,
) -> Answer {
    let mut call = Call::new(function, handle)?;
    let mut sizes = Sizes::new(operations, sizes)?;
    let [alpha, beta] = [call.scalar::<T>("alpha", alpha)?, call.scalar::<T>("beta", beta)?];
    if alpha.is_zero() {
        // A and B are not read.
        sizes.k = 0;
    }
    let shapes = sizes.shapes();
    let access = if beta.is_zero() { Region::WRITTEN } else { Region::READ | Region::WRITTEN };
    let first = call.matrices::<T>(a.0, shapes[0], ("lda", a.1), (count, a.2), Region::READ)?;
    call.matrices::<T>(b.0, shapes[1], ("ldb", b.1), (count, b.2), Region::READ)?;
    call.matrices::<T>(c.0, [sizes.m, sizes.n], ("ldc", c.1), (count, c.2), access)?;
    call.submit(move |memory| {
        let factors = (alpha.value(memory), beta.value(memory));
        let [a, b, c, ..] = &mut memory[first..] else { return };
        let (a, b, c) = (&*T::of(a), &*T::of(b), T::of(c));
        let (size_a, size_b, size_c) = (sizes.m * sizes.k, sizes.k * sizes.n, sizes.m * sizes.n);
        for i in 0..count {
            let part = |all: &'_ [T], size: usize| i * size..(i * size + size).min(all.len());
            let (a, b) = (&a[part(a, size_a)], &b[part(b, size_b)]);
            let range = part(c, size_c);
            multiply_one(&sizes, [a, b], &mut c[range], factors, threads());
        }
    })
}

macro_rules! batched {
    ($name:ident, $int:ty, $type:ty) => {
        library_api! { (BlasCode)
            /// The same of matrices whose addresses are in arrays of the device. Those are read when the function is called, after what comes
            /// before it in the stream.
            fn $name(
                handle: usize,
                transa: u32,
                transb: u32,
                m: $int,
                n: $int,
                k: $int,
                alpha: u64,
                Aarray: u64,
                lda: $int,
                Barray: u64,
                ldb: $int,
                beta: u64,
                Carray: u64,
                ldc: $int,
                batchCount: $int,
            ) {
                batch::<$type>(
                    (stringify!($name), handle),
                    Sizes::new([transa, transb], [m.into(), n.into(), k.into()])?,
                    [alpha, beta],
                    [(Aarray, lda.into()), (Barray, ldb.into()), (Carray, ldc.into())],
                    size("batchCount", batchCount.into())?,
                )
            }
        }
    };
}
for_types! { batched:
    f32: cublasSgemmBatched cublasSgemmBatched_64, f64: cublasDgemmBatched cublasDgemmBatched_64,
    Complex32: cublasCgemmBatched cublasCgemmBatched_64, Complex64: cublasZgemmBatched cublasZgemmBatched_64,
}

fn batch<T: Number>(
    (function, handle): Of,
    sizes: Sizes,
    [alpha, beta]: [u64; 2],
    arrays: [(u64, Integer); 3],
    count: usize,
) -> Answer {
    let mut call = Call::new(function, handle)?;
    let [alpha, beta] = [call.scalar::<T>("alpha", alpha)?, call.scalar::<T>("beta", beta)?];
    let [shape_a, shape_b] = sizes.shapes();
    let access = if beta.is_zero() { Region::WRITTEN } else { Region::READ | Region::WRITTEN };
    let of_each = [
        ("lda", shape_a, Region::READ),
        ("ldb", shape_b, Region::READ),
        ("ldc", [sizes.m, sizes.n], access),
    ];
    let mut first = None;
    for ((array, leading), (name, shape, access)) in arrays.into_iter().zip(of_each) {
        for address in addresses(&call, array, count)? {
            let region = call.matrix::<T>(address, shape, (name, leading), access)?;
            first.get_or_insert(region);
        }
    }
    let first = first.unwrap_or_default();
    call.submit(move |memory| {
        let factors = (alpha.value(memory), beta.value(memory));
        let (a, rest) = memory[first..].split_at_mut(count);
        let (b, c) = rest.split_at_mut(count);
        for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
            multiply_one(&sizes, [T::of(a), T::of(b)], T::of(c), factors, threads());
        }
    })
}

/// The addresses in an array of the device, or of the host that devices reach.
fn addresses(call: &Call, array: u64, count: usize) -> Answer<Vec<u64>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let most = 1 << 18;
    if array == 0 || count > most {
        let why = format!("an array of {count} matrices is null, or has more than {most}");
        return Err(BlasCode::InvalidValue.because(why));
    }
    let refused = |why| Refused::from(why).with_code(BlasCode::ExecutionFailed);
    told::check(driver::cuStreamSynchronize(call.settings.stream)).map_err(refused)?;
    let mut all = vec![0_u64; count];
    // SAFETY: there is room for so many bytes.
    let code = unsafe { driver::cuMemcpyDtoH_v2(all.as_mut_ptr().cast(), array, count * 8) };
    told::check(code).map_err(refused)?;
    Ok(all)
}
