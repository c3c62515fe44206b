//! Converts a fetch or surface access to a PTX instruction and back.
//!
//! In the instruction, constants replace the source registers. A text is checked inside a PTX
//! module, so that its errors are those of the assembler.

use crate::access::Access;
use crate::keys::Form;
use crate::refusal::{MethodResult, Refusal};
use serde::Deserialize;
use serde_json::{Value, json};
use texunit_check::ir::{Instruction, Lod, Operand};
use texunit_check::{Options, check_with};
use texunit_explain::operand;
use texunit_syntax::SourceFile;
use texunit_unit::{
    CoordType, Coordinates, Element, FetchForm, FetchKind, Geometry, ResultType, SurfaceForm,
    SurfaceKind,
};

/// Parameters of the method `ptx`: the text of an instruction.
#[derive(Debug, Deserialize)]
pub(crate) struct Text {
    text: String,
}

/// Maximum length in bytes of an instruction's text.
const MAX_TEXT: usize = 4096;

/// The text of the module that precedes the instruction.
const HEAD: &str = "\
.version 8.8
.target sm_90
.address_size 64
.global .texref tex;
.global .surfref surf;
.visible .entry access()
{
.reg .f32 %f<4>; .reg .b32 %r<4>; .reg .b16 %h<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;
";
const TAIL: &str = "\nret;\n}\n";

/// The PTX instruction that makes an access.
pub(crate) fn write(access: &Access) -> Result<String, Refusal> {
    match access.form {
        Form::Fetch(form) => fetch(access, form),
        Form::Surface(form) => surface(access, form),
    }
}

fn fetch(access: &Access, form: FetchForm) -> Result<String, Refusal> {
    let o = access.operands(form)?;
    let (letter, count) = match form.result {
        ResultType::F32 => ('f', 4),
        ResultType::S32 | ResultType::U32 => ('r', 4),
        ResultType::F16 => ('h', 4),
        ResultType::F16x2 => ('r', 2),
    };
    let value = |bits: u32| match form.coord {
        CoordType::F32 => float(bits),
        CoordType::S32 => (bits as i32).to_string(),
    };
    let registers: Vec<String> = (0..count).map(|n| format!("%{letter}{n}")).collect();
    let coords = vector(form.geometry, o.coords, &value, &value(0));
    let mut text = format!("{form} {{{}}}, [tex, {coords}]", registers.join(", "));
    let g = form.geometry;
    match form.kind {
        FetchKind::Sample(texunit_unit::Lod::Level) => text += &format!(", {}", value(o.level)),
        FetchKind::Sample(texunit_unit::Lod::Gradient) => {
            for gradient in [o.dpdx, o.dpdy] {
                let parts = gradient[..g.gradients()].iter().map(|&bits| float(bits));
                text += &format!(", {}", padded(parts.collect(), "0.0"));
            }
        }
        _ => {}
    }
    if form.offset {
        let parts = o.offset[..g.axes()].iter().map(i32::to_string);
        text += &format!(", {}", padded(parts.collect(), "0"));
    }
    if form.compare {
        text += &format!(", {}", float(o.compare));
    }
    Ok(text + ";")
}

fn surface(access: &Access, form: SurfaceForm) -> Result<String, Refusal> {
    let written = access.written();
    let coords = operand::surface(&written, form).map_err(Refusal::new)?;
    let place = vector(form.geometry, coords, &|bits| (bits as i32).to_string(), "0");
    let (size, count) = form.kind.elements();
    if form.kind.loads() {
        let letter = match size {
            8 => "rd",
            4 => "r",
            _ => "h",
        };
        let registers: Vec<String> = (0..count).map(|n| format!("%{letter}{n}")).collect();
        return Ok(format!("{form} {{{}}}, [surf, {place}];", registers.join(", ")));
    }
    let elements =
        operand::elements(written.value.unwrap_or("0")).map_err(|e| Refusal::of("value", e))?;
    let values: Vec<String> =
        elements[..usize::from(count).min(4)].iter().map(|v| (*v as i64).to_string()).collect();
    match form.kind {
        SurfaceKind::Reduce { .. } => Ok(format!("{form} [surf, {place}], {};", values.join(", "))),
        _ => Ok(format!("{form} [surf, {place}], {{{}}};", values.join(", "))),
    }
}

/// The coordinate vector of an instruction, padded to the length that PTX requires.
fn vector(
    g: Geometry,
    coords: Coordinates<u32>,
    value: &dyn Fn(u32) -> String,
    zero: &str,
) -> String {
    let parts = g.elements().iter().map(|&element| {
        let bits = *coords.get(element);
        if element.is_index() { bits.to_string() } else { value(bits) }
    });
    padded(parts.collect(), zero)
}

/// A vector operand; three elements are padded to four.
fn padded(mut parts: Vec<String>, zero: &str) -> String {
    if parts.len() == 3 {
        parts.push(zero.to_owned());
    }
    format!("{{{}}}", parts.join(", "))
}

/// A float constant of PTX, as the shortest decimal that reads back exactly, or as its bits.
fn float(bits: u32) -> String {
    let value = f32::from_bits(bits);
    let text = format!("{value}");
    match () {
        () if !value.is_finite() || text.len() > 16 => format!("0f{bits:08X}"),
        () if text.contains('.') => text,
        () => text + ".0",
    }
}

/// The method `ptx`: returns the keys that describe an instruction.
pub(crate) fn read(Text { text }: &Text) -> MethodResult {
    let code = text.trim().trim_end_matches(';');
    if code.len() > MAX_TEXT {
        return Err(Refusal::new("expected one instruction"));
    }
    let source = SourceFile::new("instruction", format!("{HEAD}{code};{TAIL}"));
    let parsed = texunit_syntax::parse(&source);
    let checked = check_with(&source, &parsed.module, Options::default());
    let found = parsed.diagnostics.iter().chain(&checked.diagnostics);
    if let Some(error) = found.into_iter().find(|d| d.is_error()) {
        let (begin, end) = (HEAD.len() as u32, (HEAD.len() + code.len()) as u32);
        let span = [error.primary.span.start, error.primary.span.end]
            .map(|at| at.clamp(begin, end) - begin);
        let refusal = Refusal { help: error.help.clone(), ..Refusal::new(&error.message) };
        // An error in the text is a result, because the page marks its position.
        return Ok(json!({ "error": refusal, "code": error.code, "span": span }));
    }
    let body = checked.module.functions.first().and_then(|f| f.body.as_deref()).unwrap_or_default();
    let [instruction, _ret] = body else {
        return Err(Refusal::new(
            "expected one instruction, for example tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [tex, {0.3, 0.7}];",
        ));
    };
    let op = code.split_whitespace().next().unwrap_or_default().to_owned();
    let keys = if instruction.operands.fetch().is_some() {
        of_fetch(instruction, &op)?
    } else if instruction.operands.surface().is_some() {
        of_surface(instruction, &op)?
    } else {
        return Err(Refusal::new(
            "expected a fetch or a surface access: tex, tld4, suld, sust or sured",
        ));
    };
    Ok(json!({ "keys": keys }))
}

/// The texts of constants, separated by commas.
fn joined<'a>(
    list: impl IntoIterator<Item = &'a Operand>,
    text: impl Fn(u64) -> String,
) -> Result<String, Refusal> {
    let parts: Result<Vec<String>, Refusal> =
        list.into_iter().map(|operand| number(operand).map(&text)).collect();
    Ok(parts?.join(","))
}

/// The value of an operand, which must be a constant.
fn number(operand: &Operand) -> Result<u64, Refusal> {
    match operand {
        Operand::Imm(bits) => Ok(*bits),
        _ => Err(Refusal {
            help: Some("write 0.3, 2, or bits such as 0f3E99999A".to_owned()),
            ..Refusal::new("expected a number where a kernel has a register")
        }),
    }
}

fn of_fetch(instruction: &Instruction, op: &str) -> Result<Value, Refusal> {
    let form: FetchForm = op.parse().map_err(|e| Refusal::of("op", e))?;
    let operands = instruction.operands.fetch().ok_or_else(|| Refusal::new("no fetch"))?;
    let value = |operand: &Operand| {
        number(operand).map(|bits| match form.coord {
            CoordType::F32 => plain(bits as u32),
            CoordType::S32 => (bits as i32).to_string(),
        })
    };
    let floats = |list| joined(list, |bits| plain(bits as u32));
    let (mut lod, mut dpdx, mut dpdy) = (None, None, None);
    match &operands.lod {
        Lod::Level(level) => lod = Some(value(level)?),
        Lod::Gradient { dx, dy } => (dpdx, dpdy) = (Some(floats(dx)?), Some(floats(dy)?)),
        Lod::Implicit | Lod::Base => {}
    }
    let offset =
        operands.offset.as_ref().map(|list| joined(list, |bits| (bits as i32).to_string()));
    let compare = operands.compare.as_ref().map(|compare| joined([compare], |b| plain(b as u32)));
    Ok(json!({
        "op": form.to_string(),
        "at": coordinates(form.geometry, &operands.coords, &value)?,
        "lod": lod,
        "dpdx": dpdx,
        "dpdy": dpdy,
        "offset": offset.transpose()?,
        "compare": compare.transpose()?,
    }))
}

fn of_surface(instruction: &Instruction, op: &str) -> Result<Value, Refusal> {
    let form: SurfaceForm = op.parse().map_err(|e| Refusal::of("op", e))?;
    let operands =
        instruction.operands.surface().ok_or_else(|| Refusal::new("no surface access"))?;
    let value = |operand: &Operand| number(operand).map(|bits| (bits as i32).to_string());
    let at = coordinates(form.geometry, &operands.coords, &value)?;
    let mut keys = json!({ "op": form.to_string(), "at": at });
    if !operands.source.is_empty() {
        keys["value"] = joined(&operands.source, |bits| bits.to_string())?.into();
    }
    Ok(keys)
}

fn coordinates(
    g: Geometry,
    coords: &Coordinates<Option<Operand>>,
    value: &dyn Fn(&Operand) -> Result<String, Refusal>,
) -> Result<String, Refusal> {
    let missing = || Refusal::new("a coordinate is missing");
    let part = |element: &Element| {
        let operand = coords.get(*element).as_ref().ok_or_else(missing)?;
        if element.is_index() {
            number(operand).map(|bits| (bits as u32).to_string())
        } else {
            value(operand)
        }
    };
    let parts: Result<Vec<String>, Refusal> = g.elements().iter().map(part).collect();
    Ok(parts?.join(","))
}

/// A float as the value of a key.
fn plain(bits: u32) -> String {
    let value = f32::from_bits(bits);
    if value.is_finite() { format!("{value}") } else { format!("bits:{bits:08x}") }
}
