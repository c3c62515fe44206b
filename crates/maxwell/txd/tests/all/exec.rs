//! Executes TXD for the fetch cases with PTX `tex.grad`, with headers and block-linear memory.

use std::path::Path;

use proptest::prelude::*;
use texunit_cases::{Access, Answer, BuiltFetch, Case, Expected, load, random_unit_case};
use texunit_sass::descriptor::{
    Descriptor, DescriptorError, Place, TextureType, encode_sampler, encode_texture, header,
};
use texunit_sass::txd::{AOFFI, BINDLESS, INDEX, MASK, PARAM, PS, RA, RB, RD};
use texunit_sass::{Arch, Txd};
use texunit_txd::exec::{ExecError, State, execute};
use texunit_unit::{FetchKind, Geometry, Layout, Lod, ResultType};

const TEXELS: u64 = 0x5_0000_0000;
const HEADERS: u64 = 0x1_0000_0000;
const SAMPLERS: u64 = 0x2_0000_0000;

/// The value of the coordinate description `paramA` for a geometry; `None` if TXD does not have the
/// geometry.
fn coordinates(geometry: Geometry) -> Option<u64> {
    match geometry {
        Geometry::D1 => Some(0),
        Geometry::A1d => Some(1),
        Geometry::D2 => Some(2),
        Geometry::A2d => Some(3),
        _ => None,
    }
}

/// Whether TXD can express the case. A header has the geometry of its texels; an instruction of
/// another geometry uses a header of its own (docs/numerics.md 1.13), which crate `device` creates
/// and tests.
fn is_txd(built: &BuiltFetch) -> bool {
    let form = built.form;
    form.kind == FetchKind::Sample(Lod::Gradient)
        && form.geometry == built.texture.resource.geometry()
        && !form.compare
        && !matches!(form.result, ResultType::F16 | ResultType::F16x2)
        && coordinates(form.geometry).is_some()
        && built.texture.resource.layout() != Layout::Linear
}

/// The state of a warp for the texture of a case: its header has index 5, its sampler index 3, and
/// word 0x105 of the constant bank is the handle.
fn state(built: &BuiltFetch, place: Place) -> Result<State, DescriptorError> {
    let mut state = State::new(Arch::Sm52);
    let texture = encode_texture(&built.texture, built.sampler.srgb, place)?;
    let sampler = encode_sampler(&built.sampler)?;
    for (address, bytes) in texture.regions {
        state.memory.map(address, bytes).unwrap();
    }
    let bytes = |words: [u32; 8]| words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>();
    state.memory.map(HEADERS + 5 * 32, bytes(texture.header.0)).unwrap();
    state.memory.map(SAMPLERS + 3 * 32, bytes(sampler.0)).unwrap();
    (state.headers.address, state.headers.max_index) = (HEADERS, 5);
    (state.samplers.address, state.samplers.max_index) = (SAMPLERS, 3);
    state.constants = vec![0xff; 0x105 * 4];
    state.constants.extend(0x0030_0005u32.to_le_bytes());
    Ok(state)
}

/// Executes every fetch of a case as a TXD, and returns the results.
fn run(built: &BuiltFetch, state: &mut State, bindless: bool) -> Result<Vec<Answer>, ExecError> {
    let form = built.form;
    let txd = Txd::PLAIN
        .with(&PARAM, coordinates(form.geometry).unwrap())
        .with(&AOFFI, form.offset.into())
        .with(&BINDLESS, bindless.into())
        .with(&INDEX, 0x105)
        .with(&MASK, 0xf)
        .with(&RD, 12)
        .with(&RA, 4)
        .with(&RB, 8)
        .with(&PS, 2);
    let array = form.geometry.is_array();
    let two = form.geometry.axes() == 2;
    let mut answers = Vec::new();
    for warp in built.operands.chunks(32) {
        for (lane, operands) in warp.iter().enumerate() {
            let [u, v, _] = operands.offset;
            // A 1D texture without layers uses the whole packed offset field for u.
            let packed = if two { u & 15 | (v & 15) << 4 } else { u & 0xff };
            let index = if array { operands.coords.layer.min(0xffff) } else { 0 };
            let mut ra = vec![0x0030_0005; usize::from(bindless)];
            ra.extend(&operands.coords.point[..1 + usize::from(two)]);
            if array || form.offset {
                ra.push(index | (packed as u32) << 16);
            }
            let mut rb = vec![operands.dpdx[0], operands.dpdy[0]];
            rb.extend([operands.dpdx[1], operands.dpdy[1]]);
            for (first, values) in [(4, ra), (8, rb)] {
                for (n, value) in values.into_iter().enumerate() {
                    state.registers[first + n][lane] = value;
                }
            }
        }
        let lanes = u32::MAX >> (32 - warp.len());
        state.active = lanes;
        let outcome = execute(&txd, state)?;
        assert_eq!((outcome.lanes, outcome.invalid), (lanes, 0));
        answers.extend((0..warp.len()).map(|lane| Answer {
            values: std::array::from_fn(|c| state.registers[12 + c][lane]),
            resident: state.predicates[2] >> lane & 1 == 0,
        }));
    }
    Ok(answers)
}

/// Runs a case. Returns the number of fetches, or the field that a descriptor cannot express;
/// `None` if TXD cannot express the case.
fn replay(case: &Case) -> Option<Result<usize, String>> {
    let Access::Fetch(fetch) = &case.access else { return None };
    let built = fetch.build().ok()?;
    if !is_txd(&built) || matches!(built.expected, Expected::Error(_)) {
        return None;
    }
    let expected = built.planned().ok()?;
    for (log2_height, bindless) in [(0, false), (3, true)] {
        let place = Place { address: TEXELS, log2_height, log2_depth: 0 };
        let mut state = match state(&built, place) {
            Ok(state) => state,
            Err(DescriptorError::Inexpressible { field, .. }) => {
                let (most, bias) = (built.sampler.max_anisotropy, built.sampler.level_bias * 256.0);
                let fits = match field {
                    "max_anisotropy" => [1, 2, 4, 6, 8, 10, 12, 16].contains(&most),
                    "mip_lod_bias" => bias.fract() == 0.0 && bias.abs() < 4096.0,
                    _ => false,
                };
                assert!(!fits, "{}: {field} has a place for {most}, {bias}/256", case.name);
                return Some(Err(field.into()));
            }
            Err(error) => panic!("{}: {error}", case.name),
        };
        let answers = run(&built, &mut state, bindless);
        let answers = answers.unwrap_or_else(|error| panic!("{}: {error}", case.name));
        assert_eq!(answers.len(), expected.len());
        for (n, (ours, unit)) in answers.iter().zip(&expected).enumerate() {
            assert_eq!(ours, unit, "{} fetch {n}: {:?}", case.name, built.operands[n]);
        }
        if let Expected::Values(values) = &built.expected {
            let agrees = values.iter().zip(&answers).all(|(value, answer)| value.agrees(answer));
            assert!(agrees, "{}", case.name);
        }
        assert!(state.textures_read() <= 1);
    }
    Some(Ok(expected.len()))
}

#[test]
fn the_cases_of_tex_grad() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fetch");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    files.sort();
    let (mut cases, mut fetches, mut lacking) = (0, 0, Vec::new());
    for file in files {
        for case in load(&file).unwrap().cases {
            match replay(&case) {
                Some(Ok(count)) => (cases, fetches) = (cases + 1, fetches + count),
                Some(Err(field)) => lacking.push((case.name, field)),
                None => {}
            }
        }
    }
    assert!(cases >= 64 && fetches >= 70_000, "{cases} {fetches} {lacking:?}");
    // These fields are expected, because three bits of anisotropy and a bias in 1/256 cannot
    // express all of CUDA's values.
    lacking.retain(|(_, field)| field != "max_anisotropy" && field != "mip_lod_bias");
    assert!(lacking.is_empty(), "{lacking:?}");
}

#[test]
fn random_cases_of_tex_grad() {
    let (mut cases, mut lacking) = (0, 0);
    for index in 0..8000 {
        match replay(&random_unit_case(11, index)) {
            Some(Ok(_)) => cases += 1,
            Some(Err(_)) => lacking += 1,
            None => {}
        }
    }
    assert!(cases >= 190, "{cases}, and {lacking} that have no descriptors");
}

/// PTX's `.1d` in unified mode is assembled as 2D with t = 0: with a header of type 2D and height
/// 1, the results equal the unit's 1D texture bit for bit.
#[test]
fn one_dimension_as_a_row_of_two() {
    let mut cases = 0;
    for index in 0..6000 {
        let Access::Fetch(fetch) = random_unit_case(11, index).access else { continue };
        let Ok(built) = fetch.build() else { continue };
        if !is_txd(&built) || built.form.geometry != Geometry::D1 {
            continue;
        }
        let Ok(expected) = built.planned() else { continue };
        let place = Place { address: TEXELS, log2_height: 0, log2_depth: 0 };
        let Ok(mut state) = state(&built, place) else { continue };
        let at = HEADERS + 5 * 32;
        let bytes = state.memory.unmap(at).unwrap();
        let words = bytes.chunks_exact(4).map(|w| u32::from_le_bytes(w.try_into().unwrap()));
        let mut header = Descriptor(words.collect::<Vec<_>>().try_into().unwrap());
        header::TYPE.set(&mut header, TextureType::D2 as u32);
        let bytes = header.0.iter().flat_map(|w| w.to_le_bytes()).collect();
        state.memory.map(at, bytes).unwrap();
        let mut row = built.clone();
        row.form.geometry = Geometry::D2;
        for operands in &mut row.operands {
            operands.offset[1] = operands.offset[0] >> 4;
        }
        assert_eq!(run(&row, &mut state, false).unwrap(), expected, "case {index}");
        cases += 1;
    }
    assert!(cases >= 10, "{cases}");
}

/// A texture of 4 x 4 texels with the value 5, sampled with a point filter.
fn simple() -> State {
    let text = r#"
        [constants]
        "0" = { header = 0 }
        "1" = { header = 0, sampler = 1 }
        [registers]
        R4 = 0.5
        [[texture]]
        index = 0
        format = "f32"
        size = [4, 4]
        address = 0x10000
        texels = { ramp = { as = "f32", first = 5, step = 0 } }
        [[sampler]]
        index = 0
        [[sampler]]
        index = 1
        filter_mode = "linear"
    "#;
    texunit_txd::state_file::parse(text).unwrap()
}

fn txd(text: &str) -> Txd {
    texunit_sass::parse::parse(text).unwrap().txd
}

#[test]
fn textures_are_read_once_until_memory_is_written() {
    let mut state = simple();
    for text in ["TXD R0, R4, R8, 0x0, 2D, 0x1", "TXD.AOFFI R0, R4, R8, 0x1, 2D, 0x1"] {
        for _ in 0..3 {
            execute(&txd(text), &mut state).unwrap();
            assert_eq!(f32::from_bits(state.registers[0][31]), 5.0);
            assert_eq!(state.textures_read(), 1);
        }
    }
    let before = state.clone();
    state.memory.write(0x10008, &7.0f32.to_le_bytes()).unwrap();
    execute(&txd("TXD R0, R4, R8, 0x0, 2D, 0x1"), &mut state).unwrap();
    assert_eq!(f32::from_bits(state.registers[0][31]), 7.0);
    // The copy of a state has memory of its own, which other copies do not change.
    let mut copy = before;
    execute(&txd("TXD R0, R4, R8, 0x0, 2D, 0x1"), &mut copy).unwrap();
    assert_eq!(f32::from_bits(copy.registers[0][31]), 5.0);
}

#[test]
fn the_end_of_the_constant_bank() {
    let mut state = simple();
    let error = execute(&txd("TXD R0, R4, R8, 0x2, 2D, 0x1"), &mut state).unwrap_err();
    assert_eq!(error, ExecError::Constant { index: 2, bytes: 8 });
    // A word of which the bank has only half cannot be read.
    state.constants.truncate(6);
    assert!(execute(&txd("TXD R0, R4, R8, 0x1, 2D, 0x1"), &mut state).is_err());
    assert!(execute(&txd("TXD R0, R4, R8, 0x0, 2D, 0x1"), &mut state).is_ok());
}

#[test]
fn a_pool_that_is_not_in_memory() {
    let mut state = simple();
    state.headers.max_index = 9;
    state.constants[0] = 9;
    let error = execute(&txd("TXD R0, R4, R8, 0x0, 2D, 0x1"), &mut state).unwrap_err().to_string();
    assert_eq!(error, "texture header 9: the 32 bytes at 0x7f0000000120 are not all in memory");
    state.headers.address = u64::MAX;
    assert!(execute(&txd("TXD R0, R4, R8, 0x0, 2D, 0x1"), &mut state).is_err());
}

proptest! {
    /// Any word with any registers, handles and descriptors gives a result or an error.
    #[test]
    fn nothing_panics(
        bits: u64, words: [[u32; 8]; 2], registers in prop::collection::vec(any::<[u32; 32]>(), 16),
        header: bool, sampler: bool, masks: [u32; 3],
    ) {
        let Ok(txd) = Txd::decode(bits & 0x007f_fff7_ff77_3f3f | 0xde << 56, Txd::PLAIN.control, Arch::Sm52)
        else { return Ok(()) };
        let mut state = simple();
        let bytes = |w: [u32; 8]| w.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<_>>();
        if header {
            state.memory.write(state.headers.address, &bytes(words[0])).unwrap();
        }
        if sampler {
            state.memory.write(state.samplers.address, &bytes(words[1])).unwrap();
        }
        for (to, from) in state.registers.iter_mut().zip(&registers) {
            *to = *from;
        }
        // Some registers get valid handles.
        for register in 0..64 {
            state.registers[register][0] &= 0xfff0_0000;
        }
        [state.active, state.killed, state.predicates[3]] = masks;
        let aligned = txd.with(&RD, 0).with(&RA, 4).with(&RB, 8);
        for txd in [txd, aligned.with(&PARAM, txd.get(&PARAM) & 3), aligned.with(&INDEX, 1)] {
            let before = state.clone();
            if execute(&txd, &mut state).is_err() {
                prop_assert!(before.registers == state.registers);
                prop_assert!(before.predicates == state.predicates);
            }
        }
    }

    /// A damaged state file gives a state, or an error with a position.
    #[test]
    fn damaged_state_files(at in any::<prop::sample::Index>(), cut in 0usize..12, text in "[0-9a-fx\\[\\]\"=.,{}\n -]{0,12}") {
        let own = include_str!("../../../../../tests/cli/sass/exec.toml");
        let start = at.index(own.len());
        let end = (start + cut).min(own.len());
        let damaged = format!("{}{text}{}", &own[..start], &own[end..]);
        match texunit_txd::state_file::parse(&damaged) {
            Ok(mut state) => {
                let _ = execute(&txd("TXD R0, R4, R8, 0x105, 2D, 0xb"), &mut state);
            }
            Err(error) => prop_assert!(!error.message.is_empty()),
        }
    }
}
