//! The memory operations of surface instructions: loads, stores, formatted stores and reductions of
//! the bytes at an offset.

use crate::request::{
    Lanes, PlanError, ReduceOp, ReduceType, SurfaceAnswer, SurfaceForm, SurfaceKind, lanes,
};
use crate::resource::Resource;
use texunit_memory::Block;
use texunit_texel::{Format, pack, store_codes};

/// What a surface instruction does with the bytes that it accesses.
#[derive(Clone, Copy, Debug)]
pub(super) enum Action {
    /// The instruction `suld.b` or `sust.b`.
    Raw { element_size: u8, vector: u8 },
    /// The instruction `sust.p`, which stores texels of this format.
    Formatted { format: Format, vector: u8 },
    /// The instruction `sured.b` or `sured.p`.
    Reduce { op: ReduceOp, number: Number },
}

/// Operand type of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    U32,
    S32,
    U64,
    S64,
}

/// The message of `expect` for memory accesses. They cannot fail, because the surface's boundary
/// check has shown that all elements are inside the memory block.
const CHECKED: &str = "the rule of places has checked the access against the resource";

impl Action {
    /// The operation of an instruction on this resource, and the number of bytes that one step of x
    /// stands for.
    pub(super) fn new(form: SurfaceForm, resource: &Resource) -> Result<(Self, u32), PlanError> {
        let format = resource.format();
        // Instructions that PTX does not have are refused here for callers other than the PTX front
        // end, which has refused them already.
        if let Some(reason) = form.why_impossible() {
            return Err(PlanError::Undefined(format!("{form}: {reason}")));
        }
        match form.kind {
            SurfaceKind::Load { element_size, vector }
            | SurfaceKind::Store { element_size, vector } => {
                Ok((Self::Raw { element_size, vector }, 1))
            }
            SurfaceKind::StoreFormatted { vector } => {
                Ok((Self::Formatted { format, vector }, format.texel_size()))
            }
            SurfaceKind::Reduce { op, ty, formatted: false } => {
                Ok((Self::Reduce { op, number: Number::of(ty) }, 1))
            }
            SurfaceKind::Reduce { op, ty, formatted: true } => {
                let signed = is_signed(format);
                let number = match (ty, signed) {
                    (ReduceType::B64, true) => Number::S64,
                    (ReduceType::B64, false) => Number::U64,
                    (_, true) => Number::S32,
                    (_, false) => Number::U32,
                };
                Ok((Self::Reduce { op, number }, number.size()))
            }
        }
    }

    /// Executes a store or reduction of one lane on the bytes at an offset.
    #[inline(always)]
    pub(super) fn store(self, block: &Block, offset: u64, values: &[[u64; 32]; 4], lane: usize) {
        match self {
            Self::Raw { element_size, vector } => {
                for (element, value) in values.iter().take(vector.into()).enumerate() {
                    store(block, offset, element_size, element, value[lane]);
                }
            }
            Self::Formatted { format, vector } => {
                let values = values.each_ref().map(|value| value[lane] as u32);
                store_texel(block, offset, format, values, vector);
            }
            Self::Reduce { op, number } => reduce(block, offset, op, number, values[0][lane]),
        }
    }

    /// Size of the whole access in bytes.
    pub(super) fn size(self) -> u32 {
        match self {
            Self::Raw { element_size, vector } => u32::from(element_size) * u32::from(vector),
            Self::Formatted { format, .. } => format.texel_size(),
            Self::Reduce { number, .. } => number.size(),
        }
    }
}

/// Rule 10.9 of docs/numerics.md: whether `min` and `max` of `sured.p` compare signed numbers,
/// which they do for signed integers and snorm.
fn is_signed(format: Format) -> bool {
    use texunit_texel::Channel as C;
    matches!(format.plain_channel(), Some(C::S8 | C::S16 | C::S32))
}

impl Number {
    /// The operand type of `sured.b`, which the instruction states.
    fn of(ty: ReduceType) -> Self {
        match ty {
            ReduceType::U32 | ReduceType::B32 => Self::U32,
            ReduceType::S32 => Self::S32,
            ReduceType::U64 | ReduceType::B64 => Self::U64,
            ReduceType::S64 => Self::S64,
        }
    }

    pub(super) fn is_signed(self) -> bool {
        matches!(self, Self::S32 | Self::S64)
    }

    fn size(self) -> u32 {
        match self {
            Self::U32 | Self::S32 => 4,
            Self::U64 | Self::S64 => 8,
        }
    }

    /// The operand as an unsigned number of 64 bits, which keeps the order of operands.
    fn ordered(self, operand: u64) -> u64 {
        const SIGN: u64 = 1 << 63;
        match self {
            Self::U32 => u64::from(operand as u32),
            Self::S32 => i64::from(operand as i32) as u64 ^ SIGN,
            Self::U64 => operand,
            Self::S64 => operand ^ SIGN,
        }
    }

    /// The result of a reduction of the value `old` in memory, in the low bits.
    fn combine(self, op: ReduceOp, old: u64, operand: u64) -> u64 {
        match op {
            ReduceOp::Add => old.wrapping_add(operand),
            ReduceOp::And => old & operand,
            ReduceOp::Or => old | operand,
            ReduceOp::Min => std::cmp::min_by_key(old, operand, |v| self.ordered(*v)),
            ReduceOp::Max => std::cmp::max_by_key(old, operand, |v| self.ordered(*v)),
        }
    }
}

#[inline(always)]
pub(super) fn load(block: &Block, offset: u64, element_size: u8, element: usize) -> u64 {
    block.load(offset + element as u64 * u64::from(element_size), element_size).expect(CHECKED)
}

/// Loads the elements of all active lanes.
pub(super) fn load_all(
    block: &Block,
    (active, offsets): (u32, &Lanes),
    element_size: u8,
    vector: usize,
    answer: &mut SurfaceAnswer,
) {
    for (element, values) in answer.values.iter_mut().take(vector).enumerate() {
        for lane in lanes(active) {
            values[lane] = load(block, offsets[lane].into(), element_size, element);
        }
    }
}

#[inline(always)]
fn store(block: &Block, offset: u64, element_size: u8, element: usize, value: u64) {
    let offset = offset + element as u64 * u64::from(element_size);
    block.store(offset, element_size, value).expect(CHECKED);
}

/// Stores a texel as one memory access, or as two accesses of 8 bytes.
fn store_texel(block: &Block, offset: u64, format: Format, values: [u32; 4], vector: u8) {
    // `Surface::new` refuses formats without stores.
    let Some(codes) = store_codes(format, values, vector) else { return };
    let bytes = u128::from_le_bytes(pack(format, codes));
    let size = format.texel_size().min(8) as u8;
    for half in 0..format.texel_size().div_ceil(8) as usize {
        store(block, offset, size, half, (bytes >> (64 * half)) as u64);
    }
}

/// Executes a reduction as one atomic operation.
fn reduce(block: &Block, offset: u64, op: ReduceOp, number: Number, operand: u64) {
    if number.size() == 4 {
        let narrow = |old: u32| number.combine(op, old.into(), operand) as u32;
        block.update_u32(offset, narrow).expect(CHECKED);
    } else {
        block.update_u64(offset, |old| number.combine(op, old, operand)).expect(CHECKED);
    }
}
