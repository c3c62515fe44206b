//! Code of a region.

mod frame;
mod needs;

use crate::Error;
use crate::machine::{Level, Mode, Use};
use crate::region::Region;
pub(crate) use frame::Frame;
pub(crate) use needs::Needs;

/// Code and what goes with it.
pub(crate) struct Code {
    pub(crate) bytes: Vec<u8>,
    /// Offsets of entries, with the numbers of their instructions.
    pub(crate) entries: Vec<(u32, u32)>,
    /// Numbers that the code reads.
    pub(crate) pool: Vec<u64>,
    /// How sites are used, by number.
    pub(crate) uses: Vec<Option<Use>>,
    /// What the files and inputs must have.
    pub(crate) needs: Needs,
}

/// Makes the code of a region.
pub(crate) fn emit(region: &Region, _: Mode, _: Level) -> Result<Code, Error> {
    Needs::of(region)?;
    Err(Error::Processor)
}
