//! Texture fetches, surface accesses and queries: handles looked up, plans kept at the
//! instruction.

use super::context::{Context, Done, Trouble, trouble};
use super::warp::{Warp, lanes};
use crate::code::{Fetch, Handle, Query, SurfaceAccess};
use crate::fault::FaultKind;
use crate::launch::{Descriptors, SAMPLER_BIT, SURFACE_BIT, TEXTURE_BIT};
use std::sync::Arc;
use texunit_unit::{
    AccessFault, Attribute, FetchAnswer, FetchPlan, FetchRequest, QueryPlan, QueryRequest, Sampler,
    Scratch, Surface, SurfaceAnswer, SurfacePlan, SurfaceRequest, Texture,
};

const INDEX: u64 = 0xf_ffff;
const SAMPLER_SHIFT: u32 = 20;
const SAMPLER_INDEX: u64 = 0xfff;
const KINDS: u64 = TEXTURE_BIT | SAMPLER_BIT | SURFACE_BIT;
/// Plans that an instruction keeps: the last handles used, latest first.
const KEPT: usize = 4;

/// Plans of one instruction, by texture and sampler handle.
type Kept<P> = Vec<((u64, u64), P)>;

/// Plans and buffers of a worker.
pub(crate) struct Sites {
    fetches: Vec<Kept<FetchPlan>>,
    surfaces: Vec<Kept<SurfacePlan>>,
    scratch: Scratch,
    answer: FetchAnswer,
    elements: SurfaceAnswer,
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
fn find<P>(kept: &mut Kept<P>, handles: (u64, u64)) -> bool {
    match kept.iter().position(|(h, _)| *h == handles) {
        Some(0) => true,
        Some(i) => {
            kept[..=i].rotate_right(1);
            true
        }
        None => false,
    }
}

fn keep<P>(kept: &mut Kept<P>, handles: (u64, u64), plan: P) {
    kept.truncate(KEPT - 1);
    kept.insert(0, (handles, plan));
}

/// What a handle may be, and what it is called.
#[derive(Clone, Copy)]
struct Wanted {
    word: &'static str,
    bit: u64,
}

const TEXTURE: Wanted = Wanted { word: "texture", bit: TEXTURE_BIT };
const SAMPLER: Wanted = Wanted { word: "sampler", bit: SAMPLER_BIT };
const SURFACE: Wanted = Wanted { word: "surface", bit: SURFACE_BIT };

fn bad<T>(lane: usize, handle: u64, wanted: Wanted, why: String) -> Result<T, Box<Trouble>> {
    trouble(lane, FaultKind::Handle { handle, wanted: wanted.word, why })
}

/// Checks the kind bits of a handle.
fn check(lane: usize, handle: u64, of: &Handle, wanted: Wanted) -> Done {
    let kind = handle & KINDS;
    let rest = handle & !KINDS & !0xffff_ffff;
    if kind & wanted.bit != 0 && kind.count_ones() == 1 && rest == 0 {
        return Ok(());
    }
    let why = match (&of.name, kind) {
        (Some(name), 0) if handle == 0 => format!("{name} is not bound"),
        (None, 0) if handle == 0 => "the handle is zero".to_owned(),
        (_, TEXTURE_BIT) if rest == 0 => format!("it is a texture, not a {}", wanted.word),
        (_, SAMPLER_BIT) if rest == 0 => format!("it is a sampler, not a {}", wanted.word),
        (_, SURFACE_BIT) if rest == 0 => format!("it is a surface, not a {}", wanted.word),
        _ => "no handle of this value was ever given out".to_owned(),
    };
    bad(lane, handle, wanted, why)
}

/// A slot of a descriptor table.
fn slot<'d, T>(
    table: &'d [Option<Arc<T>>],
    index: u64,
    (lane, handle, of, wanted): (usize, u64, &Handle, Wanted),
) -> Result<&'d Arc<T>, Box<Trouble>> {
    match table.get(index as usize) {
        Some(Some(found)) => Ok(found),
        empty => {
            let why = match (&of.name, empty) {
                (Some(name), _) if !name.starts_with("parameter") => {
                    format!("{name} is not bound")
                }
                (Some(name), Some(_)) => format!("{name}: the {} was destroyed", wanted.word),
                (None, Some(_)) => format!("the {} was destroyed", wanted.word),
                _ => "no handle of this value was ever given out".to_owned(),
            };
            bad(lane, handle, wanted, why)
        }
    }
}

fn texture_of<'d>(
    descriptors: &'d Descriptors,
    of: &Handle,
    handle: u64,
    lane: usize,
) -> Result<&'d Arc<Texture>, Box<Trouble>> {
    check(lane, handle, of, TEXTURE)?;
    slot(&descriptors.textures, handle & INDEX, (lane, handle, of, TEXTURE))
}

/// The sampler that a sampler's or texture's handle names. Its kind has been checked.
fn sampler_of<'d>(
    descriptors: &'d Descriptors,
    of: &Handle,
    handle: u64,
    lane: usize,
) -> Result<&'d Arc<Sampler>, Box<Trouble>> {
    let index = handle >> SAMPLER_SHIFT & SAMPLER_INDEX;
    slot(&descriptors.samplers, index, (lane, handle, of, SAMPLER))
}

fn surface_of<'d>(
    descriptors: &'d Descriptors,
    of: &Handle,
    handle: u64,
    lane: usize,
) -> Result<&'d Arc<Surface>, Box<Trouble>> {
    check(lane, handle, of, SURFACE)?;
    slot(&descriptors.surfaces, handle & INDEX, (lane, handle, of, SURFACE))
}

fn textures<'d>(
    descriptors: &'d Descriptors,
    fetch: &Fetch,
    (t, s): (u64, u64),
    lane: usize,
) -> Result<(&'d Arc<Texture>, &'d Arc<Sampler>), Box<Trouble>> {
    let texture = texture_of(descriptors, &fetch.texture, t, lane)?;
    let (handle, of) = match &fetch.sampler {
        // A texture handle may stand for its sampler too.
        Some(of) if s & KINDS != TEXTURE_BIT => {
            check(lane, s, of, SAMPLER)?;
            (s, of)
        }
        Some(of) => (s, of),
        None => (t, &fetch.texture),
    };
    Ok((texture, sampler_of(descriptors, of, handle, lane)?))
}

impl Context<'_> {
    pub(super) fn fetch(&mut self, warp: &mut Warp, fetch: &Fetch, mask: u32) -> Done {
        let constants = &self.launch.constants;
        self.counters.fetches += u64::from(mask.count_ones());
        let texture = warp.w(constants, fetch.texture.slot);
        let sampler = match &fetch.sampler {
            Some(s) => warp.w(constants, s.slot),
            None => texture,
        };
        let coords = fetch.coords.map(|c| warp.n(constants, c));
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
                let (t, s) = textures(descriptors, fetch, handles, lane)?;
                match FetchPlan::new(fetch.form, t, s) {
                    Ok(plan) => keep(kept, handles, plan),
                    Err(e) => return trouble(lane, FaultKind::Texture(e.to_string())),
                }
            }
            let request =
                FetchRequest { components: fetch.components, ..FetchRequest::new(active, coords) };
            if let Some((_, plan)) = kept.first() {
                plan.fetch(&request, &mut sites.scratch, &mut sites.answer);
            }
        }
        for (values, &d) in sites.answer.values.iter().zip(&fetch.parts) {
            if !d.is_none() {
                warp.put_n(d, values, mask);
            }
        }
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
        if attribute.is_of_sampler() && handle & KINDS != TEXTURE_BIT {
            check(lane, handle, of, SAMPLER)?;
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

    /// Calls `f` with the plan for each surface handle and the lanes that use it.
    fn each_surface(
        &mut self,
        warp: &Warp,
        op: &SurfaceAccess,
        mask: u32,
        f: fn(&SurfacePlan, &SurfaceRequest<'_>, &mut SurfaceAnswer) -> Result<(), AccessFault>,
    ) -> Done {
        let constants = &self.launch.constants;
        self.counters.surface_accesses += u64::from(mask.count_ones());
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
                let tables = self.launch.config.descriptors;
                let found = surface_of(tables, &op.surface, handle, lane)?;
                match SurfacePlan::new(op.form, found) {
                    Ok(plan) => keep(kept, (handle, 0), plan),
                    Err(e) => return trouble(lane, FaultKind::Surface(e.to_string())),
                }
            }
            let request = SurfaceRequest { active, coords };
            let Some((_, plan)) = kept.first() else { continue };
            if let Err(fault) = f(plan, &request, &mut self.sites.elements) {
                let (AccessFault::Outside { lane, .. } | AccessFault::Misaligned { lane, .. }) =
                    &fault;
                return trouble(*lane as usize, FaultKind::Surface(fault.to_string()));
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

    pub(super) fn surface_store(&mut self, warp: &mut Warp, op: &SurfaceAccess, mask: u32) -> Done {
        for (values, &source) in self.sites.elements.values.iter_mut().zip(&op.parts) {
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
