//! Reports events from within a region to the probe, without leaving the region.

use super::accesses::{AccessParams, AccessReport};
use super::meet;
use crate::code::{MemSpace, Op};
use crate::exec::context::Launch;
use crate::observe::event::ValueSource;
use crate::observe::{AccessOp, Arrangement, At, Events, Order, Probe, Synchronization, Values};
use crate::regions::LoadGroups;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use texunit_alu::L64;
use texunit_jit::region::{LaneValues, Listener};
use texunit_unit::Build;

/// Receives the calls of marks that are steps of a region (`regions::notify`), and notifies the
/// probe.
pub(in crate::exec) struct ProbeAdapter<'a> {
    probe: Box<dyn Probe + 'a>,
    launch: &'a Launch<'a>,
    cta: [u32; 3],
    events: Events,
    load_groups: &'a LoadGroups,
    /// Memory for the addresses of the reported access.
    sums: L64,
    panic: Option<Box<dyn Any + Send>>,
}

impl<'a> ProbeAdapter<'a> {
    /// Creates an adapter for a CTA and a region whose grouped loads are `load_groups`.
    /// [`Self::into_probe`] returns the probe.
    #[inline]
    pub(in crate::exec) fn new(
        probe: Box<dyn Probe + 'a>,
        launch: &'a Launch<'a>,
        cta: [u32; 3],
        load_groups: &'a LoadGroups,
    ) -> Self {
        Self { probe, launch, cta, events: launch.events, load_groups, sums: [0; 32], panic: None }
    }

    /// Returns the probe after the region was left. A panic of the probe is resumed here, because
    /// machine code cannot be unwound.
    #[inline]
    pub(in crate::exec) fn into_probe(self) -> Box<dyn Probe + 'a> {
        if let Some(panic) = self.panic {
            resume_unwind(panic);
        }
        self.probe
    }

    fn notify(&mut self, number: u32, warp: u32, lanes: u32, rows: &[LaneValues<'_>]) {
        let insts = &self.launch.code.insts;
        let mark = match insts.get(number as usize).map(|inst| &inst.op) {
            Some(Op::Mark(mark)) => mark,
            Some(Op::WarpSync { .. }) => {
                let op = self.launch.observed.map_or(number, |observed| observed.op(number));
                let at = At { cta: self.cta, warp, lanes, op };
                return self.probe.synchronized(&at, &Synchronization::Joined);
            }
            _ => return,
        };
        let (access, operation) = match &insts[mark.target as usize].op {
            Op::Load(access) => (&**access, AccessOp::Load),
            Op::Store(access) => (&**access, AccessOp::Store),
            Op::Atomic(atomic) => (&atomic.access, AccessOp::Atomic(atomic.op)),
            _ => {
                let at = At { cta: self.cta, warp, lanes, op: mark.op };
                let members = match rows.first() {
                    Some(LaneValues::B32(masks)) => Some(*masks),
                    _ => None,
                };
                return meet(&mut *self.probe, mark, &at, members);
            }
        };
        let params = AccessParams::of(access, operation, &[]);
        let Some((first, values)) = rows.split_first() else { return };
        let (addresses, arrangement) =
            addresses(first, access.at.offset, (lanes, params.bytes()), &mut self.sums);
        let at = At { cta: self.cta, warp, lanes, op: mark.op };
        let (probe, order) = (&mut *self.probe, Order::default());
        // Only loads from shared memory are reported in groups.
        let more = match params.mem_space {
            MemSpace::Shared => self.load_groups.with(number),
            _ => &[],
        };
        let report = AccessReport { probe, events: self.events, order, more };
        report.access(&params, Values(ValueSource::Rows(values)), at, (arrangement, addresses));
    }
}

/// The addresses of an access, given its base addresses and its offset, and their arrangement. The
/// addresses are computed in `own`, as vectors that are loaded as they were stored: a load of a
/// vector waits for stores of its parts.
fn addresses<'r>(
    base: &LaneValues<'r>,
    offset: u64,
    (lanes, bytes): (u32, u32),
    own: &'r mut L64,
) -> (&'r L64, Arrangement) {
    let sums = &mut *own;
    let compared = Build::current().run(
        #[inline(always)]
        move || {
            let addresses = match base {
                LaneValues::B64(row) if offset == 0 => *row,
                LaneValues::B64(row) => {
                    let (to, from) = (sums.as_chunks_mut::<8>().0, row.as_chunks::<8>().0);
                    for (to, from) in to.iter_mut().zip(from) {
                        *to = from.map(|address| address.wrapping_add(offset));
                    }
                    sums
                }
                LaneValues::B32(row) => {
                    let (to, from) = (sums.as_chunks_mut::<8>().0, row.as_chunks::<8>().0);
                    for (to, from) in to.iter_mut().zip(from) {
                        *to = from.map(|address| address.wrapping_add(offset as u32).into());
                    }
                    sums
                }
            };
            Arrangement::compare(addresses, lanes, bytes)
        },
    );
    let addresses = match base {
        LaneValues::B64(row) if offset == 0 => *row,
        _ => &*own,
    };
    (addresses, Arrangement::of_compared(compared, addresses, lanes, bytes))
}

impl Listener for ProbeAdapter<'_> {
    fn notify(&mut self, number: u32, warp: u32, lanes: u32, rows: &[LaneValues<'_>]) {
        if self.panic.is_none() {
            let tell = AssertUnwindSafe(|| self.notify(number, warp, lanes, rows));
            self.panic = catch_unwind(tell).err();
        }
    }
}
