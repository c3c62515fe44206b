//! Access rights of the host program to its own memory, as the operating system reports them.

use std::ops::Range;

/// Access rights of the program to an address range: the lowest rights that any of its bytes has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rights {
    /// At least one byte is not mapped or cannot be read.
    None,
    /// All bytes can be read.
    Read,
    /// All bytes can be read and written.
    ReadWrite,
}

on_linux! {
    /// The rights of ranges of addresses, from one reading of the process's memory map. `None` if
    /// the system cannot be asked: only Linux with `/proc` can.
    rights(ranges: &[Range<u64>]) -> Option<Vec<Rights>> = None;
    /// The rights of a range that is to be pinned. Unlike [`rights`], this also tests each page of
    /// file mappings, because a file may be shorter than its mapping.
    rights_to_pin(range: &Range<u64>) -> Option<Rights> = None;
}

#[cfg(all(target_os = "linux", not(miri)))]
mod linux {
    use super::Rights;
    use std::fs::File;
    use std::io::{self, BufRead, BufReader};
    use std::ops::Range;

    /// Which parts of a range the process has mapped, and with which rights, by its memory map.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Mapped {
        rights: Rights,
        /// Whether any page of the range maps a file.
        of_file: bool,
    }

    pub(super) fn rights(ranges: &[Range<u64>]) -> Option<Vec<Rights>> {
        Some(mapped(ranges)?.into_iter().map(|mapped| mapped.rights).collect())
    }

    pub(super) fn rights_to_pin(range: &Range<u64>) -> Option<Rights> {
        let mapped = *mapped(std::slice::from_ref(range))?.first()?;
        let missing = mapped.of_file && mapped.rights >= Rights::Read && !is_there(range);
        Some(if missing { Rights::None } else { mapped.rights })
    }

    fn mapped(ranges: &[Range<u64>]) -> Option<Vec<Mapped>> {
        scan(BufReader::with_capacity(1 << 16, File::open("/proc/self/maps").ok()?), ranges).ok()
    }

    /// Parses a line of the memory map: range, rights, and whether it maps a file.
    fn line(text: &[u8]) -> Option<(Range<u64>, Mapped)> {
        let text = std::str::from_utf8(text).ok().or_else(|| {
            // File names may hold any bytes; the columns before them are ASCII.
            std::str::from_utf8(text.get(..72.min(text.len()))?).ok()
        })?;
        let mut words = text.split_ascii_whitespace();
        let (start, end) = words.next()?.split_once('-')?;
        let [start, end] = [start, end].map(|n| u64::from_str_radix(n, 16).ok());
        let rights = match words.next()?.as_bytes() {
            [b'r', b'w', ..] => Rights::ReadWrite,
            [b'r', ..] => Rights::Read,
            _ => Rights::None,
        };
        let of_file = words.nth(2)? != "0";
        Some((start?..end?, Mapped { rights, of_file }))
    }

    /// Reads a memory map, whose lines are sorted by address, up to the end of the ranges.
    fn scan(maps: impl BufRead, ranges: &[Range<u64>]) -> io::Result<Vec<Mapped>> {
        let end = ranges.iter().map(|range| range.end).max().unwrap_or(0);
        let mut lines = Vec::new();
        for text in maps.split(b'\n') {
            let Some(line) = line(&text?) else { continue };
            if line.0.start >= end {
                break;
            }
            lines.push(line);
        }
        Ok(ranges.iter().map(|range| of_range(&lines, range)).collect())
    }

    /// The rights of a range, by the lines of the memory map.
    fn of_range(lines: &[(Range<u64>, Mapped)], range: &Range<u64>) -> Mapped {
        let mut found = Mapped { rights: Rights::ReadWrite, of_file: false };
        // The end of the part of the range that lines have covered so far.
        let mut seen = range.start;
        let first = lines.partition_point(|(mapping, _)| mapping.end <= range.start);
        for (mapping, mapped) in &lines[first..] {
            if seen >= range.end || mapping.start > seen {
                break;
            }
            found.rights = found.rights.min(mapped.rights);
            found.of_file |= mapped.of_file;
            seen = mapping.end;
        }
        let rights = if seen < range.end { Rights::None } else { found.rights };
        Mapped { rights, ..found }
    }

    /// Maximum number of pages that one system call tests.
    const MAX_PAGES: usize = 1024;

    /// Whether a byte of each page can be read. If the system forbids the test, the answer is true.
    fn is_there(range: &Range<u64>) -> bool {
        let page = crate::views::page();
        let mut bytes = [0_u8; MAX_PAGES];
        let mut at = range.start;
        while at < range.end {
            let mut pages = Vec::with_capacity(MAX_PAGES);
            while at < range.end && pages.len() < MAX_PAGES {
                let base = std::ptr::without_provenance_mut(at as usize);
                pages.push(libc::iovec { iov_base: base, iov_len: 1 });
                at = (at / page + 1) * page;
            }
            let to = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: pages.len() };
            let (process, first, count) = (std::process::id(), pages.as_ptr(), pages.len());
            // SAFETY: the local buffer has a byte for each page. The remote addresses are only
            // read, by the system, which refuses invalid ones.
            let read = unsafe {
                libc::process_vm_readv(process as i32, &raw const to, 1, first, count as u64, 0)
            };
            match usize::try_from(read) {
                Ok(read) if read == count => {}
                Ok(_) => return false,
                Err(_) => return io::Error::last_os_error().raw_os_error() != Some(libc::EFAULT),
            }
        }
        true
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        const MAP: &str = "\
1000-3000 r--p 00000000 08:01 17 /bin/a name
3000-5000 rw-p 00000000 00:00 0
5000-6000 rw-p 00000000 00:00 0 [heap]
8000-9000 ---p 00000000 00:00 0
9000-a000 rw-s 00000000 00:05 99 /dev/shm/x
";

        fn all(ranges: &[Range<u64>]) -> Vec<(Rights, bool)> {
            let found = scan(MAP.as_bytes(), ranges).expect("text can be read");
            found.into_iter().map(|mapped| (mapped.rights, mapped.of_file)).collect()
        }

        #[test]
        fn the_least_right_of_all_bytes_counts() {
            use Rights as R;
            let rows = [
                (0x9fff..0xa000, (R::ReadWrite, true)),
                (0x3000..0x6000, (R::ReadWrite, false)),
                (0x3001..0x3002, (R::ReadWrite, false)),
                (0x2fff..0x3001, (R::Read, true)),
                (0x1000..0x3000, (R::Read, true)),
                (0x5000..0x6001, (R::None, false)),
                (0x0fff..0x1001, (R::None, false)),
                (0x7000..0x7001, (R::None, false)),
                (0x8000..0x9001, (R::None, true)),
                (0xa000..0xa001, (R::None, false)),
                (0x3000..0x3000, (R::ReadWrite, false)),
            ];
            let (ranges, expected): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
            assert_eq!(all(&ranges), expected);
            assert!(all(&[]).is_empty());
        }

        #[test]
        fn the_systems_own_map_is_read() {
            static CONSTANT: [u8; 4] = *b"text";
            let mut word = Box::new([1_u8; 64]);
            let heap = word.as_mut_ptr() as u64;
            let constant = CONSTANT.as_ptr() as u64;
            let ranges = [heap..heap + 64, constant..constant + 4, 1..2];
            let rights = super::super::rights(&ranges).expect("/proc is there");
            assert_eq!(rights, [Rights::ReadWrite, Rights::Read, Rights::None]);
        }
    }
}
