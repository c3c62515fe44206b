//! Benchmark of whole launches: `rotate` from examples/ at 2048 x 2048, launches of one warp,
//! kernels that compute coordinates, fetch and store, and a loop of f32 fma.
//!
//! Prints a table with the best of several runs; time never makes it fail. `cargo bench -p
//! texunit-bench --bench launch sample` runs only the sampling kernels. docs/performance.md has
//! measured numbers, with the machine.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

use texunit_bench::{cpu_time, is_wanted, memory, seconds};
use texunit_device::{
    AddressMode, Arg, ArrayDescriptor, Device, Extent, Filter, Format, Geometry, Kernel,
    LaunchOptions, LaunchStats, Module, ReadMode, Sampler, TextureDescriptor, TextureObject,
    TextureResource,
};

const RUNS: usize = 5;
/// Launches of one warp in a run.
const SMALL: u32 = 1000;

/// Best time in seconds of several launches, with the statistics of one launch. With one host
/// thread it is CPU time, which other programs do not affect.
fn best(kernel: &Kernel, options: &LaunchOptions<'_>, args: &[Arg<'_>]) -> (f64, LaunchStats) {
    let run = |_| {
        let cpu = cpu_time();
        let (time, stats) = seconds(|| kernel.launch(options, args).unwrap());
        // A launch with one host thread runs in the calling thread, whose CPU time is then the
        // launch's.
        let own = options.threads == 1;
        (cpu.zip(cpu_time()).filter(|_| own).map_or(time, |(from, to)| to - from), stats)
    };
    (0..RUNS).map(run).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
}

fn row(name: &str, threads: usize, time: f64, stats: &LaunchStats) {
    println!(
        "| {name} | {threads} | {:.3} | {:.1} | {:.0} | {:.1} |",
        time * 1e3,
        stats.fetches as f64 / time / 1e6,
        stats.thread_instructions as f64 / time / 1e6,
        time * 1e9 / stats.warp_instructions as f64
    );
}

/// A wrapping, filtered 1024 x 1024 RGBA8 texture of noise.
fn noise_texture(device: &Device) -> TextureObject {
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
    let descriptor = TextureDescriptor::default()
        .with_read_mode(ReadMode::NormalizedFloat)
        .with_normalized_coords(true)
        .with_sampler(
            Sampler::default().with_filter(Filter::Linear).with_address_mode(AddressMode::Wrap),
        );
    device.create_texture(&TextureResource::Array(&array), &descriptor).unwrap()
}

fn rotate(device: &Device) {
    const SIZE: u32 = 2048;
    let module =
        Module::load(device, "rotate.ptx", include_str!("../../examples/rotate/rotate.ptx"))
            .unwrap();
    let kernel = module.kernel("rotate").unwrap();
    let texture = noise_texture(device);
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
        let options =
            LaunchOptions::new([SIZE / 16, SIZE / 16, 1], [16, 16, 1]).with_threads(threads);
        let (time, stats) = best(&kernel, &options, &args);
        row("rotate, 2048 x 2048 from 1024 x 1024 RGBA8", threads, time, &stats);
    }
    let one = LaunchOptions::new([1; 3], [16, 2, 1]).with_threads(1);
    let launch = || kernel.launch(&one, &args).unwrap();
    let (time, ()) = texunit_bench::best(RUNS, || (0..SMALL).for_each(|_| drop(launch())));
    row("rotate, one warp", 1, time / f64::from(SMALL), &launch());
}

/// The sampling kernel with each fetch replaced by moves of its coordinates, by which the time of
/// everything else is measured.
fn without_fetches(text: &str) -> String {
    let line = |line: &str| match line.trim_start().strip_prefix("tex.2d.v4.f32.f32 {") {
        None => line.to_owned(),
        Some(rest) => {
            let words: Vec<&str> = rest
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '%')
                .filter(|w| w.starts_with("%f"))
                .collect();
            let [x, y, z, w, u, v] = words[..] else { panic!("not a fetch: {line}") };
            format!("mov.f32 {x}, {u};\nmov.f32 {y}, {v};\nmov.f32 {z}, {u};\nmov.f32 {w}, {v};")
        }
    };
    text.lines().map(|l| line(l) + "\n").collect()
}

/// Measures a kernel that computes coordinates and makes four fetches per thread, 4 Mi in total.
fn sample(device: &Device) {
    const THREADS: u32 = 1 << 20;
    let texture = noise_texture(device);
    let out = device.alloc(u64::from(THREADS * 16), "out").unwrap();
    for (name, text) in [
        ("coh", include_str!("../data/sample-coh.ptx")),
        ("rand", include_str!("../data/sample-rand.ptx")),
    ] {
        for (what, text) in [("", text.to_owned()), (" without fetches", without_fetches(text))] {
            let module = Module::load(device, "sample.ptx", &text).unwrap();
            let kernel = module.kernel(&format!("sample_{name}")).unwrap();
            let args = [Arg::Buffer(&out), Arg::Texture(&texture)];
            for threads in [1, 2] {
                let options = LaunchOptions::new(THREADS / 64, 64).with_threads(threads);
                let (time, mut stats) = best(&kernel, &options, &args);
                stats.fetches = u64::from(4 * THREADS);
                row(&format!("sample {name}{what}"), threads, time, &stats);
            }
        }
    }
}

fn fma(device: &Device) {
    const CTAS: u32 = 8;
    let module = Module::load(device, "fma.ptx", include_str!("fma.ptx")).unwrap();
    let kernel = module.kernel("fma_loop").unwrap();
    let out = device.alloc(u64::from(CTAS * 256 * 4), "out").unwrap();
    for threads in [1, 2] {
        let options = LaunchOptions::new(CTAS, 256).with_threads(threads);
        let (time, stats) = best(&kernel, &options, &[Arg::Buffer(&out), Arg::U32(10_000)]);
        row("loop of f32 fma", threads, time, &stats);
    }
}

/// A function that measures one kind of launch, and prints its rows of the table.
type Measurement = fn(&Device);

fn main() {
    let device = Device::default();
    println!(
        "| launch | threads | ms | M fetches/s | M thread instructions/s | ns/warp instruction |"
    );
    println!("|---|---|---|---|---|---|");
    let rows: [(&str, Measurement); 3] = [("rotate", rotate), ("sample", sample), ("fma", fma)];
    rows.iter().filter(|(name, _)| is_wanted(name)).for_each(|(_, run)| run(&device));
    if let Some(mib) = memory("VmHWM:") {
        println!("\nPeak memory of this process: {mib:.0} MiB. Best of {RUNS} runs.");
    }
}
