//! Runs a fetch of each kind on a few texels, few enough for Miri, which checks the unsafe code of
//! the portable build.

use super::*;
use texunit_unit::CompareFunction;

const SAMPLE: FetchKind = FetchKind::Sample(Lod::Implicit);
const GRADIENT: FetchKind = FetchKind::Sample(Lod::Gradient);

/// The properties by which the tested fetches differ.
#[derive(Clone, Copy)]
struct Kind {
    format: &'static str,
    geometry: Geometry,
    kind: FetchKind,
    sampler: Sampler,
    offset: bool,
}

/// Formats and geometries for both schedules, and properties that need stages of their own.
fn kinds() -> Vec<Kind> {
    let plain = Kind {
        format: "u8x4",
        geometry: Geometry::D2,
        kind: SAMPLE,
        sampler: Sampler::default().with_filter(Filter::Linear).with_border_bits([0x3f80_0000; 4]),
        offset: false,
    };
    let format = |format: &'static str| Kind { format, ..plain };
    let sampled = |sampler: Sampler| Kind { sampler, ..plain };
    let (linear, modes) = (plain.sampler, [AddressMode::Border; 3]);
    let mips = linear.with_mip_filter(Filter::Linear);
    vec![
        plain,
        format("u8"),
        format("s16x2"),
        format("f16x4"),
        format("f32x4"),
        format("f32"),
        format("rgb10a2"),
        format("depth24"),
        format("bc1"),
        format("bc5"),
        format("bc6h"),
        format("bc7"),
        Kind { geometry: Geometry::D1, ..format("f32x2") },
        Kind { geometry: Geometry::D3, ..format("f32") },
        Kind { geometry: Geometry::A2d, offset: true, ..plain },
        Kind { geometry: Geometry::Cube, kind: GRADIENT, ..sampled(mips) },
        Kind { geometry: Geometry::Cube, ..sampled(linear.with_seamless_cube(true)) },
        Kind { kind: FetchKind::Gather(1), ..plain },
        Kind { kind: GRADIENT, ..sampled(mips.with_max_anisotropy(4)) },
        sampled(linear.with_filter(Filter::Point).with_address_modes(modes)),
        sampled(linear.with_address_modes(modes)),
        sampled(linear.with_address_mode(AddressMode::ClampOgl)),
        sampled(linear.with_address_mode(AddressMode::Mirror).with_srgb(true)),
        sampled(linear.with_compare(CompareFunction::Less)),
    ]
}

#[test]
fn a_warp_of_each_kind() {
    let mut scratch = Scratch::new();
    for kind in kinds() {
        let case = case(kind);
        let name = format!("{} {:?} {:?}", kind.format, kind.geometry, kind.kind);
        case.check(&case.plans().unwrap(), &mut scratch, &name);
    }
}

fn case(of: Kind) -> Case {
    let format = Format::from_name(of.format).unwrap();
    let [height, depth] = match of.geometry {
        Geometry::D1 => [1, 1],
        Geometry::D3 => [5, 3],
        _ => [5, 1],
    };
    let mut shape = ArrayShape::new(format, of.geometry, Extent { width: 5, height, depth });
    shape.layers = if of.geometry.is_array() { 2 } else { 1 };
    shape.levels = (of.kind == GRADIENT).then_some(3);
    let block = Arc::new(Block::new(shape.size().unwrap() as usize, "texels").unwrap());
    let resource = Resource::array(&shape, block, "t").unwrap();
    let mut d = Draw::new(1);
    // The texels are f16 and f32 numbers of moderate size.
    let texel = |_| (d.bits() & 0x3fff_3fff).to_le_bytes();
    let bytes: Vec<u8> = (0..resource.size_in_bytes().div_ceil(4)).flat_map(texel).collect();
    resource.fill_packed(&bytes[..resource.size_in_bytes() as usize]).unwrap();
    let is_float = of.format.starts_with('f') || of.format == "bc6h" || of.format == "rgb10a2";
    let read_mode = if is_float { ReadMode::Element } else { ReadMode::NormalizedFloat };
    let mut coordinate = |low, high| -> Lanes {
        let mut lanes = [0; 32];
        lanes.fill_with(|| d.float(low, high).to_bits());
        lanes
    };
    let mut operands = at([(); 3].map(|()| coordinate(-1.5, 1.5)));
    operands.dpdx = [(); 3].map(|()| coordinate(0.2, 0.4));
    operands.dpdy = [(); 3].map(|()| coordinate(0.01, 0.1));
    operands.compare = coordinate(0.2, 0.8);
    operands.offset = [[3; 32]; 3];
    if of.geometry.is_array() {
        operands.coords.layer = [1; 32];
    }
    // One coordinate is far from the texture.
    operands.coords.point[0][0] = 1e9_f32.to_bits();
    let form = FetchForm {
        kind: of.kind,
        offset: of.offset,
        compare: of.sampler.compare.is_some(),
        ..FetchForm::sample(of.geometry, CoordType::F32, ResultType::F32)
    };
    let texture = Texture::new(Arc::new(resource), read_mode, true, &of.sampler).unwrap();
    let (texture, sampler) = (Arc::new(texture), of.sampler);
    // Few lanes are active, because the reference is slow under Miri.
    Case { form, texture, sampler, operands, active: 0x8000_0001, components: 15 }
}
