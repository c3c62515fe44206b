//! Keywords of textures: the meaning of an array's axes, and the sampling state with the names of
//! `cuda.core`.

use crate::error::{OrRaise, unconverted};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use texunit_sample::{ArrayOptions, Mipmaps, Setting, TextureOptions};
use texunit_texel::Format;

/// Takes the keywords that describe the axes of an array.
pub(crate) fn array_options(keywords: Option<&Bound<'_, PyDict>>) -> PyResult<ArrayOptions> {
    let mut options = ArrayOptions::default();
    let Some(keywords) = keywords else { return Ok(options) };
    let take = |key: &str| -> PyResult<Option<Bound<'_, PyAny>>> {
        let value = keywords.get_item(key)?;
        if value.is_some() {
            keywords.del_item(key)?;
        }
        Ok(value.filter(|value| !value.is_none()))
    };
    if let Some(value) = take("dim")? {
        options.dim = Some(value.extract().map_err(|e| unconverted("dim", &value, &e))?);
    }
    for (key, to) in [
        ("layered", &mut options.layered),
        ("cube", &mut options.cube),
        ("multisample", &mut options.multisample),
    ] {
        if let Some(value) = take(key)? {
            *to = value.extract()?;
        }
    }
    if let Some(value) = take("format")? {
        let name: String = value.extract()?;
        options.format = Some(Format::from_name(&name).ok_or_else(|| {
            let all: Vec<&str> = Format::names().collect();
            PyValueError::new_err(format!("format: `{name}` is not one of {}", all.join(", ")))
        })?);
    }
    if let Some(value) = take("size")? {
        // The sizes have the order of array shapes, with x last.
        let size: Vec<u32> = value.extract().map_err(|e| unconverted("size", &value, &e))?;
        options.size = Some(size.into_iter().rev().collect());
    }
    if let Some(value) = take("mipmaps")? {
        options.mipmaps = if value.is_instance_of::<PyBool>() {
            if value.extract()? { Mipmaps::All } else { Mipmaps::Given }
        } else {
            let advice = "True, or how many levels; levels that are there are a list of arrays";
            let levels = value.extract().map_err(|e| unconverted("mipmaps", &value, &e));
            Mipmaps::Levels(levels.map_err(
                |e| match e.is_instance_of::<PyTypeError>(value.py()) {
                    true => PyTypeError::new_err(format!("mipmaps: {advice}")),
                    false => e,
                },
            )?)
        };
    }
    Ok(options)
}

/// Takes the keyword `copy`, which is `True`, `False` or `None`; the default is `True`.
pub(crate) fn copy_option(keywords: &Bound<'_, PyDict>) -> PyResult<Option<bool>> {
    let Some(value) = keywords.get_item("copy")? else { return Ok(Some(true)) };
    keywords.del_item("copy")?;
    value.extract().map_err(|_| PyTypeError::new_err("copy: True, False or None"))
}

/// The sampling state from the keywords that do not describe axes.
pub(crate) fn texture_options(keywords: Option<&Bound<'_, PyDict>>) -> PyResult<TextureOptions> {
    let mut settings = Vec::new();
    for (key, value) in keywords.into_iter().flatten() {
        if !value.is_none() {
            settings.push((key.extract::<String>()?, setting(&value)?));
        }
    }
    let settings = settings.iter().map(|(key, setting)| (key.as_str(), setting.clone()));
    TextureOptions::of(settings).or_raise()
}

fn setting(value: &Bound<'_, PyAny>) -> PyResult<Setting> {
    if value.is_instance_of::<PyBool>() {
        return Ok(Setting::Flag(value.extract()?));
    }
    if let Some(word) = word(value)? {
        return Ok(Setting::Words(vec![word]));
    }
    if value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>() {
        return Ok(Setting::Numbers(vec![value.extract()?]));
    }
    let items: Vec<Bound<'_, PyAny>> = match value.try_iter() {
        Ok(items) => items.collect::<PyResult<_>>()?,
        // A value that cannot be iterated is a NumPy scalar.
        Err(_) => return Ok(Setting::Numbers(vec![value.extract()?])),
    };
    let words: Vec<Option<String>> = items.iter().map(word).collect::<PyResult<_>>()?;
    if let Some(words) =
        words.into_iter().collect::<Option<Vec<_>>>().filter(|words| !words.is_empty())
    {
        return Ok(Setting::Words(words));
    }
    Ok(Setting::Numbers(items.iter().map(|item| item.extract()).collect::<PyResult<_>>()?))
}

/// The text of a string, or the name of an enum member such as `FilterMode.LINEAR` in `cuda.core`.
fn word(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if value.is_instance_of::<PyString>() {
        return Ok(Some(value.extract()?));
    }
    // Enum members have both attributes, and NumPy scalars lack `name`.
    if value.hasattr("name")? && value.hasattr("value")? {
        return Ok(value.getattr("name")?.extract().ok());
    }
    Ok(None)
}
