//! Tests the object model: what is refused, and which objects keep others alive.
#![allow(clippy::unwrap_used, missing_docs)]

use texunit_device::{
    AddressMode, Arg, ArgError, Array, ArrayDescriptor, Device, DeviceOptions, Error, Extent,
    FaultKind, Filter, Format, Geometry, LaunchError, LaunchOptions, MemoryTexels, Module,
    OpaqueKind, ReadMode, Sampler, TextureDescriptor, TextureResource,
};

fn format(name: &str) -> Format {
    Format::from_name(name).unwrap()
}

fn array(device: &Device, name: &str, format_name: &str, width: u32, height: u32) -> Array {
    device
        .create_array(&ArrayDescriptor::new(
            format(format_name),
            Geometry::D2,
            Extent { width, height, depth: 1 },
            name,
        ))
        .unwrap()
}

const HEADER: &str = texunit_testkit::ptx::SM_75;

fn load(device: &Device, body: &str) -> Module {
    Module::load(device, "t.ptx", &format!("{HEADER}{body}")).unwrap()
}

const FETCH: &str = include_str!("../ptx/device_fetch.ptx");

#[test]
fn fetches_from_an_array_and_refuses_stale_handles() {
    let device = Device::default();
    let module = load(&device, FETCH);
    let kernel = module.kernel("fetch").unwrap();
    let picture = array(&device, "picture", "u8x4", 2, 1);
    picture.write(&[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    let texture = device
        .create_texture(&TextureResource::Array(&picture), &TextureDescriptor::default())
        .unwrap();
    drop(picture);
    let out = device.alloc(16, "out").unwrap();
    let options = LaunchOptions::default();
    let stats = kernel.launch(&options, &[Arg::Texture(&texture), Arg::Buffer(&out)]).unwrap();
    assert_eq!(stats.fetches, 1);
    assert_eq!(out.read(), [5, 0, 0, 0, 6, 0, 0, 0, 7, 0, 0, 0, 8, 0, 0, 0]);

    let handle = texture.handle();
    drop(texture);
    let error = kernel.launch(&options, &[Arg::U64(handle), Arg::Buffer(&out)]).unwrap_err();
    let LaunchError::Fault(fault) = error else { panic!("{error}") };
    assert!(matches!(fault.kind, FaultKind::Handle { wanted: "texture", .. }), "{fault:?}");
    let zero = kernel.launch(&options, &[Arg::U64(0), Arg::Buffer(&out)]).unwrap_err();
    assert!(matches!(zero, LaunchError::Fault(f) if matches!(f.kind, FaultKind::Handle { .. })));
}

#[test]
fn refuses_wrong_arguments() {
    let device = Device::default();
    let module = load(
        &device,
        ".visible .entry k(.param .u32 a, .param .f32 b, .param .u64 c, .param .align 4 .b8 d[12])
         .reqntid 32 { ret; }",
    );
    let kernel = module.kernel("k").unwrap();
    let params: Vec<_> = kernel.params().iter().map(ToString::to_string).collect();
    assert_eq!(params, [".u32 a", ".f32 b", ".u64 c", ".b8 d[12]"]);
    let block = LaunchOptions::default().with_block([32, 1, 1]);
    let buffer = device.alloc(4, "b").unwrap();
    let bytes = [0; 12];
    let good = [Arg::S32(-1), Arg::F32(1.0), Arg::Buffer(&buffer), Arg::Bytes(&bytes)];
    kernel.launch(&block, &good).unwrap();

    let launch = |options: &LaunchOptions<'_>, args: &[Arg<'_>]| match kernel.launch(options, args)
    {
        Err(LaunchError::Args(error)) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let with = |i: usize, arg| {
        let mut args = good;
        args[i] = arg;
        launch(&block, &args)
    };
    assert_eq!(with(0, Arg::F32(0.0)), "parameter `.u32 a` was given an f32");
    assert_eq!(with(0, Arg::U64(0)), "parameter `.u32 a` was given a u64");
    assert_eq!(with(1, Arg::U32(0)), "parameter `.f32 b` was given a u32");
    assert_eq!(with(3, Arg::Bytes(&bytes[1..])), "parameter `.b8 d[12]` was given 11 bytes");
    assert!(launch(&block, &good[1..]).contains("3 arguments"));
    let foreign = Device::default().alloc(4, "x").unwrap();
    assert!(with(2, Arg::Buffer(&foreign)).contains("another device"));
    let shape = |grid, block| launch(&LaunchOptions::new(grid, block), &good);
    assert_eq!(shape([0, 1, 1], [32, 1, 1]), "grid x is 0, but must be 1 to 2147483647");
    assert_eq!(shape([1, 1, 1], [32, 1, 65]), "block z is 65, but must be 1 to 64");
    assert!(shape([1, 1, 1], [32, 64, 1]).contains("2048 threads"));
    assert!(shape([1, 1, 1], [64, 1, 1]).contains(".reqntid"));
    let shared = block.with_dynamic_shared(1 << 20);
    assert!(launch(&shared, &good).contains("shared memory"));
    assert!(matches!(
        kernel.launch(&block, &[]),
        Err(LaunchError::Args(ArgError::Count { given: 0, wanted: 4 }))
    ));
}

#[test]
fn refuses_what_the_runtime_refuses() {
    let device = Device::default();
    let integers = array(&device, "i", "u8x4", 4, 4);
    let linear =
        TextureDescriptor::default().with_sampler(Sampler::default().with_filter(Filter::Linear));
    let resource = TextureResource::Array(&integers);
    assert!(matches!(device.create_texture(&resource, &linear), Err(Error::Create(_))));
    let normalized = linear.with_read_mode(ReadMode::NormalizedFloat);
    device.create_texture(&resource, &normalized).unwrap();
    let floats = array(&device, "f", "f32", 4, 4);
    assert!(device.create_texture(&TextureResource::Array(&floats), &normalized).is_err());
    let buffer = device.alloc(1 << 12, "b").unwrap();
    let pitched = |width, height, pitch| {
        let format = format("u8x4");
        let resource =
            TextureResource::Memory(MemoryTexels::rows(&buffer, format, [width, height], pitch));
        device.create_texture(&resource, &TextureDescriptor::default())
    };
    pitched(8, 16, 256).unwrap();
    assert!(
        pitched(8, 17, 256).is_err() && pitched(8, 4, 33).is_err() && pitched(8, 4, 0).is_err()
    );
    assert!(matches!(
        device.create_array(&ArrayDescriptor::new(
            format("f32x4"),
            Geometry::D1,
            Extent { width: 0, height: 1, depth: 1 },
            "empty",
        )),
        Err(Error::Limit { value: 0, .. })
    ));
}

#[test]
fn memory_is_limited_and_given_back() {
    let device = Device::new(&DeviceOptions::default().with_memory_limit(1 << 16));
    for _ in 0..10 {
        let buffer = device.alloc(40_000, "b").unwrap();
        assert!(matches!(device.alloc(40_000, "c"), Err(Error::Memory { .. })));
        drop(buffer);
        let picture = array(&device, "a", "u8x4", 100, 100);
        drop(picture);
        let module = load(&device, ".global .b8 big[40000]; .visible .entry k() { ret; }");
        assert!(device.alloc(40_000, "c").is_err());
        drop(module);
    }
    let text = format!("{HEADER}.global .b8 big[99999999999];");
    let error = Module::load(&device, "t.ptx", &text).unwrap_err();
    assert!(error.to_string().starts_with("t.ptx:4:1: error[E0501]"), "{error}");
}

#[test]
fn module_variables() {
    let device = Device::default();
    let module = load(
        &device,
        ".global .u32 counters[2] = {7, 8};
         .const .u64 where = counters + 4;
         .global .texref tex = { normalized_coords = 1, filter_mode = linear, addr_mode_0 = mirror,
                                 width = 5 };
         .global .surfref surf;
         .visible .entry bump()
         {
             .reg .b64 %rd<3>;
             .reg .b32 %r<3>;
             mov.u64 %rd1, where;
             ld.const.u64 %rd2, [%rd1];
             atom.global.add.u32 %r1, [%rd2], 34;
             ret;
         }",
    );
    assert_eq!(module.kernels(), ["bump"]);
    assert_eq!(module.globals(), ["counters", "where"]);
    module.kernel("bump").unwrap().launch(&LaunchOptions::default(), &[]).unwrap();
    let counters = module.global("counters").unwrap();
    assert_eq!(counters.read(), [7, 0, 0, 0, 42, 0, 0, 0]);
    assert!(counters.write(4, &[0; 5]).is_err());

    let opaque = module.opaque_variables();
    assert_eq!(opaque.len(), 2);
    assert_eq!((opaque[0].kind, opaque[0].bound), (OpaqueKind::Texture, false));
    assert!(opaque[0].initial.normalized_coords);
    assert_eq!(opaque[0].initial.sampler.filter, Filter::Linear);
    assert_eq!(opaque[0].initial.sampler.address_mode[0], AddressMode::Mirror);
    assert_eq!(opaque[0].initial.sampler.address_mode[1], AddressMode::Clamp);
    let floats = array(&device, "f", "f32", 4, 4);
    let warnings =
        module.bind_texture("tex", &TextureResource::Array(&floats), &opaque[0].initial).unwrap();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("width = 5"), "{warnings:?}");
    module.bind_surface("surf", &floats).unwrap();
    assert!(module.opaque_variables().iter().all(|v| v.bound));
    assert!(matches!(module.bind_surface("tex", &floats), Err(Error::Unknown { .. })));
    assert!(module.bind_sampler("none", &Sampler::default()).is_err());
}

#[test]
fn text_that_is_no_module() {
    let device = Device::default();
    for text in ["", "garbage", "\0\0\0", ".version 8.0\n.target sm_75\n.entry k( {"] {
        let error = Module::load(&device, "t.ptx", text).unwrap_err();
        assert!(error.diagnostics.iter().any(|d| d.is_error()), "{text:?}");
    }
}

#[test]
fn variables_of_one_name_in_two_bodies_are_both_given_back() {
    let device = Device::new(&DeviceOptions::default().with_memory_limit(1 << 16));
    for _ in 0..4 {
        let body = "{ .global .b8 table[30000]; ret; }";
        let module =
            load(&device, &format!(".visible .entry a() {body}\n.visible .entry b() {body}"));
        assert!(device.alloc(10_000, "c").is_err(), "both are there");
        drop(module);
    }
}

#[test]
fn a_1d_surface_has_a_smaller_limit_than_a_1d_texture() {
    let device = Device::default();
    let array = |width| {
        let extent = Extent { width, height: 1, depth: 1 };
        let descriptor = ArrayDescriptor::new(format("u8"), Geometry::D1, extent, "wide");
        device.create_array(&descriptor).unwrap()
    };
    assert!(device.create_surface(&array(32_768)).is_ok());
    let error = device.create_surface(&array(32_769)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the width of `wide` is 32769, but must be 1 to 32768 on sm_86 \
         (CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH)"
    );
}

#[test]
fn an_initialiser_cannot_point_behind_a_reference() {
    let device = Device::default();
    let text = |addend: &str| {
        format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.global .texref t[4];\n\
             .global .u64 table[2] = {{0, t{addend}}};\n"
        )
    };
    assert!(Module::load(&device, "t.ptx", &text("")).is_ok());
    let error = Module::load(&device, "t.ptx", &text("+8")).unwrap_err();
    let first = error.diagnostics.iter().find(|d| d.is_error()).unwrap();
    assert_eq!((first.code, first.message.as_str()), ("E0503", "`table` points behind `t`"));
}

/// A kernel with 33 surfaces: the module is refused, and the error names the surface.
#[test]
fn a_kernel_with_too_many_references_is_not_loaded() {
    let device = Device::default();
    let surfaces = |n| {
        let declared: String = (0..n).map(|i| format!(".global .surfref s{i};\n")).collect();
        let used: String = (0..n).map(|i| format!("suq.width.b32 %r, [s{i}];\n")).collect();
        format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n{declared}\
             .entry k() {{ .reg .b32 %r; {used} ret; }}"
        )
    };
    assert!(Module::load(&device, "t.ptx", &surfaces(32)).is_ok());
    let error = Module::load(&device, "t.ptx", &surfaces(33)).unwrap_err();
    let first = error.diagnostics.iter().find(|d| d.is_error()).unwrap();
    assert_eq!(first.code, "E0316");
    assert_eq!(first.primary.text, "a kernel for sm_75 can name 32");
}

/// Kernels are lowered when they are launched, but all are checked when the module is loaded.
#[test]
fn a_mistake_in_a_kernel_that_is_never_launched_refuses_the_module() {
    let device = Device::default();
    let good = ".entry good() { ret; }\n";
    let bad = ".entry bad() { .reg .u32 %r<2>; .reg .f32 %f<2>; mov.b32 %r1, 0; add.f32 %f1, %r1, %r1; ret; }\n";
    for text in [format!("{HEADER}{good}{bad}"), format!("{HEADER}{bad}{good}")] {
        let error = Module::load(&device, "t.ptx", &text).unwrap_err();
        let first = error.diagnostics.iter().find(|d| d.is_error()).unwrap();
        assert!(text[first.primary.span.range()].contains("%r1"), "{error}");
    }
    // Known but unsupported instructions only prevent launches of kernels that can reach them.
    let unexecuted = ".entry other(.param .u64 p) { .reg .b64 %rd<2>; .reg .b32 %r<2>; ld.param.u64 %rd1, [p]; cp.async.bulk.prefetch.tensor.1d.L2.global.tile [%rd1, {%r1}]; ret; }\n";
    let text = format!("{}{good}{unexecuted}", HEADER.replace("sm_75", "sm_90"));
    let module = Module::load(&device, "t.ptx", &text).unwrap();
    module.kernel("good").unwrap().launch(&LaunchOptions::default(), &[]).unwrap();
    let kernels: Vec<_> = module.all_kernels().collect();
    let refused: Vec<_> = kernels.iter().map(|k| (k.name(), !k.unsupported().is_empty())).collect();
    assert_eq!(refused, [("good", false), ("other", true)]);
}
