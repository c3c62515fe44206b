//! What the driver wants of the instructions of a processor.
//!
//! The driver ([`super::flow`]) goes through blocks, keeps the books on which register holds what
//! ([`super::values`]), and makes what is the same everywhere: entries, leaving, counting, calls. A back end makes the
//! code of steps, with `hold`, `temporary` and `define`, and loads and stores what the books say.
//!
//! What the general registers hold between steps: `rdi` the frame of the call, `rsi`, `rdx` and `rcx` the narrow,
//! wide and predicate files, `r8d` the active lanes, `r9` the pool of numbers, `r10` the steps, `r11` the lanes
//! that have not taken a step that counts, `r15` the sites. A step may use `rax`, `rbx`, `rbp` and `r12` to `r14` as it likes.

use super::Emitter;
use super::affine::Late;
use super::asm::{Label, at};
use super::values::{Key, Reg};
use crate::Error;
use crate::machine::Site;
use crate::operand::{Place, Predicate, Source};
use crate::region::Step;
use iced_x86::{MemoryOperand, Register};
use std::ops::Range;

/// A field of a site, by its number.
pub(super) fn site(number: u32, field: usize) -> MemoryOperand {
    at(Register::R15, number as usize * size_of::<Site>() + field)
}

/// The instructions of a processor.
pub(super) trait Backend: Sized + Default {
    /// Lanes of 32 bits in a vector register. A narrow register has `32 / LANES` parts, a wide one twice as many.
    const LANES: usize;
    /// Vector registers that hold values: `Reg(0)` and so on. The others are the back end's.
    const VECTORS: u8;
    /// Mask registers that hold values: `Reg(MASK_0)` and so on.
    const MASKS: u8;
    /// Registers for exchanges: no step and no load or store counts on what is in them.
    const SPARE: Reg;
    const SPARE_MASK: Reg;
    /// Parts of a predicate. One: it is in one mask register for all lanes.
    const PREDICATE_PARTS: u8;

    /// Whether accesses can do with addresses that are not computed ([`super::affine`]).
    const AFFINE: bool = false;

    /// Computes a register that has been left out: the books have it then.
    fn compute(_: &mut Emitter<'_, Self>, _: Late) {}

    /// Fills the registers that are the back end's: wherever the function is entered, and behind calls.
    fn begin(e: &mut Emitter<'_, Self>);

    /// The active lanes, in `r8d` and [`super::frame::Frame::MASK`], are others from here on. Only where some of the live
    /// ones run. Uses no register that a step may use.
    fn active(e: &mut Emitter<'_, Self>);

    /// The function has been entered at code of this mode, and goes on with nothing in registers yet.
    fn entered(_: &mut Emitter<'_, Self>) {}

    /// Loads what a key means. May use `rax`.
    fn load(e: &mut Emitter<'_, Self>, to: Reg, key: Key);

    /// Stores a register's part at home; if only some lanes run, the others keep what they hold there. NaNs are as
    /// they shall be. May use `rax` and `rbx`.
    fn store(e: &mut Emitter<'_, Self>, from: Reg, key: Key);

    /// Gives NaNs that stand for the canonical one its bits.
    fn canonical(e: &mut Emitter<'_, Self>, reg: Reg);

    /// Jumps if a vector of floats has a NaN that is not the canonical one. May use `rax`.
    fn jump_if_strange(e: &mut Emitter<'_, Self>, reg: Reg, to: Label);

    /// Copies a register to another of its kind.
    fn copy(e: &mut Emitter<'_, Self>, to: Reg, from: Reg);

    /// Lanes where a predicate holds, into a general register of 32 bits; lanes that are not active may be anything.
    fn lanes(e: &mut Emitter<'_, Self>, of: Predicate, to: Register);

    /// `r14` becomes the sum of the floats in `r13` and `r14`, of 32 or of 64 bits; of two NaNs that of `r13` counts.
    /// Uses what is for moments, and the second word of [`super::frame::Frame::SAVED`].
    fn sum(e: &mut Emitter<'_, Self>, wide: bool);

    /// All lanes of a source, as numbers of 32 bits or of 64, go to a scratch row.
    fn fill_row(e: &mut Emitter<'_, Self>, source: Source, row: usize, narrow: bool) -> Option<()>;

    /// A scratch row, of numbers of 32 bits or of 64, goes to a register in the lanes of a guard: the bits of `keep`;
    /// to a predicate those of its first word.
    fn take_row(
        e: &mut Emitter<'_, Self>,
        from: (usize, bool),
        to: Place,
        keep: u64,
        guard: Predicate,
    ) -> Option<()>;

    /// The number in `r12d` (`r12`) goes to all lanes of a guard; to a predicate its bits.
    fn put_number(e: &mut Emitter<'_, Self>, to: Place, guard: Predicate) -> Option<()>;

    /// `r12d` becomes the lanes whose number is zero.
    fn zeros(e: &mut Emitter<'_, Self>, of: Source) -> Option<()>;

    /// Goes on if the membermasks of the lanes that take the step are the same, and have of the live lanes those
    /// alone, which `ebx` has then; else leaves.
    fn members(e: &mut Emitter<'_, Self>, step: &Step, members: Option<Source>) -> Option<()>;

    /// Whether a value is not needed for the time being: it gives up its register first.
    fn is_idle(&self, _: Key) -> bool {
        false
    }

    /// Makes the code of steps that follow each other and do not leave. For each it is told what is behind it by
    /// [`Emitter::behind`].
    fn steps(e: &mut Emitter<'_, Self>, steps: Range<usize>) -> Result<(), Error>;

    /// Makes the code of a step that may leave ([`Emitter::way_out`]): before it, with nothing done. All registers
    /// that it needs it must have before the first of its jumps, so that the books are right wherever it leaves.
    fn leaving(e: &mut Emitter<'_, Self>, step: usize) -> Result<(), Error>;
}
