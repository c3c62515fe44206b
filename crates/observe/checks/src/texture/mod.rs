//! Check `texture`: fetches and surface accesses whose defined result is probably not the intended
//! one.
//!
//! The crate `unit` decides what a texture, a sampler and an instruction do together (`overrides`,
//! `EffectiveSampler`). No rule of docs/numerics.md is repeated here.

mod half;
mod inexact;
mod locations;
mod measure;
mod measured;
mod shadow;
mod site;
mod sums;
mod surface;
mod usual;
mod words;

use crate::callers::Callers;
use crate::lanes as each;
use crate::lock;
use crate::sink::Sink;
use shadow::Shadow;
pub(crate) use shadow::{Offsets, host, surface_texels};
use site::Site;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, OnceLock};
use sums::Sums;
use surface::Surfaces;
use texunit_report::place::line_at;
use texunit_simt::SpaceKind;
use texunit_simt::observe::{
    Access, At, CallEvent, CtaInfo, Events, ExecutedFetch, ExecutedSurfaceAccess, LaunchInfo,
    Listing, Observer, Probe,
};
use texunit_simt::{Fault, LaunchConfig};
use texunit_unit::{ClampMode, Sampler, SurfaceKind};

/// Maximum number of combinations of instruction, texture and sampler with statistics of their own,
/// in one worker thread.
const MAX_SITES: usize = 4096;

/// A source line as file and line number, or a line of the PTX if the module has no line table.
/// Statistics are kept by line, because the compiler may have unrolled a loop, which makes several
/// instructions of one line.
type Line = (String, u32);

/// The check `texture` of one launch.
#[derive(Debug)]
pub(crate) struct Texture {
    sink: Arc<Sink>,
    /// Statistics of fetches by source line.
    sums: Mutex<HashMap<Line, Sums>>,
    surfaces: Mutex<Surfaces>,
    shadow: OnceLock<Shadow>,
}

impl Texture {
    pub(crate) fn new(sink: &Arc<Sink>) -> Self {
        Self {
            sink: Arc::clone(sink),
            sums: Mutex::default(),
            surfaces: Mutex::default(),
            shadow: OnceLock::new(),
        }
    }
}

impl Observer for Texture {
    fn prepares(&self, config: &LaunchConfig<'_>) {
        self.shadow.get_or_init(|| Shadow::of(config));
    }

    fn wants(&self) -> Events {
        let stores = self.shadow.get().is_some_and(Shadow::has_memory);
        let events = Events::ANSWERS | Events::ENTERS;
        if stores { events | Events::ACCESSES } else { events }
    }

    fn probe<'a>(&'a self, launch: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        let shadow = self.shadow.get_or_init(|| Shadow::of(launch.config));
        Box::new(Worker {
            check: self,
            shadow,
            reporter: Reporter {
                sink: &self.sink,
                listing: launch.listing,
                block: launch.config.block,
                worker: launch.worker,
            },
            callers: Callers::new(launch.listing),
            stores: Stores::default(),
            waits: launch.config.descriptors.surfaces.iter().flatten().next().is_some(),
            sites: Vec::new(),
            numbers: HashMap::new(),
            recent: [None; RECENT],
            sampler: (Sampler::default(), sampler_key(&Sampler::default())),
            surfaces: Surfaces::default(),
        })
    }

    fn launch_ends(&self, launch: &LaunchInfo<'_>, fault: Option<&Fault>) {
        let sums = std::mem::take(&mut *lock(&self.sums));
        let mut sums: Vec<_> = sums.into_iter().collect();
        sums.sort_by_key(|(_, sums)| sums.first.op);
        sums.into_iter().for_each(|(_, sums)| sums.report(&self.sink));
        let surfaces = lock(&self.surfaces);
        surfaces.report(&self.sink, launch, fault);
    }
}

/// The sink of the launch's findings, with the data that describes threads and instructions.
struct Reporter<'a> {
    sink: &'a Sink,
    listing: Listing<'a>,
    block: [u32; 3],
    worker: usize,
}

/// The check `texture` for the CTAs that one worker thread executes.
struct Worker<'a> {
    check: &'a Texture,
    shadow: &'a Shadow,
    reporter: Reporter<'a>,
    callers: Callers<'a>,
    /// For the threads of the CTA, which of their surface stores were dropped.
    stores: Stores,
    /// Whether the launch has surfaces. Then a fetch counts only at the end of its CTA, because a
    /// thread whose surface stores are all dropped does not use its fetches.
    waits: bool,
    sites: Vec<Site>,
    numbers: HashMap<Key, usize>,
    /// Cache from the operation (modulo its length) to the site of its last fetch, which is usually
    /// that of the next one.
    recent: [Option<(Key, usize)>; RECENT],
    /// The sampler of the last fetch, and its hash, which is a part of the site's key.
    sampler: (Sampler, usize),
    surfaces: Surfaces,
}

/// The key of a site: the operation, the operation of the user's line that called it, the texture's
/// address, and the sampler's hash. The site keeps the texture alive, so that the address stays
/// valid.
type Key = (u32, u32, usize, usize);

/// Number of entries in the cache of sites.
const RECENT: usize = 16;

/// By warp: the lanes with surface stores outside the surface, which the boundary mode dropped, and
/// the lanes with other surface stores.
#[derive(Default)]
struct Stores {
    dropped: Vec<u32>,
    kept: Vec<u32>,
}

impl Stores {
    fn stored(&mut self, at: &At, access: &ExecutedSurfaceAccess<'_>) {
        if matches!(access.form.kind, SurfaceKind::Load { .. }) {
            return;
        }
        let is_dropped = |lane: &u32| surface_texels(access, *lane).next().is_none();
        let dropped = match access.form.clamp {
            ClampMode::Zero => {
                each(at.lanes).filter(is_dropped).fold(0, |all, lane| all | 1 << lane)
            }
            _ => 0,
        };
        let (warp, kept) = (at.warp as usize, at.lanes & !dropped);
        for (all, lanes) in [(&mut self.dropped, dropped), (&mut self.kept, kept)] {
            all.resize(all.len().max(warp + 1), 0);
            all[warp] |= lanes;
        }
    }

    /// By warp, the lanes of threads all of whose surface stores were dropped.
    fn dropped_lanes(mut self) -> Vec<u32> {
        for (dropped, kept) in self.dropped.iter_mut().zip(&self.kept) {
            *dropped &= !kept;
        }
        self.dropped
    }
}

impl Probe for Worker<'_> {
    fn cta_begins(&mut self, _: &CtaInfo) {
        self.callers.clear();
    }

    fn cta_ends(&mut self, cta: &CtaInfo, _: Option<&Fault>) {
        if self.waits {
            let gone = std::mem::take(&mut self.stores).dropped_lanes();
            self.sites.iter_mut().for_each(|site| site.cta_ends(cta.id, cta.block, &gone));
        }
    }

    fn call(&mut self, at: &At, called: &CallEvent<'_>) {
        self.callers.call(at, called);
    }

    fn access(&mut self, at: &At, access: &Access<'_>) {
        if access.space == SpaceKind::Global
            && access.operation.writes()
            && self.shadow.has_memory()
        {
            self.shadow.stored(self.reporter.sink, at, access);
        }
    }

    fn fetch_answer(&mut self, at: &At, fetch: &ExecutedFetch<'_>) {
        let (texture, op) = (fetch.plan.texture(), at.op);
        let at = &self.callers.place(at);
        if self.sampler.0 != *fetch.plan.sampler() {
            self.sampler = (*fetch.plan.sampler(), sampler_key(fetch.plan.sampler()));
        }
        let key = (op, at.op, Arc::as_ptr(texture) as usize, self.sampler.1);
        let recent = &mut self.recent[op as usize % RECENT];
        let number = match *recent {
            Some((last, number)) if last == key => number,
            _ => match self.numbers.get(&key) {
                Some(&number) => number,
                None if self.sites.len() >= MAX_SITES => return,
                None => {
                    self.sites.push(Site::new(&self.reporter, (at, op), fetch, self.waits));
                    self.numbers.insert(key, self.sites.len() - 1);
                    self.sites.len() - 1
                }
            },
        };
        *recent = Some((key, number));
        let site = &mut self.sites[number];
        site.fetched(&self.reporter, at, fetch);
        self.shadow.fetched(&self.reporter, (&site.plan, at), fetch.request);
    }

    fn surface_answer(&mut self, at: &At, access: &ExecutedSurfaceAccess<'_>) {
        self.surfaces.accessed(at, access, self.reporter.block);
        if self.waits {
            self.stores.stored(at, access);
        }
        let at = &self.callers.place(at);
        self.shadow.accessed(&self.reporter, at, access);
    }
}

/// A hash of all settings of a sampler.
fn sampler_key(sampler: &Sampler) -> usize {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    (sampler.filter, sampler.mip_filter, sampler.address_mode, sampler.border).hash(&mut hasher);
    let levels = [sampler.min_level_clamp, sampler.max_level_clamp, sampler.level_bias];
    (levels.map(f32::to_bits), sampler.force_unnormalized_coords).hash(&mut hasher);
    hasher.finish() as usize
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        let mut sums = lock(&self.check.sums);
        let mut sites: Vec<_> = self.sites.drain(..).map(|site| site.sums).collect();
        // The textures of an operation are in the order of their addresses, which differs from run
        // to run. The order does not matter, because sums of statistics do not depend on it.
        sites.sort_by_key(|sums| sums.first.op);
        let listing = &self.reporter.listing;
        for site in sites {
            let span = listing.span(site.first.op);
            match sums.entry(line_at(listing.sources(), listing.source(), span)) {
                Entry::Occupied(mut sum) => sum.get_mut().add(site),
                Entry::Vacant(place) => drop(place.insert(site)),
            }
        }
        drop(sums);
        let mut all = lock(&self.check.surfaces);
        all.add(std::mem::take(&mut self.surfaces));
    }
}
