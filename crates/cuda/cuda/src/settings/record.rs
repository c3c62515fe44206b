//! Settings of the recording, from environment variables that `texunit run` sets.

use super::*;
use texunit_record::{Chosen, Limit};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordSettings {
    /// The folder to which jobs are written (`TEXUNIT_RECORD`).
    pub(crate) folder: PathBuf,
    /// `TEXUNIT_RECORD_KERNEL=NAME[:N]`: a single launch, written into the folder itself.
    pub(crate) kernel: Option<Chosen>,
    /// `TEXUNIT_RECORD_LIMIT=LAUNCHES[,BYTES]`: the maximum that a process records.
    pub(crate) limit: Limit,
    /// `TEXUNIT_RECORD_QUIET=1`: messages about launches that are not recorded go to the file
    /// `why.txt`.
    pub(crate) quiet: bool,
}

/// Reads the variables; invalid values are reported.
pub(super) fn wanted(reader: &mut Reader<'_>) -> Option<RecordSettings> {
    let folder = reader.set("TEXUNIT_RECORD")?;
    // The path is made absolute, as the program may change its working directory.
    let folder = std::path::absolute(folder).ok()?;
    let [kernel, limit] =
        ["TEXUNIT_RECORD_KERNEL", "TEXUNIT_RECORD_LIMIT"].map(|name| reader.set(name));
    let mut complain = |name: &str, text: &str, why: &str, then: &str| {
        reader.complaints.push(format!("{name} is `{text}`: {why}; {then}"));
    };
    let kernel = match kernel.map(|text| (text.parse(), text)) {
        None => None,
        Some((Ok(chosen), _)) => Some(chosen),
        Some((Err(why), text)) => {
            complain("TEXUNIT_RECORD_KERNEL", &text, why, "nothing is recorded");
            return None;
        }
    };
    let limit = match limit.map(|text| (text.parse(), text)) {
        None => Limit::default(),
        Some((Ok(limit), _)) => limit,
        Some((Err(why), text)) => {
            complain("TEXUNIT_RECORD_LIMIT", &text, why, "100,1G holds now");
            Limit::default()
        }
    };
    let quiet = reader.is_on("TEXUNIT_RECORD_QUIET");
    Some(RecordSettings { folder, kernel, limit, quiet })
}

/// Whether a kernel is selected, by its name in the PTX, by its demangled name, or by the plain
/// function name.
pub(crate) fn is_meant(chosen: &Chosen, kernel: &str) -> bool {
    let full = texunit_report::place::function_name(kernel);
    chosen.name == kernel || chosen.name == full || chosen.name == plain_name(&full)
}

/// The plain name of a C++ function, without namespaces, template arguments and parameters.
pub(crate) fn plain_name(full: &str) -> &str {
    const UNNAMED: &str = "(anonymous namespace)";
    let mut end = 0;
    loop {
        end += full[end..].find(['(', '<']).unwrap_or(full.len() - end);
        match full[end..].starts_with(UNNAMED) {
            true => end += UNNAMED.len(),
            false => break,
        }
    }
    let name = &full[..end];
    let start = name.rfind([' ', ':']).map_or(0, |at| at + 1);
    &name[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_read() {
        let read = |kernel: &str, limit: &str| {
            let variable = |name: &str| match name {
                "TEXUNIT_RECORD" => Some("/tmp/x".to_owned()),
                "TEXUNIT_RECORD_KERNEL" => Some(kernel.to_owned()),
                "TEXUNIT_RECORD_LIMIT" => Some(limit.to_owned()),
                _ => None,
            };
            let mut reader = Reader { variable: &variable, complaints: Vec::new() };
            (wanted(&mut reader), reader.complaints)
        };
        let (plain, none) = read("", "");
        let plain = plain.unwrap();
        assert_eq!((plain.kernel, plain.limit), (None, Limit::default()));
        assert!(none.is_empty() && !plain.quiet);
        let chosen = read("blur:3", "7").0.unwrap();
        assert_eq!(chosen.kernel, Some(Chosen { name: "blur".to_owned(), number: 3 }));
        assert_eq!(chosen.limit, Limit { launches: 7, ..Limit::default() });
        let (wrong, complaints) = read("", "0");
        assert_eq!((wrong.unwrap().limit, complaints.len()), (Limit::default(), 1));
        let (wrong, complaints) = read("blur:0", "");
        assert_eq!((wrong, complaints.len()), (None, 1));
        assert_eq!(wanted(&mut Reader { variable: &|_| None, complaints: Vec::new() }), None);
    }

    #[test]
    fn kernels_are_known_by_all_their_names() {
        let is = |name: &str, kernel: &str| {
            is_meant(&Chosen { name: name.to_owned(), number: 1 }, kernel)
        };
        let mangled = "_ZN5image4blurIfEEvPT_i";
        assert!(is(mangled, mangled) && is("blur", mangled) && !is("blu", mangled));
        assert!(is("image::blur<float>(float*, int)", mangled));
        assert!(is("scale", "scale") && !is("scale", "_Z7rescalePf"));
        assert_eq!(plain_name("void image::blur<a::b>(float*, int)"), "blur");
        assert_eq!(plain_name("a::(anonymous namespace)::k((anonymous namespace)::T*)"), "k");
        assert_eq!([plain_name("scale"), plain_name("")], ["scale", ""]);
    }
}
