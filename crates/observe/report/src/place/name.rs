//! Demangles function names.

use cpp_demangle::{DemangleOptions, ParseOptions, Symbol};
use std::fmt;

/// Maximum length of a name to demangle.
const LONGEST: usize = 16 << 10;
/// Maximum length of a demangled name: substitutions can make short names very long.
const MAX_WRITTEN: usize = 4 << 10;
/// Maximum depth of nested names.
const DEPTH: u32 = 96;

/// The name of a function as in the source: `put<float>(float*, int, float)` for
/// `_Z3putIfEvPT_iS0_`. C++, Rust and Numba names are demangled, other names only shortened. A
/// parameter symbol, which consists of the function's name and a number (`_Z3putPf_param_0`), is
/// recognised.
pub fn function_name(symbol: &str) -> String {
    let parameter = || {
        let (function, number) = symbol.rsplit_once("_param_")?;
        Some(format!("parameter {} of {}", number.parse::<u32>().ok()?, demangled(function)?))
    };
    demangled(symbol).or_else(parameter).unwrap_or_else(|| {
        match symbol.char_indices().nth(MAX_WRITTEN) {
            Some((end, _)) => format!("{}...", &symbol[..end]),
            None => symbol.to_owned(),
        }
    })
}

/// The PTX name followed by the source name, if that differs: "`_Z3putPf` (put(float*))".
pub fn both_names(symbol: &str) -> String {
    let function = function_name(symbol);
    if function == symbol { format!("`{symbol}`") } else { format!("`{symbol}` ({function})") }
}

fn demangled(symbol: &str) -> Option<String> {
    if symbol.len() > LONGEST || !symbol.starts_with("_Z") && !symbol.starts_with("_R") {
        return None;
    }
    rust(symbol).or_else(|| cpp(symbol))
}

/// Demangles a Rust name, without its hash.
fn rust(symbol: &str) -> Option<String> {
    // C++ names can look like legacy Rust names, but do not end with a hash.
    let is_rust = symbol.starts_with("_R") || symbol.contains("17h");
    let name = rustc_demangle::try_demangle(symbol).ok().filter(|_| is_rust)?;
    let mut out = Bounded::default();
    fmt::Write::write_fmt(&mut out, format_args!("{name:#}")).ok()?;
    Some(out.text)
}

fn cpp(symbol: &str) -> Option<String> {
    let parse = ParseOptions::default().recursion_limit(DEPTH);
    let parsed = Symbol::new_with_options(symbol, &parse).ok()?;
    let options = DemangleOptions::new().no_return_type().recursion_limit(DEPTH);
    let mut out = Bounded::default();
    parsed.structured_demangle(&mut out, &options).ok()?;
    Some(numba(without_internal(out.text)))
}

/// Removes nvcc's namespace for file-local functions (`static`, unnamed namespaces, functions of
/// its headers), which consists of the file name and a hash:
/// `_INTERNAL_d942f261_13_half_texel_cu__Z1kyPf::tex2D<float>(...)`.
fn without_internal(name: String) -> String {
    let mut parts = name.split("_INTERNAL_");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let len = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(part.len());
        match part[len..].strip_prefix("::").filter(|_| !text.ends_with(char::is_alphanumeric)) {
            Some(rest) => text += rest,
            None => text = text + "_INTERNAL_" + part,
        }
    }
    text
}

/// Removes the version and hash that Numba appends as C++ ABI tags.
fn numba(name: String) -> String {
    let Some((head, tail)) = name.split_once("[abi:v") else { return name };
    let rest = tail.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(']');
    let hashed = rest.and_then(|rest| rest.strip_prefix("[abi:c")?.split_once(']'));
    match (hashed, rest) {
        (Some((_, rest)), _) | (None, Some(rest)) => {
            let head = head.strip_prefix("cudapy::").unwrap_or(head);
            format!("{}{rest}", head.replace("_3clocals_3e", "<locals>"))
        }
        _ => name,
    }
}

/// A text of limited length.
#[derive(Default)]
struct Bounded {
    text: String,
}

impl fmt::Write for Bounded {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.text.len() + part.len() > MAX_WRITTEN {
            return Err(fmt::Error);
        }
        self.text.push_str(part);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_source() {
        for (symbol, expected) in [
            ("places", "places"),
            ("_Z3putIfEvPT_iS0_", "put<float>(float*, int, float)"),
            ("_Z6kernelPii", "kernel(int*, int)"),
            ("_Z6kernelPii_param_1", "parameter 1 of kernel(int*, int)"),
            ("kernel_param_1", "kernel_param_1"),
            ("_ZN2ns3Box3getEv", "ns::Box::get()"),
            ("_ZN12_GLOBAL__N_11kEPf", "(anonymous namespace)::k(float*)"),
            (
                "_ZN43_INTERNAL_d942f261_13_half_texel_cu__Z1kyPf5tex2DIfEET_yff",
                "tex2D<float>(unsigned long long, float, float)",
            ),
            // Numba, old and new mangling.
            (
                "_ZN6cudapy8__main__3addB2v1B38c8tJTIcFKzyF2ILShI4CrgQElQb6HczSBAA_3dE5ArrayIfLi1E1C7mutable7alignedEi",
                "__main__::add(Array<float, 1, C, mutable, aligned>, int)",
            ),
            (
                "_ZN6places6placesB2v1B106cw51cXTLSUwv1sDUaKthrqNgqqmjgMVuW1AiA8rAEg2UjxRKtuAIAMYDWpKAqkSkPiQB1BQFk0DyoW21Oizc1a0UoPGnDpQE8oxrNQE_3dE5ArrayIfLi1E1C7mutable7alignedEfi",
                "places::places(Array<float, 1, C, mutable, aligned>, float, int)",
            ),
            // Rust, legacy and v0 mangling.
            ("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"),
            ("_RNvC6_123foo3bar", "123foo::bar"),
            ("_Zno", "_Zno"),
            ("", ""),
        ] {
            assert_eq!(function_name(symbol), expected);
        }
        assert_eq!(both_names("_Z3putPf"), "`_Z3putPf` (put(float*))");
        assert_eq!(both_names("put"), "`put`");
    }

    /// Names that grow with substitutions or nest too deeply are not demangled.
    #[test]
    fn hostile_names_stay_as_they_are() {
        let mut doubling = String::from("_Z1fI1AIiE");
        for i in 0..60 {
            let last = if i == 0 { "_".into() } else { format!("{}_", base36(i - 1)) };
            doubling += &format!("1BIS{last}S{last}E");
        }
        doubling += "Evv";
        for symbol in [doubling, format!("_Z1f{}i", "P".repeat(10_000)), "_Z".repeat(30_000)] {
            let shown = function_name(&symbol);
            assert!(shown == symbol || shown.len() <= MAX_WRITTEN + 3);
        }
    }

    fn base36(n: u32) -> String {
        let digit = |d: u32| char::from_digit(d, 36).unwrap_or('0').to_ascii_uppercase();
        if n < 36 { digit(n).to_string() } else { format!("{}{}", digit(n / 36), digit(n % 36)) }
    }
}
