//! The architectures whose instruction words this crate reads and writes.

use std::str::FromStr;
use texunit_forms::words;

words! {
    /// A Maxwell or Pascal architecture, oldest first; the names are those of `.target`.
    Arch {
        Sm50 = "sm_50", Sm52 = "sm_52", Sm53 = "sm_53",
        Sm60 = "sm_60", Sm61 = "sm_61", Sm62 = "sm_62",
    }
}

impl FromStr for Arch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::from_name(text).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|arch| arch.name()).collect();
            format!("expected an architecture with TXD in this form: {}", names.join(", "))
        })
    }
}
