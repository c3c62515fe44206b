//! Explains a fetch or surface access that the keys of a link describe.

use crate::access::{Access, access, blamed, source_of, texture};
use crate::keys::{Form, Keys};
use crate::refusal::{BytesResult, MethodResult, Refusal};
use crate::session::{Session, UserFile};
use crate::{area, builtin, command};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use texunit_explain::{Explanation, SurfaceExplanation, operand};
use texunit_files::{Kind, MemoryFiles};
use texunit_forms::Count;
use texunit_texel::Format;
use texunit_unit::{
    AddressMode, CompareFunction, FetchForm, Filter, Geometry, ReadMode, Resource, Surface,
    SurfaceKind,
};

/// Maximum size in bytes of a user's file, and of its texture, which fits into a browser tab's
/// memory.
pub const MAX_BYTES: u64 = 256 << 20;

/// Parameters of the methods to which the page gives a texture and a fetch as the keys of a link.
#[derive(Debug, Deserialize)]
pub(crate) struct KeysParameters {
    pub(crate) keys: Keys,
}

/// Parameters of the method `file`.
#[derive(Debug, Deserialize)]
pub(crate) struct File {
    name: String,
}

/// The method `file`: keeps a user's texture file in memory; returns its format and size.
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
    let mut answer = json!({ "name": name, "bytes": size, "kind": kind.name() });
    // A file whose content does not match its name is reported at once, not at the first fetch.
    if kind == Kind::Raw && content.is_none() {
        answer["help"] = "PNG, JPEG, OpenEXR, NPY, DDS and KTX 2.0 are recognised by their names; for any other file, give size and texel-format".into();
    }
    Ok(answer)
}

impl Access {
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

/// The method `explain`: returns the explanation of the access, with the data that the page draws.
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
    Ok(json!({
        "kind": kind,
        "op": match access.form { Form::Fetch(form) => form.to_string(), Form::Surface(form) => form.to_string() },
        "written": written(&access),
        "ptx": crate::ptx::write(&access)?,
        "command": command::explain(&access.name, &access.options, &access.keys, &access),
        "texture": texture(&access.texture),
        "exact": exact,
        "explanation": explanation,
    }))
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

/// The method `svg`: returns the picture that `texunit explain` makes of the access.
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
    Ok(json!({ "svg": svg, "text": text }))
}

/// The method `source`: returns the texels as a file, and the arguments of `texunit` that explain
/// the same access of that file.
pub(crate) fn source(
    session: &mut Session,
    KeysParameters { keys }: &KeysParameters,
) -> BytesResult {
    let access = access(session, keys)?;
    let arguments = command::arguments(&access.name, &access.options, &access.keys, &access);
    let bytes = match (source_of(keys)?, &session.own) {
        (None, Some(own)) => own.bytes.to_vec(),
        _ => access.texture.resource.to_packed(),
    };
    Ok((json!({ "name": access.name, "arguments": arguments }), bytes))
}

fn names<T>(rows: &[(&'static str, T)]) -> Vec<&'static str> {
    rows.iter().map(|row| row.0).collect()
}

/// The method `words`: returns the allowed values of the fields of the page's form.
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
        "address": names(AddressMode::NAMES),
        "filter": names(Filter::NAMES),
        "compare": names(CompareFunction::NAMES),
        "read": names(ReadMode::NAMES),
        "archs": texunit_sass::Arch::ALL.iter().map(|a| a.name()).collect::<Vec<_>>(),
    })
}
