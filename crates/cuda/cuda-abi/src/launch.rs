//! The attributes of a launch.

use crate::args::{Elements, In};
use crate::{CUlaunchAttribute, CUlaunchConfig};

impl CUlaunchConfig {
    /// The attributes of the launch, as an array that checks for null and its length.
    ///
    /// # Safety
    /// `attrs` is null or points to an array of `numAttrs` attributes, for the lifetime.
    pub unsafe fn attributes<'a>(&self) -> Elements<'a, CUlaunchAttribute> {
        // SAFETY: the caller upholds this function's safety contract.
        unsafe { In::of(self.attrs).elements(self.numAttrs as usize) }
    }
}
