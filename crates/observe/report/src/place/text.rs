//! Reads lines of the source files that a PTX names. The names are untrusted.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum size of a source file in bytes.
const LARGEST: u64 = 16 << 20;
/// Maximum total size in bytes of cached files.
const MAX_KEPT: usize = 64 << 20;
/// Maximum number of cached results, including files that cannot be read.
const MAX_FILES: usize = 1024;

/// The cache of source files.
static FILES: Mutex<Option<Files>> = Mutex::new(None);

#[derive(Default)]
struct Files {
    texts: HashMap<String, Option<Arc<Text>>>,
    bytes: usize,
}

struct Text {
    bytes: Vec<u8>,
    starts: Vec<u32>,
}

/// The text of a line (from 1), without its end. `None` if the file or line does not exist, or the
/// file is not a regular file of moderate size. Each file is read only once.
pub fn line_of_file(file: &str, line: u32) -> Option<String> {
    let text = text(file)?;
    let index = (line as usize).checked_sub(1)?;
    let start = *text.starts.get(index)? as usize;
    let end = text.starts.get(index + 1).map_or(text.bytes.len(), |&next| next as usize);
    let line = String::from_utf8_lossy(&text.bytes[start..end]);
    Some(super::cut(line.trim_end_matches(['\n', '\r'])))
}

fn text(file: &str) -> Option<Arc<Text>> {
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let files = files.get_or_insert_default();
    if let Some(known) = files.texts.get(file) {
        return known.clone();
    }
    let text = read(file).map(Arc::new);
    let size = text.as_ref().map_or(0, |text| text.bytes.len() + 4 * text.starts.len());
    if files.bytes + size > MAX_KEPT || files.texts.len() >= MAX_FILES {
        *files = Files::default();
    }
    files.bytes += size;
    files.texts.insert(file.to_owned(), text.clone());
    text
}

fn read(file: &str) -> Option<Text> {
    // Opening a device can have side effects, and opening a pipe can block.
    let plain = |about: std::fs::Metadata| about.is_file() && about.len() <= LARGEST;
    std::fs::metadata(file).ok().filter(|about| plain(about.clone()))?;
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NONBLOCK | libc::O_NOCTTY,
    );
    let file = options.open(file).ok()?;
    let about = file.metadata().ok()?;
    // Kernel files, such as those in /proc, have size 0 and may block.
    let size = about.len();
    if !plain(about) || size == 0 {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(size).read_to_end(&mut bytes).ok()?;
    let ends = bytes.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
    let starts = std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1)).collect();
    Some(Text { bytes, starts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_plain_files_only() {
        let folder = texunit_testkit::TempDir::new("lines");
        let file = folder.join("a.cu");
        std::fs::write(&file, b"first\r\n  second \n\xff\n").unwrap();
        let name = file.to_str().unwrap();
        assert_eq!(line_of_file(name, 1).as_deref(), Some("first"));
        assert_eq!(line_of_file(name, 2).as_deref(), Some("  second"));
        for line in [0, 5, u32::MAX] {
            assert_eq!(line_of_file(name, line), None);
        }
        for other in
            ["", "/", "/dev/zero", "/dev/tty", "/proc/kmsg", "/proc/self/mem", "no such file"]
        {
            assert_eq!(line_of_file(other, 1), None, "{other}");
        }
        let big = folder.join("big");
        File::create(&big).unwrap().set_len(LARGEST + 1).unwrap();
        assert_eq!(line_of_file(big.to_str().unwrap(), 1), None);
        // The file is not read again.
        std::fs::remove_file(&file).unwrap();
        assert_eq!(line_of_file(name, 1).as_deref(), Some("first"));
    }

    #[cfg(unix)]
    #[test]
    fn no_pipe_is_waited_for() {
        let folder = texunit_testkit::TempDir::new("lines");
        let pipe = folder.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert_eq!(line_of_file(pipe.to_str().unwrap(), 1), None);
    }
}
