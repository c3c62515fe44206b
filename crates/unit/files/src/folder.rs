//! Private temporary folders, which are removed when they are no longer used.

use std::io;
use std::path::Path;

/// A folder of [`private_folder`]. It and its contents are removed when the value is dropped.
pub type PrivateFolder = tempfile::TempDir;

/// Makes a folder in another one that other users cannot access, named `prefix` and 16 random
/// letters and digits.
pub fn private_folder(above: &Path, prefix: &str) -> io::Result<PrivateFolder> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).rand_bytes(16);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir_in(above).map_err(|error| {
        let message = format!("no folder can be made in {}: {error}", above.display());
        io::Error::new(error.kind(), message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_belongs_to_its_user_alone() {
        let above = texunit_testkit::TempDir::new("private");
        let folder = private_folder(&above, "a-").unwrap();
        let name = folder.path().file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with("a-") && name.len() == 18, "{name}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(folder.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
        }
        let nowhere = private_folder(&above.join("none"), "x").unwrap_err();
        assert!(nowhere.to_string().starts_with("no folder can be made in "), "{nowhere}");
    }
}
