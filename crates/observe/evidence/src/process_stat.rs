//! What the system says of a process in `/proc`.

use std::path::Path;

/// The state of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessStat {
    /// The name of its program, cut by the system after 15 bytes.
    pub name: String,
    /// Whether it is a zombie: it has ended, but its parent has not waited for it.
    pub has_ended: bool,
    /// The parent's process ID.
    pub parent: u32,
    /// When it started, in clock ticks since the system's start. IDs are reused, so that only both
    /// together identify a process.
    pub started: u64,
}

impl ProcessStat {
    /// Reads the state of a process from its folder, for example `/proc/self`; `None` if there is
    /// no such process.
    pub fn read(folder: &Path) -> Option<Self> {
        let stat = std::fs::read(folder.join("stat")).ok()?;
        let stat = String::from_utf8_lossy(&stat);
        // The name is in parentheses, and may contain any characters.
        let (before, behind) = stat.rsplit_once(')')?;
        let name = before.split_once('(')?.1.to_owned();
        let mut words = behind.split_whitespace();
        let has_ended = matches!(words.next()?, "Z" | "X");
        let parent = words.next()?.parse().ok()?;
        let started = words.nth(17)?.parse().ok()?;
        Some(Self { name, has_ended, parent, started })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_contain_anything() {
        let folder = texunit_testkit::TempDir::new("stat");
        let read = |stat: &str| {
            folder.file("stat", stat);
            ProcessStat::read(&folder).map(|s| (s.name, s.parent, s.started, s.has_ended))
        };
        let rest = "5 7 7 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 1234 99";
        let is = |name: &str, has_ended| Some((name.to_owned(), 5, 1234, has_ended));
        assert_eq!(read(&format!("7 (a) b) c) S {rest}")), is("a) b) c", false));
        assert_eq!(read(&format!("7 (x) Z {rest}")), is("x", true));
        for wrong in ["7 (a) S 5 7 7 0", "7 (x)", ""] {
            assert_eq!(read(wrong), None);
        }
    }
}
