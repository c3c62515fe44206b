//! An explanation as text.

use crate::value::{FACES, coordinates, float, mode, register};
use crate::Explanation;
use std::fmt::Write;
use texunit_unit::reference::trace::{AxisTrace, Footprint, Step, TexelTrace, Trace};
use texunit_unit::{FetchKind, Filter, Lod, ResultType};

/// The explanation as text of several lines, rule numbers of docs/numerics.md in brackets.
pub fn text(explanation: &Explanation<'_>) -> String {
    let mut out = String::new();
    // Writing to a `String` cannot fail.
    let _ = write_all(&mut out, explanation);
    out
}

fn write_all(out: &mut String, e: &Explanation<'_>) -> std::fmt::Result {
    let trace = &e.trace;
    writeln!(out, "{}", headline(trace))?;
    if let Some(place) = &e.place {
        writeln!(out, "from {place}")?;
    }
    writeln!(out, "\ntexture: {}", e.texture.resource.describe())?;
    writeln!(out, "sampler: {}", effective(trace))?;
    for o in &e.overrides {
        writeln!(out, "  [{}] {}", o.rule, o.text)?;
    }
    if let Some(cube) = &trace.cube {
        let [x, y, z] = cube.direction.map(|c| float(c.to_bits()));
        let (face, name) = (cube.face, FACES[cube.face as usize % 6]);
        writeln!(out, "\nface {face} ({name}) of direction ({x}, {y}, {z})")?;
        let [sc, tc, ma, s, t] =
            [cube.sc, cube.tc, cube.ma, cube.s, cube.t].map(|c| float(c.to_bits()));
        writeln!(out, "  [7] sc = {sc}, tc = {tc}, ma = {ma}: s = {s}, t = {t}")?;
    }
    level(out, trace)?;
    for footprint in &trace.footprints {
        write_footprint(out, trace, footprint)?;
    }
    channels(out, trace)?;
    if let Some(expected) = e.expected {
        let same = expected.values == trace.answer.values;
        let [x, y, z, w] = expected.values;
        let word = if same { "as expected" } else { "EXPECTED" };
        writeln!(out, "{word}: {x:08x} {y:08x} {z:08x} {w:08x}")?;
    }
    Ok(())
}

/// The instruction with its operands.
pub(crate) fn headline(trace: &Trace) -> String {
    let (form, operands) = (&trace.form, &trace.operands);
    let mut text = format!("{form} at {}", coordinates(form, operands.coords));
    let list = |bits: [u32; 3]| {
        let parts: Vec<String> =
            bits.iter().take(form.geometry.gradients()).map(|&b| float(b)).collect();
        parts.join(", ")
    };
    match form.kind {
        FetchKind::Sample(Lod::Level) => {
            let level = crate::value::coordinate(form.coord, operands.level);
            let _ = write!(text, ", level {level}");
        }
        FetchKind::Sample(Lod::Gradient) => {
            let _ =
                write!(text, ", dPdx ({}), dPdy ({})", list(operands.dpdx), list(operands.dpdy));
        }
        _ => {}
    }
    if form.offset {
        let offset: Vec<String> =
            operands.offset.iter().take(form.geometry.axes()).map(i32::to_string).collect();
        let _ = write!(text, ", offset ({})", offset.join(", "));
    }
    if form.compare {
        let _ = write!(text, ", compare {}", float(operands.compare));
    }
    text
}

/// What texture and sampler come to, in one line.
fn effective(trace: &Trace) -> String {
    let e = &trace.effective;
    let filter = |f| if f == Filter::Linear { "linear" } else { "point" };
    let mut text = format!("{} coordinates, {}", coords_word(trace), filter(e.filter));
    if let Some(mip) = e.mip_filter {
        let _ = write!(text, ", mip {}", filter(mip));
    }
    if let Some(modes) = e.address_mode {
        let modes: Vec<&str> =
            modes.iter().take(trace.form.geometry.axes()).map(|&m| mode(m)).collect();
        let _ = write!(text, ", {}", modes.join(" / "));
    }
    if e.max_anisotropy > 1 {
        let _ = write!(text, ", anisotropy {}", e.max_anisotropy);
    }
    for (on, word) in [(e.srgb, "sRGB"), (e.seamless_cube, "seamless")] {
        if on {
            let _ = write!(text, ", {word}");
        }
    }
    if let Some(compare) = e.compare {
        let _ = write!(text, ", compare {compare:?}");
    }
    text
}

fn coords_word(trace: &Trace) -> &'static str {
    match trace.effective.coords {
        texunit_unit::Coords::Integer => "integer",
        texunit_unit::Coords::Unnormalized => "unnormalized",
        texunit_unit::Coords::Normalized => "normalized",
    }
}

fn steps(out: &mut String, steps: &[Step]) -> std::fmt::Result {
    steps.iter().try_for_each(|step| writeln!(out, "  [{}] {}", step.rule, step.text))
}

fn level(out: &mut String, trace: &Trace) -> std::fmt::Result {
    if trace.effective.mip_filter.is_none() && trace.level.steps.is_empty() {
        return Ok(());
    }
    let q = trace.level.q;
    writeln!(out, "\nlevel {} ({q}/256)", q as f64 / 256.0)?;
    steps(out, &trace.level.steps)?;
    let shares: Vec<String> =
        trace.level.levels.iter().map(|(n, share)| format!("level {n} counts {share}")).collect();
    writeln!(out, "  of 256: {}", shares.join(", "))
}

fn write_footprint(out: &mut String, trace: &Trace, f: &Footprint) -> std::fmt::Result {
    let [w, h, d] = f.extent.axes();
    let size = match trace.form.geometry.axes() {
        1 => w.to_string(),
        2 => format!("{w} x {h}"),
        _ => format!("{w} x {h} x {d}"),
    };
    write!(out, "\nfootprint: level {} of {size} texels", f.level)?;
    let g = trace.form.geometry;
    if g.is_cube() {
        write!(out, ", cube {}, face {}", f.plane / 6, FACES[f.plane as usize % 6])?;
    } else if g.is_array() {
        write!(out, ", layer {}", f.plane)?;
    }
    if g.is_multisample() {
        write!(out, ", sample {}", f.sample)?;
    }
    if f.share != 256 {
        write!(out, ", share {}/256", f.share)?;
    }
    if f.tap.1 != 1024 {
        write!(out, ", tap {} of weight {}/1024", f.tap.0, f.tap.1)?;
    }
    writeln!(out)?;
    for (name, axis) in ["x", "y", "z"].iter().zip(&f.axes) {
        writeln!(out, "  {name}: {}", axis_line(trace, axis))?;
    }
    let gather = matches!(trace.form.kind, FetchKind::Gather(_));
    for texel in &f.texels {
        writeln!(out, "  {}", texel_line(trace, texel, gather))?;
    }
    if f.texels.is_empty() {
        writeln!(out, "  outside: no texel is read")?;
    }
    Ok(())
}

fn axis_line(trace: &Trace, axis: &AxisTrace) -> String {
    let coordinate = crate::value::coordinate(trace.form.coord, axis.coordinate);
    let mut text = format!("{coordinate} is {} texels", axis.texels);
    match axis.mode {
        None => {}
        Some(_) if trace.effective.filter == Filter::Point && axis.upper == 0 => {
            let _ = write!(text, ", texel {}", axis.index);
        }
        Some(_) => {
            let (lower, upper) = (axis.index, axis.index + 1);
            let weight = axis.upper;
            let _ = write!(
                text,
                ", texels {lower} and {upper}: the upper counts {weight}/256 (exactly {:.6})",
                axis.exact
            );
        }
    }
    if let Some(m) = axis.mode {
        let _ = write!(text, ", {}", mode(m));
    }
    text
}

fn texel_line(trace: &Trace, texel: &TexelTrace, gather: bool) -> String {
    let axes = trace.form.geometry.axes();
    let join = |n: &[i64]| {
        n.iter().take(axes).map(i64::to_string).collect::<Vec<_>>().join(", ")
    };
    let mut text = format!("({})", join(&texel.index));
    match texel.at {
        Some(at) => {
            let inside = at.at.map(i64::from);
            if inside[..axes] != texel.index[..axes] {
                let _ = write!(text, " -> ({})", join(&inside));
            }
            let cube = trace.form.geometry.is_cube();
            if cube && trace.footprints.iter().all(|f| f.plane != at.plane) {
                let _ = write!(text, " on face {}", FACES[at.plane as usize % 6]);
            }
        }
        None if trace.effective.address_mode.is_none() => text += " is outside",
        None => text += " is the border colour",
    }
    if !gather {
        let _ = write!(text, ": weight {}/256 (exactly {:.6})", texel.weight, texel.exact);
    }
    let codes: Vec<String> = texel.codes.iter().map(|c| format!("{c:x}")).collect();
    let values: Vec<String> = texel.values.iter().map(|&v| float(v)).collect();
    let _ = write!(text, ", codes {} = {}", codes.join(" "), values.join(" "));
    if let Some(passed) = texel.compared {
        text += if passed { ", compares true" } else { ", compares false" };
    }
    if !texel.resident {
        text += ", NOT RESIDENT";
    }
    text
}

fn channels(out: &mut String, trace: &Trace) -> std::fmt::Result {
    let gather = matches!(trace.form.kind, FetchKind::Gather(_));
    writeln!(out, "\nresult{}", if gather { " (the texels of a gather)" } else { "" })?;
    for (name, channel) in ["x", "y", "z", "w"].iter().zip(&trace.channels) {
        for step in &channel.steps {
            writeln!(out, "  {name} [{}] {}", step.rule, step.text)?;
        }
    }
    let registers = if trace.form.result == ResultType::F16x2 { 2 } else { 4 };
    for (i, &bits) in trace.answer.values.iter().take(registers).enumerate() {
        let value = register(trace.form.result, bits);
        writeln!(out, "  {} = {bits:08x} ({value})", ["x", "y", "z", "w"][i])?;
    }
    if !trace.answer.resident {
        writeln!(out, "  not resident: every component is 0, the predicate is false")?;
    }
    Ok(())
}
