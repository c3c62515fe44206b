//! Handles: which texture, sampler or surface they name, or why none.

use super::outcome::{Executed, PendingFault, fault_at};
use crate::code::{Fetch, Handle, HandleSource};
use crate::fault::{Described, FaultKind};
use crate::launch::{Descriptors, SAMPLER_BIT, SURFACE_BIT, TEXTURE_BIT};
use std::sync::Arc;
use texunit_unit::{Resource, Sampler, Surface, Texture};

const INDEX: u64 = 0xf_ffff;
const SAMPLER_SHIFT: u32 = 20;
const SAMPLER_INDEX: u64 = 0xfff;
/// The bits that say what a handle is of.
pub(super) const KINDS: u64 = TEXTURE_BIT | SAMPLER_BIT | SURFACE_BIT;

/// What a handle may be, and what it is called.
#[derive(Clone, Copy)]
struct Wanted {
    word: &'static str,
    bit: u64,
}

const TEXTURE: Wanted = Wanted { word: "texture", bit: TEXTURE_BIT };
const SAMPLER: Wanted = Wanted { word: "sampler", bit: SAMPLER_BIT };
const SURFACE: Wanted = Wanted { word: "surface", bit: SURFACE_BIT };

fn bad<T>(lane: usize, handle: u64, wanted: Wanted, why: String) -> Result<T, Box<PendingFault>> {
    fault_at(lane, FaultKind::Handle { handle, wanted: wanted.word, why })
}

/// Checks the kind bits of a handle.
fn check(lane: usize, handle: u64, of: &Handle, wanted: Wanted) -> Executed {
    let kind = handle & KINDS;
    let rest = handle & !KINDS & !0xffff_ffff;
    if kind & wanted.bit != 0 && kind.count_ones() == 1 && rest == 0 {
        return Ok(());
    }
    let why = match kind {
        0 if handle == 0 => match &of.name {
            Some(name) => format!("{name} is not bound"),
            None => "the handle is zero".to_owned(),
        },
        TEXTURE_BIT if rest == 0 => wrong_kind(of, wanted, "texture"),
        SAMPLER_BIT if rest == 0 => wrong_kind(of, wanted, "sampler"),
        SURFACE_BIT if rest == 0 => wrong_kind(of, wanted, "surface"),
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

fn never_given_out(of: &Handle) -> String {
    let name = of.name.as_ref().map_or(String::new(), |name| format!("{name}: "));
    format!("{name}no handle with this value was ever returned")
}

/// A slot of a descriptor table.
fn slot<'d, T>(
    table: &'d [Option<Arc<T>>],
    index: u64,
    (lane, handle, of, wanted): (usize, u64, &Handle, Wanted),
) -> Result<&'d Arc<T>, Box<PendingFault>> {
    match table.get(index as usize) {
        Some(Some(found)) => Ok(found),
        empty => {
            let why = match (&of.name, empty) {
                (Some(name), _) if matches!(of.source, HandleSource::Reference(_)) => {
                    format!("{name} is not bound")
                }
                (Some(name), Some(_)) => format!("{name}: the {} was destroyed", wanted.word),
                (None, Some(_)) => format!("the {} was destroyed", wanted.word),
                _ => never_given_out(of),
            };
            bad(lane, handle, wanted, why)
        }
    }
}

/// Faults where the memory of an object is not to be used any more. Asked when a plan is made: plans end
/// with the launch, and what is freed while it runs stays for it.
fn live(
    resource: &Resource,
    (lane, handle, of, wanted): (usize, u64, &Handle, Wanted),
) -> Executed {
    let Some(gone) = resource.block().gone(None) else { return Ok(()) };
    let name = of.name.clone().unwrap_or_else(|| format!("{} {handle:#018x}", wanted.word));
    let user = format!("{name} ({})", resource.describe());
    let memory = Described { text: gone.to_string(), allocation: Some(gone.number) };
    fault_at(lane, FaultKind::Freed { user, memory })
}

/// The texture that a handle names.
pub(super) fn texture_of<'d>(
    descriptors: &'d Descriptors,
    of: &Handle,
    handle: u64,
    lane: usize,
) -> Result<&'d Arc<Texture>, Box<PendingFault>> {
    check(lane, handle, of, TEXTURE)?;
    slot(&descriptors.textures, handle & INDEX, (lane, handle, of, TEXTURE))
}

/// The sampler that a sampler's or texture's handle names.
pub(super) fn sampler_of<'d>(
    descriptors: &'d Descriptors,
    of: &Handle,
    handle: u64,
    lane: usize,
) -> Result<&'d Arc<Sampler>, Box<PendingFault>> {
    // A texture handle may stand for its sampler too.
    if handle & KINDS != TEXTURE_BIT {
        check(lane, handle, of, SAMPLER)?;
    }
    let index = handle >> SAMPLER_SHIFT & SAMPLER_INDEX;
    slot(&descriptors.samplers, index, (lane, handle, of, SAMPLER))
}

/// The surface that a handle names.
pub(super) fn surface_of<'d>(
    descriptors: &'d Descriptors,
    of: &Handle,
    handle: u64,
    lane: usize,
) -> Result<&'d Arc<Surface>, Box<PendingFault>> {
    check(lane, handle, of, SURFACE)?;
    slot(&descriptors.surfaces, handle & INDEX, (lane, handle, of, SURFACE))
}

/// The surface of an access, whose memory is there.
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

/// Texture and sampler of a fetch: the sampler's own handle, or the texture's. The texture's memory is there.
pub(super) fn fetched_of<'d>(
    descriptors: &'d Descriptors,
    fetch: &Fetch,
    (t, s): (u64, u64),
    lane: usize,
) -> Result<(&'d Arc<Texture>, &'d Arc<Sampler>), Box<PendingFault>> {
    let texture = texture_of(descriptors, &fetch.texture, t, lane)?;
    live(&texture.resource, (lane, t, &fetch.texture, TEXTURE))?;
    let of = fetch.sampler.as_ref().unwrap_or(&fetch.texture);
    Ok((texture, sampler_of(descriptors, of, s, lane)?))
}
