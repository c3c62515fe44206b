//! Check `texture`: fetches and surface accesses that have an answer, but another one than was meant.
//!
//! What the texture unit makes of a texture, a sampler and an instruction is what crate `unit` says (`overrides`,
//! `EffectiveSampler`): no rule of docs/numerics.md stands here a second time.

mod inexact;
mod kinds;
mod measure;
mod shadow;
mod site;
mod surface;
mod words;

use crate::sink::Sink;
use shadow::Shadow;
pub(crate) use shadow::{host, offsets, surface_texels};
use site::{Site, Sums};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use surface::Surfaces;
use texunit_simt::Fault;
use texunit_simt::SpaceKind;
use texunit_simt::observe::{
    Access, At, Doing, Events, FetchAnswered, LaunchInfo, Listing, Observer, Probe, SurfaceAnswered,
};

/// Textures of one instruction that are told apart.
const MAX_SITES: usize = 4096;

/// The check of a launch.
#[derive(Debug)]
pub(crate) struct Texture {
    sink: Arc<Sink>,
    /// What all fetches of an instruction say together, by operation.
    sums: Mutex<HashMap<u32, Sums>>,
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
    fn wants(&self) -> Events {
        Events::ANSWERS | Events::ACCESSES
    }

    fn probe<'a>(&'a self, launch: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        let shadow = self.shadow.get_or_init(|| Shadow::of(launch));
        Box::new(Watching {
            check: self,
            shadow,
            told: Told { sink: &self.sink, listing: launch.listing, block: launch.config.block },
            sites: HashMap::new(),
            surfaces: Surfaces::default(),
        })
    }

    fn launch_ends(&self, launch: &LaunchInfo<'_>, fault: Option<&Fault>) {
        let sums = std::mem::take(&mut *self.sums.lock().unwrap_or_else(PoisonError::into_inner));
        let mut sums: Vec<_> = sums.into_iter().collect();
        sums.sort_by_key(|(op, _)| *op);
        sums.into_iter().for_each(|(_, sums)| sums.tell(&self.sink));
        let surfaces = self.surfaces.lock().unwrap_or_else(PoisonError::into_inner);
        surfaces.tell(&self.sink, launch, fault);
    }
}

/// Where findings go, and what is needed to tell them.
struct Told<'a> {
    sink: &'a Sink,
    listing: Listing<'a>,
    block: [u32; 3],
}

/// The check of what a worker runs.
struct Watching<'a> {
    check: &'a Texture,
    shadow: &'a Shadow,
    told: Told<'a>,
    /// By operation, and the places of texture and sampler, which the site holds.
    sites: HashMap<(u32, usize, usize), Site>,
    surfaces: Surfaces,
}

impl Probe for Watching<'_> {
    fn access(&mut self, at: &At, access: &Access<'_>) {
        if access.space == SpaceKind::Global && access.doing.writes() && self.shadow.has_memory() {
            let at_most = match access.doing {
                Doing::MatrixStore => 16,
                _ => access.bytes(),
            };
            for lane in each(at.lanes) {
                let spot = crate::Spot::new(at, lane, self.told.block);
                let address = access.addresses[lane as usize];
                self.shadow.stored(self.told.sink, spot, address, at_most.into());
            }
        }
    }

    fn fetch_answer(&mut self, at: &At, fetch: &FetchAnswered<'_>) {
        let texture = fetch.plan.texture();
        let key = (at.op, Arc::as_ptr(texture) as usize, sampler_key(fetch.plan.sampler()));
        if !self.sites.contains_key(&key) {
            if self.sites.len() >= MAX_SITES {
                return;
            }
            self.sites.insert(key, Site::new(&self.told, at, fetch));
        }
        let Some(site) = self.sites.get_mut(&key) else { return };
        site.fetched(&self.told, at, fetch);
        self.shadow.fetched(&self.told, at, fetch);
    }

    fn surface_answer(&mut self, at: &At, access: &SurfaceAnswered<'_>) {
        self.surfaces.accessed(at, access, self.told.block);
        self.shadow.accessed(&self.told, at, access);
    }
}

/// What tells a sampler from others.
fn sampler_key(sampler: &texunit_unit::Sampler) -> usize {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    (sampler.filter, sampler.mip_filter, sampler.address_mode, sampler.border).hash(&mut hasher);
    let levels = [sampler.min_level_clamp, sampler.max_level_clamp, sampler.level_bias];
    (levels.map(f32::to_bits), sampler.force_unnormalized_coords).hash(&mut hasher);
    hasher.finish() as usize
}

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        let mut sums = self.check.sums.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sites: Vec<_> = self.sites.drain().collect();
        // By textures in no order that is not that of the code: what is added up does not depend on it.
        sites.sort_by_key(|((op, ..), _)| *op);
        for ((op, ..), site) in sites {
            match sums.get_mut(&op) {
                Some(sum) => sum.add(site.sums),
                None => drop(sums.insert(op, site.sums)),
            }
        }
        drop(sums);
        let mut all = self.check.surfaces.lock().unwrap_or_else(PoisonError::into_inner);
        all.add(std::mem::take(&mut self.surfaces));
    }
}

/// The lanes of a mask.
fn each(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}
