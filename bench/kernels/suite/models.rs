//! Computes the expected results of each case in plain Rust, regardless of speed.

use super::{Case, Data, Value};

/// Functions that return the elements of a buffer, which must have the type.
macro_rules! elements {
    ($($name:ident $variant:ident $element:ty;)*) => {$(
        fn $name(case: &Case, buffer: usize) -> &[$element] {
            match &case.buffers[buffer].data {
                Data::$variant(all) => all,
                other => panic!("buffer {buffer} holds {}", other.type_name()),
            }
        }
    )*};
}

elements! {
    f32s F32 f32;
    f64s F64 f64;
    u32s U32 u32;
    u8s U8 u8;
}

/// The argument of the C loop with this index, which must be an integer.
fn number(case: &Case, argument: usize) -> u32 {
    match case.plain[argument] {
        Value::U32(value) => value,
        other => panic!("argument {argument} is {other:?}"),
    }
}

fn float(case: &Case, argument: usize) -> f32 {
    match case.plain[argument] {
        Value::F32(value) => value,
        other => panic!("argument {argument} is {other:?}"),
    }
}

/// The product of two matrices of `n` by `n` elements, in doubles.
fn product(a: &[f64], b: &[f64], n: usize) -> Vec<f64> {
    let mut c = vec![0.0; n * n];
    for (row, of_a) in c.chunks_exact_mut(n).zip(a.chunks_exact(n)) {
        for (&a, of_b) in of_a.iter().zip(b.chunks_exact(n)) {
            for (c, &b) in row.iter_mut().zip(of_b) {
                *c += a * b;
            }
        }
    }
    c
}

pub(super) fn matmul(case: &Case) -> Vec<Data> {
    let wide = |buffer| f32s(case, buffer).iter().map(|&v| f64::from(v)).collect::<Vec<_>>();
    let c = product(&wide(0), &wide(1), number(case, 3) as usize);
    vec![Data::F32(c.into_iter().map(|v| v as f32).collect())]
}

pub(super) fn matmul_f64(case: &Case) -> Vec<Data> {
    vec![Data::F64(product(f64s(case, 0), f64s(case, 1), number(case, 3) as usize))]
}

pub(super) fn transpose(case: &Case) -> Vec<Data> {
    let (from, n) = (f32s(case, 0), number(case, 2) as usize);
    vec![Data::F32((0..n * n).map(|i| from[i % n * n + i / n]).collect())]
}

pub(super) fn reduce(case: &Case) -> Vec<Data> {
    let sum: f64 = f32s(case, 0).iter().map(|&v| f64::from(v)).sum();
    vec![Data::F32(vec![sum as f32])]
}

pub(super) fn scan(case: &Case) -> Vec<Data> {
    let mut sum = 0u32;
    let mut next = |v: &u32| {
        sum = sum.wrapping_add(*v);
        sum
    };
    vec![Data::U32(u32s(case, 0).iter().map(&mut next).collect())]
}

pub(super) fn histogram_shared(case: &Case) -> Vec<Data> {
    let mut counts = vec![0; 256];
    for byte in u32s(case, 0).iter().flat_map(|word| word.to_le_bytes()) {
        counts[usize::from(byte)] += 1;
    }
    vec![Data::U32(counts)]
}

pub(super) fn histogram_global(case: &Case) -> Vec<Data> {
    let mut counts = vec![0; 4096];
    for &word in u32s(case, 0) {
        counts[word as usize % 4096] += 1;
    }
    vec![Data::U32(counts)]
}

pub(super) fn stencil(case: &Case) -> Vec<Data> {
    let (n, times) = (number(case, 2) as usize, number(case, 5));
    let (centre, side) = (float(case, 3), float(case, 4));
    let step = |from: &[f32]| {
        let at = |i: usize| {
            let (x, y) = (i % n, i / n);
            if x == 0 || y == 0 || x == n - 1 || y == n - 1 {
                return from[i];
            }
            centre * from[i] + side * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n])
        };
        (0..n * n).map(at).collect()
    };
    let mut all = f32s(case, 0).to_vec();
    for _ in 0..2 * times {
        all = step(&all);
    }
    vec![Data::F32(all)]
}

pub(super) fn nbody(case: &Case) -> Vec<Data> {
    let bodies = f32s(case, 0).as_chunks::<4>().0;
    let softening = float(case, 3);
    let of = |me: &[f32; 4]| {
        let mut sums = [0.0f32; 4];
        for other in bodies {
            let away = [0, 1, 2].map(|k| other[k] - me[k]);
            let square = away.iter().map(|d| d * d).sum::<f32>() + softening;
            let pull = other[3] / (square * square.sqrt());
            for (sum, away) in sums.iter_mut().zip(away) {
                *sum += away * pull;
            }
        }
        sums
    };
    vec![Data::F32(bodies.iter().flat_map(of).collect())]
}

/// The prices of a call and a put option, in doubles.
fn option(s: f64, x: f64, t: f64, rate: f64, volatility: f64) -> (f64, f64) {
    let distribution = |d: f64| {
        let k = 1.0 / (1.0 + 0.231_641_9 * d.abs());
        let inner = 1.781_477_937 + k * (-1.821_255_978 + k * 1.330_274_429);
        let sum = k * (0.319_381_53 + k * (-0.356_563_782 + k * inner));
        let tail = 0.398_942_28 * (-0.5 * d * d).exp() * sum;
        if d > 0.0 { 1.0 - tail } else { tail }
    };
    let spread = volatility * t.sqrt();
    let d1 = ((s / x).ln() + (rate + 0.5 * volatility * volatility) * t) / spread;
    let (n1, n2, later) = (distribution(d1), distribution(d1 - spread), x * (-rate * t).exp());
    (s * n1 - later * n2, later * (1.0 - n2) - s * (1.0 - n1))
}

pub(super) fn black_scholes(case: &Case) -> Vec<Data> {
    let (rate, volatility) = (f64::from(float(case, 6)), f64::from(float(case, 7)));
    let wide = |buffer: usize, i: usize| f64::from(f32s(case, buffer)[i]);
    let price = |i| option(wide(0, i), wide(1, i), wide(2, i), rate, volatility);
    let (calls, puts) = (0..number(case, 5) as usize)
        .map(price)
        .map(|(call, put)| (call as f32, put as f32))
        .unzip();
    vec![Data::F32(calls), Data::F32(puts)]
}

pub(super) fn spmv(case: &Case) -> Vec<Data> {
    let (starts, columns) = (u32s(case, 0), u32s(case, 1));
    let (values, vector) = (f32s(case, 2), f32s(case, 3));
    let row = |bounds: &[u32]| {
        let of = bounds[0] as usize..bounds[1] as usize;
        of.map(|k| f64::from(values[k]) * f64::from(vector[columns[k] as usize])).sum::<f64>()
            as f32
    };
    vec![Data::F32(starts.windows(2).map(row).collect())]
}

pub(super) fn bitonic(case: &Case) -> Vec<Data> {
    let mut keys = u32s(case, 0).to_vec();
    keys.chunks_mut(1024).for_each(<[u32]>::sort_unstable);
    vec![Data::U32(keys)]
}

pub(super) fn radix(case: &Case) -> Vec<Data> {
    let mut keys = u32s(case, 0).to_vec();
    keys.sort_unstable();
    vec![Data::U32(keys)]
}

pub(super) fn mandelbrot(case: &Case) -> Vec<Data> {
    let (width, height, most) = (number(case, 1), number(case, 2), number(case, 6));
    let (left, top, step) = (float(case, 3), float(case, 4), float(case, 5));
    let steps = |x: u32, y: u32| {
        let (cx, cy) = (step.mul_add(x as f32, left), step.mul_add(y as f32, top));
        let (mut zx, mut zy, mut n) = (0.0f32, 0.0f32, 0);
        while n < most && zx.mul_add(zx, zy * zy) <= 4.0 {
            (zx, zy) = (zx.mul_add(zx, -(zy * zy)) + cx, (2.0 * zx).mul_add(zy, cy));
            n += 1;
        }
        n
    };
    let rows = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    vec![Data::U32(rows.map(|(x, y)| steps(x, y)).collect())]
}

pub(super) fn search(case: &Case) -> Vec<Data> {
    let (text, pattern) = (u8s(case, 0), u8s(case, 1));
    let found: Vec<u8> = text.windows(pattern.len()).map(|w| u8::from(w == pattern)).collect();
    let count = found.iter().map(|&f| u32::from(f)).sum();
    vec![Data::U8(found), Data::U32(vec![count])]
}

pub(super) fn saxpy(case: &Case) -> Vec<Data> {
    let a = float(case, 3);
    let sums = f32s(case, 0).iter().zip(f32s(case, 1));
    vec![Data::F32(sums.map(|(&x, &y)| a.mul_add(x, y)).collect())]
}

pub(super) fn copy(case: &Case) -> Vec<Data> {
    vec![case.buffers[0].data.clone()]
}

pub(super) fn hash(case: &Case) -> Vec<Data> {
    let rounds = number(case, 3);
    let of = |&word: &u32| {
        (0..rounds).fold(word, |mut h, _| {
            h ^= h >> 16;
            h = h.wrapping_mul(0x85eb_ca6b);
            h ^= h >> 13;
            h = h.wrapping_mul(0xc2b2_ae35);
            h ^= h >> 16;
            h.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
        })
    };
    vec![Data::U32(u32s(case, 0).iter().map(of).collect())]
}

pub(super) fn median(case: &Case) -> Vec<Data> {
    let (texels, width, height) =
        (u8s(case, 0), number(case, 2) as usize, number(case, 3) as usize);
    let at = |i: usize| {
        let (x, y) = (i % width, i / width);
        let mut nine = [0; 9];
        for (k, texel) in nine.iter_mut().enumerate() {
            let column = (x + k % 3).saturating_sub(1).min(width - 1);
            let row = (y + k / 3).saturating_sub(1).min(height - 1);
            *texel = texels[row * width + column];
        }
        nine.sort_unstable();
        nine[4]
    };
    vec![Data::U8((0..width * height).map(at).collect())]
}

/// A trilinear sample of a clamped cube with `n` texels per edge.
fn trilinear(texels: &[f32], n: usize, place: [f64; 3]) -> f64 {
    let axes = place.map(|at| {
        let at = (at * n as f64 - 0.5).clamp(0.0, (n - 1) as f64);
        (at as usize, at - at.floor())
    });
    let mut sum = 0.0;
    for corner in 0..8 {
        let (mut share, mut index) = (1.0, 0);
        for (axis, (low, part)) in axes.into_iter().enumerate().rev() {
            let is_high = corner >> axis & 1;
            share *= if is_high == 1 { part } else { 1.0 - part };
            index = index * n + (low + is_high).min(n - 1);
        }
        sum += share * f64::from(texels[index]);
    }
    sum
}

pub(super) fn ray_march(case: &Case) -> Vec<Data> {
    let texels = f32s(case, 0);
    let [width, height, steps, n] = [2, 3, 4, 6].map(|argument| number(case, argument));
    let (slope, step) = (f64::from(float(case, 5)), 1.0 / f64::from(steps));
    let ray = |x: u32, y: u32| {
        let (mut u, mut v) =
            ((f64::from(x) + 0.5) / f64::from(width), (f64::from(y) + 0.5) / f64::from(height));
        let (du, dv) = ((u - 0.5) * slope * step, (v - 0.5) * slope * step);
        let (mut light, mut sum, mut w) = (1.0, 0.0, 0.5 * step);
        for _ in 0..steps {
            if light <= 0.01 {
                break;
            }
            let density = trilinear(texels, n as usize, [u, v, w]);
            let share = density * step * 4.0;
            sum += light * share * density;
            light *= 1.0 - share;
            (u, v, w) = (u + du, v + dv, w + step);
        }
        sum as f32
    };
    let rows = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    vec![Data::F32(rows.map(|(x, y)| ray(x, y)).collect())]
}
