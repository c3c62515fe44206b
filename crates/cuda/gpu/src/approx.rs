//! Measures the GPU's approximate instructions (`rcp.approx` and others): for each operand, the
//! difference of the result from the correctly rounded value. Cube fetches (docs/numerics.md 7.3)
//! and section 13 use these tables.

use crate::driver::{Gpu, GpuError, LaunchShape};
use crate::ptx::THREAD;

/// An instruction of one f32 operand, with the operands that are measured.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Name in file names.
    pub name: &'static str,
    /// The PTX instruction.
    pub instruction: &'static str,
    /// Bits of the first operand; the others follow in order of their bits.
    pub first: u32,
    /// Number of operands.
    pub count: u32,
    /// The exact function, computed in double precision.
    pub exact: fn(f64) -> f64,
}

/// The operand range is one binade for functions whose results in other binades differ by a power
/// of two, two binades for roots, and for sine and cosine the binades up to 4, which contain every
/// reduced argument.
#[rustfmt::skip]
pub const FUNCTIONS: [Function; 7] = [
    Function { name: "rcp",   instruction: "rcp.approx.ftz.f32",   first: 0x3f80_0000, count: 1 << 23,  exact: f64::recip },
    Function { name: "rsqrt", instruction: "rsqrt.approx.ftz.f32", first: 0x3f80_0000, count: 1 << 24,  exact: |x| x.sqrt().recip() },
    Function { name: "sqrt",  instruction: "sqrt.approx.ftz.f32",  first: 0x3f80_0000, count: 1 << 24,  exact: f64::sqrt },
    Function { name: "ex2",   instruction: "ex2.approx.ftz.f32",   first: 0x3f80_0000, count: 1 << 23,  exact: f64::exp2 },
    Function { name: "lg2",   instruction: "lg2.approx.ftz.f32",   first: 0x3f80_0000, count: 1 << 23,  exact: f64::log2 },
    Function { name: "sin",   instruction: "sin.approx.ftz.f32",   first: 0x3c00_0000, count: 9 << 23,  exact: f64::sin },
    Function { name: "cos",   instruction: "cos.approx.ftz.f32",   first: 0x3c00_0000, count: 9 << 23,  exact: f64::cos },
];

/// Threads of a CTA.
const BLOCK: u32 = 256;
/// Number of operands per launch.
const CHUNK: u32 = 1 << 22;

/// The GPU's results for `count` operands from `first` on.
fn results(gpu: &Gpu, function: &Function, first: u32, count: u32) -> Result<Vec<u32>, GpuError> {
    let kernel = include_str!("approx.ptx").replace("THREAD\n", THREAD);
    let module = gpu.module(&kernel.replace("INSTRUCTION", function.instruction))?;
    let memory = gpu.buffer(&vec![0; count as usize * 4])?;
    let arguments = [
        memory.address().to_le_bytes().to_vec(),
        first.to_le_bytes().to_vec(),
        count.to_le_bytes().to_vec(),
    ];
    let shape =
        LaunchShape { grid: [count.div_ceil(BLOCK), 1, 1], block: [BLOCK, 1, 1], shared: 0 };
    module.launch("approx", shape, &arguments)?;
    Ok(memory.read()?.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect())
}

/// The GPU's results minus the correctly rounded ones, in units of the last place. A difference
/// outside `i8` is recorded as -128.
///
/// # Errors
/// The driver's error.
pub fn differences(gpu: &Gpu, function: &Function) -> Result<Vec<i8>, GpuError> {
    let mut all = Vec::with_capacity(function.count as usize);
    for done in (0..function.count).step_by(CHUNK as usize) {
        let count = CHUNK.min(function.count - done);
        let first = function.first + done;
        for (i, card) in results(gpu, function, first, count)?.into_iter().enumerate() {
            let x = f32::from_bits(first + i as u32);
            let exact = (function.exact)(f64::from(x)) as f32;
            let difference = i64::from(ordered(card)) - i64::from(ordered(exact.to_bits()));
            all.push(i8::try_from(difference).unwrap_or(i8::MIN));
        }
    }
    Ok(all)
}

/// Maps floats to integers of the same order, so that neighbours differ by one.
fn ordered(bits: u32) -> i32 {
    let bits = bits as i32;
    if bits < 0 { i32::MIN.wrapping_sub(bits) } else { bits }
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_sfu::{mufu, ptx};

    #[test]
    fn order_of_floats() {
        let steps = [-1.0_f32, -f32::MIN_POSITIVE, -0.0, 0.0, f32::MIN_POSITIVE, 1.0];
        assert!(steps.map(|x| ordered(x.to_bits())).is_sorted());
        assert_eq!(ordered((-0.0_f32).to_bits()), ordered(0));
        assert_eq!(ordered(0x8000_0001), -1);
    }

    /// The simulated GPU has the tables of an H200; a few values are compared.
    #[test]
    fn the_test_card_is_off_as_an_h200_is() {
        let (_alone, gpu) = crate::fake::alone();
        let of_card: [fn(u32) -> u32; 7] =
            [mufu::rcp, mufu::rsq, mufu::sqrt, mufu::ex2, mufu::lg2, ptx::sin, ptx::cos];
        for (function, of_card) in FUNCTIONS.into_iter().zip(of_card) {
            let few = Function { count: 300, ..function };
            let found = differences(&gpu, &few).expect("the kernel runs");
            let wanted = (0..300).map(|i| {
                let bits = function.first + i;
                let rounded = (function.exact)(f32::from_bits(bits).into()) as f32;
                let difference = ordered(of_card(bits)) - ordered(rounded.to_bits());
                i8::try_from(difference).unwrap_or(i8::MIN)
            });
            assert_eq!(found, wanted.collect::<Vec<_>>(), "{}", function.name);
        }
    }
}
