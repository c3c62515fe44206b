//! The trace of fetches and surface accesses (`TEXUNIT_TRACE=fetch`): one line for each, as they
//! happen. Lines of concurrent CTAs are interleaved.

use crate::module::{Function, Module};
use crate::prelude::*;
use std::fmt::Write;
use texunit_device::{Fault, Watch, Watched, WatchedFetch, WatchedSurface};
use texunit_report::CodeLocation;
use texunit_report::place::{function_name, shown_file};
use texunit_unit::{CoordType, Element, ResultType};

/// An observer that prints the fetches and accesses of a module's kernels.
pub(crate) fn watch(module: &Arc<Module>, kernel: &str) -> Watch {
    let (module, kernel) = (Arc::clone(module), function_name(kernel));
    // A kernel has few locations with many accesses each, so that their texts are cached.
    let places: Mutex<HashMap<u32, Arc<str>>> = Mutex::default();
    Watch::of_all(move |block, thread, access| {
        let place = {
            let mut places = lock(&places);
            let place = places.entry(access.span.start).or_insert_with(|| {
                let loaded = &module.loaded;
                CodeLocation::new(loaded.sources(), loaded.source(), access.span).with_ptx().into()
            });
            Arc::clone(place)
        };
        let ([bx, by, bz], [tx, ty, tz]) = (block, thread);
        let what = match &access.what {
            Watched::Fetch(fetch) => fetched(fetch),
            Watched::Surface(surface) => accessed(surface),
        };
        say(format_args!(
            "fetch {kernel} CTA ({bx}, {by}, {bz}) thread ({tx}, {ty}, {tz}) {place}: {what}"
        ));
    })
}

/// A kernel in a line of the trace, with its source location: `fill(int*) (fill.cu:4)`.
pub(crate) fn kernel(function: &Function) -> String {
    let (kernel, module) = (function.kernel.name(), function.kernel.module());
    let place = CodeLocation::of_function(module.sources(), module.source(), kernel);
    let name = function_name(kernel);
    let Some(place) = place else { return name };
    let column = place.column().map_or_else(String::new, |column| format!(":{column}"));
    format!("{name} ({}:{}{column})", shown_file(place.file()), place.line())
}

/// A fault in a line of the trace.
pub(crate) fn fault(function: &Function, fault: &Fault) -> String {
    let place = CodeLocation::of_fault(fault, function.kernel.module().source());
    format!(", fault: {} at {}", fault.kind.name(), place.with_ptx())
}

/// A fetch in a line of the trace: `tex.2d.v4.f32.f32 [name, {0.5, 0.5}] -> {1, 0, 0, 1}`.
fn fetched(fetch: &WatchedFetch) -> String {
    let form = fetch.form;
    let resource = &fetch.texture.resource;
    // Layer and sample index are always integers.
    let is_integer = |element: Element| element.is_index() || form.coord == CoordType::S32;
    let coordinate =
        |&element: &Element| number(*fetch.operands.coords.get(element), is_integer(element));
    let coords = list(form.geometry.elements().iter().map(coordinate));
    let mut text = format!("{form} [{}, {coords}]", name(resource.name()));
    if form.offset {
        let axes = form.geometry.axes();
        // The result is ignored, because writing to a string cannot fail.
        let _ =
            write!(text, ", {}", list(fetch.operands.offset[..axes].iter().map(i32::to_string)));
    }
    let values = fetch.values.iter().take(form.result.registers().into());
    let values = list(values.map(|&bits| value(bits, form.result)));
    let missing = if fetch.resident { "" } else { ", not resident" };
    let _ = write!(text, " -> {values}{missing}");
    text
}

fn number(bits: u32, integer: bool) -> String {
    match integer {
        true => bits.cast_signed().to_string(),
        false => f32::from_bits(bits).to_string(),
    }
}

fn value(bits: u32, result: ResultType) -> String {
    match result {
        ResultType::F32 => number(bits, false),
        ResultType::S32 => number(bits, true),
        ResultType::U32 => bits.to_string(),
        ResultType::F16 => format!("{bits:#06x}"),
        ResultType::F16x2 => format!("{bits:#010x}"),
    }
}

/// A surface access in a line of the trace: `suld.b.2d.trap [name, {16, 3}]: {0x1, 0x2}`, where x
/// counts bytes.
fn accessed(access: &WatchedSurface) -> String {
    let form = access.form;
    let coords = access.coords.vector(form.geometry);
    let coords = list(coords.map(|&c| c.cast_signed().to_string()));
    let values = match &access.outcome {
        Ok(values) => list(
            values.iter().take(form.kind.elements().1.into()).map(|value| format!("{value:#x}")),
        ),
        Err(fault) => fault.to_string(),
    };
    format!("{form} [{}, {coords}]: {values}", name(access.surface.resource.name()))
}

fn name(name: &str) -> &str {
    if name.is_empty() { "texture" } else { name }
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("{{{}}}", items.collect::<Vec<_>>().join(", "))
}
