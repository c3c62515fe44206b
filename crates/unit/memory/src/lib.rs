//! The memory that kernels see: blocks of bytes at device addresses, every access checked.
//!
//! * A [`Block`] is one allocation. It hands out loads, stores and atomics at byte offsets.
//! * [`Memory`] owns the blocks of a device and gives addresses out.
//! * A [`MemoryMap`] is the frozen table of blocks that a launch searches.
//! * A [`Window`] is a part of a block for reads of many elements at once (texels of a warp).
//! * A [`Reach`] is what machine code may reach of a block.
//! * `Pages` are memory without an address (on Linux), which can be `Mapped` at several places of addresses that are
//!   `Reserved`, and shared with other processes; what is mapped side by side is one block.
//! * A [`Heap`] gives out parts of one block to kernels.
//! * A block has an [`End`]: from then on a use of it is an error that can name it. [`rights`] asks the system what
//!   the program may do with its own memory.
//! * [`hint`] asks the caches of the CPU for what comes.
//!
//! # The invariant behind every unsafe access
//!
//! The bytes of a block live in one allocation that is never moved, resized or freed while a [`Block`] exists, or in
//! memory of the host program that stays as long as the block is used ([`Block::foreign`] says what that means),
//! and no Rust reference (`&[u8]`, `&mut [u8]`) to them is ever made. Threads
//! that run CTAs read and write the same bytes at the same time, so each access is an instruction of the machine
//! that the compiler knows nothing of (module `cell`), made through a pointer that the bounds check has proved to
//! lie inside. A race between CTAs is therefore the kernel's own affair, with an outcome that a GPU could give, and
//! never undefined behaviour of ours, whatever the sizes of the accesses.

#![allow(unsafe_code)]

mod block;
mod cell;
mod error;
mod fill;
mod graves;
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

pub use block::{Block, End, Gone, OutOfBounds};
pub use error::{AddressError, AllocError, AttachError, Near, PlaceError};
pub use fill::{Fill, Fresh, NoFill};
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
