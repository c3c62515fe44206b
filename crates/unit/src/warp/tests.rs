//! The planned path against the reference: random resources, samplers, instructions and operands,
//! every bit, in both builds.

#![allow(clippy::unwrap_used)]

mod draw;
mod operands;

use super::*;
use crate::reference::{self, trace::FetchValue};
use crate::request::{CoordType, Geometry};
use crate::resource::{ArrayShape, Extent, Resource};
use crate::sampler::{AddressMode, Filter, ReadMode};
use draw::{Draw, Theme};
use operands::Operands;
use proptest::prelude::*;
use std::cell::RefCell;
use texunit_memory::Block;
use texunit_texel::Format;

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
}

/// What was there before.
const KEPT: u32 = 0xdead_beef;

/// Compares the answers of both builds with the reference's; whether there are any.
fn check(case: &Case, scratch: &mut Scratch) -> Result<bool, TestCaseError> {
    let request = case.request();
    let wanted: Result<Vec<FetchValue>, PlanError> = (0..32)
        .map(|lane| reference::fetch(case.form, &case.texture, &case.sampler, &request.lane(lane)))
        .collect();
    for build in Build::all() {
        let plan = FetchPlan::with_build(case.form, &case.texture, &case.sampler, build);
        let (plan, wanted) = match (plan, &wanted) {
            (Ok(plan), Ok(wanted)) => (plan, wanted),
            (plan, wanted) => {
                prop_assert_eq!(plan.err(), wanted.as_ref().err().cloned());
                return Ok(false);
            }
        };
        let mut answer = FetchAnswer { values: [[KEPT; 32]; 4], resident: KEPT };
        plan.fetch(&request, scratch, &mut answer);
        for (lane, wanted) in wanted.iter().enumerate() {
            check_lane(case, &plan, wanted, lane, &answer)?;
        }
    }
    Ok(true)
}

fn check_lane(
    case: &Case,
    plan: &FetchPlan,
    wanted: &FetchValue,
    lane: usize,
    answer: &FetchAnswer,
) -> Result<(), TestCaseError> {
    let active = case.active >> lane & 1 == 1;
    let resident = if active { wanted.resident } else { KEPT >> lane & 1 == 1 };
    prop_assert_eq!(answer.resident >> lane & 1 == 1, resident, "residency of lane {}", lane);
    let registers = if case.form.result == ResultType::F16x2 { 2 } else { 4 };
    for (c, &wanted) in wanted.values.iter().enumerate().take(registers) {
        let read = active && case.components >> c & 1 == 1;
        let wanted = if read { wanted } else { KEPT };
        let got = answer.values[c][lane];
        prop_assert!(
            got == wanted,
            "component {} of lane {}: {:#010x}, not {:#010x}\nat {:x?}\n{:?}\n{}, {:?}\n{:?}",
            c,
            lane,
            got,
            wanted,
            case.request().lane(lane),
            case.form,
            case.texture.resource.describe(),
            plan.effective(),
            plan.way,
        );
    }
    Ok(())
}

/// Draws a case that has an answer, from a seed, and checks it.
fn check_drawn(seed: u64, theme: Theme) -> Result<(), TestCaseError> {
    thread_local! {
        // With what other plans have left in it.
        static SCRATCH: RefCell<Scratch> = RefCell::default();
    }
    let mut d = Draw(seed);
    for _ in 0..1000 {
        if let Some(case) = draw::case(&mut d, theme)
            && SCRATCH.with_borrow_mut(|scratch| check(&case, scratch))?
        {
            return Ok(());
        }
    }
    Err(TestCaseError::fail("nothing that has an answer was drawn"))
}

/// Cases of a run; `TEXUNIT_CASES` asks for more.
fn config() -> ProptestConfig {
    let cases = std::env::var("TEXUNIT_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(600);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn plans_equal_the_reference_on_every_bit(seed in any::<u64>().no_shrink()) {
        check_drawn(seed, Theme::Any)?;
    }

    #[test]
    fn plain_fetches(seed in any::<u64>().no_shrink()) {
        check_drawn(seed, Theme::Plain)?;
    }

    #[test]
    fn slices_and_levels_that_cancel(seed in any::<u64>().no_shrink()) {
        check_drawn(seed, Theme::Cancel)?;
    }

    #[test]
    fn sparse_arrays(seed in any::<u64>().no_shrink()) {
        check_drawn(seed, Theme::Sparse)?;
    }

    #[test]
    fn gradients(seed in any::<u64>().no_shrink()) {
        check_drawn(seed, Theme::Gradients)?;
    }

    #[test]
    fn compressed_blocks(seed in any::<u64>().no_shrink()) {
        check_drawn(seed, Theme::Blocks)?;
    }

    #[test]
    fn cubes(seed in any::<u64>().no_shrink()) {
        check_drawn(seed, Theme::Cubes)?;
    }
}

/// Coordinates only.
fn at(coords: [Lanes; 4]) -> Operands {
    let none = [[0; 32]; 3];
    let (level, compare) = ([0; 32], [0; 32]);
    Operands { coords, offset: none, level, dpdx: none, dpdy: none, compare }
}

/// A worker has one scratch, an instruction up to four plans, which it moves.
#[test]
fn scratch_and_plans_are_small() {
    let (scratch, plan) = (size_of::<Scratch>(), size_of::<FetchPlan>());
    assert!(scratch <= 48 << 10 && plan <= 512, "{scratch} {plan}");
}

#[test]
fn components_and_lanes_that_are_not_asked_for_stay() {
    let format = Format::from_name("u8").unwrap();
    let shape = ArrayShape::new(format, Geometry::D2, Extent { width: 4, height: 4, depth: 1 });
    let block = Arc::new(Block::new(shape.size().unwrap() as usize, "texels").unwrap());
    let resource = Arc::new(Resource::array(&shape, block, "t").unwrap());
    resource.fill_packed(&[0xff; 16]).unwrap();
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
                operands: at([[0; 32]; 4]),
                active,
                components: 0b1010,
            };
            assert!(check(&case, &mut Scratch::new()).unwrap());
        }
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
    for width in [131_072, 131_071] {
        let extent = Extent { width, height: 1, depth: 1 };
        let shape = ArrayShape::new(format, Geometry::D1, extent);
        let resource = Resource::array(&shape, Arc::clone(&block), "t").unwrap();
        resource.fill_packed(&bytes[..2 * width as usize]).unwrap();
        for filter in [Filter::Point, Filter::Linear] {
            for mode in [AddressMode::Wrap, AddressMode::Mirror, AddressMode::Border] {
                for offset in [false, true] {
                    let sampler = Sampler { filter, address_mode: [mode; 3], ..Sampler::default() };
                    let read_mode = ReadMode::NormalizedFloat;
                    let resource = Arc::new(resource.clone());
                    let texture = Texture::new(resource, read_mode, true, &sampler).unwrap();
                    let end = 1.0_f32.to_bits() - 16;
                    let x = std::array::from_fn(|lane| end + lane as u32);
                    let form = FetchForm::sample(Geometry::D1, CoordType::F32, ResultType::F32);
                    let case = Case {
                        form: FetchForm { offset, ..form },
                        texture: Arc::new(texture),
                        sampler,
                        operands: at([x, [0; 32], [0; 32], [0; 32]]),
                        active: u32::MAX,
                        components: 15,
                    };
                    assert!(check(&case, &mut Scratch::new()).unwrap());
                }
            }
        }
    }
}
