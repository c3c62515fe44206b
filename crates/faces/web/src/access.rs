//! The fetch or surface access that the keys of a link describe, with its texture.

use crate::builtin::{self, Builtin};
use crate::keys::{Form, Keys, OWN};
use crate::refusal::Refusal;
use crate::session::{CachedTexture, Session, UserFile};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use texunit_explain::operand;
use texunit_files::{Kind, MemoryFiles};
use texunit_sample::SampleError;
use texunit_sample::file::{self, FileOptions};
use texunit_unit::{FetchForm, FetchOperands, Geometry, Sampler, SurfaceKind, Texture};

/// A fetch or surface access with its texture, sampler and operands.
pub(crate) struct Access {
    pub(crate) form: Form,
    pub(crate) texture: Arc<Texture>,
    pub(crate) sampler: Sampler,
    pub(crate) keys: Keys,
    pub(crate) middle: String,
    pub(crate) zeros: String,
    pub(crate) options: FileOptions,
    pub(crate) name: String,
}

/// The geometry of a texture without the key `geometry`; for a container file, that of its header.
fn own_geometry(session: &Session, keys: &Keys) -> Result<Geometry, Refusal> {
    match source_of(keys)? {
        Some(builtin) => Ok(builtin.geometry),
        None => {
            let own = own(session)?;
            let kind = Kind::of(Path::new(&own.name));
            if !matches!(kind, Kind::Dds | Kind::Ktx2) {
                return Ok(Geometry::D2);
            }
            let container = texunit_files::decode_container(kind, &own.bytes)
                .map_err(|e| Refusal::of("tex", format!("`{}`: {e}", own.name)))?;
            Ok(Geometry::of(container.dims.into(), container.layers.is_some(), container.is_cube))
        }
    }
}

pub(crate) fn source_of(keys: &Keys) -> Result<Option<&'static Builtin>, Refusal> {
    match keys.get("tex").unwrap_or("checker") {
        OWN => Ok(None),
        name => builtin::find(name).map(Some),
    }
}

fn own(session: &Session) -> Result<&UserFile, Refusal> {
    session.own.as_ref().ok_or_else(|| {
        let mut refusal = Refusal::of("tex", "the file is not here: links do not carry files");
        refusal.help = Some("drop it on the page, or choose another texture".to_owned());
        refusal
    })
}

/// The keys of a link that the texels of a texture depend on.
const OF_TEXELS: [&str; 8] =
    ["tex", "texel-format", "geometry", "size", "layers", "samples", "levels", "mipmaps"];

/// Creates the texture that the keys describe; the texture is cached until the keys that it depends
/// on change.
fn made<'s>(
    session: &'s mut Session,
    keys: &Keys,
    wanted: Option<Geometry>,
) -> Result<&'s CachedTexture, Refusal> {
    let of = keys.0.iter().filter(|(key, _)| OF_TEXELS.contains(&key.as_str()));
    let of = (Keys(of.map(|(k, v)| (k.clone(), v.clone())).collect()), wanted);
    if session.made.as_ref().is_none_or(|made| made.of != of) {
        session.made = None;
        session.made = Some(make(session, keys, of)?);
    }
    session.made.as_ref().ok_or_else(|| Refusal::new("there is no texture"))
}

fn make(
    session: &Session,
    keys: &Keys,
    of: (Keys, Option<Geometry>),
) -> Result<CachedTexture, Refusal> {
    let mut given = keys.options()?;
    let refused = |e: SampleError| Refusal::of("tex", e.to_string());
    let (name, options, wanted, _held) = match source_of(keys)? {
        Some(builtin) => {
            let wanted = of.1.unwrap_or(builtin.geometry);
            let (bytes, options) = builtin.made(&given, wanted)?;
            let name = format!("{}.raw", builtin.name);
            let mut held = MemoryFiles::new();
            held.hold(&name, bytes);
            (name, options, wanted, Some(held))
        }
        None => {
            let own = own(session)?;
            let wanted = match of.1 {
                Some(wanted) => wanted,
                None => own_geometry(session, keys)?,
            };
            // A container file describes its texture itself, so that keys that were set for another
            // texture are ignored.
            let kind = Kind::of(Path::new(&own.name));
            if matches!(kind, Kind::Dds | Kind::Ktx2) {
                given =
                    given.with_geometry(None).with_size(None).with_layers(None).with_samples(None);
            }
            if kind != Kind::Raw && given.levels == Some(1) {
                (given.levels, given.mipmaps) = (None, false);
            }
            if !matches!(kind, Kind::Raw | Kind::Dds | Kind::Ktx2) {
                given.mipmaps |= given.levels.is_some();
            }
            (own.name.clone(), given, wanted, None)
        }
    };
    let (resource, srgb) = file::resource(&options, Path::new(&name), wanted).map_err(refused)?;
    Ok(CachedTexture { of, resource: Arc::new(resource), srgb, options, name })
}

/// The fetch or surface access that the keys describe.
pub(crate) fn access(session: &mut Session, keys: &Keys) -> Result<Access, Refusal> {
    let texture_geometry = match keys.get("op") {
        Some(_) => None,
        None => Some(match keys.options()?.geometry {
            Some(geometry) => geometry,
            None => own_geometry(session, keys)?,
        }),
    };
    let form = keys.form(texture_geometry.unwrap_or(Geometry::D2))?;
    let mut sampler = keys.sampler()?;
    let made = made(session, keys, Some(form.geometry()))?;
    let options = made
        .options
        .clone()
        .with_read(keys.options()?.read)
        .with_unnormalized(keys.flag("unnormalized"));
    let (name, resource) = (made.name.clone(), Arc::clone(&made.resource));
    sampler.srgb |= made.srgb;
    let result = match form {
        Form::Fetch(fetch) => fetch.result,
        // A surface access gives no texel values, so that a texture with a float result is used to
        // show the texels.
        Form::Surface(_) => texunit_unit::ResultType::F32,
    };
    let texture = file::header(Arc::clone(&resource), &options, Some(result), &sampler);
    let texture = texture.map_err(|e| Refusal::new(e.to_string()))?;
    Ok(Access {
        form,
        middle: middle(form, &texture),
        zeros: vec!["0"; form.geometry().gradients().max(1)].join(","),
        texture: Arc::new(texture),
        sampler,
        keys: keys.clone(),
        options,
        name,
    })
}

/// The default coordinates of an access, which are the centre of the texture.
fn middle(form: Form, texture: &Texture) -> String {
    let extent = texture.resource.extent().axes();
    let g = form.geometry();
    let integers = match form {
        Form::Fetch(form) => form.coord == texunit_unit::CoordType::S32,
        Form::Surface(_) => true,
    };
    let unit = match form {
        Form::Surface(form)
            if !matches!(
                form.kind,
                SurfaceKind::StoreFormatted { .. } | SurfaceKind::Reduce { formatted: true, .. }
            ) =>
        {
            texture.resource.format().texel_size()
        }
        _ => 1,
    };
    let parts: Vec<String> = g
        .elements()
        .iter()
        .map(|element| {
            use texunit_unit::Element as E;
            let axis = match element {
                E::Sample | E::Layer => return "0".to_owned(),
                E::X => 0,
                E::Y => 1,
                E::Z => 2,
            };
            let half = extent[axis] / 2;
            if g.is_cube() {
                return ["1", "0.2", "0.3"][axis].to_owned();
            }
            match () {
                () if integers && axis == 0 => (half * unit).to_string(),
                () if integers => half.to_string(),
                () if texture.normalized_coords => "0.5".to_owned(),
                () => (f64::from(extent[axis]) / 2.0).to_string(),
            }
        })
        .collect();
    parts.join(",")
}

impl Access {
    /// The operands of the access as text, with defaults.
    pub(crate) fn written(&self) -> operand::Written<'_> {
        self.keys.written(self.form, &self.middle, &self.zeros)
    }

    /// The operands of a fetch, parsed.
    pub(crate) fn operands(&self, form: FetchForm) -> Result<FetchOperands, Refusal> {
        operand::fetch(&self.written(), form).map_err(blamed)
    }
}

/// Makes a refusal from the message about an operand, which begins with the operand's key.
pub(crate) fn blamed(message: String) -> Refusal {
    let key = ["at", "lod", "grad", "offset", "compare", "value"];
    let key = key.into_iter().find(|key| message.starts_with(&format!("--{key}")));
    let key = key.map(|key| if key == "grad" { "dpdx" } else { key });
    Refusal { key: Some(key.unwrap_or("at")), ..Refusal::new(message) }
}

/// The properties of a texture that the page needs to draw it.
pub(crate) fn texture(texture: &Texture) -> Value {
    let resource = &texture.resource;
    let shape = resource.shape();
    json!({
        "describe": resource.describe(),
        "geometry": shape.geometry.name(),
        "format": shape.format.name(),
        "levels": resource.levels().iter().map(|level| level.extent.axes()).collect::<Vec<_>>(),
        "planes": shape.planes(),
        "layers": shape.layers,
        "samples": shape.samples,
        "texel_size": shape.format.texel_size(),
        "mipmapped": resource.is_mipmapped(),
        "normalized": texture.normalized_coords,
        "axes": shape.geometry.axes(),
    })
}
