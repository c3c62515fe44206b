//! The classes `texunit.ResourceDescriptor` and `texunit.TextureObjectOptions`, whose keywords are
//! those of `cuda.core`.

use crate::array::InputArray;
use crate::error::{OrRaise, value_error};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};
use std::sync::Arc;
use texunit_forms::Count;
use texunit_memory::Block;
use texunit_sample::{OPTIONS, SampleError};
use texunit_texel::Format;
use texunit_unit::Resource;

type Object<'py> = Bound<'py, PyAny>;

/// Adds the settings of a `TextureObjectOptions`, or of any object or mapping with its names, to
/// the keywords.
pub(crate) fn merge(keywords: &Bound<'_, PyDict>, options: &Object<'_>) -> PyResult<()> {
    // The keyword has no effect, because trilinear filtering is always exact here.
    let exact = ("disable_trilinear_optimization", "", "");
    let mut found = false;
    for (word, short, _) in OPTIONS.into_iter().chain([exact]) {
        let value = match options.cast::<PyMapping>() {
            Ok(mapping) if mapping.contains(word)? => Some(mapping.get_item(word)?),
            Ok(_) => None,
            Err(_) => options.getattr_opt(word)?,
        };
        let Some(value) = value.filter(|value| !value.is_none()) else { continue };
        found = true;
        for given in [word, short] {
            if keywords.contains(given)? {
                return Err(PyTypeError::new_err(format!("{given}: the options have it, too")));
            }
        }
        if word != exact.0 {
            keywords.set_item(word, value)?;
        }
    }
    if !found {
        let name = options.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "options: a TextureObjectOptions is expected, not {name}"
        )));
    }
    if let Ok(mapping) = options.cast::<PyMapping>() {
        for key in mapping.keys()? {
            let word: String = key.extract()?;
            if OPTIONS.into_iter().chain([exact]).all(|row| row.0 != word) {
                return Err(PyTypeError::new_err(format!(
                    "options: `{word}` is not one of TextureObjectOptions"
                )));
            }
        }
    }
    Ok(())
}

/// The texels that a `ResourceDescriptor` refers to.
pub(crate) enum Described<'py> {
    /// Texels in an array, or in a list of arrays for mip levels.
    Array(Object<'py>),
    /// Texels in linear or pitched memory.
    Memory(Resource),
}

/// The texels of a `ResourceDescriptor`; `None` for any other object.
pub(crate) fn described<'py>(object: &Object<'py>) -> PyResult<Option<Described<'py>>> {
    let Some(parts) = object.getattr_opt("_parts")? else { return Ok(None) };
    let (kind, source, format, [width, height], pitch): (
        String,
        Object<'py>,
        Option<String>,
        [u32; 2],
        u64,
    ) = parts.call0()?.extract()?;
    let Some(format) = format else { return Ok(Some(Described::Array(source))) };
    let format = Format::from_name(&format).ok_or_else(|| {
        PyValueError::new_err(format!("format: textures of memory have no texels of {format}"))
    })?;
    let held = InputArray::of("buffer", &source)?;
    let input = held.input()?;
    if !input.is_contiguous() {
        return Err(PyValueError::new_err("buffer: it has to be contiguous, as memory is"));
    }
    let bytes = input.bytes();
    let row = u64::from(width) * u64::from(format.texel_size());
    let (pitch, needed) = match kind.as_str() {
        "linear" => (row, row),
        _ => (pitch, pitch.saturating_mul(u64::from(height.saturating_sub(1))).saturating_add(row)),
    };
    if needed > bytes.len() as u64 {
        return Err(PyValueError::new_err(format!(
            "buffer: it has {}, but the texels take {needed}",
            Count(bytes.len(), "byte")
        )));
    }
    // Rows are copied with their padding, but the last row may end before its pitch.
    let size = pitch.saturating_mul(u64::from(height.max(1))).max(1);
    let block = usize::try_from(size).ok().and_then(|size| Block::new(size, "texture"));
    let block =
        Arc::new(block.ok_or_else(|| PyValueError::new_err("there is not so much memory"))?);
    block.write(0, &bytes[..needed as usize]).map_err(|_| value_error("internal error: a copy"))?;
    let resource = match kind.as_str() {
        "linear" => Resource::linear(format, width, block, 0, 0, "texture"),
        _ => Resource::pitched(format, width, height, pitch, block, 0, 0, "texture"),
    };
    Ok(Some(Described::Memory(resource.map_err(SampleError::from).or_raise()?)))
}
