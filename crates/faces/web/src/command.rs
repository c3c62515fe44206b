//! The `texunit explain` command line for an access, which the page shows and the tests run.

use crate::access::Access;
use crate::keys::{Form, Keys};
use texunit_sample::file::FileOptions;

/// Options for sampler and texture, which have the names of keys. The flag beside the name says
/// whether the option has no value.
const OPTIONS: [(&str, bool); 13] = [
    ("unnormalized", true),
    ("read", false),
    ("filter", false),
    ("mip-filter", false),
    ("address", false),
    ("border", false),
    ("min-level", false),
    ("max-level", false),
    ("bias", false),
    ("anisotropy", false),
    ("srgb", true),
    ("seamless", true),
    ("compare-func", false),
];

/// The arguments of `texunit` without the program name.
pub(crate) fn arguments(
    file: &str,
    options: &FileOptions,
    keys: &Keys,
    access: &Access,
) -> Vec<String> {
    let mut all = vec!["explain".to_owned(), "--tex".to_owned(), file.to_owned()];
    let mut add = |name: &str, value: String| all.extend([format!("--{name}"), value]);
    let op = match access.form {
        Form::Fetch(form) => form.to_string(),
        Form::Surface(form) => form.to_string(),
    };
    add("op", op);
    let written = access.written();
    let loads = matches!(access.form, Form::Surface(form) if matches!(form.kind, texunit_unit::SurfaceKind::Load { .. }));
    add("at", written.at.to_owned());
    for (name, value) in [
        ("lod", written.lod),
        ("offset", written.offset),
        ("compare", written.compare),
        ("value", written.value.filter(|_| !loads)),
    ] {
        if let Some(value) = value {
            add(name, value.to_owned());
        }
    }
    let list = |numbers: &[u32]| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    for (name, value) in [
        ("texel-format", options.texel_format.map(|f| f.name().to_owned())),
        ("geometry", options.geometry.map(|g| g.name().to_owned())),
        ("size", options.size.as_deref().map(list)),
        ("layers", options.layers.map(|n| n.to_string())),
        ("samples", options.samples.map(|n| n.to_string())),
        ("levels", options.levels.map(|n| n.to_string())),
    ] {
        if let Some(value) = value {
            add(name, value);
        }
    }
    if let Some([x, y]) = written.grad {
        all.extend(["--grad".to_owned(), x.to_owned(), y.to_owned()]);
    }
    if options.mipmaps {
        all.push("--mipmaps".to_owned());
    }
    if let Form::Fetch(_) = access.form {
        for (key, is_flag) in OPTIONS {
            match keys.get(key) {
                Some(_) if is_flag => all.extend(keys.flag(key).then(|| format!("--{key}"))),
                Some(value) => all.extend([format!("--{key}"), value.to_owned()]),
                None => {}
            }
        }
    }
    all
}

/// The command `texunit explain` as a line for a shell.
pub(crate) fn explain(file: &str, options: &FileOptions, keys: &Keys, access: &Access) -> String {
    let quoted = |word: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,/:+".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    let words: Vec<String> =
        arguments(file, options, keys, access).into_iter().map(quoted).collect();
    format!("texunit {}", words.join(" "))
}
