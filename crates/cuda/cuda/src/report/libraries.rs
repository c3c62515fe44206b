//! Lists loaded libraries with the names of NVIDIA's: texunit's, NVIDIA's that cannot run, and
//! NVIDIA's that were never called.

use super::*;
use crate::{allocation_trace, origin};
use texunit_evidence::Library;

/// The loaded libraries of this kind.
pub(super) fn all() -> Vec<Library> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let paths: BTreeSet<&str> = maps.lines().filter_map(origin::file_of).collect();
    let own = allocation_trace::module(all as fn() -> Vec<Library> as usize);
    let own = own.and_then(|(path, _)| Path::new(&path).canonicalize().ok());
    let folder = own.as_deref().and_then(Path::parent);
    paths.into_iter().filter_map(|path| library(Path::new(path), folder)).collect()
}

/// Classifies a file, if it is such a library. `folder` is that of texunit's libraries.
fn library(path: &Path, folder: Option<&Path>) -> Option<Library> {
    let works = origin::nvidias_works(path)?;
    let real = path.canonicalize().unwrap_or_else(|_| PathBuf::from(path));
    let state = match real.parent() {
        parent if parent.is_some() && parent == folder => "texunit",
        _ if works => "works",
        _ if foreign::fails(&real) => "fails",
        _ => "unused",
    };
    Some(Library { path: path.display().to_string(), state: state.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_known_by_their_names() {
        let state =
            |path: &str| library(Path::new(path), Some(Path::new("/texunit"))).map(|l| l.state);
        assert_eq!(state("/texunit/libcufft.so.12").as_deref(), Some("texunit"));
        assert_eq!(state("/x/libcufftw.so.11.0").as_deref(), Some("unused"));
        assert_eq!(state("/x/libnvrtc-builtins.so.13.0").as_deref(), Some("works"));
        assert_eq!(state("/x/libcudart.so.12"), None);
        assert_eq!(state("/x/libcufft.a"), None);
    }
}
