//! Why a call was refused.
//!
//! A program gets a code; the reason in words goes to the trace, the report and standard error. So the error of every
//! function of both APIs is a [`Refusal`], made where the mistake is found, and there is no way from a code to one
//! without a reason.

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
    /// The whole sentence.
    Text(Cow<'static, str>),
    /// An argument is wrong in itself: its name, which only the exported function knows, and then this.
    Argument(Subject, &'static str),
}

/// By what an argument is recognised: its type and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    kind: &'static str,
    value: u64,
}

impl Subject {
    /// An argument of a type and a value.
    pub fn new<T>(value: u64) -> Self {
        Self { kind: std::any::type_name::<T>(), value }
    }
}

/// An argument of a call, for the trace and for reasons.
#[derive(Clone, Copy)]
pub struct Argument<'a> {
    /// Its name in NVIDIA's header.
    pub name: &'static str,
    /// How the trace shows it.
    pub value: &'a dyn std::fmt::Debug,
    /// If it can be wrong in itself: pointers and handles.
    pub subject: Option<Subject>,
}

/// Arguments that are plain values. Pointers and handles have a method of this name of their own, which the
/// compiler prefers.
pub trait Plain {
    /// Nothing to be recognised by.
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

impl CUresult {
    /// A refusal with this code. The reason names the parameter, the value given and the rule: "pitchInBytes 20 is
    /// not a multiple of 32, the texture pitch alignment".
    pub fn because(self, reason: impl Into<Cow<'static, str>>) -> Refusal {
        Refusal { code: self, reason: Reason::Text(reason.into()) }
    }

    /// A refusal of an argument that is wrong in itself: "is null", "is not a stream".
    pub fn of_argument(self, subject: Subject, wrong: &'static str) -> Refusal {
        Refusal { code: self, reason: Reason::Argument(subject, wrong) }
    }
}

impl Refusal {
    /// This refusal with another code.
    #[must_use]
    pub fn with_code(self, code: CUresult) -> Self {
        Self { code, ..self }
    }

    /// The reason, if the argument that is wrong is one that only a structure or a list has.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        match self.reason {
            Reason::Argument(subject, wrong) => self.code.because(subject.sentence(name, wrong)),
            Reason::Text(_) => self,
        }
    }

    /// This refusal, with what is said of the place before the reason.
    #[must_use]
    pub fn within(self, place: impl FnOnce() -> String, arguments: &[Argument<'_>]) -> Self {
        let reason = format!("{}: {}", place(), self.reason(arguments));
        self.code.because(reason)
    }

    /// The reason in words, for a call with these arguments.
    pub fn reason(&self, arguments: &[Argument<'_>]) -> Cow<'static, str> {
        match &self.reason {
            Reason::Text(text) => text.clone(),
            Reason::Argument(subject, wrong) => {
                let found = arguments.iter().find(|argument| argument.subject == Some(*subject));
                subject
                    .sentence(
                        found.map_or("a member of a structure", |argument| argument.name),
                        wrong,
                    )
                    .into()
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

/// The refusal of a function that texunit does not provide, of a group of `data/lacking.txt`.
pub fn lacking(function: &str, group: &str) -> Refusal {
    let lines = include_str!("../data/lacking.txt").lines();
    let found = lines.filter_map(|line| line.split_once('\t')).find(|(word, _)| *word == group);
    let reason = found.map_or("", |(_, reason)| reason);
    CUresult::NOT_SUPPORTED.because(format!(
        "texunit does not provide {function}: {reason} (docs/cuda-api.md has what it provides)"
    ))
}
