//! Wrapper around each exported function of a library that bears the name of one of NVIDIA's. It is
//! given the function's body and returns a status: a panic does not unwind into C, and the reason
//! of each refused call is reported to the user.

use crate::driver::say;
use crate::report::{Call, say_refused};
use std::borrow::Cow;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use texunit_cuda_abi::args::Out;
use texunit_cuda_abi::{Argument, CUresult, Refusal, bail};

/// Status type of a library's functions (`cufftResult`): 0, or an error code.
pub trait Code: Copy {
    /// Number of the status in the library's header.
    fn number(self) -> u32;

    /// Name of the status in the library's header.
    fn name(self) -> &'static str;

    /// The library's error code for an error code that the driver returned.
    fn of_driver(code: CUresult) -> Self;

    /// The library's error code that functions return which texunit does not provide.
    fn not_supported() -> Self;

    /// Makes a refusal with this code and a reason.
    fn because(self, reason: impl Into<Cow<'static, str>>) -> Refused<Self> {
        Refused { code: self, why: CUresult::INVALID_VALUE.because(reason) }
    }

    /// Makes a refusal with this code and the reason for which the driver refused a call.
    fn with(self, why: Refusal) -> Refused<Self> {
        Refused { code: self, why }
    }

    /// Makes a refusal for work that the driver refused to enqueue: with this code, or with the
    /// library's out-of-memory code if the driver had no memory.
    fn of_work(self, why: Refusal) -> Refused<Self> {
        match why.code {
            CUresult::OUT_OF_MEMORY => why.into(),
            _ => self.with(why),
        }
    }
}

/// A refused call: the status that the program gets, and the reason.
#[derive(Clone, Debug)]
pub struct Refused<C> {
    /// Status that the function returns.
    pub code: C,
    why: Refusal,
}

impl<C: Code> From<Refusal> for Refused<C> {
    fn from(why: Refusal) -> Self {
        Self { code: C::of_driver(why.code), why }
    }
}

impl<C> Refused<C> {
    /// The reason, as text.
    pub fn reason(&self) -> String {
        self.why.reason(&[]).into_owned()
    }
}

/// Writes the component of a library's version that a `libraryPropertyType` selects.
///
/// # Errors
/// The status `unknown` if there is no such component; that of a null pointer.
pub fn property<C: Code>(
    version: [c_int; 3],
    component: u32,
    value: Out<'_, c_int>,
    unknown: C,
) -> Result<(), Refused<C>> {
    let Some(&found) = version.get(component as usize) else {
        bail!(
            unknown,
            "type {component} is not a libraryPropertyType: 0 (major), 1 (minor) or 2 (patch level)"
        );
    };
    Ok(value.set(found)?)
}

/// Defines the status codes of a library: the type of its errors, each with its number and its name
/// in the library's header, and the result type `Answer` of the library's functions. The first line
/// has the library's codes for errors of the driver, and for functions that are not provided.
///
/// ```ignore
/// library_codes! {
///     /// An error status, by its number in `cufft.h`.
///     FftCode { invalid: InvalidValue, memory: AllocFailed, internal: InternalError,
///         other: SetupFailed, not_supported: NotSupported }
///     InvalidPlan = 1 "CUFFT_INVALID_PLAN",
///     ..
/// }
/// ```
#[macro_export]
macro_rules! library_codes {
    (
        $(#[$doc:meta])*
        $code:ident {
            invalid: $invalid:ident, memory: $memory:ident, internal: $internal:ident,
            other: $other:ident, not_supported: $not_supported:ident $(,)?
        }
        $($(#[$note:meta])* $variant:ident = $number:literal $name:literal,)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub(crate) enum $code {
            $($(#[$note])* $variant = $number,)*
        }

        /// Result of a function of the library.
        pub(crate) type Answer<T = ()> = Result<T, $crate::call::Refused<$code>>;

        impl $crate::call::Code for $code {
            fn number(self) -> u32 {
                self as u32
            }

            fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            fn of_driver(code: texunit_cuda_abi::CUresult) -> Self {
                use texunit_cuda_abi::CUresult;
                match code {
                    CUresult::INVALID_VALUE | CUresult::INVALID_HANDLE => Self::$invalid,
                    CUresult::OUT_OF_MEMORY => Self::$memory,
                    CUresult::UNKNOWN => Self::$internal,
                    _ => Self::$other,
                }
            }

            fn not_supported() -> Self {
                Self::$not_supported
            }
        }
    };
}

/// Defines the exported functions of a library that texunit does not provide. Each prints its name
/// once and returns the library's error for it. They take no parameters, as a C caller may pass
/// arguments to a function that takes none. The library's build script writes the invocation
/// (`cuda-abi/lists.rs`).
#[macro_export]
macro_rules! not_provided {
    ($code:ident $($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        unsafe extern "C" fn $name() -> u32 {
            static PRINTED: std::sync::Once = std::sync::Once::new();
            $crate::call::not_supported::<$code>(stringify!($name), &PRINTED)
        }
    )*};
}

/// Defines exported functions of a library. The type in parentheses is the library's status code; a
/// body evaluates to `Result<(), Refused<..>>`.
///
/// ```ignore
/// library_api! { (FftCode)
///     /// What it does, what is left out.
///     fn cufftDestroy(plan: c_int) {
///         plans::take(plan).map(drop)
///     }
/// }
/// ```
#[macro_export]
macro_rules! library_api {
    (($code:ty) $($(#[$doc:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) $body:block)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// Pointers are null, or valid as the library's documentation requires.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, unreachable_pub, clippy::too_many_arguments)]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> u32 {
            $crate::call::answer::<$code>(
                stringify!($name),
                || -> Result<(), $crate::call::Refused<$code>> { $body },
                &texunit_cuda_abi::arguments!($($arg),*),
            )
        }
    )*};
}

/// Runs the body of the exported function `name`, whose call is reported under the name `shown`. A
/// panic becomes a refusal; `refused` reports how a refused call has ended.
pub fn run<E: From<Refusal>>(
    name: &str,
    shown: &'static str,
    work: impl FnOnce() -> Result<(), E>,
    refused: impl FnOnce(Call, &E),
) -> Result<(), E> {
    let call = Call::begins(shown);
    let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        say(format_args!("internal error in {name}: please report it with the message above"));
        let why = "an internal error of texunit (a panic) stopped the call";
        Err(CUresult::UNKNOWN.because(why).into())
    });
    // The end of an accepted call is reported when the value is dropped.
    done.inspect_err(|why| refused(call, why))
}

/// Runs the body of an exported function of a library that has its own status codes.
pub fn answer<C: Code>(
    name: &'static str,
    work: impl FnOnce() -> Result<(), Refused<C>>,
    arguments: &[Argument<'_>],
) -> u32 {
    // A library for several CUDA versions defines some functions once for each
    // (`cufftGetVersion_12`). Programs call them without the version, under which the call is
    // reported.
    let plain = ["_11", "_12", "_13"].iter().find_map(|version| name.strip_suffix(version));
    let done = run(name, plain.unwrap_or(name), work, |call, Refused { code, why }| {
        call.refused(code.number(), code.name(), &why.reason(arguments));
    });
    done.map_or_else(|refused| refused.code.number(), |()| 0)
}

/// The body of each function that texunit does not provide: prints the function's name once and
/// returns [`Code::not_supported`].
pub fn not_supported<C: Code>(name: &'static str, printed: &Once) -> u32 {
    printed.call_once(|| say_refused(&format!("{name} is not supported")));
    let why =
        format!("texunit does not provide {name} (docs/cuda-libraries.md has what it provides)");
    answer::<C>(name, || Err(C::not_supported().because(why)), &[])
}
