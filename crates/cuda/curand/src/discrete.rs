//! Tables for the device function `curand_discrete` (`curand_discrete.h`): given lambda, allocates
//! in device memory a square histogram, whose columns of equal width hold two values each (G.
//! Marsaglia, W. W. Tsang and J. Wang; A. J. Walker). For lambda above 2000 the device uses a
//! normal approximation without a table.

use crate::code::*;
use std::collections::BTreeMap;
use std::iter::successors;
use std::sync::Mutex;

/// `CURAND_M2`: the distribution has a table.
const TABLE: u64 = 5;
/// `CURAND_DISCRETE_GAUSS`: the distribution is approximated by a normal one.
const NORMAL: u64 = 7;
/// Maximum lambda with a table.
const MOST: f64 = 2000.0;

/// `curandDiscreteDistribution_st` as 64-bit words: the host copy of itself, the shifted histogram
/// on the device and on the host, standard deviation, mean, and the method with a field that is
/// zero on the device.
type Distribution = [u64; 6];
/// `curandDistributionM2Shift_st` as 64-bit words: the histogram on the device and on the host, the
/// shift with the length, and a zero field.
type Shifted = [u64; 4];
/// `curandHistogramM2_st` as 64-bit words: the thresholds on the device and on the host, the
/// alternative values on the device and on the host, and a zero field.
type Histogram = [u64; 5];

/// Device memory owned by each table, by the table's address.
static TABLES: Mutex<BTreeMap<u64, Vec<driver::DeviceMemory>>> = Mutex::new(BTreeMap::new());

/// Copies values to new device memory.
fn upload<T: bytemuck::NoUninit>(all: &[T]) -> Answer<driver::DeviceMemory> {
    let bytes: &[u8] = bytemuck::cast_slice(all);
    let memory = driver::DeviceMemory::new(bytes.len())?;
    // SAFETY: the source is a local slice of this length.
    driver::check(unsafe {
        driver::cuMemcpyHtoD_v2(memory.0, bytes.as_ptr().cast_mut().cast(), bytes.len())
    })?;
    Ok(memory)
}

/// Creates the table of a Poisson distribution and returns its device address.
pub(crate) fn create(lambda: f64) -> Answer<u64> {
    driver::make_current().map_err(|why| RandCode::InitializationFailed.with(why))?;
    let mut memory = Vec::new();
    let mut distribution: Distribution =
        [0, 0, 0, lambda.sqrt().to_bits(), lambda.to_bits(), NORMAL];
    if lambda <= MOST {
        let (shift, probabilities) = poisson(lambda);
        let (mut borders, mut others) = square(probabilities);
        let length = borders.len() as u32;
        // The uniform number 1 falls past the last column; this entry repeats that column's value.
        borders.push(0.0);
        others.push(length - 1);
        let (borders, others) = (upload(&borders)?, upload(&others)?);
        let histogram: Histogram = [borders.0, 0, others.0, 0, 0];
        let histogram = upload(&histogram)?;
        let shifted: Shifted = [histogram.0, 0, u64::from(shift) | u64::from(length) << 32, 0];
        let shifted = upload(&shifted)?;
        (distribution[1], distribution[5]) = (shifted.0, TABLE);
        memory.extend([borders, others, histogram, shifted]);
    }
    let distribution = upload(&distribution)?;
    let address = distribution.0;
    memory.push(distribution);
    lock(&TABLES).insert(address, memory);
    Ok(address)
}

/// Frees a table.
pub(crate) fn destroy(address: u64) -> Answer {
    let gone = lock(&TABLES).remove(&address);
    gone.map(drop).ok_or_else(|| {
        RandCode::NotInitialized.because(format!("{address:#x} is not a distribution"))
    })
}

/// Probabilities of a Poisson distribution without negligible ones, and the first value that they
/// belong to.
fn poisson(lambda: f64) -> (u32, Vec<f64>) {
    let reach = 12.0 * lambda.sqrt() + 30.0;
    let (first, last) = ((lambda - reach).max(0.0).floor(), (lambda + reach).ceil());
    let mode = lambda.floor();
    // Weights are relative to the mode's.
    let below = successors(Some((mode, 1.0)), |&(k, weight)| {
        (k > first).then(|| (k - 1.0, weight * (k / lambda)))
    });
    let above = successors(Some((mode, 1.0)), |&(k, weight)| {
        (k < last).then(|| (k + 1.0, weight * (lambda / (k + 1.0))))
    });
    let mut weights: Vec<f64> = below.map(|(_, weight)| weight).collect();
    weights.reverse();
    weights.extend(above.skip(1).map(|(_, weight)| weight));
    let sum: f64 = weights.iter().sum();
    (first as u32, weights.into_iter().map(|weight| weight / sum).collect())
}

/// Builds the columns of a square histogram (Walker's alias method): for each column, the threshold
/// below which its own value applies, and the alternative value above it.
fn square(mut probabilities: Vec<f64>) -> (Vec<f64>, Vec<u32>) {
    let count = probabilities.len();
    let width = 1.0 / count as f64;
    let mut borders: Vec<f64> = (1..=count).map(|i| i as f64 * width).collect();
    let mut others: Vec<u32> = (0..count as u32).collect();
    let (mut poor, mut rich): (Vec<usize>, Vec<usize>) =
        (0..count).partition(|&i| probabilities[i] < width);
    while let (Some(low), Some(&high)) = (poor.pop(), rich.last()) {
        borders[low] = low as f64 * width + probabilities[low];
        others[low] = high as u32;
        probabilities[high] -= width - probabilities[low];
        if probabilities[high] < width {
            rich.pop();
            poor.push(high);
        }
    }
    (borders, others)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_all_probabilities() {
        for lambda in [0.3, 1.0, 17.5, 2000.0] {
            let (_, wanted) = poisson(lambda);
            let (borders, others) = square(wanted.clone());
            let width = 1.0 / wanted.len() as f64;
            let mut got = vec![0.0; wanted.len()];
            for (i, (&border, &other)) in borders.iter().zip(&others).enumerate() {
                got[i] += border - i as f64 * width;
                got[other as usize] += (i + 1) as f64 * width - border;
            }
            for (got, wanted) in got.iter().zip(&wanted) {
                assert!((got - wanted).abs() < 1e-12, "{lambda}: {got} {wanted}");
            }
        }
    }
}
