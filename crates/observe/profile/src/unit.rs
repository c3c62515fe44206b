//! Counts texels, sectors and levels of fetches and surface accesses.

use crate::cost::SECTOR;
use crate::counts::{Surface, Texture};
use std::sync::Arc;
use texunit_simt::observe::PlannedSurfaceAccess;
use texunit_unit::reference::trace;
use texunit_unit::{
    FetchPlan, FetchRequest, Resource, SurfacePlan, TexelIndex, Texture as Seen, lanes,
};

/// Maximum memory of a worker for sets of texels; later fetches are counted without recording their
/// texels.
const MAX_NOTES: usize = 64 << 20;

/// The set of texels of a texture that were read.
#[derive(Debug)]
pub(crate) struct TexelSet {
    texture: Arc<Seen>,
    bits: Vec<u64>,
}

/// The fetches of an instruction.
#[derive(Debug, Default)]
pub(crate) struct Fetches {
    pub(crate) counts: Texture,
    notes: Vec<TexelSet>,
}

/// The surface accesses of an instruction.
#[derive(Debug, Default)]
pub(crate) struct Accesses {
    pub(crate) counts: Surface,
    plan: Option<SurfacePlan>,
}

/// Buffers of a worker that all its instructions share.
#[derive(Debug)]
pub(crate) struct Space {
    /// Texel offsets of a warp's fetch.
    offsets: Vec<u64>,
    /// Recently added offsets, hashed: neighbouring lanes usually read the same texels. Remaining
    /// duplicates are removed by sorting.
    last: [u64; LAST],
    /// Bytes of all texel sets.
    noted: usize,
}

/// Size of the table of recent offsets.
const LAST: usize = 64;

impl Default for Space {
    fn default() -> Self {
        Self { offsets: Vec::new(), last: [u64::MAX; LAST], noted: 0 }
    }
}

impl Space {
    fn begin(&mut self) {
        self.offsets.clear();
        self.last.fill(u64::MAX);
    }

    fn push(&mut self, resource: &Resource, at: TexelIndex) {
        let Some(offset) = resource.texel_offset(at) else { return };
        let size = u64::from(resource.format().texel_size());
        // The hash separates rows whose length is a power of two.
        let texel = offset / size;
        let place = &mut self.last[((texel ^ texel >> 6 ^ texel >> 10) % LAST as u64) as usize];
        if std::mem::replace(place, offset) != offset {
            self.offsets.push(offset);
        }
    }

    /// The number of sectors of the collected elements, after removing duplicate offsets.
    fn sectors(&mut self, size: u64) -> u64 {
        self.offsets.sort_unstable();
        self.offsets.dedup();
        let (mut touched, mut next) = (0, 0);
        for &offset in &self.offsets {
            let (begin, end) = (offset / SECTOR, (offset + size - 1) / SECTOR + 1);
            touched += end.saturating_sub(begin.max(next));
            next = next.max(end);
        }
        touched
    }
}

impl Fetches {
    /// Counts a warp-level fetch.
    pub(crate) fn take(&mut self, plan: &FetchPlan, request: &FetchRequest<'_>, space: &mut Space) {
        self.counts.requests += 1;
        self.counts.fetches += u64::from(request.active.count_ones());
        let resource = &*plan.seen().resource;
        let warp = plan.texels_of_warp(request);
        space.begin();
        for lane in lanes(request.active) {
            let outside = if let Some(warp) = &warp {
                let texels = warp.lane(lane);
                self.counts.taps += 1;
                self.counts.add_level(0, 1);
                self.counts.texels += texels.len() as u64;
                texels.iter().for_each(|texel| space.push(resource, texel.at));
                u64::from(texels.outside())
            } else {
                self.traced(plan, &request.lane(lane), space)
            };
            self.counts.texels += outside;
            self.counts.texels_outside += outside;
            self.counts.fetches_outside += u64::from(outside > 0);
        }
        let size = u64::from(resource.format().texel_size());
        self.counts.sectors += space.sectors(size);
        self.counts.ideal_sectors += (space.offsets.len() as u64 * size).div_ceil(SECTOR);
        if let Some(notes) = self.notes(plan, request.active, &mut space.noted) {
            for texel in space.offsets.iter().map(|offset| offset / size) {
                notes.bits[(texel / 64) as usize] |= 1 << (texel % 64);
            }
        }
    }

    /// Counts a fetch with several levels or taps, or from a cube, by the reference sampler;
    /// returns the number of texels outside.
    fn traced(
        &mut self,
        plan: &FetchPlan,
        operands: &texunit_unit::FetchOperands,
        space: &mut Space,
    ) -> u64 {
        // A fetch that the plan accepted cannot fail.
        let Ok(trace) = trace(plan.form(), plan.texture(), plan.sampler(), operands) else {
            return 0;
        };
        let resource = &*plan.seen().resource;
        let mut outside = 0;
        for footprint in &trace.footprints {
            self.counts.taps += 1;
            self.counts.add_level(footprint.level as usize, 1);
            for texel in &footprint.texels {
                match (texel.at, texel.made_of) {
                    (Some(at), _) => {
                        self.counts.texels += 1;
                        space.push(resource, at);
                    }
                    (None, Some(three)) => {
                        self.counts.texels += 3;
                        three.into_iter().for_each(|at| space.push(resource, at));
                    }
                    (None, None) => outside += 1,
                }
            }
        }
        outside
    }

    /// The texel set of the fetch's texture; `None` if memory is exhausted.
    fn notes(&mut self, plan: &FetchPlan, active: u32, noted: &mut usize) -> Option<&mut TexelSet> {
        let texture = plan.seen();
        let found = self.notes.iter().position(|notes| Arc::ptr_eq(&notes.texture, texture));
        let i = match found {
            Some(i) => i,
            None => {
                let size = u64::from(texture.resource.format().texel_size());
                let words = (texture.resource.block().size() as u64 / size / 64 + 1) as usize;
                if noted.saturating_add(8 * words) > MAX_NOTES {
                    self.counts.not_noted += u64::from(active.count_ones());
                    return None;
                }
                *noted += 8 * words;
                self.notes.push(TexelSet { texture: Arc::clone(texture), bits: vec![0; words] });
                self.notes.len() - 1
            }
        };
        self.notes.get_mut(i)
    }

    /// Adds the counts of another worker.
    pub(crate) fn add(&mut self, other: Self) {
        self.counts.add(&other.counts);
        for notes in other.notes {
            let own = self.notes.iter_mut().find(|own| Arc::ptr_eq(&own.texture, &notes.texture));
            match own {
                Some(own) => own.bits.iter_mut().zip(notes.bits).for_each(|(a, b)| *a |= b),
                None => self.notes.push(notes),
            }
        }
    }

    /// Completes the counts of the launch.
    pub(crate) fn done(mut self) -> Texture {
        for notes in &self.notes {
            let texels: u64 = notes.bits.iter().map(|word| u64::from(word.count_ones())).sum();
            let size = u64::from(notes.texture.resource.format().texel_size());
            self.counts.distinct_bytes += texels * size;
        }
        self.counts
    }
}

impl Accesses {
    /// Counts a warp-level surface access.
    pub(crate) fn take(&mut self, access: &PlannedSurfaceAccess<'_>, space: &mut Space) {
        let is_it = |plan: &SurfacePlan| Arc::ptr_eq(plan.surface(), access.surface);
        if !self.plan.as_ref().is_some_and(is_it) {
            self.plan = SurfacePlan::new(access.form, access.surface).ok();
        }
        let Some(plan) = &self.plan else { return };
        space.begin();
        let mut size = 1;
        for lane in lanes(access.request.active) {
            self.counts.threads += 1;
            match plan.bytes(access.request.coords.map(|c| c[lane])) {
                Some((offset, bytes)) => {
                    size = u64::from(bytes).max(1);
                    self.counts.bytes += size;
                    space.offsets.push(offset);
                }
                None => self.counts.outside += 1,
            }
        }
        self.counts.requests += 1;
        self.counts.sectors += space.sectors(size);
    }
}
