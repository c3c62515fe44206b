//! File identity, and path conflicts of a command: whether an output would overwrite an input or
//! another output.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// The input and output files of a command. Paths are compared by the file that they refer to:
/// symbolic links, hard links, `./` and `..` are resolved; a file that does not exist yet is
/// identified by its folder and name.
#[derive(Clone, Debug, Default)]
pub struct CommandFiles {
    read: Vec<CommandFile>,
    written: Vec<CommandFile>,
}

#[derive(Clone, Debug)]
struct CommandFile {
    /// The command-line option that names the file, or a verb phrase such as `the job reads`.
    of: String,
    path: PathBuf,
    /// The file's location; `None` for a file that cannot conflict, such as `/dev/null`.
    spot: Option<FileLocation>,
}

impl CommandFile {
    fn new(of: String, path: &Path) -> Self {
        Self { of, path: path.to_owned(), spot: FileLocation::of(path) }
    }
}

/// An output that would overwrite another file of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileConflict {
    /// Index of the output, in the order of the calls of [`CommandFiles::writes`].
    pub result: usize,
    /// The message: one sentence that begins with the option.
    pub message: String,
}

impl CommandFiles {
    /// Adds an input file. `which` is the message's verb phrase for it: `the job reads`, `is
    /// explained`.
    pub fn reads(&mut self, which: &str, path: &Path) {
        self.read.push(CommandFile::new(which.to_owned(), path));
    }

    /// Adds an output file, named by an option (`--coverage`) or as `output `dst``.
    pub fn writes(&mut self, option: impl Into<String>, path: &Path) {
        self.written.push(CommandFile::new(option.into(), path));
    }

    /// All outputs that refer to the same file as an input or an earlier output.
    pub fn conflicts(&self) -> Vec<FileConflict> {
        let conflict = |(result, place): (usize, &CommandFile)| {
            let same = |other: &&CommandFile| other.spot.is_some() && other.spot == place.spot;
            let name = place.path.display();
            let of = &place.of;
            let clash = if let Some(input) = self.read.iter().find(same) {
                let (input, which) = (input.path.display(), &input.of);
                format!("{of}: `{name}` would overwrite `{input}`, which {which}")
            } else {
                match &self.written[..result].iter().find(same)?.of {
                    twice if twice == of => format!("{of} names {name} twice"),
                    other => format!("{other} and {of} both name {name}"),
                }
            };
            Some(FileConflict { result, message: clash + "; name another file" })
        };
        self.written.iter().enumerate().filter_map(conflict).collect()
    }

    /// The first of [`Self::conflicts`] as a message.
    ///
    /// # Errors
    /// There is a conflict.
    pub fn check(&self) -> Result<(), String> {
        self.conflicts().into_iter().next().map_or(Ok(()), |conflict| Err(conflict.message))
    }
}

/// The identity of a file, independent of its path: hard links and symbolic links to it have the
/// same identity.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity(Inner);

/// Device and inode numbers.
#[cfg(unix)]
type Inner = (u64, u64);
/// The canonical path.
#[cfg(not(unix))]
type Inner = std::path::PathBuf;

impl Identity {
    /// The identity of the file at a path; `None` if the file does not exist.
    pub fn of(path: &Path) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            std::fs::metadata(path).ok().map(|found| Self((found.dev(), found.ino())))
        }
        #[cfg(not(unix))]
        path.canonicalize().ok().map(Self)
    }
}

/// The location of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum FileLocation {
    /// Standard output.
    Output,
    /// The identity of the longest existing part of the path, and the names below it that do not
    /// exist.
    At(Option<Identity>, Vec<OsString>),
}

/// Maximum number of dangling symbolic links that are followed.
const MAX_LINKS: usize = 40;

impl FileLocation {
    fn of(path: &Path) -> Option<Self> {
        if path == Path::new("-") || path == Path::new("/dev/stdout") {
            return Some(Self::Output);
        }
        if path == Path::new("/dev/null") {
            return None;
        }
        let mut path = std::path::absolute(path).ok()?;
        for _ in 0..MAX_LINKS {
            let (there, below) = split(&path);
            // The path of the dangling symbolic link, if there is one.
            let first = below.first().map(|name| there.join(name));
            let target = first.as_ref().and_then(|link| std::fs::read_link(link).ok());
            let Some(target) = target else {
                return Some(Self::At(Identity::of(&there), below));
            };
            path = below[1..].iter().fold(there.join(target), |path, name| path.join(name));
        }
        None
    }
}

/// The longest existing part of a path, and the remaining names, without `.` and `..`.
fn split(path: &Path) -> (PathBuf, Vec<OsString>) {
    let mut there = PathBuf::new();
    let mut below: Vec<OsString> = Vec::new();
    for part in path.components() {
        match part {
            Component::ParentDir if below.pop().is_some() => {}
            Component::Normal(name) if !below.is_empty() || !there.join(name).exists() => {
                below.push(name.to_owned());
            }
            part => there.push(part),
        }
    }
    (there, below)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn check(read: &[&Path], written: &[(&str, &Path)]) -> Option<String> {
        let mut places = CommandFiles::default();
        read.iter().for_each(|path| places.reads("is read", path));
        written.iter().for_each(|(option, path)| places.writes(*option, path));
        places.check().err()
    }

    #[test]
    fn nothing_that_is_read_is_written() {
        let folder = texunit_testkit::TempDir::new("places");
        let at = |name: &str| folder.join(name);
        let input = folder.file("in", "text");
        std::fs::create_dir(at("sub")).unwrap();
        std::fs::hard_link(&input, at("hard")).unwrap();
        symlink("in", at("soft")).unwrap();
        let identity = |name: &str| Identity::of(&at(name));
        assert!(identity("in").is_some() && identity("nothing").is_none());
        assert_ne!(identity("in"), identity("sub"));
        assert_eq!(["hard", "soft", "./in"].map(identity), [0; 3].map(|_| identity("in")));
        for name in ["in", "./in", "sub/../in", "hard", "soft", "none/../in"] {
            let message = check(&[&input], &[("--out", &at(name))]).unwrap();
            let (name, input) = (at(name).display().to_string(), input.display());
            let start = format!("--out: `{name}` would overwrite `{input}`, which is read; ");
            assert_eq!(message, start + "name another file");
        }
        assert_eq!(check(&[&input], &[("--out", &at("sub/in"))]), None);
        assert_eq!(check(&[&input, &input], &[]), None);
    }

    #[test]
    fn no_two_results_have_one_name() {
        let folder = texunit_testkit::TempDir::new("places");
        let at = |name: &str| folder.join(name);
        std::fs::create_dir(at("sub")).unwrap();
        symlink("sub", at("link")).unwrap();
        symlink("sub/later", at("dangling")).unwrap();
        let later = [("sub/later", "link/later"), ("sub/later", "dangling")];
        for (a, b) in [("new", "./new"), ("new/x", "new/y/../x")].into_iter().chain(later) {
            let message = check(&[], &[("--a", &at(a)), ("--b", &at(b))]).unwrap();
            assert!(message.starts_with("--a and --b both name "), "{message}");
        }
        let twice = check(&[], &[("--a", &at("n")), ("--a", &at("n"))]).unwrap();
        assert!(twice.starts_with("--a names ") && twice.contains(" twice"), "{twice}");
        let output = [("--a", Path::new("-")), ("--b", Path::new("/dev/stdout"))];
        assert!(check(&[], &output).is_some());
        let nothing = [("--a", Path::new("/dev/null")), ("--b", Path::new("/dev/null"))];
        assert_eq!(check(&[], &nothing), None);
        assert_eq!(check(&[], &[("--a", &at("x")), ("--b", &at("y"))]), None);
        symlink("round", at("round")).unwrap();
        assert_eq!(check(&[], &[("--a", &at("round"))]), None);
    }

    #[test]
    fn each_clash_is_of_its_result() {
        let mut places = CommandFiles::default();
        for name in ["/tmp/a", "/dev/null", "/tmp/b", "/tmp/a"] {
            places.writes("--out", Path::new(name));
        }
        let results: Vec<usize> =
            places.conflicts().iter().map(|conflict| conflict.result).collect();
        assert_eq!(results, [3]);
    }
}
