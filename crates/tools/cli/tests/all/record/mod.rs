//! Records launches and repeats them: bytes and faults must be the same. Also tests which launches
//! are refused.

mod reading;
mod refused;

use std::path::Path;
use texunit::launch_args::LaunchArgs;
use texunit::launch_report::{Failure, Report};
use texunit_device::{
    AddressMode, ArrayDescriptor, Buffer, Device, DeviceOptions, Extent, Filter, Format, Geometry,
    Kernel, LaunchError, LaunchOptions, MemoryTexels, Module, Sampler, TextureDescriptor,
    TextureResource, View,
};
use texunit_record::{Before, Ended, Launch, Refused, Written};
use texunit_testkit::TempDir;

/// A kernel that reads an array's level by a handle in memory, a row of memory, and a texture
/// reference; it writes to a surface, to memory whose address is in memory, and to variables, one
/// of them through a pointer.
const KERNEL: &str = include_str!("../ptx/record.ptx");

/// A device on which other allocations and handles precede those of the test.
fn used_device() -> Device {
    let device = Device::new(&DeviceOptions::default().with_first_launch(40));
    let buffers: Vec<Buffer> = (1..5).map(|n| device.alloc(n * 700, "earlier").unwrap()).collect();
    let resource = TextureResource::Memory(MemoryTexels::line(&buffers[0], format("f32"), 8));
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

/// Records a launch. Returns its outcome.
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
    let sampler = Sampler::default()
        .with_filter(Filter::Linear)
        .with_address_modes([AddressMode::Wrap, AddressMode::Border, AddressMode::Clamp])
        .with_border_bits([0x3f80_0000, 0x7fc0_0001, 0, 0]);
    let linear = TextureDescriptor::default().with_sampler(sampler);
    let plain = TextureDescriptor::default();
    // A single level with another format, by handle; two levels of the array by the reference.
    let level = levels.level(1).unwrap();
    let seen = View { format: Some(format("u32")), ..View::default() };
    let texture = device.create_texture(&(&level).into(), &linear).unwrap();
    let integers = device.create_texture(&(&level.view(&seen).unwrap()).into(), &plain).unwrap();
    let memory = device.linear(row.address() + 512, 256).unwrap();
    let at = TextureResource::Memory(MemoryTexels::line(&memory, format("f32"), 64));
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
    let options = LaunchOptions::default().with_block([32, 1, 1]).with_threads(1);
    let (written, fault) = record(temp.path(), &kernel, &options, &params);
    let written = written.unwrap();
    assert_eq!(fault, None);
    // Four pages with nonzero bytes, and the array's texels; zeros are not stored.
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
        "border_color = [1.0, \"0x7fc00001\", 0.0, 0.0]",
        "check = true",
    ] {
        assert!(job.contains(wanted), "{wanted}:\n{job}");
    }
    let report = repeat(temp.path(), &[]);
    assert!(report.succeeded(), "{:?} {:?}\n{job}", report.failures, report.fault);
    // Four buffers, two arrays, four variables.
    assert_eq!(report.checked, Some(10));
    assert_eq!(report.stats.unwrap().fetches, 60);
    // Differences are detected, in expected results and in memory that must not change.
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
