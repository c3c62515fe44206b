//! Workloads that the cases of `texunit bench` do not cover, each of which a line of `others.txt`
//! describes.

use texunit_texel::Format;
use texunit_unit::{
    AddressMode, CompareFunction, CoordType, Coordinates, Extent, FetchKind, FetchOperands, Filter,
    Geometry, Lod, ReadMode, ResultType,
};
use texunit_workloads::cases::plane;
use texunit_workloads::points::{
    at, direction_coherent, direction_random, level_coherent, plane_coherent, plane_random,
    space_coherent, space_random,
};
use texunit_workloads::workload::Workload;

const STEP: f32 = 1.0 / 1024.0;
const LAYERS: u32 = 4;

/// The operands of fetch `i` at a point, also those that only some instructions have: a layer that
/// changes every 256 fetches, a sample, a level, and the gradients of a plane that is seen at an
/// oblique angle, of 9 and 1.5 texels of the largest level.
fn operands<const N: usize>(i: u32, point: [f32; N]) -> FetchOperands {
    let mut all = FetchOperands { offset: [1, -1, 0], compare: 0.5_f32.to_bits(), ..at(point) };
    (all.coords.layer, all.coords.sample) = (i >> 8 & (LAYERS - 1), i & 1);
    all.level = level_coherent(i).level;
    let [long, short] = [9.0 * STEP, 1.5 * STEP].map(f32::to_bits);
    (all.dpdx, all.dpdy) = ([long, short, short], [short; 3]);
    all
}

/// The operands of fetches with integer coordinates.
fn integers(i: u32) -> FetchOperands {
    let Coordinates { layer, sample, .. } = operands(i, [0.0]).coords;
    let coords = Coordinates { layer, sample, point: [i & 1023, i >> 10 & 1023, 0] };
    FetchOperands { coords, ..FetchOperands::default() }
}

/// The operands for a geometry, at coherent or at random points.
fn operands_of(geometry: Geometry, is_random: bool) -> fn(u32) -> FetchOperands {
    match (geometry.is_cube(), geometry.axes(), is_random) {
        (true, _, false) => |i| operands(i, direction_coherent(i)),
        (true, _, true) => |i| operands(i, direction_random(i)),
        (false, 3, false) => |i| operands(i, space_coherent(i)),
        (false, 3, true) => |i| operands(i, space_random(i)),
        (false, _, false) => |i| operands(i, plane_coherent(i, STEP)),
        (false, _, true) => |i| operands(i, plane_random(i)),
    }
}

/// The workload that a line describes.
fn workload(line: &str) -> Workload {
    let (format, words) = line.split_once(' ').unwrap_or((line, ""));
    let format = Format::from_name(format).unwrap();
    let mut made = plane(line, format, Filter::Linear, AddressMode::Wrap);
    let (mut size, mut is_mipmapped, mut is_random) = (1024, false, false);
    for word in words.split(' ').filter(|word| !word.is_empty()) {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        match key {
            "size" => size = value.parse().unwrap(),
            "random" => is_random = true,
            "element" => made.read_mode = ReadMode::Element,
            "sparse" => made.is_sparse = true,
            "point" => made.sampler.filter = Filter::Point,
            "mode" => {
                made.sampler.address_mode = [AddressMode::from_name(value).unwrap(); 3];
            }
            "mip" => {
                made.sampler.mip_filter = Filter::from_name(value).unwrap();
                is_mipmapped = true;
            }
            "aniso" => made.sampler.max_anisotropy = value.parse().unwrap(),
            "srgb" => made.sampler.srgb = true,
            "seamless" => made.sampler.seamless_cube = true,
            "level" => made.form.kind = FetchKind::Sample(Lod::Level),
            "grad" => made.form.kind = FetchKind::Sample(Lod::Gradient),
            "gather" => {
                made.form.kind = FetchKind::Gather(value.parse().unwrap());
                made.components = 0xf;
            }
            "offset" => made.form.offset = true,
            "compare" => {
                made.form.compare = true;
                made.sampler.compare = Some(CompareFunction::from_name(value).unwrap());
            }
            "integer" => made.form.coord = CoordType::S32,
            "f16" => made.form.result = ResultType::F16,
            "components" => made.components = value.parse().unwrap(),
            geometry => made.form.geometry = Geometry::from_name(geometry).unwrap(),
        }
    }
    let geometry = made.form.geometry;
    let [width, height, depth] = match (geometry.is_cube(), geometry.axes()) {
        (true, _) => [size / 2, size / 2, 1],
        (false, 1) => [size, 1, 1],
        (false, 2) => [size, size, 1],
        (false, _) => [size / 8; 3],
    };
    made.shape.geometry = geometry;
    made.shape.extent = Extent { width, height, depth };
    made.shape.layers = if geometry.is_array() { LAYERS } else { 1 };
    made.shape.samples = if geometry.is_multisample() { 2 } else { 1 };
    made.shape.levels = is_mipmapped.then(|| 1 + width.ilog2());
    let is_integer = made.form.coord == CoordType::S32;
    made.operands = if is_integer { integers } else { operands_of(geometry, is_random) };
    made
}

pub(crate) fn all() -> impl Iterator<Item = Workload> {
    let lines = include_str!("others.txt").lines();
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(workload)
}
