//! Object archives (`.a`): recognises NVIDIA's device runtime `libcudadevrt.a`, which programs link
//! for launches from the device and for cooperative groups.

/// Magic bytes at the beginning of an archive.
const MAGIC: &[u8] = b"!<arch>\n";
/// Size in bytes of a member's header: name 16, date 12, owner 6, group 6, mode 8, size 10, end 2.
const HEADER: usize = 60;
/// Name of the only object file in `libcudadevrt.a`.
const RUNTIME: &str = "cuda_device_runtime.o";

/// Whether the bytes of a file are `libcudadevrt.a`: an archive with a single object of the
/// expected name, apart from symbol and name tables.
pub fn is_device_runtime(bytes: &[u8]) -> bool {
    let Some(mut rest) = bytes.strip_prefix(MAGIC) else { return false };
    let mut objects = 0;
    // The member `//` has all long names; the name field then holds `/` and the position there.
    let mut long: &[u8] = &[];
    while let Some((header, behind)) = rest.split_at_checked(HEADER) {
        let Some(size) = number(&header[48..58]) else { return false };
        let Some(member) = behind.get(..size) else { return false };
        match trimmed(&header[..16]) {
            "/" | "/SYM64/" => {}
            "//" => long = member,
            name => {
                let long_name = name.strip_prefix('/').and_then(|at| at.parse::<usize>().ok());
                let name = match long_name {
                    Some(at) => trimmed(long.get(at..).unwrap_or_default()),
                    None => name,
                };
                if name.trim_end_matches('/') != RUNTIME {
                    return false;
                }
                objects += 1;
            }
        }
        // Members begin at even offsets.
        rest = behind.get(size + size % 2..).unwrap_or_default();
    }
    objects == 1
}

/// The first line of a header field, without trailing spaces.
fn trimmed(bytes: &[u8]) -> &str {
    let line = bytes.split(|&b| b == b'\n').next().unwrap_or_default();
    std::str::from_utf8(line).unwrap_or_default().trim_end()
}

fn number(digits: &[u8]) -> Option<usize> {
    trimmed(digits).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, size: &str, bytes: &[u8]) -> Vec<u8> {
        let header = format!("{name:<16}{:<32}{size:<10}`\n", "0");
        [header.as_bytes(), bytes, &b"\n"[..bytes.len() % 2]].concat()
    }

    fn archive(members: &[Vec<u8>]) -> Vec<u8> {
        [MAGIC.to_vec(), members.concat()].concat()
    }

    #[test]
    fn the_runtime_of_the_device_is_known_by_its_member() {
        let table = member("/", "4", &[0; 4]);
        let names = member("//", "23", b"cuda_device_runtime.o/\n");
        let object = |name: &str| member(name, "3", b"abc");
        let whole = archive(&[table.clone(), names.clone(), object("/0")]);
        assert!(is_device_runtime(&whole));
        assert!(is_device_runtime(&archive(&[table.clone(), names.clone(), object("/0")])));
        // Archives that are not the device runtime: with two objects, without an object, or with an
        // object of another name.
        let two = [names.clone(), object("/0"), object("other.o/")];
        assert!(!is_device_runtime(&archive(&two)));
        assert!(!is_device_runtime(&archive(&[names.clone(), object("/0"), object("/0")])));
        assert!(!is_device_runtime(&archive(&[table])));
        assert!(!is_device_runtime(&archive(&[object("other.o/")])));
        assert!(!is_device_runtime(&archive(&[object("/7000")])));
        // Damaged archives: truncated, a size beyond the end, an invalid size.
        for cut in 0..whole.len() - 2 {
            assert!(!is_device_runtime(&whole[..cut]), "{cut}");
        }
        for size in ["4000000", "18446744073709551615", "99999999999", "-1", "x", ""] {
            assert!(!is_device_runtime(&archive(&[names.clone(), member("/0", size, b"abc")])));
        }
        assert!(!is_device_runtime(b""));
        assert!(!is_device_runtime(b"\x7fELF"));
    }
}
