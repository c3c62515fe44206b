//! Launches that are recorded and repeated: the same bytes, the same faults; and those that are not recorded.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use texunit::args::LaunchArgs;
use texunit::run::{Failure, Report};
use texunit_device::{
    AddressMode, ArrayDescriptor, Buffer, Device, DeviceOptions, Extent, Filter, Format, Geometry,
    Kernel, LaunchError, LaunchOptions, Module, ReadMode, Sampler, TextureDescriptor,
    TextureResource, View,
};
use texunit_record::{Before, Ended, Launch, Refused, Written};
use texunit_testkit::TempDir;

/// A thread reads a level of an array by a handle that lies in memory, a row of memory, and a reference; it writes to a
/// surface, to memory whose address lies in memory, and to variables, one by way of another.
const KERNEL: &str = "
.version 8.0
.target sm_75
.address_size 64
.global .align 8 .u32 counter = 5;
.global .align 8 .u64 pointer = counter;
.global .align 4 .u32 untouched[4] = { 1, 2, 3 };
.const .align 4 .f32 scale = 0f3f000000;
.global .texref bound;
.visible .entry run(.param .u64 table, .param .u32 n, .param .align 8 .b8 pair[16], .param .f32 add)
{
    .reg .b32 %r<12>;
    .reg .b64 %rd<20>;
    .reg .f32 %f<24>;
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [table];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 ret;
    ld.global.u64 %rd2, [%rd1];
    ld.global.u64 %rd3, [%rd1+8];
    ld.global.u64 %rd4, [%rd1+16];
    ld.global.u64 %rd5, [%rd1+24];
    cvt.rn.f32.u32 %f1, %r2;
    mov.f32 %f2, 0f3f000000;
    tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd3, {%f1, %f2}];
    tex.1d.v4.f32.s32 {%f7, %f8, %f9, %f10}, [%rd5, {%r2}];
    tex.2d.v4.f32.f32 {%f11, %f12, %f13, %f14}, [bound, {%f1, %f2}];
    ld.const.f32 %f15, [scale];
    add.f32 %f16, %f3, %f7;
    fma.rn.f32 %f16, %f11, %f15, %f16;
    ld.param.f32 %f17, [add];
    add.f32 %f16, %f16, %f17;
    mul.wide.u32 %rd6, %r2, 4;
    add.u64 %rd7, %rd2, %rd6;
    st.global.f32 [%rd7], %f16;
    mov.b32 %r3, %f16;
    shl.b32 %r4, %r2, 2;
    sust.b.2d.b32.trap [%rd4, {%r4, 1}], {%r3};
    ld.param.u64 %rd8, [pair+8];
    add.u64 %rd9, %rd8, %rd6;
    st.u32 [%rd9], %r2;
    ld.global.u64 %rd10, [pointer];
    atom.add.u32 %r5, [%rd10], 3;
    ret;
}
.visible .entry idle(.param .u64 out)
{
    .reg .b64 %rd<2>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %gridid;
    st.global.u32 [%rd1], %r1;
    ret;
}
";

/// A device on which addresses and handles are not the first that there are.
fn used_device() -> Device {
    let device = Device::new(&DeviceOptions { first_launch: 40, ..DeviceOptions::default() });
    let buffers: Vec<Buffer> = (1..5).map(|n| device.alloc(n * 700, "earlier").unwrap()).collect();
    let resource =
        TextureResource::Linear { buffer: &buffers[0], offset: 0, format: format("f32"), width: 8 };
    let state = TextureDescriptor::default();
    drop(device.create_texture(&resource, &state).unwrap());
    device
}

fn format(name: &str) -> Format {
    Format::from_name(name).unwrap()
}

fn words(values: impl Iterator<Item = u64>) -> Vec<u8> {
    values.flat_map(u64::to_le_bytes).collect()
}

/// Records a launch, and how it ends here.
fn record(
    folder: &Path,
    kernel: &Kernel,
    options: &LaunchOptions<'_>,
    params: &[u8],
) -> (Result<Written, Refused>, Option<String>) {
    let remarks = ["A test.".to_owned()];
    let launch = Launch { kernel, options, params, remarks: &remarks };
    let before = Before::of(&launch, 64 << 20).unwrap();
    match kernel.launch_packed(options, params) {
        Ok(_) => (before.write(&launch, folder, Ended::Done), None),
        Err(LaunchError::Fault(fault)) => {
            (before.write(&launch, folder, Ended::Fault(&fault)), Some(fault.kind.to_string()))
        }
        Err(error) => panic!("{error}"),
    }
}

fn repeat(folder: &Path, options: &[&str]) -> Report {
    let args = LaunchArgs::parse(&folder.join("job.toml"), &folder.join("out"), options).unwrap();
    texunit::run::launch(&args)
}

fn texels(count: u32) -> Vec<u8> {
    (0..count).flat_map(|i| (i as f32 * 0.25).to_le_bytes()).collect()
}

#[test]
fn everything_is_where_it_was() {
    let temp = TempDir::new("record-everything");
    let device = used_device();
    let module = Module::load(&device, "module 3", KERNEL).unwrap();
    let kernel = module.kernel("run").unwrap();
    let extent = |width, height| Extent { width, height, depth: 1 };
    let shape = ArrayDescriptor::new(format("f32"), Geometry::D2, extent(64, 16), "array");
    let levels = device.create_mipmapped_array(&shape, 4).unwrap();
    levels.write(&texels(64 * 16 + 32 * 8 + 16 * 4 + 8 * 2)).unwrap();
    let canvas = ArrayDescriptor::new(format("u32"), Geometry::D2, extent(32, 4), "array");
    let canvas = device.create_array(&canvas).unwrap();
    let (table, out, other, row) = (
        device.alloc(32, "table").unwrap(),
        device.alloc(256 << 10, "out").unwrap(),
        device.alloc(4096, "other").unwrap(),
        device.alloc(8192, "row").unwrap(),
    );
    row.write(512, &texels(64)).unwrap();
    out.write(200 << 10, &[7; 100]).unwrap();
    let sampler = Sampler {
        filter: Filter::Linear,
        address_mode: [AddressMode::Wrap, AddressMode::Border, AddressMode::Clamp],
        border: [0x3f80_0000, 0x7fc0_0001, 0, 0],
        ..Sampler::default()
    };
    let linear = TextureDescriptor { sampler, ..TextureDescriptor::default() };
    let plain = TextureDescriptor::default();
    // A level alone, seen as something else, by handle; two levels of the array by the reference.
    let level = levels.level(1).unwrap();
    let seen = View { format: Some(format("u32")), ..View::default() };
    let texture = device.create_texture(&(&level).into(), &linear).unwrap();
    let integers = device.create_texture(&(&level.view(&seen).unwrap()).into(), &plain).unwrap();
    let memory = device.linear(row.address() + 512, 256).unwrap();
    let at = TextureResource::LinearAt { memory: &memory, format: format("f32"), width: 64 };
    let of_row = device.create_texture(&at, &plain).unwrap();
    let some = levels.view(&View { levels: Some(1..3), ..View::default() }).unwrap();
    module.bind_texture("bound", &(&some).into(), &linear).unwrap();
    let surface = device.create_surface(&canvas).unwrap();
    let handles = [texture.handle(), surface.handle(), of_row.handle()];
    table.write(0, &words([out.address()].into_iter().chain(handles))).unwrap();
    assert_ne!(integers.handle(), texture.handle());

    let mut params = words([table.address(), 20].into_iter());
    params.truncate(12);
    params.resize(16, 0);
    params.extend(words([1, other.address()].into_iter()));
    params.extend(1.5_f32.to_le_bytes());
    let options = LaunchOptions { block: [32, 1, 1], threads: 1, ..LaunchOptions::default() };
    let (written, fault) = record(temp.path(), &kernel, &options, &params);
    let written = written.unwrap();
    assert_eq!(fault, None);
    // Four pages of what is not zero, and the array's texels; nothing for what is.
    assert!(written.bytes < 40_000, "{written:?}");

    let job = std::fs::read_to_string(&written.job).unwrap();
    for wanted in [
        "# A test.",
        "use = \"memory-",
        "scalar = { u32 = 20 }",
        "scalar = { f32 = 1.5 }",
        "level = 1",
        "view = { format = \"u32\", levels = [1, 1] }, level = 0",
        "view = { levels = [1, 2] }",
        "border = [1.0, \"0x7fc00001\", 0.0, 0.0]",
        "check = true",
    ] {
        assert!(job.contains(wanted), "{wanted}:\n{job}");
    }
    let report = repeat(temp.path(), &[]);
    assert!(report.succeeded(), "{:?} {:?}\n{job}", report.failures, report.fault);
    // Four buffers, two arrays, four variables.
    assert_eq!(report.checked, Some(10));
    assert_eq!(report.stats.unwrap().fetches, 60);
    // What is wrong is found: in what was expected, and in what was to stay as it was.
    let changed = job.replace("f32 = 1.5", "f32 = 1.75");
    std::fs::write(&written.job, changed).unwrap();
    let report = repeat(temp.path(), &[]);
    assert_eq!(report.failures.len(), 2, "{:?}", report.failures);
    let Failure::Job(problem) = &report.failures[0] else { panic!("{:?}", report.failures) };
    assert_eq!((problem.code, report.succeeded()), ("J0011", false));
    assert!(problem.message.contains("not as expected after the launch"), "{}", problem.message);
    let quiet: Vec<&str> =
        job.split_inclusive('\n').filter(|l| !l.starts_with("expected")).collect();
    std::fs::write(&written.job, quiet.concat()).unwrap();
    // `out`, `other`, the surface's array, `counter`.
    assert_eq!(repeat(temp.path(), &[]).failures.len(), 4);
}

#[test]
fn reading_is_as_it_was_for_every_way_to_read() {
    // Modes that the driver takes and the runtime refuses, cubes, layers, blocks.
    let temp = TempDir::new("record-views");
    let device = used_device();
    let module = Module::load(&device, "m", KERNEL).unwrap();
    let extent = Extent { width: 16, height: 16, depth: 1 };
    let cube = ArrayDescriptor::new(format("u8x4"), Geometry::Cube, extent, "array");
    let cube = device.create_array(&cube).unwrap();
    cube.write(&(0..6 * 1024_u32).map(|i| (i * 7) as u8).collect::<Vec<_>>()).unwrap();
    let blocks = ArrayDescriptor {
        layers: 3,
        ..ArrayDescriptor::new(format("u32x4"), Geometry::A2d, extent, "array")
    };
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
    let linear = Sampler { filter: Filter::Linear, ..Sampler::default() };
    let integers = TextureDescriptor { sampler: linear, ..TextureDescriptor::default() };
    let normalized = TextureDescriptor {
        read_mode: ReadMode::NormalizedFloat,
        normalized_coords: true,
        sampler: Sampler { seamless_cube: true, ..linear },
    };
    let plain = TextureDescriptor {
        read_mode: ReadMode::NormalizedFloat,
        normalized_coords: true,
        sampler: linear,
    };
    let views = [
        cube.view(&View { geometry: Some(Geometry::A2d), planes: Some(2..4), ..View::default() })
            .unwrap(),
        cube.layer(5).unwrap(),
        blocks
            .view(&View { format: Some(format("bc7")), planes: Some(1..2), ..View::default() })
            .unwrap(),
    ];
    let mut objects = vec![
        device.create_texture_as_driver(&(&views[0]).into(), &integers).unwrap(),
        device.create_texture(&(&views[1]).into(), &plain).unwrap(),
        device
            .create_texture(
                &(&views[2]).into(),
                &TextureDescriptor {
                    read_mode: ReadMode::NormalizedFloat,
                    ..TextureDescriptor::default()
                },
            )
            .unwrap(),
        device.create_texture(&(&cube).into(), &normalized).unwrap(),
        device.create_texture(&(&sparse).into(), &TextureDescriptor::default()).unwrap(),
    ];
    let surface = device.create_surface(&cube).unwrap();
    let alone = device
        .create_sampler(&Sampler { level_bias: 0.5, force_unnormalized_coords: true, ..linear })
        .unwrap();
    // Gone, but something is still made of it.
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

    // The objects themselves: bound again, they are described by the same words.
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

/// The device of a job, with its objects.
fn rebound(path: &Path) -> Device {
    let file = texunit_job::load::read_job(path).unwrap();
    let (job, folder) = (file.job.unwrap(), path.parent().unwrap());
    let (name, text) = texunit_job::load::read_ptx(&job, folder).unwrap();
    let device = Device::new(&DeviceOptions { memory_limit: 8 << 30, ..DeviceOptions::default() });
    let module = Module::load_at(&device, &name, &text, &texunit_job::load::places(&job)).unwrap();
    let kernel = texunit_job::load::kernel(&job, &module).unwrap();
    let problems = texunit_job::Problems::default();
    let bound = texunit_job::bind(&job, folder, &device, &kernel, &problems);
    assert_eq!(problems.take(), []);
    // The objects stay as long as the test looks at them.
    std::mem::forget((bound, module));
    device
}

#[test]
fn faults_are_the_same() {
    let temp = TempDir::new("record-faults");
    let device = used_device();
    let module = Module::load(&device, "m", KERNEL).unwrap();
    let kernel = module.kernel("idle").unwrap();
    let out = device.alloc(4, "out").unwrap();
    let freed = device.alloc(100, "device memory").unwrap();
    let freed_address = freed.address();
    drop(freed);
    for (name, address) in
        [("bounds", out.address() + 4), ("freed", freed_address + 96), ("null", 0)]
    {
        let folder = temp.path().join(name);
        let params = words([address].into_iter());
        let (written, fault) = record(&folder, &kernel, &LaunchOptions::default(), &params);
        let (written, fault) = (written.unwrap(), fault.unwrap());
        let job = std::fs::read_to_string(&written.job).unwrap();
        assert!(!job.contains("check") && job.contains("# It ended with a fault: "), "{job}");
        let report = repeat(&folder, &[]);
        assert_eq!(report.failures.len(), 0, "{:?}\n{job}", report.failures);
        assert_eq!(report.fault.unwrap().kind.to_string(), fault, "{job}");
    }
    // So is an endless loop, and the limit can be another.
    let endless =
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { L: bra L; }";
    let module = Module::load(&device, "m", endless).unwrap();
    let kernel = module.kernel("k").unwrap();
    let options = LaunchOptions { max_steps: 500, ..LaunchOptions::default() };
    let folder = temp.path().join("endless");
    let (_, fault) = record(&folder, &kernel, &options, &[]);
    let again = |options: &[&str]| repeat(&folder, options).fault.unwrap().kind.to_string();
    assert_eq!(again(&[]), fault.unwrap());
    assert!(again(&["--max-steps", "77"]).contains("77"));
}

#[test]
fn what_cannot_be_repeated_has_a_reason() {
    let device = Device::default();
    let body = |body: &str| {
        let text = format!(
            ".version 8.0\n.target sm_75\n.address_size 64\n\
             .extern .func (.param .b64 r) malloc (.param .b64 n);\n\
             .func helper() {{ .reg .u32 %r1; {body} ret; }}\n\
             .visible .entry k() {{ call helper, (); ret; }}\n.visible .entry plain() {{ ret; }}"
        );
        Module::load(&device, "m", &text).unwrap()
    };
    let why = |text: &str| {
        let module = body(text);
        assert_eq!(texunit_record::refusal(&module.kernel("plain").unwrap(), 1), None);
        texunit_record::refusal(&module.kernel("k").unwrap(), 1)
    };
    assert_eq!(why(""), None);
    let heap = "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 8; call.uni (r), malloc, (n); }";
    assert!(why(heap).unwrap().starts_with("it can call malloc or free"));
    assert_eq!(why("mov.u32 %r1, %clock;").unwrap(), "it can read a clock (%clock)");
    let two = "mov.u32 %r1, %globaltimer_lo; mov.u32 %r1, %clock_hi;";
    assert_eq!(why(two).unwrap(), "it can read a clock (%clock_hi, %globaltimer_lo)");
    assert_eq!(
        why("mov.u32 %r1, %smid;").unwrap(),
        "it can read the number of a multiprocessor (%smid)"
    );
    let module = body("");
    let two = texunit_record::refusal(&module.kernel("k").unwrap(), 2).unwrap();
    assert_eq!(two, "the program has 2 devices, and a job has one");

    let kernel = module.kernel("k").unwrap();
    let options = LaunchOptions::default();
    let launch = Launch { kernel: &kernel, options: &options, params: &[], remarks: &[] };
    assert!(matches!(Before::of(&launch, 10), Err(Refused::Limit { limit: 10 })));
}

/// Places that a job gives and that cannot be had are mistakes of the job.
#[test]
fn wrong_places_are_told() {
    let temp = TempDir::new("record-places");
    std::fs::write(temp.path().join("k.ptx"), KERNEL).unwrap();
    let failures = |rest: &str| -> Vec<String> {
        let head = "ptx = 'k.ptx'\nkernel = 'idle'\ngrid = 1\nblock = 1\n[params.out]\nbuffer = { zeros = 4 }\n";
        std::fs::write(temp.path().join("job.toml"), format!("{head}{rest}")).unwrap();
        let report = repeat(temp.path(), &[]);
        let text = |failure: &Failure| match failure {
            Failure::Job(problem) => format!("{} {}", problem.code, problem.message),
            other => format!("{other:?}"),
        };
        report.failures.iter().map(text).collect()
    };
    let one = |rest: &str, wanted: &str| {
        let all = failures(rest);
        assert!(all.len() == 1 && all[0].contains(wanted), "{rest}: {all:?}");
    };
    assert_eq!(failures("[places]\ncounter = '0x700000001000'"), Vec::<String>::new());
    one("[places]\nmissing = 5", "J0008 the module has no variable `missing`");
    one("[places]\ncounter = 'x'", "J0005 `x` is not a number");
    let two = "[objects.a]\nbuffer = { size = 8, address = 4096 }\n[objects.b]\nbuffer = { size = 8, address = 4100 }";
    one(two, "J0010 `b` cannot be where it was: 8 bytes at 0x1004 are not free");
    one("[objects.a]\nbuffer = { size = 8, read_only = true }", "J0006");
    one("[objects.out]\nbuffer = { size = 8 }", "J0006 `out` is the name of a parameter too");
    one("[objects.a]\nscalar = { u32 = 1 }", "J0006 an object is not a `scalar`");
    one("[objects.a]\nsampler = { handle = 7 }", "J0010");
    one(
        "[objects.a]\nbuffer = { u8 = [1, 2], parts = [[0, 1]] }",
        "J0005 the parts have 1 bytes, but the data have 2",
    );
    one(
        "[objects.a]\nbuffer = { u8 = [1, 2], parts = [[4, 1], [4, 1]] }",
        "J0005 parts follow each other",
    );
    one("[objects.a]\ntexture = { array = 'b' }", "J0008 no object `b` of the job is an array");
    one("[objects.a]\ntexture = { memory = 4096, format = 'f32', width = 4 }", "J0010");
    one(
        "[objects.a]\nbuffer = { size = 4 }\nexpected = { u8 = [1, 2, 3, 4, 5] }",
        "J0005 the bytes that are expected pass the end",
    );
    one(
        "[objects.a]\nbuffer = { size = 4 }\nexpected = { u8 = [1] }",
        "J0011 1 of 4 bytes of `a` is not as expected after the launch; the first is at 0: 0x00 instead of 0x01",
    );
    one(
        "[objects.a]\narray = { zeros = true, format = 'u8', width = 4, layout = 'linear' }",
        "J0006",
    );
    one(
        "[textures.bound]\nzeros = true\nformat = 'f32'\nwidth = 4\nheight = 4\nhandle = 5",
        "J0006 the handle of `bound`",
    );
}
