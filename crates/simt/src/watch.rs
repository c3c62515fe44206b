//! Fetches and surface accesses of one thread, recorded while launches run.

use std::sync::{Arc, Mutex, PoisonError};
use texunit_syntax::Span;
use texunit_unit::{AccessFault, FetchForm, FetchOperands, Sampler, Surface, SurfaceForm, Texture};

/// Accesses that are kept; a loop may make any number of them.
const MOST: usize = 10_000;

/// A thread whose accesses are recorded, and what it has done so far, whether or not the launch
/// came to its end. Fills up at 10,000 accesses; later ones are only counted. Or all threads, whose
/// accesses are told as they happen.
#[derive(Debug)]
pub struct Watch {
    thread: [u32; 3],
    seen: Mutex<Seen>,
    listener: Option<Listener>,
}

/// What is told of all threads: CTA, thread, access.
type Tell = dyn Fn([u32; 3], [u32; 3], &WatchedAccess) + Send + Sync;

struct Listener(Box<Tell>);

impl std::fmt::Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Listener")
    }
}

#[derive(Debug, Default)]
struct Seen {
    accesses: Vec<WatchedAccess>,
    more: u64,
}

/// One `tex`, `tld4`, `suld`, `sust` or `sured` of the thread.
#[derive(Clone, Debug)]
pub struct WatchedAccess {
    /// The instruction.
    pub span: Span,
    /// What it did.
    pub what: Watched,
}

/// What an instruction of the thread did.
#[derive(Clone, Debug)]
pub enum Watched {
    /// `tex`, `tld4`
    Fetch(WatchedFetch),
    /// `suld`, `sust`, `sured`
    Surface(WatchedSurface),
}

/// A fetch: everything that `reference::trace` needs, and what came of it.
#[derive(Clone, Debug)]
pub struct WatchedFetch {
    /// Instruction form.
    pub form: FetchForm,
    /// The thread's operands.
    pub operands: FetchOperands,
    /// What was read.
    pub texture: Arc<Texture>,
    /// How it was read.
    pub sampler: Sampler,
    /// All components, also those that the kernel does not use.
    pub values: [u32; 4],
    /// The destination predicate, whether or not the instruction has one.
    pub resident: bool,
}

/// A surface access and what came of it.
#[derive(Clone, Debug)]
pub struct WatchedSurface {
    /// Instruction form.
    pub form: SurfaceForm,
    /// The thread's coordinates, layer first.
    pub coords: [u32; 3],
    /// What was read or written.
    pub surface: Arc<Surface>,
    /// Elements that were loaded, stored or combined, or why the access failed.
    pub outcome: Result<[u64; 4], AccessFault>,
}

impl Watch {
    /// Watches the thread with this number in the grid: `%ctaid * %ntid + %tid` of each axis.
    pub fn new(thread: [u32; 3]) -> Self {
        Self { thread, seen: Mutex::default(), listener: None }
    }

    /// Watches all threads: `tell` is called with CTA, thread and each access, by the threads of the
    /// host that execute them.
    pub fn of_all(
        tell: impl Fn([u32; 3], [u32; 3], &WatchedAccess) + Send + Sync + 'static,
    ) -> Self {
        Self { listener: Some(Listener(Box::new(tell))), ..Self::new([0; 3]) }
    }

    pub(crate) fn is_of_all(&self) -> bool {
        self.listener.is_some()
    }

    /// The thread.
    pub fn thread(&self) -> [u32; 3] {
        self.thread
    }

    /// What has been recorded, in the order of execution, and how many accesses came after it.
    pub fn take(&self) -> (Vec<WatchedAccess>, u64) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let Seen { accesses, more } = std::mem::take(&mut *seen);
        (accesses, more)
    }

    pub(crate) fn record(&self, cta: [u32; 3], thread: [u32; 3], access: WatchedAccess) {
        if let Some(listener) = &self.listener {
            return listener.0(cta, thread, &access);
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.accesses.len() < MOST {
            seen.accesses.push(access);
        } else {
            seen.more += 1;
        }
    }

    /// Warp and lane of the thread in a CTA, if it is of that CTA.
    pub(crate) fn lane(&self, cta: [u32; 3], block: [u32; 3]) -> Option<(u32, u32)> {
        let [x, y, z] = self.thread;
        let [w, h, d] = block;
        if [x / w, y / h, z / d] != cta {
            return None;
        }
        let index = x % w + w * (y % h + h * (z % d));
        Some((index / 32, index % 32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thread_is_in_one_cta() {
        let watch = Watch::new([17, 5, 2]);
        let block = [8, 4, 2];
        assert_eq!(watch.lane([2, 1, 1], block), Some((0, 9)));
        assert_eq!(watch.lane([2, 1, 0], block), None);
        assert_eq!(watch.lane([1, 1, 1], block), None);
        let watch = Watch::new([7, 3, 3]);
        assert_eq!(watch.lane([0, 0, 1], block), Some((1, 31)));
        assert_eq!(Watch::new([u32::MAX; 3]).lane([u32::MAX; 3], [1; 3]), Some((0, 0)));
    }
}
