//! Measures the operations per second of one core, at each SIMD level:
//! `cargo run --release -p texunit-tensor --example speed`.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::time::Instant;

use texunit_simd::Build;
use texunit_tensor::{ElementType, Operation, Product, Scratch, Shape};
use texunit_testkit::Random;

const KINDS: &[(&str, &str, &str, bool)] = &[
    ("f16, sums in f32", "m16n8k16", "f16 f32", false),
    ("f16, sums in f16", "m16n8k16", "f16 f16", false),
    ("bf16", "m16n8k16", "bf16 f32", false),
    ("tf32", "m16n8k8", "tf32 f32", false),
    ("e4m3", "m16n8k32", "e4m3 f32", false),
    ("s8", "m16n8k32", "s8 s32", false),
    ("s4", "m16n8k64", "s4 s32", false),
    ("b1", "m16n8k256", "b1 s32", false),
    ("f64", "m8n8k4", "f64 f64", false),
    ("f16, sparse", "m16n8k32", "f16 f32", true),
];

fn main() {
    let builds: Vec<Build> = Build::all().collect();
    print!("{:<18}", "GFLOP/s (or GOP/s)");
    builds.iter().for_each(|build| print!("{:>10}", build.level().name()));
    println!();
    for &(name, shape, types, sparse) in KINDS {
        let (factor, sum) = types.split_once(' ').unwrap();
        let (a, c) =
            (ElementType::from_name(factor).unwrap(), ElementType::from_name(sum).unwrap());
        let shape = Shape::from_name(shape).unwrap();
        let (saturate, operation) = Default::default();
        let product = Product { shape, a, b: a, c, d: c, saturate, operation, sparse, wmma: false };
        let operation = Operation::mma(product, Default::default(), 0);
        let mut random = Random::new(1);
        // Random numbers of magnitude close to one.
        let mut registers = |i: usize, number: ElementType| -> Vec<[u64; 32]> {
            let mask = match number {
                ElementType::F16 => 0xbfff_bfff,
                ElementType::Bf16 => 0xbfff_bf80 | 0x7f_007f,
                ElementType::Tf32 | ElementType::F32 => 0xbfff_ffff,
                ElementType::F64 => (0xbfff << 48) | ((1 << 48) - 1),
                ElementType::E4m3 => 0xbfbf_bfbf,
                _ => u64::MAX,
            };
            let count = operation.fragments()[i].registers();
            (0..count).map(|_| std::array::from_fn(|_| random.u64() & mask)).collect()
        };
        let (a, b, c) = (registers(0, a), registers(1, a), registers(2, c));
        let metadata: [u64; 32] = [0x4444_4444; 32];
        print!("{name:<18}");
        for &build in &builds {
            let mut scratch = Scratch::default();
            let mut d = c.clone();
            let mut run = |times: u32| {
                let begin = Instant::now();
                for _ in 0..times {
                    operation.run(build, &mut scratch, [&a, &b, &c], &metadata, &mut d);
                }
                begin.elapsed().as_secs_f64() / f64::from(times)
            };
            let guess = run(200);
            let times = (0.1 / guess) as u32 + 1;
            let best = (0..5).map(|_| run(times)).fold(f64::MAX, f64::min);
            let size = operation.product().shape;
            let flops = 2.0 * f64::from(size.m) * f64::from(size.n) * f64::from(size.k);
            print!("{:>10.2}", flops / best / 1e9);
        }
        println!();
    }
}
