//! Explains why a program cannot be started.

use object::elf::{self, FileHeader64, ProgramHeader64};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, ReadCache, ReadRef};
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::Path;

/// The message for a path that is not a regular file.
pub(super) fn no_file(path: &Path) -> String {
    let shown = path.display();
    match path.metadata() {
        Ok(found) if found.is_dir() => format!("{shown} is a folder, not a program"),
        Ok(_) => format!("{shown} is not a program"),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            format!("{shown}: no such file")
        }
        Err(error) => format!("{shown}: {error}"),
    }
}

/// The message for an existing file that the system refuses to run.
pub(super) fn refused(path: &Path, error: &std::io::Error) -> String {
    let hint = match error.kind() {
        ErrorKind::PermissionDenied if !super::is_program(path) => {
            "; it is not marked as a program (chmod +x)"
        }
        ErrorKind::NotFound => {
            "; the file is there, but not what runs it: the interpreter of its first line, or the dynamic linker \
             that it names"
        }
        _ => "",
    };
    format!("{}: {error}{hint}", path.display())
}

/// The message for programs in formats that this machine cannot run. The C library would run them
/// as shell scripts.
pub(super) fn unfit(path: &Path) -> Option<String> {
    let cache = ReadCache::new(File::open(path).ok()?);
    let data = &cache;
    let ident = data.read_bytes_at(0, 5).ok()?;
    // 32-bit programs may run, but not with texunit's libraries.
    if ident[..4] != elf::ELFMAG || ident[4] == elf::ELFCLASS32.0 {
        return None;
    }
    match (machine(data), own_machine()) {
        (None, _) => Some(format!("{} is damaged: it ends too early", path.display())),
        (Some(found), Some(own)) if found != own => Some(format!(
            "{} is a program for another kind of processor; texunit's libraries are for {}",
            path.display(),
            std::env::consts::ARCH
        )),
        _ => None,
    }
}

/// The processor of a program; `None` if the file is truncated.
fn machine(data: &ReadCache<File>) -> Option<elf::Machine> {
    let header = FileHeader64::<Endianness>::parse(data).ok()?;
    let endian = header.endian().ok()?;
    let length = data.len().ok()?;
    let is_there = |segment: &ProgramHeader64<Endianness>| {
        let end = segment.p_offset(endian).checked_add(segment.p_filesz(endian));
        segment.p_type(endian) != elf::PT_LOAD || end.is_some_and(|end| end <= length)
    };
    let segments = header.program_headers(endian, data).ok()?;
    segments.iter().all(is_there).then(|| header.e_machine(endian))
}

/// The processor of this program, in ELF's numbering.
fn own_machine() -> Option<elf::Machine> {
    match std::env::consts::ARCH {
        "x86_64" => Some(elf::EM_X86_64),
        "aarch64" => Some(elf::EM_AARCH64),
        _ => None,
    }
}

/// Checks that an output file can be written, before a run that may take hours. Nothing is left
/// behind.
pub(super) fn writable(what: &str, path: &Path) -> Result<(), String> {
    let cannot = |why: &dyn std::fmt::Display| {
        format!("the {what} {} cannot be written: {why}", path.display())
    };
    match path.metadata() {
        Ok(found) if found.is_dir() => Err(cannot(&"it is a folder")),
        Ok(found) if found.is_file() => {
            OpenOptions::new().append(true).open(path).map(drop).map_err(|e| cannot(&e))
        }
        // Opening a terminal or pipe may block.
        Ok(_) => Ok(()),
        Err(_) => {
            File::create_new(path).map_err(|e| cannot(&e))?;
            std::fs::remove_file(path).map_err(|e| cannot(&e))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_testkit::TempDir;

    #[test]
    fn a_report_needs_a_place() {
        let folder = TempDir::new("report");
        assert!(writable("report", &folder).unwrap_err().contains("it is a folder"));
        assert!(writable("report", &folder.join("nowhere/report.json")).is_err());
        let file = folder.join("report.json");
        assert_eq!(writable("report", &file), Ok(()));
        assert!(!file.exists());
        std::fs::write(&file, "old").unwrap();
        assert_eq!(writable("report", &file), Ok(()));
        assert_eq!(std::fs::read(&file).unwrap(), b"old");
    }

    #[test]
    fn only_programs_for_this_machine_are_fit() {
        let own = std::env::current_exe().unwrap();
        assert_eq!(unfit(&own), None);
        assert_eq!(unfit(Path::new(file!())), None);
        let folder = TempDir::new("unfit");
        let file = folder.join("program");
        let mut start = std::fs::read(&own).unwrap();
        // The test's own executable is larger, and debug information can be most of it.
        for length in [1 << 16, 200] {
            start.truncate(length);
            std::fs::write(&file, &start).unwrap();
            assert!(unfit(&file).unwrap().contains("is damaged"));
        }
        // No program headers, and another processor.
        start[0x38..0x3a].fill(0);
        start[0x12..0x14].copy_from_slice(&elf::EM_S390.0.to_le_bytes());
        std::fs::write(&file, &start).unwrap();
        assert!(unfit(&file).unwrap().contains("another kind of processor"));
    }

    #[test]
    fn what_is_no_file_is_said() {
        assert!(no_file(Path::new("/")).contains("is a folder"));
        assert!(no_file(Path::new("/nowhere/x")).contains("no such file"));
    }
}
