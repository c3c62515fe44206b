//! Fatbins: the containers in which nvcc puts the PTX and the machine code of a program. This crate
//! is given the bytes of a fatbin and returns its entries and their decompressed contents.
//!
//! A fatbin has a header of 16 bytes (magic number, version, size of the header, number of bytes
//! after it), and then entries. The header of an entry gives its kind, its architecture, and its
//! compression. All numbers are little endian. Entries are aligned to 8 bytes by padding.

use std::io::Read;

/// Magic number at the start of a fatbin.
pub const MAGIC: u32 = 0xba55_ed50;
/// Magic number of the structure through which programs refer to a fatbin (`__fatBinC_Wrapper_t`).
pub const WRAPPER_MAGIC: u32 = 0x4662_43b1;
/// Bytes of a fatbin's header.
pub const HEADER: usize = 16;
/// Maximum size in bytes of a fatbin, and of the decompressed contents of an entry.
pub const MAX_SIZE: u64 = 1 << 30;

/// Number of bytes of an entry's header that are read; the header may be longer.
const ENTRY: usize = 64;
const KIND_PTX: u16 = 1;
const KIND_MACHINE: u16 = 2;
const FLAG_LZ4: u64 = 0x2000;
const FLAG_ZSTD: u64 = 0x8000;
const FLAG_ARCHITECTURE_ONLY: u64 = 0x10_0000;
const FLAG_FAMILY: u64 = 0x20_0000;

/// Description of the error in a fatbin.
pub type FatbinError = &'static str;

/// Kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// PTX text.
    Ptx,
    /// Machine code (a cubin).
    Machine,
    /// Any other kind of entry: code for link-time optimisation, or a kind that a later CUDA
    /// version defines.
    Other,
}

/// The devices that run the PTX of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Compatibility {
    /// All devices from the target's architecture on (`sm_90`).
    Forward,
    /// Devices from the target's architecture on, of the same major version (`sm_100f`).
    Family,
    /// Devices of the target's architecture only (`sm_90a`).
    Only,
}

/// An entry of a fatbin.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// What the entry contains: PTX, machine code, or something else.
    pub kind: EntryKind,
    /// Architecture that the entry was compiled for, as 10 * major + minor: 86 for sm_86.
    pub architecture: u32,
    /// Which devices run the entry; only PTX entries use it.
    pub compatibility: Compatibility,
    /// Source file, if the program was compiled with `-g` or `-lineinfo`.
    pub name: Option<&'a str>,
    flags: u64,
    /// Size in bytes of the compressed contents; 0 if they are not compressed.
    compressed: u32,
    /// Size in bytes of the decompressed contents, if they are compressed.
    expanded: u64,
    payload: &'a [u8],
}

/// Total size of a fatbin from its header.
pub fn size(header: &[u8; HEADER]) -> Result<usize, FatbinError> {
    let (head, rest) = (u16::from_le_bytes([header[6], header[7]]), number(header, 8, 8)?);
    if number(header, 0, 4)? != u64::from(MAGIC) {
        return Err("the magic number is wrong");
    }
    if number(header, 4, 2)? != 1 || usize::from(head) < HEADER {
        return Err("the version is not 1");
    }
    let size = rest.checked_add(head.into()).filter(|&n| n <= MAX_SIZE);
    size.map(|n| n as usize).ok_or("the size is too large")
}

/// Reads the entries of a fatbin.
///
/// # Errors
/// The damage that was found.
pub fn entries(bytes: &[u8]) -> Result<Vec<Entry<'_>>, FatbinError> {
    let header = bytes.first_chunk().ok_or("it is shorter than its header")?;
    let size = size(header)?;
    let head = usize::from(u16::from_le_bytes([header[6], header[7]]));
    let mut rest = bytes.get(head..size).ok_or("it is shorter than its header says")?;
    let mut entries = Vec::new();
    while rest.len() >= ENTRY {
        let head = number(rest, 4, 4)?;
        let end = head.checked_add(number(rest, 8, 8)?).filter(|&end| end <= rest.len() as u64);
        let (Some(end), true) = (end, head >= ENTRY as u64) else {
            return Err("an entry is longer than the fatbin");
        };
        entries.push(entry(rest, head as usize, end as usize)?);
        rest = &rest[end as usize..];
    }
    Ok(entries)
}

fn entry(bytes: &[u8], head: usize, end: usize) -> Result<Entry<'_>, FatbinError> {
    let flags = number(bytes, 40, 8)?;
    let (at, length) = (number(bytes, 32, 4)? as usize, number(bytes, 36, 4)? as usize);
    let name = at.checked_add(length).filter(|&end| at >= ENTRY && length > 0 && end <= head);
    let name = name.and_then(|end| std::str::from_utf8(&bytes[at..end]).ok());
    Ok(Entry {
        kind: match number(bytes, 0, 2)? as u16 {
            KIND_PTX => EntryKind::Ptx,
            KIND_MACHINE => EntryKind::Machine,
            _ => EntryKind::Other,
        },
        architecture: number(bytes, 28, 4)? as u32,
        compatibility: match flags {
            _ if flags & FLAG_ARCHITECTURE_ONLY != 0 => Compatibility::Only,
            _ if flags & FLAG_FAMILY != 0 => Compatibility::Family,
            _ => Compatibility::Forward,
        },
        name: name.map(|name| name.trim_end_matches('\0')),
        flags,
        compressed: number(bytes, 16, 4)? as u32,
        expanded: number(bytes, 56, 8)?,
        payload: &bytes[head..end],
    })
}

/// Reads a little-endian number of `size` bytes at an offset.
fn number(bytes: &[u8], at: usize, size: usize) -> Result<u64, FatbinError> {
    let bytes = bytes.get(at..at + size).ok_or("it ends in the middle of a number")?;
    let mut all = [0; 8];
    all[..size].copy_from_slice(bytes);
    Ok(u64::from_le_bytes(all))
}

impl Compatibility {
    /// Whether a device of architecture `device` runs PTX of architecture `of`.
    pub fn runs(self, of: u32, device: u32) -> bool {
        match self {
            Compatibility::Forward => of <= device,
            Compatibility::Family => of / 10 == device / 10 && of <= device,
            Compatibility::Only => of == device,
        }
    }
}

/// The PTX entry that the driver chooses for a device of an architecture (10 * major + minor): the
/// newest PTX that the device runs, or else the oldest of all.
pub fn choose<'e, 'a>(entries: &'e [Entry<'a>], device: u32) -> Option<&'e Entry<'a>> {
    let ptx = || entries.iter().filter(|e| e.kind == EntryKind::Ptx);
    let runs = ptx().filter(|e| e.compatibility.runs(e.architecture, device));
    let best = runs.max_by_key(|e| (e.architecture, e.compatibility));
    best.or_else(|| ptx().min_by_key(|e| (e.architecture, e.compatibility)))
}

/// Whether the fatbin has machine code that this device runs and that was compiled for a later
/// architecture than the PTX.
pub fn has_later_code(entries: &[Entry<'_>], ptx: u32, device: u32) -> bool {
    let is_taken = |e: &&Entry<'_>| Compatibility::Family.runs(e.architecture, device);
    let mut code = entries.iter().filter(|e| e.kind == EntryKind::Machine).filter(is_taken);
    code.any(|e| e.architecture > ptx)
}

impl Entry<'_> {
    /// The entry's decompressed contents, without the zeros at the end.
    ///
    /// # Errors
    /// The damage that was found, or an unknown compression.
    pub fn text(&self) -> Result<Vec<u8>, FatbinError> {
        let mut text = if self.flags & (FLAG_LZ4 | FLAG_ZSTD) == 0 {
            self.payload.to_vec()
        } else {
            let packed = self.payload.get(..self.compressed as usize);
            let packed = packed.ok_or("the compressed text is longer than its entry")?;
            if self.expanded > MAX_SIZE {
                return Err("the decompressed text is too large");
            }
            match self.flags & FLAG_ZSTD != 0 {
                true => zstd(packed, self.expanded)?,
                false => lz4(packed, self.expanded)?,
            }
        };
        let end = text.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
        text.truncate(end);
        Ok(text)
    }
}

/// Decompresses an LZ4 block, which has no frame.
fn lz4(packed: &[u8], expanded: u64) -> Result<Vec<u8>, FatbinError> {
    // A compressed byte yields at most 255 bytes, so that a larger size shows that the data is
    // damaged.
    if expanded > 255 * packed.len() as u64 + 64 {
        return Err("the decompressed size is wrong");
    }
    let mut text = vec![0; expanded as usize];
    match lz4_flex::block::decompress_into(packed, &mut text) {
        Ok(n) if n as u64 == expanded => Ok(text),
        _ => Err("the LZ4 data is damaged"),
    }
}

/// Decompresses zstd frames.
fn zstd(packed: &[u8], expanded: u64) -> Result<Vec<u8>, FatbinError> {
    let damaged = "the zstd data is damaged";
    let decoder = ruzstd::decoding::StreamingDecoder::new(packed).map_err(|_| damaged)?;
    let mut text = Vec::new();
    decoder.take(expanded + 1).read_to_end(&mut text).map_err(|_| damaged)?;
    if text.len() as u64 == expanded { Ok(text) } else { Err("the decompressed size is wrong") }
}
