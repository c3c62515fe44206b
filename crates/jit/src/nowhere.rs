//! Where the processor is of another kind: nothing is compiled.

use crate::{Block, Error, Files, Lanes};

/// Code of a block: there is none here.
#[derive(Debug)]
pub enum Function {}

impl Function {
    /// Runs the block.
    pub fn call(&self, _: Files<'_>, _: Lanes) -> Option<u64> {
        match *self {}
    }
}

/// Whether [`compile`] can work on this processor.
pub fn is_available() -> bool {
    false
}

/// Makes code of a block.
pub fn compile(_: &Block) -> Result<Function, Error> {
    Err(Error::Processor)
}
