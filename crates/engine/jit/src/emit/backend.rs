//! The interface between the driver, which is independent of the instruction set, and a back end,
//! which emits code for AVX2 or AVX-512.
//!
//! The driver ([`super::flow`]) walks the blocks, maintains the register cache
//! ([`super::register_cache`]), and emits entries, exits, counting and calls. A back end emits the
//! code of steps with `hold`, `temporary` and `define`, and loads and stores values for the cache.
//!
//! General registers between steps: `rdi` points to the frame, `rsi`, `rdx` and `rcx` to the
//! register files of 32 bits, 64 bits and predicates; `r8d` is the active mask, `r9` points to the
//! constant pool, `r10` is the step count, `r11` the number of threads that did not execute a
//! counted step, and `r15` points to the sites. A step may overwrite `rax`, `rbx`, `rbp` and `r12`
//! to `r14`.

use super::Emitter;
use super::affine::DeferredAddress;
use super::asm::{Label, at};
use super::register_cache::{Key, Reg};
use crate::Error;
use crate::machine::Site;
use crate::operand::{Predicate, Source, VReg};
use crate::region::Step;
use iced_x86::{MemoryOperand, Register};
use std::ops::Range;

/// The memory operand of a field of a site.
pub(super) fn site(number: u32, field: usize) -> MemoryOperand {
    at(Register::R15, number as usize * size_of::<Site>() + field)
}

/// A back end: emits code for one instruction set.
pub(super) trait Backend: Sized + Default {
    /// The number of 32-bit lanes of a vector register. A 32-bit register has `32 / LANES` parts, a
    /// 64-bit register twice as many.
    const LANES: usize;
    /// The number of vector registers that the cache allocates, from `Reg(0)` on. The back end owns
    /// the others.
    const VECTORS: u8;
    /// The number of mask registers that the cache allocates, from `Reg(MASK_0)` on.
    const MASKS: u8;
    /// Registers that break cycles of parallel copies; no step, load or store keeps a value in
    /// them.
    const SPARE: Reg;
    const SPARE_MASK: Reg;
    /// The number of parts of a predicate; 1 if a mask register has all lanes.
    const PREDICATE_PARTS: u8;

    /// A register of 32 or 64 bits whose lanes are compared with each other ([`super::cost`]).
    type Lanes;

    /// Holds a register for [`Self::unless_apart`] until the end of the step.
    fn lanes_of(e: &mut Emitter<'_, Self>, register: VReg) -> Self::Lanes;

    /// Jumps to `to` unless, in each half of the warp, each lane's value is that of the lane before
    /// it plus `apart`.
    fn unless_apart(e: &mut Emitter<'_, Self>, lanes: &Self::Lanes, apart: u64, to: Label);

    /// Loads the values of lanes 0 and 16 into `rax` and `r12`.
    fn firsts(e: &mut Emitter<'_, Self>, lanes: &Self::Lanes);

    /// Computes a deferred register, and caches it.
    fn compute(e: &mut Emitter<'_, Self>, address: DeferredAddress);

    /// Loads the registers that the back end owns, at entries and after calls.
    fn begin(e: &mut Emitter<'_, Self>);

    /// Updates the back end's copies of the active mask after it has changed in `r8d` and
    /// [`crate::frame::Frame::MASK`]. Called only in code for some lanes; must not overwrite
    /// registers that a step may use.
    fn active(e: &mut Emitter<'_, Self>);

    /// Called at an entry of this mode, where the register cache is empty.
    fn entered(_: &mut Emitter<'_, Self>) {}

    /// Loads a value from the register file or from the inputs. May overwrite `rax`.
    fn load(e: &mut Emitter<'_, Self>, to: Reg, key: Key);

    /// Stores a value to the register file, and preserves inactive lanes there. NaNs are stored as
    /// they are. May overwrite `rax` and `rbx`.
    fn store(e: &mut Emitter<'_, Self>, from: Reg, key: Key);

    /// Replaces all NaNs by the canonical NaN.
    fn canonical(e: &mut Emitter<'_, Self>, reg: Reg);

    /// Jumps if a lane is a NaN other than the canonical NaN. May overwrite `rax`.
    fn jump_if_noncanonical_nan(e: &mut Emitter<'_, Self>, reg: Reg, to: Label);

    /// Copies a register to another of its kind.
    fn copy(e: &mut Emitter<'_, Self>, to: Reg, from: Reg);

    /// Loads a predicate into a 32-bit general register, as a mask; the bits of inactive lanes are
    /// undefined.
    fn lanes(e: &mut Emitter<'_, Self>, of: Predicate, to: Register);

    /// Emits `r14 = r13 + r14` of f32 or f64; if both are NaNs, the result is that in `r13`. Uses
    /// temporaries of the back end and the second element of [`crate::frame::Frame::SAVED`].
    fn sum(e: &mut Emitter<'_, Self>, wide: bool);

    /// Stores all lanes of a source to a scratch register, as 32 or 64 bits.
    fn fill_row(e: &mut Emitter<'_, Self>, source: Source, row: usize, narrow: bool) -> Option<()>;

    /// Loads the lanes of a guard from a scratch register of 32 or 64 bits, and masks them with
    /// `keep`. A predicate is loaded from the bits of the first 32-bit element.
    fn take_row(
        e: &mut Emitter<'_, Self>,
        from: (usize, bool),
        to: VReg,
        keep: u64,
        guard: Predicate,
    ) -> Option<()>;

    /// Broadcasts `r12d` or `r12` to the lanes of a guard. A predicate is set to the bits of
    /// `r12d`.
    fn put_number(e: &mut Emitter<'_, Self>, to: VReg, guard: Predicate) -> Option<()>;

    /// Sets `r12d` to the mask of lanes whose value is zero.
    fn zeros(e: &mut Emitter<'_, Self>, of: Source) -> Option<()>;

    /// Checks that the membermasks of the executing lanes are equal and name exactly these lanes
    /// among the live ones, and sets `ebx` to the mask. Exits otherwise.
    fn members(e: &mut Emitter<'_, Self>, step: &Step, members: Option<Source>) -> Option<()>;

    /// Whether a value is probably not needed soon, so that it is evicted first.
    fn is_idle(&self, _: Key) -> bool {
        false
    }

    /// Emits consecutive steps that cannot exit, and calls [`Emitter::after_step`] for each of
    /// them.
    fn steps(e: &mut Emitter<'_, Self>, steps: Range<usize>) -> Result<(), Error>;

    /// Emits a step that may exit ([`Emitter::exit_stub`]) before it has any effect. All registers
    /// that the step needs must be cached before its first jump, so that the register cache is the
    /// same at all its exits.
    fn leaving(e: &mut Emitter<'_, Self>, step: usize) -> Result<(), Error>;
}
