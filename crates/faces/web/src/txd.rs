//! Decodes, edits and executes a machine word of the texture unit.

use crate::access::texture;
use crate::refusal::{MethodResult, Refusal};
use crate::session::Session;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;
use texunit_explain::Explanation;
use texunit_report::Object;
use texunit_sass::field::{Field, Kind};
use texunit_sass::parse::{FieldPositions, parse};
use texunit_sass::print::{Style, print};
use texunit_sass::txd::{COORDINATES, FIELDS, MASK, PS, PT, RD, RZ};
use texunit_sass::{Arch, Control, Txd, Word, control, rules};
use texunit_syntax::{Diagnostic, SourceFile};
use texunit_txd::exec::{execute as run, fetched};
use texunit_txd::state_file;
use texunit_unit::lanes;

/// Maximum size in bytes of a state file, because parsing TOML takes a multiple of its size in
/// memory.
const MAX_STATE: usize = 1 << 20;

/// Parameters of the method `txd`: an instruction word or its text, and fields to set.
#[derive(Debug, Deserialize)]
pub(crate) struct WordParameters {
    arch: String,
    word: Option<String>,
    control: Option<String>,
    text: Option<String>,
    #[serde(default)]
    fields: BTreeMap<String, u64>,
}

/// A TXD instruction with the diagnostics for it.
struct DecodedWord {
    txd: Txd,
    found: Vec<Value>,
}

/// Parses hexadecimal digits, with or without `0x`, into at most `bits` bits.
fn hex(key: &'static str, text: &str, bits: u32) -> Result<u64, Refusal> {
    let digits = text.trim();
    let digits = digits.strip_prefix("0x").or(digits.strip_prefix("0X")).unwrap_or(digits);
    let sound = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
    let value = u64::from_str_radix(digits, 16).ok().filter(|_| sound);
    value.filter(|v| bits >= 64 || v >> bits == 0).ok_or_else(|| {
        Refusal::of(key, format!("expected {bits} bits in hexadecimal digits, found `{text}`"))
    })
}

fn read(asked: &WordParameters, arch: Arch) -> Result<DecodedWord, Refusal> {
    if let Some(text) = &asked.text {
        let source = SourceFile::new("text", text.as_str());
        let parsed = parse(text)
            .map_err(|d| Refusal { help: d.help.clone(), ..Refusal::of("text", &d.message) })?;
        let found = rules::check(&parsed.txd, &parsed.places, arch);
        return Ok(DecodedWord { txd: parsed.txd, found: diagnostics_json(Some(&source), &found) });
    }
    let word = hex("word", asked.word.as_deref().unwrap_or_default(), 64)?;
    let bits = match &asked.control {
        Some(text) => hex("control", text, Control::BITS)? as u32,
        None => Control::NONE.bits(),
    };
    let control =
        Control::new(bits).ok_or_else(|| Refusal::of("control", "the control bits are 21 bits"))?;
    let mut txd = Txd { word, control };
    for (name, &value) in &asked.fields {
        if let Some(field) = FIELDS.iter().find(|field| field.name == name) {
            txd = txd.with(field, value);
        } else if let Some(field) = control::FIELDS.iter().find(|field| field.name == name) {
            txd.control = txd.control.with(field, value);
        } else {
            return Err(Refusal::new(format!("unknown field `{name}`")));
        }
    }
    let found = match Txd::decode(txd.word, txd.control, arch) {
        Ok(txd) => diagnostics_json(None, &rules::check(&txd, &FieldPositions::default(), arch)),
        Err(reason) => vec![json!({ "severity": "error", "message": reason.to_string() })],
    };
    Ok(DecodedWord { txd, found })
}

fn diagnostics_json(source: Option<&SourceFile>, found: &[Diagnostic]) -> Vec<Value> {
    found.iter().map(|d| serde_json::to_value(Object::new(source, d)).unwrap_or_default()).collect()
}

fn arch(name: &str) -> Result<Arch, Refusal> {
    Arch::from_str(name).map_err(|e| Refusal::of("arch", e))
}

/// The method `txd`: returns the instruction as word, text and fields, with diagnostics.
pub(crate) fn word(asked: &WordParameters) -> MethodResult {
    let arch = arch(&asked.arch)?;
    let DecodedWord { txd, found } = read(asked, arch)?;
    let decoded = Word::decode(txd.word, txd.control, arch);
    let other = match &decoded {
        Word::TextureWord(other) => Some(other.to_string()),
        _ => None,
    };
    let is_txd = matches!(decoded, Word::Txd(_));
    Ok(json!({
        "word": format!("{:#018x}", txd.word),
        "control": format!("{:#08x}", txd.control.bits()),
        "is_txd": is_txd,
        "other": other,
        "text": is_txd.then(|| print(&txd, Style::Nvidia)),
        "isa": is_txd.then(|| print(&txd, Style::Isa)),
        "fields": FIELDS.iter().map(|f| field(f, txd.get(f))).collect::<Vec<_>>(),
        "control_fields": control::FIELDS.iter().map(|f| field(f, txd.control.get(f))).collect::<Vec<_>>(),
        "diagnostics": found,
    }))
}

fn field(field: &Field, value: u64) -> Value {
    let (kind, shown) = match field.kind {
        Kind::Register if value == RZ => ("register", "RZ".to_owned()),
        Kind::Register => ("register", format!("R{value}")),
        Kind::Predicate if value == PT => ("predicate", "PT".to_owned()),
        Kind::Predicate => ("predicate", format!("P{value}")),
        Kind::Flag => ("flag", value.to_string()),
        Kind::Number => ("number", format!("{value:#x}")),
        Kind::Coordinates => {
            ("coordinates", COORDINATES.get(value as usize).copied().unwrap_or_default().to_owned())
        }
        Kind::Opcode(_) => ("opcode", format!("{value:#x}")),
    };
    json!({
        "name": field.name,
        "low": field.low,
        "width": field.width,
        "kind": kind,
        "value": value,
        "max": field.max(),
        "shown": shown,
        "names": matches!(field.kind, Kind::Coordinates).then_some(COORDINATES),
        "since": field.since.name(),
        "meaning": field.meaning,
    })
}

/// Parameters of the method `execute`: an instruction word, a state file and a lane.
#[derive(Debug, Deserialize)]
pub(crate) struct Execute {
    #[serde(flatten)]
    asked: WordParameters,
    state: String,
    lane: usize,
}

/// The method `execute`: executes the instruction word on the state in a file, and explains the
/// fetch of a lane.
pub(crate) fn execute(
    session: &mut Session,
    Execute { asked, state, lane }: &Execute,
) -> MethodResult {
    session.subjects.clear();
    if state.len() > MAX_STATE {
        return Err(Refusal::of("state", format!("the state may have at most {MAX_STATE} bytes")));
    }
    let source = SourceFile::new("state", state.as_str());
    let mut made = match state_file::parse(state) {
        Ok(made) => made,
        Err(error) => {
            let line = error.span.as_ref().map(|span| source.location(span.start as u32).line);
            let refusal = Refusal::of("state", &error.message);
            return Ok(json!({ "error": refusal, "line": line }));
        }
    };
    let arch = arch(&asked.arch)?;
    made.arch = arch;
    let DecodedWord { txd, .. } = read(asked, arch)?;
    let txd = Txd::decode(txd.word, txd.control, arch).map_err(|e| Refusal::of("word", e))?;
    let found = fetched(&txd, &mut made, *lane).map_err(Refusal::new)?;
    let outcome = run(&txd, &mut made).map_err(Refusal::new)?;
    let first = txd.get(&RD);
    let count = if first == RZ { 0 } else { u64::from(txd.get(&MASK).count_ones()) };
    let registers: Vec<Value> = (first..first + count)
        .filter_map(|number| made.registers.get(number as usize).map(|register| (number, register)))
        .map(|(number, register)| {
            let all = lanes(outcome.lanes).map(|lane| {
                let value = f32::from_bits(register[lane]);
                json!({ "lane": lane, "bits": format!("{:08x}", register[lane]), "value": format!("{value:?}") })
            });
            json!({ "name": format!("R{number}"), "lanes": all.collect::<Vec<_>>() })
        })
        .collect();
    let predicate = (txd.get(&PS) != PT).then(|| {
        let number = txd.get(&PS);
        let bits = made.predicates.get(number as usize).copied().unwrap_or(0);
        json!({ "name": format!("P{number}"), "lanes": format!("{:08x}", bits & outcome.lanes) })
    });
    let explained = match found {
        None => Value::Null,
        Some(found) => {
            let explanation =
                Explanation::new(found.form, &found.texture, &found.sampler, &found.operands)
                    .map_err(Refusal::new)?;
            let value = json!({
                "kind": "fetch",
                "subject": 0,
                "header": found.indices.0,
                "sampler": found.indices.1,
                "texture": texture(&found.texture),
                "explanation": explanation.json(),
            });
            session.subjects.push(Arc::clone(&found.texture));
            value
        }
    };
    Ok(json!({
        "registers": registers,
        "predicate": predicate,
        "lanes": lanes(outcome.lanes).collect::<Vec<_>>(),
        "invalid": lanes(outcome.invalid).collect::<Vec<_>>(),
        "missing": lanes(outcome.missing).collect::<Vec<_>>(),
        "explained": explained,
    }))
}
