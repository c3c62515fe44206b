//! Lends each thread a scratch buffer for fetches, because allocating one takes longer than a few
//! fetches.

use std::cell::Cell;
use texunit_unit::Scratch;

thread_local! {
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// Scratch space borrowed from the thread, and returned on drop.
#[derive(Debug)]
pub(crate) struct Borrowed(Option<Box<Scratch>>);

impl Borrowed {
    pub(crate) fn new() -> Self {
        Self(SCRATCH.try_with(Cell::take).unwrap_or_default())
    }

    pub(crate) fn get(&mut self) -> &mut Scratch {
        self.0.get_or_insert_default()
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        let _ = SCRATCH.try_with(|scratch| scratch.set(self.0.take()));
    }
}
