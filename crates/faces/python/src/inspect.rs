//! Returns intermediate values of many fetches as arrays, for `texunit/plot.py`.

use crate::array::Out;
use crate::error::OrRaise;
use crate::operands::{OF_SAMPLES, Operands, Vectors};
use crate::texture::Texture;
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use texunit_sample::{Action, Call, Dtype};
use texunit_unit::reference::trace::{AxisTrace, Footprint, TexelTrace, Trace};
use texunit_unit::{
    Coords, FetchForm, FetchOperands, ResultType, Sampler, Texture as Header, reference,
};

/// The result and intermediate values of one fetch, which become a row of the returned arrays.
struct FetchRow {
    result: Vec<f64>,
    exact: Vec<f64>,
    level: f64,
    taps: i32,
    texels: i32,
    /// Weights of the texels (corners) of the first footprint: rounded as by the hardware, and
    /// exact.
    weights: [Vec<f64>; 2],
    /// The maximum difference between a rounded weight and its exact value.
    weight_error: f64,
}

/// The instruction, texture and sampler of the fetches.
struct Source<'a> {
    form: FetchForm,
    texture: &'a Header,
    sampler: &'a Sampler,
}

impl Source<'_> {
    fn trace(&self, operands: &FetchOperands) -> PyResult<Trace> {
        let trace = reference::trace(self.form, self.texture, self.sampler, operands);
        trace.map_err(|why| PyValueError::new_err(why.to_string()))
    }

    fn row(&self, operands: &FetchOperands, channels: usize, corners: usize) -> PyResult<FetchRow> {
        let trace = self.trace(operands)?;
        let words = trace.answer.values;
        let result = (0..channels).map(|i| number(trace.form.result, words[i])).collect();
        let footprints = &trace.footprints;
        let mut exact = vec![0.0; channels];
        for number in 0..footprints.len() {
            self.add_exact(&trace, number, &mut exact)?;
        }
        let mut weights = [vec![0.0; corners], vec![0.0; corners]];
        if let Some(first) = footprints.first() {
            let share = f64::from(first.share.max(1));
            for texel in &first.texels {
                let [x, y, z] = texel.corner.map(usize::from);
                let corner = (x | y << 1 | z << 2).min(corners - 1);
                weights[0][corner] += f64::from(texel.weight) / share;
                weights[1][corner] += texel.exact * weight_sum(first) / share;
            }
        }
        // The exact weights are computed from the axes, because the footprint lacks texels whose
        // weight was rounded to zero.
        if let Some(first) = footprints.first().filter(|_| trace.cube.is_none()) {
            for (corner, weight) in weights[1].iter_mut().enumerate() {
                let parts = first.axes.iter().enumerate().map(|(i, axis)| {
                    if corner >> i & 1 == 1 { upper(axis) } else { 1.0 - upper(axis) }
                });
                *weight = if corner >> first.axes.len() == 0 { parts.product() } else { 0.0 };
            }
        }
        let distances = footprints.iter().flat_map(|footprint| {
            let whole = weight_sum(footprint);
            footprint.texels.iter().map(move |t| (f64::from(t.weight) / whole - t.exact).abs())
        });
        Ok(FetchRow {
            result,
            exact,
            level: trace.level.q as f64 / 256.0,
            taps: footprints.iter().map(|f| f.tap.0 as i32 + 1).max().unwrap_or(0),
            texels: footprints.iter().map(|f| f.texels.len() as i32).sum(),
            weights,
            weight_error: distances.fold(0.0, f64::max),
        })
    }

    /// Adds a footprint with the weights that its texels have before rounding, at the unit's level
    /// and tap.
    fn add_exact(&self, trace: &Trace, number: usize, sums: &mut [f64]) -> PyResult<()> {
        let footprint = &trace.footprints[number];
        let share = f64::from(footprint.share) / weight_sum(footprint);
        let moved = self.moved(trace, number)?;
        let (texels, is_moved) = match &moved {
            Some(moved) => (&moved.texels, true),
            None => (&footprint.texels, false),
        };
        for texel in texels {
            let weight = match is_moved {
                false => texel.exact,
                true => (footprint.axes.iter().zip(texel.corner))
                    .map(|(axis, corner)| if corner == 0 { 1.0 - upper(axis) } else { upper(axis) })
                    .fold(share, |weight, part| weight * part),
            };
            // A texel without weight is skipped, since 0 times an infinite value is NaN.
            if weight == 0.0 {
                continue;
            }
            for (component, sum) in (0..).zip(&mut *sums) {
                *sum += weight * value(trace, texel, trace.channel_of(component) as usize);
            }
        }
        Ok(())
    }

    /// The footprint with all texels whose weight is nonzero before rounding. It differs from the
    /// unit's footprint in two cases: rounding has carried a coordinate to the next texel, or a
    /// weight was rounded to 0. It is computed as the footprint of the point in the middle between
    /// the texels. `None` if no texel is missing, or on a cube face, where the previous texel may
    /// be on another face.
    fn moved(&self, trace: &Trace, number: usize) -> PyResult<Option<Footprint>> {
        let footprint = &trace.footprints[number];
        let is_carried = footprint.axes.iter().any(|axis| axis.exact < 0.0);
        let between = footprint.axes.iter().filter(|axis| axis.exact != 0.0).count();
        let is_whole = !is_carried && footprint.texels.len() >= 1 << between;
        if is_whole || trace.cube.is_some() {
            return Ok(None);
        }
        let mut operands = trace.operands;
        let extent = footprint.extent.axes();
        for (i, axis) in footprint.axes.iter().enumerate().filter(|(_, axis)| axis.exact != 0.0) {
            let texel = match trace.effective.coords {
                Coords::Normalized => 1.0 / f64::from(extent[i]),
                _ => 1.0,
            };
            let lower = if axis.exact < 0.0 { 1.0 } else { 0.0 };
            let to_middle = (0.5 - axis.exact - lower) * texel;
            let at = f64::from(f32::from_bits(operands.coords.point[i])) + to_middle;
            operands.coords.point[i] = (at as f32).to_bits();
        }
        let mut all = self.trace(&operands)?.footprints;
        if all.len() != trace.footprints.len() {
            return Ok(None);
        }
        let moved = all.swap_remove(number);
        let mut axes = moved.axes.iter().zip(&footprint.axes);
        let is_there =
            axes.all(|(moved, own)| moved.index + i64::from(own.exact < 0.0) == own.index);
        Ok((is_there && moved.level == footprint.level).then_some(moved))
    }
}

/// The sum of all weights of a footprint: 256, or more with several taps.
fn weight_sum(footprint: &Footprint) -> f64 {
    f64::from(256_u32 << footprint.scale)
}

/// The weight of an axis's upper texel before rounding. If rounding has carried the coordinate to
/// the next texel, it is the weight of that texel.
fn upper(axis: &AxisTrace) -> f64 {
    if axis.exact < 0.0 { 1.0 + axis.exact } else { axis.exact }
}

fn value(trace: &Trace, texel: &TexelTrace, channel: usize) -> f64 {
    match texel.compared {
        Some(passes) => f64::from(u8::from(passes)),
        None => number(trace.form.result, texel.values[channel]),
    }
}

fn number(ty: ResultType, word: u32) -> f64 {
    match ty {
        ResultType::U32 => f64::from(word),
        ResultType::S32 => f64::from(word as i32),
        _ => f64::from(f32::from_bits(word)),
    }
}

/// The steps of many samples, in arrays with one row for each. ``result`` and ``exact`` have an
/// axis of channels, ``weights`` and ``exact_weights`` an axis of corners; ``level``, ``taps``,
/// ``texels`` and ``weight_error`` have no further axis.
#[pyfunction]
#[pyo3(signature = (texture, xy, **keywords),
       text_signature = "(texture, xy, *, lod=None, grad=None, layer=None, offset=None, \
                         compare=None)")]
pub(crate) fn _inspect<'py>(
    py: Python<'py>,
    texture: &Bound<'py, Texture>,
    xy: Bound<'py, PyAny>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let made = texture.get().made();
    if made.result().0 != ResultType::F32 {
        return Err(PyTypeError::new_err(
            "integers read as elements are not filtered: read them as normalized",
        ));
    }
    let points = (Action::Sample, Vectors::of("coordinates", &xy)?);
    let operands = Operands::new(("_inspect", &OF_SAMPLES[..5]), points, keywords, made)?;
    let call = operands.call(made)?;
    let fetches = call.fetches();
    if fetches == 0 {
        return Err(PyValueError::new_err("there are no fetches"));
    }
    let channels = call.byte_size() / 4 / fetches;
    // A face of a cube has two axes.
    let corners = 1 << made.resource().geometry().axes();
    let rows = py.detach(|| rows(&call, made, (channels, corners)))?;
    let dict = PyDict::new(py);
    let put =
        |name: &str, each: Option<usize>, values: &dyn Fn(&FetchRow) -> &[f64]| -> PyResult<()> {
            let shape: Vec<usize> = [fetches].into_iter().chain(each).collect();
            let mut out = Out::new(py, None, &shape, Dtype::F64)?;
            let all = rows.iter().flat_map(values).map(|value| value.to_le_bytes());
            out.bytes().as_chunks_mut().0.iter_mut().zip(all).for_each(|(to, value)| *to = value);
            dict.set_item(name, out.finish()?)
        };
    put("result", Some(channels), &|row| &row.result)?;
    put("exact", Some(channels), &|row| &row.exact)?;
    put("weights", Some(corners), &|row| &row.weights[0])?;
    put("exact_weights", Some(corners), &|row| &row.weights[1])?;
    put("level", None, &|row| std::slice::from_ref(&row.level))?;
    put("weight_error", None, &|row| std::slice::from_ref(&row.weight_error))?;
    let whole = |name: &str, value: &dyn Fn(&FetchRow) -> i32| -> PyResult<()> {
        let mut out = Out::new(py, None, &[fetches], Dtype::S32)?;
        let all = rows.iter().map(|row| value(row).to_le_bytes());
        out.bytes().as_chunks_mut().0.iter_mut().zip(all).for_each(|(to, value)| *to = value);
        dict.set_item(name, out.finish()?)
    };
    whole("taps", &|row| row.taps)?;
    whole("texels", &|row| row.texels)?;
    Ok(dict)
}

fn rows(
    call: &Call<'_>,
    made: &texunit_sample::Texture,
    (channels, corners): (usize, usize),
) -> PyResult<Vec<FetchRow>> {
    let source = Source { form: call.form(), texture: made.header(), sampler: made.sampler() };
    let row = |index| -> PyResult<FetchRow> {
        source.row(&call.operands(index).or_raise()?, channels, corners)
    };
    let mut rows = Vec::new();
    let room = rows.try_reserve_exact(call.fetches());
    room.map_err(|_| PyMemoryError::new_err("there is not enough memory for so many fetches"))?;
    for index in 0..call.fetches() {
        rows.push(row(index)?);
    }
    Ok(rows)
}
