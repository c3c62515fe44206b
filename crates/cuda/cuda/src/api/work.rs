//! Work of texunit's libraries in streams (`texunit_cuda_abi::work`).

use crate::api::*;
use crate::call::answer;
use crate::work::{LibraryWork, Task};
use texunit_cuda_abi::work::{Forget, Region, Run, Str};

/// Maximum number of regions.
const MAX_REGIONS: usize = 1 << 20;
/// Submits a library's work to a stream.
///
/// # Safety
/// The arguments are as `texunit_cuda_abi::work::Submit` requires.
#[unsafe(no_mangle)]
#[allow(unreachable_pub)]
pub unsafe extern "C" fn texunit_work_2(
    stream: Handle<Stream>,
    name: Str,
    regions: *const Region,
    count: usize,
    together: u64,
    run: Run,
    forget: Forget,
    data: *mut c_void,
) -> CUresult {
    let given = LibraryWork { data, run, forget };
    let submit = || {
        ensure!(count <= MAX_REGIONS, "a work of {}", Count(count, "region"));
        // SAFETY: the caller's text and regions are valid.
        let (function, regions) = unsafe {
            let regions = match count {
                0 => Vec::new(),
                _ => std::slice::from_raw_parts(regions, count).to_vec(),
            };
            (name.text(), regions)
        };
        let (task, order) =
            (Arc::new(Task { function, regions, together, given }), Order::capturable(stream)?);
        match order.capture {
            None => task.submit(&order),
            Some(place) => place.add(Op::Work(task, order.context.handle)),
        }
    };
    answer("texunit_work_2", submit, &texunit_cuda_abi::arguments!(stream, count))
}
