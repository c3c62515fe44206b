//! Contents of an object that are known as separate pieces, such as those of a recorded launch.

/// Copies the pieces of an object over `part`, which begins at offset `start` of the object. Pieces
/// are pairs of an offset and bytes, in ascending order without overlaps.
pub fn overlay(pieces: &[(u64, Vec<u8>)], start: u64, part: &mut [u8]) {
    let end = start + part.len() as u64;
    let first = pieces.partition_point(|(offset, bytes)| offset + bytes.len() as u64 <= start);
    for (offset, bytes) in pieces[first..].iter().take_while(|(offset, _)| *offset < end) {
        let (from, to) = ((*offset).max(start), (offset + bytes.len() as u64).min(end));
        let bytes = &bytes[(from - offset) as usize..(to - offset) as usize];
        part[(from - start) as usize..(to - start) as usize].copy_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_pieces() {
        let pieces = [(2, vec![1, 2, 3]), (8, vec![9])];
        let seen = |start: u64, len: usize| {
            let mut part = vec![0; len];
            overlay(&pieces, start, &mut part);
            part
        };
        assert_eq!(seen(0, 10), [0, 0, 1, 2, 3, 0, 0, 0, 9, 0]);
        assert_eq!((seen(3, 2), seen(4, 5)), (vec![2, 3], vec![3, 0, 0, 0, 9]));
        assert_eq!((seen(5, 3), seen(9, 4)), (vec![0; 3], vec![0; 4]));
    }
}
