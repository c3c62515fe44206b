//! Approximate functions with the bits of the special function unit, and their errors.
#![allow(clippy::print_stdout, reason = "a program")]

use texunit_sfu::ptx;

fn main() {
    type Function = (&'static str, fn(u32) -> u32, fn(f64) -> f64);
    let functions: [Function; 3] = [
        ("rcp.approx.f32", ptx::rcp, f64::recip),
        ("sqrt.approx.f32", ptx::sqrt, f64::sqrt),
        ("lg2.approx.f32", ptx::lg2, f64::log2),
    ];
    for (name, function, exact) in functions {
        let x = 3.0_f32;
        let approximate = f32::from_bits(function(x.to_bits()));
        let error = (f64::from(approximate) - exact(x.into())).abs();
        println!("{name:15} of {x}: {approximate}, error {error:e}");
        assert!(error < 1e-6);
    }
}
