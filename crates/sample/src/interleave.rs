//! Registers of results to the elements of an array.

/// Writes the low bytes of the registers, those of a fetch behind each other.
pub(crate) fn interleave(out: &mut [u8], size: usize, from: &[&[u32]]) {
    match (from, size) {
        (&[x], 4) => texels::<1, 4>(out, [x]),
        (&[x, y], 4) => texels::<2, 4>(out, [x, y]),
        (&[x, y, z, w], 4) => texels::<4, 4>(out, [x, y, z, w]),
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
    // One length for the compiler.
    let from = from.map(|register| &register[..texels.len()]);
    for (i, texel) in texels.iter_mut().enumerate() {
        for (element, register) in texel.iter_mut().zip(&from) {
            element.copy_from_slice(&register[i].to_le_bytes()[..SIZE]);
        }
    }
}
