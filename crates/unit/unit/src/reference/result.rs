//! The final stage: sums, depth compare, conversion and residency turn footprints into the
//! registers of the result.

use super::Fetch;
use super::explain::{self, NamedGroup};
use super::gather;
use super::sum;
use super::trace::{ChannelTrace, FetchValue, Footprint, Step, TexelTrace};
use super::weights::{Group, Weighted, share_that_passes};
use crate::request::{FetchKind, ResultType};
use crate::resource::TexelIndex;
use crate::sampler::CompareFunction;
use texunit_texel::{Reading, depth_code, f32_to_f16, normalized_code};

/// Rule 9.2 of docs/numerics.md: evaluates `reference FUNC texel`, given the bits of the reference
/// and the code of a texel. Formats of 16 and of 24 bits compare codes. Floats compare as numbers,
/// with subnormals as zeros. Comparisons with a NaN are false, except `!=`.
pub(crate) fn compare(
    function: CompareFunction,
    reading: Reading,
    reference: u32,
    code: u32,
) -> bool {
    let flushed = |bits: u32| {
        let x = f32::from_bits(bits);
        if x.is_subnormal() { 0.0 } else { x }
    };
    let (reference, texel) = match reading {
        Reading::F32 => (flushed(reference), flushed(code)),
        Reading::Unorm { bits: 24 } => (depth_code(reference) as f32, code as f32),
        // The codes of f16 and signed 16-bit texels are compared as unsigned codes of 16 bits, too.
        _ => (normalized_code(16, 0.0, reference) as f32, (code & 0xffff) as f32),
    };
    match function {
        CompareFunction::Never => false,
        CompareFunction::Less => reference < texel,
        CompareFunction::Equal => reference == texel,
        CompareFunction::LessEqual => reference <= texel,
        CompareFunction::Greater => reference > texel,
        CompareFunction::NotEqual => reference != texel,
        CompareFunction::GreaterEqual => reference >= texel,
        CompareFunction::Always => true,
    }
}

/// Rule 2.6 of docs/numerics.md: an f32 result as f16, rounded to nearest, ties to even.
pub(crate) fn half_result(bits: u32) -> u32 {
    f32_to_f16(bits).into()
}

/// Converts values to the registers of an instruction. f16 results are zero-extended (`.f16`) or
/// packed with component 0 low (`.f16x2`); other types receive the bits unchanged.
pub(crate) fn registers(result: ResultType, values: [u32; 4]) -> [u32; 4] {
    let halves = values.map(half_result);
    match result {
        ResultType::F32 | ResultType::S32 | ResultType::U32 => values,
        ResultType::F16 => halves,
        ResultType::F16x2 => [halves[1] << 16 | halves[0], halves[3] << 16 | halves[2], 0, 0],
    }
}

/// Computes the result from the footprints, with the trace of each channel.
pub(super) fn results(fetch: &Fetch, footprints: &[Footprint]) -> (Vec<ChannelTrace>, FetchValue) {
    // Rule 9.4 of docs/numerics.md: residency depends on the texels that have a weight; for a
    // gather, on all texels.
    let counts = |t: &TexelTrace| fetch.is_gather() || t.weight > 0;
    let resident = footprints.iter().flat_map(|f| &f.texels).all(|t| t.resident || !counts(t));
    let mut channels: Vec<ChannelTrace> = (0..4).map(|c| channel(fetch, footprints, c)).collect();
    let values = registers(fetch.form.result, std::array::from_fn(|c| channels[c].result));
    if matches!(fetch.form.result, ResultType::F16 | ResultType::F16x2) {
        for channel in &mut channels {
            let half = half_result(channel.result);
            channel.steps.push(explain::half(channel.result, half));
            channel.result = half;
        }
    }
    (channels, FetchValue { values, resident })
}

/// Computes one component of the result, as f32 or integer bits.
fn channel(fetch: &Fetch<'_>, footprints: &[Footprint], c: usize) -> ChannelTrace {
    let (result, steps) = match footprints {
        [Footprint { texels, .. }] if fetch.is_gather() => gathered(fetch, &texels[c]),
        [Footprint { texels, .. }] if !fetch.effective.sums => single(fetch, &texels[0], c),
        _ => sums(fetch, footprints, c),
    };
    ChannelTrace { steps, result }
}

/// Section 8 of docs/numerics.md: one component of a gather's result.
fn gathered(fetch: &Fetch<'_>, texel: &TexelTrace) -> (u32, Vec<Step>) {
    let component = match fetch.form.kind {
        FetchKind::Gather(component) => usize::from(component),
        FetchKind::Sample(_) => 0,
    };
    let (reading, code) = (fetch.readings[component], texel.codes[component]);
    let value = match texel.made_of {
        Some(three) => missing_corner(fetch, reading, component, three),
        None => gather::value(reading, code, texel.compared),
    };
    (value, explain::gathered(component, texel, value, reading))
}

/// Rule 8.7 of docs/numerics.md: the value that a gather computes for a texel that is missing at a
/// corner of a cube.
fn missing_corner(
    fetch: &Fetch<'_>,
    reading: Reading,
    component: usize,
    three: [TexelIndex; 3],
) -> u32 {
    let codes = three.map(|at| fetch.codes(at));
    let weights = gather::MISSING_CORNER;
    if fetch.effective.compare.is_some() {
        let passing = codes.iter().zip(weights).filter(|(t, _)| fetch.compares(t[0]) == Some(true));
        return share_that_passes(passing.map(|(_, weight)| weight).sum(), 0);
    }
    let weighted =
        |n: usize| Weighted { code: codes[n][component], weight: weights[n], read: true };
    sum::sum(reading, &[Group { texels: &[0, 1, 2].map(weighted), step: 0 }], 0)
}

/// Section 2, "Point-sampled values" of docs/numerics.md: value of a texel that is not filtered.
fn single(fetch: &Fetch<'_>, texel: &TexelTrace, c: usize) -> (u32, Vec<Step>) {
    let is_outside = texel.at.is_none() && fetch.effective.address_mode.is_none();
    match texel.compared {
        // Rule 9.3 of docs/numerics.md: the outcome of the depth compare replaces x.
        Some(_) if is_outside && c == 0 => (0, vec![explain::outside()]),
        Some(passes) if c == 0 => {
            (share_that_passes(256 * u32::from(passes), 0), vec![explain::compared(passes)])
        }
        _ if is_outside => (texel.values[c], vec![explain::outside()]),
        _ => (texel.values[c], explain::point(fetch.readings[c], texel.codes[c])),
    }
}

/// Section 2, "Sums" of docs/numerics.md: the filtered value of a channel.
fn sums(fetch: &Fetch<'_>, footprints: &[Footprint], c: usize) -> (u32, Vec<Step>) {
    let scale = footprints.first().map_or(0, |f| f.scale);
    if fetch.effective.compare.is_some() && c == 0 {
        let passing = footprints.iter().flat_map(|f| &f.texels);
        let passing = passing.filter(|t| t.compared == Some(true)).map(|t| t.weight).sum();
        return (share_that_passes(passing, scale), vec![explain::passing(passing, scale)]);
    }
    let slices = footprints.iter().flat_map(|f| (0..2).map(move |z| (f, z)));
    let groups: Vec<(String, u32, Vec<Weighted>)> = slices
        .map(|(f, z)| (explain::group_name(f, z), step_of(f, footprints), group(f, z, c)))
        .filter(|(_, _, texels)| !texels.is_empty())
        .collect();
    let named: Vec<NamedGroup<'_>> = groups
        .iter()
        .map(|(name, step, texels)| NamedGroup { name, group: Group { texels, step: *step } })
        .collect();
    let plain: Vec<Group<'_>> = named.iter().map(|n| n.group).collect();
    let reading = fetch.readings[c];
    let result = sum::sum(reading, &plain, scale);
    (result, explain::sum(reading, &named, scale, result))
}

/// The number of the adder's step that adds a footprint (sections 2 and 4.12 of docs/numerics.md).
/// Levels follow each other, and a step adds four taps.
fn step_of(footprint: &Footprint, all: &[Footprint]) -> u32 {
    let is_coarse = all.first().is_some_and(|fine| fine.level != footprint.level);
    4 * u32::from(is_coarse) + footprint.tap.0 / 4
}

/// The texels of one slice of a footprint: the codes of channel `c`, and the weights.
fn group(footprint: &Footprint, z: u8, c: usize) -> Vec<Weighted> {
    let slice = footprint.texels.iter().filter(|t| t.corner[2] == z);
    slice.map(|t| Weighted { code: t.codes[c], weight: t.weight, read: true }).collect()
}
