//! Looks up the texture, sampler or surface of a handle, and explains invalid handles.

use super::outcome::{Executed, PendingFault, fault_at};
use crate::code::{Fetch, Handle, HandleSource};
use crate::fault::{BadHandle, FaultKind};
use crate::launch::{Descriptors, SAMPLER_BIT, SURFACE_BIT, TEXTURE_BIT};
use std::sync::Arc;
use texunit_unit::{
    CoordType, Geometry, GeometryError, ReadMode, Resource, Sampler, Surface, Texture,
};

const INDEX: u64 = 0xf_ffff;
const SAMPLER_SHIFT: u32 = 20;
const SAMPLER_INDEX: u64 = 0xfff;
const LOWER: u64 = 0xffff_ffff;
/// The bits of a handle that encode the kind of object.
pub(super) const KINDS: u64 = TEXTURE_BIT | SAMPLER_BIT | SURFACE_BIT;

/// The required kind of a handle, with its name.
#[derive(Clone, Copy)]
struct Wanted {
    word: &'static str,
    bit: u64,
}

const TEXTURE: Wanted = Wanted { word: "texture", bit: TEXTURE_BIT };
const SAMPLER: Wanted = Wanted { word: "sampler", bit: SAMPLER_BIT };
const SURFACE: Wanted = Wanted { word: "surface", bit: SURFACE_BIT };

fn bad<T>(
    lane: usize,
    handle: u64,
    wanted: Wanted,
    (is, why): (BadHandle, String),
) -> Result<T, Box<PendingFault>> {
    fault_at(lane, FaultKind::Handle { handle, wanted: wanted.word, is, why })
}

/// Checks the kind bits of a handle.
fn check(lane: usize, handle: u64, of: &Handle, wanted: Wanted) -> Executed {
    let kind = handle & KINDS;
    let rest = handle & !KINDS & !LOWER;
    if kind & wanted.bit != 0 && kind.count_ones() == 1 && rest == 0 {
        return Ok(());
    }
    let other = |kind| (BadHandle::Other, wrong_kind(of, wanted, kind));
    let why = match kind {
        0 if handle == 0 => match &of.name {
            Some(name) => (BadHandle::Unknown, format!("{name} is not bound")),
            None => (BadHandle::Unknown, "the handle is zero".to_owned()),
        },
        TEXTURE_BIT if rest == 0 => other("texture"),
        SAMPLER_BIT if rest == 0 => other("sampler"),
        SURFACE_BIT if rest == 0 && wanted.bit == TEXTURE_BIT => {
            (BadHandle::Surface, wrong_kind(of, wanted, "surface"))
        }
        SURFACE_BIT if rest == 0 => other("surface"),
        _ => never_given_out(of),
    };
    bad(lane, handle, wanted, why)
}

fn wrong_kind(of: &Handle, wanted: Wanted, kind: &str) -> String {
    match &of.name {
        Some(name) => format!("{name} holds a {kind}, not a {}", wanted.word),
        None => format!("it is a {kind}, not a {}", wanted.word),
    }
}

fn never_given_out(of: &Handle) -> (BadHandle, String) {
    let name = of.name.as_ref().map_or(String::new(), |name| format!("{name}: "));
    (BadHandle::Unknown, format!("{name}no handle with this value was ever returned"))
}

/// Looks up an entry of a descriptor table.
fn slot<'d, T>(
    table: &'d [Option<Arc<T>>],
    index: u64,
    (lane, handle, of, wanted): (usize, u64, &Handle, Wanted),
) -> Result<&'d Arc<T>, Box<PendingFault>> {
    match table.get(index as usize) {
        Some(Some(found)) => Ok(found),
        empty => {
            let destroyed = format!("the {} was destroyed", wanted.word);
            let why = match (&of.name, empty) {
                (Some(name), _) if matches!(of.source, HandleSource::Reference(_)) => {
                    (BadHandle::Unknown, format!("{name} is not bound"))
                }
                // Index 0 is not assigned to any object.
                _ if index == 0 || empty.is_none() => never_given_out(of),
                (Some(name), _) => (BadHandle::Destroyed, format!("{name}: {destroyed}")),
                (None, _) => (BadHandle::Destroyed, destroyed),
            };
            bad(lane, handle, wanted, why)
        }
    }
}

/// Raises a fault if the memory of an object was freed. The check takes place while a plan is made;
/// plans end with the launch, and memory freed during the launch remains valid for it.
fn live(
    resource: &Resource,
    (lane, handle, of, wanted): (usize, u64, &Handle, Wanted),
) -> Executed {
    let Some(gone) = resource.block().gone(None) else { return Ok(()) };
    let name = of.name.clone().unwrap_or_else(|| format!("{} {handle:#018x}", wanted.word));
    let user = format!("{name} ({})", resource.describe());
    fault_at(lane, FaultKind::of_gone(user, &gone))
}

/// The texture of a handle.
pub(super) fn texture_of<'d>(
    descriptors: &'d Descriptors,
    of: &Handle,
    handle: u64,
    lane: usize,
) -> Result<&'d Arc<Texture>, Box<PendingFault>> {
    check(lane, handle, of, TEXTURE)?;
    slot(&descriptors.textures, handle & INDEX, (lane, handle, of, TEXTURE))
}

/// The sampler of a sampler handle or texture handle.
pub(super) fn sampler_of<'d>(
    descriptors: &'d Descriptors,
    of: &Handle,
    handle: u64,
    lane: usize,
) -> Result<&'d Arc<Sampler>, Box<PendingFault>> {
    // A texture handle also refers to its sampler.
    if handle & KINDS != TEXTURE_BIT {
        check(lane, handle, of, SAMPLER)?;
    }
    let index = handle >> SAMPLER_SHIFT & SAMPLER_INDEX;
    slot(&descriptors.samplers, index, (lane, handle, of, SAMPLER))
}

/// The surface of a handle.
pub(super) fn surface_of<'d>(
    descriptors: &'d Descriptors,
    of: &Handle,
    handle: u64,
    lane: usize,
) -> Result<&'d Arc<Surface>, Box<PendingFault>> {
    check(lane, handle, of, SURFACE)?;
    slot(&descriptors.surfaces, handle & INDEX, (lane, handle, of, SURFACE))
}

/// The surface of an access, whose memory is valid.
pub(super) fn accessed_of<'d>(
    descriptors: &'d Descriptors,
    of: &Handle,
    handle: u64,
    lane: usize,
) -> Result<&'d Arc<Surface>, Box<PendingFault>> {
    let surface = surface_of(descriptors, of, handle, lane)?;
    live(&surface.resource, (lane, handle, of, SURFACE))?;
    Ok(surface)
}

/// Texture and sampler of a fetch, by separate handles or by the texture's handle. The texture's
/// memory is valid.
pub(super) fn fetched_of<'d>(
    descriptors: &'d Descriptors,
    fetch: &Fetch,
    (t, s): (u64, u64),
    lane: usize,
) -> Result<(&'d Arc<Texture>, &'d Arc<Sampler>), Box<PendingFault>> {
    let texture = texture_of(descriptors, &fetch.texture, t, lane)?;
    live(&texture.resource, (lane, t, &fetch.texture, TEXTURE))?;
    let Some(of) = &fetch.sampler else {
        return Ok((texture, sampler_of(descriptors, &fetch.texture, s, lane)?));
    };
    if s & KINDS != TEXTURE_BIT {
        return Ok((texture, sampler_of(descriptors, of, s, lane)?));
    }
    // In independent mode on a card (docs/numerics.md 1.13), samplers belong to texture objects,
    // and the texture's own sampler is used. `.1d` fetches require a 1D geometry, which the objects
    // of 1D arrays do not have.
    let resource = &texture.resource;
    let is_line = fetch.form.geometry == Geometry::D1 && fetch.form.coord == CoordType::F32;
    if is_line && resource.geometry() != Geometry::A1d {
        let (own, layout) = (resource.geometry(), resource.layout());
        let resource = format!("texture {}", resource.describe());
        let error = GeometryError { instruction: Geometry::D1, own, layout, resource };
        return fault_at(lane, FaultKind::unplanned(error.into(), false));
    }
    Ok((texture, sampler_of(descriptors, &fetch.texture, t, lane)?))
}

/// The handle that a card uses, which ignores the upper half.
fn whole(handle: u64, bit: u64) -> u64 {
    match handle & LOWER {
        0 => handle,
        lower => lower | bit,
    }
}

/// A texture, and the sampler that it is fetched with.
type Pair = (Arc<Texture>, Arc<Sampler>);

/// The texture and sampler that a card uses for a handle that is not a texture handle; `None`: the
/// fetch returns zeros.
pub(super) fn fetched_instead(
    descriptors: &Descriptors,
    fetch: &Fetch,
    t: u64,
    lane: usize,
) -> Result<Option<Pair>, Box<PendingFault>> {
    let of = &fetch.texture;
    if t & !LOWER == SURFACE_BIT {
        let surface = match accessed_of(descriptors, of, t, lane) {
            Err(fault) if fault.kind.is_answered() => return Ok(None),
            found => found?,
        };
        // The driver's texture header of a surface: unconverted elements, point filter, coordinates
        // in texels.
        let resource = Arc::clone(&surface.resource);
        let read_mode = ReadMode::of_driver(resource.format(), true);
        let texture = Texture { resource, read_mode, normalized_coords: false };
        return Ok(Some((Arc::new(texture), Arc::new(Sampler::default()))));
    }
    let t = whole(t, TEXTURE_BIT);
    let Ok(texture) = texture_of(descriptors, of, t, lane) else { return Ok(None) };
    live(&texture.resource, (lane, t, of, TEXTURE))?;
    let sampler = sampler_of(descriptors, of, t, lane).ok();
    Ok(sampler.map(|sampler| (Arc::clone(texture), Arc::clone(sampler))))
}

/// The surface that a card accesses for a handle that is not a surface handle; `None`: no access
/// takes place.
pub(super) fn accessed_instead<'d>(
    descriptors: &'d Descriptors,
    of: &Handle,
    handle: u64,
    lane: usize,
) -> Option<&'d Arc<Surface>> {
    accessed_of(descriptors, of, whole(handle, SURFACE_BIT), lane).ok()
}
