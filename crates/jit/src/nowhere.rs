//! Where the processor is of another kind: nothing is compiled.

use crate::{Block, Error, Inputs, Lanes, Registers};

/// Code of a block: there is none here.
#[derive(Debug)]
pub enum Function {}

impl Function {
    /// The code, and the numbers that it reads.
    pub fn parts(&self) -> (&[u8], &[u64]) {
        match *self {}
    }

    /// Makes ready to run the block.
    pub fn with<'a>(&'a self, _: Inputs<'a>) -> Option<Call<'a>> {
        match *self {}
    }
}

/// A function with its inputs.
#[derive(Debug)]
pub struct Call<'a>(&'a Function);

impl Call<'_> {
    /// Runs the block.
    pub fn run(&mut self, _: Registers<'_>, _: Lanes) -> Option<u64> {
        match *self.0 {}
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
