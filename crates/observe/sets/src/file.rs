//! The file format of [`Sets`].
//!
//! A file consists of [`MAGIC`], numbers as LEB128 (seven bits per byte, low ones first), and a
//! SHA-256 of everything before it; docs/distributed.md has the layout. The reader allocates memory
//! for a count only if the file has enough bytes for it, and rejects runs outside their object.

use crate::fold::Fold;
use crate::set::{AccessedBytes, ObjectSets, Run, Sets};
use crate::shadow::SECTOR;
use sha2::{Digest, Sha256};
use texunit_device::{CtaRange, Fusion, LaunchStats};
use texunit_syntax::Span;

/// The first bytes of the file; the last byte but one is the version.
pub const MAGIC: &[u8; 16] = b"texunit sets  2\n";

/// Maximum total length of the runs of an object and kind, in multiples of the object's sectors: at
/// worst each word of a sector has runs of its own.
const MAX_TIMES: u64 = 64;

/// Why a file of sets cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The file has another format.
    #[error("it is not a file of sets that `texunit launch --writes` has written")]
    Other,
    /// The file has another version of the format.
    #[error("it has another version of the format of sets than this texunit")]
    Version,
    /// Bytes are missing or changed.
    #[error("it is damaged: its bytes are not those that were written")]
    Damaged,
    /// The checksum is right, but the contents are invalid.
    #[error("it is damaged: {0}")]
    Wrong(&'static str),
}

impl Sets {
    /// Serialises the sets.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&self.identity);
        let stats = &self.stats;
        let numbers = self.grid.map(u64::from).into_iter().chain([
            self.ctas.0,
            self.ctas.1,
            stats.warp_instructions,
            stats.thread_instructions,
            stats.fetches,
            stats.surface_accesses,
            stats.divisions_by_zero,
            stats.fusion.fused,
            stats.fusion.undecided,
            stats.printf.len() as u64,
        ]);
        numbers.for_each(|n| put(&mut out, n));
        out.extend_from_slice(&stats.printf);
        put(&mut out, self.objects.len() as u64);
        for object in &self.objects {
            put(&mut out, object.number.into());
            put(&mut out, object.size);
            for parts in [&object.reads, &object.writes, &object.folds] {
                put(&mut out, parts.len() as u64);
                parts.iter().for_each(|part| put_part(&mut out, part));
            }
        }
        let sum = Sha256::digest(&out);
        out.extend_from_slice(&sum);
        out
    }

    /// Reads a file.
    ///
    /// # Errors
    /// The file is of another version, damaged, or of another format.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Unreadable> {
        let version = MAGIC.len() - 2;
        match bytes.get(..MAGIC.len()) {
            Some(head) if head == MAGIC => {}
            Some(head) if head[..version - 1] == MAGIC[..version - 1] => {
                return Err(Unreadable::Version);
            }
            _ => return Err(Unreadable::Other),
        }
        let (body, sum) = bytes.split_last_chunk::<32>().ok_or(Unreadable::Damaged)?;
        if body.len() < MAGIC.len() || Sha256::digest(body)[..] != sum[..] {
            return Err(Unreadable::Damaged);
        }
        Self::from_body(&body[MAGIC.len()..])
    }

    /// Reads the part of a file between magic number and checksum.
    pub(crate) fn from_body(body: &[u8]) -> Result<Self, Unreadable> {
        let mut reader = Reader(body);
        let mut sets =
            Self { identity: reader.bytes(32)?.try_into().unwrap_or_default(), ..Self::default() };
        for axis in &mut sets.grid {
            *axis = reader.small()?;
        }
        sets.ctas = (reader.number()?, reader.number()?);
        if sets.range().is_empty()
            || sets.range().within(CtaRange::of_grid(sets.grid)) != sets.range()
        {
            return Err(Unreadable::Wrong("its CTAs are not of its grid"));
        }
        sets.stats = LaunchStats {
            warp_instructions: reader.number()?,
            thread_instructions: reader.number()?,
            fetches: reader.number()?,
            surface_accesses: reader.number()?,
            divisions_by_zero: reader.number()?,
            fusion: Fusion { fused: reader.number()?, undecided: reader.number()? },
            ..LaunchStats::default()
        };
        let printed = reader.number()?;
        sets.stats.printf = reader.bytes(printed)?.to_vec();
        for _ in 0..reader.count(5)? {
            let object = reader.object()?;
            if sets.objects.last().is_some_and(|last: &ObjectSets| last.number >= object.number) {
                return Err(Unreadable::Wrong("its objects are in no order"));
            }
            sets.objects.push(object);
        }
        if !reader.0.is_empty() {
            return Err(Unreadable::Wrong("something follows on it"));
        }
        Ok(sets)
    }
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn put_part(out: &mut Vec<u8>, part: &AccessedBytes) {
    put(out, part.span.start.into());
    put(out, u64::from(part.span.end.saturating_sub(part.span.start)));
    put(out, part.fold.map_or(0, Fold::code).into());
    put(out, part.runs.len() as u64);
    let mut behind = 0;
    for run in &part.runs {
        put(out, run.first - behind);
        // Most runs consist of whole sectors, whose mask is not written.
        let whole = run.mask == u32::MAX;
        put(out, run.count << 1 | u64::from(whole));
        if !whole {
            out.extend_from_slice(&run.mask.to_le_bytes());
        }
        behind = run.first + run.count;
    }
    out.extend_from_slice(&part.values);
}

/// Reads the values of a file; the field has the bytes that are not read yet.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: u64) -> Result<&'a [u8], Unreadable> {
        let count = usize::try_from(count).map_err(|_| Unreadable::Damaged)?;
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(Unreadable::Damaged)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn number(&mut self) -> Result<u64, Unreadable> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.bytes(1)?[0];
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Unreadable::Wrong("a number is too large"))
    }

    fn small(&mut self) -> Result<u32, Unreadable> {
        let number = self.number()?;
        u32::try_from(number).map_err(|_| Unreadable::Wrong("a number is too large"))
    }

    /// Reads a count of items that take at least `each` bytes.
    fn count(&mut self, each: usize) -> Result<usize, Unreadable> {
        let count = self.number()?;
        match usize::try_from(count) {
            Ok(count) if count <= self.0.len() / each => Ok(count),
            _ => Err(Unreadable::Damaged),
        }
    }

    fn object(&mut self) -> Result<ObjectSets, Unreadable> {
        let (number, size) = (self.small()?, self.number()?);
        let reads = self.parts(size, false)?;
        let (writes, folds) = (self.parts(size, true)?, self.parts(size, true)?);
        if folds.iter().any(|part| part.fold.is_none()) {
            return Err(Unreadable::Wrong("a reduction has no operation"));
        }
        Ok(ObjectSets { number, size, reads, writes, folds })
    }

    fn parts(&mut self, size: u64, valued: bool) -> Result<Vec<AccessedBytes>, Unreadable> {
        let count = self.count(4)?;
        let mut parts = Vec::with_capacity(count.min(64));
        let (mut sectors, most) = (0_u64, size.div_ceil(SECTOR).saturating_mul(MAX_TIMES));
        for _ in 0..count {
            let part = self.part(size, valued)?;
            sectors = part.runs.iter().fold(sectors, |n, run| n.saturating_add(run.count));
            if sectors > most {
                return Err(Unreadable::Wrong("an object has more runs than bytes"));
            }
            parts.push(part);
        }
        Ok(parts)
    }

    fn part(&mut self, size: u64, valued: bool) -> Result<AccessedBytes, Unreadable> {
        let (start, len) = (self.small()?, self.small()?);
        let end = start.checked_add(len).ok_or(Unreadable::Wrong("a number is too large"))?;
        let fold = match self.small()? {
            0 => None,
            code => {
                let fold = u8::try_from(code).ok().and_then(Fold::from_code);
                Some(fold.ok_or(Unreadable::Wrong("a reduction is none"))?)
            }
        };
        let count = self.count(2)?;
        let (mut runs, mut behind, mut bytes) = (Vec::with_capacity(count.min(64)), 0_u64, 0_u64);
        for _ in 0..count {
            let run = self.run(&mut behind, size, fold)?;
            bytes = bytes.saturating_add(run.bytes());
            runs.push(run);
        }
        let values = if valued { self.bytes(bytes)?.to_vec() } else { Vec::new() };
        Ok(AccessedBytes { span: Span { start, end }, fold, runs, values })
    }

    /// Reads a run of sectors, which begins behind the previous run and lies in an object of `size`
    /// bytes.
    fn run(&mut self, behind: &mut u64, size: u64, fold: Option<Fold>) -> Result<Run, Unreadable> {
        const OUTSIDE: Unreadable = Unreadable::Wrong("a run does not lie in its object");
        let first = behind.checked_add(self.number()?).ok_or(OUTSIDE)?;
        let count = self.number()?;
        let mask = match count & 1 {
            1 => u32::MAX,
            _ => u32::from_le_bytes(self.bytes(4)?.try_into().unwrap_or_default()),
        };
        let count = count >> 1;
        let end = first.checked_add(count).ok_or(OUTSIDE)?;
        // The offset of the last byte that the mask of this run of sectors stands for.
        let last = end.checked_sub(1).and_then(|last| last.checked_mul(SECTOR)).ok_or(OUTSIDE)?;
        let last = last + u64::from(31 - mask.leading_zeros().min(31));
        if count == 0 || mask == 0 || last >= size {
            return Err(OUTSIDE);
        }
        // A reduction covers whole operands: a mask that has only a part of an operand's bytes is
        // wrong.
        let step = fold.map_or(1, Fold::size);
        let whole = |i: u32| {
            let part = mask >> i & (u32::MAX >> (32 - step));
            part == 0 || part == u32::MAX >> (32 - step)
        };
        if !(0..32).step_by(step as usize).all(whole) {
            return Err(Unreadable::Wrong("a part of a number is reduced"));
        }
        *behind = end;
        Ok(Run { first, count, mask })
    }
}

#[cfg(test)]
mod tests;
