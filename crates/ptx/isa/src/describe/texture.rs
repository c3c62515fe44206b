//! Descriptions of texture and surface instructions.

use super::{Description, FormText, OperandText, OptionText};
use crate::texture::{
    COORDINATES, DATA, FETCHES, Fetch, GEOMETRIES, GeometryRow, OPTIONS, QUERIES, QueryRow,
    SURFACE_COORDINATES, SURFACE_DATA, SURFACES, Surface, TEXELS,
};
use crate::types::{Attribute, Geometry, MipMode, ScalarType};
use crate::{Fidelity, Modifiers, Opcode, fidelity, table::forms_of};
use texunit_forms::Count;

/// The description of a texture or surface instruction; `None` for other opcodes.
pub(super) fn describe(opcode: Opcode) -> Option<Description> {
    let (summary, section) = summary(opcode)?;
    let forms = match opcode {
        Opcode::Tex | Opcode::Tld4 => {
            FETCHES.iter().filter(|f| f.opcode == opcode).map(fetch).collect()
        }
        Opcode::Txq | Opcode::Suq => {
            QUERIES.iter().filter(|q| q.opcode == opcode).map(query).collect()
        }
        Opcode::Istypep => vec![is_type()],
        _ => SURFACES.iter().filter(|s| s.opcode == opcode).map(surface).collect(),
    };
    let options = OPTIONS.iter().filter(|o| o.opcodes.contains(&opcode)).map(|o| OptionText {
        syntax: o.syntax,
        version: version(o.requirement.version),
        target: o.requirement.target,
        doc: o.doc,
    });
    let (name, options) = (opcode.name(), options.collect());
    Some(Description { name, section, summary, forms, operands: operands(opcode), options })
}

#[rustfmt::skip]
fn summary(opcode: Opcode) -> Option<(&'static str, &'static str)> {
    Some(match opcode {
        Opcode::Tex => ("Fetches from a texture: coordinates are addressed, texels filtered, four components returned.", "9.7.10.3"),
        Opcode::Tld4 => ("Gathers one component of the four texels that a linear filter would mix.", "9.7.10.4"),
        Opcode::Txq => ("Asks for an attribute of a texture or a sampler.", "9.7.10.5"),
        Opcode::Istypep => ("Asks whether a handle is that of a texture, a sampler or a surface.", "9.7.10.6"),
        Opcode::Suld => ("Loads from a surface, without filter or conversion.", "9.7.11.1"),
        Opcode::Sust => ("Stores to a surface: .b bytes as they are, .p components that are converted to its format.", "9.7.11.2"),
        Opcode::Sured => ("Changes an element of a surface in one atomic step.", "9.7.11.3"),
        Opcode::Suq => ("Asks for an attribute of a surface.", "9.7.11.4"),
        _ => return None,
    })
}

/// Keeps the forms that have all of these modifiers, and the operands of those forms.
pub(super) fn select(opcode: Opcode, words: &[&str], description: &mut Description) {
    // Modifiers that the short syntax of a texture instruction omits do not select a form.
    let hints: Vec<&str> = forms_of(opcode)
        .iter()
        .flat_map(|f| f.slots.iter())
        .filter(|s| s.class == crate::Class::Hint)
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

fn version(version: u32) -> (u32, u32) {
    (version / 10, version % 10)
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
        version: version(row.version),
        target: row.target,
        section: if row.opcode == Opcode::Tld4 { "9.7.10.4" } else { "9.7.10.3" },
        doc: row.doc,
        fidelity: class(row.opcode, None),
    }
}

fn query(row: &QueryRow) -> FormText {
    let level = if row.level { ", lod" } else { "" };
    let handle = |independent| {
        let kinds = row.handles(independent).iter();
        let kinds: Vec<String> = kinds.map(|ty| format!(".{ty}")).collect();
        format!("d, [a]{level}; a: {} or .u64 register", kinds.join(", "))
    };
    let (operands, other) = (handle(false), handle(true));
    FormText {
        syntax: row.name(),
        independent: (operands != other).then_some(other),
        operands,
        version: version(row.version),
        target: row.target,
        section: if row.opcode == Opcode::Suq { "9.7.11.4" } else { "9.7.10.5" },
        doc: row.doc,
        fidelity: class(row.opcode, Some(row.query)),
    }
}

fn is_type() -> FormText {
    FormText {
        syntax: "istypep.(texref|samplerref|surfref)".into(),
        operands: "p, a".into(),
        independent: None,
        version: (4, 0),
        target: 30,
        section: "9.7.10.6",
        doc: "p is true if a is the handle of a reference of this kind.",
        fidelity: class(Opcode::Istypep, None),
    }
}

fn surface(row: &Surface) -> FormText {
    let cached = matches!(row.opcode, Opcode::Suld | Opcode::Sust);
    let hint = match row.opcode {
        Opcode::Suld => "{.ca|.cg|.cs|.cv}",
        _ => "{.wb|.cg|.cs|.wt}",
    };
    let name = row.name();
    // The cache operator is between geometry and vector.
    let at = name.find("{.v").or_else(|| name.rfind(".b").filter(|at| *at > 6));
    let syntax = match at.filter(|_| cached) {
        Some(at) => format!("{}{hint}{}", &name[..at], &name[at..]),
        None => name,
    };
    let (operands, section) = match row.opcode {
        Opcode::Suld => ("d, [a, c]", "9.7.11.1"),
        Opcode::Sust => ("[a, c], data", "9.7.11.2"),
        _ => ("[a, c], data", "9.7.11.3"),
    };
    FormText {
        syntax,
        operands: operands.into(),
        independent: None,
        version: version(row.version),
        target: row.target,
        section,
        doc: row.doc,
        fidelity: class(row.opcode, None),
    }
}

fn class(opcode: Opcode, query: Option<Attribute>) -> Vec<Fidelity> {
    fidelity(opcode, &Modifiers { query, ..Modifiers::default() }).into_iter().collect()
}

fn operands(opcode: Opcode) -> Vec<OperandText> {
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
            for row in GEOMETRIES.iter().filter(|row| {
                SURFACES.iter().any(|s| s.opcode == opcode && s.geometries.contains(&row.geometry))
            }) {
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

/// Operands whose description is the same in all forms: the opcodes that have them, name, what is
/// written, and meaning.
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
        // ptxas refuses `_` in pairs.
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

/// The coordinate vector of a geometry.
fn coordinates(row: &GeometryRow, offsets: bool, gradients: bool) -> OperandText {
    let sizes: Vec<String> = row.coordinate_sizes().iter().map(ToString::to_string).collect();
    let names: Vec<&str> = row.elements().map(texunit_forms::Element::name).collect();
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
