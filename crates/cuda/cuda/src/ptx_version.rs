//! Warnings about PTX that is older than the device. It runs, but lacks the code that the source
//! has for newer devices only (`#if __CUDA_ARCH__ >= 800`), so that some kernels are empty.

use crate::image::say_once;
use crate::module::Function;
use crate::shape::Shape;
use texunit_device::LaunchStats;

/// Remark in the trace of a launch.
pub(crate) fn traced(function: &Function) -> String {
    function.older().map_or_else(String::new, |(target, _)| format!(", PTX for sm_{target}"))
}

/// Warns once about each kernel that is empty because its PTX is older than the device. The program
/// must have machine code for the device, as otherwise a GPU would run the same PTX. A kernel
/// without parameters, as programs use to initialise a device or to measure launches, is assumed to
/// be empty in the source, too.
pub(crate) fn note(function: &Function, shape: &Shape, stats: &LaunchStats) {
    let may_be_newer = || {
        function.has_later_code() && is_empty(shape, stats) && !function.kernel.params().is_empty()
    };
    let Some((target, device)) = function.older().filter(|_| may_be_newer()) else { return };
    say_once(format!(
        "warning: kernel `{}` is empty, though it has parameters. Its PTX is for sm_{target}; an sm_{device} takes machine code of the \
             program, which may have what the source has for newer devices (`__CUDA_ARCH__`); compile with `-arch=compute_{device}`, or \
             run with `--device sm_{target}` (TEXUNIT_DEVICE=sm_{target})",
        crate::module::kernel_name(function)
    ));
}

/// Whether no thread executed more than a return.
fn is_empty(shape: &Shape, stats: &LaunchStats) -> bool {
    let all = shape.grid.iter().chain(&shape.block);
    stats.thread_instructions <= all.fold(1_u64, |product, &n| product.saturating_mul(n.into()))
}
