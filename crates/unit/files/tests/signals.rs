//! What is left of files that were not finished when a signal ends the process. The process is this
//! test program, started anew with a variable that says what it is to do.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use texunit_files::Prepared;
use texunit_testkit::TempDir;

const FOLDER: &str = "TEXUNIT_TEST_FOLDER";

fn left(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap();
    names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// One of the tests below that do the work, in a process of its own, in which no signal is ignored:
/// those of a background job are in the whole test.
fn child(test: &str, shell: &str, folder: &Path) -> Command {
    let mut command = Command::new("env");
    command
        .args(["--default-signal", "sh", "-c"])
        .arg(format!("{shell}; exec \"$0\" --exact {test} --ignored --nocapture"));
    command.arg(std::env::current_exe().unwrap()).env(FOLDER, folder);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Two files without their names, and a third one that has it. Waits for its end.
#[test]
#[ignore = "started by the others"]
fn waits() {
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    let _files = ["a", "b"].map(|name| Prepared::new(&folder.join(name), b"text").unwrap());
    texunit_files::write_atomically(&folder.join("c"), b"text").unwrap();
    println!("\nready");
    std::thread::sleep(std::time::Duration::from_secs(600));
}

#[test]
#[ignore = "started by the others"]
fn writes() {
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    let error = Prepared::new(&folder.join("a"), &vec![0; 1 << 20]).unwrap_err();
    println!("\n{error}");
    texunit_files::end_by_signal();
    println!("not ended");
}

/// Starts a process, sends it a signal when its files exist, and returns its exit status.
fn signalled(name: &str, shell: &str, folder: &Path) -> ExitStatus {
    let mut child = child("waits", shell, folder).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line == "ready"));
    assert_eq!(left(folder).len(), 3);
    let number = child.id().to_string();
    assert!(Command::new("kill").args([&format!("-{name}"), &number]).status().unwrap().success());
    child.wait().unwrap()
}

#[test]
fn a_signal_leaves_nothing_half_made() {
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        let folder = TempDir::new(name);
        let status = signalled(name, "true", &folder);
        assert_eq!(status.signal(), Some(number), "{status}");
        assert_eq!(left(&folder), ["c"]);
    }
}

/// Tests that signals which are ignored at the start, as under `nohup` or in background jobs of a
/// shell, stay ignored.
#[test]
fn what_is_ignored_stays_so() {
    let folder = TempDir::new("nohup");
    let mut child = child("waits", "trap '' HUP INT", &folder).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line == "ready"));
    let number = child.id().to_string();
    for name in ["-HUP", "-INT"] {
        assert!(Command::new("kill").args([name, &number]).status().unwrap().success());
    }
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert_eq!(child.try_wait().unwrap(), None);
    assert_eq!(left(&folder).len(), 3);
    assert!(Command::new("kill").args(["-TERM", &number]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    assert_eq!(left(&folder), ["c"]);
}

/// The limit of the size of files: a message, no file, and the signal's own end.
#[test]
fn a_file_that_is_too_large_is_said_and_gone() {
    let folder = TempDir::new("fsize");
    let ended = child("writes", "ulimit -f 64", &folder).output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    assert_eq!(ended.status.signal(), Some(25), "{ended:?}");
    assert!(said.contains("file too large") && !said.contains("not ended"), "{said}");
    assert!(left(&folder).is_empty());
}
