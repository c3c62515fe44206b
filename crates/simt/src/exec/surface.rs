//! Surface loads, stores and reductions.

use super::context::{Context, Done, trouble};
use super::handles::{accessed_of, surface_of};
use super::texture::{find, keep};
use super::warp::{Warp, lanes};
use crate::code::SurfaceAccess;
use crate::fault::FaultKind;
use crate::tally::Count;
use crate::watch::{Watched, WatchedSurface};
use std::sync::Arc;
use texunit_unit::{AccessFault, SurfaceAnswer, SurfacePlan, SurfaceRequest};

/// What a plan does with the elements of a warp.
type Access = fn(&SurfacePlan, &SurfaceRequest<'_>, &mut SurfaceAnswer) -> Result<(), AccessFault>;

impl Context<'_> {
    /// Calls `access` with the plan for each surface handle and the lanes that use it.
    fn each_surface(&mut self, warp: &Warp, op: &SurfaceAccess, mask: u32, access: Access) -> Done {
        let constants = &self.launch.constants;
        self.counters.surface_accesses += u64::from(mask.count_ones());
        let (watched, witness) = (self.watched_lanes(warp, mask), self.witness(warp));
        let tables = self.launch.config.descriptors;
        let surface = warp.w(constants, op.surface.slot);
        let coords = op.coords.map(|c| warp.n(constants, c));
        let kept = &mut self.sites.surfaces[op.site];
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let handle = surface[lane];
            let active = lanes(rest).filter(|&l| surface[l] == handle).fold(0, |m, l| m | 1 << l);
            rest &= !active;
            if !find(kept, (handle, 0)) {
                let found = accessed_of(tables, &op.surface, handle, lane)?;
                match SurfacePlan::new(op.form, found) {
                    Ok(plan) => keep(kept, (handle, 0), plan),
                    Err(e) => return trouble(lane, FaultKind::unplanned(e, true)),
                }
            }
            let request = SurfaceRequest { active, coords };
            let Some((_, plan)) = kept.first() else { continue };
            self.sites.tally.add(Count {
                geometry: op.form.geometry,
                format: surface_of(tables, &op.surface, handle, lane)?.resource.format(),
                surface: true,
                accesses: active.count_ones().into(),
            });
            let done = access(plan, &request, &mut self.sites.elements);
            let elements = &self.sites.elements;
            for lane in lanes(active & watched) {
                let Some(outcome) = outcome_of(&done, elements, op.parts.len(), lane) else {
                    continue;
                };
                let what = Watched::Surface(WatchedSurface {
                    form: op.form,
                    coords: coords.map(|c| c[lane]),
                    surface: Arc::clone(surface_of(tables, &op.surface, handle, lane)?),
                    outcome,
                });
                witness.tell(lane, op.span, what);
            }
            if let Err(fault) = done {
                return trouble(lane_of(&fault), FaultKind::Surface(fault.to_string()));
            }
        }
        Ok(())
    }

    pub(super) fn surface_load(&mut self, warp: &mut Warp, op: &SurfaceAccess, mask: u32) -> Done {
        self.each_surface(warp, op, mask, |plan, request, answer| plan.load(request, answer))?;
        for (values, &d) in self.sites.elements.values.iter().zip(&op.parts) {
            warp.put(d, values, op.register_mask, mask);
        }
        Ok(())
    }

    /// sust and sured.
    pub(super) fn surface_store(&mut self, warp: &mut Warp, op: &SurfaceAccess, mask: u32) -> Done {
        let elements = &mut self.sites.elements.values;
        for (values, &source) in elements.iter_mut().zip(&op.parts) {
            warp.read(&self.launch.constants, source, values);
            for v in values {
                *v &= op.mask;
            }
        }
        self.each_surface(warp, op, mask, |plan, request, answer| {
            plan.store(request, &answer.values)
        })
    }
}

/// The lane that a fault is of.
fn lane_of(fault: &AccessFault) -> usize {
    let (AccessFault::Outside { lane, .. } | AccessFault::Misaligned { lane, .. }) = fault;
    *lane as usize
}

/// What came of a lane's part of an access; none if the lanes before it ended the kernel.
fn outcome_of(
    done: &Result<(), AccessFault>,
    answer: &SurfaceAnswer,
    elements: usize,
    lane: usize,
) -> Option<Result<[u64; 4], AccessFault>> {
    match done {
        Err(fault) if lane_of(fault) < lane => None,
        Err(fault) if lane_of(fault) == lane => Some(Err(fault.clone())),
        _ => {
            let mut values = [0; 4];
            for (value, of_lanes) in values.iter_mut().zip(&answer.values).take(elements) {
                *value = of_lanes[lane];
            }
            Some(Ok(values))
        }
    }
}
