//! Compares the planned path with the reference, for random resources, samplers, instructions and
//! operands: every bit must match, on all SIMD levels of the machine.
//!
//! `TEXUNIT_CASES` sets the number of resources of each theme, and `TEXUNIT_SEED` the first seed. A
//! failure names the seed with which it is the first case of a run.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod arrays;
mod draw;
mod few;
mod operands;

use draw::{Draw, Theme};
use operands::Operands;
use std::sync::Arc;
use std::time::Instant;
use texunit_memory::Block;
use texunit_texel::Format;
use texunit_unit::reference::{self, trace::FetchValue};
use texunit_unit::{
    AddressMode, ArrayShape, CoordType, Coordinates, Extent, FetchAnswer, FetchForm, FetchKind,
    FetchPlan, FetchRequest, Filter, Geometry, Lanes, Lod, PlanError, ReadMode, Resource,
    ResultType, Sampler, Scratch, SimdLevel, Texture, lanes,
};

/// A texture, a sampler and 32 fetches.
#[derive(Debug)]
struct Case {
    form: FetchForm,
    texture: Arc<Texture>,
    sampler: Sampler,
    operands: Operands,
    active: u32,
    components: u8,
}

/// The contents of result registers before a fetch, which inactive lanes keep.
const KEPT: u32 = 0xdead_beef;

impl Case {
    fn request(&self) -> FetchRequest<'_> {
        let Operands { coords, offset, level, dpdx, dpdy, compare } = &self.operands;
        FetchRequest {
            active: self.active,
            components: self.components,
            coords: coords.each_ref(),
            offset: offset.each_ref(),
            level,
            dpdx: dpdx.each_ref(),
            dpdy: dpdy.each_ref(),
            compare,
        }
    }

    /// The plans of the case for all SIMD levels.
    fn plans(&self) -> Result<Vec<(SimdLevel, FetchPlan)>, PlanError> {
        let Self { form, texture, sampler, .. } = self;
        let plan = |level| Ok((level, FetchPlan::at_level(*form, texture, sampler, level)?));
        levels().map(plan).collect()
    }

    fn reference(&self, lane: usize) -> Result<FetchValue, PlanError> {
        reference::fetch(self.form, &self.texture, &self.sampler, &self.request().lane(lane))
    }

    /// Compares the results of plans with those of the reference. Panics with the name of the case
    /// if they differ.
    fn check(&self, plans: &[(SimdLevel, FetchPlan)], scratch: &mut Scratch, name: &str) {
        let request = self.request();
        let mut wanted = [None; 32];
        for lane in lanes(self.active) {
            wanted[lane] = Some(self.reference(lane).unwrap());
        }
        for (level, plan) in plans {
            let mut answer = FetchAnswer { values: [[KEPT; 32]; 4], resident: KEPT };
            plan.fetch(&request, scratch, &mut answer);
            for (lane, wanted) in wanted.iter().enumerate() {
                self.check_lane((*level, plan), wanted.as_ref(), lane, &answer, name);
            }
        }
    }

    /// Checks the result of a lane. An inactive lane has no result, and its registers keep their
    /// contents.
    fn check_lane(
        &self,
        (level, plan): (SimdLevel, &FetchPlan),
        wanted: Option<&FetchValue>,
        lane: usize,
        answer: &FetchAnswer,
        name: &str,
    ) {
        let resident = wanted.map_or(KEPT >> lane & 1 == 1, |wanted| wanted.resident);
        assert_eq!(
            answer.resident >> lane & 1 == 1,
            resident,
            "{name}, {level:?}: residency, lane {lane}"
        );
        let registers = if self.form.result == ResultType::F16x2 { 2 } else { 4 };
        for c in 0..registers {
            let wanted = match wanted {
                Some(wanted) if self.components >> c & 1 == 1 => wanted.values[c],
                _ => KEPT,
            };
            let got = answer.values[c][lane];
            assert!(
                got == wanted,
                "{name}, {level:?}: component {c} of lane {lane}: {got:#010x}, not {wanted:#010x}\nat {:x?}\n{:?}\n\
                 {}, {:?}",
                self.request().lane(lane),
                self.form,
                self.texture.resource.describe(),
                plan.effective(),
            );
        }
    }

    /// Checks the case with new plans and a new scratch buffer.
    fn check_alone(&self) {
        self.check(&self.plans().unwrap(), &mut Scratch::new(), "alone");
    }
}

/// The SIMD levels that this machine supports.
fn levels() -> impl Iterator<Item = SimdLevel> {
    SimdLevel::ALL.iter().copied().filter(|&level| level <= SimdLevel::detected())
}

/// Number of warps that fetch from a resource before its texels change, and number of times that
/// its texels are filled.
const WARPS: u32 = 32;
const FILLS: u32 = 2;

/// A number from an environment variable: decimal or, after `0x`, hexadecimal.
fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Draws cases of a theme that have a defined result, and checks them.
fn run(theme: Theme) {
    let cases = number("TEXUNIT_CASES").unwrap_or(90);
    let first = number("TEXUNIT_SEED").unwrap_or(1);
    let start = Instant::now();
    // The scratch buffer is reused, so that it contains data of other plans.
    let mut scratch = Scratch::new();
    let mut space = draw::space();
    let (mut fetches, mut answered) = (0, 0);
    for case in 0.. {
        if answered == cases {
            break;
        }
        assert!(case < 1000 * (1 + cases), "hardly anything that has an answer was drawn");
        let seed = first.wrapping_add(case.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let drawn = check_drawn(seed, theme, &mut scratch, &mut space);
        answered += u64::from(drawn > 0);
        fetches += drawn;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{theme:?}: {cases} resources, {fetches} fetches, {seconds:.1} s");
}

/// Draws a resource, a sampler and an instruction from a seed, and checks fetches of many warps,
/// then of others after new texels were written. Returns the number of fetches that were compared,
/// which is 0 if the result is undefined.
fn check_drawn(seed: u64, theme: Theme, scratch: &mut Scratch, space: &mut Arc<Block>) -> u64 {
    let mut d = Draw::new(seed);
    let Some(mut case) = draw::case(&mut d, theme, space) else { return 0 };
    let name = format!("TEXUNIT_SEED={seed:#x}, {theme:?}");
    let plans = match (case.plans(), case.reference(0)) {
        (Ok(plans), Ok(_)) => plans,
        (plans, wanted) => {
            assert_eq!(plans.err(), wanted.err(), "{name}: {:?}", case.form);
            return 0;
        }
    };
    let mut fetches = 0;
    for _ in 0..FILLS {
        for _ in 0..WARPS {
            draw::fetches(&mut d, &mut case);
            case.check(&plans, scratch, &name);
            fetches += u64::from(case.active.count_ones());
        }
        draw::refill(&mut d, theme, &case.texture.resource);
    }
    fetches
}

#[test]
fn plans_equal_the_reference_on_every_bit() {
    run(Theme::Any);
}

#[test]
fn plain_fetches() {
    run(Theme::Plain);
}

#[test]
fn slices_and_levels_that_cancel() {
    run(Theme::Cancel);
}

#[test]
fn sparse_arrays() {
    run(Theme::Sparse);
}

#[test]
fn gradients() {
    run(Theme::Gradients);
}

#[test]
fn neighbouring_geometries() {
    run(Theme::Neighbours);
}

#[test]
fn compressed_blocks() {
    run(Theme::Blocks);
}

#[test]
fn cubes() {
    run(Theme::Cubes);
}

/// Operands that consist of coordinates only.
fn at(point: [Lanes; 3]) -> Operands {
    let coords = Coordinates::at(point, [0; 32]);
    let none = [[0; 32]; 3];
    let (level, compare) = ([0; 32], [0; 32]);
    Operands { coords, offset: none, level, dpdx: none, dpdy: none, compare }
}

/// Checks fetches of all components along a row.
fn check_row(form: FetchForm, texture: Texture, sampler: Sampler, x: Lanes) {
    let (texture, operands) = (Arc::new(texture), at([x, [0; 32], [0; 32]]));
    let case = Case { form, texture, sampler, operands, active: u32::MAX, components: 15 };
    case.check_alone();
}

/// The sizes matter because a worker has one scratch, and an instruction up to 32 plans, some of
/// which are moved.
#[test]
fn scratch_and_plans_are_small() {
    let (scratch, plan) = (size_of::<Scratch>(), size_of::<FetchPlan>());
    assert!(scratch <= 56 << 10 && plan <= 512, "{scratch} {plan}");
}

#[test]
fn components_and_lanes_that_are_not_asked_for_stay() {
    let format = Format::from_name("u8").unwrap();
    let shape = ArrayShape::new(format, Geometry::D2, Extent { width: 4, height: 4, depth: 1 });
    let resource = Arc::new(Resource::from_texels(&shape, &[0xff_u8; 16], "t").unwrap());
    let sampler = Sampler::default();
    let read_mode = ReadMode::NormalizedFloat;
    let texture = Arc::new(Texture::new(resource, read_mode, false, &sampler).unwrap());
    for result in [ResultType::F32, ResultType::F16, ResultType::F16x2] {
        let form = FetchForm::sample(Geometry::D2, CoordType::F32, result);
        for active in [u32::MAX, 0x0000_ffff, 0] {
            let case = Case {
                form,
                texture: Arc::clone(&texture),
                sampler,
                operands: at([[0; 32]; 3]),
                active,
                components: 0b1010,
            };
            case.check_alone();
        }
    }
}

/// Memory of the program ends with a texel that is smaller than a word, and nothing may be read
/// behind its end.
#[test]
#[expect(unsafe_code, reason = "memory that is not ours")]
fn the_last_small_texels_of_foreign_memory() {
    for (name, texel_size, texels) in
        [("u8", 1, 21), ("u16", 2, 11), ("u8x2", 2, 9), ("u8x4", 4, 5)]
    {
        let bytes: Vec<u8> = (0..texels * texel_size).map(|i| (i * 7 + 3) as u8).collect();
        let data = std::ptr::NonNull::from(bytes.leak());
        // SAFETY: nobody else has access to the bytes, and they are never freed.
        let block = unsafe { Block::foreign(data.cast(), texels * texel_size, false, "bytes") };
        let format = Format::from_name(name).unwrap();
        let (block, width) = (Arc::new(block), texels as u32);
        let resource = Resource::linear(format, width, block, 0, 0, "t").unwrap();
        let sampler = Sampler::default();
        let texture = Texture::new(Arc::new(resource), ReadMode::Element, false, &sampler).unwrap();
        let x = std::array::from_fn(|lane| lane as u32 % width);
        let form = FetchForm::sample(Geometry::D1, CoordType::S32, ResultType::U32);
        check_row(form, texture, sampler, x);
    }
}

#[test]
fn large_extents_keep_their_low_texels_apart() {
    // Fetches from the widest possible row, at coordinates near its end.
    let format = Format::from_name("u16").unwrap();
    let extent = Extent { width: 131_072, height: 1, depth: 1 };
    let size = ArrayShape::new(format, Geometry::D1, extent).size();
    let block = Arc::new(Block::new(size.unwrap() as usize, "texels").unwrap());
    let bytes: Vec<u8> = (0..131_072_u32).flat_map(|i| (i as u16).to_le_bytes()).collect();
    for width in [131_072, 131_071] {
        let extent = Extent { width, height: 1, depth: 1 };
        let shape = ArrayShape::new(format, Geometry::D1, extent);
        let resource = Resource::array(&shape, Arc::clone(&block), "t").unwrap();
        resource.fill_packed(&bytes[..2 * width as usize]).unwrap();
        for filter in [Filter::Point, Filter::Linear] {
            for mode in [AddressMode::Wrap, AddressMode::Mirror, AddressMode::Border] {
                for offset in [false, true] {
                    let sampler = Sampler::default().with_filter(filter).with_address_mode(mode);
                    let read_mode = ReadMode::NormalizedFloat;
                    let resource = Arc::new(resource.clone());
                    let texture = Texture::new(resource, read_mode, true, &sampler).unwrap();
                    let end = 1.0_f32.to_bits() - 16;
                    let x = std::array::from_fn(|lane| end + lane as u32);
                    let form = FetchForm::sample(Geometry::D1, CoordType::F32, ResultType::F32);
                    check_row(FetchForm { offset, ..form }, texture, sampler, x);
                }
            }
        }
    }
}

/// Rule 2.2 of docs/numerics.md: half of 0x00ffffff, the largest f32 below 2^-125, rounds to the
/// smallest normal number, both in a filter and in two taps.
#[test]
fn sums_that_round_to_the_smallest_normal_number() {
    let format = Format::from_name("f32").unwrap();
    let extent = Extent { width: 2, height: 1, depth: 1 };
    let shape = ArrayShape::new(format, Geometry::D2, extent);
    let block = Arc::new(Block::new(shape.size().unwrap() as usize, "texels").unwrap());
    let resource = Resource::array(&shape, block, "t").unwrap();
    for word in [0x00ff_ffff_u32, 0x80ff_ffff] {
        let bytes: Vec<u8> = [word, 0].into_iter().flat_map(u32::to_le_bytes).collect();
        resource.fill_packed(&bytes).unwrap();
        for lod in [Lod::Implicit, Lod::Gradient] {
            let gradient = lod == Lod::Gradient;
            let filter = if gradient { Filter::Point } else { Filter::Linear };
            let sampler = Sampler::default().with_filter(filter).with_max_anisotropy(2);
            let form = FetchForm::sample(Geometry::D2, CoordType::F32, ResultType::F32);
            let form = FetchForm { kind: FetchKind::Sample(lod), ..form };
            let texture = Texture {
                resource: Arc::new(resource.clone()),
                read_mode: ReadMode::Element,
                normalized_coords: true,
            };
            let mut operands = at([[0.5_f32.to_bits(); 32], [0; 32], [0; 32]]);
            operands.dpdx[0] = [1.0_f32.to_bits(); 32];
            let (texture, active, components) = (Arc::new(texture), u32::MAX, 15);
            let case = Case { form, texture, sampler, operands, active, components };
            let wanted = case.reference(0).unwrap().values[0];
            assert_eq!(wanted, word & 0x8000_0000 | 0x0080_0000, "{lod:?}");
            case.check_alone();
        }
    }
}

/// Rules 3.4, 7.7 and 2.4 of docs/numerics.md: a level of which a lane has no share is not read,
/// not even at a corner of a cube.
#[test]
fn levels_without_a_share_are_not_read_at_corners() {
    let format = Format::from_name("f32").unwrap();
    let extent = Extent { width: 2, height: 2, depth: 1 };
    let shape = ArrayShape { levels: Some(2), ..ArrayShape::new(format, Geometry::Cube, extent) };
    let texels: Vec<f32> = [1.0; 24].into_iter().chain([f32::NAN; 6]).collect();
    let resource = Arc::new(Resource::from_texels(&shape, &texels, "t").unwrap());
    let sampler = Sampler::default()
        .with_filter(Filter::Linear)
        .with_mip_filter(Filter::Linear)
        .with_seamless_cube(true);
    let form = FetchForm::sample(Geometry::Cube, CoordType::F32, ResultType::F32);
    let form = FetchForm { kind: FetchKind::Sample(Lod::Level), ..form };
    let texture = Texture { resource, read_mode: ReadMode::Element, normalized_coords: true };
    let mut operands = at([[1.0_f32.to_bits(); 32]; 3]);
    operands.level[7] = 0.5_f32.to_bits();
    let (texture, active, components) = (Arc::new(texture), u32::MAX, 15);
    let case = Case { form, texture, sampler, operands, active, components };
    let value = |lane| case.reference(lane).unwrap().values[0];
    assert_eq!([value(0), value(7)], [1.0_f32.to_bits(), 0x7fff_ffff]);
    case.check_alone();
}

/// One component of a gradient is far smaller than all others, down to the smallest numbers. It
/// still decides how an exact result is truncated.
#[test]
fn components_that_nearly_vanish() {
    let f = |x: f32| [x.to_bits(); 32];
    for (geometry, extent) in [
        (Geometry::Cube, Extent { width: 13, height: 13, depth: 1 }),
        (Geometry::Acube, Extent { width: 16, height: 16, depth: 1 }),
        (Geometry::D3, Extent { width: 13, height: 5, depth: 6 }),
    ] {
        let shape = ArrayShape::new(Format::from_name("u16").unwrap(), geometry, extent);
        let size = shape.size().unwrap() as usize;
        let block = Arc::new(Block::new(size, "texels").unwrap());
        let bytes: Vec<u8> = (0..size).map(|i| (i * i % 251) as u8).collect();
        block.write(0, &bytes).unwrap();
        let resource = Resource::array(&shape, block, "t").unwrap();
        let sampler = Sampler::default().with_filter(Filter::Linear).with_max_anisotropy(10);
        let read_mode = ReadMode::NormalizedFloat;
        let texture = Texture::new(Arc::new(resource), read_mode, true, &sampler).unwrap();
        let form = FetchForm::sample(geometry, CoordType::F32, ResultType::F32);
        let form = FetchForm { kind: FetchKind::Sample(Lod::Gradient), ..form };
        let mut case = Case {
            form,
            texture: Arc::new(texture),
            sampler,
            operands: Operands::ZERO,
            active: u32::MAX,
            components: 1,
        };
        case.operands.coords.point[1] = f(0.080_508_135);
        case.operands.coords.point[2] = f(2954.42);
        case.operands.dpdx = [f(-0.003_469_347_6), f(0.000_357_3), f(-0.000_113_8)];
        case.operands.dpdy = [f(0.0), f(0.007_180_4), f(0.001_783_3)];
        for exponent in (0..104).step_by(2) {
            let x = |lane: usize| 2_f32.powi(-exponent) / (1 << 20 | lane) as f32 * 1e-25;
            case.operands.coords.point[0] = std::array::from_fn(|lane| x(lane).to_bits());
            case.check_alone();
        }
    }
}
