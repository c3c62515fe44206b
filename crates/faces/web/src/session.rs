//! The state of the page's web worker.

use crate::keys::Keys;
use crate::writers::Writers;
use std::sync::Arc;
use texunit_device::{Device, Kernel, SourceFile};
use texunit_files::MemoryFiles;
use texunit_job::{Bound, Job};
use texunit_lsp::Server;
use texunit_sample::file::FileOptions;
use texunit_unit::{Geometry, Resource, Texture};

/// The state that the page's worker keeps between calls.
#[derive(Debug, Default)]
pub struct Session {
    /// The file that the user has opened, for `tex=own`.
    pub(crate) own: Option<UserFile>,
    /// The texture that was created last, with its keys.
    pub(crate) made: Option<CachedTexture>,
    /// The files of the page's job, which are kept until another example is started.
    pub(crate) files: MemoryFiles,
    /// The kernel that was started last.
    pub(crate) run: Option<Run>,
    /// Textures of explained fetches that no keys describe. The page names such a texture by its
    /// index here.
    pub(crate) subjects: Vec<Arc<Texture>>,
    pub(crate) lsp: Server,
}

impl Session {
    /// A session without file, texture and kernel.
    pub fn new() -> Self {
        Self::default()
    }
}

/// A texture file that the user has opened in the page.
#[derive(Debug)]
pub(crate) struct UserFile {
    pub(crate) name: String,
    pub(crate) bytes: Arc<[u8]>,
    /// The registration of the file's bytes as a virtual file. The file can be opened by its name
    /// as long as this exists.
    pub(crate) _held: MemoryFiles,
}

/// A created texture, and the keys that it was created from.
#[derive(Debug)]
pub(crate) struct CachedTexture {
    /// The keys that the texture depends on, and the geometry of the instruction.
    pub(crate) of: (Keys, Option<Geometry>),
    pub(crate) resource: Arc<Resource>,
    pub(crate) srgb: bool,
    pub(crate) options: FileOptions,
    pub(crate) name: String,
}

/// A kernel that is run a range of CTAs at a time.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) job: Job,
    pub(crate) job_source: SourceFile,
    pub(crate) kernel: Kernel,
    pub(crate) device: Device,
    pub(crate) bound: Bound,
    pub(crate) writers: Arc<Writers>,
    pub(crate) total: u64,
    pub(crate) done: u64,
}
