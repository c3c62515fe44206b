//! What every exported function of a library with the name of one of NVIDIA's does around its own work: a panic does not cross
//! into C, and of a call that is refused the user is told why.

use crate::told::{Call, say, say_refused};
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use texunit_cuda_abi::{Argument, CUresult, Refusal};

/// What the functions of a library return (`cufftResult`): 0, or why a call is refused.
pub trait Code: Copy {
    /// Its number in the library's header.
    fn number(self) -> u32;

    /// Its name there.
    fn name(self) -> Cow<'static, str>;

    /// What the library answers when the driver refuses a call.
    fn of_driver(code: CUresult) -> Self;

    /// What the library answers for functions that texunit does not provide.
    fn not_supported() -> Self;

    /// A refusal with this code.
    fn because(self, reason: impl Into<Cow<'static, str>>) -> Refused<Self> {
        Refused { code: self, why: CUresult::INVALID_VALUE.because(reason) }
    }
}

/// A call that is refused: what the program gets, and why.
#[derive(Clone, Debug)]
pub struct Refused<C> {
    /// What the function answers.
    pub code: C,
    why: Refusal,
}

impl<C: Code> From<Refusal> for Refused<C> {
    fn from(why: Refusal) -> Self {
        Self { code: C::of_driver(why.code), why }
    }
}

impl<C> Refused<C> {
    /// With another code.
    #[must_use]
    pub fn with_code(self, code: C) -> Self {
        Self { code, ..self }
    }
}

/// Defines exported functions of a library, whose codes are of the type in parentheses. The body is a `Result<(), Refused<..>>`.
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
        /// Pointers are null, or valid for what the library's page says.
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

/// Runs the work of an exported function.
pub fn answer<C: Code>(
    name: &'static str,
    work: impl FnOnce() -> Result<(), Refused<C>>,
    arguments: &[Argument<'_>],
) -> u32 {
    let call = Call::begins(without_version(name));
    let refused = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => return 0,
        Ok(Err(refused)) => refused,
        Err(_) => {
            say(format_args!("internal error in {name}: please report it with the message above"));
            let why = CUresult::UNKNOWN
                .because("an internal error of texunit (a panic) stopped the call");
            Refused { code: C::of_driver(CUresult::UNKNOWN), why }
        }
    };
    call.refused(refused.code.number(), &refused.code.name(), &refused.why.reason(arguments));
    refused.code.number()
}

/// The name of a function of which each version of the library has its own (`cufftGetVersion_12`), as programs call it.
fn without_version(name: &'static str) -> &'static str {
    let versions = ["_11", "_12", "_13"];
    versions.iter().find_map(|version| name.strip_suffix(version)).unwrap_or(name)
}

/// What functions do that texunit does not provide: they say so once, by name.
pub fn not_supported<C: Code>(name: &'static str, said: &Once, page: &str) -> u32 {
    said.call_once(|| say_refused(&format!("{name} is not supported")));
    let why = format!("texunit does not provide {name} ({page} has what it provides)");
    answer::<C>(name, || Err(C::not_supported().because(why)), &[])
}
