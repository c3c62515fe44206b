//! Writes an explanation of a surface access as text: location, bytes and result.

use super::{Kind, SurfaceExpected, SurfaceExplanation, hex_bytes, kind_of, verb};
use crate::value::{COMPONENTS, float, list};
use std::fmt::{Result, Write};
use texunit_texel::Channel;
use texunit_unit::{SurfaceKind, SurfaceOutcome};

pub(super) fn text(e: &SurfaceExplanation) -> String {
    let mut out = String::new();
    // The result is ignored, because writing to a `String` cannot fail.
    let _ = write_all(&mut out, e);
    out
}

fn write_all(out: &mut String, e: &SurfaceExplanation) -> Result {
    writeln!(out, "{}", headline(e))?;
    if let Some(place) = &e.place {
        writeln!(out, "{place}")?;
    }
    writeln!(out, "\nsurface: {}", e.surface.resource.describe())?;
    writeln!(out, "\nplace")?;
    for line in address_steps(e) {
        writeln!(out, "  {line}")?;
    }
    conversion(out, e)?;
    if e.codes().is_none() || e.before.is_some() || e.trace.fault.is_some() {
        writeln!(out, "\nbytes, in the order of memory")?;
    }
    if let Some(before) = &e.before {
        let word = if kind_of(e.form) == Kind::Load { "memory" } else { "before" };
        writeln!(out, "  {word}: {}", hex_bytes(before))?;
    }
    if e.trace.fault.is_some() {
        writeln!(out, "  none")?;
    } else if e.codes().is_none() {
        writeln!(out, "  {}: {}", verb(e.form), element_text(e))?;
    }
    if let Some(after) = &e.after {
        writeln!(out, "  after: {}", hex_bytes(after))?;
    }
    match (e.agrees(), &e.expected) {
        (Some(true), _) => writeln!(out, "as the case expects"),
        (_, Some(SurfaceExpected::Loads(bytes))) => {
            writeln!(out, "DISAGREES with the case, which expects {}", hex_bytes(bytes))
        }
        (_, Some(_)) => writeln!(out, "DISAGREES with the case, which expects a fault"),
        (_, None) => Ok(()),
    }
}

/// The bytes of the elements, and their values if elements have several bytes.
pub(super) fn element_text(e: &SurfaceExplanation) -> String {
    let (size, _) = e.form.kind.elements();
    let digits = 2 * usize::from(size);
    let numbers: Vec<String> =
        e.own_elements().iter().map(|v| format!("0x{v:0digits$x}")).collect();
    match size {
        1 => hex_bytes(&e.element_bytes()),
        _ => format!("{} = {}", hex_bytes(&e.element_bytes()), numbers.join(" ")),
    }
}

/// The instruction with its coordinates, as a heading.
pub(super) fn headline(e: &SurfaceExplanation) -> String {
    let mut parts = Vec::new();
    if let Some(layer) = e.trace.layer {
        parts.push(format!("layer {layer}"));
    }
    parts.extend(e.trace.at[..e.form.geometry.axes()].iter().map(i32::to_string));
    format!("{} at ({})", e.form, parts.join(", "))
}

/// The steps from the coordinates to the bytes, one line each.
pub(super) fn address_steps(e: &SurfaceExplanation) -> Vec<String> {
    let t = &e.trace;
    let size = t.size;
    let mut lines = Vec::new();
    if i64::from(t.at[0]) == t.byte_x {
        lines.push(format!("x counts bytes: {}; the access has {size}", t.byte_x));
    } else {
        let what = match e.form.kind {
            SurfaceKind::StoreFormatted { .. } => "texels",
            _ => "elements",
        };
        let x = t.at[0];
        lines.push(format!("x counts {what}: {x} is byte {}; the access has {size}", t.byte_x));
    }
    let found = |place: &texunit_unit::SurfacePlace| {
        let axes = e.form.geometry.axes();
        let mut text = format!("byte {}", place.x);
        for (name, value) in [("row", place.y), ("slice", place.z)].iter().take(axes - 1) {
            text += &format!(", {name} {value}");
        }
        if t.layer.is_some() {
            text += &format!(", layer {}", place.layer);
        }
        text
    };
    let policy = t.policy.name();
    match &t.outcome {
        SurfaceOutcome::Made(place) | SurfaceOutcome::NotResident(place) => {
            let how = if place.moved {
                format!("it is outside: .{policy} moves it to")
            } else {
                "it is inside:".to_owned()
            };
            lines.push(format!("{how} {}", found(place)));
            lines.push(format!("offset {} in the memory of the surface", place.offset));
        }
        SurfaceOutcome::Dropped => {
            let what = match kind_of(e.form) {
                Kind::Load => "it loads 0",
                Kind::Store => "nothing is stored",
                Kind::Reduce => "nothing is combined",
            };
            lines.push(format!("it is outside: with .{policy} {what}"));
        }
        SurfaceOutcome::Outside | SurfaceOutcome::Misaligned => {}
    }
    if let SurfaceOutcome::NotResident(_) = t.outcome {
        lines.push("its tile is NOT RESIDENT: loads return 0, stores are dropped".to_owned());
    }
    if let Some(fault) = &t.fault {
        lines.push(format!("FAULT: {fault}"));
    }
    lines
}

/// Writes how `sust.p` converts its registers.
fn conversion(out: &mut String, e: &SurfaceExplanation) -> Result {
    let lines = conversion_lines(e);
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nconversion to {}", e.surface.resource.format())?;
    lines.iter().try_for_each(|line| writeln!(out, "  {line}"))
}

pub(super) fn conversion_lines(e: &SurfaceExplanation) -> Vec<String> {
    let given = e.own_elements().len();
    let codes = e.codes().unwrap_or_default();
    let line = |(c, code): (usize, u32)| {
        let name = COMPONENTS[c % 4];
        if c < given {
            let bits = e.elements[c] as u32;
            let value = match e.surface.resource.format().plain_channel() {
                Some(Channel::U8 | Channel::U16 | Channel::U32) => bits.to_string(),
                Some(Channel::S8 | Channel::S16 | Channel::S32) => (bits as i32).to_string(),
                _ => float(bits),
            };
            format!("{name}: register {bits:08x} ({value}) gives code {code:x}")
        } else {
            format!("{name}: no register, code {code:x}")
        }
    };
    let mut lines: Vec<String> = codes.into_iter().enumerate().map(line).collect();
    let channels = lines.len();
    if channels > 0 && channels < given {
        let names = list(&COMPONENTS[channels..given.min(4)]);
        lines.push(format!("{names}: the format has no such channel"));
    }
    lines
}
