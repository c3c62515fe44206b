//! One loop, compiled for every SIMD level, and run at those that this machine has.
#![allow(clippy::print_stdout, reason = "a program")]

use texunit_simd::Build;

#[inline(always)]
fn sum_of_squares(values: &[u32]) -> u32 {
    values.iter().map(|x| x.wrapping_mul(*x)).fold(0, u32::wrapping_add)
}

fn main() {
    let values: Vec<u32> = (0..1000).collect();
    for build in Build::all() {
        let sum = build.run(|| sum_of_squares(&values));
        println!("{:8} {sum}", build.level());
        assert_eq!(sum, 332_833_500);
    }
}
