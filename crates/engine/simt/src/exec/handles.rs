//! Looks up the texture, sampler or surface of a handle, and explains invalid handles.

use super::outcome::{Done, fault_at};
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

/// A handle of one lane that is looked up.
#[derive(Clone, Copy)]
pub(super) struct Lookup<'a> {
    pub(super) descriptors: &'a Descriptors,
    pub(super) of: &'a Handle,
    pub(super) handle: u64,
    pub(super) lane: usize,
}

type Found<'a, T> = Done<&'a Arc<T>>;

impl<'a> Lookup<'a> {
    /// Checks the kind bits of the handle.
    fn check(&self, wanted: Wanted) -> Done {
        let &Self { of, handle, .. } = self;
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
        self.bad(wanted, why)
    }

    fn bad<T>(&self, wanted: Wanted, (is, why): (BadHandle, String)) -> Done<T> {
        let handle = self.handle;
        fault_at(self.lane, FaultKind::Handle { handle, wanted: wanted.word, is, why })
    }

    /// Looks up an entry of a descriptor table.
    fn slot<T>(&self, table: &'a [Option<Arc<T>>], index: u64, wanted: Wanted) -> Found<'a, T> {
        let of = self.of;
        match table.get(index as usize) {
            Some(Some(found)) => Ok(found),
            empty => {
                let destroyed = format!("the {} was destroyed", wanted.word);
                let why = match (&of.name, empty) {
                    (Some(name), _) if matches!(of.source, HandleSource::Reference(_)) => {
                        (BadHandle::Unknown, format!("{name} is not bound"))
                    }
                    // No object has index 0.
                    _ if index == 0 || empty.is_none() => never_given_out(of),
                    (Some(name), _) => (BadHandle::Destroyed, format!("{name}: {destroyed}")),
                    (None, _) => (BadHandle::Destroyed, destroyed),
                };
                self.bad(wanted, why)
            }
        }
    }

    /// Raises a fault if the memory of an object was freed. The check takes place while a plan is
    /// made; plans end with the launch, and memory freed during the launch remains valid for it.
    fn live(&self, resource: &Resource, wanted: Wanted) -> Done {
        let Some(gone) = resource.block().freed_block(None) else { return Ok(()) };
        let name = self.of.name.clone();
        let name = name.unwrap_or_else(|| format!("{} {:#018x}", wanted.word, self.handle));
        let user = format!("{name} ({})", resource.describe());
        fault_at(self.lane, FaultKind::of_gone(user, &gone))
    }

    pub(super) fn texture(&self) -> Found<'a, Texture> {
        self.check(TEXTURE)?;
        self.slot(&self.descriptors.textures, self.handle & INDEX, TEXTURE)
    }

    /// The texture of a fetch, whose memory is valid.
    fn live_texture(&self) -> Found<'a, Texture> {
        let texture = self.texture()?;
        self.live(&texture.resource, TEXTURE)?;
        Ok(texture)
    }

    pub(super) fn sampler(&self) -> Found<'a, Sampler> {
        // A texture handle also refers to its sampler.
        if self.handle & KINDS != TEXTURE_BIT {
            self.check(SAMPLER)?;
        }
        let index = self.handle >> SAMPLER_SHIFT & SAMPLER_INDEX;
        self.slot(&self.descriptors.samplers, index, SAMPLER)
    }

    pub(super) fn surface(&self) -> Found<'a, Surface> {
        self.check(SURFACE)?;
        self.slot(&self.descriptors.surfaces, self.handle & INDEX, SURFACE)
    }

    /// The surface of an access, whose memory is valid.
    pub(super) fn live_surface(&self) -> Found<'a, Surface> {
        let surface = self.surface()?;
        self.live(&surface.resource, SURFACE)?;
        Ok(surface)
    }

    /// The texture of a fetch by this handle, and the sampler by the handle `s`, which is the
    /// texture's own unless `fetch` has a sampler. The texture's memory is valid.
    pub(super) fn fetched(
        &self,
        fetch: &'a Fetch,
        s: u64,
    ) -> Done<(&'a Arc<Texture>, &'a Arc<Sampler>)> {
        let texture = self.live_texture()?;
        let Some(of) = &fetch.sampler else {
            return Ok((texture, Self { handle: s, ..*self }.sampler()?));
        };
        if s & KINDS != TEXTURE_BIT {
            return Ok((texture, Self { of, handle: s, ..*self }.sampler()?));
        }
        // In independent mode on a card (docs/numerics.md 1.13), samplers belong to texture
        // objects, and the texture's own sampler is used. `.1d` fetches require a 1D geometry,
        // which the objects of 1D arrays do not have.
        let resource = &texture.resource;
        let is_line = fetch.form.geometry == Geometry::D1 && fetch.form.coord == CoordType::F32;
        if is_line && resource.geometry() != Geometry::A1d {
            let (own, layout) = (resource.geometry(), resource.layout());
            let resource = format!("texture {}", resource.describe());
            let error = GeometryError { instruction: Geometry::D1, own, layout, resource };
            return fault_at(self.lane, FaultKind::unplanned(error.into(), false));
        }
        Ok((texture, self.sampler()?))
    }

    /// The texture and sampler that a card uses for a handle that is not a texture handle; `None`:
    /// the fetch returns zeros.
    pub(super) fn fetched_instead(self) -> Done<Option<Pair>> {
        if self.handle & !LOWER == SURFACE_BIT {
            let surface = match self.live_surface() {
                Err(fault) if fault.kind.is_answered() => return Ok(None),
                found => found?,
            };
            // The driver's texture header of a surface: unconverted elements, point filter,
            // coordinates in texels.
            let resource = Arc::clone(&surface.resource);
            let read_mode = ReadMode::of_driver(resource.format(), true);
            let texture = Texture { resource, read_mode, normalized_coords: false };
            return Ok(Some((Arc::new(texture), Arc::new(Sampler::default()))));
        }
        let whole = self.with_kind(TEXTURE_BIT);
        let Ok(texture) = whole.texture() else { return Ok(None) };
        whole.live(&texture.resource, TEXTURE)?;
        let sampler = whole.sampler().ok();
        Ok(sampler.map(|sampler| (Arc::clone(texture), Arc::clone(sampler))))
    }

    /// The surface that a card accesses for a handle that is not a surface handle; `None`: no
    /// access takes place.
    pub(super) fn accessed_instead(self) -> Option<&'a Arc<Surface>> {
        self.with_kind(SURFACE_BIT).live_surface().ok()
    }

    /// The handle with this kind bit, as a GPU uses it: without its upper half.
    fn with_kind(self, bit: u64) -> Self {
        match self.handle & LOWER {
            0 => self,
            lower => Self { handle: lower | bit, ..self },
        }
    }
}

/// A texture, and the sampler that it is fetched with.
type Pair = (Arc<Texture>, Arc<Sampler>);

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
