//! Shadows of texels: which results of fetches and surface loads are uninitialised, and the shadows
//! that surface stores write.
//!
//! Like all shadow operations, these are executed before the access itself and never fault; invalid
//! accesses are ignored.

use super::context::Context;
use super::surface;
use super::texture::{self, FetchLanes};
use super::warp::{Warp, lanes, lanes_by};
use crate::code::{FetchShadow, Slot, SurfaceShadow};
use crate::observe::{Register, Sink, Texels, Undefined};
use std::sync::Arc;
use texunit_alu::L64;
use texunit_memory::Block;
use texunit_unit::{
    FetchOperands, FetchPlan, FetchRequest, ReadTexels, Resource, ResultType, Surface, SurfaceKind,
    SurfacePlace, SurfacePlan, TexelIndex, Texture, reference,
};

/// Uninitialised bits of a register, and for each lane the first texel that they come from.
struct UndefinedBits<S> {
    /// Index of the register among the result registers of the instruction.
    part: usize,
    lanes: u32,
    bits: L64,
    at: [TexelIndex; 32],
    /// The texture or surface that the texels belong to.
    of: Arc<S>,
}

impl<S> UndefinedBits<S> {
    /// The element of `found` for a register and a texture or surface, which is added if there is
    /// none.
    fn entry<'f>(found: &'f mut Vec<Self>, part: usize, of: &Arc<S>) -> &'f mut Self {
        let known = found.iter().position(|one| one.part == part && Arc::ptr_eq(&one.of, of));
        let number = known.unwrap_or_else(|| {
            let (bits, at) = ([0; 32], [TexelIndex::default(); 32]);
            found.push(Self { part, lanes: 0, bits, at, of: Arc::clone(of) });
            found.len() - 1
        });
        &mut found[number]
    }

    /// The uninitialised bits of a register in all lanes.
    fn of_part(found: &[Self], part: usize) -> L64 {
        let mut bits = [0; 32];
        for one in found.iter().filter(|one| one.part == part) {
            lanes(one.lanes).for_each(|lane| bits[lane] = one.bits[lane]);
        }
        bits
    }

    fn add(&mut self, lane: usize, bits: u64, at: TexelIndex) {
        if self.lanes >> lane & 1 == 0 {
            self.at[lane] = at;
        }
        self.lanes |= 1 << lane;
        self.bits[lane] |= bits;
    }

    /// The description of the register's uninitialised bits for the probe.
    fn undefined<'f>(
        &'f self,
        resource: &'f Resource,
        (sink, register): (Sink, Option<Register>),
        size: u32,
    ) -> Undefined<'f> {
        let texels = Some(Texels { resource, at: &self.at });
        Undefined { sink, register, bits: &self.bits, size, memory: None, texels }
    }
}

/// The components in a result register, with the mask of each component's bits.
fn components(result: ResultType, part: u32) -> Vec<(u32, u32)> {
    match result {
        ResultType::F16x2 => vec![(2 * part, 0xffff), (2 * part + 1, 0xffff_0000)],
        ResultType::F16 => vec![(part, 0xffff)],
        ResultType::F32 | ResultType::S32 | ResultType::U32 => vec![(part, !0)],
    }
}

/// Whether a channel of a texel has an uninitialised byte.
fn is_undefined(resource: &Resource, at: TexelIndex, channel: u32) -> bool {
    let mut states = [0; 16];
    resource.channel_bytes(at, channel).is_some_and(|(offset, size)| {
        resource.block().undefined_mask(offset, &mut states[..(size as usize).min(16)])
    })
}

/// The only layer or plane that these lanes fetch from, if it is known without coordinates.
fn plane(plan: &FetchPlan, request: &FetchRequest<'_>, active: u32) -> Option<u32> {
    let shape = plan.seen().resource.shape();
    if shape.planes() == 1 || shape.geometry.is_cube() || active == 0 {
        return None;
    }
    let layer = |lane: usize| request.coords.layer[lane].min(shape.planes() - 1);
    let first = layer(active.trailing_zeros() as usize & 31);
    lanes(active).all(|lane| layer(lane) == first).then_some(first)
}

/// Finds the uninitialised bits of a lane's results, one entry for each register that has any.
fn look(
    plan: &FetchPlan,
    operands: &FetchOperands,
    (shadows, lane): (&[Slot; 4], usize),
    found: &mut Vec<UndefinedBits<Texture>>,
) {
    let (texture, sampler) = (plan.texture(), plan.sampler());
    let resource = &*plan.seen().resource;
    let mut texels = ReadTexels::default();
    if plan.few_texels(operands, &mut texels) {
        let size = u64::from(resource.format().texel_size());
        let offsets = || texels.iter().filter_map(|texel| resource.texel_offset(texel.at));
        if !offsets().any(|at| resource.block().has_undefined_in(at..at + size)) {
            return;
        }
    }
    // The plan has validated the operands.
    let Ok(trace) = reference::trace(plan.form(), texture, sampler, operands) else { return };
    for (part, _) in shadows.iter().enumerate().filter(|(_, shadow)| !shadow.is_none()) {
        for (component, bits) in components(plan.form().result, part as u32) {
            let channel = trace.channel_of(component);
            let first = trace.texels_of(component).find(|&at| is_undefined(resource, at, channel));
            let Some(at) = first else { continue };
            UndefinedBits::entry(found, part, plan.seen()).add(lane, bits.into(), at);
        }
    }
}

/// The texel at a byte offset of a surface access.
fn texel(place: &SurfacePlace, byte: u64, resource: &Resource) -> TexelIndex {
    let x = (place.x + byte) / u64::from(resource.format().texel_size().max(1));
    let at = [x as u32, place.y as u32, place.z as u32];
    TexelIndex { plane: place.layer, at, ..TexelIndex::default() }
}

/// Stores the shadow of a value, lowest byte first.
fn leave(block: &Block, offset: u64, size: usize, bits: u64) {
    // If the block is completely initialised, there is nothing to update.
    if bits != 0 || block.has_undefined() {
        let bytes = bits.to_le_bytes().map(|byte| if byte == 0 { 0 } else { u8::MAX });
        block.set_states(offset, &bytes[..size.min(8)]);
    }
}

/// Stores the shadow of the channels of a texel that a formatted store packs.
fn leave_texel(resource: &Resource, offset: u64, values: &[L64; 4], lane: usize) {
    let format = resource.format();
    let is_undefined = |c: usize| values[c][lane] as u32 != 0;
    match format.plain_channel() {
        Some(plain) => {
            let size = plain.size() as usize;
            for c in 0..usize::from(format.channels()).min(4) {
                let bits = if is_undefined(c) { u64::MAX } else { 0 };
                leave(resource.block(), offset + (c * size) as u64, size, bits);
            }
        }
        None => {
            let bits = if (0..4).any(is_undefined) { u64::MAX } else { 0 };
            leave(resource.block(), offset, format.texel_size() as usize, bits);
        }
    }
}

/// Reads or writes the shadow of a surface in one lane, and collects uninitialised values.
struct SurfaceLook<'a> {
    plan: &'a SurfacePlan,
    surface: &'a Arc<Surface>,
    kind: SurfaceKind,
}

impl SurfaceLook<'_> {
    fn lane(
        &self,
        lane: usize,
        (place, size): (SurfacePlace, u32),
        values: &[L64; 4],
        found: &mut Vec<UndefinedBits<Surface>>,
    ) {
        let resource = &*self.surface.resource;
        let block = resource.block();
        let mut states = [0; 8];
        let mut note = |part: usize, byte: u64, size: usize| {
            let offset = place.offset + byte;
            if !block.has_undefined() || !block.undefined_mask(offset, &mut states[..size]) {
                return false;
            }
            states[size..].fill(0);
            let entry = UndefinedBits::entry(found, part, self.surface);
            entry.add(lane, u64::from_le_bytes(states), texel(&place, byte, resource));
            true
        };
        match self.kind {
            SurfaceKind::Load { element_size, vector } => {
                for element in 0..usize::from(vector) {
                    let byte = (element * usize::from(element_size)) as u64;
                    note(element, byte, element_size.into());
                }
            }
            SurfaceKind::Store { element_size, vector } => {
                for (element, value) in values.iter().enumerate().take(vector.into()) {
                    let offset = place.offset + (element * usize::from(element_size)) as u64;
                    leave(block, offset, element_size.into(), value[lane]);
                }
            }
            SurfaceKind::StoreFormatted { .. } => {
                leave_texel(resource, place.offset, values, lane);
            }
            SurfaceKind::Reduce { .. } => {
                if note(0, 0, size as usize) {
                    // A reported value counts as initialised.
                    block.define(place.offset, size.into());
                }
            }
        }
    }
}

impl Context<'_> {
    /// Computes the shadows of the results of a fetch.
    pub(super) fn fetch_shadow(&mut self, warp: &mut Warp, of: &FetchShadow, mask: u32) {
        let (fetch, launch) = (&of.fetch, self.launch);
        let mut found: Vec<UndefinedBits<Texture>> = Vec::new();
        let request = texture::request(fetch, warp, &launch.constants, mask);
        let mut groups = FetchLanes::new(fetch, warp, &launch.constants, mask);
        while let Some((lane, handles, active)) = groups.next() {
            let kept = &mut self.sites.fetches[fetch.site];
            let (bad, who) = (&mut self.sites.bad, (handles, lane));
            let Ok(Some(plan)) = texture::plan(kept, bad, launch.config, fetch, who) else {
                continue;
            };
            let plane = plane(plan, &request, active);
            let shadows = self.shadows.as_mut();
            if shadows.is_some_and(|shadows| shadows.has_undefined(plan.seen(), plane)) {
                for lane in lanes(active) {
                    look(plan, &request.lane(lane), (&of.shadows, lane), &mut found);
                }
            }
        }
        for (part, &shadow) in of.shadows.iter().enumerate().filter(|(_, s)| !s.is_none()) {
            warp.put(shadow, &UndefinedBits::of_part(&found, part), u64::MAX, mask);
        }
        for found in found {
            let register = Register::of(fetch.parts[found.part]);
            let what = found.undefined(&found.of.resource, (Sink::Origin, register), 4);
            self.notify_undefined(warp, (of.op, found.lanes), &what);
        }
    }

    /// Computes the shadows of the results of a surface load, or updates those that a store or
    /// reduction writes.
    pub(super) fn surface_shadow(&mut self, warp: &mut Warp, of: &SurfaceShadow, mask: u32) {
        let (access, launch) = (&of.access, self.launch);
        let kind = access.form.kind;
        let is_load = matches!(kind, SurfaceKind::Load { .. });
        let mut values: [L64; 4] = [[0; 32]; 4];
        if !is_load {
            for (values, &shadow) in values.iter_mut().zip(&of.shadows) {
                warp.read(&launch.constants, shadow, values);
            }
        }
        let mut found: Vec<UndefinedBits<Surface>> = Vec::new();
        let coords = surface::coordinates(access, warp, &launch.constants);
        let handles = warp.w(&launch.constants, access.surface.slot);
        for (active, handle) in lanes_by(mask, |lane| handles[lane]) {
            let kept = &mut self.sites.surfaces[access.site];
            let who = (handle, active.trailing_zeros() as usize);
            let bad = &mut self.sites.bad;
            let Ok(Some(plan)) = surface::plan(kept, bad, launch.config, access, who) else {
                continue;
            };
            let surface = plan.surface();
            if surface.resource.block().shadow().is_some() {
                let look = SurfaceLook { plan, surface, kind };
                for lane in lanes(active) {
                    // A lane that faults, or is out of bounds, neither reads nor writes.
                    if let Some(place) = look.plan.place(coords.map(|c| c[lane])) {
                        look.lane(lane, place, &values, &mut found);
                    }
                }
            }
        }
        for (part, &shadow) in of.shadows.iter().enumerate().filter(|_| is_load) {
            let bits = UndefinedBits::of_part(&found, part);
            warp.put(shadow, &bits, access.register_mask, mask);
        }
        for found in found {
            let register = access.parts.get(found.part).filter(|_| is_load);
            let sink = if is_load { Sink::Origin } else { Sink::Atomic };
            let register = register.and_then(|&part| Register::of(part));
            let size = match kind {
                SurfaceKind::Load { element_size, .. } => element_size.into(),
                _ => 8,
            };
            let what = found.undefined(&found.of.resource, (sink, register), size);
            self.notify_undefined(warp, (of.op, found.lanes), &what);
        }
    }
}
