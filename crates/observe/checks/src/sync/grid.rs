//! Check of grid barriers (cooperative groups) in launches that are not cooperative.

use crate::end::Spot;
use crate::rules;
use crate::sink::{LaunchFinding, Sink};
use texunit_simt::observe::LaunchInfo;
use texunit_simt::{Fault, FaultKind};

/// A fault at an address below this is attributed to a null pointer with an offset.
const NULL_PAGE: u64 = 64 * 1024;

/// Explains a fault that ended a launch which is not cooperative. In such a launch the grid's
/// workspace is a null pointer, on which the grid barrier of cooperative groups traps or faults.
pub(super) fn ends(sink: &Sink, launch: &LaunchInfo<'_>, fault: Option<&Fault>) {
    let Some(fault) = fault.filter(|_| !launch.config.cooperative) else { return };
    let stops = match fault.kind {
        FaultKind::Trap { .. } => true,
        FaultKind::OutOfBounds { address, .. } => address < NULL_PAGE,
        _ => false,
    };
    if !stops || !launch.listing.asks_for_workspace() {
        return;
    }
    let listing = &launch.listing;
    let Some(op) = (0..listing.len()).find(|&op| listing.span(op) == fault.span) else { return };
    let at = Spot { cta: fault.cta, thread: fault.thread, op };
    let message =
        "the kernel waits for its whole grid, and was not launched as a cooperative one".to_owned();
    sink.found(LaunchFinding::new(rules::SYNC_GRID_NOT_COOPERATIVE, at, message));
}
