//! Surface loads, stores and reductions.

use super::context::{Context, Done, trouble};
use super::handles::{accessed_of, surface_of};
use super::texture::{find, keep};
use super::warp::{Warp, lanes};
use crate::code::SurfaceAccess;
use crate::fault::FaultKind;
use crate::observe::{At, Events, SurfaceAnswered, SurfaceMade};
use texunit_unit::{AccessFault, SurfaceAnswer, SurfacePlan, SurfaceRequest, ZERO_LANES};

/// What a plan does with the elements of a warp.
type Access = fn(&SurfacePlan, &SurfaceRequest<'_>, &mut SurfaceAnswer) -> Result<(), AccessFault>;

impl Context<'_> {
    /// Calls `access` with the plan for each surface handle and the lanes that use it.
    fn each_surface(&mut self, warp: &Warp, op: &SurfaceAccess, mask: u32, access: Access) -> Done {
        let constants = &self.launch.constants;
        self.counters.surface_accesses += u64::from(mask.count_ones());
        let at = self.at_site(warp, mask, op.site);
        let asked = self.answer_lanes(&at);
        let tables = self.launch.config.descriptors;
        let surface = warp.w(constants, op.surface.slot);
        let coords = op.coords.map(|c| match c.is_none() {
            true => &ZERO_LANES,
            false => warp.n(constants, c),
        });
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
            let (at, form) = (At { lanes: active, ..at }, op.form);
            if let Some(probe) = self.probe.as_mut().filter(|_| self.events.has(Events::FETCHES)) {
                let surface = surface_of(tables, &op.surface, handle, lane)?;
                probe.surface(&at, &SurfaceMade { form, surface });
            }
            let done = access(plan, &request, &mut self.sites.elements);
            if let Some(probe) = self.probe.as_mut().filter(|_| active & asked != 0) {
                let surface = surface_of(tables, &op.surface, handle, lane)?;
                let (elements, parts) = (&self.sites.elements, op.parts.len());
                let fault = done.as_ref().err();
                probe.surface_answer(
                    &at,
                    &SurfaceAnswered { form, surface, request: &request, elements, parts, fault },
                );
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
pub(crate) fn lane_of(fault: &AccessFault) -> usize {
    let (AccessFault::Outside { lane, .. } | AccessFault::Misaligned { lane, .. }) = fault;
    *lane as usize
}
