//! Helpers of the benchmarks in `benches/` and `kernels/`; docs/performance.md has their tables.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::io::Read as _;
use std::time::Instant;

/// The output of nvcc 13.5 for data/sample.cu: CUB, Thrust and a few kernels with textures.
pub fn nvcc_output() -> String {
    let mut text = String::new();
    let packed = &include_bytes!("../data/sample.ptx.gz")[..];
    flate2::read::GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    text
}

/// Kernels `k0`, `k1`, ... with a pointer parameter and about `lines` lines in total. Like a
/// compiler's output, they write each register before they read it, once or a few times.
pub fn generated(kernels: usize, lines: usize) -> String {
    const AROUND: usize = 11;
    let mut text = ".version 8.0\n.target sm_80\n.address_size 64\n".to_owned();
    for kernel in 0..kernels {
        let _ = write!(
            text,
            ".visible .entry k{kernel}(.param .u64 k{kernel}_param_0)\n{{\n\t.reg .pred %p<2>;\n\t.reg .f32 %f<5000>;\n\
             \t.reg .b32 %r<5000>;\n\t.reg .b64 %rd<5>;\n\tld.param.u64 \t%rd1, [k{kernel}_param_0];\n\
             \tcvta.to.global.u64 \t%rd2, %rd1;\n\tmov.u32 \t%r0, %tid.x;\n\tmov.f32 \t%f0, 0f3F800000;\n"
        );
        for n in 0..(lines / kernels).saturating_sub(AROUND) {
            let (a, d) = (n / 8 % 1000, n / 8 % 1000 + 1);
            let _ = match n % 8 {
                0 => writeln!(text, "\tadd.s32 \t%r{d}, %r{a}, {n};"),
                1 => writeln!(text, "\tmul.wide.u32 \t%rd3, %r0, 4;"),
                2 => writeln!(text, "\tadd.s64 \t%rd4, %rd2, %rd3;"),
                3 => writeln!(text, "\tld.global.f32 \t%f{}, [%rd4+{}];", 2000 + d, n % 64 * 128),
                4 => writeln!(text, "\tfma.rn.f32 \t%f{d}, %f{a}, %f{}, %f{a};", 2000 + d),
                5 => writeln!(text, "\tsetp.lt.s32 \t%p1, %r{a}, %r{d};"),
                6 => writeln!(text, "\tselp.b32 \t%r{}, %r{a}, %r{d}, %p1;", 2000 + d),
                _ => writeln!(text, "\t@%p1 st.global.f32 \t[%rd4+{}], %f{d};", n % 64 * 128),
            };
        }
        text += "\tret;\n}\n";
    }
    text
}

/// The time that `work` takes in seconds, and its result.
pub fn seconds<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64(), result)
}

/// The least time in seconds of several runs of `work`, and the result of that run.
pub fn best<T>(runs: usize, mut work: impl FnMut() -> T) -> (f64, T) {
    (0..runs).map(|_| seconds(&mut work)).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
}

/// CPU time of this thread in seconds, or `None` if the system does not report it.
pub fn cpu_time() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(status.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
}

/// A line of `/proc/self/status` in MiB (`VmHWM:` is the peak), or `None` if the system does not
/// report it.
pub fn memory(of: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(of))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

/// Whether the arguments of this process name no rows of the table, or a part of this name.
pub fn is_wanted(name: &str) -> bool {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with('-')).peekable();
    words.peek().is_none() || words.any(|word| name.contains(&word))
}

/// The median of several numbers.
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
