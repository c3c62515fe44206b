//! Generates the header of the C library: cbindgen's output for the sources of crates/faces/capi,
//! so that users need neither.

use crate::files;
use cbindgen::{Builder, Config, DocumentationStyle, FunctionConfig, Language, RenameRule};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::PathBuf;

/// The source files of crates/faces/capi, in the order in which the header has their contents.
const SOURCES: [&str; 9] =
    ["status", "handle", "desc", "array", "texture", "fetch", "surface", "query", "text"];

const HEAD: &str = "\
/*
 * texunit: NVIDIA's texture and surface unit, bit for bit, without a GPU.
 *
 * docs/c.md is the guide. Structures and numbers have the names, the order and the layout of cuda.h.
 * Every function may be called by any thread at any time. A function that returns a texunit_status
 * writes its results only if that is TEXUNIT_SUCCESS, unless its description says more;
 * texunit_last_error returns the message of an error.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */";

/// The values of CUDA's constants by name.
fn cuda_constants() -> Result<HashMap<String, u32>, String> {
    let list = files::read(&crate::workspace().join("crates/cuda/cuda-abi/data/constants.txt"))?;
    let constant = |line: &str| {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        let [name, "u32", number, _] = words[..] else { return None };
        Some((name.to_owned(), value(number)?))
    };
    Ok(list.lines().filter_map(constant).collect())
}

/// The definitions of the constants.
fn definitions() -> Result<String, String> {
    let path = folder().join("data/constants.txt");
    let (list, cuda) = (files::read(&path)?, cuda_constants()?);
    let mut text = String::new();
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        let [name, _, number, meaning] = words[..] else {
            let path = path.display();
            return Err(format!("{path}: {line}: name, type, value and meaning are wanted"));
        };
        let value = value(number).or_else(|| cuda.get(number).copied());
        let value = value.ok_or_else(|| format!("{name} {number}: not a number"))?;
        let _ = write!(text, "\n/**");
        let mut column = usize::MAX;
        for word in meaning.split(' ') {
            if column.saturating_add(word.len()) > 98 {
                text += "\n *";
                column = 2;
            }
            let _ = write!(text, " {word}");
            column += word.len() + 1;
        }
        let _ = writeln!(text, "\n */\n#define {name} {value}");
    }
    Ok(text)
}

/// The value of a decimal or hexadecimal number.
fn value(number: &str) -> Option<u32> {
    match number.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(&digits.replace('_', ""), 16).ok(),
        None => number.parse().ok(),
    }
}

/// The text of the header.
fn text() -> Result<String, String> {
    let config = Config {
        language: Language::C,
        cpp_compat: true,
        header: Some(HEAD.to_owned()),
        include_guard: Some("TEXUNIT_H".to_owned()),
        autogen_warning: Some(
            "/* Made by `cargo run -p xtask -- header`: change crates/faces/capi instead. */"
                .to_owned(),
        ),
        after_includes: Some(definitions()?),
        no_includes: true,
        sys_includes: vec!["stddef.h".to_owned(), "stdint.h".to_owned()],
        usize_is_size_t: true,
        documentation_style: DocumentationStyle::Doxy,
        line_length: 100,
        function: FunctionConfig {
            rename_args: RenameRule::CamelCase,
            ..FunctionConfig::default()
        },
        ..Config::default()
    };
    let mut builder = Builder::new().with_config(config);
    for name in SOURCES {
        builder = builder.with_src(folder().join(format!("src/{name}.rs")));
    }
    let mut bytes = Vec::new();
    builder.generate().map_err(|e| format!("cbindgen: {e}"))?.write(&mut bytes);
    let text = String::from_utf8(bytes).map_err(|e| format!("cbindgen: {e}"))?;
    // The heading of Rustdoc is replaced by a sentence for users of C.
    Ok(text.replace(" * # Safety\n", " * What the caller promises:\n"))
}

/// The folder of the crate crates/faces/capi.
fn folder() -> PathBuf {
    crate::workspace().join("crates/faces/capi")
}

/// Writes the header into the crate's folder.
pub(crate) fn write() -> Result<bool, String> {
    let path = folder().join("include/texunit.h");
    files::write(&path, text()?)?;
    println!("{}", path.display());
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_is_what_the_sources_say() {
        let kept = std::fs::read_to_string(folder().join("include/texunit.h")).expect("a header");
        let made = text().expect("cbindgen reads the sources");
        assert!(kept == made, "renew it: cargo run -p xtask -- header");
        // Every exported function must be in the header.
        for name in SOURCES {
            let path = folder().join(format!("src/{name}.rs"));
            let source = std::fs::read_to_string(path).expect("a source");
            for line in source.lines().filter(|line| line.contains("extern \"C\" fn ")) {
                let name = line.split("fn ").nth(1).and_then(|rest| rest.split('(').next());
                let name = name.expect("a function has a name");
                assert!(kept.contains(&format!("{name}(")), "{name}");
            }
        }
    }
}
