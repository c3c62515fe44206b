//! The planned path against the reference: random resources, samplers and coordinates, every bit,
//! in both builds.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::reference;
use crate::request::{CoordType, Geometry, ResultType};
use crate::resource::{ArrayShape, Extent, Resource};
use crate::sampler::ReadMode;
use proptest::prelude::*;
use texunit_memory::Block;
use texunit_texel::{Format, readings};

/// A texture, a sampler and 32 fetches.
#[derive(Debug)]
struct Case {
    form: FetchForm,
    texture: Arc<Texture>,
    sampler: Sampler,
    coords: [Lanes; 4],
    active: u32,
    components: u8,
}

/// A coordinate, before it is known over how many texels it goes.
#[derive(Clone, Copy, Debug)]
enum Coord {
    /// Texel, steps of 1/512 in it, ulps beside.
    At(i32, u32, i32),
    Bits(u32),
}

#[rustfmt::skip]
const SPECIAL: [u32; 22] = [
    0x0000_0000, 0x8000_0000, 0x0000_0001, 0x8000_0001, 0x007f_ffff, 0x807f_ffff, 0x0080_0000,
    0x8080_0000, 0x3f80_0000, 0xbf80_0000, 0x3f7f_ffff, 0x7f7f_ffff, 0xff7f_ffff, 0x7f80_0000,
    0xff80_0000, 0x7f80_0001, 0xff80_0001, 0x7fc0_0000, 0xffff_ffff, 0x4f00_0000, 0xcf00_0000,
    0x5f00_0000,
];

fn word() -> impl Strategy<Value = u32> {
    let near_one = (any::<u32>(), 120_u32..135).prop_map(|(m, e)| m & 0x807f_ffff | e << 23);
    let wide = (any::<u32>(), 1_u32..255).prop_map(|(m, e)| m & 0x8000_0fff | e << 23);
    prop_oneof![
        4 => near_one,
        2 => wide,
        2 => any::<u32>(),
        1 => proptest::sample::select(&SPECIAL[..]),
    ]
}

/// A few texels of either sign, so that sums cancel or consist of zeros and subnormals.
fn few_texels() -> impl Strategy<Value = Vec<u32>> {
    let of_few = (
        proptest::collection::vec(word(), 1..4),
        proptest::collection::vec((any::<usize>(), any::<bool>()), 1..80),
    );
    of_few.prop_map(|(few, picks)| {
        let sign = |negate| if negate { 0x8000_8080 } else { 0 };
        picks.iter().map(|&(i, negate)| few[i % few.len()] ^ sign(negate)).collect()
    })
}

fn any_texels() -> impl Strategy<Value = Vec<u32>> {
    prop_oneof![proptest::collection::vec(word(), 1..80), few_texels()]
}

fn coord() -> impl Strategy<Value = Coord> {
    prop_oneof![
        6 => (-30..60_i32, 0..512_u32, -2..3_i32).prop_map(|(k, f, u)| Coord::At(k, f, u)),
        1 => word().prop_map(Coord::Bits),
        1 => proptest::sample::select(&SPECIAL[..]).prop_map(Coord::Bits),
    ]
}

fn address_mode() -> impl Strategy<Value = AddressMode> {
    use AddressMode::{Border, Clamp, Mirror, Wrap};
    proptest::sample::select(&[Wrap, Mirror, Clamp, Border][..])
}

fn size() -> impl Strategy<Value = u32> {
    prop_oneof![Just(1_u32), Just(2), Just(8), 1..12_u32]
}

/// What a coordinate comes to over `n` texels.
fn bits(coord: Coord, n: u32, kind: Coords) -> u32 {
    match (coord, kind) {
        (Coord::At(k, ..), Coords::Integer) => k as u32,
        (Coord::At(k, f, ulps), _) => {
            let texels = f64::from(k) + f64::from(f) / 512.0;
            let n = if kind == Coords::Normalized { f64::from(n) } else { 1.0 };
            ((texels / n) as f32).to_bits().wrapping_add_signed(ulps)
        }
        (Coord::Bits(bits), _) => bits,
    }
}

prop_compose! {
    fn case(
        states: Vec<State>,
        dims: std::ops::RangeInclusive<u8>,
        texels: BoxedStrategy<Vec<u32>>,
    )(
        (format, read_mode, filter) in proptest::sample::select(states),
        dims in dims,
        size in [size(), size(), size()],
        memory in any::<bool>(),
        normalized_coords in prop_oneof![2 => Just(true), 1 => Just(false)],
        integer in prop_oneof![5 => Just(false), 1 => Just(true)],
        address_mode in [address_mode(), address_mode(), address_mode()],
        border in [word(), word(), word(), word()],
        force_unnormalized_coords in prop_oneof![5 => Just(false), 1 => Just(true)],
        texels in texels,
        coords in proptest::collection::vec([coord(), coord(), coord()], 32),
        active in prop_oneof![Just(u32::MAX), any::<u32>()],
        components in prop_oneof![Just(15_u8), 0..16_u8],
    ) -> Case {
        let format = Format::from_name(&format).unwrap();
        // Linear memory is fetched with integers only.
        let integer = integer || memory && dims == 1;
        let resource = Arc::new(resource(format, dims, size, memory, &texels));
        let sampler = Sampler { filter, address_mode, border, force_unnormalized_coords, ..Sampler::default() };
        let texture = Texture::new(resource, read_mode, normalized_coords, &sampler).unwrap();
        let geometry = [Geometry::D1, Geometry::D2, Geometry::D3][usize::from(dims) - 1];
        let coord = if integer { CoordType::S32 } else { CoordType::F32 };
        let form = FetchForm::sample(geometry, coord, ResultType::F32);
        let kind = effective_coords(&texture, &sampler, form);
        let coords = std::array::from_fn(|axis| {
            std::array::from_fn(|lane| match coords[lane].get(axis) {
                Some(&coord) => bits(coord, size[axis], kind),
                None => 0,
            })
        });
        Case { form, texture: Arc::new(texture), sampler, coords, active, components }
    }
}

fn effective_coords(texture: &Texture, sampler: &Sampler, form: FetchForm) -> Coords {
    crate::effective_sampler(texture, sampler, form).coords
}

type State = (String, ReadMode, Filter);

/// Formats with the read modes and filters that they have.
fn states() -> Vec<State> {
    let mut states = Vec::new();
    for name in Format::names() {
        let format = Format::from_name(name).unwrap();
        if format.plain_channel().is_none() {
            continue;
        }
        for (mode, normalized) in [(ReadMode::Element, false), (ReadMode::NormalizedFloat, true)] {
            let Some(readings) = readings(format, normalized, false) else { continue };
            states.push((name.to_owned(), mode, Filter::Point));
            if readings[0].can_filter() {
                states.push((name.to_owned(), mode, Filter::Linear));
            }
        }
    }
    states
}

fn filtered_floats() -> Vec<State> {
    ["f16", "f16x4", "f32"].map(|f| (f.to_owned(), ReadMode::Element, Filter::Linear)).to_vec()
}

/// A resource of these texels, repeated: an array, or the kind of memory that there is.
fn resource(format: Format, dims: u8, size: [u32; 3], memory: bool, texels: &[u32]) -> Resource {
    let [width, height, depth] = size;
    let extent = match dims {
        1 => Extent { width, height: 1, depth: 1 },
        2 => Extent { width, height, depth: 1 },
        _ => Extent { width, height, depth },
    };
    let block = Arc::new(Block::new(1 << 15, "texels").unwrap());
    let resource = match (memory, dims) {
        (true, 1) => Resource::linear(format, width, block, 48, 1 << 40, "t"),
        (true, 2) => Resource::pitched(format, width, height, 256, block, 16, 1 << 40, "t"),
        _ => Resource::array(
            &ArrayShape::new(format, Geometry::ALL[usize::from(dims) - 1], extent),
            block,
            "t",
        ),
    }
    .unwrap();
    let bytes = texels.iter().cycle().flat_map(|w| w.to_le_bytes());
    resource
        .fill_packed(&bytes.take(resource.size_in_bytes() as usize).collect::<Vec<_>>())
        .unwrap();
    resource
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    for build in [Build::PORTABLE, Build::fastest()] {
        let plan = FetchPlan::with_build(case.form, &case.texture, &case.sampler, build).unwrap();
        let request = FetchRequest {
            components: case.components,
            ..FetchRequest::new(case.active, case.coords.each_ref())
        };
        let mut answer = FetchAnswer { values: [[0xdead_beef; 32]; 4], resident: 0 };
        plan.fetch(&request, &mut Scratch::new(), &mut answer);
        for lane in 0..32 {
            let operands = request.lane(lane);
            let active = case.active >> lane & 1 == 1;
            let wanted = reference::fetch(case.form, &case.texture, &case.sampler, &operands)
                .unwrap()
                .values;
            for (c, wanted) in wanted.into_iter().enumerate() {
                let read = active && case.components >> c & 1 == 1;
                let wanted = if read { wanted } else { 0xdead_beef };
                let got = answer.values[c][lane];
                prop_assert!(
                    got == wanted,
                    "component {} of lane {}: {:#010x}, not {:#010x}, at {:x?} ({:?})\n\
                     {}, {:?}",
                    c,
                    lane,
                    got,
                    wanted,
                    operands,
                    build,
                    case.texture.resource.describe(),
                    plan.effective(),
                );
            }
        }
    }
    Ok(())
}

/// Cases of a run; `TEXUNIT_CASES` asks for more.
fn config() -> ProptestConfig {
    let cases = std::env::var("TEXUNIT_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(3000);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn plans_equal_the_reference_on_every_bit(case in case(states(), 1..=3, any_texels().boxed())) {
        check(&case)?;
    }

    /// What is cut from sums of floats shows when larger parts cancel.
    #[test]
    fn slices_that_cancel(case in case(filtered_floats(), 3..=3, few_texels().boxed())) {
        check(&case)?;
    }
}

#[test]
fn components_and_lanes_that_are_not_asked_for_stay() {
    let format = Format::from_name("u8").unwrap();
    let resource = Arc::new(resource(format, 2, [4, 4, 1], false, &[0xff]));
    let sampler = Sampler::default();
    let texture = Arc::new(Texture::new(resource, ReadMode::Element, false, &sampler).unwrap());
    let form = FetchForm::sample(Geometry::D2, CoordType::F32, ResultType::U32);
    for active in [u32::MAX, 0x0000_ffff, 0] {
        let coords = [[0; 32]; 4];
        check(&Case {
            form,
            texture: Arc::clone(&texture),
            sampler,
            coords,
            active,
            components: 0b1010,
        })
        .unwrap();
    }
}

#[test]
fn large_extents_keep_their_low_texels_apart() {
    // The widest row there is, at coordinates next to its end.
    let format = Format::from_name("u16").unwrap();
    let extent = Extent { width: 131_072, height: 1, depth: 1 };
    let size = ArrayShape::new(format, Geometry::D1, extent).size();
    let block = Arc::new(Block::new(size.unwrap() as usize, "texels").unwrap());
    let bytes: Vec<u8> = (0..131_072_u32).flat_map(|i| (i as u16).to_le_bytes()).collect();
    block.write(0, &bytes).unwrap();
    for width in [131_072, 131_071] {
        let extent = Extent { width, height: 1, depth: 1 };
        let resource = Resource::array(
            &ArrayShape::new(format, Geometry::ALL[0], extent),
            Arc::clone(&block),
            "t",
        )
        .unwrap();
        for filter in [Filter::Point, Filter::Linear] {
            for mode in [AddressMode::Wrap, AddressMode::Mirror, AddressMode::Border] {
                let sampler = Sampler { filter, address_mode: [mode; 3], ..Sampler::default() };
                let read_mode = ReadMode::NormalizedFloat;
                let texture =
                    Texture::new(Arc::new(resource.clone()), read_mode, true, &sampler).unwrap();
                let end = 1.0_f32.to_bits() - 16;
                let x = std::array::from_fn(|lane| end + lane as u32);
                check(&Case {
                    form: FetchForm::sample(Geometry::D1, CoordType::F32, ResultType::F32),
                    texture: Arc::new(texture),
                    sampler,
                    coords: [x, [0; 32], [0; 32], [0; 32]],
                    active: u32::MAX,
                    components: 15,
                })
                .unwrap();
            }
        }
    }
}
