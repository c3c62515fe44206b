//! Texels that are written and fetched in one launch: fetches need not see what the launch has written.

use super::{Told, each, words};
use crate::rules;
use crate::sink::{Found, Other, OtherAt, Sink, Spot};
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use texunit_report::CheckRule;
use texunit_simt::Described;
use texunit_simt::observe::{At, FetchAnswered, LaunchInfo, SurfaceAnswered};
use texunit_unit::{AccessFault, FetchPlan, Layout, Resource, SurfaceKind, TexelIndex, reference};

/// Texels that are remembered of a launch, of those written and of those fetched.
const MAX: usize = 1 << 20;

/// What textures of the launch read and the launch can write, too.
#[derive(Debug, Default)]
pub(super) struct Shadow {
    /// Memory of textures: addresses of the device, sorted, and where the bytes are on the host.
    memory: Vec<Range>,
    /// Arrays that are textures and surfaces: where their bytes are on the host.
    arrays: HashSet<usize>,
    texels: Mutex<Texels>,
}

#[derive(Clone, Copy, Debug)]
struct Range {
    address: u64,
    end: u64,
    host: usize,
    /// Bytes that are told apart.
    unit: u64,
}

/// By place on the host.
#[derive(Debug, Default)]
struct Texels {
    written: HashMap<usize, (Spot, bool)>,
    /// Who fetched it first, and whether others did.
    read: HashMap<usize, (Spot, bool)>,
}

/// Where the bytes of a resource are on the host.
pub(crate) fn host(resource: &Resource) -> usize {
    resource.block().reach(0).host().as_ptr() as usize
}

impl Shadow {
    pub(super) fn of(launch: &LaunchInfo<'_>) -> Self {
        let tables = launch.config.descriptors;
        let textures = || tables.textures.iter().flatten().map(|texture| &*texture.resource);
        let surfaces = tables.surfaces.iter().flatten().map(|surface| host(&surface.resource));
        let written: HashSet<usize> = surfaces.collect();
        let of_array = |resource: &&Resource| resource.layout() == Layout::Array;
        let arrays = textures().filter(of_array).map(host).filter(|at| written.contains(at));
        let mut blocks: Vec<(usize, u64, u64)> = Vec::new();
        for (base, block) in launch.config.memory.blocks() {
            let at = block.reach(0).host().as_ptr() as usize;
            blocks.push((at, *base, block.size() as u64));
        }
        blocks.sort_unstable();
        let memory = textures().filter(|resource| !of_array(resource)).filter_map(|resource| {
            let (at, size) = (host(resource), resource.block().size() as u64);
            let i = blocks.partition_point(|(start, ..)| *start <= at).checked_sub(1)?;
            let (start, base, length) = blocks[i];
            let offset = (at - start) as u64;
            let inside = offset < length;
            let address = base + offset;
            let unit = u64::from(resource.format().texel_size().min(4)).max(1);
            inside.then_some(Range { address, end: address + size, host: at, unit })
        });
        let mut memory: Vec<Range> = memory.collect();
        memory.sort_unstable_by_key(|range| (range.address, range.end));
        Self { arrays: arrays.collect(), memory, texels: Mutex::default() }
    }

    /// Whether stores of a kernel can write what is fetched.
    pub(super) fn has_memory(&self) -> bool {
        !self.memory.is_empty()
    }

    fn texels(&self) -> std::sync::MutexGuard<'_, Texels> {
        self.texels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A thread stores to global memory.
    pub(super) fn stored(&self, sink: &Sink, spot: Spot, address: u64, bytes: u64) {
        let end = address.saturating_add(bytes);
        for range in &self.memory {
            if end <= range.address || address >= range.end {
                continue;
            }
            let first = address.max(range.address) - range.address;
            let last = end.min(range.end) - range.address;
            let mut texels = self.texels();
            let units = first / range.unit..last.div_ceil(range.unit);
            for unit in units {
                let at = range.host + (unit * range.unit) as usize;
                texels.writes(sink, at, (spot, false));
            }
        }
    }

    /// Threads have fetched.
    pub(super) fn fetched(&self, told: &Told<'_>, at: &At, fetch: &FetchAnswered<'_>) {
        let resource = &fetch.plan.seen().resource;
        let is_written = match resource.layout() {
            Layout::Array => self.arrays.contains(&host(resource)),
            Layout::Linear | Layout::Pitched => self.has_memory(),
        };
        if !is_written {
            return;
        }
        let size = u64::from(resource.format().texel_size());
        // Of arrays one place stands for the texel; of memory stores may be to parts of it.
        let unit = if resource.layout() == Layout::Array { size } else { size.min(4) }.max(1);
        for lane in each(at.lanes) {
            let spot = Spot::new(at, lane, told.block);
            for offset in offsets(fetch.plan, &fetch.request.lane(lane as usize)) {
                let mut texels = self.texels();
                for part in (0..size).step_by(unit as usize) {
                    let place = host(resource) + (offset + part) as usize;
                    let object = || words::object("texture", resource);
                    texels.reads(told.sink, place, spot, &object);
                }
            }
        }
    }

    /// Threads have accessed a surface.
    pub(super) fn accessed(&self, told: &Told<'_>, at: &At, access: &SurfaceAnswered<'_>) {
        if matches!(access.form.kind, SurfaceKind::Load { .. }) {
            return;
        }
        let Some(start) =
            Some(host(&access.surface.resource)).filter(|at| self.arrays.contains(at))
        else {
            return;
        };
        for lane in each(at.lanes) {
            for offset in surface_texels(access, lane) {
                let spot = Spot::new(at, lane, told.block);
                self.texels().writes(told.sink, start + offset as usize, (spot, true));
            }
        }
    }
}

/// Where the texels lie in the memory of a surface that a lane has accessed: none if it has failed, or a lane before.
pub(crate) fn surface_texels<'a>(
    access: &'a SurfaceAnswered<'_>,
    lane: u32,
) -> impl Iterator<Item = u64> + 'a {
    let resource = &access.surface.resource;
    let texel = u64::from(resource.format().texel_size()).max(1);
    let (bytes, in_texels) = match access.form.kind {
        SurfaceKind::Load { element_size, vector }
        | SurfaceKind::Store { element_size, vector } => {
            (u64::from(element_size) * u64::from(vector), false)
        }
        SurfaceKind::StoreFormatted { .. } => (texel, true),
        SurfaceKind::Reduce { formatted, .. } => (texel, formatted),
    };
    let faulty = access.fault.map_or(32, |fault| {
        let (AccessFault::Outside { lane, .. } | AccessFault::Misaligned { lane, .. }) = fault;
        *lane
    });
    let i = lane as usize & 31;
    let coords = &access.request.coords;
    let [x, y, z] = coords.point.map(|c| c[i] as i32);
    let x = if in_texels { i64::from(x) } else { i64::from(x).div_euclid(texel as i64) };
    let at = match (u32::try_from(x), u32::try_from(y), u32::try_from(z)) {
        (Ok(x), Ok(y), Ok(z)) if lane < faulty => Some([x, y, z]),
        _ => None,
    };
    let plane = if resource.geometry().is_array() { coords.layer[i] } else { 0 };
    let all = at.into_iter().flat_map(move |[x, y, z]| {
        (0..bytes.div_ceil(texel) as u32).map(move |n| [x.saturating_add(n), y, z])
    });
    all.filter_map(move |at| {
        resource.texel_offset(TexelIndex { plane, at, ..TexelIndex::default() })
    })
}

/// Where the texels of a fetch lie in the memory of its texture.
pub(crate) fn offsets(plan: &FetchPlan, operands: &texunit_unit::FetchOperands) -> Vec<u64> {
    // The slow and exact way: only textures come here that something may write.
    let trace = reference::trace(plan.form(), plan.texture(), plan.sampler(), operands);
    let Ok(trace) = trace else { return Vec::new() };
    let resource = &plan.seen().resource;
    let texels = trace.footprints.iter().flat_map(|footprint| &footprint.texels);
    let read = texels.filter(|texel| texel.weight > 0 || texel.exact == 0.0);
    let mut all: Vec<u64> = read.filter_map(|t| resource.texel_offset(t.at?)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// What is found where a fetch meets a store, or an access of a surface.
fn rule(by_surface: bool) -> &'static CheckRule {
    if by_surface { rules::TEXTURE_SURFACE_WRITTEN } else { rules::TEXTURE_WRITTEN }
}

fn found(read: Spot, (written, by_surface): (Spot, bool), object: Option<Described>) -> Found {
    let how = if by_surface { "through a surface" } else { "by a plain store" };
    let message = format!("a texel is fetched that this launch writes {how}");
    let other = Other { what: "writes it here".to_owned(), at: OtherAt::Here(written) };
    let found = Found::new(rule(by_surface), read, message);
    Found { other: Some(other), object, ..found }
}

impl Texels {
    fn writes(&mut self, sink: &Sink, place: usize, (spot, by_surface): (Spot, bool)) {
        if let Some(&(reader, several)) = self.read.get(&place) {
            // Who fetches and then stores, and nobody else: the store cannot be seen.
            let own = (reader.cta, reader.thread) == (spot.cta, spot.thread);
            if !own || several {
                let known = sink.again(rule(by_surface), &reader, Some(spot.op), 1);
                if !known {
                    sink.found(found(reader, (spot, by_surface), None));
                }
            }
        }
        if self.written.len() < MAX {
            self.written.insert(place, (spot, by_surface));
        }
    }

    fn reads(&mut self, sink: &Sink, place: usize, spot: Spot, object: &dyn Fn() -> Described) {
        if let Some(&(writer, by_surface)) = self.written.get(&place) {
            if !sink.again(rule(by_surface), &spot, Some(writer.op), 1) {
                sink.found(found(spot, (writer, by_surface), Some(object())));
            }
            return;
        }
        let is_full = self.read.len() >= MAX;
        match self.read.get_mut(&place) {
            Some((first, several)) => {
                *several |= (first.cta, first.thread) != (spot.cta, spot.thread);
            }
            None if !is_full => drop(self.read.insert(place, (spot, false))),
            None => {}
        }
    }
}
