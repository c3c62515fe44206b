//! Textures and surfaces give the same results after a launch is repeated from its recording.

use super::*;
use texunit_device::*;

#[test]
fn reading_is_as_it_was_for_every_way_to_read() {
    // Modes that the driver accepts and the runtime refuses, cubes, layers, blocks.
    let temp = TempDir::new("record-views");
    let device = used_device();
    let module = Module::load(&device, "m", KERNEL).unwrap();
    let extent = Extent { width: 16, height: 16, depth: 1 };
    let cube = ArrayDescriptor::new(format("u8x4"), Geometry::Cube, extent, "array");
    let cube = device.create_array(&cube).unwrap();
    cube.write(&(0..6 * 1024_u32).map(|i| (i * 7) as u8).collect::<Vec<_>>()).unwrap();
    let blocks =
        ArrayDescriptor::new(format("u32x4"), Geometry::A2d, extent, "array").with_layers(3);
    let blocks = device.create_array(&blocks).unwrap();
    let mut sparse = ArrayDescriptor::new(
        format("u8"),
        Geometry::D2,
        Extent { width: 600, height: 300, depth: 1 },
        "array",
    );
    sparse.sparse = true;
    let sparse = device.create_mipmapped_array(&sparse, 10).unwrap();
    let tile = texunit_device::TileRegion {
        offset: [256, 0, 0],
        extent: Some(Extent { width: 256, height: 256, depth: 1 }),
        ..Default::default()
    };
    sparse.map_tiles(&tile).unwrap();
    sparse.set_mip_tail(0, true).unwrap();
    let linear = Sampler::default().with_filter(Filter::Linear);
    let integers = TextureDescriptor::default().with_sampler(linear);
    let normalized = TextureDescriptor::default()
        .with_read_mode(ReadMode::NormalizedFloat)
        .with_normalized_coords(true)
        .with_sampler(linear.with_seamless_cube(true));
    let plain = TextureDescriptor::default()
        .with_read_mode(ReadMode::NormalizedFloat)
        .with_normalized_coords(true)
        .with_sampler(linear);
    let views = [
        cube.view(&View { geometry: Some(Geometry::A2d), planes: Some(2..4), ..View::default() })
            .unwrap(),
        cube.layer(5).unwrap(),
        blocks
            .view(&View { format: Some(format("bc7")), planes: Some(1..2), ..View::default() })
            .unwrap(),
    ];
    let mut objects = vec![
        device.create_texture(&(&views[0]).into(), &integers.with_as_driver(true)).unwrap(),
        device.create_texture(&(&views[1]).into(), &plain).unwrap(),
        device
            .create_texture(
                &(&views[2]).into(),
                &TextureDescriptor::default().with_read_mode(ReadMode::NormalizedFloat),
            )
            .unwrap(),
        device.create_texture(&(&cube).into(), &normalized).unwrap(),
        device.create_texture(&(&sparse).into(), &TextureDescriptor::default()).unwrap(),
    ];
    let surface = device.create_surface(&cube).unwrap();
    let alone = device
        .create_sampler(&linear.with_level_bias(0.5).with_force_unnormalized_coords(true))
        .unwrap();
    // Destroyed, but an object still uses it.
    let gone = device
        .create_array(&ArrayDescriptor::new(
            format("f32"),
            Geometry::D1,
            Extent { width: 9, height: 1, depth: 1 },
            "array",
        ))
        .unwrap();
    objects.push(device.create_texture(&(&gone).into(), &TextureDescriptor::default()).unwrap());
    gone.destroy();
    let out = device.alloc(4, "out").unwrap();
    let kernel = module.kernel("idle").unwrap();
    let (written, _) = record(
        temp.path(),
        &kernel,
        &LaunchOptions::default(),
        &words([out.address()].into_iter()),
    );
    let written = written.unwrap();
    assert_eq!(out.read(), 40_u32.to_le_bytes());
    let report = repeat(temp.path(), &[]);
    assert!(
        report.succeeded(),
        "{:?}\n{}",
        report.failures,
        std::fs::read_to_string(&written.job).unwrap()
    );

    // The objects of the repeated launch have the same descriptions.
    let text = std::fs::read_to_string(&written.job).unwrap();
    let again = rebound(&written.job);
    let (before, after) = (device.state(), again.state());
    let handles = |state: &texunit_device::State| -> Vec<u64> {
        state.textures.iter().map(|t| t.handle).collect()
    };
    assert_eq!(handles(&before), handles(&after), "{text}");
    for (a, b) in before.textures.iter().zip(&after.textures) {
        let (x, y) = (&a.value.texture, &b.value.texture);
        assert_eq!(
            (x.read_mode, x.normalized_coords, a.value.sampler),
            (y.read_mode, y.normalized_coords, b.value.sampler)
        );
        let (x, y) = (&x.resource, &y.resource);
        assert_eq!(
            (x.shape(), x.first(), x.array_levels(), x.levels()),
            (y.shape(), y.first(), y.array_levels(), y.levels())
        );
        assert_eq!((x.to_packed(), x.block().ended()), (y.to_packed(), y.block().ended()));
        let resident = |r: &texunit_unit::Resource| {
            r.residency().map(|map| (map.count(), map.resident_count()))
        };
        assert_eq!(resident(x), resident(y));
    }
    assert_eq!(before.surfaces[0].handle, surface.handle());
    assert_eq!(after.surfaces[0].value.resource.shape(), before.surfaces[0].value.resource.shape());
    let samplers = |state: &texunit_device::State| -> Vec<(u64, Sampler)> {
        state.samplers.iter().map(|s| (s.handle, s.value)).collect()
    };
    assert_eq!(samplers(&before), samplers(&after));
    assert_eq!(before.samplers[0].handle, alone.handle());
    drop(objects);
}

/// The device of a job, with its bound objects.
fn rebound(path: &Path) -> Device {
    let file = texunit_job::load::read_job(path).unwrap();
    let (job, folder) = (file.job.unwrap(), path.parent().unwrap());
    let (name, text) = texunit_job::load::read_ptx(&job, folder).unwrap();
    let device = Device::new(&DeviceOptions::default().with_memory_limit(8 << 30));
    let module = Module::load_at(&device, &name, &text, &texunit_job::load::places(&job)).unwrap();
    let kernel = texunit_job::load::kernel(&job, &module).unwrap();
    let problems = texunit_job::Problems::default();
    let bound = texunit_job::bind(&job, folder, &device, &kernel, &problems);
    assert_eq!(problems.take(), []);
    // The objects must outlive the test's comparisons.
    std::mem::forget((bound, module));
    device
}
