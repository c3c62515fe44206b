//! Restricts tools to files below the allowed folders, with symbolic links resolved.

use std::path::{Component, Path, PathBuf};

/// The allowed folders, with links resolved.
#[derive(Clone, Debug)]
pub(super) struct Allowed(Vec<PathBuf>);

impl Allowed {
    /// Resolves the folders of `--allow`.
    pub(super) fn new(folders: &[PathBuf]) -> Result<Self, String> {
        let real = |folder: &PathBuf| match folder.canonicalize() {
            Ok(real) if real.is_dir() => Ok(real),
            Ok(_) => Err(format!("--allow {}: expected a folder", folder.display())),
            Err(error) => Err(format!("--allow {}: {error}", folder.display())),
        };
        folders.iter().map(real).collect::<Result<_, _>>().map(Self)
    }

    /// The first folder, which relative paths and programs start from.
    pub(super) fn first(&self) -> &Path {
        self.0.first().map_or(Path::new("."), |folder| folder)
    }

    fn refused(&self, path: &str) -> String {
        let folders: Vec<String> =
            self.0.iter().map(|folder| folder.display().to_string()).collect();
        format!("`{path}` is outside of the folders that --allow names: {}", folders.join(", "))
    }

    fn has(&self, path: &Path) -> bool {
        self.0.iter().any(|folder| path.starts_with(folder))
    }

    /// The resolved path of an existing file or folder.
    pub(super) fn existing(&self, path: &str) -> Result<PathBuf, String> {
        let joined = self.first().join(path);
        // Whether a file exists is revealed only for allowed paths.
        let Ok(real) = joined.canonicalize() else {
            self.new_file(path)?;
            return Err(format!("`{path}` does not exist"));
        };
        if self.has(&real) { Ok(real) } else { Err(self.refused(path)) }
    }

    /// The resolved path of a file or folder that may not exist.
    pub(super) fn new_file(&self, path: &str) -> Result<PathBuf, String> {
        let joined = self.first().join(path);
        if joined.components().any(|part| part == Component::ParentDir) {
            // `..` after a missing folder cannot be resolved.
            return Err(format!("`{path}`: write the path without `..`"));
        }
        let there = joined.ancestors().find(|part| part.symlink_metadata().is_ok());
        let real = there.and_then(|part| Some((part, part.canonicalize().ok()?)));
        let Some((part, real)) = real.filter(|(_, real)| self.has(real)) else {
            return Err(self.refused(path));
        };
        let rest = joined.strip_prefix(part).unwrap_or(Path::new(""));
        Ok(if rest.as_os_str().is_empty() { real } else { real.join(rest) })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn links_and_parents_do_not_lead_out() {
        let folder = texunit_testkit::TempDir::new("allowed");
        let (inside, outside) = (folder.join("in"), folder.join("out"));
        std::fs::create_dir_all(inside.join("sub")).unwrap();
        std::fs::create_dir(&outside).unwrap();
        for file in [inside.join("a.ptx"), outside.join("b.ptx")] {
            std::fs::write(file, "").unwrap();
        }
        std::os::unix::fs::symlink(&outside, inside.join("link")).unwrap();
        std::os::unix::fs::symlink(inside.join("sub"), inside.join("own")).unwrap();
        let allowed = Allowed::new(std::slice::from_ref(&inside)).unwrap();
        let real = inside.canonicalize().unwrap();
        assert_eq!(allowed.existing("a.ptx"), Ok(real.join("a.ptx")));
        assert_eq!(allowed.existing("sub/../a.ptx"), Ok(real.join("a.ptx")));
        assert_eq!(allowed.new_file("own/new/x.json"), Ok(real.join("sub/new/x.json")));
        let secret = outside.join("b.ptx");
        for path in
            ["../out/b.ptx", "link/b.ptx", secret.to_str().unwrap(), "/etc/passwd", "/nowhere"]
        {
            let why = allowed.existing(path).unwrap_err();
            assert!(why.contains("outside") || why.contains("without `..`"), "{path}: {why}");
        }
        for path in ["../out/new", "link/new", "/tmp/new", "sub/../../out/new"] {
            assert!(allowed.new_file(path).is_err(), "{path}");
        }
        assert!(allowed.existing("absent").unwrap_err().contains("does not exist"));
    }
}
