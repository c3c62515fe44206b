//! Counts the texels, sectors and mip levels of fetches and surface accesses.

use crate::cost::SECTOR;
use crate::counts::{Surface, Texture};
use crate::rows::TexelRows;
use std::sync::Arc;
use texunit_simt::observe::PlannedSurfaceAccess;
use texunit_unit::reference::trace;
use texunit_unit::{
    FetchPlan, FetchRequest, ReadTexels, Resource, SurfacePlan, TexelIndex, Texture as Seen, lanes,
};

/// Maximum memory of a worker for sets of texels; later fetches are counted without recording their
/// texels.
const MAX_NOTES: usize = 64 << 20;

/// The set of a texture's texels that an instruction has read.
#[derive(Debug)]
pub(crate) struct TexelSet {
    texture: Arc<Seen>,
    bits: Vec<u64>,
}

impl TexelSet {
    /// Adds the texels that the mask `bits` selects, from texel `first` on.
    fn note(&mut self, first: u64, bits: u64) {
        let both = u128::from(bits) << (first % 64);
        for (word, bits) in
            self.bits[(first / 64) as usize..].iter_mut().zip([both as u64, (both >> 64) as u64])
        {
            *word |= bits;
        }
    }
}

/// The counts of an instruction's fetches.
#[derive(Debug, Default)]
pub(crate) struct Fetches {
    pub(crate) counts: Texture,
    notes: Vec<TexelSet>,
}

/// The counts of an instruction's surface accesses.
#[derive(Debug, Default)]
pub(crate) struct Accesses {
    pub(crate) counts: Surface,
    plan: Option<SurfacePlan>,
}

/// Buffers of a worker that all its instructions share.
#[derive(Debug)]
pub(crate) struct Space {
    /// Byte offsets of the texels of a warp's fetch.
    offsets: Vec<u64>,
    /// Recently added offsets, hashed: neighbouring lanes usually read the same texels. Remaining
    /// duplicates are removed by sorting.
    last: [u64; LAST],
    /// Size in bytes of all texel sets of the worker.
    noted: usize,
    /// The texels of a warp's fetch if they are close to each other.
    rows: TexelRows,
}

/// Size of the table of recent offsets.
const LAST: usize = 64;

impl Default for Space {
    fn default() -> Self {
        Self { offsets: Vec::new(), last: [u64::MAX; LAST], noted: 0, rows: TexelRows::default() }
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
        // The hash distinguishes texels of rows whose length is a power of two.
        let texel = offset / size;
        let place = &mut self.last[((texel ^ texel >> 6 ^ texel >> 10) % LAST as u64) as usize];
        if std::mem::replace(place, offset) != offset {
            self.offsets.push(offset);
        }
    }

    /// The number of sectors that the texels at the collected offsets touch; removes duplicates.
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
        if self.take_rows(plan, request, space).is_some() {
            return;
        }
        let resource = &*plan.seen().resource;
        let mut texels = ReadTexels::default();
        space.begin();
        for lane in lanes(request.active) {
            let operands = request.lane(lane);
            let outside = if plan.few_texels(&operands, &mut texels) {
                self.counts.taps += 1;
                self.counts.add_level(0, 1);
                self.counts.texels += texels.len() as u64;
                texels.iter().for_each(|texel| space.push(resource, texel.at));
                u64::from(texels.outside())
            } else {
                self.traced(plan, &operands, space)
            };
            self.counts.texels += outside;
            self.counts.texels_outside += outside;
            self.counts.fetches_outside += u64::from(outside > 0);
        }
        let size = u64::from(resource.format().texel_size());
        self.counts.sectors += space.sectors(size);
        self.counts.ideal_sectors += (space.offsets.len() as u64 * size).div_ceil(SECTOR);
        if let Some(notes) = self.notes(plan, request.active, &mut space.noted) {
            space.offsets.iter().for_each(|offset| notes.note(offset / size, 1));
        }
    }

    /// Counts a warp-level fetch whose texels are close to each other; `None` for other fetches.
    fn take_rows(
        &mut self,
        plan: &FetchPlan,
        request: &FetchRequest<'_>,
        space: &mut Space,
    ) -> Option<()> {
        let resource = &*plan.seen().resource;
        let size = u64::from(resource.format().texel_size());
        let read = space.rows.read(&plan.texels_of_warp(request)?, request.active)?;
        let (texels, sectors) = space.rows.sectors(resource, size)?;
        let fetches = u64::from(request.active.count_ones());
        self.counts.taps += fetches;
        self.counts.add_level(0, fetches);
        self.counts.texels += u64::from(read.texels + read.outside);
        self.counts.texels_outside += u64::from(read.outside);
        self.counts.fetches_outside += u64::from(read.lanes_outside);
        self.counts.sectors += sectors;
        self.counts.ideal_sectors += (texels * size).div_ceil(SECTOR);
        if let Some(notes) = self.notes(plan, request.active, &mut space.noted) {
            space.rows.each(resource, size, |row| notes.note(row.offset / size, row.bits));
        }
        Some(())
    }

    /// Counts a fetch with several levels or taps, or from a cube, by the reference sampler;
    /// returns the number of texels outside the texture.
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
                // The set has room for a row of 64 bits that begins at the last texel.
                let words = (texture.resource.block().size() as u64 / size / 64 + 2) as usize;
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

    /// Completes the counts of the launch: adds the bytes of the different texels read.
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
