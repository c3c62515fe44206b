//! Detects texels that one launch both writes and fetches: fetches of a texture are not coherent
//! with stores of the same launch.

use super::locations::{AccessedLocations, PackedThread, UsedMemory};
use super::{Reporter, each, words};
use crate::end::Spot;
use crate::rules;
use crate::sink::{LaunchFinding, Other, OtherAt, Sink};
use std::collections::HashMap;
use std::sync::Arc;
use texunit_simt::LaunchConfig;
use texunit_simt::observe::{Access, AccessOp, At, ExecutedSurfaceAccess};
use texunit_unit::{
    AccessFault, FetchOperands, FetchPlan, FetchRequest, Layout, ReadTexels, Resource, SurfaceKind,
};

/// The textures of a launch whose memory the launch can also write.
#[derive(Debug)]
pub(super) struct Shadow {
    grid: [u32; 3],
    block: [u32; 3],
    /// Textures in linear or pitched memory, as ranges of device addresses, sorted by address.
    memory: Vec<Range>,
    /// Arrays that are bound both as textures and as surfaces, by the host address of their bytes.
    arrays: HashMap<usize, AccessedLocations>,
}

#[derive(Debug)]
struct Range {
    address: u64,
    end: u64,
    host: usize,
    texels: AccessedLocations,
}

/// The host address of a resource's bytes, which identifies the resource's memory.
pub(crate) fn host(resource: &Resource) -> usize {
    resource.block().reach(0).host().as_ptr() as usize
}

impl Shadow {
    pub(super) fn of(config: &LaunchConfig<'_>) -> Self {
        let tables = config.descriptors;
        let textures = || tables.textures.iter().flatten().map(|texture| &*texture.resource);
        let mut written: HashMap<usize, u64> = HashMap::new();
        for surface in tables.surfaces.iter().flatten() {
            let texel = written.entry(host(&surface.resource)).or_insert(u64::MAX);
            *texel = (*texel).min(surface.resource.format().texel_size().into());
        }
        let (arrays, linear): (Vec<_>, Vec<_>) =
            textures().partition(|resource| resource.layout() == Layout::Array);
        let (mut all, taken) = (HashMap::new(), Arc::default());
        for array in arrays {
            let Some(&texel) = written.get(&host(array)) else { continue };
            // Each texel of an array is a location of its own.
            let unit = texel.min(array.format().texel_size().into());
            let places = || AccessedLocations::new(array.block().size() as u64, unit, &taken);
            let known = all.entry(host(array)).or_insert_with(places);
            if unit < known.unit() {
                *known = places();
            }
        }
        let mut memory: Vec<Range> = Vec::new();
        if !linear.is_empty() {
            let blocks = config.memory.blocks().iter().map(|(base, block)| {
                (block.reach(0).host().as_ptr() as usize, *base, block.size() as u64)
            });
            let mut blocks: Vec<_> = blocks.collect();
            blocks.sort_unstable();
            memory.extend(linear.into_iter().filter_map(|of| range(of, &blocks, &taken)));
        }
        memory.sort_unstable_by_key(|range| {
            (range.address, range.texels.unit(), u64::MAX - range.end)
        });
        memory.dedup_by_key(|range| (range.address, range.texels.unit()));
        Self { grid: config.grid, block: config.block, arrays: all, memory }
    }

    /// Whether the launch has a texture in linear or pitched memory, which plain stores can write.
    pub(super) fn has_memory(&self) -> bool {
        !self.memory.is_empty()
    }

    fn who(&self, at: &At, lane: u32) -> Option<PackedThread> {
        PackedThread::new(at, lane, self.grid)
    }

    fn spot(&self, who: PackedThread) -> Spot {
        who.spot(self.grid, self.block)
    }

    /// Records that lanes store to global memory, as writes of the textures in that memory.
    pub(super) fn stored(&self, sink: &Sink, at: &At, access: &Access<'_>) {
        let bytes = match access.operation {
            AccessOp::MatrixStore => 16,
            _ => u64::from(access.bytes()),
        };
        for lane in each(at.lanes) {
            let address = access.addresses[lane as usize];
            let end = address.saturating_add(bytes);
            for range in self.memory.iter().take_while(|range| range.address < end) {
                if address < range.end {
                    let unit = range.texels.unit();
                    let first = (address.max(range.address) - range.address) / unit;
                    let last = (end.min(range.end) - range.address).div_ceil(unit);
                    let Some(who) = self.who(at, lane) else { continue };
                    (first..last).for_each(|place| self.writes(sink, &range.texels, place, who));
                }
            }
        }
    }

    /// The recorded readers and writers of the texture that a fetch reads; `None` if the launch
    /// cannot write the texture.
    fn reading<'s>(&'s self, plan: &'s FetchPlan) -> Option<Reading<'s>> {
        let resource = &plan.seen().resource;
        let size = u64::from(resource.format().texel_size());
        let host = host(resource);
        let (texels, parts) = match resource.layout() {
            // A texel of an array is one location. A texel in linear memory has several, because a
            // store may write a part of the texel.
            Layout::Array => (self.arrays.get(&host), 1),
            Layout::Linear | Layout::Pitched => {
                let unit = unit(resource);
                let is = |range: &&Range| range.host == host && range.texels.unit() == unit;
                (self.memory.iter().find(is).map(|range| &range.texels), size / unit)
            }
        };
        let offsets = Offsets::default();
        texels.map(|texels| Reading { shadow: self, texels, parts, plan, offsets })
    }

    /// Records that lanes have fetched with a plan.
    pub(super) fn fetched(
        &self,
        reporter: &Reporter<'_>,
        (plan, at): (&Arc<FetchPlan>, &At),
        request: &FetchRequest<'_>,
    ) {
        let Some(mut reading) = self.reading(plan) else { return };
        if !reading.texels.note(reporter.worker, (plan, at), request) {
            // The listed fetches are older than this one, so that their reads are recorded first.
            self.materialize(reporter.sink, reading.texels);
            for lane in each(at.lanes) {
                reading.lane(reporter.sink, (at, lane), &request.lane(lane as usize));
            }
        }
    }

    fn materialize(&self, sink: &Sink, texels: &AccessedLocations) {
        texels.materialize(|plan, who, operands| {
            if let Some(mut reading) = self.reading(plan) {
                reading.lane(sink, who, operands);
            }
        });
    }

    /// Records that lanes have accessed a surface.
    pub(super) fn accessed(
        &self,
        reporter: &Reporter<'_>,
        at: &At,
        access: &ExecutedSurfaceAccess<'_>,
    ) {
        if matches!(access.form.kind, SurfaceKind::Load { .. }) {
            return;
        }
        let Some(texels) = self.arrays.get(&host(&access.plan.surface().resource)) else { return };
        for lane in each(at.lanes) {
            let Some(who) = self.who(at, lane) else { return };
            let who = who.by_surface();
            for offset in surface_texels(access, lane) {
                self.writes(reporter.sink, texels, offset / texels.unit(), who);
            }
        }
    }

    fn writes(&self, sink: &Sink, texels: &AccessedLocations, place: u64, writer: PackedThread) {
        self.materialize(sink, texels);
        if let Some(reader) = texels.writes(place, writer) {
            self.report(sink, reader, writer, None);
        }
    }

    /// Reports that a thread fetches a texel which another thread writes. The texture is named if
    /// it is known.
    fn report(
        &self,
        sink: &Sink,
        reader: PackedThread,
        writer: PackedThread,
        texture: Option<&Resource>,
    ) {
        let (at, written) = (self.spot(reader), self.spot(writer));
        let (rule, how) = match writer.is_by_surface() {
            true => (rules::TEXTURE_SURFACE_WRITTEN, "through a surface"),
            false => (rules::TEXTURE_WRITTEN, "by a plain store"),
        };
        if sink.count_repeat(rule, &at, Some(written.op), 1) {
            return;
        }
        let message = format!("a texel is fetched that this launch writes {how}");
        let other = Other { what: "writes it here".to_owned(), at: OtherAt::Here(written) };
        let object = texture.map(|texture| words::object("texture", texture));
        let found = LaunchFinding::new(rule, at, message);
        sink.found(LaunchFinding { other: Some(other), object, ..found });
    }
}

/// A fetch of a texture that the launch can write.
struct Reading<'s> {
    shadow: &'s Shadow,
    texels: &'s AccessedLocations,
    /// Number of locations ([`AccessedLocations`]) of a texel.
    parts: u64,
    plan: &'s FetchPlan,
    offsets: Offsets,
}

impl Reading<'_> {
    /// Records the reads of one lane's fetch.
    fn lane(&mut self, sink: &Sink, (at, lane): (&At, u32), operands: &FetchOperands) {
        let Some(who) = self.shadow.who(at, lane) else { return };
        for offset in self.offsets.of(self.plan, operands) {
            let first = offset / self.texels.unit();
            for place in first..first + self.parts.max(1) {
                if let Some(writer) = self.texels.reads(place, who) {
                    self.shadow.report(sink, who, writer, Some(&self.plan.seen().resource));
                }
            }
        }
    }
}

/// Size of a location ([`AccessedLocations`]) in bytes, for a texture in linear or pitched memory.
fn unit(resource: &Resource) -> u64 {
    u64::from(resource.format().texel_size().min(4)).max(1)
}

/// The range of device addresses of a texture, which lies in one of the `blocks` of memory (host
/// address, device address, size); `None` if it lies in no block.
fn range(
    resource: &Resource,
    blocks: &[(usize, u64, u64)],
    taken: &Arc<UsedMemory>,
) -> Option<Range> {
    let (host, size) = (host(resource), resource.block().size() as u64);
    let i = blocks.partition_point(|(start, ..)| *start <= host).checked_sub(1)?;
    let (start, base, length) = blocks[i];
    let offset = (host - start) as u64;
    let address = base + offset;
    let texels = || AccessedLocations::new(size, unit(resource), taken);
    (offset < length).then(|| Range { address, end: address + size, host, texels: texels() })
}

/// The byte offsets of the texels that a lane of a surface access has accessed; empty if the access
/// of this lane or of a lower lane has faulted.
pub(crate) fn surface_texels<'a>(
    access: &'a ExecutedSurfaceAccess<'_>,
    lane: u32,
) -> impl Iterator<Item = u64> + 'a {
    let texel = access.plan.surface().resource.format().texel_size().max(1);
    let faulty = access.fault.map_or(32, AccessFault::lane);
    let coords = access.request.coords.map(|axis| axis[lane as usize & 31]);
    let made = access.plan.bytes(coords).filter(|_| (lane as usize) < faulty).into_iter();
    made.flat_map(move |(offset, size)| {
        let first = offset - offset % u64::from(texel);
        (first..offset + u64::from(size)).step_by(texel as usize)
    })
}

/// Computes the byte offsets of the texels that contribute to a fetch's result.
#[derive(Default)]
pub(crate) struct Offsets {
    texels: ReadTexels,
    all: Vec<u64>,
}

impl Offsets {
    /// The byte offsets of the texels that contribute to a fetch's result, each once.
    pub(crate) fn of(&mut self, plan: &FetchPlan, operands: &FetchOperands) -> &[u64] {
        let (resource, all) = (&plan.seen().resource, &mut self.all);
        all.clear();
        plan.texels_that_count(operands, &mut self.texels, |at| {
            let offset = resource.texel_offset(at).filter(|offset| !all.contains(offset));
            all.extend(offset);
        });
        all
    }
}
