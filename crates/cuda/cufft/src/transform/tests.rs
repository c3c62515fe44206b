//! Transforms are compared with their definition, computed in double precision.

use super::*;
use crate::fftw::Plan;
use crate::shape::{Layout, Type};
use rustfft::num_complex::Complex64;
use std::f64::consts::TAU;
use texunit_testkit::Random;

/// The transform by its definition, along each dimension.
fn direct(data: &mut [Complex64], sizes: &[usize], sign: f64) {
    for d in 0..sizes.len() {
        let (n, inner) = (sizes[d], sizes[d + 1..].iter().product::<usize>());
        let root = |k: usize| Complex64::from_polar(1.0, sign * TAU * (k % n) as f64 / n as f64);
        let roots: Vec<_> = (0..n).map(root).collect();
        for first in (0..data.len()).filter(|i| i / inner % n == 0) {
            let line: Vec<_> = (0..n).map(|i| data[first + i * inner]).collect();
            for k in 0..n {
                // Real and imaginary parts are computed separately, because the operators of
                // complex numbers would be slow calls in a test build.
                let (mut sum, mut at) = (Complex64::ZERO, 0);
                for value in &line {
                    let root = &roots[at];
                    sum.re += value.re * root.re - value.im * root.im;
                    sum.im += value.re * root.im + value.im * root.re;
                    at = (at + k) % n;
                }
                data[first + k * inner] = sum;
            }
        }
    }
}

/// Reads a number at an address in a region.
fn get(memory: &[u8], at: u64, precision: Precision) -> f64 {
    let bytes = &memory[at as usize..];
    match precision {
        Precision::Double => f64::from_le_bytes(*bytes.first_chunk().unwrap()),
        Precision::Single => f32::from_le_bytes(*bytes.first_chunk().unwrap()).into(),
        short => short.widen(&bytes[..2])[0].into(),
    }
}

fn put(memory: &mut [u8], at: u64, precision: Precision, value: f64) {
    let bytes = &mut memory[at as usize..];
    match precision {
        Precision::Double => *bytes.first_chunk_mut().unwrap() = value.to_le_bytes(),
        Precision::Single => *bytes.first_chunk_mut().unwrap() = (value as f32).to_le_bytes(),
        short => short.narrow(&[value as f32], &mut bytes[..2]),
    }
}

/// The relative error of a plan's result for random input, with the output in place of the input or
/// elsewhere.
fn error(shape: &Shape, direction: FftDirection, in_place: bool, random: &mut Random) -> f64 {
    let (precision, kind) = (shape.of.precision, shape.of.kind);
    let size = |side: usize| {
        let (_, bytes) = shape.regions([0, 0], in_place).unwrap()[side].hull().unwrap();
        bytes.next_multiple_of(64)
    };
    let mut memory = vec![0xa5; (size(0) + size(1)) as usize];
    // The buffer's own memory may also be transformed by cuFFTW, which is given host addresses.
    let start = memory.as_mut_ptr().expose_provenance() as u64;
    let second = if in_place { 0 } else { size(0) };
    let regions = shape.regions([start, start + second], in_place).unwrap();
    let addresses = |side: usize| regions[side].addresses().map(|at| at - start);
    let sizes: Vec<usize> = shape.sizes.iter().map(|&size| size as usize).collect();
    let (all, row) = (sizes.iter().product::<usize>(), sizes[sizes.len() - 1]);
    let (rows, half) = (all / row, row / 2 + 1);
    // All elements of the input, including the half of the spectrum that C2R does not store.
    let mut data = Vec::new();
    for _ in 0..shape.batch {
        let number = |_| {
            let [re, im] = [0; 2].map(|_| f64::from(random.between(-1.0, 1.0)));
            Complex64::new(re, if kind == Kind::FromReal { 0.0 } else { im })
        };
        let mut one: Vec<Complex64> = (0..all).map(number).collect();
        if kind == Kind::ToReal {
            // The input of C2R is the spectrum of a real signal, whose second half is the conjugate
            // mirror image of the first.
            one.iter_mut().for_each(|value| value.im = 0.0);
            direct(&mut one, &sizes, -1.0);
        }
        data.extend(one);
    }
    let of_half = |i: usize| i / half * row + i % half;
    let parts = precision.size();
    for (i, at) in addresses(0).enumerate() {
        // The rows of all transforms follow one another.
        let i = if kind == Kind::ToReal { of_half(i) } else { i };
        put(&mut memory, at, precision, data[i].re);
        data[i].re = get(&memory, at, precision);
        if kind != Kind::FromReal {
            put(&mut memory, at + parts, precision, data[i].im);
            data[i].im = get(&memory, at + parts, precision);
        }
    }
    let before = memory.clone();
    Plan::new(shape.clone(), regions, direction).unwrap().run(&regions).unwrap();
    let sign = if direction == FftDirection::Forward { -1.0 } else { 1.0 };
    let (mut wrong, mut norm) = (0.0, 0.0);
    let mut written = vec![false; memory.len()];
    let mut addresses = addresses(1);
    for one in data.chunks_mut(all) {
        direct(one, &sizes, sign);
        let count = if kind == Kind::FromReal { rows * half } else { all };
        for (i, at) in (0..count).zip(addresses.by_ref()) {
            let want = one[if kind == Kind::FromReal { of_half(i) } else { i }];
            let im =
                if kind == Kind::ToReal { want.im } else { get(&memory, at + parts, precision) };
            let got = Complex64::new(get(&memory, at, precision), im);
            wrong += (got - want).norm_sqr();
            norm += want.norm_sqr();
            written[at as usize..][..regions[1].element as usize].fill(true);
        }
    }
    for (i, (&now, &then)) in memory.iter().zip(&before).enumerate() {
        assert!(written[i] || now == then, "byte {i} is none of the output, and was written");
    }
    (wrong / norm).sqrt()
}

/// Maximum allowed error, as in docs/cuda-libraries.md.
fn bound(shape: &Shape) -> f64 {
    let all = shape.sizes.iter().map(|&size| size as f64).product::<f64>();
    let unit = match shape.of.precision {
        Precision::Half => (-11.0_f64).exp2(),
        Precision::Bfloat => (-8.0_f64).exp2(),
        Precision::Single => (-24.0_f64).exp2(),
        Precision::Double => (-53.0_f64).exp2(),
    };
    unit * (1.0 + 2.0 * all.log2())
}

fn layout(counts: &[i64], random: &mut Random) -> Layout {
    let embed: Vec<i64> = counts.iter().map(|count| count + random.below(3_i64)).collect();
    let stride = random.within(1..=3);
    let distance = match random.below(3) {
        // The elements of the transforms are interleaved.
        0 if stride == 3 => 1,
        _ => embed.iter().product::<i64>() * stride + random.below(4_i64),
    };
    Layout { embed, stride, distance }
}

#[test]
fn random_plans_are_what_the_definition_says() {
    let mut random = Random::for_test(52);
    for _ in 0..400 {
        let precision = match random.below(6) {
            0 | 1 => Precision::Single,
            2 | 3 => Precision::Double,
            4 => Precision::Half,
            _ => Precision::Bfloat,
        };
        let kind = random.of(&[Kind::Complex, Kind::FromReal, Kind::ToReal]);
        let rank = random.within(1..=3_usize);
        let largest = [0, 150, 24, 9][rank];
        let size = |random: &mut Random| match precision.is_short() {
            true => 1 << random.below([0_i64, 7, 5, 3][rank]),
            false => random.within(1..=largest),
        };
        let sizes: Vec<i64> = (0..rank).map(|_| size(&mut random)).collect();
        let batch = random.of(&[1, 1, 2, 3]);
        let of = Type { kind, precision };
        let mut shape = Shape::new(of, sizes, batch, None).unwrap();
        if random.chance(60) {
            let [input, output] = [0, 1].map(|side| layout(&shape.counts(side), &mut random));
            // Interleaved transforms fit if the stride leaves room for the batch.
            let fits = |layout: &Layout| layout.distance > 1 || batch <= layout.stride;
            if fits(&input) && fits(&output) {
                shape = Shape::new(of, shape.sizes, batch, Some([input, output])).unwrap();
            }
        }
        let in_place = shape.layouts.is_none() && random.chance(50);
        let direction = match kind {
            Kind::FromReal => FftDirection::Forward,
            Kind::ToReal => FftDirection::Inverse,
            Kind::Complex => random.of(&[FftDirection::Forward, FftDirection::Inverse]),
        };
        let (error, most) = (error(&shape, direction, in_place, &mut random), bound(&shape));
        assert!(error <= most, "{error:e} of {most:e}: {shape:?} in place: {in_place}");
    }
}

/// Powers of two, products of small primes, and primes (Bluestein, Rader).
#[test]
fn sizes_of_all_sorts_are_right() {
    let mut random = Random::for_test(53);
    for size in [2048, 4096, 2187, 3125, 2310, 1999, 2003, 2 * 1009] {
        for (kind, direction) in [
            (Kind::Complex, FftDirection::Inverse),
            (Kind::FromReal, FftDirection::Forward),
            (Kind::ToReal, FftDirection::Inverse),
        ] {
            for precision in [Precision::Single, Precision::Double] {
                let shape = Shape::new(Type { kind, precision }, vec![size], 1, None).unwrap();
                let error = error(&shape, direction, false, &mut random);
                assert!(error <= bound(&shape), "{error:e} of {:e}: {shape:?}", bound(&shape));
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_how_many_rows_there_are() {
    let of = Type { kind: Kind::Complex, precision: Precision::Single };
    let mut random = Random::for_test(54);
    for size in [8, 60, 1009] {
        let one: Vec<f32> = (0..size * 2).map(|_| random.between(-1.0, 1.0)).collect();
        let mut results = Vec::new();
        for batch in [1, 7, 70] {
            let mut input = one.repeat(batch);
            let mut output = vec![0_f32; input.len()];
            let shape = Shape::new(of, vec![size], batch as i64, None).unwrap();
            let (from, to) = (cast_slice_mut(&mut input), cast_slice_mut(&mut output));
            Engine::new(shape).run(FftDirection::Forward, from, to);
            results.extend(output.chunks(one.len()).map(<[f32]>::to_vec));
        }
        assert!(results.iter().all(|result| *result == results[0]), "size {size}");
    }
}
