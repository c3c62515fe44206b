//! Texture fetches and queries. Plans are kept at the instruction, by handle.

use super::context::{Context, Done, Trouble, trouble};
use super::handles::{KINDS, fetched_of, sampler_of, surface_of, texture_of};
use super::warp::{Warp, lanes};
use crate::code::{Constants, Fetch, Query};
use crate::fault::FaultKind;
use crate::launch::SURFACE_BIT;
use crate::watch::{Watched, WatchedFetch};
use std::sync::Arc;
use texunit_unit::{
    Attribute, FetchAnswer, FetchPlan, FetchRequest, Lanes, QueryPlan, QueryRequest, ResultType,
    Scratch, SurfaceAnswer, SurfacePlan,
};

/// Plans that an instruction keeps: the last handles used, latest first.
const KEPT: usize = 4;

/// Plans of one instruction, by texture and sampler handle.
pub(super) type Kept<P> = Vec<((u64, u64), P)>;

/// Plans and buffers of a worker.
pub(crate) struct Sites {
    fetches: Vec<Kept<FetchPlan>>,
    pub(super) surfaces: Vec<Kept<SurfacePlan>>,
    scratch: Scratch,
    answer: FetchAnswer,
    pub(super) elements: SurfaceAnswer,
}

impl Sites {
    pub(crate) fn new(sites: usize) -> Self {
        Self {
            fetches: (0..sites).map(|_| Vec::new()).collect(),
            surfaces: (0..sites).map(|_| Vec::new()).collect(),
            scratch: Scratch::new(),
            answer: FetchAnswer::default(),
            elements: SurfaceAnswer { values: [[0; 32]; 4] },
        }
    }
}

/// Index of a kept plan, moved to the front if it was not there.
pub(super) fn find<P>(kept: &mut Kept<P>, handles: (u64, u64)) -> bool {
    match kept.iter().position(|(h, _)| *h == handles) {
        Some(0) => true,
        Some(i) => {
            kept[..=i].rotate_right(1);
            true
        }
        None => false,
    }
}

pub(super) fn keep<P>(kept: &mut Kept<P>, handles: (u64, u64), plan: P) {
    kept.truncate(KEPT - 1);
    kept.insert(0, (handles, plan));
}

/// The operands of a fetch for these lanes.
fn request<'w>(
    fetch: &Fetch,
    warp: &'w Warp,
    constants: &'w Constants,
    active: u32,
) -> FetchRequest<'w> {
    let n = |slot| -> &'w Lanes { warp.n(constants, slot) };
    let request = FetchRequest::new(active, fetch.coords.map(n));
    match &fetch.more {
        None => request,
        Some(more) => FetchRequest {
            level: n(more.level),
            dpdx: more.dpdx.map(n),
            dpdy: more.dpdy.map(n),
            offset: more.offset.map(n),
            compare: n(more.compare),
            ..request
        },
    }
}

impl Context<'_> {
    /// The lane of the thread that is watched, if it is among these.
    #[inline]
    pub(super) fn watched_lane(&self, warp: &Warp, mask: u32) -> Option<usize> {
        let (index, lane) = self.watched?;
        (index == warp.index && mask >> lane & 1 == 1).then_some(lane as usize)
    }

    pub(super) fn fetch(&mut self, warp: &mut Warp, fetch: &Fetch, mask: u32) -> Done {
        let constants = &self.launch.constants;
        self.counters.fetches += u64::from(mask.count_ones());
        let watched = self.watched_lane(warp, mask);
        let texture = warp.w(constants, fetch.texture.slot);
        let sampler = match &fetch.sampler {
            Some(s) => warp.w(constants, s.slot),
            None => texture,
        };
        let mut request = request(fetch, warp, constants, 0);
        request.components = if watched.is_some() { 0xf } else { fetch.components };
        let sites = &mut self.sites;
        let kept = &mut sites.fetches[fetch.site];
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let handles = (texture[lane], sampler[lane]);
            let mut active = 0;
            for l in lanes(rest) {
                active |= u32::from((texture[l], sampler[l]) == handles) << l;
            }
            rest &= !active;
            if !find(kept, handles) {
                let descriptors = self.launch.config.descriptors;
                let (t, s) = fetched_of(descriptors, fetch, handles, lane)?;
                match FetchPlan::new(fetch.form, t, s) {
                    Ok(plan) => keep(kept, handles, plan),
                    Err(e) => return trouble(lane, FaultKind::Texture(e.to_string())),
                }
            }
            request.active = active;
            let Some((_, plan)) = kept.first() else { continue };
            plan.fetch(&request, &mut sites.scratch, &mut sites.answer);
            if let (Some(lane), Some(watch)) = (watched, self.launch.config.watch)
                && active >> lane & 1 == 1
            {
                let mut values = sites.answer.values.map(|v| v[lane]);
                if fetch.form.result == ResultType::F16x2 {
                    // Two registers hold all: the others are of some fetch before.
                    values[2..].fill(0);
                }
                let what = Watched::Fetch(WatchedFetch {
                    form: fetch.form,
                    operands: request.lane(lane),
                    texture: Arc::clone(plan.texture()),
                    sampler: *plan.sampler(),
                    values,
                    resident: sites.answer.resident >> lane & 1 == 1,
                });
                watch.record(fetch.span, what);
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

    /// What the attribute of one handle is.
    fn query_plan(
        &self,
        query: &Query,
        handle: u64,
        lane: usize,
    ) -> Result<QueryPlan, Box<Trouble>> {
        let tables = self.launch.config.descriptors;
        let (of, attribute) = (&query.handle, query.attribute);
        // memory_layout is asked of surfaces with txq too.
        let is_surface = query.of_surface
            || attribute == Attribute::MemoryLayout && handle & KINDS == SURFACE_BIT;
        if is_surface {
            return Ok(QueryPlan::surface(attribute, surface_of(tables, of, handle, lane)?));
        }
        if attribute.is_of_sampler() {
            return Ok(QueryPlan::sampler(attribute, sampler_of(tables, of, handle, lane)?));
        }
        let texture = texture_of(tables, of, handle, lane)?;
        let sampler = sampler_of(tables, of, handle, lane)?;
        Ok(QueryPlan::texture(attribute, texture, sampler))
    }

    pub(super) fn query(&mut self, warp: &mut Warp, query: &Query, mask: u32) -> Done {
        let constants = &self.launch.constants;
        let handles = warp.w(constants, query.handle.slot);
        let level = (!query.level.is_none()).then(|| warp.n(constants, query.level));
        let mut values = [0; 32];
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let handle = handles[lane];
            let active = lanes(rest).filter(|&l| handles[l] == handle).fold(0, |m, l| m | 1 << l);
            rest &= !active;
            let plan = self.query_plan(query, handle, lane)?;
            plan.answer(&QueryRequest { active, level }, &mut values);
        }
        if !query.d.is_none() {
            warp.put_n(query.d, &values, mask);
        }
        Ok(())
    }
}
