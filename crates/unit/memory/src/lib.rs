//! Device memory: blocks of bytes at device addresses, with every access checked.
//!
//! * A [`Block`] is one allocation. It has loads, stores and atomics at byte offsets.
//! * [`Memory`] owns the blocks of a device and assigns addresses.
//! * A [`MemoryMap`] is the frozen table of blocks that a launch searches.
//! * A [`Window`] is a part of a block for reads of many elements at once (texels of a warp).
//! * A [`Reach`] is the range of a block that machine code may access.
//! * `Pages` (on Linux) are memory without an address, which can be `Mapped` at several `Reserved`
//!   address ranges and shared with other processes; adjacent mappings form one block.
//! * A [`Heap`] allocates parts of one block for kernels.
//! * A block can [`End`]: from then on, a use of it is an error that names the block. [`rights`]
//!   asks the system for the program's access rights to its own memory.
//! * [`hint`] prefetches and bypasses caches of the CPU.
//!
//! # The invariant behind every unsafe access
//!
//! The bytes of a block are in one allocation that is never moved, resized or freed while a
//! [`Block`] exists, or in memory of the host program that stays mapped as long as the block is
//! used ([`Block::foreign`] has the exact condition). No Rust reference (`&[u8]`, `&mut [u8]`) to
//! them is made; the one exception are the results of a library's work (`texunit_cuda_abi::work`).
//! Threads that run CTAs read and write the same bytes at the same time, so each access is a
//! machine instruction that is opaque to the compiler (module `cell`), through a pointer that the
//! bounds check has proved to be inside. A race between CTAs is therefore a property of the kernel,
//! with an outcome that a GPU could give, and never undefined behaviour of texunit, whatever the
//! sizes of the accesses.

#![allow(unsafe_code)]

/// Defines public functions that call the function of the same name in the module `linux`, and that
/// return the given value on other systems.
macro_rules! on_linux {
    ($($(#[$doc:meta])* $name:ident($($a:ident: $t:ty),*) -> $r:ty = $otherwise:expr;)*) => {
        $($(#[$doc])*
        pub fn $name($($a: $t),*) -> $r {
            #[cfg(all(target_os = "linux", not(miri)))]
            return linux::$name($($a),*);
            #[cfg(not(all(target_os = "linux", not(miri))))]
            {
                let _ = ($($a,)*);
                $otherwise
            }
        })*
    };
}

mod block;
mod cell;
mod error;
mod fill;
mod freed;
mod heap;
pub mod hint;
mod host;
mod map;
#[cfg(all(target_os = "linux", not(miri)))]
mod mapped;
mod reach;
mod space;
pub mod views;
mod window;

pub use block::{Block, End, FreedBlock, OutOfBounds};
pub use error::{AddressError, AllocError, AttachError, NearestBlock, PlacementError};
pub use fill::{Fill, InitialContents, InvalidFill};
pub use heap::{FreeError, Heap, SavedHeap};
pub use host::{Rights, rights, rights_to_pin};
pub use map::{Memory, MemoryMap, Placement, Windows};
#[cfg(all(target_os = "linux", not(miri)))]
pub use mapped::{Mapped, Pages, Reserved};
pub use reach::Reach;
pub use space::{
    CONST_BASE, CONST_END, GLOBAL_BASE, LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, SpaceKind,
    WINDOW_SIZE, space_of,
};
pub use window::Window;
