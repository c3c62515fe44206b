//! Origin of a module's image, for messages about machine code: names the library or tool that made
//! it, and how to get PTX instead.

use crate::prelude::*;

/// The origin of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The image is at this address in the program's memory.
    At(u64),
    /// The image is in this file, which the program has named.
    Named(PathBuf),
}

impl Origin {
    /// The file that the program has named, or that is mapped where the image is.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        match self {
            Self::Named(file) => Some(file.clone()),
            Self::At(address) => {
                let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
                mapped(&maps, *address).map(PathBuf::from)
            }
        }
    }

    /// The message about machine code on a device.
    pub(crate) fn of_machine_code(&self, device: &Card) -> String {
        self.in_process(device, &std::fs::read_to_string("/proc/self/maps").unwrap_or_default())
    }

    /// As [`Self::of_machine_code`], in a process with this `/proc/self/maps`.
    fn in_process(&self, device: &Card, maps: &str) -> String {
        let number = device.capability.number();
        let compile = format!(
            "`-arch=compute_{number}` or `-gencode arch=compute_{number},code=compute_{number}`"
        );
        let file = match self {
            Self::Named(file) => {
                return format!(
                    "{} is machine code, but texunit runs PTX: compile it with {compile}",
                    file.display()
                );
            }
            Self::At(address) => mapped(maps, *address).map(Path::new),
        };
        let what = "has machine code only, but texunit runs PTX";
        match file {
            Some(file) if std::env::current_exe().is_ok_and(|program| program == file) => {
                format!("the program {what}: compile it with {compile}")
            }
            Some(file) if nvidias_works(file) == Some(false) => format!(
                "the library {} {what}: what it does on a device does not run here. It is NVIDIA's, and has no PTX in any \
                 release: the program has to do without it",
                file.display()
            ),
            Some(file) => format!(
                "the library {} {what}: what it does on a device does not run here, unless it is recompiled \
                 with {compile}",
                file.display()
            ),
            // nvJitLink links results of nvrtc, and is loaded only by programs that do so, and is
            // therefore named first.
            None if has_library(maps, "libnvJitLink") => format!(
                "the image of a module {what}: if nvJitLink made it, give nvJitLink PTX, or LTO code with the option -lto, \
                 and nothing else; or link the PTX by cuLinkAddData"
            ),
            None if maps.lines().filter_map(file_of).any(is_cupy) => format!(
                "the image of a module {what}: CuPy's backend=\"nvcc\" makes it; compile the kernel with \
                 `nvcc -ptx -arch=compute_{number}` and load the file, cupy.RawModule(path=\"kernel.ptx\"), or leave the backend \
                 out: texunit asks nvrtc for PTX"
            ),
            None if has_library(maps, "libnvrtc") => format!(
                "the image of a module {what}: if nvrtc made it, give nvrtc \
                 `--gpu-architecture=compute_{number}` (with `sm_{number}` it makes machine code), not -dlto, and take the \
                 result by nvrtcGetPTX; if nvcc did, compile with {compile}"
            ),
            None => format!("the image of a module {what}: compile with {compile}"),
        }
    }
}

/// Prefixes of the file names of NVIDIA's libraries for the host, and whether they work on this
/// driver; the others have kernels as machine code.
const NVIDIAS: &str = include_str!("../data/libraries.txt");

/// Whether a library of NVIDIA's works on this driver; `None` for other files. It is recognised by
/// its file name: `libcublasLt.so.12`, `libcufft-1a2b3c4d.so.11` in a Python wheel.
pub(crate) fn nvidias_works(file: &Path) -> Option<bool> {
    let name = file.file_name()?.to_str()?;
    let is_of = |start: &str| name.strip_prefix(start).is_some_and(|rest| rest.contains(".so"));
    let mut all = NVIDIAS.lines().filter_map(|line| line.split_once(' '));
    all.find(|(start, _)| is_of(start)).map(|(_, what)| what == "works")
}

/// Whether a library is loaded in a process, by its name, which a Python wheel may extend by a
/// hash.
fn has_library(maps: &str, library: &str) -> bool {
    maps.lines().filter_map(file_of).any(|file| {
        let name = Path::new(file).file_name().and_then(|name| name.to_str());
        let rest = name.and_then(|name| name.strip_prefix(library));
        rest.is_some_and(|rest| rest.starts_with(".so") || rest.starts_with('-'))
    })
}

/// Whether a file belongs to CuPy, which may call nvcc for machine code.
fn is_cupy(file: &str) -> bool {
    file.contains("/cupy_backends/")
}

/// The file mapped at an address, by the lines of `/proc/self/maps`.
fn mapped(maps: &str, address: u64) -> Option<&str> {
    let line = maps.lines().find(|line| {
        let range = line.split_once(' ').and_then(|(range, _)| range.split_once('-'));
        let ends = range.map(|(from, to)| [from, to].map(|end| u64::from_str_radix(end, 16)));
        matches!(ends, Some([Ok(from), Ok(to)]) if (from..to).contains(&address))
    })?;
    file_of(line)
}

/// The file in a line such as `7f00-7f10 r--p 00000000 fe:01 123   /usr/lib/libx.so`, if there is
/// one.
pub(crate) fn file_of(line: &str) -> Option<&str> {
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
        let device = &texunit_device::cards::CARDS[0];
        let said = |origin: Origin| origin.of_machine_code(device);
        // The test's bytes are in its own executable; `malloc` is in a library.
        let own = said(Origin::At(std::ptr::from_ref(MAPS.as_bytes()).cast::<u8>().addr() as u64));
        assert!(own.starts_with("the program has machine code only"), "{own}");
        assert!(own.contains("-gencode arch=compute_86,code=compute_86"));
        unsafe extern "C" {
            fn malloc(size: usize) -> *mut u8;
        }
        let library = said(Origin::At(malloc as *const () as u64));
        assert!(library.starts_with("the library /") && library.contains("libc"), "{library}");
        assert!(said(Origin::Named("k.cubin".into())).starts_with("k.cubin is machine code"));
        // nvrtc is not loaded in this process.
        assert!(!said(Origin::At(0)).contains("nvrtc"));
    }

    /// Messages about machine code that is mapped from a file at 0x1000, or is at 0x5000.
    #[test]
    fn files_of_a_process_decide() {
        let device = &texunit_device::cards::CARDS[0];
        let has = "has machine code only, but texunit runs PTX";
        let [cublas, cufft] = ["libcublasLt.so.12", "libcufft-1a2b3c4d.so.11"]
            .map(|name| format!("the library /opt/{name} {has}"));
        let (nvrtc, linker) = ("/x/libnvrtc.so.12", "/x/libnvJitLink-0a1b.so.12");
        let cupy = "/x/cupy_backends/cuda/api/driver.cpython-312.so";
        for (address, files, wanted, not) in [
            (0x1000, &["/opt/libcublasLt.so.12"][..], [&*cublas, "NVIDIA's"], "-arch="),
            (0x1000, &["/opt/libcufft-1a2b3c4d.so.11"], [&cufft, "NVIDIA's"], "-arch="),
            (0x1000, &["/opt/libcusolver.so.11"], [has, "NVIDIA's"], "-arch="),
            (0x1000, &["/opt/libmine.so"], [has, "recompiled with `-arch=compute_86`"], "NVIDIA"),
            // nvJitLink makes the final image from nvrtc's results.
            (0x5000, &[nvrtc, linker], [has, "if nvJitLink made it"], "nvrtcGetPTX"),
            (0x5000, &[nvrtc], [has, "nvrtcGetPTX"], "nvJitLink"),
            (0x5000, &[cupy], [has, "CuPy's backend"], "nvrtcGetPTX"),
            (0x5000, &["/x/cupy.so"], [has, "compile with `-arch=compute_86`"], "CuPy"),
        ] {
            let line = |(at, file)| format!("{at}000-{at}fff r--p 0 fe:01 11     {file}\n");
            let maps: String = (1..).zip(files).map(line).collect();
            let said = Origin::At(address).in_process(device, &maps);
            assert!(wanted.iter().all(|part| said.contains(part)) && !said.contains(not), "{said}");
        }
    }
}
