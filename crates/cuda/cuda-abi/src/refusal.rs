//! The reason why a call was refused.
//!
//! A program gets a code; the reason in words is recorded in the trace and the report, and printed
//! on standard error. Functions of the driver API and of the runtime API therefore return a
//! [`Refusal`] as their error, which is built where the error is detected. A code cannot be
//! converted to a `Refusal` without a reason.

use crate::CUresult;
use std::borrow::Cow;

/// A refused call: the status that the program gets, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Status that the function returns.
    pub code: CUresult,
    reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    /// The reason is this text, a complete sentence.
    Text(Cow<'static, str>),
    /// The reason is that an argument is invalid by itself; the text says why ("is null"). The
    /// argument's name, which only the exported function knows, is put in front of the text.
    Argument(Subject, &'static str),
}

/// Identifies an argument by its type and value, because the code that refuses it does not know its
/// name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    kind: &'static str,
    value: u64,
}

impl Subject {
    /// The identity of an argument of a type and a value.
    pub fn new<T>(value: u64) -> Self {
        Self { kind: std::any::type_name::<T>(), value }
    }
}

/// An argument of a call, for the trace and for the reason of a refusal.
#[derive(Clone, Copy)]
pub struct Argument<'a> {
    /// Parameter name in NVIDIA's header.
    pub name: &'static str,
    /// The value, in the form in which the trace shows it.
    pub value: &'a dyn std::fmt::Debug,
    /// The argument's identity, if it is a pointer or a handle: the reason of a refusal refers to
    /// the invalid argument by it.
    pub subject: Option<Subject>,
}

/// The method `subject` for arguments that are plain values. Pointers and handles have an inherent
/// method of this name, which the compiler prefers.
pub trait Plain {
    /// Returns `None`, because the reason of a refusal does not identify a plain value.
    fn subject(&self) -> Option<Subject> {
        None
    }
}

impl<T> Plain for T {}

/// The arguments of an exported function by name: `arguments!(pctx, flags, dev)`.
#[macro_export]
macro_rules! arguments {
    ($($arg:ident),* $(,)?) => {{
        #[allow(unused_imports)]
        use $crate::Plain as _;
        [$($crate::Argument { name: stringify!($arg), value: &$arg, subject: $arg.subject() }),*]
    }};
}

/// A refusal with `CUDA_ERROR_INVALID_VALUE`: `invalid!("flags {flags:#x} is not 0")`.
#[macro_export]
macro_rules! invalid {
    ($($reason:tt)*) => { $crate::CUresult::INVALID_VALUE.because(::std::format!($($reason)*)) };
}

/// Returns a refusal from the function, with `CUDA_ERROR_INVALID_VALUE` or a given code:
/// `bail!(CUresult::NOT_SUPPORTED, "type {kind} is not provided")`.
#[macro_export]
macro_rules! bail {
    ($reason:literal $($more:tt)*) => {
        $crate::bail!($crate::CUresult::INVALID_VALUE, $reason $($more)*)
    };
    ($code:expr, $($reason:tt)*) => {
        return Err($code.because(::std::format!($($reason)*)))
    };
}

/// Returns a refusal from the function as [`bail!`] does, unless a condition holds:
/// `ensure!(flags == 0, "flags {flags:#x} is not 0")`.
#[macro_export]
macro_rules! ensure {
    ($holds:expr, $($refusal:tt)*) => {
        if !$holds {
            $crate::bail!($($refusal)*);
        }
    };
}

impl CUresult {
    /// A refusal with this code. The reason names the parameter, the value given and the rule:
    /// "pitchInBytes 20 is not a multiple of 32, the texture pitch alignment".
    pub fn because(self, reason: impl Into<Cow<'static, str>>) -> Refusal {
        Refusal { code: self, reason: Reason::Text(reason.into()) }
    }

    /// A refusal of an argument that is wrong in itself: "is null", "is not a stream".
    pub fn of_argument(self, subject: Subject, wrong: &'static str) -> Refusal {
        Refusal { code: self, reason: Reason::Argument(subject, wrong) }
    }
}

impl Refusal {
    /// The refusal with another status and the same reason.
    #[must_use]
    pub fn with_code(self, code: CUresult) -> Self {
        Self { code, ..self }
    }

    /// The refusal with `name` for the invalid value, which is not an argument but a field of a
    /// structure or an element of a list that an argument points to.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        match self.reason {
            Reason::Argument(subject, wrong) => self.code.because(subject.sentence(name, wrong)),
            Reason::Text(_) => self,
        }
    }

    /// The refusal with a reason that begins with `place`, the position of the error.
    #[must_use]
    pub fn within(self, place: impl FnOnce() -> String, arguments: &[Argument<'_>]) -> Self {
        self.code.because(format!("{}: {}", place(), self.reason(arguments)))
    }

    /// Why the call was refused, as a sentence that names the invalid one of these arguments.
    pub fn reason(&self, arguments: &[Argument<'_>]) -> Cow<'static, str> {
        match &self.reason {
            Reason::Text(text) => text.clone(),
            Reason::Argument(subject, wrong) => {
                let found = arguments.iter().find(|argument| argument.subject == Some(*subject));
                let name = found.map_or("a member of a structure", |argument| argument.name);
                subject.sentence(name, wrong).into()
            }
        }
    }
}

impl Subject {
    fn sentence(self, name: &str, wrong: &str) -> String {
        match self.value {
            0 => format!("{name} is null"),
            value => format!("{name} {value:#x} {wrong}"),
        }
    }
}

/// Refusal of a call of a function that texunit does not provide, with the reason that
/// `data/lacking.txt` has for the function's group.
pub fn lacking(function: &str, group: &str) -> Refusal {
    let lines = include_str!("../data/lacking.txt").lines();
    let found = lines.filter_map(|line| line.split_once('\t')).find(|(word, _)| *word == group);
    let reason = found.map_or("", |(_, reason)| reason);
    CUresult::NOT_SUPPORTED.because(format!(
        "texunit does not provide {function}: {reason} (docs/cuda-api.md has what it provides)"
    ))
}
