//! From footprints to registers: sums, depth compare, conversion, residency.

use super::Fetch;
use super::explain::{self, Named};
use super::gather;
use super::sum;
use super::trace::{ChannelTrace, FetchValue, Footprint, Step, TexelTrace};
use super::weights::{Group, TOTAL_BITS, Weighted, share_that_passes};
use crate::request::{FetchKind, ResultType};
use crate::sampler::{CompareFunction, Filter};
use texunit_texel::{Reading, f32_to_f16};

/// Rule 9.2: `reference FUNC texel`. Comparisons with NaN are false, but for `!=`.
pub(crate) fn compare(function: CompareFunction, reference: f32, texel: f32) -> bool {
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

/// Rule 2.6: results of type f16, to nearest. Rule 2.6 (open): ties to even.
pub(crate) fn half_result(bits: u32) -> u32 {
    f32_to_f16(bits).into()
}

/// Values in the registers of an instruction: halves are zero-extended (`.f16`) or packed, component
/// 0 low (`.f16x2`); other types get the bits that the texture yields.
pub(crate) fn registers(result: ResultType, values: [u32; 4]) -> [u32; 4] {
    let halves = values.map(half_result);
    match result {
        ResultType::F32 | ResultType::S32 | ResultType::U32 => values,
        ResultType::F16 => halves,
        ResultType::F16x2 => [halves[1] << 16 | halves[0], halves[3] << 16 | halves[2], 0, 0],
    }
}

/// Sums, conversions and the answer.
pub(super) fn results(
    fetch: &Fetch<'_>,
    footprints: &[Footprint],
) -> (Vec<ChannelTrace>, FetchValue) {
    let resident = footprints.iter().flat_map(|f| &f.texels).all(|t| t.resident);
    let mut channels: Vec<ChannelTrace> = (0..4).map(|c| channel(fetch, footprints, c)).collect();
    for channel in &mut channels {
        if !resident {
            *channel = ChannelTrace { steps: vec![explain::not_resident()], result: 0 };
        }
    }
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

/// A component, as f32 or integer bits.
fn channel(fetch: &Fetch<'_>, footprints: &[Footprint], c: usize) -> ChannelTrace {
    let (result, steps) = match footprints {
        [Footprint { texels, .. }] if fetch.is_gather() => gathered(fetch, &texels[c]),
        [Footprint { texels, .. }] if fetch.effective.filter == Filter::Point => {
            single(fetch, &texels[0], c)
        }
        _ => sums(fetch, footprints, c),
    };
    ChannelTrace { steps, result }
}

/// Section 8.
fn gathered(fetch: &Fetch<'_>, texel: &TexelTrace) -> (u32, Vec<Step>) {
    let component = match fetch.form.kind {
        FetchKind::Gather(component) => usize::from(component),
        FetchKind::Sample(_) => 0,
    };
    let (reading, code) = (fetch.readings[component], texel.codes[component]);
    let value = gather::value(reading, code, texel.compared);
    (value, explain::gathered(component, texel, value, reading))
}

/// Section 2, "Point-sampled values".
fn single(fetch: &Fetch<'_>, texel: &TexelTrace, c: usize) -> (u32, Vec<Step>) {
    match texel.compared {
        _ if texel.at.is_none() && fetch.effective.address_mode.is_none() => {
            (0, vec![explain::outside()])
        }
        Some(passes) => {
            let value = share_that_passes(u32::from(passes) << TOTAL_BITS);
            (value, vec![explain::compared(passes)])
        }
        None => (texel.values[c], explain::point(fetch.readings[c], texel.codes[c])),
    }
}

/// Section 2, "Sum".
fn sums(fetch: &Fetch<'_>, footprints: &[Footprint], c: usize) -> (u32, Vec<Step>) {
    if fetch.effective.compare.is_some() {
        let passing = footprints.iter().flat_map(|f| f.texels.iter().map(move |t| (f, t)));
        let weight = passing
            .filter(|(_, t)| t.compared == Some(true))
            .map(|(f, t)| t.weight * f.tap.1)
            .sum();
        return (share_that_passes(weight), vec![explain::passing(weight)]);
    }
    let groups: Vec<(String, u32, Vec<Weighted>)> = footprints
        .iter()
        .flat_map(|f| (0..2).map(move |z| group(f, z, c)))
        .filter(|(_, _, texels)| !texels.is_empty())
        .collect();
    let named: Vec<Named<'_>> = groups
        .iter()
        .map(|(name, tap, texels)| Named { name, group: Group { texels, tap: *tap } })
        .collect();
    let plain: Vec<Group<'_>> = named.iter().map(|n| n.group).collect();
    let reading = fetch.readings[c];
    let result = sum::sum(reading, &plain).unwrap_or_else(|| integer_blend(reading));
    (result, explain::sum(reading, &named, result))
}

/// The texels of a slice of a footprint: its name, the weight of its tap, codes and weights.
fn group(footprint: &Footprint, z: u8, c: usize) -> (String, u32, Vec<Weighted>) {
    let slice = footprint.texels.iter().filter(|t| t.corner[2] == z);
    let texels = slice.map(|t| Weighted { code: t.codes[c], weight: t.weight }).collect();
    (explain::group_name(footprint, z), footprint.tap.1, texels)
}

/// Integers have no sum: `resolve` refuses fetches that would blend them.
fn integer_blend(reading: Reading) -> u32 {
    unreachable!("`resolve` has refused sums of {reading:?}")
}
