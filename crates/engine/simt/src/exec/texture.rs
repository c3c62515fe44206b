//! Executes texture fetches and queries, with plans cached for each instruction by handle.

use super::bad_fetch::{BadAccesses, clear};
use super::context::Context;
use super::handles::{KINDS, Lookup};
use super::outcome::{Done, fault_at};
use super::sites::{PlanCache, plan_for};
use super::warp::{Warp, count, lanes_by, narrow};
use crate::code::{Constants, Fetch, Query};
use crate::fault::FaultKind;
use crate::gradients::{Answered, GradientEngine, GradientFetch};
use crate::launch::SURFACE_BIT;
use crate::observe::{At, Events, ExecutedFetch, LaunchConfig, PlannedFetch};
use texunit_unit::{
    Attribute, Build, FetchAnswer, FetchKind, FetchPlan, FetchRequest, FetchRows, Lod, Operand,
    QueryPlan, QueryRequest, Requests, Results, Scratch, UnwrittenRows, ZERO_LANES,
};

/// The kind of `tex.grad`.
const GRADIENT: FetchKind = FetchKind::Sample(Lod::Gradient);

/// Mask of the lanes that have a given handle.
fn same(handles: &[u64; 32], handle: u64) -> u32 {
    Build::current().run_narrow(
        #[inline(always)]
        || {
            let others = handles.iter().fold(0, |any, h| any | (h ^ handle));
            if others == 0 {
                return u32::MAX;
            }
            let same = |lane: usize| u32::from(handles[lane] == handle) << lane;
            (0..32).fold(0, |mask, lane| mask | same(lane))
        },
    )
}

/// Whether all lanes of a mask have a given handle.
#[inline(always)]
pub(super) fn has_all(handles: &[u64; 32], lanes: u32, handle: u64) -> bool {
    lanes & !same(handles, handle) == 0
}

/// The lanes of a fetch, grouped by handles.
pub(super) struct FetchLanes<'w> {
    texture: &'w [u64; 32],
    /// Sampler handles; `None` if the texture handles include the sampler.
    sampler: Option<&'w [u64; 32]>,
    rest: u32,
}

impl<'w> FetchLanes<'w> {
    pub(super) fn new(fetch: &Fetch, warp: &'w Warp, constants: &'w Constants, mask: u32) -> Self {
        let texture = warp.w(constants, fetch.texture.slot);
        let sampler = fetch.sampler.as_ref().map(|s| warp.w(constants, s.slot));
        Self { texture, sampler, rest: mask }
    }

    /// The next group of lanes with equal handles: its first lane, the texture and sampler handle,
    /// and its mask.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<(usize, (u64, u64), u32)> {
        if self.rest == 0 {
            return None;
        }
        let lane = self.rest.trailing_zeros() as usize;
        let handles = (self.texture[lane], self.sampler.unwrap_or(self.texture)[lane]);
        let mut active = self.rest & same(self.texture, handles.0);
        if let Some(sampler) = self.sampler {
            active &= same(sampler, handles.1);
        }
        self.rest &= !active;
        Some((lane, handles, active))
    }
}

/// The plan for given handles, which is moved to the front of the cache; `None`: the fetch returns
/// zeros.
#[inline(always)]
pub(super) fn plan<'k>(
    cache: &'k mut PlanCache<FetchPlan>,
    bad: &mut BadAccesses,
    config: &LaunchConfig<'_>,
    fetch: &Fetch,
    (handles, lane): ((u64, u64), usize),
) -> Done<Option<&'k FetchPlan>> {
    plan_for(cache, handles, || new_plan(bad, config, fetch, handles, lane))
}

/// Creates a plan; `None`: the fetch returns zeros.
#[cold]
fn new_plan(
    bad: &mut BadAccesses,
    config: &LaunchConfig<'_>,
    fetch: &Fetch,
    (handle, sampler): (u64, u64),
    lane: usize,
) -> Done<Option<FetchPlan>> {
    let (descriptors, form) = (config.descriptors, fetch.form);
    let lookup = Lookup { descriptors, of: &fetch.texture, handle, lane };
    let made = lookup.fetched(fetch, sampler).and_then(|(t, s)| {
        FetchPlan::new(form, t, s)
            .or_else(|error| fault_at(lane, FaultKind::unplanned(error, false)))
    });
    match made {
        Ok(plan) => return Ok(Some(plan)),
        Err(fault) => {
            let is_of_other_class = matches!(fault.kind, FaultKind::Geometry { .. });
            bad.take(config, fetch.site, fault)?;
            if is_of_other_class {
                return Ok(None);
            }
        }
    }
    let Some((t, s)) = lookup.fetched_instead()? else { return Ok(None) };
    match FetchPlan::new(form, &t, &s) {
        Ok(plan) => Ok(Some(plan)),
        Err(error) if error.reads_zero() => Ok(None),
        Err(error) => fault_at(lane, FaultKind::unplanned(error, false)),
    }
}

/// The operands of a fetch for the lanes of a mask.
#[inline(always)]
pub(super) fn request<'w>(
    fetch: &Fetch,
    warp: &'w Warp,
    constants: &'w Constants,
    active: u32,
) -> FetchRequest<'w> {
    let rows = warp.rows();
    fetch.request(active, |slot| narrow(rows, constants, slot))
}

/// Fetches of several warps. `live` returns the live lanes of a warp.
pub(super) struct OfWarps<'f, L> {
    pub(super) fetch: &'f Fetch,
    pub(super) constants: &'f Constants,
    pub(super) live: L,
}

impl<L: Fn(usize) -> u32> Requests for OfWarps<'_, L> {
    #[inline(always)]
    fn request<'w>(&'w self, warp: usize, others: &UnwrittenRows<'w>) -> FetchRequest<'w> {
        self.fetch.request((self.live)(warp), |slot| match slot.index() {
            i if slot.is_constant() => &self.constants.narrow[i],
            i => others.row(i),
        })
    }
}

/// The registers that hold coordinates and results in all warps.
#[inline(always)]
pub(super) fn rows_of<'f>(fetch: &Fetch, to: Results, constants: &'f Constants) -> FetchRows<'f> {
    let point = fetch.coords.point.map(|slot| match slot.index() {
        _ if slot.is_none() => Operand::Lanes(&ZERO_LANES),
        i if slot.is_constant() => Operand::Lanes(&constants.narrow[i]),
        i => Operand::Row(i),
    });
    FetchRows { point, results: to }
}

/// Asks the external engine for gradients, and executes the plan if the engine declines.
fn ask(
    engine: &dyn GradientEngine,
    fetch: &Fetch,
    (texture_handle, sampler_handle): (u64, u64),
    (plan, request): (&FetchPlan, &FetchRequest<'_>),
    (scratch, answer): (&mut Scratch, &mut FetchAnswer),
) -> Result<(), String> {
    let asked = GradientFetch {
        span: fetch.span,
        form: fetch.form,
        texture_handle,
        sampler_handle,
        texture: plan.seen(),
        sampler: plan.sampler(),
        request,
    };
    if engine.fetch(&asked, answer)? == Answered::Unit {
        plan.fetch(request, scratch, answer);
    }
    Ok(())
}

impl Context<'_> {
    /// Executes a fetch.
    pub(super) fn fetch(&mut self, warp: &mut Warp, fetch: &Fetch, mask: u32) -> Done {
        let constants = &self.launch.constants;
        self.counters.fetches += count(mask);
        let at = self.at_site(warp, mask, fetch.site);
        let asked = self.answer_lanes(&at);
        let mut request = request(fetch, warp, constants, 0);
        request.components = if asked != 0 { 0xf } else { fetch.components };
        let engine = self.launch.config.gradients.filter(|_| fetch.form.kind == GRADIENT);
        let sites = &mut self.sites;
        let cache = &mut sites.fetches[fetch.site];
        let mut groups = FetchLanes::new(fetch, warp, constants, mask);
        while let Some((lane, handles, active)) = groups.next() {
            let of = (handles, lane);
            let Some(plan) = plan(cache, &mut sites.bad, self.launch.config, fetch, of)? else {
                clear(&mut sites.answer.values, active);
                sites.answer.resident |= active;
                continue;
            };
            request.active = active;
            let at = At { lanes: active, ..at };
            if let Some(probe) =
                self.probe.as_mut().filter(|_| self.events.intersects(Events::FETCHES))
            {
                probe.fetch(&at, &PlannedFetch { plan, request: &request });
            }
            let space = (sites.scratch.get(), &mut sites.answer);
            match engine {
                None => plan.fetch(&request, space.0, space.1),
                Some(engine) => {
                    if let Err(why) = ask(engine, fetch, handles, (plan, &request), space) {
                        return fault_at(lane, FaultKind::Texture(why));
                    }
                }
            }
            if let Some(probe) = self.probe.as_mut().filter(|_| active & asked != 0) {
                let (request, answer) = (&request, &sites.answer);
                probe.fetch_answer(&at, &ExecutedFetch { plan, request, answer });
            }
        }
        for (values, &d) in sites.answer.values.iter().zip(&fetch.parts) {
            if !d.is_none() {
                warp.put_n(d, values, mask);
            }
        }
        warp.put_p(fetch.resident, sites.answer.resident, mask);
        Ok(())
    }

    /// The plan of a query for one handle.
    fn query_plan(&self, query: &Query, handle: u64, lane: usize) -> Done<QueryPlan> {
        let (of, attribute) = (&query.handle, query.attribute);
        let lookup = Lookup { descriptors: self.launch.config.descriptors, of, handle, lane };
        // `txq` with `memory_layout` also accepts surfaces.
        let is_surface = query.of_surface
            || attribute == Attribute::MemoryLayout && handle & KINDS == SURFACE_BIT;
        if is_surface {
            return Ok(QueryPlan::surface(attribute, lookup.surface()?));
        }
        if attribute.is_of_sampler() {
            return Ok(QueryPlan::sampler(attribute, lookup.sampler()?));
        }
        Ok(QueryPlan::texture(attribute, lookup.texture()?, lookup.sampler()?))
    }

    pub(super) fn query(&mut self, warp: &mut Warp, query: &Query, mask: u32) -> Done {
        let constants = &self.launch.constants;
        let handles = warp.w(constants, query.handle.slot);
        let level = (!query.level.is_none()).then(|| warp.n(constants, query.level));
        let mut values = [0; 32];
        for (active, handle) in lanes_by(mask, |lane| handles[lane]) {
            let plan = self.query_plan(query, handle, active.trailing_zeros() as usize)?;
            plan.answer(&QueryRequest { active, level }, &mut values);
        }
        if !query.d.is_none() {
            warp.put_n(query.d, &values, mask);
        }
        Ok(())
    }
}
