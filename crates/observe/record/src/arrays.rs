//! The texels of CUDA arrays before a launch, and the changes that the launch makes.

use crate::Refused;
use crate::bytes::{Budget, Pieces};
use texunit_device::Array;
use texunit_forms::Count;

/// An array, and its texels before the launch: packed, all levels.
#[derive(Debug)]
pub(crate) struct Texels {
    pub(crate) array: Array,
    pub(crate) before: Vec<u8>,
}

/// Maximum size of an array in bytes, as for every file of a job.
const MAX_BYTES: u64 = 2 << 30;

/// Copies the texels of all arrays.
pub(crate) fn hold(arrays: &[Array], budget: &mut Budget) -> Result<Vec<Texels>, Refused> {
    let hold = |array: &Array| {
        if array.size() > MAX_BYTES {
            let why = format!(
                "an array has {}, and a file at most {MAX_BYTES}",
                Count(array.size(), "byte")
            );
            return Err(Refused::Launch(why));
        }
        budget.take(array.size())?;
        Ok(Texels { array: array.clone(), before: array.read() })
    };
    arrays.iter().map(hold).collect()
}

impl Texels {
    /// The texels that the launch has changed.
    pub(crate) fn changes(&self, budget: &mut Budget) -> Result<Pieces, Refused> {
        let (now, size) = (self.array.read(), self.before.len() as u64);
        // The contents of the array are compared as a whole, including zeros.
        let before = Pieces::whole(&self.before);
        before.changed(&now.as_slice(), size, budget)
    }
}
