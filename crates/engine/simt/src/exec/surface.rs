//! Executes surface loads, stores and reductions.

use super::bad_fetch::{BadAccesses, clear};
use super::context::Context;
use super::handles::Lookup;
use super::outcome::{Done, fault_at};
use super::sites::{PlanCache, plan_for};
use super::warp::{Warp, lanes_by, narrow};
use crate::code::{Constants, Slot, SurfaceAccess};
use crate::fault::FaultKind;
use crate::observe::{At, Events, ExecutedSurfaceAccess, LaunchConfig, PlannedSurfaceAccess};
use texunit_jit::region::RegisterFiles;
use texunit_unit::{
    AccessFault, Coordinates, Lanes, SurfaceAnswer, SurfacePlan, SurfaceRequest, ZERO_LANES,
};

/// A method of [`SurfacePlan`] that loads, stores or reduces the elements of a warp.
type Access = fn(&SurfacePlan, &SurfaceRequest<'_>, &mut SurfaceAnswer) -> Result<(), AccessFault>;

/// The plan for a handle, which is moved to the front of the cache; `None`: a load returns zeros,
/// and other accesses have no effect.
pub(super) fn plan<'k>(
    cache: &'k mut PlanCache<SurfacePlan>,
    bad: &mut BadAccesses,
    config: &LaunchConfig<'_>,
    op: &SurfaceAccess,
    (handle, lane): (u64, usize),
) -> Done<Option<&'k SurfacePlan>> {
    plan_for(cache, (handle, 0), || new_plan(bad, config, op, handle, lane))
}

/// Creates a plan; `None`: a load returns zeros, and other accesses have no effect.
#[cold]
fn new_plan(
    bad: &mut BadAccesses,
    config: &LaunchConfig<'_>,
    op: &SurfaceAccess,
    handle: u64,
    lane: usize,
) -> Done<Option<SurfacePlan>> {
    let lookup = Lookup { descriptors: config.descriptors, of: &op.surface, handle, lane };
    let plan = |found| {
        SurfacePlan::new(op.form, found)
            .or_else(|error| fault_at(lane, FaultKind::unplanned(error, true)))
    };
    match lookup.live_surface().and_then(plan) {
        Ok(plan) => return Ok(Some(plan)),
        Err(fault) => bad.take(config, op.site, fault)?,
    }
    match lookup.accessed_instead().map(plan).transpose() {
        Err(fault) if fault.kind.is_answered() => Ok(None),
        other => other,
    }
}

/// The coordinates of all lanes; zeros for missing components.
pub(super) fn coordinates<'w>(
    op: &SurfaceAccess,
    warp: &'w Warp,
    constants: &'w Constants,
) -> Coordinates<&'w Lanes> {
    op.coords.map(|c| if c.is_none() { &ZERO_LANES } else { warp.n(constants, c) })
}

/// Executes a load (`loads`) or store of all live lanes of a warp directly on its registers. The
/// access is not a reduction, and no element is a predicate.
#[inline]
pub(super) fn access_file(
    (op, plan): (&SurfaceAccess, &SurfacePlan),
    loads: bool,
    constants: &Constants,
    (files, live): (&mut RegisterFiles<'_>, u32),
    answer: &mut SurfaceAnswer,
) -> Result<(), AccessFault> {
    let rows = &*files.narrow;
    let row = |slot: Slot| if slot.is_none() { &ZERO_LANES } else { narrow(rows, constants, slot) };
    let request = SurfaceRequest { active: live, coords: op.coords.map(row) };
    if loads {
        plan.load(&request, answer)?;
        for (values, to) in answer.values.iter().zip(&op.parts).filter(|part| !part.1.is_none()) {
            let cache = values.iter().map(|value| value & op.register_mask);
            if to.is_wide() {
                files.wide[to.index()].iter_mut().zip(cache).for_each(|(to, value)| *to = value);
            } else {
                let to = files.narrow[to.index()].iter_mut();
                to.zip(cache).for_each(|(to, value)| *to = value as u32);
            }
        }
        return Ok(());
    }
    for (values, &from) in answer.values.iter_mut().zip(&op.parts) {
        if from.is_wide() {
            let file = if from.is_constant() { &constants.wide } else { &*files.wide };
            *values = file[from.index()].map(|value| value & op.mask);
        } else {
            *values = row(from).map(|value| u64::from(value) & op.mask);
        }
    }
    plan.store(&request, &answer.values)
}

impl Context<'_> {
    /// Calls `f` with the plan for each surface handle and the lanes that use it.
    fn each_surface(&mut self, warp: &Warp, op: &SurfaceAccess, mask: u32, f: Access) -> Done {
        let constants = &self.launch.constants;
        self.counters.surface_accesses += u64::from(mask.count_ones());
        let at = self.at_site(warp, mask, op.site);
        let asked = self.answer_lanes(&at);
        let coords = coordinates(op, warp, constants);
        let cache = &mut self.sites.surfaces[op.site];
        let handles = warp.w(constants, op.surface.slot);
        for (active, handle) in lanes_by(mask, |lane| handles[lane]) {
            let (bad, config) = (&mut self.sites.bad, self.launch.config);
            let who = (handle, active.trailing_zeros() as usize);
            let Some(plan) = plan(cache, bad, config, op, who)? else {
                clear(&mut self.sites.elements.values, active);
                continue;
            };
            let request = SurfaceRequest { active, coords };
            let (at, form) = (At { lanes: active, ..at }, op.form);
            if let Some(probe) =
                self.probe.as_mut().filter(|_| self.events.intersects(Events::FETCHES))
            {
                let (surface, request) = (plan.surface(), &request);
                probe.surface(&at, &PlannedSurfaceAccess { form, surface, request });
            }
            let done = f(plan, &request, &mut self.sites.elements);
            if let Some(probe) = self.probe.as_mut().filter(|_| active & asked != 0) {
                let (elements, parts) = (&self.sites.elements, op.parts.len());
                let (request, fault) = (&request, done.as_ref().err());
                let what = ExecutedSurfaceAccess { form, plan, request, elements, parts, fault };
                probe.surface_answer(&at, &what);
            }
            if let Err(fault) = done {
                return fault_at(fault.lane(), FaultKind::Surface(fault.to_string()));
            }
        }
        Ok(())
    }

    pub(super) fn suld(&mut self, warp: &mut Warp, op: &SurfaceAccess, mask: u32) -> Done {
        self.each_surface(warp, op, mask, |plan, request, answer| plan.load(request, answer))?;
        for (values, &d) in self.sites.elements.values.iter().zip(&op.parts) {
            warp.put(d, values, op.register_mask, mask);
        }
        Ok(())
    }

    /// Executes `sust` and `sured`.
    pub(super) fn sust(&mut self, warp: &mut Warp, op: &SurfaceAccess, mask: u32) -> Done {
        self.record_side_effect();
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
