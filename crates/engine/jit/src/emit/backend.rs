//! The interface of the driver to the code of an instruction set.
//!
//! The driver ([`super::flow`]) walks the blocks, maintains the register cache ([`super::register_cache`]) and emits what is
//! independent of vectors: entries, exits, counting, calls. A back end emits the code of steps with `hold`, `temporary` and `define`,
//! and loads and stores values for the cache.
//!
//! General registers between steps: `rdi` the frame, `rsi`, `rdx` and `rcx` the register files of 32 bits, 64 bits and
//! predicates, `r8d` the active mask, `r9` the constant pool, `r10` the step count, `r11` the threads that did not execute a
//! counted step, `r15` the sites. A step may use `rax`, `rbx`, `rbp` and `r12` to `r14`.

use super::Emitter;
use super::affine::DeferredAddress;
use super::asm::{Label, at};
use super::register_cache::{Key, Reg};
use crate::Error;
use crate::machine::Site;
use crate::operand::{Place, Predicate, Source};
use crate::region::Step;
use iced_x86::{MemoryOperand, Register};
use std::ops::Range;

/// A field of a site.
pub(super) fn site(number: u32, field: usize) -> MemoryOperand {
    at(Register::R15, number as usize * size_of::<Site>() + field)
}

/// The code of an instruction set.
pub(super) trait Backend: Sized + Default {
    /// 32-bit lanes of a vector register. A 32-bit register has `32 / LANES` parts, a 64-bit register twice as many.
    const LANES: usize;
    /// Vector registers that the cache allocates, from `Reg(0)` on. The back end owns the others.
    const VECTORS: u8;
    /// Mask registers that the cache allocates, from `Reg(MASK_0)` on.
    const MASKS: u8;
    /// Registers for cyclic copies, which no step, load or store keeps a value in.
    const SPARE: Reg;
    const SPARE_MASK: Reg;
    /// Parts of a predicate. One: a mask register has all lanes.
    const PREDICATE_PARTS: u8;

    /// A register of 32 or 64 bits whose lanes are compared ([`super::cost`]).
    type Lanes;

    /// A register, held for [`Self::unless_apart`] until the end of the step.
    fn lanes_of(e: &mut Emitter<'_, Self>, register: Place) -> Self::Lanes;

    /// Jumps unless each lane of a half of the warp has the value of the lane before it plus `apart`.
    fn unless_apart(e: &mut Emitter<'_, Self>, lanes: &Self::Lanes, apart: u64, to: Label);

    /// `rax` and `r12` become the values of lanes 0 and 16.
    fn firsts(e: &mut Emitter<'_, Self>, lanes: &Self::Lanes);

    /// Computes a deferred register into the cache.
    fn compute(e: &mut Emitter<'_, Self>, address: DeferredAddress);

    /// Loads the registers that the back end owns, at entries and after calls.
    fn begin(e: &mut Emitter<'_, Self>);

    /// The active mask has changed, in `r8d` and [`crate::frame::Frame::MASK`]. Only in code for some lanes. Uses no register that
    /// a step may use.
    fn active(e: &mut Emitter<'_, Self>);

    /// The function was entered in this mode, with an empty register cache.
    fn entered(_: &mut Emitter<'_, Self>) {}

    /// Loads a value. May use `rax`.
    fn load(e: &mut Emitter<'_, Self>, to: Reg, key: Key);

    /// Stores a value to the register file, without changing inactive lanes there. Its NaNs are final. May use `rax` and `rbx`.
    fn store(e: &mut Emitter<'_, Self>, from: Reg, key: Key);

    /// Replaces NaNs by the canonical one.
    fn canonical(e: &mut Emitter<'_, Self>, reg: Reg);

    /// Jumps if a lane is a NaN but not the canonical one. May use `rax`.
    fn jump_if_noncanonical_nan(e: &mut Emitter<'_, Self>, reg: Reg, to: Label);

    /// Copies a register to another of its kind.
    fn copy(e: &mut Emitter<'_, Self>, to: Reg, from: Reg);

    /// A predicate as a mask in a 32-bit general register; bits of inactive lanes are undefined.
    fn lanes(e: &mut Emitter<'_, Self>, of: Predicate, to: Register);

    /// `r14` becomes `r13 + r14`, of f32 or f64; of two NaNs the result is that in `r13`. Uses temporaries of the back end and the
    /// second word of [`crate::frame::Frame::SAVED`].
    fn sum(e: &mut Emitter<'_, Self>, wide: bool);

    /// Stores all lanes of a source, as 32 or 64 bits, to a scratch register.
    fn fill_row(e: &mut Emitter<'_, Self>, source: Source, row: usize, narrow: bool) -> Option<()>;

    /// Loads a scratch register, of 32 or 64 bits, into a register in the lanes of a guard: the bits of `keep`. A predicate takes
    /// the bits of the first word.
    fn take_row(
        e: &mut Emitter<'_, Self>,
        from: (usize, bool),
        to: Place,
        keep: u64,
        guard: Predicate,
    ) -> Option<()>;

    /// Broadcasts `r12d` or `r12` to the lanes of a guard. A predicate takes its bits.
    fn put_number(e: &mut Emitter<'_, Self>, to: Place, guard: Predicate) -> Option<()>;

    /// `r12d` becomes the mask of lanes whose value is zero.
    fn zeros(e: &mut Emitter<'_, Self>, of: Source) -> Option<()>;

    /// Checks that the membermasks of the executing lanes are equal and name exactly these lanes of the live ones; `ebx` becomes
    /// the mask. Exits otherwise.
    fn members(e: &mut Emitter<'_, Self>, step: &Step, members: Option<Source>) -> Option<()>;

    /// Whether a value is not needed soon, so that it is evicted first.
    fn is_idle(&self, _: Key) -> bool {
        false
    }

    /// Emits consecutive steps that cannot exit, and calls [`Emitter::after_step`] for each.
    fn steps(e: &mut Emitter<'_, Self>, steps: Range<usize>) -> Result<(), Error>;

    /// Emits a step that may exit ([`Emitter::exit_stub`]) before it has any effect. All registers that it needs must be cached
    /// before its first jump, so that the register cache is the same at all its exits.
    fn leaving(e: &mut Emitter<'_, Self>, step: usize) -> Result<(), Error>;
}
