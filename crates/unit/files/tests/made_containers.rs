//! DDS and KTX 2.0 files made field by field: what is legal is read as it was put in, whatever lies
//! is an error or goes with the fields as they are. `fuzz/` has the same as a target, `containers`.
//!
//! A program of its own: it looks at how much memory it has taken.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[path = "all/common/mod.rs"]
mod common;
#[path = "all/made/mod.rs"]
mod made;

use made::{Expected, check, made};
use texunit_files::{Container, Kind, decode_container};
use texunit_testkit::{Choices, Random};

#[test]
fn files_made_field_by_field() {
    // Caught panics of the parsers are not printed, but they fail the test, because `check`
    // requires an error message of the parser.
    common::report_unguarded_panics();
    let mut random = Random::for_test(20_261_123);
    // For each kind of file: numbers of textures, of refused files, and of files with false
    // entries.
    let mut seen = [[0; 3]; 2];
    for _ in 0..60_000 {
        let bytes = random.bytes(160);
        let made = made(&mut Choices::new(&bytes));
        let answer = match made.expected {
            Expected::Texture(_) => 0,
            Expected::Refused => 1,
            Expected::Anything => 2,
        };
        seen[usize::from(made.kind == Kind::Dds)][answer] += 1;
        check(&made);
    }
    assert!(seen.as_flattened().iter().all(|&n| n > 200), "{seen:?}");
    // The memory stays small even for files that claim to contain huge textures.
    assert!(most_memory().is_none_or(|kib| kib < 300 << 10), "{:?} KiB", most_memory());
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn message(kind: Kind, bytes: &[u8]) -> String {
    decode_container(kind, bytes).unwrap_err().to_string()
}

/// A DDS file of `unorm8` in the new header: flags, size, levels, dimension, and texels.
fn dds(
    flags: u32,
    [width, height, depth]: [u32; 3],
    levels: u32,
    dims: u32,
    texels: usize,
) -> Vec<u8> {
    let mut file = b"DDS ".to_vec();
    file.extend(words(&[124, flags, height, width, width, depth, levels]));
    file.extend([0; 44]);
    file.extend(words(&[32, 4, u32::from_le_bytes(*b"DX10"), 0, 0, 0, 0, 0, 0x1000, 0, 0, 0, 0]));
    file.extend(words(&[61, dims + 1, 0, 1, 0]));
    file.extend((0..texels).map(|i| i as u8));
    file
}

/// Microsoft tells readers not to rely on the flag for levels.
#[test]
fn levels_and_depth_count_without_flags() {
    let flat = decode_container(Kind::Dds, &dds(0x1007, [4, 4, 1], 3, 2, 21)).unwrap();
    assert_eq!(flat.levels.iter().map(Vec::len).collect::<Vec<_>>(), [16, 4, 1]);
    let Container { dims, extent, levels, .. } =
        decode_container(Kind::Dds, &dds(0x1007, [2, 2, 3], 0, 3, 12)).unwrap();
    assert_eq!((dims, extent, levels.len(), levels[0].len()), (3, [2, 2, 3], 1, 12));
    let rows = message(Kind::Dds, &dds(0x1007, [4, 2, 1], 1, 1, 8));
    assert_eq!(rows, "damaged DDS file: a texture of one dimension has 2 rows");
}

/// The data format descriptor is not taken apart: the parser would panic at a block of 256 texels,
/// and keep a large one in ten times its bytes.
#[test]
fn descriptors_of_ktx2_are_not_believed() {
    let file = |size: [u32; 3], descriptor: &[u32]| {
        let mut file = ktx2::MAGIC.to_vec();
        let [width, height, depth] = size;
        file.extend(words(&[9, 1, width, height, depth, 0, 1, 1, 0]));
        file.extend(words(&[104, 4 * descriptor.len() as u32, 0, 0, 0, 0, 0, 0]));
        file.extend(words(&[104 + 4 * descriptor.len() as u32, 0, 6, 0, 6, 0]));
        file.extend(words(descriptor));
        file.extend([1, 2, 3, 4, 5, 6]);
        file
    };
    for descriptor in [&[44, 0, 40 << 16 | 2, 0x01_0101, u32::MAX, 0, 0, 0, 0, 0, 0][..], &[0; 2]] {
        let read = decode_container(Kind::Ktx2, &file([3, 2, 0], descriptor)).unwrap();
        assert_eq!(read.levels, [[1, 2, 3, 4, 5, 6]]);
    }
    let mut cut = file([3, 2, 0], &[0; 2]);
    cut[52..56].copy_from_slice(&[255; 4]);
    assert!(message(Kind::Ktx2, &cut).starts_with("damaged KTX 2.0 file"));
    let message = message(Kind::Ktx2, &file([3, 0, 2], &[]));
    assert_eq!(message, "damaged KTX 2.0 file: its texels have depth and no height");
}

/// The most memory that this process has had, in KiB, where the system says so.
fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}
