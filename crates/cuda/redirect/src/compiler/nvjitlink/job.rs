//! State of one nvJitLink handle: the inputs that were added, and the PTX that linking them gives.

use crate::{say, say_once};
use std::ffi::{CStr, CString, c_int, c_uint};
use texunit_link::{Ptx, is_device_runtime, limited, link};

/// `NVJITLINK_INPUT_CUBIN`
const INPUT_CUBIN: c_uint = 1;
/// `NVJITLINK_INPUT_PTX`
const INPUT_PTX: c_uint = 2;
/// `NVJITLINK_INPUT_LTOIR`
pub(super) const INPUT_LTO: c_uint = 3;
/// `NVJITLINK_INPUT_LIBRARY`
const INPUT_LIBRARY: c_uint = 6;
/// `NVJITLINK_INPUT_ANY`: nvJitLink detects the kind.
const INPUT_ANY: c_uint = 10;
/// The first bytes of LTO code.
const LTO_MAGIC: [u8; 4] = [0xed, 0x43, 0x4e, 0x7f];

/// The inputs of a handle and the linked result.
#[derive(Debug, Default)]
pub(in crate::compiler) struct Job {
    inputs: Vec<Ptx>,
    /// Whether the device runtime (`libcudadevrt.a`) is an input.
    runtime: bool,
    /// LTO code, if it is to be linked to machine code.
    lto: Option<Lto>,
    /// Value of `-maxrregcount`, and after it that of `-arch`.
    registers: Option<u32>,
    architecture: u32,
    /// Whether the program itself asks for PTX.
    makes_ptx: bool,
    /// Kind and name of the first input that contains no PTX.
    other: Option<String>,
    /// The linked text with a terminating zero byte.
    pub(super) linked: Option<Vec<u8>>,
}

/// LTO code, and the options with which nvJitLink turns it into PTX.
#[derive(Debug, Default)]
pub(super) struct Lto {
    /// The program's options, and the option that asks for PTX.
    pub(super) options: Vec<CString>,
    /// Names and contents of the inputs.
    pub(super) inputs: Vec<(CString, Vec<u8>)>,
}

impl Job {
    /// A job with these options.
    pub(super) fn of(options: &[&CStr]) -> Self {
        let has = |name: &[u8]| options.iter().any(|o| o.to_bytes().trim_ascii() == name);
        let makes_ptx = has(b"-ptx");
        let all = options.iter().copied().chain([c"-ptx"]).map(CStr::to_owned);
        let lto = || Lto { options: all.collect(), inputs: Vec::new() };
        let value = |name: &str| {
            let mut values =
                options.iter().filter_map(|o| o.to_str().ok()?.trim().strip_prefix(name));
            let digits = values.next_back()?.trim_end_matches(|c: char| !c.is_ascii_digit());
            digits.parse().ok()
        };
        let registers = value("-maxrregcount=");
        let architecture = value("-arch=sm_").unwrap_or(0);
        let limits = Self { registers, architecture, ..Self::default() };
        Self { lto: (has(b"-lto") && !makes_ptx).then(lto), makes_ptx, ..limits }
    }

    /// Adds an input that nvJitLink has accepted.
    pub(super) fn add(&mut self, kind: c_uint, bytes: &[u8], name: &str) {
        let kind = match kind {
            INPUT_ANY if is_text(bytes) => INPUT_PTX,
            INPUT_ANY if bytes.starts_with(&LTO_MAGIC) => INPUT_LTO,
            kind => kind,
        };
        match (kind, &mut self.lto) {
            (INPUT_LIBRARY | INPUT_ANY, _) if is_device_runtime(bytes) => self.runtime = true,
            (INPUT_LTO, Some(lto)) => {
                lto.inputs.push((CString::new(name).unwrap_or_default(), bytes.to_vec()));
            }
            (INPUT_PTX, _) => self.inputs.push(Ptx { name: name.to_owned(), text: text(bytes) }),
            _ => {
                self.other.get_or_insert_with(|| format!("{} ({name})", what(kind)));
            }
        }
    }

    /// Links the texts, and the PTX made from LTO code. Without PTX the program gets nvJitLink's
    /// own result.
    pub(super) fn link(mut self, optimised: impl Fn(&Lto) -> Result<Ptx, c_int>) -> Self {
        if self.makes_ptx {
            return self;
        }
        if let Some(other) = &self.other {
            say_once!(
                "the program links {other} with nvJitLink, and of that no PTX is made, which is what texunit runs: \
                 have it link PTX, or LTO code with the option -lto and nothing else"
            );
            return self;
        }
        if let Some(lto) = self.lto.take().filter(|lto| !lto.inputs.is_empty()) {
            match optimised(&lto) {
                Ok(ptx) => self.inputs.push(ptx),
                Err(error) => {
                    say(format_args!("nvJitLink makes no PTX of LTO code: its error {error}"));
                    return self;
                }
            }
        }
        match link(std::mem::take(&mut self.inputs), self.runtime) {
            Ok(ptx) => {
                say_once!(
                    "the program links to machine code with nvJitLink; it gets the linked PTX, which is what \
                     texunit runs, as nvJitLinkGetLinkedCubin's result"
                );
                let mut bytes = limited(ptx, self.registers, self.architecture).text.into_bytes();
                bytes.push(0);
                Self { linked: Some(bytes), ..self }
            }
            Err(why) => {
                say(format_args!("texunit cannot link what nvJitLink links: {why}"));
                self
            }
        }
    }
}

/// The bytes up to the first zero, if there is one.
pub(super) fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// The kind of an input that a program calls `kind`: PTX where the program has PTX as machine code,
/// which it got from nvrtc or from nvJitLink.
pub(super) fn kind_of(kind: c_uint, bytes: &[u8]) -> c_uint {
    if kind == INPUT_CUBIN && is_text(bytes) { INPUT_PTX } else { kind }
}

/// Whether bytes are PTX, which begins with a directive or a comment; objects, fatbins, archives
/// and LTO code begin with magic numbers.
fn is_text(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    start.starts_with(b".version") || start.starts_with(b"//") || start.starts_with(b"/*")
}

/// Description of an input's kind, by its `nvJitLinkInputType`.
fn what(kind: c_uint) -> &'static str {
    match kind {
        INPUT_CUBIN => "machine code",
        3 => "LTO code",
        4 => "a fatbin",
        5 => "an object",
        6 => "a library",
        7 => "an index",
        _ => "an input that is not PTX",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_have_a_limit() {
        let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
        for (options, limit) in [
            (&[c"-arch=sm_90a", c"-maxrregcount=40"][..], ".maxnreg 40"),
            (&[c"-maxrregcount=8", c" -arch=sm_75 "], ".maxnreg 24"),
        ] {
            let mut job = Job::of(options);
            job.add(INPUT_PTX, format!("{head}.visible .entry k() {{ ret; }}").as_bytes(), "k");
            let linked = job.link(|_| Err(1)).linked.unwrap_or_default();
            assert!(text(&linked).contains(limit), "{}", text(&linked));
        }
    }

    #[test]
    fn inputs_are_known_by_kind_or_content() {
        let ptx = b".version 8.0\n.target sm_80\0rest";
        let add = |kind: c_uint, bytes: &[u8], optimises: bool| {
            let mut job = Job::of(if optimises { &[c"-arch=sm_80", c"-lto"] } else { &[] });
            job.add(kind, bytes, "x");
            (job.inputs.len(), job.other)
        };
        let taken = |kind, bytes| add(kind, bytes, false);
        let lto = b"\xed\x43\x4e\x7f\x01";
        assert_eq!(add(INPUT_LTO, lto, true), (0, None));
        assert_eq!(add(INPUT_ANY, lto, true), (0, None));
        assert_eq!(add(INPUT_CUBIN, b"\x7fELF", true), (0, Some("machine code (x)".to_owned())));
        assert_eq!(taken(INPUT_PTX, ptx), (1, None));
        assert_eq!(taken(INPUT_ANY, ptx), (1, None));
        assert_eq!(taken(INPUT_ANY, b"\n// Generated\n.version 8.0"), (1, None));
        for (kind, bytes, named) in [
            (3, &lto[..], "LTO code (x)"),
            (INPUT_ANY, lto, "LTO code (x)"),
            (INPUT_ANY, b"\x7fELF.version.target", "an input that is not PTX (x)"),
            (INPUT_ANY, b"\x50\xed\x55\xba.version", "an input that is not PTX (x)"),
            (INPUT_LIBRARY, b"!<arch>\n", "a library (x)"),
        ] {
            assert_eq!(taken(kind, bytes), (0, Some(named.to_owned())), "{kind}");
        }
    }
}
