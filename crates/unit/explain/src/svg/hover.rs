//! Tooltips of texels: index, weight, value, and the applicable rules of docs/numerics.md.

use crate::text::{is_weighted, texel_line, texel_value, weight_sum};
use crate::value::list;
use texunit_unit::reference::trace::{Footprint, Trace};
use texunit_unit::{AddressMode, FetchKind, Filter, TexelIndex};

/// The tooltip of a texel that the fetch reads.
pub(super) fn texel(trace: &Trace, f: &Footprint, number: usize) -> String {
    let line = texel_line(trace, f, &f.texels[number], number);
    let line = match trace.form.kind {
        FetchKind::Gather(_) => line,
        FetchKind::Sample(_) => format!("texel {line}"),
    };
    format!("{line} [{}]", rules(trace, f, number).join(", "))
}

/// The tooltip of a neighbouring texel, or of a position outside the level.
pub(super) fn neighbour(
    trace: &Trace,
    axes: usize,
    index: [i64; 3],
    codes: Option<[u32; 4]>,
) -> String {
    let at = list(&index[..axes]);
    match codes {
        Some(codes) => format!("texel ({at}), not read: {}", texel_value(trace, codes)),
        None => format!("({at}) is outside"),
    }
}

/// The numbers of the rules of docs/numerics.md that determine the texel's index, weight and value.
fn rules(trace: &Trace, f: &Footprint, number: usize) -> Vec<&'static str> {
    let texel = &f.texels[number];
    let axes = trace.form.geometry.axes();
    let has = |mode| f.axes.iter().any(|a| a.mode == Some(mode));
    let modes = f.axes.iter().any(|a| a.mode.is_some());
    let ogl = has(AddressMode::ClampOgl);
    let gather = matches!(trace.form.kind, FetchKind::Gather(_));
    let linear = !gather && trace.effective.filter == Filter::Linear;
    let inside =
        |at: TexelIndex| at.plane == f.plane && at.at.map(i64::from)[..axes] == texel.index[..axes];
    let away = !texel.at.is_some_and(inside);
    let seamless = trace.effective.seamless_cube;
    let border = modes && texel.at.is_none() && !seamless;
    [
        ("1.9", !modes),
        ("8.2", gather),
        ("1.5", modes && !gather && !linear),
        ("1.6", modes && linear),
        ("1.7", modes && away && !seamless && !ogl),
        ("1.7 clamp_ogl", ogl),
        ("7.7", away && seamless),
        ("6", border),
        ("2", is_weighted(trace, f)),
        ("3.5", f.share != weight_sum(f) && f.tap.1 == 1),
        ("4.12", f.tap.1 > 1),
        ("9.2", texel.compared.is_some()),
        ("9.4", !texel.resident),
    ]
    .into_iter()
    .filter_map(|(rule, holds)| holds.then_some(rule))
    .collect()
}
