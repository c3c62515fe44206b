//! The architectures whose instruction words this crate reads and writes.

use std::fmt;
use std::str::FromStr;

/// A Maxwell or Pascal architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Arch {
    Sm50,
    Sm52,
    Sm53,
    Sm60,
    Sm61,
    Sm62,
}

impl Arch {
    /// All architectures, oldest first.
    pub const ALL: [Self; 6] =
        [Self::Sm50, Self::Sm52, Self::Sm53, Self::Sm60, Self::Sm61, Self::Sm62];

    /// The architecture's name as in `.target`: `sm_50`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sm50 => "sm_50",
            Self::Sm52 => "sm_52",
            Self::Sm53 => "sm_53",
            Self::Sm60 => "sm_60",
            Self::Sm61 => "sm_61",
            Self::Sm62 => "sm_62",
        }
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Arch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|arch| arch.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("expected an architecture with TXD in this form: {names}")
        })
    }
}
