//! Runs tests/sass/exec/*.toml: a statement of docs/sass.md, a state, an instruction, and the
//! expected registers. tests/sass/README.md describes the keys.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;
use texunit_sass::descriptor::{Descriptor, SamplerHeader, TextureHeader};
use texunit_sass::parse::parse;
use texunit_sass::txd::{MASK, RD};
use texunit_txd::exec::{Outcome, State, execute};
use texunit_txd::state_file;
use texunit_unit::{
    CoordType, Coordinates, FetchForm, FetchKind, FetchOperands, Lod, ResultType, lanes, reference,
};
use toml::{Table, Value};

/// The file with the state that all cases begin with.
const STATE: &str = "state.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    /// The statement of docs/sass.md that the case tests.
    page: String,
    text: String,
    /// Keys of the state that the case changes.
    #[serde(default)]
    state: Table,
    /// Registers and predicates that the case expects.
    #[serde(default)]
    expect: Table,
    /// A call of the texture unit's reference implementation that must give the same result.
    reference: Option<Reference>,
    error: Option<String>,
    /// A mask of the lanes that get zeros for an invalid texture.
    #[serde(default)]
    invalid: u32,
    /// A mask of the lanes that access a missing tile.
    #[serde(default)]
    missing: u32,
}

/// Operands of the reference implementation: names of registers, or numbers.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reference {
    header: u32,
    sampler: u32,
    coords: Vec<String>,
    gradients: Vec<String>,
    #[serde(default)]
    offset: Option<[i32; 2]>,
    #[serde(default)]
    lod_clamp: f32,
}

fn main() {
    let args = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/sass/exec");
    let common = std::fs::read_to_string(folder.join(STATE)).unwrap();
    let common: Table = toml::from_str(&common).unwrap_or_else(|e| panic!("{STATE}: {e}"));
    let mut trials = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with(STATE) {
            continue;
        }
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let file: File = toml::from_str(&text).unwrap_or_else(|e| panic!("{stem}: {e}"));
        for case in file.case {
            let state = merged(&common, &case.state);
            let name = format!("{stem}::{}", case.name);
            trials.push(Trial::test(name, move || run(&case, &state)));
        }
    }
    assert!(trials.len() >= 165, "{} cases: they are not where they were", trials.len());
    libtest_mimic::run(&args, trials).exit();
}

fn merged(below: &Table, above: &Table) -> Table {
    let mut all = below.clone();
    for (key, value) in above {
        let value = match (all.get(key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => Value::Table(merged(old, new)),
            _ => value.clone(),
        };
        all.insert(key.clone(), value);
    }
    all
}

fn run(case: &Case, state: &Table) -> Result<(), Failed> {
    let text = toml::to_string(state)?;
    let mut state = state_file::parse(&text).map_err(|e| format!("state: {e}"))?;
    let before = state.clone();
    let txd = parse(&case.text).map_err(|e| e.message)?.txd;
    let result = execute(&txd, &mut state);
    if let Some(message) = &case.error {
        let found = result.err().map(|e| e.to_string()).unwrap_or_default();
        if !found.contains(message.as_str()) {
            return Err(format!("expected the error `{message}`, found `{found}`").into());
        }
        same_elsewhere(&before, &state, 0, 0..0)?;
        return Ok(());
    }
    let outcome = result.map_err(|e| format!("{e}\n{}", case.page))?;
    let first = txd.get(&RD) as usize;
    let written = first..(first + txd.get(&MASK).count_ones() as usize).min(255);
    same_elsewhere(&before, &state, outcome.lanes, written.clone())?;
    check(case, &text, &state)?;
    if [outcome.invalid, outcome.missing] != [case.invalid, case.missing] {
        let Outcome { invalid, missing, .. } = outcome;
        return Err(format!("invalid {invalid:#x}, missing {missing:#x}").into());
    }
    if let Some(reference) = &case.reference {
        let components = (0..4).filter(|c| txd.get(&MASK) >> c & 1 == 1);
        for lane in lanes(outcome.lanes) {
            let wanted = asked(reference, &before, lane)?;
            for (register, component) in written.clone().zip(components.clone()) {
                let found = state.registers[register][lane];
                if found != wanted[component] {
                    let wanted = wanted[component];
                    return Err(format!(
                        "R{register} lane {lane}: {found:#x}, the reference has {wanted:#x}"
                    )
                    .into());
                }
            }
        }
    } else if case.expect.is_empty() {
        return Err("the case expects nothing".into());
    }
    Ok(())
}

/// Checks that the registers and lanes that the case does not mention are unchanged.
fn same_elsewhere(
    before: &State,
    after: &State,
    lanes: u32,
    written: std::ops::Range<usize>,
) -> Result<(), Failed> {
    for (number, (old, new)) in before.registers.iter().zip(after.registers.iter()).enumerate() {
        for lane in 0..32 {
            let may = written.contains(&number) && lanes >> lane & 1 == 1;
            if !may && old[lane] != new[lane] {
                return Err(format!("R{number} of lane {lane} has changed").into());
            }
        }
    }
    for (number, (old, new)) in before.predicates.iter().zip(after.predicates).enumerate() {
        if (old ^ new) & !lanes != 0 {
            return Err(format!("P{number} has changed in lanes that took no part").into());
        }
    }
    Ok(())
}

/// Checks the expectations of a case, which are written as in a state file.
fn check(case: &Case, text: &str, state: &State) -> Result<(), Failed> {
    let mut wanted = Table::new();
    for (name, value) in &case.expect {
        let group = if name.starts_with('R') { "registers" } else { "predicates" };
        let table = wanted.entry(group).or_insert(Value::Table(Table::new()));
        table.as_table_mut().unwrap().insert(name.clone(), value.clone());
    }
    let expected =
        state_file::parse(&toml::to_string(&wanted)?).map_err(|e| format!("expect: {e}"))?;
    for name in case.expect.keys() {
        let number: usize = name[1..].parse()?;
        if name.starts_with('P') {
            let (found, wanted) = (state.predicates[number], expected.predicates[number]);
            if found != wanted {
                return Err(format!("{name}: {found:#010x}, expected {wanted:#010x}").into());
            }
            continue;
        }
        let count = case.expect[name].as_array().map_or(32, Vec::len);
        for lane in 0..count {
            let (found, wanted) = (state.registers[number][lane], expected.registers[number][lane]);
            if found != wanted {
                return Err(format!(
                    "{name} lane {lane}: {found:#x} ({:?}), expected {wanted:#x} ({:?})\n{}\n{}",
                    f32::from_bits(found),
                    f32::from_bits(wanted),
                    case.page,
                    text.lines().take(4).collect::<Vec<_>>().join("\n"),
                )
                .into());
            }
        }
    }
    Ok(())
}

/// The result that the reference implementation gives for a lane.
fn asked(wanted: &Reference, state: &State, lane: usize) -> Result<[u32; 4], Failed> {
    let descriptor = |address: u64, index: u32| {
        let mut words = [0; 8];
        for (n, word) in words.iter_mut().enumerate() {
            let mut bytes = [0; 4];
            state.memory.read(address + 32 * u64::from(index) + 4 * n as u64, &mut bytes).unwrap();
            *word = u32::from_le_bytes(bytes);
        }
        Descriptor(words)
    };
    let header = TextureHeader::decode(&descriptor(state.headers.address, wanted.header))?;
    let sampler = SamplerHeader::decode(&descriptor(state.samplers.address, wanted.sampler))?;
    let sampler = sampler.for_texture(&header, (wanted.lod_clamp * 256.0) as u32)?;
    let texture = header.texture(&state.memory, sampler.srgb)?;
    let value = |text: &String| -> Result<u32, Failed> {
        match text.strip_prefix('R') {
            Some(number) => Ok(state.registers[number.parse::<usize>()?][lane]),
            None => Ok(text.parse()?),
        }
    };
    let values = |list: &[String]| list.iter().map(value).collect::<Result<Vec<_>, _>>();
    let (coords, gradients) = (values(&wanted.coords)?, values(&wanted.gradients)?);
    let at = |list: &[u32], n: usize| list.get(n).copied().unwrap_or(0);
    let operands = FetchOperands {
        coords: Coordinates::of(header.kind.geometry(), coords, 0),
        offset: wanted.offset.map_or([0; 3], |[u, v]| [u, v, 0]),
        dpdx: [at(&gradients, 0), at(&gradients, 2), 0],
        dpdy: [at(&gradients, 1), at(&gradients, 3), 0],
        ..FetchOperands::default()
    };
    let form = FetchForm {
        kind: FetchKind::Sample(Lod::Gradient),
        geometry: header.kind.geometry(),
        coord: CoordType::F32,
        result: ResultType::F32,
        offset: wanted.offset.is_some(),
        compare: false,
    };
    Ok(reference::fetch(form, &texture, &sampler, &operands)?.values)
}
