//! Tests arrays of every geometry, their parts and views, textures and surfaces of them, and what
//! is refused, from Rust to a kernel and back.
#![allow(clippy::unwrap_used, missing_docs)]

use texunit_device::{
    AddressMode, Arg, Array, ArrayDescriptor, Block, CompareFunction, ComputeCapability, Coords,
    Device, DeviceOptions, Error, Extent, FaultKind, Filter, Format, Geometry, LaunchError,
    LaunchOptions, MemoryTexels, Module, ReadMode, Sampler, SurfaceResource, TextureDescriptor,
    TextureObject, TextureResource, TileRegion, View,
};

fn format(name: &str) -> Format {
    Format::from_name(name).unwrap()
}

fn extent(width: u32, height: u32, depth: u32) -> Extent {
    Extent { width, height, depth }
}

fn descriptor(name: &str, geometry: Geometry, extent: Extent) -> ArrayDescriptor {
    ArrayDescriptor::new(format(name), geometry, extent, "array")
}

/// The numbers 0, 1, 2 ... as u32 texels: each is its own index in packed order.
fn numbered(count: usize) -> Vec<u8> {
    (0..count as u32).flat_map(u32::to_le_bytes).collect()
}

const HEADER: &str = ".version 8.6\n.target sm_75\n.address_size 64\n";

/// Runs a kernel with one fetch: `%f0` to `%f3` and `%s0` to `%s3` hold the coordinates 0.25 to
/// 3.25 and 0 to 3. The results are in `%r0` to `%r3`, and `%p` in a fifth element.
fn fetch(device: &Device, texture: &TextureObject, instruction: &str) -> [u32; 5] {
    let text = format!(
        "{HEADER}.visible .entry k(.param .u64 tex, .param .u64 out)
        {{
            .reg .b64 %t, %out;
            .reg .b32 %r<5>;
            .reg .b32 %s<4>;
            .reg .f32 %f<4>;
            .reg .pred %p;
            ld.param.u64 %t, [tex];
            ld.param.u64 %out, [out];
            mov.u32 %s0, 0; mov.u32 %s1, 1; mov.u32 %s2, 2; mov.u32 %s3, 3;
            mov.f32 %f0, 0f3E800000; mov.f32 %f1, 0f3FA00000;
            mov.f32 %f2, 0f40100000; mov.f32 %f3, 0f40500000;
            setp.eq.u32 %p, %s0, %s0;
            {instruction}
            selp.u32 %r4, 1, 0, %p;
            st.global.v4.u32 [%out], {{%r0, %r1, %r2, %r3}};
            st.global.u32 [%out+16], %r4;
            ret;
        }}"
    );
    let module = Module::load(device, "t.ptx", &text).unwrap();
    let out = device.alloc(20, "out").unwrap();
    let kernel = module.kernel("k").unwrap();
    let args = [Arg::Texture(texture), Arg::Buffer(&out)];
    kernel.launch(&LaunchOptions::default(), &args).unwrap();
    let bytes = out.read();
    std::array::from_fn(|i| u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().unwrap()))
}

fn texture<'a>(device: &Device, resource: impl Into<TextureResource<'a>>) -> TextureObject {
    device.create_texture(&resource.into(), &TextureDescriptor::default()).unwrap()
}

#[test]
fn arrays_of_every_geometry() {
    use Geometry as G;
    let device = Device::default();
    #[rustfmt::skip]
    let rows: [(G, Extent, u32, u32, &str, u32); 9] = [
        (G::D1,    extent(4, 1, 1), 1, 1, "tex.1d.v4.u32.f32 R, [%t, {%f3}];",                     3),
        (G::D2,    extent(4, 3, 1), 1, 1, "tex.2d.v4.u32.s32 R, [%t, {%s3, %s2}];",                11),
        (G::D3,    extent(4, 3, 2), 1, 1, "tex.3d.v4.u32.s32 R, [%t, {%s3, %s2, %s1, %s0}];",      23),
        (G::A1d,   extent(4, 1, 1), 3, 1, "tex.a1d.v4.u32.s32 R, [%t, {%s2, %s3}];",               11),
        (G::A2d,   extent(4, 3, 1), 3, 1, "tex.a2d.v4.u32.s32 R, [%t, {%s2, %s3, %s1, %s0}];",     31),
        (G::Cube,  extent(1, 1, 1), 1, 1, "neg.f32 %f3, %f3; tex.cube.v4.u32.f32 R, [%t, {%f0, %f3, %f1, %f1}];", 3),
        (G::Acube, extent(1, 1, 1), 3, 1, "tex.acube.v4.u32.f32 R, [%t, {%s2, %f0, %f1, %f3}];",   16),
        (G::D2ms,  extent(4, 3, 1), 1, 4, "tex.2dms.v4.u32.s32 R, [%t, {%s2, %s3, %s1, %s0}];",    31),
        (G::A2dms, extent(4, 3, 1), 3, 2, "tex.a2dms.v4.u32.s32 R, [%t, {%s1, %s2, %s3, %s0}];",   63),
    ];
    for (geometry, size, layers, samples, instruction, wanted) in rows {
        let descriptor =
            descriptor("u32", geometry, size).with_layers(layers).with_samples(samples);
        let array = device.create_array(&descriptor).unwrap();
        let count = size.width * size.height * size.depth * array.planes() * samples;
        assert_eq!(array.size(), u64::from(count) * 4, "{geometry:?}");
        array.write(&numbered(count as usize)).unwrap();
        assert_eq!(array.read(), numbered(count as usize), "{geometry:?}");
        assert_eq!(
            (array.geometry(), array.layers(), array.samples()),
            (geometry, layers, samples)
        );
        let object = texture(&device, &array);
        let instruction = instruction.replace("R,", "{%r0, %r1, %r2, %r3},");
        assert_eq!(fetch(&device, &object, &instruction)[0], wanted, "{geometry:?}");
    }
}

#[test]
fn levels_are_arrays_that_share_the_texels() {
    let device = Device::default();
    let size = extent(4, 2, 1);
    let mips = device.create_mipmapped_array(&descriptor("u32", Geometry::D2, size), 3).unwrap();
    assert_eq!((mips.levels(), mips.extent(), mips.size()), (3, size, 44));
    mips.write(&numbered(11)).unwrap();
    let level = mips.level(1).unwrap();
    assert_eq!(level.extent(), extent(2, 1, 1));
    assert_eq!(level.read(), numbered(11)[32..40]);
    level.write(&77_u32.to_le_bytes()).unwrap();
    assert_eq!(mips.read()[32..36], 77_u32.to_le_bytes());
    assert!(mips.level(3).is_err());

    let object = texture(&device, &mips);
    let read = |object: &TextureObject, instruction: &str| fetch(&device, object, instruction)[0];
    // Coordinates are normalized, whatever the descriptor says: (0.25, 0.25) of 2 x 1 texels.
    let explicit = "tex.level.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%t, {%f0, %f0}], LEVEL;";
    assert_eq!(read(&object, &explicit.replace("LEVEL", "1.0")), 77);
    assert_eq!(read(&object, &explicit.replace("LEVEL", "9.0")), 10);
    // A single level is not mipmapped, so that its coordinates are texels.
    let plain = "tex.2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {%s1, %s0}];";
    assert_eq!(read(&texture(&device, &level), plain), 9);
    // A view of the last two levels begins with level 1.
    let view = mips.view(&View { levels: Some(1..3), ..View::default() }).unwrap();
    assert_eq!((view.levels(), view.extent()), (2, extent(2, 1, 1)));
    assert_eq!(read(&texture(&device, &view), &explicit.replace("LEVEL", "1.0")), 10);
    assert_eq!(texunit_device::MipmappedArray::max_mip_levels(extent(5, 9, 1)), 4);
    let error = device.create_mipmapped_array(&descriptor("u32", Geometry::D2, size), 4);
    assert!(error.unwrap_err().to_string().contains("levels"));
}

#[test]
fn layers_faces_and_views() {
    let device = Device::default();
    let layered = descriptor("u32", Geometry::A2d, extent(2, 2, 1)).with_layers(6);
    let array = device.create_array(&layered).unwrap();
    array.write(&numbered(24)).unwrap();
    let layer = array.layer(3).unwrap();
    assert_eq!((layer.geometry(), layer.read()), (Geometry::D2, numbered(24)[48..64].to_vec()));
    assert!(array.layer(6).is_err());
    let cube = View { geometry: Some(Geometry::Cube), ..View::default() };
    let cube = array.view(&cube).unwrap();
    assert_eq!((cube.geometry(), cube.planes()), (Geometry::Cube, 6));
    assert_eq!(cube.layer(5).unwrap().read(), numbered(24)[80..]);
    let bytes = View { format: Some(format("u8x4")), ..View::default() };
    let object = texture(&device, &array.view(&bytes).unwrap());
    let read = "tex.a2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {%s3, %s1, %s1, %s0}];";
    assert_eq!(fetch(&device, &object, read)[..4], [15, 0, 0, 0]);
    let larger = View { format: Some(format("f32x2")), ..View::default() };
    assert!(matches!(array.view(&larger), Err(Error::Create(_))));
}

#[test]
fn arrays_have_2_4_8_or_16_samples() {
    let device = Device::default();
    let four = descriptor("u8", Geometry::D2ms, extent(2, 1, 1)).with_samples(4);
    let array = device.create_array(&four).unwrap();
    assert_eq!((array.samples(), array.read().len()), (4, 8));
    assert!(device.create_array(&four.with_samples(3)).is_err());
}

/// Runs a kernel that stores 0x01020304 at the coordinates in `%s`.
fn store<'a>(
    device: &Device,
    surface: impl Into<SurfaceResource<'a>>,
    instruction: &str,
) -> Result<(), LaunchError> {
    let text = format!(
        "{HEADER}.visible .entry k(.param .u64 surf)
        {{
            .reg .b64 %t;
            .reg .b32 %v, %s<5>;
            ld.param.u64 %t, [surf];
            mov.u32 %s0, 0; mov.u32 %s1, 1; mov.u32 %s2, 2; mov.u32 %s4, 4;
            mov.u32 %v, 0x01020304;
            {instruction}
            ret;
        }}"
    );
    let module = Module::load(device, "t.ptx", &text).unwrap();
    let surface = device.create_surface(surface).unwrap();
    let kernel = module.kernel("k").unwrap();
    kernel.launch(&LaunchOptions::default(), &[Arg::Surface(&surface)]).map(|_| ())
}

const VALUE: [u8; 4] = [4, 3, 2, 1];

#[test]
fn surfaces_of_levels_layers_and_cubes() {
    let device = Device::default();
    let two_d = descriptor("u8x4", Geometry::D2, extent(4, 4, 1));
    let mips = device.create_mipmapped_array(&two_d, 2).unwrap();
    let level = mips.level(1).unwrap();
    store(&device, &level, "sust.b.2d.b32.trap [%t, {%s4, %s1}], {%v};").unwrap();
    assert_eq!(mips.read()[64 + 12..], VALUE);
    // The level has two rows of two texels, so that row 2 is outside.
    let outside = store(&device, &level, "sust.b.2d.b32.trap [%t, {%s4, %s2}], {%v};");
    assert!(
        matches!(outside, Err(LaunchError::Fault(f)) if matches!(f.kind, FaultKind::Surface { .. }))
    );

    let layers = descriptor("u8x4", Geometry::A2d, extent(2, 2, 1)).with_layers(3);
    let array = device.create_array(&layers).unwrap();
    store(&device, &array.layer(2).unwrap(), "sust.b.2d.b32.trap [%t, {%s0, %s1}], {%v};").unwrap();
    assert_eq!(array.read()[40..44], VALUE);
    store(&device, &array, "sust.b.a2d.b32.trap [%t, {%s1, %s4, %s0, %s0}], {%v};").unwrap();
    assert_eq!(array.read()[20..24], VALUE);

    let cube = device.create_array(&descriptor("u8x4", Geometry::Cube, extent(2, 2, 1))).unwrap();
    store(&device, &cube, "sust.b.a2d.b32.trap [%t, {%s4, %s4, %s1, %s0}], {%v};").unwrap();
    assert_eq!(cube.layer(4).unwrap().read()[12..], VALUE);
}

#[test]
fn surfaces_of_memory() {
    let device = Device::default();
    let buffer = device.alloc(128, "memory").unwrap();
    let format = format("u8x4");
    let linear = SurfaceResource::Memory(MemoryTexels::line(&buffer, format, 8));
    store(&device, linear, "sust.b.1d.b32.trap [%t, {%s4}], {%v};").unwrap();
    assert_eq!(buffer.read()[4..8], VALUE);
    let pitched = SurfaceResource::Memory(MemoryTexels::rows(&buffer, format, [4, 4], 32));
    store(&device, pitched, "sust.b.2d.b32.trap [%t, {%s4, %s2}], {%v};").unwrap();
    assert_eq!(buffer.read()[68..72], VALUE);
    let tall = SurfaceResource::Memory(MemoryTexels::rows(&buffer, format, [4, 5], 32));
    assert!(device.create_surface(tall).is_err());
    let part = SurfaceResource::Memory(MemoryTexels::line(&buffer, format, 4).with_offset(112));
    store(&device, part, "sust.b.1d.b32.trap [%t, {%s4}], {%v};").unwrap();
    assert_eq!(buffer.read()[116..120], VALUE);
    for (offset, reason) in [(8, "base address"), (120, "base address"), (128, "16 bytes")] {
        let part =
            TextureResource::Memory(MemoryTexels::line(&buffer, format, 4).with_offset(offset));
        let error = device.create_texture(&part, &TextureDescriptor::default()).unwrap_err();
        assert!(error.to_string().contains(reason), "{offset}: {error}");
    }
    let foreign = Device::default().alloc(64, "foreign").unwrap();
    let other = SurfaceResource::Memory(MemoryTexels::line(&foreign, format, 4));
    assert_eq!(device.create_surface(other).unwrap_err(), Error::OtherDevice("foreign".into()));
}

/// Texels of the host program, which any device reads and writes in place.
#[test]
fn texels_outside_of_the_device() {
    use std::sync::Arc;
    use texunit_unit::{ArrayShape, Resource};
    let made = |geometry, size, layers| {
        let shape = ArrayShape { layers, ..ArrayShape::new(format("u32"), geometry, size) };
        let block = Block::new(shape.size().unwrap() as usize, "texels").unwrap();
        let resource = Resource::array(&shape, Arc::new(block), "texels").unwrap();
        resource.fill_packed(&numbered(shape.packed_size().unwrap() as usize / 4)).unwrap();
        Arc::new(resource)
    };
    let texels = made(Geometry::D2, extent(4, 3, 1), 1);
    let cube = made(Geometry::Cube, extent(2, 2, 1), 1);
    for device in [Device::default(), Device::default()] {
        let object = texture(&device, TextureResource::Texels(&texels));
        let instruction = "tex.2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {%s3, %s2}];";
        assert_eq!(fetch(&device, &object, instruction)[0], 11);
        let surface = SurfaceResource::Texels(&texels);
        store(&device, surface, "sust.b.2d.b32.trap [%t, {%s4, %s1}], {%v};").unwrap();
        assert_eq!(texels.to_packed()[20..24], VALUE);
        // The faces of a cube map are layers.
        let faces = SurfaceResource::Texels(&cube);
        store(&device, faces, "sust.b.a2d.b32.trap [%t, {%s4, %s4, %s1, %s0}], {%v};").unwrap();
        assert_eq!(cube.to_packed()[76..80], VALUE);
    }
    let old = ComputeCapability { major: 1, minor: 3 };
    let old = Device::new(&DeviceOptions::default().with_architecture(old));
    assert!(old.create_surface(SurfaceResource::Texels(&texels)).is_err());
}

#[test]
fn tiles_of_sparse_arrays() {
    let device = Device::default();
    let size = extent(256, 256, 1);
    let sparse = descriptor("u8x4", Geometry::D2, size).with_sparse(true);
    let array = device.create_array(&sparse).unwrap();
    array.write(&[9].repeat(array.size() as usize)).unwrap();
    let tile = array.tile().unwrap();
    assert_eq!(tile[0] * tile[1] * 4, 65_536);
    let object = texture(&device, &array);
    let read = |object| {
        let [x, .., resident] =
            fetch(&device, object, "tex.2d.v4.u32.s32 {%r0, %r1, %r2, %r3}|%p, [%t, {%s1, %s2}];");
        (x, resident)
    };
    assert_eq!(read(&object), (0, 0), "nothing is mapped at first");
    array.map_tiles(&TileRegion::default()).unwrap();
    assert_eq!(read(&object), (9, 1));
    let first = TileRegion { extent: Some(extent(tile[0], tile[1], 1)), ..TileRegion::default() };
    array.unmap_tiles(&first).unwrap();
    assert_eq!(read(&object), (0, 0));
    array.map_all_tiles(true).unwrap();
    assert_eq!(read(&object), (9, 1));
    let outside = TileRegion { layer: 1, ..first };
    assert!(array.map_tiles(&outside).is_err());
    let dense = device.create_array(&descriptor("u8x4", Geometry::D2, size)).unwrap();
    assert_eq!(dense.tile(), None);
    let error = dense.map_tiles(&first).unwrap_err().to_string();
    assert_eq!(error, "array `array` is not sparse");
    assert_eq!(read(&texture(&device, &dense)), (0, 1), "other arrays are always there");
    let line = descriptor("u8x4", Geometry::D1, extent(4, 1, 1)).with_sparse(true);
    assert!(device.create_array(&line).is_err());
}

#[test]
fn limits_follow_the_architecture() {
    let at = |major, minor| {
        let architecture = ComputeCapability { major, minor };
        Device::new(&DeviceOptions::default().with_architecture(architecture))
    };
    let make = |device: &Device, geometry, size| {
        device.create_array(&descriptor("u8", geometry, size)).map_err(|e| e.to_string())
    };
    let wide = extent(100_000, 1, 1);
    assert!(make(&at(9, 0), Geometry::D1, wide).is_ok());
    let error = make(&at(5, 2), Geometry::D1, wide).unwrap_err();
    assert!(error.contains("65536") && error.contains("sm_52"), "{error}");
    assert!(error.contains("MAXIMUM_TEXTURE1D_WIDTH"), "{error}");
    let error = make(&at(9, 0), Geometry::D3, extent(16_385, 1, 1)).unwrap_err();
    assert!(error.contains("MAXIMUM_TEXTURE3D_WIDTH"), "{error}");
    assert!(make(&at(9, 0), Geometry::D2, extent(0, 1, 1)).is_err());
}

#[test]
fn samplers_with_everything() {
    let device = Device::default();
    let sampler = Sampler::default()
        .with_filter(Filter::Linear)
        .with_mip_filter(Filter::Linear)
        .with_address_modes([AddressMode::ClampOgl, AddressMode::Border, AddressMode::Mirror])
        .with_min_level_clamp(0.5)
        .with_max_level_clamp(3.0)
        .with_level_bias(-1.0)
        .with_max_anisotropy(8)
        .with_srgb(true)
        .with_compare(None);
    let object = device.create_sampler(&sampler).unwrap();
    assert_eq!(object.state(), Some(sampler));
    let depth = descriptor("depth32f", Geometry::D2, extent(2, 2, 1));
    let depth = device.create_array(&depth).unwrap();
    depth.write(&[0.25_f32, 0.5, 0.75, 1.0].map(f32::to_le_bytes).concat()).unwrap();
    let compare = Sampler::default().with_compare(CompareFunction::LessEqual);
    let shadow = TextureDescriptor::default().with_sampler(compare);
    let object = device.create_texture(&TextureResource::Array(&depth), &shadow).unwrap();
    for (reference, wanted) in [("0.25", 1.0_f32), ("0.5", 1.0), ("0.625", 0.0)] {
        let instruction =
            format!("tex.2d.v4.f32.f32 {{%r0, %r1, %r2, %r3}}, [%t, {{%f1, %f0}}], {reference};");
        assert_eq!(fetch(&device, &object, &instruction)[0], wanted.to_bits(), "{reference}");
    }
}

#[test]
fn effective_state_of_what_is_bound() {
    let device = Device::default();
    let text = format!(
        "{HEADER}.global .texref tex = {{ filter_mode = linear, addr_mode_0 = clamp_ogl,
             addr_mode_1 = wrap, channel_data_type = 0x10DE, channel_order = 0x10B0, width = 4,
             array_size = 1, num_mipmap_levels = 7 }};
         .global .surfref surf = {{ width = 9, memory_layout = 1 }};
         .visible .entry k(.param .u64 handle)
         {{
             .reg .b64 %t;
             .reg .f32 %f<5>;
             mov.f32 %f4, 0f3F000000;
             tex.2d.v4.f32.f32 {{%f0, %f1, %f2, %f3}}, [tex, {{%f4, %f4}}];
             ret;
         }}"
    );
    let module = Module::load(&device, "t.ptx", &text).unwrap();
    assert!(module.bound_texture("tex").is_none());
    let initial = module.opaque_variables()[0].initial;
    let modes = [AddressMode::ClampOgl, AddressMode::Wrap, AddressMode::Clamp];
    assert_eq!(initial.sampler.address_mode, modes);
    let array = device.create_array(&descriptor("u8x4", Geometry::D2, extent(4, 4, 1))).unwrap();
    let state = initial.with_read_mode(ReadMode::NormalizedFloat);
    let warnings = module.bind_texture("tex", &TextureResource::Array(&array), &state).unwrap();
    let about: Vec<_> = warnings.iter().map(|w| w.split(" says ").nth(1).unwrap()).collect();
    assert_eq!(
        about,
        [
            "channel_data_type = 0x10de, but the resource bound has 0x10d2; the resource wins",
            "channel_order = 0x10b0, but the resource bound has 0x10b5; the resource wins",
            "num_mipmap_levels = 7, but the resource bound has 0; the resource wins",
        ]
    );
    let warnings = module.bind_surface("surf", &array).unwrap();
    assert_eq!(warnings.len(), 2, "{warnings:?}");

    let sites = module.kernel("k").unwrap().fetch_sites();
    assert_eq!(sites.len(), 1);
    assert_eq!(sites[0].form.to_string(), "tex.2d.v4.f32.f32");
    let effective = module.bound_texture("tex").unwrap().effective(sites[0].form);
    assert_eq!(effective.refused, None);
    assert_eq!(effective.sampler.coords, Coords::Unnormalized);
    let modes = [AddressMode::ClampOgl, AddressMode::Clamp, AddressMode::Clamp];
    assert_eq!(effective.sampler.address_mode, Some(modes));
    assert!(effective.overrides.iter().any(|o| o.rule == "1.8"), "{:?}", effective.overrides);
}

/// In independent mode a texture is valid if some sampler is compatible with it.
#[test]
fn independent_textures_wait_for_their_sampler() {
    let device = Device::default();
    let array =
        device.create_array(&descriptor("bc1_srgb", Geometry::D2, extent(4, 4, 1))).unwrap();
    let resource = TextureResource::Array(&array);
    let plain = TextureDescriptor::default().with_read_mode(ReadMode::NormalizedFloat);
    assert!(device.create_texture(&resource, &plain).is_err(), "it lacks the sRGB flag");
    let load = |mode: &str| {
        let text =
            format!(".version 8.0\n.target sm_75{mode}\n.address_size 64\n.global .texref tex;");
        Module::load(&device, "t.ptx", &text).unwrap()
    };
    assert!(load("").bind_texture("tex", &resource, &plain).is_err());
    assert!(load(", texmode_independent").bind_texture("tex", &resource, &plain).is_ok());
    // As the driver does (docs/numerics.md 3.6).
    let nan = Sampler::default().with_level_bias(f32::NAN);
    assert!(device.create_sampler(&nan).is_ok());
}

#[test]
fn memory_of_parts_is_given_back_last() {
    let device = Device::new(&DeviceOptions::default().with_memory_limit(1 << 16));
    let big = descriptor("u8", Geometry::D2, extent(200, 200, 1));
    let part: Array = {
        let mips = device.create_mipmapped_array(&big, 2).unwrap();
        mips.level(1).unwrap()
    };
    assert!(matches!(device.create_array(&big), Err(Error::Memory { .. })));
    drop(part);
    device.create_array(&big).unwrap();
}
