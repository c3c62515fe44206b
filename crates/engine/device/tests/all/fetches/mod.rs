//! Random kernels with texture fetches, most of them from block-compressed and mipmapped textures
//! with data in all levels. The results of a kernel, and those of the unit's plans at every SIMD
//! level, must be those of the reference for each thread's fetch. The test `random_fetches` and the
//! fuzz target `kernels` share this code.

mod kernel;
mod textures;

use kernel::{Guard, Step, text};
use std::sync::Arc;
use textures::Drawn;
use texunit_device::{Arg, Device, LaunchOptions, Module};
use texunit_testkit::{Choices, Random};
use texunit_unit::{
    CoordType, Coordinates, FetchAnswer, FetchForm, FetchOperands, FetchPlan, FetchRequest,
    Geometry, Lanes, Scratch, SimdLevel, reference, resolve,
};

/// The 4-byte units of a fetch's operands: 4 coordinates, 3 offsets, level, 3 of dPdx, 3 of dPdy,
/// the texture, and the number of repetitions.
const OPERANDS: usize = 16;
/// The 4-byte units of a result: four registers and the predicate, padded.
const ANSWERS: usize = 8;
/// The value of registers that are not written.
const KEPT: u32 = 77;

/// Counts of what was tested.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    /// The number of fetches by threads.
    pub(crate) fetches: u64,
    /// The number of fetches from block-compressed textures.
    pub(crate) blocks: u64,
    /// The number of fetches from mipmapped textures.
    pub(crate) mipmapped: u64,
}

/// The operands of a thread's fetch, the texture that it reads, and how often it fetches (possibly
/// never).
#[derive(Clone, Copy, Debug)]
struct Operands {
    fetch: FetchOperands,
    which: u32,
    times: u32,
}

impl Operands {
    fn words(&self, geometry: Geometry) -> [u32; OPERANDS] {
        let FetchOperands { coords, offset, level, dpdx, dpdy, .. } = self.fetch;
        let coords: [u32; 4] = coords.padded(geometry);
        let parts = [&coords[..], &offset.map(|o| o as u32), &[level], &dpdx, &dpdy];
        let mut words = parts.concat();
        words.extend([self.which, self.times]);
        words.try_into().expect("all words")
    }
}

/// Tests one kernel.
pub(crate) fn play(choices: &mut Choices<'_>) -> Tally {
    use Geometry::{A1d, A2d, Acube, Cube, D1, D2, D3};
    let geometry = choices.of(&[D2, D2, A2d, Cube, D3, Acube, D1, A1d]);
    let device = Device::default();
    // The texels and operands of all threads need more random numbers than an input has.
    let mut random = Random::new(u64::from(choices.word()));
    let textures: Vec<Drawn> = (0..1 + choices.below(3))
        .filter_map(|_| Drawn::new(&device, choices, &mut random, geometry))
        .collect();
    let steps: Vec<Step> = (0..1 + choices.below(4))
        .filter_map(|_| Step::drawn(choices, geometry))
        .filter(|step| {
            let answers =
                |drawn: &Drawn| resolve(step.form, &drawn.texture, &drawn.sampler).is_ok();
            textures.iter().all(answers)
        })
        .collect();
    if textures.is_empty() || steps.is_empty() {
        return Tally::default();
    }
    let (ctas, threads) = (1 + choices.below(3), 1 + choices.below(100));
    let operands: Vec<Vec<Operands>> = (0..ctas * threads)
        .map(|_| steps.iter().map(|step| operands(&mut random, step, &textures)).collect())
        .collect();
    let expected = expected(&steps, &textures, &operands);
    let found = launch(&device, &steps, &textures, &operands, [ctas, threads]);
    let context = || {
        let specs: Vec<_> =
            textures.iter().map(|drawn| (drawn.resource(), drawn.sampler)).collect();
        format!("{}\n{specs:?}", text(geometry, &steps))
    };
    for (at, (found, wanted)) in found.iter().zip(&expected).enumerate() {
        let (thread, step) = (at / steps.len(), at % steps.len());
        let operands = &operands[thread][step];
        assert_eq!(found, wanted, "thread {thread}, step {step}: {operands:?}\n{}", context());
    }
    plans(&steps, &textures, &operands, &expected);
    let mut tally = Tally::default();
    for one in operands.iter().flatten().filter(|one| one.times > 0) {
        let shape = textures[one.which as usize].resource().shape();
        tally.fetches += 1;
        tally.blocks += u64::from(shape.format.is_block());
        tally.mipmapped += u64::from(shape.levels.is_some());
    }
    tally
}

/// Operands of a fetch: mostly inside the texture, with all levels.
fn operands(random: &mut Random, step: &Step, textures: &[Drawn]) -> Operands {
    let which = if step.one_texture { 0 } else { random.below(textures.len() as u32) };
    let drawn = &textures[which as usize];
    let shape = drawn.resource().shape();
    let form = step.form;
    let is_integer = form.coord == CoordType::S32;
    let extent = [shape.extent.width, shape.extent.height, shape.extent.depth];
    let float = |random: &mut Random, low: f32, high: f32| match random.below(40) {
        0 => random.u32(),
        1 => random.of(&[0, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 1]),
        _ => random.between(low, high).to_bits(),
    };
    let point = std::array::from_fn(|axis| {
        let size = extent[axis] as f32;
        match (is_integer, form.geometry.is_cube(), drawn.texture.normalized_coords) {
            (true, ..) => random.below(extent[axis] + 4).wrapping_sub(2),
            (_, true, _) => float(random, -1.5, 1.5),
            (_, _, true) => float(random, -0.5, 1.5),
            _ => float(random, -0.5 * size - 1.0, 1.5 * size + 1.0),
        }
    });
    let layer = if random.one_in(20) { random.u32() } else { random.below(shape.layers + 1) };
    let levels = shape.levels.unwrap_or(1);
    let steep = random.of(&[0.002, 0.02, 0.3, 2.0]);
    let mut slope = || std::array::from_fn(|_| float(random, -steep, steep));
    let (dpdx, dpdy) = (slope(), slope());
    let level = match is_integer {
        true => random.below(levels),
        false => float(random, -0.7, levels as f32),
    };
    let fetch = FetchOperands {
        coords: Coordinates { layer, sample: 0, point },
        offset: std::array::from_fn(|_| random.of(&[-9, -8, -1, 0, 0, 1, 7, 8, 31])),
        level,
        dpdx,
        dpdy,
        compare: 0,
    };
    let times = match step.guard {
        Guard::None => 1,
        Guard::Predicate | Guard::Branch => random.below(2),
        Guard::Loop => 1 + random.below(3),
    };
    Operands { fetch, which, times }
}

/// The results of each thread, by the reference.
fn expected(steps: &[Step], textures: &[Drawn], operands: &[Vec<Operands>]) -> Vec<[u32; ANSWERS]> {
    let of_step = |(step, one): (&Step, &Operands)| {
        let mut answer = [KEPT, KEPT, KEPT, KEPT, KEPT, 0, 0, 0];
        if one.times == 0 {
            return answer;
        }
        let drawn = &textures[one.which as usize];
        let fetched = reference::fetch(step.form, &drawn.texture, &drawn.sampler, &one.fetch);
        let fetched = fetched.expect("a fetch that has an answer");
        let registers = usize::from(step.form.result.registers());
        answer[..registers].copy_from_slice(&fetched.values[..registers]);
        answer[4] = u32::from(fetched.resident);
        answer
    };
    operands.iter().flat_map(|all| steps.iter().zip(all).map(of_step)).collect()
}

/// The results of the kernel.
fn launch(
    device: &Device,
    steps: &[Step],
    textures: &[Drawn],
    operands: &[Vec<Operands>],
    [ctas, threads]: [u32; 2],
) -> Vec<[u32; ANSWERS]> {
    let geometry = steps[0].form.geometry;
    let source = text(geometry, steps);
    let module = Module::load(device, "random.ptx", &source);
    let module = module.unwrap_or_else(|error| panic!("{error}\n{source}"));
    let buffer = |bytes: &[u8], name| {
        let buffer = device.alloc(bytes.len() as u64, name).expect("memory");
        buffer.write(0, bytes).expect("its own size");
        buffer
    };
    let words = operands.iter().flatten().flat_map(|one| one.words(geometry));
    let input = buffer(&words.flat_map(u32::to_le_bytes).collect::<Vec<_>>(), "in");
    let handles = textures.iter().flat_map(|drawn| drawn.object.handle().to_le_bytes());
    let handles = buffer(&handles.collect::<Vec<_>>(), "handles");
    let count = operands.len() * steps.len();
    let output = buffer(&vec![0; 4 * ANSWERS * count], "out");
    let options = LaunchOptions::new(ctas, threads);
    let arguments = [Arg::Buffer(&handles), Arg::Buffer(&input), Arg::Buffer(&output)];
    let kernel = module.kernel("fetch").expect("the kernel");
    kernel.launch(&options, &arguments).unwrap_or_else(|error| panic!("{error}\n{source}"));
    let bytes = output.read();
    let word = |four: &[u8]| u32::from_le_bytes(four.try_into().expect("four bytes"));
    let answer = |bytes: &[u8]| std::array::from_fn(|i| word(&bytes[4 * i..][..4]));
    bytes.chunks_exact(4 * ANSWERS).map(answer).collect()
}

/// The results of the unit's plans for the first warp, at every SIMD level.
fn plans(
    steps: &[Step],
    textures: &[Drawn],
    operands: &[Vec<Operands>],
    expected: &[[u32; ANSWERS]],
) {
    for (number, step) in steps.iter().enumerate() {
        for (which, drawn) in textures.iter().enumerate() {
            let takes_part = |one: &Operands| one.which as usize == which && one.times > 0;
            let warp = &operands[..operands.len().min(32)];
            let active = (0..warp.len()).filter(|&lane| takes_part(&warp[lane][number]));
            let active = active.fold(0, |mask, lane| mask | 1 << lane);
            let lanes = |of: &dyn Fn(&FetchOperands) -> u32| -> Lanes {
                std::array::from_fn(|i| warp.get(i).map_or(0, |all| of(&all[number].fetch)))
            };
            let coords = Coordinates {
                layer: lanes(&|o| o.coords.layer),
                sample: [0; 32],
                point: std::array::from_fn(|axis| lanes(&|o| o.coords.point[axis])),
            };
            let offset = [0, 1, 2].map(|axis| lanes(&|o| o.offset[axis] as u32));
            let level = lanes(&|o| o.level);
            let dpdx = [0, 1, 2].map(|axis| lanes(&|o| o.dpdx[axis]));
            let dpdy = [0, 1, 2].map(|axis| lanes(&|o| o.dpdy[axis]));
            let mut request = FetchRequest::new(active, coords.each_ref());
            request.offset = offset.each_ref();
            request.level = &level;
            (request.dpdx, request.dpdy) = (dpdx.each_ref(), dpdy.each_ref());
            for &simd in SimdLevel::ALL {
                let answer = planned(step.form, drawn, &request, simd);
                for lane in (0..32).filter(|lane| active >> lane & 1 == 1) {
                    let wanted = &expected[lane * steps.len() + number];
                    let registers = usize::from(step.form.result.registers());
                    let found = answer.values.map(|lanes| lanes[lane]);
                    let place = format!("{simd}, {}: lane {lane}", step.form);
                    assert_eq!(found[..registers], wanted[..registers], "{place}");
                    assert_eq!(answer.resident >> lane & 1, wanted[4], "{place}");
                }
            }
        }
    }
}

fn planned(
    form: FetchForm,
    drawn: &Drawn,
    request: &FetchRequest<'_>,
    simd: SimdLevel,
) -> FetchAnswer {
    let texture: &Arc<_> = &drawn.texture;
    let plan = FetchPlan::at_level(form, texture, &drawn.sampler, simd).expect("a plan");
    let mut answer = FetchAnswer::default();
    plan.fetch(request, &mut Scratch::new(), &mut answer);
    answer
}
