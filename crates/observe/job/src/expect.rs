//! The expected contents of objects after the launch, and the comparison.

use crate::output::Source;
use crate::problem::{Problem, codes};
use crate::spec::Parts;
use texunit_device::{Error, overlay};
use texunit_forms::Count;
use texunit_spec::At;

/// Bytes at several offsets of an object, sorted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pieces(Vec<(u64, Vec<u8>)>);

impl Pieces {
    /// Distributes consecutive bytes to `parts`, which are offsets and lengths; without `parts` the
    /// bytes begin at offset 0.
    pub(crate) fn new<T>(
        mut bytes: Vec<u8>,
        parts: Option<&At<Parts>>,
        at: &At<T>,
    ) -> Result<Self, Problem> {
        let Some(parts) = parts else { return Ok(Self::from_bytes(bytes)) };
        let wanted = parts.value.iter().fold(0_u64, |n, part| n.saturating_add(part[1]));
        if wanted != bytes.len() as u64 {
            let message = format!(
                "the parts have {}, but the data has {}",
                Count(wanted, "byte"),
                bytes.len()
            );
            let span = if parts.value.is_empty() { at.at() } else { parts.at() };
            return Err(Problem::new(codes::VALUE, span, message));
        }
        let mut pieces = Vec::with_capacity(parts.value.len());
        for &[offset, len] in parts.value.iter().rev() {
            pieces.push((offset, bytes.split_off(bytes.len() - len as usize)));
        }
        pieces.reverse();
        Ok(Self(pieces))
    }

    /// Bytes from offset 0 on.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(if bytes.is_empty() { Vec::new() } else { vec![(0, bytes)] })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.0.iter().map(|(offset, bytes)| (*offset, bytes.as_slice()))
    }

    /// The end of the last piece.
    pub(crate) fn end(&self) -> u64 {
        self.0.last().map_or(0, |(offset, bytes)| offset + bytes.len() as u64)
    }
}

/// The expected contents of one object.
#[derive(Debug)]
pub(crate) struct Expectation {
    /// The object's name in messages.
    pub(crate) name: String,
    /// The position of the expectation in the job.
    pub(crate) at: At<()>,
    pub(crate) source: Source,
    /// The contents before the launch; zero where nothing is listed.
    pub(crate) before: Pieces,
    /// The bytes that the launch must change, with their new values.
    pub(crate) after: Pieces,
}

/// The difference between an object and its expectation.
pub(crate) struct Difference {
    /// Offset of the first byte that differs.
    pub(crate) at: u64,
    /// The byte's actual value.
    found: u8,
    /// The byte's expected value.
    expected: u8,
    /// Number of differing bytes.
    count: u64,
    /// Size of the object.
    size: u64,
}

/// Number of bytes that are compared at a time.
const PIECE: usize = 1 << 16;

impl Expectation {
    /// Describes the difference, if there is any.
    pub(crate) fn problem(&self) -> Result<Option<Problem>, Error> {
        let Some(Difference { at, found, expected, count, size }) = self.compare()? else {
            return Ok(None);
        };
        let (are, size) = (Count(count, "byte").are(), Count(size, "byte"));
        let message = format!(
            "{count} of {size} of `{}` {are} not as expected after the launch; the first is at {at}: {found:#04x} instead of {expected:#04x}",
            self.name
        );
        Ok(Some(self.at.problem(codes::DIFFERENT, message)))
    }

    pub(crate) fn compare(&self) -> Result<Option<Difference>, Error> {
        // Texels are few enough to be copied.
        let (whole, size) = match &self.source {
            Source::Memory(_) => (Vec::new(), self.source.size()),
            Source::Texels(made) => (made.read(), self.source.size()),
        };
        let (mut found, mut expected) = (vec![0; PIECE], vec![0; PIECE]);
        let mut first: Option<Difference> = None;
        let mut at = 0;
        while at < size {
            let len = (size - at).min(PIECE as u64) as usize;
            let (found, expected) = (&mut found[..len], &mut expected[..len]);
            match &self.source {
                Source::Memory(memory) => memory.read_at(at, found)?,
                Source::Texels(_) => found.copy_from_slice(&whole[at as usize..at as usize + len]),
            }
            expected.fill(0);
            overlay(&self.before.0, at, expected);
            overlay(&self.after.0, at, expected);
            if found != expected {
                for (at, (&found, &expected)) in (at..).zip(found.iter().zip(expected.iter())) {
                    if found != expected {
                        let here = Difference { at, found, expected, count: 0, size };
                        first.get_or_insert(here).count += 1;
                    }
                }
            }
            at += len as u64;
        }
        Ok(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at<T>(value: T) -> At<T> {
        At { value, key: "objects.a".to_owned(), span: 0..0 }
    }

    #[test]
    fn pieces_lie_where_they_are_said_to() {
        let parts = at(vec![[2, 3], [8, 1]]);
        let pieces = Pieces::new(vec![1, 2, 3, 9], Some(&parts), &at(())).unwrap();
        let all: Vec<_> = pieces.iter().collect();
        assert_eq!(all, [(2, &[1, 2, 3][..]), (8, &[9])]);
        assert_eq!(pieces.end(), 9);
        let wrong = Pieces::new(vec![1, 2, 3], Some(&parts), &at(())).unwrap_err();
        assert_eq!(wrong.message, "the parts have 4 bytes, but the data has 3");
    }

    #[test]
    fn the_first_difference_is_named_and_all_are_counted() {
        let device = texunit_device::Device::default();
        let buffer = device.alloc(100_000, "a").unwrap();
        buffer.write(70_000, &[7, 7, 7]).unwrap();
        let expectation = |after: Vec<u8>| Expectation {
            name: "a".to_owned(),
            at: at(()),
            source: Source::Memory((*buffer).clone()),
            before: Pieces::from_bytes(vec![5]),
            after: Pieces(vec![(0, vec![0]), (70_000, after)]),
        };
        assert_eq!(expectation(vec![7, 7, 7]).problem().unwrap(), None);
        let problem = expectation(vec![7, 6]).problem().unwrap().unwrap();
        assert_eq!(
            problem.message,
            "2 of 100000 bytes of `a` are not as expected after the launch; the first is at 70001: \
             0x07 instead of 0x06"
        );
        assert_eq!((problem.code, problem.key.as_str()), ("J0011", "objects.a"));
    }
}
