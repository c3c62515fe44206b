//! Explains a fetch or surface access that the keys of a link describe.

use crate::area;
use crate::builtin::{self, Builtin};
use crate::command;
use crate::keys::{Form, Keys, OWN};
use crate::session::{MethodResult, Refusal, Session};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use texunit_explain::{Explanation, SurfaceExplanation, operand};
use texunit_files::{Kind, MemoryFiles};
use texunit_forms::Count;
use texunit_sample::file::{self, FileOptions};
use texunit_texel::Format;
use texunit_unit::{
    AddressMode, CompareFunction, FetchForm, FetchOperands, Filter, Geometry, Resource, Sampler,
    Surface, SurfaceKind, Texture,
};

/// Maximum size in bytes of a user's file, and of its texture, which fits into a browser tab's
/// memory.
pub const MAX_BYTES: u64 = 256 << 20;

/// A texture file that the user has opened in the page.
#[derive(Debug)]
pub(crate) struct UserFile {
    name: String,
    bytes: Arc<[u8]>,
    /// The registration of the file's bytes as a virtual file. The file can be opened by its name
    /// as long as this exists.
    _held: MemoryFiles,
}

/// A created texture, and the keys that it was created from.
#[derive(Debug)]
pub(crate) struct CachedTexture {
    /// The keys that the texture depends on, and the geometry of the instruction.
    of: (Keys, Option<Geometry>),
    resource: Arc<Resource>,
    srgb: bool,
    options: FileOptions,
    name: String,
}

/// An access with its texture, sampler and operands.
pub(crate) struct Access {
    pub(crate) form: Form,
    pub(crate) texture: Arc<Texture>,
    pub(crate) sampler: Sampler,
    pub(crate) keys: Keys,
    middle: String,
    zeros: String,
    options: FileOptions,
    name: String,
}

/// Parameters of the methods that describe an access by keys.
#[derive(Debug, Deserialize)]
pub(crate) struct KeysParameters {
    pub(crate) keys: Keys,
}

/// Parameters of the method `file`.
#[derive(Debug, Deserialize)]
pub(crate) struct File {
    name: String,
}

/// `file`: stores a user's file; returns its format and size.
pub(crate) fn file(session: &mut Session, File { name }: File, bytes: Vec<u8>) -> MethodResult {
    if bytes.len() as u64 > MAX_BYTES {
        let message = format!(
            "`{name}` has {}; the page takes at most {MAX_BYTES}",
            Count(bytes.len(), "byte")
        );
        return Err(Refusal::of("tex", message));
    }
    // The name of the folder is removed, because virtual files have none.
    let name =
        Path::new(&name).file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let bytes: Arc<[u8]> = bytes.into();
    let mut held = MemoryFiles::new();
    held.hold(&name, Arc::clone(&bytes));
    let kind = Kind::of(Path::new(&name));
    let content = Kind::of_content(&bytes);
    session.made = None;
    let size = bytes.len();
    session.own = Some(UserFile { name: name.clone(), bytes, _held: held });
    // A file whose content does not match its name is reported at once, not at the first fetch.
    if kind == Kind::Raw && content.is_none() {
        let help = "PNG, JPEG, OpenEXR, NPY, DDS and KTX 2.0 are recognised by their names; for any other file, give size and texel-format";
        return Ok((
            json!({ "name": name, "bytes": size, "kind": kind.name(), "help": help }),
            Vec::new(),
        ));
    }
    Ok((json!({ "name": name, "bytes": size, "kind": kind.name() }), Vec::new()))
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

fn source_of(keys: &Keys) -> Result<Option<&'static Builtin>, Refusal> {
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

/// The keys that the texels of a texture depend on.
const OF_TEXELS: [&str; 8] =
    ["tex", "texel-format", "geometry", "size", "layers", "samples", "levels", "mipmaps"];

/// Creates the texture that the keys describe; it is cached until these keys change.
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
    let refused = |e: file::FileTextureError| Refusal::of("tex", e.message);
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
    let texture = texture.map_err(|e| Refusal::new(e.message))?;
    let (middle, zeros) =
        (middle(form, &texture), vec!["0"; form.geometry().gradients().max(1)].join(","));
    Ok(Access {
        form,
        texture: Arc::new(texture),
        sampler,
        keys: keys.clone(),
        middle,
        zeros,
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

    fn explanation(&self, form: FetchForm) -> Result<Explanation<'_>, Refusal> {
        let operands = self.operands(form)?;
        Explanation::new(form, &self.texture, &self.sampler, &operands).map_err(Refusal::new)
    }

    fn surface(&self, form: texunit_unit::SurfaceForm) -> Result<SurfaceExplanation, Refusal> {
        let written = self.written();
        let coords = operand::surface(&written, form).map_err(blamed)?;
        let loads = matches!(form.kind, SurfaceKind::Load { .. });
        let elements = match written.value.filter(|_| !loads) {
            Some(text) => operand::elements(text).map_err(|e| Refusal::of("value", e))?,
            None => [0; 4],
        };
        // A store changes a copy of the surface, so that the next access sees the original texels.
        let (own, shape) = (&self.texture.resource, *self.texture.resource.shape());
        let block = texunit_device::Block::new(own.block().size(), own.name());
        let block = block
            .ok_or_else(|| Refusal::new("there is not enough memory for a copy of the texels"))?;
        let copy = Resource::array(&shape, Arc::new(block), own.name()).map_err(Refusal::new)?;
        copy.fill_packed(&own.to_packed()).map_err(Refusal::new)?;
        let copy = if copy.levels().len() > 1 {
            copy.single_level(0).map_err(Refusal::new)?
        } else {
            copy
        };
        let surface = Arc::new(Surface::new(Arc::new(copy)).map_err(Refusal::new)?);
        SurfaceExplanation::new(form, &surface, coords, elements).map_err(Refusal::new)
    }
}

/// Makes a refusal from the message about an operand, which begins with the operand's key.
fn blamed(message: String) -> Refusal {
    let key = ["at", "lod", "grad", "offset", "compare", "value"];
    let key = key.into_iter().find(|key| message.starts_with(&format!("--{key}")));
    let key = key.map(|key| if key == "grad" { "dpdx" } else { key });
    Refusal { key: Some(key.unwrap_or("at")), ..Refusal::new(message) }
}

/// `explain`: the explanation of the access, with the data that the page draws.
pub(crate) fn explain(
    session: &mut Session,
    KeysParameters { keys }: &KeysParameters,
) -> MethodResult {
    let access = access(session, keys)?;
    let (kind, explanation, exact) = match access.form {
        Form::Fetch(form) => {
            let explanation = access.explanation(form)?;
            let hardware = area::floats(&explanation.trace);
            ("fetch", explanation.json(), Some(area::exact(&explanation.trace, hardware)))
        }
        Form::Surface(form) => ("surface", access.surface(form)?.json(), None),
    };
    let answer = json!({
        "kind": kind,
        "op": match access.form { Form::Fetch(form) => form.to_string(), Form::Surface(form) => form.to_string() },
        "written": written(&access),
        "ptx": crate::ptx::write(&access)?,
        "command": command::explain(&access.name, &access.options, &access.keys, &access),
        "texture": texture(&access.texture),
        "exact": exact,
        "explanation": explanation,
    });
    Ok((answer, Vec::new()))
}

/// The operands of an access by key, including defaults.
fn written(access: &Access) -> Value {
    let w = access.written();
    json!({
        "at": w.at,
        "lod": w.lod,
        "dpdx": w.grad.map(|grad| grad[0]),
        "dpdy": w.grad.map(|grad| grad[1]),
        "offset": w.offset,
        "compare": w.compare,
        "value": w.value,
    })
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

/// `svg`: the picture that `texunit explain` makes of the access.
pub(crate) fn svg(session: &mut Session, KeysParameters { keys }: &KeysParameters) -> MethodResult {
    let access = access(session, keys)?;
    let (svg, text) = match access.form {
        Form::Fetch(form) => {
            let explanation = access.explanation(form)?;
            (explanation.svg(), explanation.text())
        }
        Form::Surface(form) => {
            let explanation = access.surface(form)?;
            (explanation.svg(), explanation.text())
        }
    };
    Ok((json!({ "svg": svg, "text": text }), Vec::new()))
}

/// `source`: the texels as a file, and the arguments of `texunit` that explain the same access of
/// that file.
pub(crate) fn source(
    session: &mut Session,
    KeysParameters { keys }: &KeysParameters,
) -> MethodResult {
    let access = access(session, keys)?;
    let arguments = command::arguments(&access.name, &access.options, &access.keys, &access);
    let bytes = match (source_of(keys)?, &session.own) {
        (None, Some(own)) => own.bytes.to_vec(),
        _ => access.texture.resource.to_packed(),
    };
    Ok((json!({ "name": access.name, "arguments": arguments }), bytes))
}

/// `words`: the allowed values of the form's fields.
pub(crate) fn words() -> Value {
    json!({
        "textures": builtin::all().iter().map(|b| json!({ "name": b.name, "about": b.about, "geometry": b.geometry.name() })).collect::<Vec<_>>(),
        "formats": Format::all().map(|f| json!({ "name": f.name(), "plain": f.plain_channel().is_some() })).collect::<Vec<_>>(),
        "geometries": Geometry::ALL.iter().map(|g| json!({
            "name": g.name(),
            "axes": g.axes(),
            "elements": g.elements().iter().map(|e| format!("{e:?}").to_lowercase()).collect::<Vec<_>>(),
            "gradients": g.gradients(),
        })).collect::<Vec<_>>(),
        "address": AddressMode::NAMES.map(|row| row.0),
        "filter": Filter::NAMES.map(|row| row.0),
        "compare": CompareFunction::NAMES.map(|row| row.0),
        "read": texunit_spec::READ_MODES.map(|row| row.0),
        "archs": texunit_sass::Arch::ALL.iter().map(|a| a.name()).collect::<Vec<_>>(),
    })
}
