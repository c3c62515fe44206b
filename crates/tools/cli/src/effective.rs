//! `--effective`: how the fetches of a kernel use the textures of a job, including settings that
//! have no effect.

use serde_json::{Value, json};
use std::fmt::Write;
use texunit_device::{
    BoundTexture, CompareFunction, Effective, EffectiveSampler, FetchForm, Filter, HandleSource,
    Kernel, Override,
};
use texunit_job::Bound;
use texunit_report::CodeLocation;
use texunit_syntax::SourceFile;
use texunit_unit::compatible_geometry;

/// An instruction with one texture that it can read.
#[derive(Clone, Debug)]
pub struct Line {
    /// Line in the PTX.
    pub line: u32,
    /// Position in the source, if the PTX has line information.
    pub from: Option<String>,
    /// The instruction.
    pub form: FetchForm,
    /// The parameter or reference with the texture.
    pub texture: String,
    /// The parameter or reference with the sampler, in independent texturing mode.
    pub sampler: Option<String>,
    /// The effective state.
    pub effective: Effective,
}

/// A named texture or sampler.
type Named<T> = (String, T);

/// Every fetch of a kernel, combined with every texture and sampler that it can use.
pub(crate) fn lines(kernel: &Kernel, bound: &Bound) -> Vec<Line> {
    let module = kernel.module();
    let mut lines = Vec::new();
    for site in kernel.fetch_sites() {
        let place = CodeLocation::new(module.sources(), module.source(), site.span);
        let (line, from) = (place.ptx.line, place.source().map(ToString::to_string));
        let form = site.form;
        let fits = |t: &BoundTexture| compatible_geometry(form, &t.texture.resource);
        let textures =
            usable(&site.texture, |name| module.bound_texture(name), bound.textures(), fits);
        for (texture, state) in textures {
            let Some(sampler) = &site.sampler else {
                let effective = state.effective(form);
                let from = from.clone();
                lines.push(Line { line, from, form, texture, sampler: None, effective });
                continue;
            };
            let samplers =
                usable(sampler, |name| module.bound_sampler(name), bound.samplers(), |_| true);
            for (name, sampler) in samplers {
                let effective = state.with_sampler(&sampler).effective(form);
                let (texture, from) = (texture.clone(), from.clone());
                lines.push(Line { line, from, form, texture, sampler: Some(name), effective });
            }
        }
    }
    lines
}

/// The textures or samplers that an instruction can use: the one that it names, or all that fit.
fn usable<T>(
    source: &HandleSource,
    of_reference: impl Fn(&str) -> Option<T>,
    arguments: Vec<Named<T>>,
    fits: impl Fn(&T) -> bool,
) -> Vec<Named<T>> {
    let arguments = arguments.into_iter();
    match source {
        HandleSource::Reference(name) => {
            of_reference(name).map(|found| (name.clone(), found)).into_iter().collect()
        }
        HandleSource::Parameter(name) => arguments.filter(|(known, _)| known == name).collect(),
        HandleSource::Register => arguments.filter(|(_, argument)| fits(argument)).collect(),
    }
}

/// A level as a decimal number; multiples of 1/256 are exact.
fn level(level: i64) -> f64 {
    level as f64 / 256.0
}

/// The names of the address modes, one for each axis.
fn modes(form: FetchForm, state: &EffectiveSampler) -> Option<Vec<&'static str>> {
    let modes = state.address_mode?;
    Some(modes[..form.geometry.axes()].iter().map(|mode| mode.name()).collect())
}

/// The sampler state that takes effect in an instruction, as JSON.
pub(crate) fn state(form: FetchForm, state: &EffectiveSampler) -> Value {
    json!({
        "coordinates": state.coords.name(),
        "filter": state.filter.name(),
        "mip_filter": state.mip_filter.map(Filter::name),
        "address": modes(form, state),
        "level_clamp": state.level_clamp.map(level),
        "max_anisotropy": state.max_anisotropy,
        "srgb": state.srgb,
        "seamless_cube": state.seamless_cube,
        "compare": state.compare.map(CompareFunction::name),
    })
}

/// The settings that have another effect or none, as JSON.
pub(crate) fn overrides(all: &[Override]) -> Value {
    all.iter().map(|o| json!({ "rule": o.rule, "text": o.text })).collect()
}

impl Line {
    /// Formats as text, with the name of the PTX file.
    fn text(&self, file: &str) -> String {
        let Self { line, from, form, texture, sampler, effective } = self;
        let from = from.as_ref().map_or_else(String::new, |from| format!(" ({from})"));
        let mut text = format!("{file}:{line}{from}: {form} of `{texture}`");
        if let Some(sampler) = sampler {
            let _ = write!(text, " by `{sampler}`");
        }
        if let Some(reason) = &effective.refused {
            return format!("{text}: refused: {reason}\n");
        }
        let state = &effective.sampler;
        let _ = write!(text, ": {} coordinates", state.coords.name());
        let _ = write!(text, ", filter {}", state.filter.name());
        if let Some(modes) = modes(*form, state) {
            let _ = write!(text, ", address {}", modes.join(", "));
        }
        if let Some(mip_filter) = state.mip_filter {
            let [least, most] = state.level_clamp.map(level);
            let _ = write!(text, ", mip filter {}, levels {least} to {most}", mip_filter.name());
        }
        if state.max_anisotropy > 1 {
            let _ = write!(text, ", anisotropy {}", state.max_anisotropy);
        }
        for (word, acts) in [("sRGB", state.srgb), ("seamless", state.seamless_cube)] {
            if acts {
                let _ = write!(text, ", {word}");
            }
        }
        if let Some(compare) = state.compare {
            let _ = write!(text, ", compare {}", compare.name());
        }
        text.push('\n');
        for change in &effective.overrides {
            let _ = writeln!(text, "    {}: {}", change.rule, change.text);
        }
        text
    }

    /// As a member of the report.
    fn json(&self) -> Value {
        let Self { line, from, form, texture, sampler, effective } = self;
        let mut value = state(*form, &effective.sampler);
        value["line"] = json!(line);
        value["source"] = json!(from);
        value["instruction"] = json!(form.to_string());
        value["texture"] = json!(texture);
        value["sampler"] = json!(sampler);
        value["overrides"] = overrides(&effective.overrides);
        value["refused"] = json!(effective.refused);
        value
    }
}

/// All lines as text.
pub fn text(lines: &[Line], source: Option<&SourceFile>) -> String {
    let file = source.map_or("", SourceFile::name);
    let mut text: String = lines.iter().map(|line| line.text(file)).collect();
    if lines.is_empty() {
        text += "the kernel does not fetch from any texture of the job\n";
    }
    text
}

/// All lines as a value.
pub fn json(lines: &[Line]) -> Value {
    Value::Array(lines.iter().map(Line::json).collect())
}
