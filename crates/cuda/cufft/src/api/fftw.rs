//! Functions of cuFFTW for both precisions. Flags of the planner are ignored, as all plans are made
//! in the same way.

use crate::code::*;
use crate::fftw::{self, Dimension, Plan};
use crate::shape::Type;
use rustfft::FftDirection;
use std::ffi::{c_double, c_int, c_longlong, c_uint, c_void};
use texunit_client::call::answer;
use texunit_client::report;

/// Runs the body of a function. The interface has no error codes: the reason of a refusal is
/// printed, and the result is 0 (a null plan).
fn call<R: Default>(name: &'static str, work: impl FnOnce() -> Answer<R>) -> R {
    let mut result = R::default();
    let work = || {
        result = work().inspect_err(|refused| {
            report::say_refused(&format!("{name}: {}", refused.reason()));
        })?;
        Ok(())
    };
    answer::<FftCode>(name, work, &[]);
    result
}

/// Defines exported functions, whose bodies evaluate to `Answer<Result>`.
macro_rules! fftw_api {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($($arg:ident: $type:ty),* $(,)?) -> $result:ty $body:block
    )*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// Pointers are null, or valid as FFTW's documentation requires.
        #[unsafe(no_mangle)]
        #[allow(unreachable_pub, clippy::too_many_arguments)]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> $result {
            call(stringify!($name), || -> Answer<$result> { $body })
        }
    )*};
}

/// Defines the functions that plan transforms of a type: in one, two, three and a variable number
/// of dimensions, with layouts, and with strides of 32 and 64 bits. The macro is given the start of
/// the functions' names, the type, the type's name in the functions' names, and the direction,
/// which may be a parameter.
macro_rules! planners {
    ($(
        $fftw:ident $of:ident $kind:ident $(($sign:ident))? => $direction:expr;
    )*) => { pastey::paste! { $(
        fftw_api! {
            /// Plans a transform in one dimension.
            fn [<$fftw _plan_ $kind _1d>](
                n: c_int, input: usize, output: usize, $($sign: c_int,)? _flags: c_uint,
            ) -> usize {
                Plan::simple(Type::$of, &[n], [input, output], $direction).map(fftw::keep)
            }

            /// Plans a transform in two dimensions.
            fn [<$fftw _plan_ $kind _2d>](
                n0: c_int, n1: c_int,
                input: usize, output: usize, $($sign: c_int,)? _flags: c_uint,
            ) -> usize {
                Plan::simple(Type::$of, &[n0, n1], [input, output], $direction).map(fftw::keep)
            }

            /// Plans a transform in three dimensions.
            fn [<$fftw _plan_ $kind _3d>](
                n0: c_int, n1: c_int, n2: c_int,
                input: usize, output: usize, $($sign: c_int,)? _flags: c_uint,
            ) -> usize {
                Plan::simple(Type::$of, &[n0, n1, n2], [input, output], $direction).map(fftw::keep)
            }

            /// Plans a transform in one to three dimensions.
            fn [<$fftw _plan_ $kind>](
                rank: c_int, n: In<c_int>,
                input: usize, output: usize, $($sign: c_int,)? _flags: c_uint,
            ) -> usize {
                // SAFETY: the caller's array has `rank` elements.
                let sizes = unsafe { fftw::read(rank, 1..=3, n) }?;
                Plan::simple(Type::$of, &sizes, [input, output], $direction).map(fftw::keep)
            }

            /// Plans transforms with arbitrary layouts.
            fn [<$fftw _plan_many_ $kind>](
                rank: c_int, n: In<c_int>, batch: c_int,
                input: usize, inembed: In<c_int>, istride: c_int, idist: c_int,
                output: usize, onembed: In<c_int>, ostride: c_int, odist: c_int,
                $($sign: c_int,)? _flags: c_uint,
            ) -> usize {
                let sides =
                    [(input, inembed, istride, idist), (output, onembed, ostride, odist)];
                // SAFETY: the caller's arrays have `rank` elements.
                let plan = unsafe { Plan::many(Type::$of, (rank, n, batch), sides, $direction) };
                plan.map(fftw::keep)
            }

            /// Plans transforms with a stride for each dimension.
            fn [<$fftw _plan_guru_ $kind>](
                rank: c_int, dims: In<Dimension<c_int>>,
                batch_rank: c_int, batch_dims: In<Dimension<c_int>>,
                input: usize, output: usize, $($sign: c_int,)? _flags: c_uint,
            ) -> usize {
                let all = [(rank, dims), (batch_rank, batch_dims)];
                // SAFETY: the caller's arrays have as many elements as said.
                unsafe { Plan::guru(Type::$of, all, [input, output], $direction) }.map(fftw::keep)
            }

            /// Plans transforms with a stride of 64 bits for each dimension.
            fn [<$fftw _plan_guru64_ $kind>](
                rank: c_int, dims: In<Dimension<c_longlong>>,
                batch_rank: c_int, batch_dims: In<Dimension<c_longlong>>,
                input: usize, output: usize, $($sign: c_int,)? _flags: c_uint,
            ) -> usize {
                let all = [(rank, dims), (batch_rank, batch_dims)];
                // SAFETY: the caller's arrays have as many elements as said.
                unsafe { Plan::guru(Type::$of, all, [input, output], $direction) }.map(fftw::keep)
            }
        }
    )* } };
}

planners! {
    fftw Z2Z dft (sign) => fftw::direction(sign)?;
    fftw D2Z dft_r2c => FftDirection::Forward;
    fftw Z2D dft_c2r => FftDirection::Inverse;
    fftwf C2C dft (sign) => fftw::direction(sign)?;
    fftwf R2C dft_r2c => FftDirection::Forward;
    fftwf C2R dft_c2r => FftDirection::Inverse;
}

/// Defines the functions of a precision that do not plan, given the start of their names.
macro_rules! others {
    ($($fftw:ident: $of_complex:ident $of_reals:ident $of_halves:ident;)*) => { pastey::paste! { $(
        fftw_api! {
            /// Executes a plan on its arrays.
            fn [<$fftw _execute>](plan: usize) -> () {
                fftw::execute(plan, None)
            }

            /// Executes a plan of complex transforms on other arrays.
            fn [<$fftw _execute_dft>](plan: usize, input: usize, output: usize) -> () {
                fftw::execute(plan, Some((Type::$of_complex, [input, output])))
            }

            /// Executes a plan of transforms of real numbers on other arrays.
            fn [<$fftw _execute_dft_r2c>](plan: usize, input: usize, output: usize) -> () {
                fftw::execute(plan, Some((Type::$of_reals, [input, output])))
            }

            /// Executes a plan of transforms to real numbers on other arrays.
            fn [<$fftw _execute_dft_c2r>](plan: usize, input: usize, output: usize) -> () {
                fftw::execute(plan, Some((Type::$of_halves, [input, output])))
            }

            /// Destroys a plan.
            fn [<$fftw _destroy_plan>](plan: usize) -> () {
                fftw::destroy(plan)
            }

            /// Frees nothing: `fftw_cleanup` would discard data that the planner has cached, and
            /// there is none. Plans stay valid.
            fn [<$fftw _cleanup>]() -> () {
                Ok(())
            }

            /// Prints nothing: plans have no steps that could be described.
            fn [<$fftw _print_plan>](_plan: usize) -> () {
                Ok(())
            }

            /// Returns 0: the planner does not estimate costs.
            fn [<$fftw _cost>](_plan: usize) -> c_double {
                Ok(0.0)
            }

            /// Returns zeros: operations are not counted.
            fn [<$fftw _flops>](
                _plan: usize, add: Out<c_double>, mul: Out<c_double>, fma: Out<c_double>,
            ) -> () {
                [add, mul, fma].into_iter().for_each(|count| count.set_if(0.0));
                Ok(())
            }

            /// Does nothing: planning takes no time.
            fn [<$fftw _set_timelimit>](_seconds: c_double) -> () {
                Ok(())
            }

            /// Writes nothing: there is no wisdom.
            fn [<$fftw _export_wisdom_to_file>](_file: *mut c_void) -> () {
                Ok(())
            }

            /// Returns 0: no wisdom was read.
            fn [<$fftw _import_wisdom_from_file>](_file: *mut c_void) -> c_int {
                Ok(0)
            }

            /// Allocates host memory, aligned to 64 bytes.
            fn [<$fftw _malloc>](size: usize) -> usize {
                let mut memory = std::ptr::null_mut();
                // SAFETY: the out-pointer is to a local variable.
                let code = unsafe { libc::posix_memalign(&raw mut memory, 64, size) };
                Ok(if code == 0 { memory.expose_provenance() } else { 0 })
            }

            /// Frees memory that `fftw_malloc` allocated.
            fn [<$fftw _free>](memory: *mut c_void) -> () {
                // SAFETY: the pointer is null, or of the function that allocates.
                unsafe { libc::free(memory) };
                Ok(())
            }
        }
    )* } };
}

others! {
    fftw: Z2Z D2Z Z2D;
    fftwf: C2C R2C C2R;
}
