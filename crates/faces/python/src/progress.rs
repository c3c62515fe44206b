//! Makes long calls in parts, between which progress is reported and signals are handled.

use crate::error::OrRaise;
use pyo3::prelude::*;
use texunit_sample::Call;

/// Number of fetches in a part.
const PART: usize = 1 << 20;

/// Makes fetches in parts. After each part signals are handled and `progress` (a function, a tqdm
/// bar or `True`) is updated.
pub(crate) fn in_parts(
    call: &Call<'_>,
    bytes: &mut [u8],
    threads: usize,
    progress: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (py, total) = (progress.py(), call.fetches());
    let size = call.byte_size() / total.max(1);
    let helpers = py.import("texunit._progress")?;
    let manager = helpers.call_method1("callback", (progress, "fetch"))?;
    let tell = manager.call_method0("__enter__")?;
    let mut parts = bytes.chunks_mut((PART * size).max(1)).enumerate();
    let done = parts.try_for_each(|(part, out)| -> PyResult<()> {
        let first = part * PART;
        py.detach(|| call.run_from(first, out, threads)).or_raise()?;
        py.check_signals()?;
        match tell.is_none() {
            true => Ok(()),
            false => tell.call1((first + out.len() / size, total)).map(drop),
        }
    });
    // A progress bar that was created here is closed even after an error.
    manager.call_method1("__exit__", (py.None(), py.None(), py.None()))?;
    done
}
