//! What a program asks nvrtc for, and what nvrtc is asked for in its place.

use std::ffi::{CStr, CString};

/// Options as they reach nvrtc, and what they were.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// All of them, with virtual architectures only, and with lines of the source.
    pub(super) given: Vec<CString>,
    /// The machine whose code was asked for, `sm_86`, if one was: the last that is named.
    pub(super) machine: Option<String>,
    /// Whether the result is to be linked with others by NVIDIA's linker.
    pub(super) links_later: bool,
}

/// The names of the option, both of which take a word behind `=`, or the next option.
const ARCHITECTURE: [&[u8]; 2] = [b"--gpu-architecture", b"-arch"];
/// The names of the option that makes code for NVIDIA's linker.
const LINKS_LATER: [&[u8]; 2] = [b"--dlink-time-opt", b"-dlto"];
/// The names of options by which PTX has lines of the source. The last changes the code, the others do not.
const LINES: [&[u8]; 4] = [b"-lineinfo", b"--generate-line-info", b"-G", b"--device-debug"];

impl Options {
    /// Reads options. If the result is to be linked later, they stay as they are: such a result has
    /// neither PTX nor machine code in it, whatever the architecture.
    pub(super) fn of(options: &[&CStr]) -> Self {
        let plain = || options.iter().map(|&option| option.to_owned()).collect();
        let is = |option: &CStr, names: &[&[u8]]| names.contains(&option.to_bytes().trim_ascii());
        if options.iter().any(|option| is(option, &LINKS_LATER)) {
            return Self { given: plain(), machine: None, links_later: true };
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
            // Before all others: the last may lack its value.
            all.given.insert(0, c"--generate-line-info".to_owned());
        }
        all
    }

    /// `-arch=sm_86` as `-arch=compute_86`.
    fn named(&mut self, option: &[u8]) -> Option<CString> {
        let option = option.trim_ascii();
        ARCHITECTURE.iter().find_map(|name| {
            let value = option.strip_prefix(*name)?.strip_prefix(b"=")?;
            self.virtual_architecture(&option[..=name.len()], value)
        })
    }

    /// The word of an architecture behind what stands before it; none if it names no machine. What is no
    /// architecture at all stays as it is, for nvrtc to complain of.
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
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(options: &[&str]) -> (Vec<String>, Option<String>, bool) {
        let options: Vec<CString> = options.iter().map(|o| CString::new(*o).unwrap()).collect();
        let options: Vec<&CStr> = options.iter().map(CString::as_c_str).collect();
        let Options { given, machine, links_later } = Options::of(&options);
        let given = given.into_iter().map(|o| o.into_string().unwrap()).collect();
        (given, machine, links_later)
    }

    /// The spellings that nvrtc 12.9 and 13.5 take.
    #[test]
    fn machines_become_virtual() {
        for (given, wanted) in [
            (&["-arch=sm_86"][..], &["-arch=compute_86"][..]),
            (&["--gpu-architecture=sm_90a"], &["--gpu-architecture=compute_90a"]),
            (&["-arch", "sm_100f"], &["-arch", "compute_100f"]),
            (
                &["-G", "--gpu-architecture", "sm_75", "-I/x"],
                &["-G", "--gpu-architecture", "compute_75", "-I/x"],
            ),
            (&[" -arch=sm_120 "], &["-arch=compute_120"]),
            (&["-arch=compute_75", "-arch=sm_86"], &["-arch=compute_75", "-arch=compute_86"]),
        ] {
            let (mut found, machine, links_later) = read(given);
            if !given.contains(&"-G") {
                assert_eq!(found.remove(0), "--generate-line-info");
            }
            assert_eq!(found, wanted);
            assert!(machine.is_some_and(|m| m.starts_with("sm_")) && !links_later);
        }
        assert_eq!(read(&["-arch=sm_75", "-arch=sm_86"]).1.as_deref(), Some("sm_86"));
    }

    /// What asks for no machine, and what nvrtc refuses, is its own affair.
    #[test]
    fn the_rest_stays() {
        for options in [
            &[][..],
            &["-arch=compute_86", "-DX=sm_86", "-dc"],
            &["-arch sm_86"],
            &["-arch="],
            &["-arch=sm_"],
            &["-arch=sm_86 -G"],
            &["-arch=sm_86,sm_75"],
            &["--arch=sm_86", "-archsm_86"],
            &["sm_86"],
            &["-I", "-arch"],
        ] {
            let (mut found, machine, links_later) = read(options);
            assert_eq!(found.remove(0), "--generate-line-info");
            assert_eq!(found, options);
            assert!(machine.is_none() && !links_later, "{options:?}");
        }
        for lines in ["-lineinfo", "--generate-line-info", "-G", "--device-debug"] {
            assert_eq!(read(&[lines]).0, [lines]);
        }
        for name in ["-dlto", "--dlink-time-opt"] {
            let options = ["-arch=sm_86", name];
            assert_eq!(read(&options), (options.map(str::to_owned).to_vec(), None, true));
        }
    }
}
