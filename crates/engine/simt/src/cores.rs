//! How many threads of the host run at a time.

use std::sync::OnceLock;

/// Host threads of a launch that asks for as many as there are cores. The system is asked once: it reads files for the
/// answer, which takes longer than a small launch.
pub fn cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}
