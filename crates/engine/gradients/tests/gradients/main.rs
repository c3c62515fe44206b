//! Tests that `tex.grad` by TXD gives the bits of the texture unit: random kernels on random
//! textures, texels that the launch itself changes, and statistics.
#![allow(clippy::unwrap_used, missing_docs)]

mod kernels;
mod textures;

use kernels::{ANSWERS, Handles, Shape, WORDS, counts, kernel};
use std::collections::BTreeMap;
use textures::{Drawn, texture};
use texunit_device::{
    Arg, Array, ArrayDescriptor, BadFetch, Device, Extent, Filter, Format, Geometry,
    GradientEngine, GradientStats, LaunchError, LaunchOptions, LaunchStats, MemoryTexels, Module,
    Sampler, TextureDescriptor, TextureResource, Watch, Watched,
};
use texunit_gradients::TxdEngine;
use texunit_testkit::Random;

/// The result of a launch: memory and statistics, or the fault.
type Left = Result<(Vec<u8>, LaunchStats), String>;

/// Counts of what was tested.
#[derive(Debug, Default)]
struct Tally {
    gradients: GradientStats,
    /// The number of threads to which a missing tile was reported.
    missing: usize,
    /// The number of launches that ended in a fault.
    faults: usize,
}

/// Runs a random kernel on random textures, by TXD and by the unit, and compares the results.
fn both_ways(random: &mut Random, tally: &mut Tally) -> Option<Shape> {
    let device = Device::default();
    let geometry = random.of(&["1d", "a1d", "2d", "a2d", "2d", "a2d", "3d", "cube"]);
    let shape = kernel(random, geometry);
    let module = Module::load(&device, "random.ptx", &shape.text)
        .unwrap_or_else(|error| panic!("{error}\n{}", shape.text));
    let drawn: Vec<Drawn> =
        (0..4).filter_map(|_| texture(&device, random, geometry, shape.independent)).collect();
    let [first, ..] = &drawn[..] else { return None };
    if shape.handles == Handles::Reference {
        module.bind_texture("picture", &first.resource.resource(), &first.descriptor).ok()?;
        if shape.independent {
            module.bind_sampler("smooth", &first.descriptor.sampler).ok()?;
        }
    }
    let list = device.alloc(16 * 4, "handles").unwrap();
    let handles =
        drawn.iter().cycle().take(4).flat_map(|d| [d.object.handle(), d.sampler.handle()]);
    let handles: Vec<u8> = handles.flat_map(u64::to_le_bytes).collect();
    list.write(0, &handles).unwrap();
    let threads = 33 + random.below(60);
    let operands: Vec<u8> =
        (0..threads).flat_map(|_| operands(random, &shape)).flat_map(u32::to_le_bytes).collect();
    let input = device.alloc(operands.len() as u64, "in").unwrap();
    input.write(0, &operands).unwrap();
    let run = |gradients: Option<&dyn GradientEngine>| -> Left {
        let out = device.alloc(u64::from(threads) * 4 * ANSWERS as u64, "out").unwrap();
        let options =
            LaunchOptions::default().with_block([threads, 1, 1]).with_gradients(gradients);
        let args = [
            Arg::Texture(&first.object),
            Arg::Sampler(&first.sampler),
            Arg::Buffer(&list),
            Arg::Buffer(&input),
            Arg::Buffer(&out),
        ];
        match module.kernel("fetch").unwrap().launch(&options, &args) {
            Ok(stats) => Ok((out.read(), stats)),
            Err(LaunchError::Fault(fault)) => Err(fault.kind.to_string()),
            Err(error) => panic!("{error}\n{}", shape.text),
        }
    };
    match (run(None), run(Some(&TxdEngine::new(module.source())))) {
        (Err(unit), Err(txd)) => {
            assert_eq!(unit, txd, "{}", shape.text);
            tally.faults += 1;
        }
        (Ok((unit, _)), Ok((txd, launched))) => {
            let differs = unit.chunks(32).zip(txd.chunks(32)).position(|(a, b)| a != b);
            if let Some(thread) = differs {
                let [a, b] = [&unit, &txd].map(|m| m[32 * thread..][..32].to_vec());
                let drawn: Vec<_> = drawn.iter().map(|d| (&d.resource, &d.descriptor)).collect();
                panic!("thread {thread}: {a:02x?}, by TXD {b:02x?}\n{}\n{drawn:?}", shape.text);
            }
            let GradientStats { engine, unit } = launched.gradients.unwrap();
            let all = engine + unit.values().sum::<u64>();
            assert_eq!(all, launched.fetches, "{unit:?}");
            tally.gradients.engine += engine;
            for (why, count) in unit {
                *tally.gradients.unit.entry(why).or_default() += count;
            }
            tally.missing += txd.chunks(32).filter(|answer| answer[16] == 2).count();
        }
        (unit, txd) => panic!("{unit:?}\n{txd:?}\n{}", shape.text),
    }
    Some(shape)
}

/// The operands of a thread.
fn operands(random: &mut Random, shape: &Shape) -> [u32; WORDS] {
    let (coords, axes) = counts(shape.geometry);
    let scale = random.of(&[1.5, 20.0]);
    let steep = random.of(&[0.02, 0.3, 8.0]);
    let mut words = [0; WORDS];
    for word in &mut words[..coords] {
        *word = random.between(-scale, scale).to_bits();
    }
    if coords > axes {
        words[0] = random.of(&[0, 1, 2, 3, 65_535, 65_536, 65_537, u32::MAX]);
    }
    for word in &mut words[4..7] {
        let wide = random.of(&[8, -9, 17, 255, -256, i32::MAX]);
        let offset = random.within(-8..=7);
        *word = if random.one_in(8) { wide } else { offset } as u32;
    }
    for at in (8..11).chain(12..15) {
        words[at] = random.between(-steep, steep).to_bits();
    }
    if random.one_in(12) {
        let at = random.of(&[1, 2, 8, 12]);
        words[at] = random.of(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, 1e-40]).to_bits();
    }
    words[7] = random.below(4);
    words[11] = random.below(3);
    words
}

#[test]
fn random_kernels() {
    let mut tally = Tally::default();
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for seed in 0..900 {
        let mut random = Random::new(seed);
        if let Some(shape) = both_ways(&mut random, &mut tally) {
            for word in [
                shape.geometry.to_owned(),
                shape.result.to_owned(),
                format!("{:?}", shape.handles),
                format!("independent {}", shape.independent),
                format!("offset {} of {}", shape.offset, shape.geometry),
            ] {
                *seen.entry(word).or_default() += 1;
            }
        }
    }
    let Tally { gradients: stats, missing, faults } = tally;
    assert!(stats.engine > 15_000 && missing > 50 && faults < 200, "{stats:?} {missing} {faults}");
    assert!(seen.len() == 6 + 5 + 3 + 2 + 11 && seen.values().all(|n| *n > 3), "{seen:?}");
    for why in ["TXD has no 3d coordinates", "TXD has no cube coordinates"] {
        assert!(stats.unit.contains_key(why), "{stats:?}");
    }
}

fn picture(device: &Device, format: &str, geometry: Geometry, size: [u32; 2]) -> Array {
    let [width, height] = size;
    let extent = Extent { width, height, depth: 1 };
    let format = Format::from_name(format).unwrap();
    device.create_array(&ArrayDescriptor::new(format, geometry, extent, "picture")).unwrap()
}

const HEAD: &str = ".version 7.8\n.target sm_61\n.address_size 64\n";

/// A thread stores to the texture's memory, through a surface or by address, and fetches; then it
/// does both again.
fn stored_texels(store: [&str; 2], texture: &TextureResource<'_>, device: &Device, other: Arg<'_>) {
    let fetch = |at: u32| {
        format!(
            "tex.grad.2d.v4.u32.f32 {{%r0, %r1, %r2, %r3}}, [%t, {{%x, %x}}], {{%x, %x}}, {{%x, %x}};
             st.global.u32 [%out+{at}], %r0;"
        )
    };
    let text = format!(
        "{HEAD}.visible .entry k(.param .u64 texture, .param .u64 other, .param .u64 out)
        {{
            .reg .b32 %r<4>, %v; .reg .f32 %x; .reg .b64 %t, %s, %out;
            ld.param.u64 %t, [texture]; ld.param.u64 %s, [other]; ld.param.u64 %out, [out];
            mov.f32 %x, 0f00000000;
            {} mov.u32 %v, 7; {} {} mov.u32 %v, 8; {} {}
            ret;
        }}",
        fetch(0),
        store[0],
        fetch(4),
        store[1],
        fetch(8)
    );
    let module = Module::load(device, "stores.ptx", &text).unwrap();
    let object = device.create_texture(texture, &TextureDescriptor::default()).unwrap();
    let out = device.alloc(12, "out").unwrap();
    let txd = TxdEngine::new(module.source());
    let options = LaunchOptions::default().with_gradients(Some(&txd));
    let args = [Arg::Texture(&object), other, Arg::Buffer(&out)];
    let stats = module.kernel("k").unwrap().launch(&options, &args).unwrap();
    let words: Vec<u8> = [3_u32, 7, 8].into_iter().flat_map(u32::to_le_bytes).collect();
    assert_eq!(out.read(), words);
    assert_eq!(stats.gradients.unwrap(), GradientStats { engine: 3, unit: BTreeMap::new() });
}

#[test]
fn texels_that_a_surface_store_changes() {
    let device = Device::default();
    let array = picture(&device, "u32", Geometry::D2, [4, 4]);
    array.write(&3_u32.to_le_bytes().repeat(16)).unwrap();
    let surface = device.create_surface(&array).unwrap();
    let store = "sust.b.2d.b32.trap [%s, {0, 0}], {%v};";
    stored_texels([store, store], &(&array).into(), &device, Arg::Surface(&surface));
    let reduce = "sured.b.2d.add.u32.trap [%s, {0, 0}], 1;";
    array.write(&3_u32.to_le_bytes().repeat(16)).unwrap();
    stored_texels([store, reduce], &(&array).into(), &device, Arg::Surface(&surface));
}

#[test]
fn texels_that_a_store_to_memory_changes() {
    let device = Device::default();
    let buffer = device.alloc(32 * 4 + 32, "rows").unwrap();
    buffer.write(0, &3_u32.to_le_bytes().repeat(40)).unwrap();
    let format = Format::from_name("u32").unwrap();
    let pitched =
        TextureResource::Memory(MemoryTexels::rows(&buffer, format, [4, 4], 32).with_offset(32));
    let store = "st.global.u32 [%s+32], %v;";
    stored_texels([store, store], &pitched, &device, Arg::Buffer(&buffer));
}

const GRADIENTS: &str = include_str!("gradients.ptx");

/// A watched thread reports all components, even those that no instruction reads.
#[test]
fn a_watched_thread() {
    let device = Device::default();
    let array = picture(&device, "f32x4", Geometry::D1, [4, 1]);
    let texels = [1.0_f32, 2.0, 3.0, 4.0].map(f32::to_le_bytes).concat().repeat(4);
    array.write(&texels).unwrap();
    let object = device.create_texture(&(&array).into(), &TextureDescriptor::default()).unwrap();
    let module = Module::load(&device, "k.ptx", &format!("{HEAD}{GRADIENTS}")).unwrap();
    let out = device.alloc(4, "out").unwrap();
    let watch = Watch::new([0; 3]);
    let txd = TxdEngine::new(module.source());
    let options = LaunchOptions::default().with_observer(Some(&watch)).with_gradients(Some(&txd));
    let args = [Arg::Texture(&object), Arg::Buffer(&out)];
    module.kernel("k").unwrap().launch(&options, &args).unwrap();
    let (accesses, _) = watch.take();
    let [access] = &accesses[..] else { panic!("{accesses:?}") };
    let Watched::Fetch(fetch) = &access.what else { panic!("{access:?}") };
    assert_eq!(fetch.values.map(f32::from_bits), [1.0, 2.0, 3.0, 4.0]);
    assert!(fetch.resident);
    assert_eq!(out.read(), 3.0_f32.to_le_bytes());
}

/// One handle is fetched from with its own geometry and with others that can read it: 1D, a row of
/// a 2D texture, and a layer (docs/numerics.md 1.13). Queries return the properties of the array.
#[test]
fn one_texture_of_several_geometries() {
    let body = include_str!("geometries.ptx");
    for target in ["sm_61", "sm_61, texmode_independent"] {
        let device = Device::default();
        let array = picture(&device, "f32", Geometry::D2, [4, 1]);
        array.write(&[1.0_f32, 2.0, 3.0, 4.0].map(f32::to_le_bytes).concat()).unwrap();
        let object =
            device.create_texture(&(&array).into(), &TextureDescriptor::default()).unwrap();
        let text = format!("{HEAD}{body}").replace("sm_61", target);
        let text = match target.contains("independent") {
            true => text.replace("[%t, {", "[%t, %s, {"),
            false => text,
        };
        let module = Module::load(&device, "k.ptx", &text).unwrap();
        let sampler = device.create_sampler(&Sampler::default()).unwrap();
        let out = device.alloc(20, "out").unwrap();
        let txd = TxdEngine::new(module.source());
        for gradients in [None, Some(&txd as &dyn GradientEngine)] {
            out.write(0, &[0; 20]).unwrap();
            let options = LaunchOptions::default().with_gradients(gradients);
            let args = [Arg::Texture(&object), Arg::Sampler(&sampler), Arg::Buffer(&out)];
            let stats = module.kernel("k").unwrap().launch(&options, &args).unwrap();
            let words = [3.0_f32.to_bits(), 3.0_f32.to_bits(), 3.0_f32.to_bits(), 1, 0];
            assert_eq!(
                out.read(),
                words.map(u32::to_le_bytes).concat(),
                "{target}, by TXD {}",
                gradients.is_some()
            );
            if gradients.is_some() {
                let all = GradientStats { engine: 3, unit: BTreeMap::new() };
                assert_eq!(stats.gradients.unwrap(), all, "{target}");
            }
        }
    }
}

/// Fetches that a GPU executes although the texture does not fit: TXD reads a surface as well, and
/// fetches that give zeros do not reach the engine.
#[test]
fn fetches_that_no_texture_fits() {
    let body = include_str!("misfits.ptx");
    let device = Device::default();
    let array = picture(&device, "f32", Geometry::D2, [4, 1]);
    array.write(&[1.0_f32, 2.0, 3.0, 4.0].map(f32::to_le_bytes).concat()).unwrap();
    let surface = device.create_surface(&array).unwrap();
    let solid = Extent { width: 4, height: 4, depth: 4 };
    let format = Format::from_name("f32").unwrap();
    let solid = ArrayDescriptor::new(format, Geometry::D3, solid, "solid");
    let solid = device.create_array(&solid).unwrap();
    let solid = device.create_texture(&(&solid).into(), &TextureDescriptor::default()).unwrap();
    let module = Module::load(&device, "k.ptx", &format!("{HEAD}{body}")).unwrap();
    let out = device.alloc(8, "out").unwrap();
    for counted in [None, Some(1)] {
        let txd = TxdEngine::new(module.source());
        let gradients = counted.map(|_| &txd as &dyn GradientEngine);
        out.write(0, &[7; 8]).unwrap();
        let options = LaunchOptions::default().with_gradients(gradients);
        let args = [Arg::U64(surface.handle()), Arg::Texture(&solid), Arg::Buffer(&out)];
        let kernel = module.kernel("k").unwrap();
        assert!(kernel.launch(&options, &args).is_err());
        let stats = kernel.launch(&options.with_bad_fetch(BadFetch::Zero), &args).unwrap();
        assert_eq!(out.read(), [3.0_f32.to_bits(), 0].map(u32::to_le_bytes).concat());
        assert_eq!(stats.bad_fetches.faults.len(), 2);
        assert_eq!(stats.gradients.map(|gradients| gradients.engine), counted);
    }
}

/// Textures that no header can express are left to the unit, and the reason is counted.
#[test]
fn what_has_no_header() {
    let device = Device::default();
    let module = Module::load(&device, "k.ptx", &format!("{HEAD}{GRADIENTS}")).unwrap();
    let out = device.alloc(4, "out").unwrap();
    let run = |resource: &TextureResource<'_>, descriptor: &TextureDescriptor| {
        let object = device.create_texture(resource, descriptor).unwrap();
        let args = [Arg::Texture(&object), Arg::Buffer(&out)];
        let mut results = Vec::new();
        let mut counted = None;
        let txd = TxdEngine::new(module.source());
        for gradients in [None, Some(&txd as &dyn GradientEngine)] {
            let options = LaunchOptions::default().with_gradients(gradients);
            counted = module.kernel("k").unwrap().launch(&options, &args).unwrap().gradients;
            results.push(out.read());
        }
        assert_eq!(results[0], results[1]);
        let GradientStats { engine, unit } = counted.unwrap();
        assert_eq!((engine, unit.len()), (0, 1));
        unit.into_iter().next().unwrap()
    };
    let depth = picture(&device, "depth24", Geometry::D1, [4, 1]);
    let (why, count) = run(&(&depth).into(), &TextureDescriptor::default());
    assert!(why.starts_with("component_layout: no header says `depth24"), "{why}");
    assert_eq!(count, 1);
    let sampler = Sampler::default().with_level_bias(20.0).with_filter(Filter::Linear);
    let biased = TextureDescriptor::default().with_sampler(sampler);
    let plain = picture(&device, "f32x4", Geometry::D1, [4, 1]);
    let (why, _) = run(&(&plain).into(), &biased);
    assert!(why.starts_with("mip_lod_bias: 20 is not a multiple of 1/256"), "{why}");
}
