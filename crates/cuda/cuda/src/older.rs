//! PTX that is older than the device. It runs, but what the source has for newer devices only
//! (`#if __CUDA_ARCH__ >= 800`) is not in it; some kernels are empty then.

use crate::image::say_once;
use crate::launch::Shape;
use crate::module::Function;
use texunit_device::LaunchStats;

/// What the trace of a launch says of it.
pub(crate) fn traced(function: &Function) -> String {
    function.older().map_or_else(String::new, |(target, _)| format!(", PTX for sm_{target}"))
}

/// Says once of each kernel that it is empty, where a card may execute something else: its PTX is older than the device, for
/// which the program has machine code. Without that a card takes the same PTX. A kernel that has no parameters, as programs
/// have them to start a device or to measure a launch, is taken to be empty in the source.
pub(crate) fn note(function: &Function, shape: &Shape, stats: &LaunchStats) {
    let may_be_newer = || {
        function.has_later_code() && is_empty(shape, stats) && !function.kernel.params().is_empty()
    };
    let Some((target, device)) = function.older().filter(|_| may_be_newer()) else { return };
    say_once(format!(
        "warning: kernel `{}` is empty, though it has parameters. Its PTX is for sm_{target}; an sm_{device} takes machine code of the \
             program, which may have what the source has for newer devices (`__CUDA_ARCH__`); compile with `-arch=compute_{device}`, or \
             run with `--device sm_{target}` (TEXUNIT_DEVICE=sm_{target})",
        crate::launch::shown(function)
    ));
}

/// Whether no thread did more than return.
fn is_empty(shape: &Shape, stats: &LaunchStats) -> bool {
    let all = shape.grid.iter().chain(&shape.block);
    stats.thread_instructions <= all.fold(1_u64, |product, &n| product.saturating_mul(n.into()))
}
