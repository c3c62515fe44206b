//! Writes an explanation of a fetch as text: operands, state, level, footprints, texels and result.

use crate::value::{
    COMPONENTS, channel, coordinate, coordinates, face, float, list, registers, results, unrounded,
};
use crate::{Explanation, KnownResult, Source};
use std::fmt::{Result, Write};
use texunit_texel::Reading;
use texunit_unit::reference::number::real;
use texunit_unit::reference::trace::{AxisTrace, Footprint, Step, TexelTrace, Trace};
use texunit_unit::{FetchKind, Lod, ResultType};

pub(crate) fn text(explanation: &Explanation<'_>) -> String {
    let mut out = String::new();
    // The result is ignored, because writing to a `String` cannot fail.
    let _ = write_all(&mut out, explanation);
    out
}

fn write_all(out: &mut String, e: &Explanation<'_>) -> Result {
    let trace = &e.trace;
    writeln!(out, "{}", headline(trace))?;
    if let Some(place) = &e.place {
        writeln!(out, "{place}")?;
    }
    writeln!(out, "\ntexture: {}", e.texture.resource.describe())?;
    writeln!(out, "sampler: {}", effective(e))?;
    for o in &e.overrides {
        writeln!(out, "  [{}] {}", o.rule, o.text)?;
    }
    if let Some(cube) = &trace.cube {
        let direction = list(cube.direction.map(|c| float(c.to_bits())));
        writeln!(out, "\nface {} ({}) of direction ({direction})", cube.face, face(cube.face))?;
        let [sc, tc, ma, s, t] =
            [cube.sc, cube.tc, cube.ma, cube.s, cube.t].map(|c| float(c.to_bits()));
        writeln!(out, "  [7.2] products sc = {sc}, tc = {tc}, largest {ma}: s = {s}, t = {t}")?;
    }
    level(out, trace)?;
    for footprint in &trace.footprints {
        write_footprint(out, trace, footprint)?;
    }
    result(out, trace)?;
    e.known.map_or(Ok(()), |known| write_known(out, e, known))
}

/// The instruction with its operands, as a heading.
pub(crate) fn headline(trace: &Trace) -> String {
    let (form, operands) = (&trace.form, &trace.operands);
    let mut text = format!("{form} at {}", coordinates(form, &operands.coords));
    let gradient =
        |bits: [u32; 3]| list(bits.iter().take(form.geometry.gradients()).map(|&b| float(b)));
    match form.kind {
        FetchKind::Sample(Lod::Level) => {
            text += &format!(", level {}", coordinate(form.coord, operands.level));
        }
        FetchKind::Sample(Lod::Gradient) => {
            let (x, y) = (gradient(operands.dpdx), gradient(operands.dpdy));
            text += &format!(", dPdx ({x}), dPdy ({y})");
        }
        _ => {}
    }
    if form.offset {
        let offset = list(operands.offset.iter().take(form.geometry.axes()));
        text += &format!(", offset ({offset})");
    }
    if form.compare {
        text += &format!(", compare {}", float(operands.compare));
    }
    text
}

/// The effective state of texture and sampler, in one line.
pub(crate) fn effective(explanation: &Explanation<'_>) -> String {
    let trace = &explanation.trace;
    let e = &trace.effective;
    let mut text = format!("{} coordinates", e.coords.name());
    if !matches!(trace.form.kind, FetchKind::Gather(_)) {
        text += &format!(", {}", e.filter.name());
    }
    if let Some(mip) = e.mip_filter {
        text += &format!(", mip {}", mip.name());
    }
    let bias = explanation.sampler.level_bias;
    if e.mip_filter.is_some() && bias != 0.0 {
        text += &format!(", level bias {}", float(bias.to_bits()));
    }
    if let Some(modes) = e.address_mode
        && !e.seamless_cube
    {
        let modes: Vec<&str> =
            modes.iter().take(trace.form.geometry.axes()).map(|m| m.name()).collect();
        text += &format!(", {}", modes.join(" / "));
    }
    if e.max_anisotropy > 1 {
        text += &format!(", anisotropy {}", e.max_anisotropy);
    }
    for (on, word) in [(e.srgb, "sRGB"), (e.seamless_cube, "seamless")] {
        if on {
            text += &format!(", {word}");
        }
    }
    if let Some(function) = e.compare {
        text += &format!(", reference {} texel", function.name());
    }
    text
}

fn steps(out: &mut String, steps: &[Step]) -> Result {
    steps.iter().try_for_each(|step| writeln!(out, "  [{}] {}", step.rule, step.text))
}

fn level(out: &mut String, trace: &Trace) -> Result {
    // For a texture without mip levels, the computation of the level is explained only if the level
    // comes from gradients.
    if trace.effective.mip_filter.is_none() && trace.level.steps.len() < 2 {
        return Ok(());
    }
    let q = trace.level.q;
    writeln!(out, "\nlevel {} ({q}/256)", q as f64 / 256.0)?;
    steps(out, &trace.level.steps)
}

/// The title of a footprint: `level 1 of 8 x 8 texels, layer 2, share 64/256`.
pub(crate) fn footprint_title(trace: &Trace, f: &Footprint) -> String {
    let g = trace.form.geometry;
    let size: Vec<String> = f.extent.axes()[..g.axes()].iter().map(u32::to_string).collect();
    let noun = if size == ["1"] { "texel" } else { "texels" };
    let mut text = format!("level {} of {} {noun}", f.level, size.join(" x "));
    if g.is_cube() {
        if g.is_array() {
            text += &format!(", cube {}", f.plane / 6);
        }
        text += &format!(", face {}", face(f.plane));
    } else if g.is_array() {
        text += &format!(", layer {}", f.plane);
    }
    if g.is_multisample() {
        text += &format!(", sample {}", f.sample);
    }
    let weight = format!("{}/{}", f.share, weight_sum(f));
    if f.tap.1 > 1 {
        text += &format!(", tap {} of weight {weight}", f.tap.0);
    } else if f.share != weight_sum(f) {
        text += &format!(", share {weight}");
    }
    text
}

/// The sum of all weights of a fetch: 256, or more for a fetch with taps.
pub(crate) fn weight_sum(f: &Footprint) -> u32 {
    256 << f.scale
}

fn write_footprint(out: &mut String, trace: &Trace, f: &Footprint) -> Result {
    writeln!(out, "\nfootprint: {}", footprint_title(trace, f))?;
    for (name, axis) in ["x", "y", "z"].iter().zip(&f.axes) {
        writeln!(out, "  {name}: {}", axis_line(trace, axis))?;
    }
    for (n, texel) in f.texels.iter().enumerate() {
        writeln!(out, "  {}", texel_line(trace, f, texel, n))?;
    }
    if f.texels.is_empty() {
        writeln!(out, "  no texel is read")?;
    }
    Ok(())
}

/// Whether the texels of a footprint are summed with weights, which is not so for single texels and
/// gathers.
pub(crate) fn is_weighted(trace: &Trace, f: &Footprint) -> bool {
    !matches!(trace.form.kind, FetchKind::Gather(_))
        && (f.texels.len() > 1 || f.axes.iter().any(|a| a.upper != 0 || a.exact != 0.0))
}

fn axis_line(trace: &Trace, axis: &AxisTrace) -> String {
    let value = coordinate(trace.form.coord, axis.coordinate);
    let Some(address_mode) = axis.mode else {
        return format!("{value}: texel {}", axis.index);
    };
    let mut text = format!("{value} -> texel coordinate {}", real(axis.texels));
    let (lower, upper) = (axis.index, axis.index + 1);
    if matches!(trace.form.kind, FetchKind::Gather(_)) {
        text += &format!("; texels {lower} and {upper}");
    } else if trace.effective.filter == texunit_unit::Filter::Point {
        text += &format!("; texel {lower}");
    } else {
        let (weight, exact) = (axis.upper, unrounded(axis.exact, 256));
        text += &format!("; texels {lower} and {upper}, weight of the upper one ");
        text += &format!("{weight}/256 ({exact})");
    }
    if trace.effective.seamless_cube { text } else { format!("{text}, {}", address_mode.name()) }
}

/// The line that describes a texel: location, weight, codes and values.
pub(crate) fn texel_line(trace: &Trace, f: &Footprint, texel: &TexelTrace, n: usize) -> String {
    let axes = trace.form.geometry.axes();
    let mut text = format!("({})", list(&texel.index[..axes]));
    if let FetchKind::Gather(_) = trace.form.kind {
        text = format!("{}: {text}", COMPONENTS[n % 4]);
    }
    text += &whereabouts(trace, f, texel).map_or_else(String::new, |w| format!(" {w}"));
    if is_weighted(trace, f) {
        let exact = unrounded(texel.exact, weight_sum(f));
        text += &format!(": {}/{} ({exact})", texel.weight, weight_sum(f));
    }
    let (codes, values) = codes_and_values(trace, texel.codes, texel.values);
    if codes.is_empty() {
        text += ", no channel";
    } else {
        text += &format!(", codes {codes} = {values}");
    }
    if let Some(passed) = texel.compared {
        text += if passed { ", passes the compare" } else { ", fails the compare" };
    }
    if !texel.resident {
        text += ", NOT RESIDENT";
    }
    text
}

/// How the address mode or the edge of a face changed a texel's index; `None` if unchanged.
pub(crate) fn whereabouts(trace: &Trace, f: &Footprint, texel: &TexelTrace) -> Option<String> {
    let axes = trace.form.geometry.axes();
    let Some(at) = texel.at else {
        let what = if trace.effective.address_mode.is_none() {
            "is outside"
        } else if trace.effective.seamless_cube {
            "is the mean of a corner"
        } else {
            "is the border colour"
        };
        return Some(what.to_owned());
    };
    let inside = at.at.map(i64::from);
    let moved = inside[..axes] != texel.index[..axes];
    let away = at.plane != f.plane;
    if !moved && !away {
        return None;
    }
    let mut text = format!("-> ({})", list(&inside[..axes]));
    if away {
        text += &format!(" on {}", face(at.plane));
    }
    Some(text)
}

/// Codes and values of a texel that is not read: `codes 24 b4 = 0.14117648 0.7058824`.
pub(crate) fn texel_value(trace: &Trace, codes: [u32; 4]) -> String {
    let values = std::array::from_fn(|c| trace.readings[c].point(codes[c]));
    match codes_and_values(trace, codes, values) {
        (codes, _) if codes.is_empty() => "no channel".to_owned(),
        (codes, values) => format!("codes {codes} = {values}"),
    }
}

/// Number of hexadecimal digits of a channel's code.
fn digits(reading: Reading) -> usize {
    let bits = match reading {
        Reading::Uint { bits }
        | Reading::Sint { bits }
        | Reading::Unorm { bits }
        | Reading::Snorm { bits } => bits,
        Reading::Srgb => 8,
        Reading::F16 => 16,
        Reading::F32 => 32,
        Reading::Missing | Reading::One => 1,
    };
    usize::from(bits).div_ceil(4)
}

/// The channel codes in hexadecimal, and the values of the channels, both only for the channels
/// that the format has.
fn codes_and_values(trace: &Trace, code: [u32; 4], bits: [u32; 4]) -> (String, String) {
    let (mut codes, mut values) = (Vec::new(), Vec::new());
    for (c, &reading) in trace.readings.iter().enumerate() {
        if let Some(value) = channel(reading, bits[c]) {
            if reading != Reading::One {
                let digits = digits(reading);
                codes.push(format!("{:0digits$x}", code[c]));
            }
            values.push(value);
        }
    }
    (codes.join(" "), values.join(" "))
}

fn result(out: &mut String, trace: &Trace) -> Result {
    writeln!(out, "\nresult")?;
    for (name, channel) in COMPONENTS.iter().zip(&trace.channels) {
        for step in &channel.steps {
            writeln!(out, "  {name} [{}] {}", step.rule, step.text)?;
        }
    }
    for (n, (name, bits, value)) in
        results(trace.form.result, trace.answer.values).into_iter().enumerate()
    {
        write!(out, "  {name} = {bits:08x} ({value})")?;
        let exact = without_rounding(trace, n);
        if let Some(exact) = exact.filter(|&exact| (exact as f32).to_bits() != bits) {
            let apart = f64::from(f32::from_bits(bits)) - exact;
            write!(out, "; with unrounded weights {exact:.8}, {apart:+.1e} apart")?;
        }
        writeln!(out)?;
    }
    if !trace.answer.resident {
        writeln!(out, "  not all texels are resident: the predicate is false")?;
    }
    Ok(())
}

/// A component of the result, computed with exact weights in f64; its difference from the result is
/// the error of the 8-bit weights. The shares of levels are the hardware's. `None` if the component
/// is not a weighted sum of the displayed values.
pub(crate) fn without_rounding(trace: &Trace, component: usize) -> Option<f64> {
    let sums = trace.footprints.iter().any(|footprint| is_weighted(trace, footprint))
        && trace.form.result == ResultType::F32;
    let reading = *trace.readings.get(component)?;
    let shown = reading.can_filter() && !matches!(reading, Reading::Missing | Reading::One);
    let resident = trace.answer.resident;
    if !sums || !shown || !resident || trace.effective.compare.is_some() {
        return None;
    }
    let texels = || trace.footprints.iter().flat_map(|footprint| &footprint.texels);
    let all: f64 = texels().map(|t| t.exact).sum();
    let value = |bits: u32| f64::from(f32::from_bits(bits));
    let sum: f64 = texels().map(|t| t.exact * value(t.values[component])).sum();
    ((all - 1.0).abs() < 1e-9 && sum.is_finite()).then_some(sum)
}

fn write_known(out: &mut String, e: &Explanation<'_>, known: KnownResult) -> Result {
    let words = match (known.from, e.agrees() == Some(true)) {
        (Source::Case, true) => return writeln!(out, "as the case expects"),
        (Source::Launch, true) => return writeln!(out, "matches what the kernel received"),
        (Source::Case, false) => "DISAGREES with the case, which expects",
        (Source::Launch, false) => "the kernel got something else, as the texels have changed:",
    };
    let n = registers(e.trace.form.result);
    let values: Vec<String> = known.values[..n].iter().map(|v| format!("{v:08x}")).collect();
    write!(out, "{words} {}", values.join(" "))?;
    match known.resident {
        Some(resident) => writeln!(out, ", resident {resident}"),
        None => writeln!(out),
    }
}
