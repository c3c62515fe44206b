//! The words of the text form ([`crate::text`]): modifiers and numbers, for the printer and the
//! parser.

use super::{
    BarrierKind, Callee, HandleSource, MatrixAction, MbarrierAction, MemSpace, NONE, Slot,
    StackAction,
};
use crate::runtime::Named;
use texunit_isa::{AtomOp, BoolOp, MatchMode, ScalarType, ShflMode, SpecialReg, VoteMode};
use texunit_memory::SpaceKind;
use texunit_unit::{
    Attribute, ClampMode, CoordType, FetchKind, Geometry, Lod, ReduceOp, ReduceType, ResultType,
    SurfaceKind,
};

/// A modifier or a number: a word without white space, commas and dots.
pub(crate) trait Word: Sized {
    fn text(&self) -> String;
    /// The value with this text.
    fn parse(text: &str) -> Option<Self>;
}

/// Numbers: small ones are printed in decimal, others in hexadecimal.
macro_rules! numbers {
    ($($ty:ident)*) => {
        $(impl Word for $ty {
            fn text(&self) -> String {
                if *self as u64 >= 4096 { format!("{self:#x}") } else { self.to_string() }
            }

            fn parse(text: &str) -> Option<Self> {
                let Some(digits) = text.strip_prefix("0x") else { return text.parse().ok() };
                $ty::from_str_radix(digits, 16).ok()
            }
        })*
    };
}
numbers!(u8 u32 u64 usize);

/// Enumerations that have names of their own.
macro_rules! named {
    ($($ty:ident)*) => {
        $(impl Word for $ty {
            fn text(&self) -> String {
                self.name().to_owned()
            }

            fn parse(text: &str) -> Option<Self> {
                Self::from_name(text)
            }
        })*
    };
}
named!(AtomOp BoolOp MatchMode ScalarType ShflMode SpecialReg VoteMode);
named!(Attribute ClampMode CoordType Geometry ReduceOp ReduceType);

/// Names of the values of a type. A value with data has empty data; its parts follow in the text.
macro_rules! names {
    ($ty:ty: $($pattern:pat => $name:literal = $value:expr,)*) => {
        impl Word for $ty {
            fn text(&self) -> String {
                match self { $($pattern => $name.to_owned(),)* }
            }

            fn parse(text: &str) -> Option<Self> {
                Some(match text { $($name => $value,)* _ => return None })
            }
        }
    };
    ($ty:ident: $($variant:ident $name:literal)*) => {
        names!($ty: $($ty::$variant => $name = $ty::$variant,)*);
    };
    // Names of a type's values, and the type's default value, from which the parser begins.
    ($default:expr; $ty:ident: $($rest:tt)*) => {
        names!($ty: $($rest)*);
        impl Default for $ty {
            fn default() -> Self {
                $default
            }
        }
    };
}
names!(Self::Global; MemSpace: Global "global" Generic "generic" Shared "shared" Local "local"
    Param "param"
    KernelParam "kernelparam" Frame "frame");
names!(SpaceKind: Global "global" Const "const" Shared "shared" Local "local" Param "param");
names!(ResultType: F32 "f32" S32 "s32" U32 "u32" F16 "f16" F16x2 "f16x2");
names!(Self::Load; MatrixAction: Load "load" Store "store" Transpose "transpose");
names! { Self::Sync; BarrierKind:
    Self::Sync => "sync" = Self::Sync,
    Self::Arrive => "arrive" = Self::Arrive,
    Self::Popc => "popc" = Self::Popc,
    Self::Reduce(BoolOp::And) => "and" = Self::Reduce(BoolOp::And),
    Self::Reduce(BoolOp::Or) => "or" = Self::Reduce(BoolOp::Or),
    Self::Reduce(BoolOp::Xor) => "xor" = Self::Reduce(BoolOp::Xor),
}
names! { FetchKind:
    Self::Sample(Lod::Implicit) => "implicit" = Self::Sample(Lod::Implicit),
    Self::Sample(Lod::Base) => "base" = Self::Sample(Lod::Base),
    Self::Sample(Lod::Level) => "level" = Self::Sample(Lod::Level),
    Self::Sample(Lod::Gradient) => "grad" = Self::Sample(Lod::Gradient),
    Self::Gather(0) => "r" = Self::Gather(0),
    Self::Gather(1) => "g" = Self::Gather(1),
    Self::Gather(2) => "b" = Self::Gather(2),
    Self::Gather(_) => "a" = Self::Gather(3),
}
names! { SurfaceKind:
    Self::Load { .. } => "load" = Self::Load { element_size: 0, vector: 0 },
    Self::Store { .. } => "store" = Self::Store { element_size: 0, vector: 0 },
    Self::StoreFormatted { .. } => "storep" = Self::StoreFormatted { vector: 0 },
    Self::Reduce { .. } => "red" =
        Self::Reduce { op: ReduceOp::Add, ty: ReduceType::U32, formatted: false },
}
names! { Self::Direct(NONE); Callee:
    Self::Direct(_) => "direct" = Self::Direct(NONE),
    Self::Indirect { .. } => "indirect" =
        Self::Indirect { address: Slot::NONE, reconverge: NONE },
}
names! { Self::Save { d: Slot::NONE }; StackAction:
    Self::Allocate { .. } => "alloca" =
        Self::Allocate { d: Slot::NONE, size: Slot::NONE, align: 1 },
    Self::Save { .. } => "save" = Self::Save { d: Slot::NONE },
    Self::Restore { .. } => "restore" = Self::Restore { a: Slot::NONE },
}
names! { MbarrierAction:
    Self::Init { .. } => "init" = Self::Init { v1: false },
    Self::CheckLayout { .. } => "layout" = Self::CheckLayout { v1: false },
    Self::Inval => "inval" = Self::Inval,
    Self::ExpectTx => "expect_tx" = Self::ExpectTx,
    Self::CompleteTx => "complete_tx" = Self::CompleteTx,
    Self::Arrive { .. } => "arrive" =
        Self::Arrive { drops: false, expects: false, completes: false },
    Self::CopyArrive { .. } => "copy" = Self::CopyArrive { increments: false },
    Self::Test { .. } => "test" = Self::Test { parity: false },
    Self::PendingCount => "pending" = Self::PendingCount,
}

impl Word for HandleSource {
    fn text(&self) -> String {
        match self {
            Self::Reference(name) => format!("reference {name}"),
            Self::Parameter(name) => format!("parameter {name}"),
            Self::Register => "register".to_owned(),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        Some(match text.split_once(' ') {
            Some(("reference", name)) => Self::Reference(name.to_owned()),
            Some(("parameter", name)) => Self::Parameter(name.to_owned()),
            _ => return (text == "register").then_some(Self::Register),
        })
    }
}

impl Word for Named {
    fn text(&self) -> String {
        self.name()
    }

    fn parse(text: &str) -> Option<Self> {
        Self::of(text).or_else(|| Self::of(&format!("cuda{text}")))
    }
}

impl Word for String {
    fn text(&self) -> String {
        self.clone()
    }

    fn parse(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }
}

impl<T: Word> Word for Option<T> {
    fn text(&self) -> String {
        self.as_ref().map_or("none".to_owned(), T::text)
    }

    fn parse(text: &str) -> Option<Self> {
        if text == "none" { Some(None) } else { T::parse(text).map(Some) }
    }
}

impl<A: Word, B: Word> Word for (A, B) {
    fn text(&self) -> String {
        format!("{}:{}", self.0.text(), self.1.text())
    }

    fn parse(text: &str) -> Option<Self> {
        let (a, b) = text.split_once(':')?;
        Some((A::parse(a)?, B::parse(b)?))
    }
}

impl Word for Vec<u32> {
    fn text(&self) -> String {
        self.iter().map(u32::text).collect::<Vec<_>>().join("+")
    }

    fn parse(text: &str) -> Option<Self> {
        text.split('+').filter(|part| !part.is_empty()).map(u32::parse).collect()
    }
}
