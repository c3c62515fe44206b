//! Options of `nvrtcCompileProgram`: given are the program's, the result are those that nvrtc gets,
//! which ask for PTX with line information.

use std::ffi::{CStr, CString};

/// Options as they are passed to nvrtc, and facts about the program's own.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// All options, with virtual architectures instead of real ones, and with line information.
    pub(super) given: Vec<CString>,
    /// The last real architecture that the program named (`sm_86`), if it named one.
    pub(super) machine: Option<String>,
}

/// Spellings of the architecture option; the value follows after `=` or as the next option.
const ARCHITECTURE: [&[u8]; 2] = [b"--gpu-architecture", b"-arch"];
/// Spellings of the option that makes code for NVIDIA's linker.
const LINKS_LATER: [&[u8]; 2] = [b"--dlink-time-opt", b"-dlto"];
/// Spellings of options that give PTX line information. The last two also change the generated
/// code.
const LINES: [&[u8]; 4] = [b"-lineinfo", b"--generate-line-info", b"-G", b"--device-debug"];

impl Options {
    /// Reads options. Options of a compilation for the linker stay unchanged, as its result
    /// contains neither PTX nor machine code for any architecture.
    pub(super) fn of(options: &[&CStr]) -> Self {
        let plain = || options.iter().map(|&option| option.to_owned()).collect();
        let is = |option: &CStr, names: &[&[u8]]| names.contains(&option.to_bytes().trim_ascii());
        if options.iter().any(|option| is(option, &LINKS_LATER)) {
            return Self { given: plain(), machine: None };
        }
        let mut all = Self::default();
        let mut is_value = false;
        for &option in options {
            let replaced = match is_value {
                true => all.virtual_architecture(b"", option.to_bytes()),
                false => all.named(option.to_bytes()),
            };
            is_value = !is_value && is(option, &ARCHITECTURE);
            all.given.push(replaced.unwrap_or_else(|| option.to_owned()));
        }
        if !options.iter().any(|option| is(option, &LINES)) {
            // The option goes first, because the program's last option may lack its value.
            all.given.insert(0, c"--generate-line-info".to_owned());
        }
        all
    }

    /// Replaces the architecture: `-arch=sm_86` becomes `-arch=compute_86`.
    fn named(&mut self, option: &[u8]) -> Option<CString> {
        let option = option.trim_ascii();
        ARCHITECTURE.iter().find_map(|name| {
            let value = option.strip_prefix(*name)?.strip_prefix(b"=")?;
            self.virtual_architecture(&option[..=name.len()], value)
        })
    }

    /// The virtual architecture of the name `value`, with `before` in front; `None` if `value` is
    /// not a real architecture. Invalid names stay unchanged, so that nvrtc reports them.
    fn virtual_architecture(&mut self, before: &[u8], value: &[u8]) -> Option<CString> {
        let number = value.trim_ascii().strip_prefix(b"sm_")?;
        let word = std::str::from_utf8(number).ok()?;
        if word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return None;
        }
        self.machine = Some(format!("sm_{word}"));
        CString::new([before, b"compute_", number].concat()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(options: &[&str]) -> (Vec<String>, Option<String>) {
        let options: Vec<CString> = options.iter().map(|o| CString::new(*o).unwrap()).collect();
        let options: Vec<&CStr> = options.iter().map(CString::as_c_str).collect();
        let Options { given, machine } = Options::of(&options);
        let given = given.into_iter().map(|o| o.into_string().unwrap()).collect();
        (given, machine)
    }

    /// Spellings that nvrtc 12.9 and 13.5 accept. Options without a real architecture, and invalid
    /// options, stay unchanged.
    #[test]
    fn machines_become_virtual() {
        for (given, wanted) in [
            (&["-arch=sm_86"][..], Some(&["-arch=compute_86"][..])),
            (&["--gpu-architecture=sm_90a"], Some(&["--gpu-architecture=compute_90a"])),
            (&["-arch", "sm_100f"], Some(&["-arch", "compute_100f"])),
            (
                &["-G", "--gpu-architecture", "sm_75", "-I/x"],
                Some(&["-G", "--gpu-architecture", "compute_75", "-I/x"]),
            ),
            (&[" -arch=sm_120 "], Some(&["-arch=compute_120"])),
            (&["-arch=compute_75", "-arch=sm_86"], Some(&["-arch=compute_75", "-arch=compute_86"])),
            (&[], None),
            (&["-arch=compute_86", "-DX=sm_86", "-dc"], None),
            (&["-arch sm_86"], None),
            (&["-arch="], None),
            (&["-arch=sm_"], None),
            (&["-arch=sm_86 -G"], None),
            (&["-arch=sm_86,sm_75"], None),
            (&["--arch=sm_86", "-archsm_86"], None),
            (&["sm_86"], None),
            (&["-I", "-arch"], None),
        ] {
            let (mut found, machine) = read(given);
            if !given.contains(&"-G") {
                assert_eq!(found.remove(0), "--generate-line-info");
            }
            assert_eq!(found, wanted.unwrap_or(given));
            let is_machine = machine.is_some_and(|machine| machine.starts_with("sm_"));
            assert_eq!(is_machine, wanted.is_some(), "{given:?}");
        }
        assert_eq!(read(&["-arch=sm_75", "-arch=sm_86"]).1.as_deref(), Some("sm_86"));
        for lines in ["-lineinfo", "--generate-line-info", "-G", "--device-debug"] {
            assert_eq!(read(&[lines]).0, [lines]);
        }
        for name in ["-dlto", "--dlink-time-opt"] {
            let options = ["-arch=sm_86", name];
            assert_eq!(read(&options), (options.map(str::to_owned).to_vec(), None));
        }
    }
}
