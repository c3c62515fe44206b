//! Interleaves the result registers of fetches into array elements.

/// Writes the low `size` bytes of each result register to `out`, with the registers of one fetch
/// adjacent. `from` has one slice per register, with an element for each fetch.
pub(crate) fn interleave(out: &mut [u8], size: usize, from: &[&[u32]]) {
    match (from, size) {
        (&[x], 4) => texels::<1, 4>(out, [x]),
        (&[x, y], 4) => two(out, x, y),
        (&[x, y, z, w], 4) => four(out, [x, y], [z, w]),
        (&[x], 2) => texels::<1, 2>(out, [x]),
        (&[x, y], 2) => texels::<2, 2>(out, [x, y]),
        (&[x, y, z, w], 2) => texels::<4, 2>(out, [x, y, z, w]),
        (&[x], _) => texels::<1, 1>(out, [x]),
        (&[x, y], _) => texels::<2, 1>(out, [x, y]),
        (&[x, y, z, w], _) => texels::<4, 1>(out, [x, y, z, w]),
        _ => unreachable!("formats have 1, 2 or 4 channels"),
    }
}

fn texels<const C: usize, const SIZE: usize>(out: &mut [u8], from: [&[u32]; C]) {
    let (elements, _) = out.as_chunks_mut::<SIZE>();
    let (texels, _) = elements.as_chunks_mut::<C>();
    // Slices of equal length let the compiler drop the bounds checks.
    let from = from.map(|register| &register[..texels.len()]);
    for (i, texel) in texels.iter_mut().enumerate() {
        for (element, register) in texel.iter_mut().zip(&from) {
            element.copy_from_slice(&register[i].to_le_bytes()[..SIZE]);
        }
    }
}

/// Combines two words to one 64-bit word, because the compiler vectorizes this form to shuffles.
fn pair(low: u32, high: u32) -> [u8; 8] {
    (u64::from(low) | u64::from(high) << 32).to_le_bytes()
}

/// Interleaves two registers per fetch into texels of two 32-bit words.
fn two(out: &mut [u8], x: &[u32], y: &[u32]) {
    let (texels, _) = out.as_chunks_mut::<8>();
    for ((texel, &x), &y) in texels.iter_mut().zip(x).zip(y) {
        *texel = pair(x, y);
    }
}

/// Interleaves four registers per fetch into texels of four 32-bit words.
fn four(out: &mut [u8], [x, y]: [&[u32]; 2], [z, w]: [&[u32]; 2]) {
    let (halves, _) = out.as_chunks_mut::<8>();
    let (texels, _) = halves.as_chunks_mut::<2>();
    let low = x.iter().zip(y);
    let high = z.iter().zip(w);
    for ((texel, (&x, &y)), (&z, &w)) in texels.iter_mut().zip(low).zip(high) {
        *texel = [pair(x, y), pair(z, w)];
    }
}
