//! What holds of every answer.

use super::{Expected, Made, long, word};
use texunit_files::{Container, Kind, MAX_BYTES, TexelRequest, decode, decode_container};

/// Reads a file. Its texture is the one that was put in, or one that goes with the fields;
/// everything else is an error with a message, and none because a decoder has panicked.
pub(crate) fn check(made: &Made) {
    let Made { kind, bytes, expected } = made;
    let result = decode_container(*kind, bytes);
    match (&result, expected) {
        (Ok(found), Expected::Texture(texture)) => assert!(found == &**texture, "{made:?}"),
        (Err(problem), Expected::Texture(_)) => panic!("{problem}: {made:?}"),
        (Ok(_), Expected::Refused) => panic!("it is read: {made:?}"),
        _ => {}
    }
    match &result {
        Ok(texture) => {
            sound(texture, made);
            level_0(texture, made);
        }
        Err(problem) => {
            let message = problem.to_string();
            assert!(!message.is_empty() && !message.contains("cannot make sense"), "{made:?}");
        }
    }
}

/// The texture has the sizes of the header, and its texels are those of the file.
fn sound(texture: &Container, made: &Made) {
    let bytes = &made.bytes;
    let count = texture.levels.len() as u32;
    let largest = texture.extent.into_iter().max().unwrap_or(0);
    assert!((1..=largest.ilog2() + 1).contains(&count), "{made:?}");
    let images = u128::from(texture.layers.unwrap_or(1)) * u128::from(texture.faces());
    for (level, texels) in (0..).zip(&texture.levels) {
        let size = texture.format.byte_size(texture.level_extent(level)) * images;
        assert_eq!(texels.len() as u128, size, "level {level}: {made:?}");
    }
    let total: u64 = texture.levels.iter().map(|texels| texels.len() as u64).sum();
    assert!(total <= MAX_BYTES);
    match made.kind {
        Kind::Ktx2 => {
            assert_eq!(word(bytes, 44), 0, "supercompression: {made:?}");
            let extent = [word(bytes, 20), word(bytes, 24).max(1), word(bytes, 28).max(1)];
            assert_eq!(texture.extent, extent, "{made:?}");
            for (level, texels) in texture.levels.iter().enumerate() {
                let entry = 80 + 24 * level;
                let (at, size) = (long(bytes, entry) as usize, long(bytes, entry + 8) as usize);
                assert!(bytes[at..at + size] == **texels, "level {level}: {made:?}");
            }
        }
        _ => {
            let is_new =
                word(bytes, 80) & 4 != 0 && word(bytes, 84) == u32::from_le_bytes(*b"DX10");
            let (height, depth) = (word(bytes, 12), word(bytes, 24).max(1));
            let extent = [word(bytes, 16), height, if texture.dims == 3 { depth } else { 1 }];
            // A texture of one dimension may leave its height out.
            let extent = if texture.dims == 1 { [extent[0], height.max(1), 1] } else { extent };
            assert_eq!(texture.extent, extent, "{made:?}");
            assert_eq!(count, word(bytes, 28).max(1), "{made:?}");
            let mut rest = &bytes[if is_new { 148 } else { 128 }..];
            for image in 0..images as u32 {
                let (layer, face) = (image / texture.faces(), image % texture.faces());
                for level in 0..count {
                    let texels = texture.image(level, layer, face).expect("an image");
                    assert!(rest.starts_with(texels), "image {image}, level {level}: {made:?}");
                    rest = &rest[texels.len()..];
                }
            }
        }
    }
}

/// Level 0 alone is the same, of a texture that has one image.
fn level_0(texture: &Container, made: &Made) {
    let wanted = TexelRequest { format: texture.format, dims: None, extent: None };
    let is_plain = texture.layers.is_none() && !texture.is_cube;
    match decode(made.kind, &made.bytes, &wanted) {
        Ok(texels) => assert!(is_plain && texels.bytes == texture.levels[0], "{made:?}"),
        Err(problem) => assert!(!is_plain, "{problem}: {made:?}"),
    }
}
