//! Reading and writing of texel files: PNG, JPEG, EXR, NPY, DDS, KTX 2.0 and raw bytes.
//!
//! [`read_texels`] reads a file as texels of a [`Format`] that the caller names; [`encode`] and
//! [`write_atomically`] write texels. [`read_container`] reads all levels, layers and faces of a
//! DDS or KTX 2.0 file in its own format. Conversions are exact or use the single rounding that
//! docs/jobs.md names; everything else is a [`FileError`] that describes the file and what was
//! wanted. No file can make this crate panic, or allocate more than [`MAX_BYTES`] for its decoded
//! contents.
//!
//! Without the feature `all`, JPEG, DDS, KTX 2.0 and EXR files are an error that says how to get a
//! build that has them.
//!
//! Not supported: colour management (samples are taken as stored; gamma, ICC profiles and EXIF
//! orientation are ignored), layers of an EXR file after the first, supercompressed KTX 2.0 files,
//! writing of DDS and KTX 2.0.

mod command_files;
mod container;
mod convert;
#[cfg(feature = "all")]
mod dds;
mod error;
#[cfg(feature = "all")]
mod exr_file;
#[cfg(not(target_family = "wasm"))]
mod folder;
mod guard;
mod io;
#[cfg(feature = "all")]
mod jpeg;
#[cfg(feature = "all")]
mod ktx;
mod leftovers;
mod memory_files;
pub mod mipmaps;
mod npy;
mod picture;
#[cfg(feature = "all")]
mod shape;

pub use command_files::{CommandFiles, FileConflict, Identity};
pub use container::Container;
pub use error::{FileError, Problem};
#[cfg(not(target_family = "wasm"))]
pub use folder::PrivateFolder;
pub use guard::is_guarded;
pub use io::{Prepared, read_bytes, room, write_atomically};
pub use leftovers::{end_by_signal, is_ignored, leave_signals};
pub use memory_files::MemoryFiles;
pub use npy::{Array, encode_array};

use std::path::Path;
use texunit_forms::words;
pub use texunit_texel::Dtype;
use texunit_texel::Format;

/// Maximum size of a file, and of its decoded contents, in bytes.
pub const MAX_BYTES: u64 = 2 << 30;

words! {
    /// The kind of a file, determined by its extension. The names are for messages.
    Kind {
        /// A PNG picture (`.png`).
        Png = "PNG",
        /// A JPEG picture (`.jpg`, `.jpeg`).
        Jpeg = "JPEG",
        /// An OpenEXR picture (`.exr`).
        Exr = "OpenEXR",
        /// A NumPy array (`.npy`).
        Npy = "NPY",
        /// A DDS texture (`.dds`).
        Dds = "DDS",
        /// A KTX 2.0 texture (`.ktx2`).
        Ktx2 = "KTX 2.0",
        /// Any other extension: raw bytes.
        Raw = "raw",
    }
}

#[rustfmt::skip]
const KINDS: [(&str, Kind); 7] = [
    ("png", Kind::Png), ("jpg", Kind::Jpeg), ("jpeg", Kind::Jpeg), ("exr", Kind::Exr),
    ("npy", Kind::Npy), ("dds", Kind::Dds), ("ktx2", Kind::Ktx2),
];

#[rustfmt::skip]
const MAGIC: [(&[u8], Kind); 6] = [
    (b"\x89PNG\r\n\x1a\n",     Kind::Png),
    (b"\xff\xd8\xff",          Kind::Jpeg),
    (b"\x76\x2f\x31\x01",      Kind::Exr),
    (b"\x93NUMPY",             Kind::Npy),
    (b"DDS ",                  Kind::Dds),
    (b"\xabKTX 20\xbb\r\n\x1a\n", Kind::Ktx2),
];

impl Kind {
    /// The kind for the extension of a path; [`Kind::Raw`] for unknown extensions.
    pub fn of(path: &Path) -> Self {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
        KINDS.iter().find(|row| row.0 == ending).map_or(Kind::Raw, |row| row.1)
    }

    /// The kind that a file's first bytes indicate.
    pub fn of_content(bytes: &[u8]) -> Option<Self> {
        MAGIC.iter().find(|row| bytes.starts_with(row.0)).map(|row| row.1)
    }
}

/// Texels in packed rows, x fastest: the layout of `texunit_unit` arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texels {
    /// Texel format.
    pub format: Format,
    /// Number of dimensions: 1, 2 or 3.
    pub dims: u8,
    /// Width in texels.
    pub width: u32,
    /// Number of rows; 1 if `dims` is 1.
    pub height: u32,
    /// Number of slices; 1 if `dims` is less than 3.
    pub depth: u32,
    /// `width * height * depth` texels, little endian; for a block-compressed format the blocks,
    /// row by row.
    pub bytes: Vec<u8>,
}

impl Texels {
    /// Size in bytes of texels with these extents; `None` above [`MAX_BYTES`].
    pub fn byte_size(format: Format, width: u32, height: u32, depth: u32) -> Option<u64> {
        let size = u64::try_from(format.byte_size([width, height, depth])).ok()?;
        (size <= MAX_BYTES).then_some(size)
    }
}

/// The format and size that the caller of [`read_texels`] requires of a file.
#[derive(Clone, Copy, Debug)]
pub struct TexelRequest {
    /// Texel format.
    pub format: Format,
    /// Number of dimensions; `None`: that of the file.
    pub dims: Option<u8>,
    /// Width, height and depth. Required for a raw file; for any other file, its size must match.
    pub extent: Option<[u32; 3]>,
}

/// Reads a file as texels of the wanted format.
pub fn read_texels(path: &Path, wanted: &TexelRequest) -> Result<Texels, FileError> {
    let bytes = read_bytes(path)?;
    decode(Kind::of(path), &bytes, wanted).map_err(|problem| FileError::new(path, problem))
}

/// [`read_texels`] of bytes in memory.
pub fn decode(kind: Kind, bytes: &[u8], wanted: &TexelRequest) -> Result<Texels, Problem> {
    check_content(kind, bytes)?;
    if kind == Kind::Raw {
        return raw_texels(bytes, wanted);
    }
    if matches!(kind, Kind::Dds | Kind::Ktx2) {
        let texels = || decode_container(kind, bytes)?.into_texels(wanted.format);
        let texels = guard::guarded(kind, texels)?;
        return fit(texels, wanted);
    }
    let raster = guard::guarded(kind, || match kind {
        Kind::Png => picture::decode_png(bytes),
        #[cfg(feature = "all")]
        Kind::Jpeg => jpeg::decode(bytes),
        #[cfg(feature = "all")]
        Kind::Exr => exr_file::decode(bytes, wanted.format),
        Kind::Npy => npy::decode(bytes).and_then(|a| a.into_raster(wanted)),
        // DDS, KTX 2.0 and raw files have been decoded above.
        other => Err(absent(other)),
    })?;
    fit(convert::to_texels(&raster, wanted.format)?, wanted)
}

/// Reads an NPY file without conversion: element type, shape, and elements in C order, little
/// endian.
pub fn read_array(path: &Path) -> Result<Array, FileError> {
    decode_array(&read_bytes(path)?).map_err(|problem| FileError::new(path, problem))
}

/// [`read_array`] of bytes in memory.
pub fn decode_array(bytes: &[u8]) -> Result<Array, Problem> {
    check_content(Kind::Npy, bytes)?;
    npy::decode(bytes)
}

/// Reads all levels, layers and faces of a DDS or KTX 2.0 file.
pub fn read_container(path: &Path) -> Result<Container, FileError> {
    let bytes = read_bytes(path)?;
    decode_container(Kind::of(path), &bytes).map_err(|problem| FileError::new(path, problem))
}

/// [`read_container`] of bytes in memory. Pictures, arrays and raw files are an error.
pub fn decode_container(kind: Kind, bytes: &[u8]) -> Result<Container, Problem> {
    check_content(kind, bytes)?;
    guard::guarded(kind, || match kind {
        #[cfg(feature = "all")]
        Kind::Dds => dds::decode(bytes),
        #[cfg(feature = "all")]
        Kind::Ktx2 => ktx::decode(bytes),
        #[cfg(not(feature = "all"))]
        Kind::Dds | Kind::Ktx2 => Err(absent(kind)),
        other => Err(Problem::Unsupported(format!(
            "a {other} file has no levels, layers or faces; use .dds or .ktx2"
        ))),
    })
}

/// Encodes texels as a file of the given kind.
pub fn encode(kind: Kind, texels: &Texels) -> Result<Vec<u8>, Problem> {
    match kind {
        Kind::Png => picture::encode_png(texels),
        #[cfg(feature = "all")]
        Kind::Exr => exr_file::encode(texels),
        #[cfg(not(feature = "all"))]
        Kind::Exr => Err(absent(kind)),
        Kind::Npy => npy::encode(texels),
        Kind::Raw => io::copy(&texels.bytes),
        Kind::Jpeg | Kind::Dds | Kind::Ktx2 => Err(not_written(kind)),
    }
}

/// Checks whether [`encode`] supports texels of a format and number of dimensions, so that a launch
/// can be refused before it runs.
pub fn can_encode(kind: Kind, format: Format, dims: u8) -> Result<(), Problem> {
    match kind {
        Kind::Png => picture::can_encode(format, dims),
        #[cfg(feature = "all")]
        Kind::Exr => exr_file::can_encode(format, dims).map(drop),
        #[cfg(not(feature = "all"))]
        Kind::Exr => Err(absent(kind)),
        Kind::Npy => npy::can_encode(format).map(|_| ()),
        Kind::Raw => Ok(()),
        Kind::Jpeg | Kind::Dds | Kind::Ktx2 => Err(not_written(kind)),
    }
}

/// The error for a kind of files that a build without the feature `all` does not support.
fn absent(kind: Kind) -> Problem {
    Problem::Unsupported(format!(
        "{kind} is a kind of file that this build of texunit lacks: `cargo install --path \
         crates/tools/cli --features all` builds all of texunit, and so does `cargo run --release \
         -p xtask -- libs`, into target/release"
    ))
}

fn not_written(kind: Kind) -> Problem {
    Problem::Unsupported(match kind {
        Kind::Jpeg => "JPEG is lossy and is not written; use .png, .exr, .npy or .raw".into(),
        _ => format!("{} files are not written; use .png, .exr, .npy or .raw", kind.name()),
    })
}

fn check_content(kind: Kind, bytes: &[u8]) -> Result<(), Problem> {
    if bytes.is_empty() {
        return Err(Problem::Empty);
    }
    if kind != Kind::Raw && Kind::of_content(bytes) != Some(kind) {
        return Err(Problem::WrongKind { expected: kind, found: Kind::of_content(bytes) });
    }
    Ok(())
}

/// Picture formats that this crate does not read, by their first bytes.
#[rustfmt::skip]
const FOREIGN: [(&[u8], &str); 7] = [
    (b"GIF8", "GIF"), (b"BM", "BMP"), (b"II*\0", "TIFF"), (b"MM\0*", "TIFF"), (b"RIFF", "WebP"),
    (b"\xabKTX ", "KTX"), (b"#?RADIANCE", "Radiance HDR"),
];

fn raw_texels(bytes: &[u8], wanted: &TexelRequest) -> Result<Texels, Problem> {
    let Some([width, height, depth]) = wanted.extent else {
        // A user who omits the size may not know that the name makes it a raw file.
        let foreign = || FOREIGN.iter().find(|row| bytes.starts_with(row.0)).map(|row| row.1);
        let what = match Kind::of_content(bytes).map(Kind::name).or_else(foreign) {
            Some(name) => format!("holds a {name} file, and its name makes it a raw file"),
            None => "is a raw file, by its name".to_owned(),
        };
        return Err(Problem::Unsupported(format!(
            "{what}: pictures and arrays end in .png, .jpg, .exr, .npy, .dds or .ktx2; raw files \
             need `width`, `height` and `depth`"
        )));
    };
    let needed = Texels::byte_size(wanted.format, width, height, depth);
    let found = bytes.len() as u64;
    if needed != Some(found) {
        return Err(Problem::RawSize { format: wanted.format, width, height, depth, found });
    }
    let own = if depth > 1 { 3 } else { 1 + u8::from(height > 1) };
    let dims = wanted.dims.unwrap_or(own);
    let bytes = io::copy(bytes)?;
    fit(Texels { format: wanted.format, dims, width, height, depth, bytes }, wanted)
}

/// Checks extent and dimensions against what is wanted, and changes the number of dimensions: added
/// dimensions have size 1, and only dimensions of size 1 are removed.
fn fit(mut texels: Texels, wanted: &TexelRequest) -> Result<Texels, Problem> {
    let found = [texels.width, texels.height, texels.depth];
    if let Some(extent) = wanted.extent
        && extent != found
    {
        return Err(Problem::Extent { wanted: extent, found });
    }
    if let Some(dims) = wanted.dims {
        if (dims < 3 && found[2] != 1) || (dims < 2 && found[1] != 1) {
            return Err(Problem::Dims { wanted: dims, found });
        }
        texels.dims = dims;
    }
    Ok(texels)
}
