//! Descriptions of texture and surface instructions.

use super::{Description, FormText, OperandText, of_form};
use crate::requirement::requirement;
use crate::texture::{
    COORDINATES, DATA, FETCHES, Fetch, GEOMETRIES, GeometryRow, SURFACE_COORDINATES, SURFACE_DATA,
    TEXELS, handles,
};
use crate::types::{Geometry, MipMode, ScalarType};
use crate::{Class, Form, Opcode, table::forms_of};
use texunit_forms::Count;

/// The forms of an opcode, with short names for the operands of texture and surface instructions.
pub(super) fn forms(opcode: Opcode) -> Vec<FormText> {
    let rows = forms_of(opcode).iter();
    match opcode {
        Opcode::Tex | Opcode::Tld4 => {
            FETCHES.iter().filter(|f| f.opcode == opcode).map(fetch).collect()
        }
        Opcode::Txq | Opcode::Suq => rows.map(query).collect(),
        Opcode::Suld | Opcode::Sust | Opcode::Sured => {
            let operands = if opcode == Opcode::Suld { "d, [a, c]" } else { "[a, c], data" };
            rows.map(|form| FormText { operands: operands.into(), ..of_form(form) }).collect()
        }
        _ => rows.map(of_form).collect(),
    }
}

/// Keeps the forms of a description that have all modifiers in `words`, and their operands.
pub(super) fn select(opcode: Opcode, words: &[&str], description: &mut Description) {
    // Modifiers that the short syntax of a texture instruction omits do not select a form.
    let hints: Vec<&str> = forms_of(opcode)
        .iter()
        .flat_map(|f| f.slots.iter())
        .filter(|s| s.class == Class::Hint)
        .flat_map(|s| s.words.iter().copied())
        .collect();
    let shown = |word: &&&str| description.operands.is_empty() || !hints.contains(*word);
    let words: Vec<&str> = words.iter().filter(shown).copied().collect();
    let words = words.as_slice();
    description.forms.retain(|form| {
        let syntax: Vec<&str> =
            form.syntax.split(['.', '(', ')', '|', '{', '}']).filter(|w| !w.is_empty()).collect();
        let whole: Vec<&str> = form.syntax.split(['(', ')', '|', '{', '}']).collect();
        words.iter().all(|word| {
            syntax.contains(word) || whole.iter().any(|w| w.trim_start_matches('.') == *word)
        })
    });
    let geometries: Vec<&Geometry> =
        Geometry::ALL.iter().filter(|g| words.contains(&g.name())).collect();
    if let [one] = geometries.as_slice() {
        let other = |name: &str| {
            Geometry::ALL.iter().any(|g| g != *one && name.ends_with(&format!(" of .{g}")))
        };
        description.operands.retain(|operand| !other(&operand.name));
    }
}

fn fetch(row: &Fetch) -> FormText {
    let types = match (row.geometry, row.opcode) {
        (_, Opcode::Tld4) => ".v4.(u32|s32|f32).f32",
        (Geometry::Cube | Geometry::Acube, _) => "(.v4.(u32|s32|f32|f16)|.v2.f16x2).f32",
        (Geometry::D2ms | Geometry::A2dms, _) => "(.v4.(u32|s32|f32|f16)|.v2.f16x2).s32",
        _ => "(.v4.(u32|s32|f32|f16)|.v2.f16x2).(s32|f32)",
    };
    let geometry = crate::texture::geometry(row.geometry);
    let level = match row.mip {
        Some(MipMode::Level) => ", lod",
        Some(MipMode::Grad) => ", dPdx, dPdy",
        _ => "",
    };
    let offset = if geometry.offsets { "{, e}" } else { "" };
    let rest = format!("{level}{offset}{}", if geometry.compare { "{, f}" } else { "" });
    FormText {
        syntax: format!("{}{types}", row.name()),
        operands: format!("d{{|p}}, [a, c]{rest}"),
        independent: Some(format!("d{{|p}}, [a, b, c]{rest}")),
        requirement: requirement(row.doc, row.version, row.target),
        doc: row.doc,
        ..of_form(&forms_of(row.opcode)[0])
    }
}

fn query(form: &Form) -> FormText {
    let level = if form.slots[0].class == Class::Mip { ", lod" } else { "" };
    let handle = |independent| {
        let kinds = handles(form, independent).iter();
        let kinds: Vec<String> = kinds.map(|ty| format!(".{ty}")).collect();
        format!("d, [a]{level}; a: {} or .u64 register", kinds.join(", "))
    };
    let (operands, other) = (handle(false), handle(true));
    FormText { independent: (operands != other).then_some(other), operands, ..of_form(form) }
}

/// The operands of a texture or surface instruction.
pub(super) fn operands(opcode: Opcode) -> Vec<OperandText> {
    let mut list = Vec::new();
    match opcode {
        Opcode::Tex | Opcode::Tld4 => {
            let gather = opcode == Opcode::Tld4;
            texels(gather, &mut list);
            fixed(opcode, &mut list);
            for row in GEOMETRIES.iter().filter(|row| {
                FETCHES.iter().any(|f| f.opcode == opcode && f.geometry == row.geometry)
            }) {
                list.push(coordinates(row, true, !gather));
            }
            for row in COORDINATES {
                let gathered = matches!(row.place, "coordinate" | "offset" | "compare");
                if gather && (!gathered || row.place == "coordinate" && row.ty != ScalarType::F32) {
                    continue;
                }
                let name = match row.place {
                    "coordinate" => format!("c, type .{}", row.ty),
                    "level" => format!("lod, type .{}", row.ty),
                    "gradient" => "dPdx, dPdy".into(),
                    "offset" => "e".into(),
                    _ => "f".into(),
                };
                let types = if row.vector.is_empty() { row.scalar } else { row.vector };
                list.push(text(name, registers(types), row.doc));
            }
        }
        Opcode::Suld | Opcode::Sust | Opcode::Sured => {
            fixed(opcode, &mut list);
            let words = forms_of(opcode).iter().flat_map(|form| &form.slots);
            let words: Vec<_> = words.flat_map(|slot| &slot.words).collect();
            for row in GEOMETRIES.iter().filter(|row| words.contains(&&row.geometry.name())) {
                list.push(coordinates(row, false, false));
            }
            let row = &SURFACE_COORDINATES;
            list.push(text("c", registers(row.vector), row.doc));
            surface_data(opcode, &mut list);
        }
        _ => fixed(opcode, &mut list),
    }
    list
}

/// Operands whose description is the same in all forms: for each, the opcodes, the operand's name,
/// what may be written, and the meaning.
#[rustfmt::skip]
const FIXED: [(&[Opcode], &str, &str, &str); 8] = [
    (&[Opcode::Tex, Opcode::Tld4], "p", "a .pred register", "False where a texel is not resident in memory."),
    (&[Opcode::Tex, Opcode::Tld4], "a", "the name of a .texref, or a .u64 register", "The texture. No offset, no index, and always in brackets."),
    (&[Opcode::Tex, Opcode::Tld4], "b", "the name of a .samplerref, or a .u64 register", "The sampler, with texmode_independent only. In unified mode the texture has its own."),
    (&[Opcode::Suld, Opcode::Sust, Opcode::Sured], "a", "the name of a .surfref, or a .u64 register", "The surface. No offset, no index, and always in brackets."),
    (&[Opcode::Txq, Opcode::Suq], "d", "a 32-bit register of any type", "The answer, an unsigned integer."),
    (&[Opcode::Txq], "lod", "a .u32, .s32 or .b32 register, or an integer", "The level, with .level."),
    (&[Opcode::Istypep], "p", "a .pred register", "The answer."),
    (&[Opcode::Istypep], "a", "a 64-bit integer register, or 0", "The handle; copy it there with mov.u64."),
];

fn fixed(opcode: Opcode, list: &mut Vec<OperandText>) {
    let own = FIXED.iter().filter(|(opcodes, ..)| opcodes.contains(&opcode));
    list.extend(own.map(|(_, name, shape, doc)| text(*name, *shape, *doc)));
}

fn texels(gather: bool, list: &mut Vec<OperandText>) {
    for row in TEXELS.iter().filter(|row| row.gather || !gather) {
        // ptxas refuses `_` in a result of two registers.
        let sink = if row.lanes == 4 { "; _ drops an element" } else { "" };
        let shape = format!("{} of {}{sink}", Count(row.lanes, "register"), types(row.registers));
        list.push(text(format!("d of .{}", row.ty), shape, row.doc));
    }
}

fn surface_data(opcode: Opcode, list: &mut Vec<OperandText>) {
    if opcode != Opcode::Sured {
        let name = if opcode == Opcode::Suld { "d" } else { "data" };
        list.push(text(name, DATA, "As many as .v2 or .v4 says, in braces."));
        return;
    }
    for (ty, regs) in SURFACE_DATA {
        let shape = format!("one register of {}, or a constant, without braces", types(regs));
        list.push(text(format!("data of .{ty}"), shape, "What is combined with the element."));
    }
}

/// Describes the coordinate vector of a geometry.
fn coordinates(row: &GeometryRow, offsets: bool, gradients: bool) -> OperandText {
    let sizes: Vec<String> = row.coordinate_sizes().iter().map(ToString::to_string).collect();
    let names: Vec<&str> = row.geometry.elements().iter().map(|e| e.name()).collect();
    let mut doc = row.doc.to_owned();
    if offsets && row.offsets {
        let sizes: Vec<String> = row.offset_sizes().iter().map(ToString::to_string).collect();
        doc += &format!(" e has {} elements.", sizes.join(" or "));
    }
    if gradients && row.gradients {
        let n = row.gradient_size();
        doc += &format!(" dPdx and dPdy have {}.", Count(n, "element"));
    }
    let shape = format!("{{{}}}, a vector of {}", names.join(", "), sizes.join(" or "));
    text(format!("c of .{}", row.geometry), shape, doc)
}

fn registers(list: &[ScalarType]) -> String {
    format!("{} registers, or constants", types(list))
}

fn types(list: &[ScalarType]) -> String {
    let list: Vec<String> = list.iter().map(|ty| format!(".{ty}")).collect();
    list.join(", ")
}

fn text(name: impl Into<String>, shape: impl Into<String>, doc: impl Into<String>) -> OperandText {
    OperandText { name: name.into(), shape: shape.into(), doc: doc.into() }
}
