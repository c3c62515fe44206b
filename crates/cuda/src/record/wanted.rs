//! What is to be recorded, as the environment says it. `texunit run` sets these variables.

use std::path::PathBuf;

/// What is to be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// `TEXUNIT_RECORD`: the folder.
    pub(crate) folder: PathBuf,
    /// `TEXUNIT_RECORD_KERNEL=NAME[:N]`: one launch, into the folder itself.
    pub(crate) kernel: Option<Chosen>,
    /// `TEXUNIT_RECORD_LIMIT=LAUNCHES[,BYTES]`: most launches that a process records.
    pub(crate) launches: u64,
    /// Most bytes of all their files.
    pub(crate) bytes: u64,
    /// `TEXUNIT_RECORD_QUIET=1`: what is not recorded is told in the file `why.txt`.
    pub(crate) quiet: bool,
}

/// One launch of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// Its name: in the PTX, or as the source has it, with parameters or without.
    pub(crate) name: String,
    /// Which of its launches, from 1.
    pub(crate) number: u64,
}

/// Launches of a process that are recorded if nothing else is said.
const LAUNCHES: u64 = 100;
/// Bytes likewise.
const BYTES: u64 = 1 << 30;

/// Reads the variables; words that have no sense are complained about.
pub(crate) fn wanted(
    variable: &impl Fn(&str) -> Option<String>,
    complaints: &mut Vec<String>,
) -> Option<Wanted> {
    let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    // The program may change its folder.
    let folder = std::path::absolute(set("TEXUNIT_RECORD")?).ok()?;
    let kernel = set("TEXUNIT_RECORD_KERNEL").map(|text| chosen(&text));
    let limit = set("TEXUNIT_RECORD_LIMIT").map(|text| (limit(&text), text));
    let (launches, bytes) = match limit {
        None => (LAUNCHES, BYTES),
        Some((Some(limit), _)) => limit,
        Some((None, text)) => {
            complaints.push(format!(
                "TEXUNIT_RECORD_LIMIT is `{text}`; it takes a number of launches, and after a comma one of bytes, such as 100,1G"
            ));
            (LAUNCHES, BYTES)
        }
    };
    let quiet = set("TEXUNIT_RECORD_QUIET").is_some_and(|value| value.trim() != "0");
    Some(Wanted { folder, kernel, launches, bytes, quiet })
}

/// `NAME` or `NAME:N`. Names of C++ have colons of their own, and no numbers behind them.
fn chosen(text: &str) -> Chosen {
    let split = text.rsplit_once(':').and_then(|(name, number)| {
        let number = number.parse().ok().filter(|&n: &u64| n > 0)?;
        Some(Chosen { name: name.to_owned(), number })
    });
    split.unwrap_or_else(|| Chosen { name: text.to_owned(), number: 1 })
}

/// `LAUNCHES` or `LAUNCHES,BYTES`.
fn limit(text: &str) -> Option<(u64, u64)> {
    let (launches, bytes) = text.split_once(',').unwrap_or((text, ""));
    let launches = launches.trim().parse().ok().filter(|&n: &u64| n > 0)?;
    let bytes = bytes.trim().to_ascii_uppercase();
    if bytes.is_empty() {
        return Some((launches, BYTES));
    }
    let shift = match bytes.as_bytes().last() {
        Some(b'K') => 10,
        Some(b'M') => 20,
        Some(b'G') => 30,
        _ => 0,
    };
    let digits = bytes.trim_end_matches(['K', 'M', 'G']);
    let bytes = digits.parse::<u64>().ok()?.checked_mul(1 << shift)?;
    (bytes > 0).then_some((launches, bytes))
}

impl Chosen {
    /// Whether a kernel is meant: by its name in the PTX, by what that stands for, or by the name of its function alone.
    pub(super) fn is(&self, kernel: &str) -> bool {
        let full = texunit_report::place::function_name(kernel);
        self.name == kernel || self.name == full || self.name == plain_name(&full)
    }
}

/// The name of a function of C++ without namespaces, arguments of templates and parameters.
pub(super) fn plain_name(full: &str) -> &str {
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
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn variables_are_read() {
        let read = |kernel: &str, limit: &str| {
            let mut complaints = Vec::new();
            let variable = |name: &str| match name {
                "TEXUNIT_RECORD" => Some("/tmp/x".to_owned()),
                "TEXUNIT_RECORD_KERNEL" => Some(kernel.to_owned()),
                "TEXUNIT_RECORD_LIMIT" => Some(limit.to_owned()),
                _ => None,
            };
            (wanted(&variable, &mut complaints).unwrap(), complaints)
        };
        let (plain, none) = read("", "");
        assert_eq!((plain.kernel, plain.launches, plain.bytes), (None, 100, 1 << 30));
        assert!(none.is_empty() && !plain.quiet);
        let chosen = |text: &str| read(text, "").0.kernel.map(|c| (c.name, c.number)).unwrap();
        assert_eq!(chosen("blur"), ("blur".to_owned(), 1));
        assert_eq!(chosen("blur:3"), ("blur".to_owned(), 3));
        assert_eq!(chosen("image::blur"), ("image::blur".to_owned(), 1));
        assert_eq!(chosen("image::blur:2"), ("image::blur".to_owned(), 2));
        assert_eq!(chosen("blur:0"), ("blur:0".to_owned(), 1));
        let limits = |text: &str| (read("", text).0.launches, read("", text).0.bytes);
        assert_eq!((limits("7"), limits("7, 3m")), ((7, 1 << 30), (7, 3 << 20)));
        for wrong in ["0", "x", "1,0", "1,1T", "1,99999999999G", ",1G"] {
            let (wanted, complaints) = read("", wrong);
            assert_eq!((wanted.launches, complaints.len()), (100, 1), "{wrong}");
        }
        assert_eq!(super::wanted(&|_| None, &mut Vec::new()), None);
    }

    #[test]
    fn kernels_are_known_by_all_their_names() {
        let is = |name: &str, kernel: &str| Chosen { name: name.to_owned(), number: 1 }.is(kernel);
        let mangled = "_ZN5image4blurIfEEvPT_i";
        assert!(is(mangled, mangled) && is("blur", mangled) && !is("blu", mangled));
        assert!(is("image::blur<float>(float*, int)", mangled));
        assert!(is("scale", "scale") && !is("scale", "_Z7rescalePf"));
        assert_eq!(plain_name("void image::blur<a::b>(float*, int)"), "blur");
        assert_eq!(plain_name("a::(anonymous namespace)::k((anonymous namespace)::T*)"), "k");
        assert_eq!([plain_name("scale"), plain_name("")], ["scale", ""]);
    }
}
