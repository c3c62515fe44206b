//! Reads the code of a cubin: the sections of an ELF file whose names begin with `.text.`.

/// A little-endian number of some bytes at a position of the file.
fn number(file: &[u8], at: usize, bytes: usize) -> Option<usize> {
    let bytes = file.get(at..at.checked_add(bytes)?)?;
    let value = bytes.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte));
    usize::try_from(value).ok()
}

/// The machine code of each function; `None` if the file is not a 64-bit ELF file.
pub(super) fn code(file: &[u8]) -> Option<Vec<&[u8]>> {
    if file.get(..5)? != b"\x7fELF\x02" {
        return None;
    }
    let (table, size) = (number(file, 0x28, 8)?, number(file, 0x3a, 2)?);
    let (count, names) = (number(file, 0x3c, 2)?, number(file, 0x3e, 2)?);
    // The header of section `n`; `None` if the file ends before it.
    let header = |n: usize| {
        let start = table.checked_add(n.checked_mul(size)?)?;
        file.get(start..start.checked_add(size)?).map(|_| start)
    };
    let contents = |n: usize| {
        let (start, length) =
            (number(file, header(n)? + 0x18, 8)?, number(file, header(n)? + 0x20, 8)?);
        file.get(start..start.checked_add(length)?)
    };
    let names = contents(names)?;
    let mut list = Vec::new();
    for n in 0..count {
        let name = names.get(number(file, header(n)?, 4)?..)?;
        if name.starts_with(b".text.") {
            list.push(contents(n)?);
        }
    }
    Some(list)
}

#[cfg(test)]
mod tests {
    use super::code;

    /// Makes an ELF file with these sections.
    fn file(sections: &[(&str, &[u8])]) -> Vec<u8> {
        let names: Vec<u8> = sections.iter().flat_map(|(n, _)| n.bytes().chain([0])).collect();
        let mut parts: Vec<(usize, &[u8])> = Vec::new();
        let mut at = 0;
        for (name, contents) in sections {
            parts.push((at, contents));
            at += name.len() + 1;
        }
        parts.push((0, &names));
        let mut file = vec![0; 64];
        file[..5].copy_from_slice(b"\x7fELF\x02");
        let mut headers = Vec::new();
        for (name, contents) in &parts {
            let mut header = vec![0; 64];
            header[..4].copy_from_slice(&(*name as u32).to_le_bytes());
            header[0x18..0x20].copy_from_slice(&(file.len() as u64).to_le_bytes());
            header[0x20..0x28].copy_from_slice(&(contents.len() as u64).to_le_bytes());
            file.extend_from_slice(contents);
            headers.extend(header);
        }
        let table = file.len() as u64;
        file[0x28..0x30].copy_from_slice(&table.to_le_bytes());
        file[0x3a..0x3c].copy_from_slice(&64u16.to_le_bytes());
        file[0x3c..0x3e].copy_from_slice(&(parts.len() as u16).to_le_bytes());
        file[0x3e..0x40].copy_from_slice(&(parts.len() as u16 - 1).to_le_bytes());
        file.extend(headers);
        file
    }

    #[test]
    fn sections_of_code() {
        let cubin = file(&[(".nv.info", &[1, 2]), (".text.k", &[3, 4, 5]), (".text.f", &[6])]);
        assert_eq!(code(&cubin), Some(vec![&[3u8, 4, 5][..], &[6]]));
        assert_eq!(code(&cubin[..cubin.len() - 1]), None);
        assert_eq!(code(b"\x7fELF\x01"), None);
        assert_eq!(code(&[]), None);
    }
}
