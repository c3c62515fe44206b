//! Converts an explanation of a fetch, with its trace, to one JSON object.

use crate::text::{weight_sum, without_rounding};
use crate::value::{FACES, registers};
use crate::{Explanation, KnownResult, Source};
use serde_json::{Value, json as object};
use texunit_unit::reference::trace::{AxisTrace, ChannelTrace, Footprint, Step, TexelTrace, Trace};
use texunit_unit::{AddressMode, CompareFunction, FetchKind, Filter, Lod};

pub(crate) fn json(e: &Explanation<'_>) -> Value {
    let trace = &e.trace;
    object!({
        "instruction": trace.form.to_string(),
        "from": e.place,
        "operands": operands(trace),
        "texture": e.texture.resource.describe(),
        "sampler": effective(trace),
        "overrides": e.overrides.iter()
            .map(|o| object!({ "rule": o.rule, "text": o.text }))
            .collect::<Vec<_>>(),
        "cube": trace.cube.as_ref().map(|c| object!({
            "direction": c.direction.map(|x| hex(x.to_bits())),
            "face": c.face,
            "face_name": FACES[c.face as usize % 6],
            "sc": number(c.sc),
            "tc": number(c.tc),
            "ma": number(c.ma),
            "s": hex(c.s.to_bits()),
            "t": hex(c.t.to_bits()),
        })),
        "level": object!({
            "q": trace.level.q,
            "steps": steps(&trace.level.steps),
            "levels": trace.level.levels.iter()
                .map(|(level, share)| object!({ "level": level, "share": share }))
                .collect::<Vec<_>>(),
        }),
        "footprints": trace.footprints.iter().map(footprint).collect::<Vec<_>>(),
        "channels": (0..).zip(&trace.channels).map(|(n, c)| channel(trace, n, c)).collect::<Vec<_>>(),
        "result": words(e, trace.answer.values),
        "resident": trace.answer.resident,
        "known": e.known.map(|k| known(e, k)),
    })
}

fn words(e: &Explanation<'_>, values: [u32; 4]) -> Vec<String> {
    values.iter().take(registers(e.trace.form.result)).map(|&v| hex(v)).collect()
}

fn known(e: &Explanation<'_>, known: KnownResult) -> Value {
    object!({
        "from": match known.from {
            Source::Case => "case",
            Source::Launch => "launch",
        },
        "values": words(e, known.values),
        "resident": known.resident,
        "agrees": e.agrees(),
    })
}

pub(crate) fn hex(bits: u32) -> String {
    format!("{bits:08x}")
}

/// Floats as JSON values; infinities and NaNs, which JSON lacks, are strings.
fn number(x: f32) -> Value {
    if x.is_finite() { object!(x) } else { object!(x.to_string()) }
}

fn operands(trace: &Trace) -> Value {
    let (form, o) = (&trace.form, &trace.operands);
    let level = form.kind == FetchKind::Sample(Lod::Level);
    let gradient = form.kind == FetchKind::Sample(Lod::Gradient);
    let (axes, gradients) = (form.geometry.axes(), form.geometry.gradients());
    let bits = |words: &[u32]| words.iter().map(|&w| hex(w)).collect::<Vec<_>>();
    object!({
        "coords": o.coords.vector(form.geometry).map(|&w| hex(w)).collect::<Vec<_>>(),
        "level": level.then(|| hex(o.level)),
        "dpdx": gradient.then(|| bits(&o.dpdx[..gradients])),
        "dpdy": gradient.then(|| bits(&o.dpdy[..gradients])),
        "offset": form.offset.then(|| o.offset[..axes].to_vec()),
        "compare": form.compare.then(|| hex(o.compare)),
    })
}

fn effective(trace: &Trace) -> Value {
    let e = &trace.effective;
    object!({
        "coords": e.coords.name(),
        "filter": e.filter.name(),
        "mip_filter": e.mip_filter.map(Filter::name),
        "address_mode": e.address_mode
            .map(|modes| modes[..trace.form.geometry.axes()].iter().map(|m| m.name()).collect::<Vec<_>>()),
        "level_clamp": e.level_clamp,
        "max_anisotropy": e.max_anisotropy,
        "srgb": e.srgb,
        "seamless_cube": e.seamless_cube,
        "compare": e.compare.map(CompareFunction::name),
    })
}

fn steps(steps: &[Step]) -> Value {
    steps.iter().map(|s| object!({ "rule": s.rule, "text": s.text })).collect()
}

fn footprint(f: &Footprint) -> Value {
    object!({
        "level": f.level,
        "extent": f.extent.axes(),
        "plane": f.plane,
        "sample": f.sample,
        "tap": f.tap.0,
        "taps": f.tap.1,
        "share": f.share,
        "whole": weight_sum(f),
        "axes": f.axes.iter().map(axis).collect::<Vec<_>>(),
        "texels": f.texels.iter().map(texel).collect::<Vec<_>>(),
    })
}

fn axis(a: &AxisTrace) -> Value {
    object!({
        "coordinate": hex(a.coordinate),
        "texels": a.texels,
        "index": a.index,
        "upper": a.upper,
        "exact": a.exact,
        "mode": a.mode.map(AddressMode::name),
    })
}

fn texel(t: &TexelTrace) -> Value {
    object!({
        "corner": t.corner,
        "index": t.index,
        "at": t.at.map(|at| object!({
            "level": at.level,
            "plane": at.plane,
            "sample": at.sample,
            "at": at.at,
        })),
        "codes": t.codes,
        "values": t.values.map(hex),
        "weight": t.weight,
        "exact": t.exact,
        "resident": t.resident,
        "compared": t.compared,
    })
}

fn channel(trace: &Trace, component: usize, c: &ChannelTrace) -> Value {
    let unrounded = without_rounding(trace, component);
    object!({ "steps": steps(&c.steps), "result": hex(c.result), "unrounded": unrounded })
}
