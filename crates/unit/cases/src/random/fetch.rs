//! Generates random fetch cases: a resource, a sampler, an instruction that is valid for them, and
//! operands.

use super::Scope;
use super::resource::{array, format, memory};
use crate::fetch::{Expected, FetchCase};
use crate::file::Access;
use crate::resource::ResourceSpec;
use std::sync::Arc;
use texunit_spec::rng::Random;
use texunit_texel::{Channel, Format};
use texunit_unit::{
    AddressMode, CompareFunction, CoordType, FetchForm, FetchKind, FetchOperands, Filter, Geometry,
    Layout, Lod, ReadMode, ResultType, Sampler,
};

pub(super) fn case(random: &mut Random, scope: Scope, fetches: u32) -> Access {
    let geometries = if scope == Scope::Unit { Geometry::ALL } else { &Geometry::ALL[..7] };
    let geometry = random.pick(geometries);
    let resource = resource(random, scope, geometry);
    let form = form(random, &resource);
    let (read_mode, sampler) = state(random, scope, &resource);
    let normalized_coords = resource.shape.level_count() > 1 || random.once_in(2);
    let form = FetchForm { result: result(random, resource.shape.format, read_mode, form), ..form };
    // Without the compare operand, the compare function has no effect (docs/numerics.md 9.2).
    let with_compare = FetchForm { compare: true, ..form };
    // `tex.grad.1d` with a compare operand is a true 1D fetch, as `.1d` with integer coordinates
    // is, and returns zeros from 1D and 2D arrays (docs/numerics.md 1.13).
    let line = form.geometry == Geometry::D1 && form.kind == FetchKind::Sample(Lod::Gradient);
    let possible = with_compare.why_impossible().is_none() && !line;
    let compares = sampler.compare.is_some() && possible;
    let form = if compares { with_compare } else { form };
    let offset = std::array::from_fn(|_| random.pick(&[-9, -8, -3, -1, 0, 1, 2, 7, 8, 31, -32]));
    let mut case = FetchCase {
        resource: Arc::new(resource),
        read_mode,
        normalized_coords,
        sampler,
        form,
        operands: Vec::new(),
        expected: Expected::Nothing,
        components: form.result.registers(),
        hash: None,
    };
    case.operands = (0..fetches).map(|_| operands(random, &case, offset)).collect();
    Access::Fetch(case)
}

fn resource(random: &mut Random, scope: Scope, geometry: Geometry) -> ResourceSpec {
    let memory_of = match geometry {
        Geometry::D1 => Some(Layout::Linear),
        Geometry::D2 => Some(Layout::Pitched),
        _ => None,
    };
    match memory_of {
        Some(layout) if random.once_in(6) => {
            let plain = |f: Format| !f.is_block() && !f.is_depth() && !f.is_normalized_kind();
            let format = format(random, scope, plain);
            memory(random, format, layout)
        }
        _ => {
            // docs/numerics.md 8.1: block formats have no 1D and no multi-sample arrays, depth
            // formats no 3D arrays.
            let accepts = match geometry {
                Geometry::D3 => |f: Format| !f.is_depth(),
                _ if geometry.axes() == 1 || geometry.is_multisample() => |f: Format| !f.is_block(),
                _ => |_: Format| true,
            };
            let format = format(random, scope, accepts);
            array(random, geometry, format, true)
        }
    }
}

/// The geometry of the resource, or another geometry of the same class (docs/numerics.md 1.13).
fn seen_as(random: &mut Random, resource: &ResourceSpec) -> Geometry {
    use Geometry::{A2d, Acube, Cube, D1, D2};
    let own = resource.shape.geometry;
    if resource.layout == Layout::Linear || !random.once_in(6) {
        return own;
    }
    match own {
        D1 | D2 | A2d => random.pick(&[D1, D2, A2d]),
        Cube | Acube => random.pick(&[Cube, Acube]),
        own => own,
    }
}

/// A random instruction: kind, geometry and coordinate type. The other properties are set later.
fn form(random: &mut Random, resource: &ResourceSpec) -> FetchForm {
    let geometry = seen_as(random, resource);
    // `.1d` with integer coordinates is a true 1D fetch, which returns zeros from 1D and 2D arrays,
    // because their headers are those of 2D textures (docs/numerics.md 1.13).
    let may_name = !geometry.is_cube() && geometry != Geometry::D1;
    let integers = resource.layout == Layout::Linear
        || geometry.is_multisample()
        || (may_name && random.once_in(8));
    let gathers =
        matches!(geometry, Geometry::D2 | Geometry::A2d | Geometry::Cube | Geometry::Acube);
    let kind = if integers {
        let one_level = geometry.is_multisample() || resource.layout == Layout::Linear;
        let lods: &[Lod] = if one_level { &[Lod::Implicit] } else { &[Lod::Implicit, Lod::Level] };
        FetchKind::Sample(random.pick(lods))
    } else if gathers && random.once_in(5) {
        FetchKind::Gather(random.below(4) as u8)
    } else {
        let lods = [Lod::Implicit, Lod::Base, Lod::Level, Lod::Level, Lod::Level, Lod::Gradient];
        FetchKind::Sample(random.pick(&lods))
    };
    let coord = if integers { CoordType::S32 } else { CoordType::F32 };
    let has_offset = !geometry.is_cube() && !geometry.is_multisample();
    let plain = FetchForm::sample(geometry, coord, ResultType::F32);
    FetchForm { kind, offset: has_offset && random.once_in(4), ..plain }
}

/// A read mode and a sampler that are valid for the format (docs/numerics.md 8.1).
fn state(random: &mut Random, scope: Scope, resource: &ResourceSpec) -> (ReadMode, Sampler) {
    let format = resource.shape.format;
    let channel = format.plain_channel();
    let small = matches!(channel, Some(Channel::U8 | Channel::S8 | Channel::U16 | Channel::S16));
    let normalized =
        format.is_normalized_kind() || (small && !format.is_depth() && !random.once_in(3));
    let integers = channel.is_some_and(Channel::is_integer) && !normalized;
    let filter =
        |random: &mut Random| random.pick(&[Filter::Linear, Filter::Linear, Filter::Point]);
    let unit = scope == Scope::Unit;
    let mut modes =
        vec![AddressMode::Wrap, AddressMode::Mirror, AddressMode::Clamp, AddressMode::Border];
    if unit && random.once_in(4) {
        modes.push(AddressMode::ClampOgl);
    }
    let usual = random.pick(&modes);
    let mode = |random: &mut Random| if random.once_in(3) { random.pick(&modes) } else { usual };
    let color = |random: &mut Random| match random.below(8) {
        0 => random.word(),
        _ => random.between(-0.5, 1.5).to_bits(),
    };
    let levels = resource.shape.level_count() as f32;
    let clamped = random.once_in(4);
    let sampler = Sampler::default()
        .with_filter(filter(random))
        .with_mip_filter(filter(random))
        .with_address_modes(std::array::from_fn(|_| mode(random)))
        .with_border_bits(std::array::from_fn(|_| color(random)))
        .with_min_level_clamp(if clamped { random.between(0.0, levels) } else { 0.0 })
        .with_max_level_clamp(if clamped { random.between(0.0, levels) } else { 100.0 })
        .with_level_bias(if random.once_in(3) { random.between(-2.0, 2.0) } else { 0.0 })
        .with_max_anisotropy(if random.once_in(8) { random.pick(&[1, 2, 3, 4, 8, 16]) } else { 0 })
        .with_force_unnormalized_coords(
            unit && resource.shape.level_count() == 1 && random.once_in(8),
        )
        .with_srgb(format.is_srgb_block() || random.once_in(8))
        .with_seamless_cube(resource.shape.geometry.is_cube() && random.once_in(4))
        .with_compare((unit && !integers && random.once_in(8)).then(|| {
            use CompareFunction::{Greater, Less, LessEqual, NotEqual};
            random.pick(&[Less, LessEqual, Greater, NotEqual])
        }));
    (if normalized { ReadMode::NormalizedFloat } else { ReadMode::Element }, sampler)
}

/// A result type that fits the format: integers stay integers.
fn result(random: &mut Random, format: Format, read_mode: ReadMode, form: FetchForm) -> ResultType {
    let channel = format.plain_channel().filter(|_| read_mode == ReadMode::Element);
    match channel {
        Some(Channel::U8 | Channel::U16 | Channel::U32) => ResultType::U32,
        Some(Channel::S8 | Channel::S16 | Channel::S32) => ResultType::S32,
        _ if matches!(form.kind, FetchKind::Gather(_)) => ResultType::F32,
        _ => {
            use ResultType::{F16, F16x2, F32};
            random.pick(&[F32, F32, F32, F32, F16, F16x2])
        }
    }
}

fn operands(random: &mut Random, case: &FetchCase, offset: [i32; 3]) -> FetchOperands {
    let (form, shape) = (case.form, &case.resource.shape);
    let geometry = form.geometry;
    let mut operands = FetchOperands::default();
    if geometry.is_multisample() {
        operands.coords.sample = random.below(shape.samples + 2);
    }
    if geometry.is_array() {
        let layer = random.below(shape.layers + 2);
        operands.coords.layer = if random.once_in(20) { u32::MAX } else { layer };
    }
    let normalized = case.normalized_coords && !case.sampler.force_unnormalized_coords;
    for axis in 0..geometry.gradients() {
        let size = shape.extent.axes()[axis.min(geometry.axes() - 1)];
        operands.coords.point[axis] = if form.coord == CoordType::S32 {
            (random.below(size + 4) as i32 - 2) as u32
        } else if geometry.is_cube() {
            direction(random)
        } else {
            coordinate(random, size, normalized)
        };
    }
    if form.offset {
        operands.offset = offset;
        operands.offset[geometry.axes()..].fill(0);
    }
    let levels = shape.level_count();
    match form.kind {
        FetchKind::Sample(Lod::Level) => {
            operands.level = if form.coord == CoordType::S32 {
                random.below(levels + 2).wrapping_sub(1)
            } else {
                level(random, levels)
            };
        }
        FetchKind::Sample(Lod::Gradient) => {
            for axis in 0..geometry.gradients() {
                operands.dpdx[axis] = gradient(random);
                operands.dpdy[axis] = gradient(random);
            }
        }
        _ => {}
    }
    if form.compare {
        operands.compare = random.between(-1.0, 1.0).to_bits();
    }
    operands
}

/// The bits of a float operand: `near`, a float next to it, a zero, an infinity, a NaN, or random
/// bits.
fn strange(random: &mut Random, near: f32) -> u32 {
    let bits = near.to_bits();
    match random.below(12) {
        0 => 0,
        1 => 0x8000_0000,
        2 => 0x7fc0_0000,
        3 => 0x7f80_0000,
        4 => 0xff80_0000,
        5 => random.word(),
        6 => bits.wrapping_add(1),
        7 => bits.wrapping_sub(1),
        _ => bits,
    }
}

fn coordinate(random: &mut Random, size: u32, normalized: bool) -> u32 {
    let n = size as f32;
    let texels = match random.below(4) {
        // Edges and centres of texels, and positions between them in steps of 1/8 and 1/256.
        0 => (random.below(4 * size + 8) as f32 - 4.0) / 2.0,
        1 => (random.below(256) as f32) / 256.0 + random.below(size) as f32,
        _ => random.between(-0.5 * n - 1.0, 1.5 * n + 1.0),
    };
    let value = if normalized { texels / n } else { texels };
    if random.once_in(6) { strange(random, value) } else { value.to_bits() }
}

fn direction(random: &mut Random) -> u32 {
    let value = match random.below(4) {
        0 => random.pick(&[-1.0, 1.0, 0.0, 0.5, -0.5]),
        _ => random.between(-2.0, 2.0),
    };
    if random.once_in(20) { strange(random, value) } else { value.to_bits() }
}

fn level(random: &mut Random, levels: u32) -> u32 {
    let value = match random.below(3) {
        0 => (random.below(256 * levels + 256) as f32 - 128.0) / 256.0,
        _ => random.between(-1.5, levels as f32 + 0.5),
    };
    if random.once_in(8) { strange(random, value) } else { value.to_bits() }
}

fn gradient(random: &mut Random) -> u32 {
    let size = random.between(-14.0, 1.0).exp2();
    let value = if random.once_in(2) { size } else { -size };
    match random.below(10) {
        0 => strange(random, value),
        1 => 0,
        _ => value.to_bits(),
    }
}
