//! The generic address space: which ranges of 64-bit addresses belong to which state space.

use texunit_forms::words;

/// Size of the shared, local, parameter and constant windows.
pub const WINDOW_SIZE: u64 = 1 << 32;
/// First generic address of the CTA's shared memory.
pub const SHARED_WINDOW: u64 = 0x0001_0000_0000_0000;
/// First generic address of the thread's local memory.
pub const LOCAL_WINDOW: u64 = 0x0002_0000_0000_0000;
/// First generic address of the kernel's parameters.
pub const PARAM_WINDOW: u64 = 0x0003_0000_0000_0000;
/// Lowest address of `.const` variables.
pub const CONST_BASE: u64 = 0x0000_6000_0000_0000;
/// First address past those of `.const` variables.
pub const CONST_END: u64 = CONST_BASE + WINDOW_SIZE;
/// Lowest address of `.global` variables and buffers.
pub const GLOBAL_BASE: u64 = 0x0000_7000_0000_0000;

words! {
    /// State space of a generic address (PTX ISA, `isspacep`). `.param` is that of the kernel.
    #[derive(Default)]
    SpaceKind {
        #[default]
        Global = ".global", Const = ".const", Shared = ".shared", Local = ".local", Param = ".param",
    }
}

/// The state space that a generic address points into. Addresses outside the windows are global.
pub fn space_of(address: u64) -> SpaceKind {
    match address {
        a if a.wrapping_sub(SHARED_WINDOW) < WINDOW_SIZE => SpaceKind::Shared,
        a if a.wrapping_sub(LOCAL_WINDOW) < WINDOW_SIZE => SpaceKind::Local,
        a if a.wrapping_sub(PARAM_WINDOW) < WINDOW_SIZE => SpaceKind::Param,
        a if (CONST_BASE..CONST_END).contains(&a) => SpaceKind::Const,
        _ => SpaceKind::Global,
    }
}
