//! `texunit examples`, in a clone and in the folders of a package.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_texunit");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().unwrap()
}

/// An empty folder in the file system of the program, so that the program can be hard-linked into
/// it.
fn folder(name: &str) -> PathBuf {
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs `PROGRAM examples ARGUMENTS`.
fn examples(program: &Path, arguments: &[&Path]) -> Output {
    Command::new(program).arg("examples").args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn fails(output: &Output, with: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains(with), "{}: {said}", output.status);
}

/// Creates a package with the program, this list, and one example. Returns its folder and the
/// program.
fn package(name: &str, list: &str) -> (PathBuf, PathBuf) {
    let folder = folder(name);
    let program = folder.join("bin/texunit");
    std::fs::create_dir_all(folder.join("bin")).unwrap();
    std::fs::create_dir_all(folder.join("guide/examples/a/texunit-out")).unwrap();
    std::fs::hard_link(PROGRAM, &program).unwrap();
    std::fs::write(folder.join("guide/examples/guide.txt"), list).unwrap();
    std::fs::write(folder.join("guide/examples/a/job.toml"), "job").unwrap();
    std::fs::write(folder.join("guide/examples/a/texunit-out/x"), "result").unwrap();
    std::fs::write(folder.join("outside"), "outside").unwrap();
    (folder, program)
}

#[test]
fn files_of_a_clone() {
    let place = folder("examples-clone");
    let to = place.join("new/guide");
    let output = examples(Path::new(PROGRAM), &[&to]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for file in ["examples/rotate/job.toml", "examples/rotate/tiles.png", "docs/textures/grid.png"]
    {
        assert_eq!(
            std::fs::read(to.join(file)).unwrap(),
            std::fs::read(root().join(file)).unwrap(),
            "{file}"
        );
    }
    let code = Command::new("test").arg("-x").arg(to.join("action/setup")).status().unwrap();
    assert!(code.success(), "a script is no program any more");
    // A changed file is kept; `--force` restores it; other files always stay.
    let job = to.join("examples/rotate/job.toml");
    std::fs::write(&job, "mine").unwrap();
    std::fs::write(to.join("examples/mine"), "mine").unwrap();
    std::fs::remove_file(to.join("examples/README.md")).unwrap();
    fails(&examples(Path::new(PROGRAM), &[&to]), "exists; --force replaces it");
    assert!(!to.join("examples/README.md").exists(), "some files were written");
    assert_eq!(std::fs::read(&job).unwrap(), b"mine");
    assert!(examples(Path::new(PROGRAM), &[&to, Path::new("--force")]).status.success());
    assert_ne!(std::fs::read(&job).unwrap(), b"mine");
    assert_eq!(std::fs::read(to.join("examples/mine")).unwrap(), b"mine");
    // Destinations where no file can be written.
    std::fs::write(place.join("file"), "").unwrap();
    fails(&examples(Path::new(PROGRAM), &[&place.join("file")]), "cannot make the folder");
    std::fs::remove_dir_all(place).unwrap();
}

#[test]
fn files_of_a_package() {
    let (place, program) = package("examples-package", "# remark\nexamples\n");
    let to = place.join("written");
    let output = examples(&program, &[&to]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(std::fs::read(to.join("examples/a/job.toml")).unwrap(), b"job");
    assert!(!to.join("examples/a/texunit-out").exists(), "a result is no example");
    fails(&examples(&program, &[&place.join("guide"), Path::new("--force")]), "already");
    std::fs::remove_dir_all(place).unwrap();
    for entry in ["../outside", "/etc/hostname", "examples/../../outside"] {
        let (place, program) = package("examples-outside", entry);
        fails(&examples(&program, &[&place.join("written")]), "which is not a path in it");
        assert!(!place.join("written").exists() && !place.join("outside/written").exists());
        std::fs::remove_dir_all(place).unwrap();
    }
    let (place, program) = package("examples-missing", "examples/b\n");
    fails(&examples(&program, &[&place.join("written")]), "examples/b: No such file");
    std::fs::remove_file(place.join("guide/examples/guide.txt")).unwrap();
    fails(&examples(&program, &[&place.join("written")]), "a clone of its repository has them");
    std::fs::remove_dir_all(place).unwrap();
}
