//! The interface between the driver, which is independent of the instruction set, and a back end,
//! which emits code for AVX2 or AVX-512.
//!
//! The driver ([`super::flow`]) walks the blocks, maintains the register cache
//! ([`super::register_cache`]), and emits entries, exits, counting and calls. Steps are emitted by
//! [`super::vector`] with `hold`, `temporary` and `define`, from instructions that both instruction
//! sets have and from [`Primitives`], loads and stores of memory by [`super::memory`]. A back end
//! adds comparisons, and loads and stores values for the cache.
//!
//! General registers between steps: `rdi` points to the frame, `rsi`, `rdx` and `rcx` to the
//! register files of 32 bits, 64 bits and predicates; `r8d` is the active mask, `r9` points to the
//! constant pool, `r10` is the step count, `r11` the number of threads that did not execute a
//! counted step, and `r15` points to the sites. A step may overwrite `rax`, `rbx`, `rbp` and `r12`
//! to `r14`.

use super::Emitter;
use super::asm::{Label, at};
use super::instructions::{InstructionSet, Operand, V};
use super::memory::{MemAccess, Row};
use super::register_cache::{Key, Reg, Width};
use crate::Error;
use crate::ir::{Shuffle, Step};
use crate::machine::Site;
use crate::op::{Op, Rounding};
use crate::operand::{Predicate, Source};
use iced_x86::{MemoryOperand, Register};
use std::ops::Range;

/// The memory operand of a field of the frame.
pub(super) fn field(field: usize) -> MemoryOperand {
    at(Register::RDI, field)
}

/// The memory operand of a field of a site.
pub(super) fn site(number: u32, field: usize) -> MemoryOperand {
    at(Register::R15, number as usize * size_of::<Site>() + field)
}

/// The operations that each instruction set emits in its own way, for [`super::vector`].
pub(super) trait Primitives: InstructionSet {
    /// A constant in all lanes of 32 or 64 bits.
    fn constant(e: &mut Emitter<'_, Self>, number: u64, width: Width) -> Operand;

    /// Replaces all NaNs by the canonical NaN.
    fn canonical(e: &mut Emitter<'_, Self>, reg: Reg);

    /// [`Self::canonical`] for several registers. AVX-512 overwrites the condition.
    fn canonical_all(e: &mut Emitter<'_, Self>, regs: &[Reg]) {
        regs.iter().for_each(|&reg| Self::canonical(e, reg));
    }

    /// The mask of a predicate for a lane group of 32-bit or 64-bit lanes: in a register that must
    /// not be changed, or as the condition.
    fn mask_of(e: &mut Emitter<'_, Self>, mask: Reg, wide: bool, part: u8) -> Reg;

    /// Sets `d` to `b` in lanes of the mask, and to `a` in other lanes.
    fn blend(
        e: &mut Emitter<'_, Self>,
        wide: bool,
        d_and_a: (Reg, Reg),
        b: impl Into<Operand>,
        mask: Reg,
    );

    /// Sets the inactive 32-bit lanes of a lane group to those of `old`.
    fn keep_inactive(e: &mut Emitter<'_, Self>, part: u8, d: Reg, old: Reg);

    /// Sets the bits of `any` in which `a` and `b` differ. May overwrite `t` after reading `a`.
    fn or_difference(e: &mut Emitter<'_, Self>, any_and_t: (Reg, Reg), a: Reg, b: Operand);

    /// Broadcasts `eax`, or `rax` if `wide`.
    fn spread_general(e: &mut Emitter<'_, Self>, wide: bool, to: Reg);

    /// Jumps if a register is not zero.
    fn jump_if_any(e: &mut Emitter<'_, Self>, any: Reg, to: Label);

    /// Sets `d` to `a` in lanes of the condition, and to 0 in other lanes.
    fn keep(e: &mut Emitter<'_, Self>, wide: bool, d: Reg, a: Reg);

    /// Executes an instruction on `a` and `b` in lanes of the condition, where `d` becomes the
    /// result. May overwrite `t`.
    fn three_where(
        e: &mut Emitter<'_, Self>,
        code: V,
        d_and_t: (Reg, Reg),
        a: Reg,
        b: impl Into<Operand>,
    );

    /// Sets an f32 to a zero of its sign in lanes of the condition.
    fn zero_where(e: &mut Emitter<'_, Self>, y: Reg);

    /// Copies f32, and replaces subnormals by zeros of their sign.
    fn flush(e: &mut Emitter<'_, Self>, to: Reg, from: Reg);

    /// Clears the zero flag if a lane has an f32 that is subnormal or the smallest normal number.
    /// May overwrite `x` and `rax`.
    fn test_tiny(e: &mut Emitter<'_, Self>, x: Reg, y: Reg);

    /// Emits instructions on registers that all have a rounding mode.
    fn rounded_by(
        e: &mut Emitter<'_, Self>,
        rounding: Rounding,
        instructions: impl FnOnce(&mut Emitter<'_, Self>),
    );

    /// Sets inactive lanes of a lane group, or of a half of it, to 0, unless they are known to hold
    /// no subnormals. Inactive lanes may hold integers that are subnormal as f32, which slow some
    /// processors down by a hundred cycles.
    fn zero_inactive(_: &mut Emitter<'_, Self>, _: Reg, _: (u8, Option<u8>)) {}

    /// Emits a Boolean function of three sources. Returns the temporary register that has the
    /// result.
    fn bits(e: &mut Emitter<'_, Self>, table: u8, sources: [Operand; 3], wide: bool) -> Reg;

    /// Counts leading zeros. Returns the temporary register that has the result.
    fn leading_zeros(e: &mut Emitter<'_, Self>, a: Reg) -> Reg;

    /// Sets the odd lanes of `d` to those of another register.
    fn take_odd(e: &mut Emitter<'_, Self>, d: Reg, odd: Reg);

    /// Sets `d` to the low halves of the 64-bit lanes of two registers.
    fn low_halves(e: &mut Emitter<'_, Self>, d: Reg, from: [Reg; 2]);

    /// Sets the lower half of `d` to the low halves of the 32-bit lanes of a register.
    fn low_words(e: &mut Emitter<'_, Self>, d: Reg, a: Reg);

    /// Converts unsigned numbers to f32. Returns the temporary register that has the result.
    fn float_of_unsigned(e: &mut Emitter<'_, Self>, a: Reg) -> Reg;

    /// Converts f32 to unsigned numbers, toward zero. Returns the temporary register that has the
    /// result.
    fn unsigned_of_float(e: &mut Emitter<'_, Self>, a: Reg) -> Reg;

    /// Converts two vectors of f64 to unsigned 32-bit numbers. Returns the temporary register that
    /// has the result.
    fn unsigned_of_double(e: &mut Emitter<'_, Self>, from: [Reg; 2]) -> Reg;

    /// Converts f64 to 64-bit integers. Returns the temporary register that has the result.
    fn wide_of_double(e: &mut Emitter<'_, Self>, signed: bool, a: Reg) -> Reg;

    /// Converts 64-bit integers, or extended 32-bit integers in a temporary register, to f64.
    /// Returns the temporary register that has the result.
    fn double_of(e: &mut Emitter<'_, Self>, op: Op, a: Reg) -> Reg;

    /// Emits a 64-bit product. Returns the temporary register that has the result.
    fn multiply_wide(e: &mut Emitter<'_, Self>, from: [Source; 2], part: u8) -> Option<Reg>;

    /// Shifts signed 64-bit numbers to the right. Returns the temporary register that has the
    /// result.
    fn shift_right_s(e: &mut Emitter<'_, Self>, a: Reg, count: Source, part: u8) -> Option<Reg>;

    /// Emits, for a lane group, a step of the table look-up in a [`texunit_sfu::lanes::Curve`], or
    /// the square of the offset in it. Returns the temporary register that has the result.
    fn function(e: &mut Emitter<'_, Self>, op: Op, source: Source, part: u8) -> Option<Reg>;

    /// Loads a predicate from the bits of the first element of a scratch register.
    fn take_predicate(e: &mut Emitter<'_, Self>, to: u32, row: usize, guard: Predicate);
}

/// What the offsets or indices of an access are compared with.
pub(super) struct OffsetCheck {
    /// The exclusive limit.
    pub(super) limit: MemoryOperand,
    /// Whether the offsets or indices have 64 bits.
    pub(super) wide: bool,
    /// The low bits that must be 0 for an aligned access: of a base of 64 bits, or of an offset of
    /// 32 bits.
    pub(super) low_bits: u64,
}

/// The operations on lanes that execute an access, for [`super::memory`].
pub(super) trait MemoryPrimitives: Primitives {
    /// Keeps the mask of lanes that execute the access, which is in `ebx`: AVX-512 in a mask
    /// register of the access, AVX2 in the frame ([`super::memory::STORED`]).
    fn keep_executing(e: &mut Emitter<'_, Self>, mem: &MemAccess);

    /// Sets to 0 those lanes of a lane group that do not execute the access. The flag says that
    /// lanes have 64 bits. May overwrite the last register of the access.
    fn keep_lanes(e: &mut Emitter<'_, Self>, mem: &MemAccess, of: (bool, u8), values: &[Reg]);

    /// Begins a check of the lanes in `ebx`; [`Self::check_part`] then checks the lane groups in
    /// order. Jumps to `not` if no lane can pass the check.
    fn begin_check(e: &mut Emitter<'_, Self>, mem: &MemAccess, check: &OffsetCheck, not: Label);

    /// Checks the offsets of a lane group. AVX2 sets the offsets of lanes that do not execute the
    /// access to 0, and overwrites the base.
    fn check_part(
        e: &mut Emitter<'_, Self>,
        mem: &MemAccess,
        check: &OffsetCheck,
        part: u8,
        base_and_offset: (Operand, Reg),
    );

    /// Jumps to `not` if a lane has failed the check. Afterwards the lanes that execute the access
    /// are kept ([`Self::keep_executing`]).
    fn end_check(e: &mut Emitter<'_, Self>, mem: &MemAccess, check: &OffsetCheck, not: Label);

    /// Gathers elements of 4 or 8 bytes relative to `r12`, at indices or offsets of 32 bits, or of
    /// 64 if the flag is true, times a scale, from a lane on. AVX2 gathers all lanes, which must
    /// have valid indices, and has only 32-bit elements and indices.
    fn gather(
        e: &mut Emitter<'_, Self>,
        mem: &MemAccess,
        to_and_size: (Reg, usize),
        index_and_wide: (Reg, bool),
        scale_and_lane: (u32, u8),
    );

    /// Gathers 32-bit elements of a lane group relative to `r12`, at indices of 32 bits, or with
    /// AVX2 also of 64, times a scale. AVX2 overwrites the register of indices, and takes them from
    /// the scratch register of offsets ([`super::memory::OFFSET_ROW`]).
    fn gather_words(
        e: &mut Emitter<'_, Self>,
        mem: &MemAccess,
        d_and_part: (Reg, u8),
        index_and_wide: (Reg, bool),
        scale: u32,
    );

    /// Stores elements of 4 or 8 bytes relative to `r12`, at offsets of 32 or 64 bits, in the lanes
    /// of a mask register, from a lane on. Implemented for AVX-512 only.
    fn scatter(
        _: &mut Emitter<'_, Self>,
        _from_and_size: (Reg, usize),
        _index_and_wide: (Reg, bool),
        _mask_and_lane: (Reg, u8),
    ) {
    }

    /// Stores a lane group of a 32-bit register, or the two vectors of a lane group of a 64-bit
    /// register, in the lanes of a mask register (AVX-512) or of the mask
    /// [`super::memory::STORED`]. The flag says that no other host thread writes the memory, all of
    /// which is in bounds. May overwrite the last two registers.
    fn store_masked(
        e: &mut Emitter<'_, Self>,
        to_and_is_own: (Row, bool),
        values: &[Reg],
        part: u8,
        lanes: Option<Reg>,
        t: [Reg; 2],
    );

    /// Loads a lane group of a 32-bit register, or the two vectors of a lane group of a 64-bit
    /// register, in the lanes that execute the access; other lanes become 0. Implemented for
    /// AVX-512 only.
    fn load_masked(_: &mut Emitter<'_, Self>, _: &MemAccess, _from: Row, _to: &[Reg], _part: u8) {}

    /// Loads the checked 32-bit offset of the first lane of a lane group into a general register;
    /// if that lane does not execute the access, the offset that it would have. Must be called for
    /// the lane groups in order. After the last group, jumps to `not` unless the lanes of each
    /// group access contiguous memory. Implemented for AVX-512 only.
    fn first_offset(
        _: &mut Emitter<'_, Self>,
        _: &MemAccess,
        _part: u8,
        _offset: Reg,
        _to: Register,
        _not: Label,
    ) {
    }

    /// Stores the low 1 or 2 bytes of the 32-bit lanes of a temporary register, which may be
    /// overwritten.
    fn store_small(e: &mut Emitter<'_, Self>, to: MemoryOperand, from: Reg, size: usize);

    /// Permutes pairs of 32-bit lanes: those with an even number first, then those with an odd
    /// number, or back.
    fn permute_pairs(e: &mut Emitter<'_, Self>, d: Reg, a: Reg, even_first: bool);
}

/// A back end: emits code for one instruction set.
pub(super) trait Backend: MemoryPrimitives {
    /// Loads the registers that the back end reserves for itself, at entries and after calls.
    fn begin(e: &mut Emitter<'_, Self>);

    /// Updates the back end's copies of the active mask after it has changed in `r8d` and
    /// [`crate::frame::Frame::MASK`]. Called only in code for some lanes; must not overwrite
    /// registers that a step may use.
    fn active(e: &mut Emitter<'_, Self>);

    /// Called at an entry of the code, where the register cache is empty.
    fn entered(_: &mut Emitter<'_, Self>) {}

    /// Loads a value from the register file or from the inputs. May overwrite `rax`.
    fn load(e: &mut Emitter<'_, Self>, to: Reg, key: Key);

    /// Stores a value to the register file, and preserves inactive lanes there. NaNs are stored as
    /// they are. May overwrite `rax` and `rbx`.
    fn store(e: &mut Emitter<'_, Self>, from: Reg, key: Key);

    /// Copies a register to another of its kind.
    fn copy(e: &mut Emitter<'_, Self>, to: Reg, from: Reg);

    /// Loads a predicate register into a 32-bit general register, as a mask; the bits of inactive
    /// lanes are undefined. May overwrite `ebp`.
    fn lanes(e: &mut Emitter<'_, Self>, of: u32, to: Register);

    /// Loads the mask of active lanes whose guard is false into `eax`. If the back end emits steps
    /// one lane group after the other, only of the group that is being emitted. May overwrite
    /// `ebp`.
    fn left_out(e: &mut Emitter<'_, Self>, guard: Predicate) {
        e.lanes_left_out(guard);
    }

    /// The number of steps that are emitted before a step that needs a cached value; `None` if the
    /// value is probably not needed soon, so that it is evicted first.
    fn delay(&self, _: Key) -> Option<u32> {
        Some(0)
    }

    /// Whether an input is only read for a lane group whose steps have all been emitted.
    fn is_past(&self, _: Key) -> bool {
        false
    }

    /// Emits consecutive steps that cannot exit, and calls [`Emitter::after_step`] for each of
    /// them.
    fn steps(e: &mut Emitter<'_, Self>, steps: Range<usize>) -> Result<(), Error>;

    /// Emits a shuffle that may exit ([`Emitter::exit_stub`]) before it has any effect. All
    /// registers that the step needs must be cached before its first jump, so that the register
    /// cache is the same at all its exits.
    fn shuffle(e: &mut Emitter<'_, Self>, step: &Step, shuffle: &Shuffle) -> Option<()>;
}
