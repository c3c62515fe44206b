//! Where the image of a module comes from, for the messages about machine code.

use crate::fatbin;
use crate::profile::Profile;
use std::path::{Path, PathBuf};

/// What is known of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Where it was in the memory of the program.
    At(u64),
    /// A file that the program has named.
    Named(PathBuf),
}

impl Origin {
    /// What to say of machine code on a device.
    pub(crate) fn of_machine_code(&self, device: &Profile) -> String {
        let number = fatbin::architecture(device.capability);
        let compile = format!(
            "`-arch=compute_{number}` or `-gencode arch=compute_{number},code=compute_{number}`"
        );
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let file = match self {
            Self::Named(file) => {
                return format!(
                    "{} is machine code, but texunit runs PTX: compile it with {compile}",
                    file.display()
                );
            }
            Self::At(address) => mapped(&maps, *address).map(Path::new),
        };
        let what = "has machine code only, but texunit runs PTX";
        match file {
            Some(file) if std::env::current_exe().is_ok_and(|program| program == file) => {
                format!("the program {what}: compile it with {compile}")
            }
            Some(file) => format!(
                "the library {} {what}: what it does on a device does not run here, unless it is recompiled \
                 with {compile}",
                file.display()
            ),
            None if maps.lines().filter_map(file_of).any(is_cupy) => format!(
                "the image of a module {what}: CuPy's backend=\"nvcc\" makes it; compile the kernel with \
                 `nvcc -ptx -arch=compute_{number}` and load the file, cupy.RawModule(path=\"kernel.ptx\"), or leave the backend \
                 out: texunit asks nvrtc for PTX"
            ),
            None if has_nvrtc(&maps) => format!(
                "the image of a module {what}: if nvrtc made it, give nvrtc \
                 `--gpu-architecture=compute_{number}` (with `sm_{number}` it makes machine code) and take the \
                 result by nvrtcGetPTX; if nvcc did, compile with {compile}"
            ),
            None => format!("the image of a module {what}: compile with {compile}"),
        }
    }
}

/// Whether nvrtc is loaded in a process.
fn has_nvrtc(maps: &str) -> bool {
    maps.lines().filter_map(file_of).any(|file| {
        let name = Path::new(file).file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("libnvrtc.so") || name.starts_with("libnvrtc-"))
    })
}

/// Whether a file is CuPy's, which has nvcc make machine code if it is asked to.
fn is_cupy(file: &str) -> bool {
    file.contains("/cupy_backends/")
}

/// The file that is mapped at an address, by the lines of `/proc/self/maps`.
fn mapped(maps: &str, address: u64) -> Option<&str> {
    let line = maps.lines().find(|line| {
        let range = line.split_once(' ').and_then(|(range, _)| range.split_once('-'));
        let ends = range.map(|(from, to)| [from, to].map(|end| u64::from_str_radix(end, 16)));
        matches!(ends, Some([Ok(from), Ok(to)]) if (from..to).contains(&address))
    })?;
    file_of(line)
}

/// `7f00-7f10 r--p 00000000 fe:01 123   /usr/lib/libx.so`: the file, if there is one.
fn file_of(line: &str) -> Option<&str> {
    let (at, _) = line.char_indices().find(|&(_, c)| c == '/')?;
    Some(&line[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
5500000000-5500001000 r--p 00000000 fe:01 11     /home/me/a program
7f0000000000-7f0000400000 r-xp 00001000 fe:01 12 /usr/lib/libcurand.so.10
7f0000400000-7f0000500000 rw-p 00000000 00:00 0 
7ffe00000000-7ffe00001000 rw-p 00000000 00:00 0  [stack]
";

    #[test]
    fn the_file_of_an_address_is_found() {
        assert_eq!(mapped(MAPS, 0x55_0000_0fff), Some("/home/me/a program"));
        assert_eq!(mapped(MAPS, 0x7f00_0020_0000), Some("/usr/lib/libcurand.so.10"));
        for none in [0x55_0000_1000, 0x7f00_0040_0000, 0x7ffe_0000_0000, 0, u64::MAX] {
            assert_eq!(mapped(MAPS, none), None);
        }
    }

    #[test]
    fn messages_say_whose_it_is_and_what_helps() {
        let device = crate::profile::default();
        let said = |origin: Origin| origin.of_machine_code(device);
        // The bytes of this test lie in its own program; `malloc` is in a library.
        let own = said(Origin::At(std::ptr::from_ref(MAPS.as_bytes()).cast::<u8>().addr() as u64));
        assert!(own.starts_with("the program has machine code only"), "{own}");
        assert!(own.contains("-gencode arch=compute_86,code=compute_86"));
        unsafe extern "C" {
            fn malloc(size: usize) -> *mut u8;
        }
        let library = said(Origin::At(malloc as *const () as u64));
        assert!(library.starts_with("the library /") && library.contains("libc"), "{library}");
        assert!(said(Origin::Named("k.cubin".into())).starts_with("k.cubin is machine code"));
        // No nvrtc in this process; in one where it is, its option is named.
        assert!(!said(Origin::At(0)).contains("nvrtc"));
        assert!(!has_nvrtc(MAPS));
        assert!(is_cupy(
            "/x/site-packages/cupy_backends/cuda/api/driver.cpython-312-x86_64-linux-gnu.so"
        ));
        assert!(!is_cupy("/x/cupy.so") && !MAPS.lines().filter_map(file_of).any(is_cupy));
        assert!(has_nvrtc("7f00-7f01 r-xp 0 0:0 1 /x/libnvrtc.so.13\n"));
    }
}
