//! Whole launches: `rotate` from examples/ at 2048 x 2048, and a loop of f32 fma.
//!
//! Prints a table, best of several runs, and never fails by time. docs/performance.md holds the
//! numbers that were measured, with the machine.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use std::time::Instant;
use texunit_device::{
    AddressMode, Arg, ArrayDescriptor, Device, Extent, Filter, Format, Geometry, Kernel,
    LaunchOptions, LaunchStats, Module, ReadMode, Sampler, TextureDescriptor, TextureResource,
};

const RUNS: usize = 5;

/// Best time in seconds of several launches, with the statistics of one.
fn best(kernel: &Kernel, options: &LaunchOptions<'_>, args: &[Arg<'_>]) -> (f64, LaunchStats) {
    let run = |_| {
        let start = Instant::now();
        let stats = kernel.launch(options, args).unwrap();
        (start.elapsed().as_secs_f64(), stats)
    };
    (0..RUNS).map(run).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
}

fn row(name: &str, threads: usize, time: f64, stats: &LaunchStats) {
    println!(
        "| {name} | {threads} | {:.1} | {:.1} | {:.0} | {:.1} |",
        time * 1e3,
        stats.fetches as f64 / time / 1e6,
        stats.thread_instructions as f64 / time / 1e6,
        time * 1e9 / stats.warp_instructions as f64
    );
}

fn rotate(device: &Device) {
    const SIZE: u32 = 2048;
    let module =
        Module::load(device, "rotate.ptx", include_str!("../../examples/rotate/rotate.ptx"))
            .unwrap();
    let kernel = module.kernel("rotate").unwrap();
    let array = device
        .create_array(&ArrayDescriptor::new(
            Format::from_name("u8x4").unwrap(),
            Geometry::D2,
            Extent { width: 1024, height: 1024, depth: 1 },
            "picture",
        ))
        .unwrap();
    let mut state = 1u32;
    let noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    array.write(&noise.take(4 << 20).collect::<Vec<_>>()).unwrap();
    let descriptor = TextureDescriptor {
        read_mode: ReadMode::NormalizedFloat,
        normalized_coords: true,
        sampler: Sampler {
            filter: Filter::Linear,
            address_mode: [AddressMode::Wrap; 3],
            ..Sampler::default()
        },
    };
    let texture = device.create_texture(&TextureResource::Array(&array), &descriptor).unwrap();
    let out = device.alloc(u64::from(SIZE * SIZE * 4), "out").unwrap();
    let args = [
        Arg::Texture(&texture),
        Arg::Buffer(&out),
        Arg::U32(SIZE),
        Arg::U32(SIZE),
        Arg::F32(0.891_006_5),
        Arg::F32(0.453_990_5),
    ];
    for threads in [1, 2] {
        let options = LaunchOptions {
            grid: [SIZE / 16, SIZE / 16, 1],
            block: [16, 16, 1],
            threads,
            ..LaunchOptions::default()
        };
        let (time, stats) = best(&kernel, &options, &args);
        row("rotate, 2048 x 2048 from 1024 x 1024 RGBA8", threads, time, &stats);
    }
}

fn fma(device: &Device) {
    const CTAS: u32 = 8;
    let module = Module::load(device, "fma.ptx", include_str!("fma.ptx")).unwrap();
    let kernel = module.kernel("fma_loop").unwrap();
    let out = device.alloc(u64::from(CTAS * 256 * 4), "out").unwrap();
    for threads in [1, 2] {
        let options = LaunchOptions {
            grid: [CTAS, 1, 1],
            block: [256, 1, 1],
            threads,
            ..LaunchOptions::default()
        };
        let (time, stats) = best(&kernel, &options, &[Arg::Buffer(&out), Arg::U32(10_000)]);
        row("loop of f32 fma", threads, time, &stats);
    }
}

/// Most memory that this process has had, in MiB, where the system tells.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

fn main() {
    let device = Device::default();
    println!(
        "| launch | threads | ms | M fetches/s | M thread instructions/s | ns/warp instruction |"
    );
    println!("|---|---|---|---|---|---|");
    rotate(&device);
    fma(&device);
    if let Some(mib) = peak_memory() {
        println!("\nPeak memory of this process: {mib:.0} MiB. Best of {RUNS} runs.");
    }
}
