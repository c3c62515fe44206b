//! Why a program cannot be started, in words that one can act on.

use object::Endianness;
use object::elf::{self, FileHeader64, ProgramHeader64};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{ReadCache, ReadRef};
use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::Path;

/// A path that is not a regular file.
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

/// The system's reason for refusing an existing file, and what it means.
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

/// Programs that no kernel of this machine would run. The C library would give them to a shell, which
/// takes them for a script.
pub(super) fn unfit(path: &Path) -> Option<String> {
    let cache = ReadCache::new(File::open(path).ok()?);
    let data = &cache;
    let ident = data.read_bytes_at(0, 5).ok()?;
    // Programs of 32 bits may run, though not with our libraries.
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

/// The processor of a program; none if a part is missing of what is loaded.
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

/// The processor of this program, as program files name it.
fn own_machine() -> Option<elf::Machine> {
    match std::env::consts::ARCH {
        "x86_64" => Some(elf::EM_X86_64),
        "aarch64" => Some(elf::EM_AARCH64),
        _ => None,
    }
}

/// Whether a report, or what else a run leaves, can be written: better known now than after an hour's run. Nothing is left
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
        // A terminal or a pipe: opening that may wait for a reader.
        Ok(_) => Ok(()),
        Err(_) => {
            File::create_new(path).map_err(|e| cannot(&e))?;
            std::fs::remove_file(path).map_err(|e| cannot(&e))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
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
        // Code of a test is longer; what a debugger reads can be most of the file.
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
