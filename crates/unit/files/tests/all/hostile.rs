//! Files that are not what they seem: always an error or sound texels, never a panic.

use std::path::{Path, PathBuf};
use texunit_files::{Kind, TexelRequest, Texels, decode, encode, write_atomically};
use texunit_testkit::{Random, TempDir};
use texunit_texel::Format;

const KINDS: [Kind; 4] = [Kind::Png, Kind::Jpeg, Kind::Exr, Kind::Npy];

fn wanted(format: &str) -> TexelRequest {
    TexelRequest { format: Format::from_name(format).unwrap(), dims: None, extent: None }
}

fn message(kind: Kind, bytes: &[u8]) -> String {
    decode(kind, bytes, &wanted("u8")).unwrap_err().to_string()
}

fn samples() -> Vec<(Kind, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let mut list: Vec<_> = files
        .iter()
        .filter(|p| Kind::of(p) != Kind::Raw)
        .map(|p| (Kind::of(p), std::fs::read(p).unwrap()))
        .collect();
    for (name, kind) in
        [("f16x4", Kind::Exr), ("u32x2", Kind::Exr), ("f32", Kind::Npy), ("u8x4", Kind::Png)]
    {
        let format = Format::from_name(name).unwrap();
        let bytes = (0..64 * format.texel_size()).map(|i| (i * 7) as u8).collect();
        let texels = Texels { format, dims: 2, width: 8, height: 8, depth: 1, bytes };
        list.push((kind, encode(kind, &texels).unwrap()));
    }
    let mut jpeg = Vec::new();
    let pixels: Vec<u8> = (0..=255).collect();
    let encoder = jpeg_encoder::Encoder::new(&mut jpeg, 75);
    encoder.encode(&pixels, 16, 16, jpeg_encoder::ColorType::Luma).unwrap();
    list.push((Kind::Jpeg, jpeg));
    list
}

#[test]
fn names_and_contents() {
    for kind in KINDS {
        assert_eq!(message(kind, b""), "the file is empty");
        let none = message(kind, b"hello, this is no picture at all");
        assert_eq!(
            none,
            format!("is not a {} file: its first bytes are not those of one", kind.name())
        );
    }
    let png =
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/gray8.png")).unwrap();
    assert_eq!(message(Kind::Jpeg, &png), "is called JPEG, but its contents are PNG");
    assert_eq!(Kind::of(Path::new("A.PNG")), Kind::Png);
    assert_eq!(Kind::of(Path::new("a.jpeg")), Kind::Jpeg);
    assert_eq!(Kind::of(Path::new("png")), Kind::Raw);
}

#[test]
fn cut_files_are_errors() {
    for (kind, bytes) in samples() {
        // PNG ends in a chunk without data, which decoders do not insist on.
        let most = if kind == Kind::Png { bytes.len() - 16 } else { bytes.len() - 1 };
        for cut in (0..most).step_by(1 + most / 200) {
            for format in ["u8", "u8x4", "f16x4", "u32x2", "f32"] {
                assert!(decode(kind, &bytes[..cut], &wanted(format)).is_err(), "{kind:?} {cut}");
            }
        }
    }
}

#[test]
fn changed_bytes_never_panic() {
    let mut random = Random::for_test(1);
    crate::common::report_unguarded_panics();
    for (kind, bytes) in samples() {
        for _ in 0..400 {
            let mut changed = bytes.clone();
            for _ in 0..1 + random.below(4) {
                let at = random.below(changed.len());
                changed[at] = if random.one_in(3) { 255 } else { random.u32() as u8 };
            }
            let format = random.of(&["u8", "u8x4", "f16x4", "u32x2", "f32"]);
            if let Ok(texels) = decode(kind, &changed, &wanted(format)) {
                let size =
                    Texels::byte_size(texels.format, texels.width, texels.height, texels.depth);
                assert_eq!(size, Some(texels.bytes.len() as u64));
            }
        }
    }
}

#[test]
fn sizes_beyond_all_bounds() {
    // A PNG of (2^31 - 1) x (2^31 - 1) texels, and an EXR with a data window of this size.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut png = std::fs::read(folder.join("rgba8.png")).unwrap();
    png[16..24].copy_from_slice(&[0x7f, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff]);
    assert!(decode(Kind::Png, &png, &wanted("u8x4")).is_err());
    let mut exr = std::fs::read(folder.join("nan-f32.exr")).unwrap();
    let at = exr.windows(10).position(|w| w == b"dataWindow").unwrap() + 10 + 1 + 6 + 4;
    exr[at + 8..at + 16].copy_from_slice(&[0xff, 0xff, 0xff, 0x3f, 0xff, 0xff, 0xff, 0x3f]);
    let error = message(Kind::Exr, &exr);
    assert!(error.contains("limit") || error.contains("damaged"), "{error}");
}

#[test]
fn what_cannot_be_written() {
    let texels = |format: &str, depth| {
        let format = Format::from_name(format).unwrap();
        let bytes = vec![0; (format.texel_size() * depth) as usize];
        Texels { format, dims: if depth > 1 { 3 } else { 2 }, width: 1, height: 1, depth, bytes }
    };
    #[rustfmt::skip]
    let rows = [
        (Kind::Png,  "f32",  1, "a PNG file holds u8 and u16 texels, not f32; use .npy, .raw or .exr"),
        (Kind::Png,  "s8",   1, "a PNG file holds u8 and u16 texels, not s8; use .npy, .raw"),
        (Kind::Png,  "u8x4", 2, "a PNG file has two dimensions; use .npy or .raw for three"),
        (Kind::Exr,  "u8",   1, "an EXR file holds f16, f32 and u32 texels, not u8; use .npy, .raw or .png"),
        (Kind::Exr,  "f16",  2, "an EXR file has two dimensions; use .npy or .raw for three"),
        (Kind::Jpeg, "u8",   1, "JPEG is lossy and is not written; use .png, .exr, .npy or .raw"),
    ];
    for (kind, format, depth, message) in rows {
        assert_eq!(encode(kind, &texels(format, depth)).unwrap_err().to_string(), message);
    }
}

/// Tests that a file that is written is read back with the same bits, including payloads of NaNs.
#[test]
fn round_trips() {
    for name in Format::names() {
        let format = Format::from_name(name).unwrap();
        let mut bytes: Vec<u8> =
            (0..35 * format.texel_size()).map(|i| (i * 37 + i / 7) as u8).collect();
        if format.texel_size() >= 4 {
            bytes[..4].copy_from_slice(&[1, 0, 0x80, 0x7f]);
        }
        let texels = Texels { format, dims: 2, width: 7, height: 5, depth: 1, bytes };
        for kind in [Kind::Png, Kind::Exr, Kind::Npy] {
            if texunit_files::can_encode(kind, format, 2).is_ok() {
                let file = encode(kind, &texels).unwrap();
                assert_eq!(decode(kind, &file, &wanted(name)).unwrap(), texels, "{kind:?} {name}");
            }
        }
    }
}

#[test]
fn files_are_replaced_whole() {
    let folder = TempDir::new("files");
    let path = folder.join("a.raw");
    write_atomically(&path, b"one").unwrap();
    write_atomically(&path, b"two").unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"two");
    let error = write_atomically(&folder, b"x").unwrap_err().to_string();
    assert!(error.ends_with("expected a file, but it is a folder"), "{error}");
    let error = write_atomically(&folder.join("none/a.raw"), b"x").unwrap_err().to_string();
    assert!(error.ends_with("no such file or directory"), "{error}");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "no temporary files are left");
}
