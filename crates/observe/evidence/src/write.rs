//! Writes a report to its destination: a file, a terminal, or a pipe.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a pipe's reader may pause before the write fails.
const PIPE_TIMEOUT: Duration = Duration::from_secs(5);
/// The error code of the system for opening a pipe without a reader.
const ENXIO: i32 = 6;

/// The path of one process's report: `%p` in `path` stands for the process ID, `%%` for `%`.
pub fn name_of_process(path: &Path, process: u32) -> PathBuf {
    let name = path.to_string_lossy();
    if !name.contains('%') {
        return path.to_owned();
    }
    let (mut text, mut rest) = (String::new(), &*name);
    while let Some((before, behind)) = rest.split_once('%') {
        text += before;
        match behind.starts_with('p') {
            true => text += &process.to_string(),
            false => text.push('%'),
        }
        rest = behind.strip_prefix(['p', '%']).unwrap_or(behind);
    }
    (text + rest).into()
}

/// Whether a path contains `%p`, so that each process writes a report of its own.
pub fn is_of_each_process(path: &Path) -> bool {
    name_of_process(path, 1) != name_of_process(path, 2)
}

/// Writes a report. A file appears under its name only when it is complete; a terminal or pipe is
/// written to directly. The function waits neither for a pipe's first reader nor for one that stops
/// reading. The caller must ignore SIGPIPE.
///
/// # Errors The report cannot be written, or the pipe has no reader.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match path.metadata() {
        _ if is_descriptor(path) => write_in_place(path, bytes),
        Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        // A symbolic link remains, and the file that it leads to is replaced.
        Ok(found) if found.is_file() => replace(&path.canonicalize()?, bytes, Some(&found)),
        Ok(_) => write_in_place(path, bytes),
        Err(_) => replace(path, bytes, None),
    }
}

/// Whether [`write()`] appends to the destination: a terminal, a pipe, or the target of standard
/// output.
pub fn is_written_in_place(path: &Path) -> bool {
    is_descriptor(path) || path.metadata().is_ok_and(|found| !found.is_file())
}

/// Whether a path names one of the process's descriptors, whose file must not be replaced. Other
/// files in /dev are treated as elsewhere: /dev/shm has regular files.
fn is_descriptor(path: &Path) -> bool {
    let (folder, name) = (path.parent().unwrap_or(path), path.file_name().unwrap_or_default());
    let is_standard = ["stdin", "stdout", "stderr"].iter().any(|stream| name == *stream);
    folder == Path::new("/dev/fd")
        || folder == Path::new("/dev") && is_standard
        || folder.starts_with("/proc") && folder.ends_with("fd")
}

/// Writes a temporary file in the folder of `path`, and renames it to `path`.
fn replace(path: &Path, bytes: &[u8], like: Option<&std::fs::Metadata>) -> io::Result<()> {
    // The temporary name is not derived from the final one, which may already have the maximum
    // length.
    let beside = |n: u32| path.with_file_name(format!(".texunit-{}-{n}.part", std::process::id()));
    let mut files = (0..100).map(beside).map(|new| (File::create_new(&new), new));
    let is_there = io::ErrorKind::AlreadyExists;
    let made = files.find(|(file, _)| !file.as_ref().is_err_and(|error| error.kind() == is_there));
    let (file, new) = made.ok_or(is_there)?;
    let mut file = file?;
    let written = file.write_all(bytes).and_then(|()| match like {
        Some(like) => file.set_permissions(like.permissions()),
        None => Ok(()),
    });
    let done = written.and_then(|()| std::fs::rename(&new, path));
    if done.is_err() {
        let _ = std::fs::remove_file(&new);
    }
    done
}

fn write_in_place(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = File::options();
    // Standard output's file may have contents, so the report is appended.
    options.append(true);
    #[cfg(target_os = "linux")]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, O_NONBLOCK);
    let mut file = options.open(path).map_err(|error| match error.raw_os_error() {
        Some(ENXIO) => io::Error::other("the pipe has no reader"),
        _ => error,
    })?;
    let (mut rest, mut last) = (bytes, Instant::now());
    while !rest.is_empty() {
        match file.write(rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => (rest, last) = (&rest[count..], Instant::now()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if last.elapsed() > PIPE_TIMEOUT {
                    return Err(io::Error::other("the reader of the pipe has stopped reading"));
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Open and write without blocking; the value is Linux's.
#[cfg(target_os = "linux")]
const O_NONBLOCK: i32 = 0o4000;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn no_pipe_is_waited_for() {
        let folder = texunit_testkit::TempDir::new("report");
        let pipe = folder.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let why = write(&pipe, b"report").unwrap_err().to_string();
        assert_eq!(why, "the pipe has no reader");
        // More than a pipe's buffer, to a slow reader.
        let long = vec![b'x'; 1 << 20];
        let open = File::options().read(true).write(true).open(&pipe).unwrap();
        let reader = std::thread::spawn(move || {
            let mut all = vec![0; 1 << 20];
            std::thread::sleep(Duration::from_millis(50));
            io::Read::read_exact(&mut &open, &mut all).unwrap();
            all
        });
        write(&pipe, &long).unwrap();
        assert_eq!(reader.join().unwrap(), long);
    }

    #[test]
    fn files_are_replaced_and_links_followed() {
        let folder = texunit_testkit::TempDir::new("report");
        let file = folder.file("file", "an older and longer report");
        // A reader that has opened the old file can still read all of it.
        let mut old = File::open(&file).unwrap();
        write(&file, b"new").unwrap();
        let mut read = String::new();
        io::Read::read_to_string(&mut old, &mut read).unwrap();
        assert_eq!(read, "an older and longer report");
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        let link = folder.join("link");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, b"by a link").unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(std::fs::read(&file).unwrap(), b"by a link");
        assert!(write(&folder, b"").is_err() && write(&folder.join("no/file"), b"").is_err());
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2, "something was left behind");
    }

    #[test]
    fn descriptors_are_written_in_place() {
        let folder = texunit_testkit::TempDir::new("report");
        let file = folder.file("file", "first, ");
        let open = File::options().append(true).open(&file).unwrap();
        let number = std::os::fd::AsRawFd::as_raw_fd(&open);
        for place in ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd"] {
            write(&Path::new(place).join(number.to_string()), b"next, ").unwrap();
        }
        assert_eq!(std::fs::read(&file).unwrap(), b"first, next, next, next, ");
        for place in ["/dev/stdout", "/dev/stderr", "/dev/null", "/proc/1/fd/2"] {
            assert!(is_written_in_place(Path::new(place)), "{place}");
        }
        for place in ["/dev/shm/report.json", "/dev/nothing", "/dev/fd/nothing/file", "stdout"] {
            assert!(!is_written_in_place(Path::new(place)), "{place}");
        }
    }

    #[test]
    fn names_have_numbers() {
        let name = |text: &str| name_of_process(Path::new(text), 42).display().to_string();
        assert_eq!(name("r-%p.json"), "r-42.json");
        assert_eq!(name("100%%/%p%p%%p"), "100%/4242%p");
        assert_eq!(name("a%b%"), "a%b%");
        assert!(is_of_each_process(Path::new("%p")) && !is_of_each_process(Path::new("%%p")));
    }
}
