//! Pages of memory without an address: ranges of memory files, which can be shared with other
//! processes.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::{Arc, Mutex};
use texunit_forms::lock;

/// Pages of memory, zero at first (`cuMemCreate`).
#[derive(Debug)]
pub struct Pages {
    file: Arc<File>,
    /// Whether the pages have a separate memory file, instead of a range of the process's file.
    is_own: bool,
    offset: u64,
    size: u64,
}

/// The memory file of a process.
struct ProcessFile {
    file: Arc<File>,
    /// Number of bytes of the file that have been given to pages.
    used: u64,
    /// Id of the process: a forked child must not use its parent's file.
    process: u32,
}

static FILE: Mutex<Option<ProcessFile>> = Mutex::new(None);

/// Size of the trailer of a shareable file, which follows the pages and describes them.
const HEAD: u64 = 4096;
/// The first bytes of the trailer, by which a shareable file is recognised.
const MAGIC: [u8; 16] = *b"texunit memory\x01\0";
/// Seals of the memory file: its size is fixed, so that a process which maps the file cannot meet a
/// missing page (SIGBUS).
const SEALS: i32 = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;

/// Name of the memory files that hold pages. Other processes can map such a file.
const NAME: &CStr = c"texunit memory";

/// Makes an empty memory file, whose name `/proc/self/maps` shows.
pub(crate) fn memory_file(name: &CStr, flags: u32) -> io::Result<File> {
    // SAFETY: the name is a C string.
    let number = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | flags) };
    if number < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was opened above, and has no other owner.
    Ok(File::from(unsafe { OwnedFd::from_raw_fd(number) }))
}

impl Pages {
    /// Pages of `size` bytes, a multiple of the system's page size, for this process alone.
    ///
    /// # Errors
    /// The system cannot make a memory file.
    pub fn new(size: u64) -> io::Result<Self> {
        let mut of_process = lock(&FILE);
        let process = std::process::id();
        let known = match of_process.take().filter(|known| known.process == process) {
            Some(known) => known,
            None => ProcessFile { file: Arc::new(memory_file(NAME, 0)?), used: 0, process },
        };
        let known = of_process.insert(known);
        let end = known.used.checked_add(size).ok_or(io::ErrorKind::OutOfMemory)?;
        known.file.set_len(end)?;
        let offset = std::mem::replace(&mut known.used, end);
        Ok(Self { file: Arc::clone(&known.file), is_own: false, offset, size })
    }

    /// Pages of `size` bytes in a file that other processes can be given, with a `note` of at most
    /// 1024 bytes.
    ///
    /// # Errors
    /// The system cannot make a memory file.
    pub fn shareable(size: u64, note: &[u8]) -> io::Result<Self> {
        let own = memory_file(NAME, libc::MFD_ALLOW_SEALING)?;
        own.set_len(size.checked_add(HEAD).ok_or(io::ErrorKind::OutOfMemory)?)?;
        let mut head = MAGIC.to_vec();
        head.extend(size.to_le_bytes());
        head.extend((note.len() as u64).to_le_bytes());
        head.extend(note);
        own.write_all_at(&head, size)?;
        // SAFETY: the call takes no pointer.
        if unsafe { libc::fcntl(own.as_raw_fd(), libc::F_ADD_SEALS, SEALS) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { file: Arc::new(own), is_own: true, offset: 0, size })
    }

    /// The pages and the note of a file that [`Self::shareable`] has made, in this process or
    /// another. The caller keeps its descriptor.
    ///
    /// # Errors
    /// The descriptor is not such a file.
    pub fn of_file(number: i32) -> io::Result<(Self, Vec<u8>)> {
        let wrong = || io::Error::from(io::ErrorKind::InvalidData);
        if number < 0 {
            return Err(wrong());
        }
        // SAFETY: the call takes no pointer; an invalid descriptor is refused.
        let copy = unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 0) };
        if copy < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was opened above, and has no other owner.
        let own = File::from(unsafe { OwnedFd::from_raw_fd(copy) });
        // SAFETY: the call takes no pointer.
        let seals = unsafe { libc::fcntl(own.as_raw_fd(), libc::F_GET_SEALS) };
        let size = own.metadata()?.len().checked_sub(HEAD).ok_or_else(wrong)?;
        if seals < 0 || seals & SEALS != SEALS {
            return Err(wrong());
        }
        let mut head = [0; 32];
        own.read_exact_at(&mut head, size)?;
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| head[at + i]));
        if head[..16] != MAGIC || word(16) != size || word(24) > 1024 {
            return Err(wrong());
        }
        let mut note = vec![0; word(24) as usize];
        own.read_exact_at(&mut note, size + 32)?;
        Ok((Self { file: Arc::new(own), is_own: true, offset: 0, size }, note))
    }

    /// A new file descriptor, owned by the caller, that other processes can be given. `None` if
    /// these pages are not shareable, or if the process has no descriptors left.
    pub fn new_number(&self) -> Option<i32> {
        // SAFETY: the call takes no pointer.
        let number = || unsafe { libc::fcntl(self.file.as_raw_fd(), libc::F_DUPFD, 0) };
        self.is_own.then(number).filter(|&number| number >= 0)
    }

    /// The file descriptor within this process, as other processes find it in `/proc`. `None` if
    /// the pages have no file of their own.
    pub fn own_number(&self) -> Option<i32> {
        self.is_own.then(|| self.file.as_raw_fd())
    }

    /// Writes bytes to the pages.
    pub(crate) fn write(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, self.offset + at)
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Identity of the pages: the inode of the file and the offset in it. Pages with the same
    /// identity are the same memory.
    pub(crate) fn identity(&self) -> (u64, u64) {
        (self.file.metadata().map_or(0, |of_file| of_file.ino()), self.offset)
    }

    /// Maps the first `size` bytes of the pages at reserved addresses of the process.
    pub(crate) fn put(&self, at: u64, size: u64, rights: i32) -> bool {
        let Ok(offset) = libc::off_t::try_from(self.offset) else { return false };
        let wanted = std::ptr::with_exposed_provenance_mut(at as usize);
        let flags = libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_NORESERVE;
        let number = self.file.as_raw_fd();
        // SAFETY: the caller has reserved the addresses; the file has all of these bytes, and never
        // shrinks.
        let found = unsafe { libc::mmap(wanted, size as usize, rights, flags, number, offset) };
        found != libc::MAP_FAILED
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        if self.is_own {
            return;
        }
        let how = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        if let [Ok(offset), Ok(size)] = [self.offset, self.size].map(libc::off_t::try_from) {
            // SAFETY: the call takes no pointer. No owner of these bytes is left.
            unsafe { libc::fallocate(self.file.as_raw_fd(), how, offset, size) };
        }
    }
}

#[cfg(test)]
pub(super) fn file_without_seals(size: u64) -> File {
    let file = memory_file(NAME, libc::MFD_ALLOW_SEALING).expect("the system has files in memory");
    file.set_len(size).expect("it has room");
    file
}
