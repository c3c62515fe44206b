//! Converts an explanation of a surface access, with its trace, to one JSON object.

use super::{SurfaceExpected, SurfaceExplanation, hex_bytes};
use serde_json::{Value, json as object};
use texunit_unit::{SurfaceOutcome, SurfacePlace};

pub(super) fn json(e: &SurfaceExplanation) -> Value {
    let t = &e.trace;
    let place = |p: &SurfacePlace| {
        object!({
            "layer": p.layer, "x": p.x, "y": p.y, "z": p.z, "moved": p.moved, "offset": p.offset,
        })
    };
    let (outcome, found) = match &t.outcome {
        SurfaceOutcome::Made(p) => ("made", Some(place(p))),
        SurfaceOutcome::NotResident(p) => ("not_resident", Some(place(p))),
        SurfaceOutcome::Dropped => ("dropped", None),
        SurfaceOutcome::Outside => ("outside", None),
        SurfaceOutcome::Misaligned => ("misaligned", None),
    };
    object!({
        "instruction": e.form.to_string(),
        "from": e.place,
        "surface": e.surface.resource.describe(),
        "layer": t.layer,
        "at": t.at[..e.form.geometry.axes()],
        "byte_x": t.byte_x,
        "size": t.size,
        "policy": t.policy.name(),
        "outcome": outcome,
        "place": found,
        "fault": t.fault.as_ref().map(ToString::to_string),
        "elements": e.own_elements().iter().map(|v| format!("{v:x}")).collect::<Vec<_>>(),
        "codes": e.codes(),
        "before": e.before.as_deref().map(hex_bytes),
        "after": e.after.as_deref().map(hex_bytes),
        "expected": e.expected.as_ref().map(|expected| match expected {
            SurfaceExpected::Loads(bytes) => object!(hex_bytes(bytes)),
            SurfaceExpected::Outside => object!("outside"),
            SurfaceExpected::Misaligned => object!("misaligned"),
        }),
        "agrees": e.agrees(),
    })
}
