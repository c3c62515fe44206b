//! Values: bytes with a type and a location.

pub(crate) mod number;
pub(crate) mod print;

use crate::dwarf::{Base, Shape, TypeId, Types};
use half::{bf16, f16};
use texunit_memory::SpaceKind;
use texunit_simt::debug::RegisterAt;

/// The location of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a state space: a generic address for global and constant memory, otherwise an offset.
    Memory(SpaceKind, u64),
    /// In a register of a frame, from one of its bytes on.
    Register(u32, RegisterAt, u32),
    /// In a surface of the launch, at this offset.
    Texel(usize, u64),
}

/// A value of the debugged program, with its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) ty: TypeId,
    pub(crate) bytes: Vec<u8>,
    /// `None` for a computed value.
    pub(crate) place: Option<Place>,
    /// The first bit of a bit field, and its number of bits.
    pub(crate) bits: Option<(u32, u32)>,
}

/// A number in arithmetic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(i128),
    Float(f64),
}

impl Number {
    pub(crate) fn as_int(self) -> i128 {
        match self {
            Self::Int(value) => value,
            Self::Float(value) => value as i128,
        }
    }

    pub(crate) fn as_float(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::Float(value) => value,
        }
    }

    pub(crate) fn is_true(self) -> bool {
        match self {
            Self::Int(value) => value != 0,
            Self::Float(value) => value != 0.0,
        }
    }
}

/// Little-endian bytes as an integer.
pub(crate) fn integer(bytes: &[u8], is_signed: bool) -> i128 {
    let mut all = [0; 16];
    let size = bytes.len().min(16);
    all[..size].copy_from_slice(&bytes[..size]);
    if is_signed && size > 0 && bytes[size - 1] & 0x80 != 0 {
        all[size..].fill(255);
    }
    i128::from_le_bytes(all)
}

/// Recognises CUDA's structures for 16-bit floats.
pub(crate) fn small_float(types: &Types, ty: TypeId) -> Option<Base> {
    let found = types.get(types.plain(ty));
    if found.size != 2 || !matches!(found.shape, Shape::Struct { .. }) {
        return None;
    }
    match found.name.as_str() {
        "__half" | "half" => Some(Base::Float),
        "__nv_bfloat16" | "nv_bfloat16" => Some(Base::Brain),
        _ => None,
    }
}

impl Value {
    pub(crate) fn new(ty: TypeId, bytes: Vec<u8>) -> Self {
        Self { ty, bytes, place: None, bits: None }
    }

    /// The number, or a pointer's address; `None` for other values.
    pub(crate) fn number(&self, types: &Types) -> Option<Number> {
        let bytes = &self.bytes[..];
        let float = |base: Base| match (base, bytes) {
            (Base::Brain, &[a, b, ..]) => bf16::from_le_bytes([a, b]).into(),
            (_, &[a, b]) => match f16::from_le_bytes([a, b]) {
                half if half.is_nan() => f64::NAN,
                half => half.into(),
            },
            (_, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]).into(),
            _ => f64::from_bits(integer(bytes, false) as u64),
        };
        Some(match types.shape(self.ty) {
            Shape::Base(base @ (Base::Float | Base::Brain)) => Number::Float(float(*base)),
            Shape::Base(Base::Signed | Base::SignedChar) => Number::Int(self.int(true)),
            Shape::Base(_) | Shape::Pointer { .. } => Number::Int(self.int(false)),
            Shape::Enum { is_signed, .. } => Number::Int(self.int(*is_signed)),
            Shape::Struct { .. } => Number::Float(float(small_float(types, self.ty)?)),
            _ => return None,
        })
    }

    fn int(&self, is_signed: bool) -> i128 {
        let Some((first, count)) = self.bits else { return integer(&self.bytes, is_signed) };
        let value = integer(&self.bytes, false) >> first.min(127);
        let shift = 128 - count.clamp(1, 127);
        match is_signed {
            true => value << shift >> shift,
            false => ((value as u128) << shift >> shift) as i128,
        }
    }
}

/// The bytes of a number of a type; `None` if the type is not numeric.
pub(crate) fn bytes_of(types: &Types, ty: TypeId, value: Number) -> Option<Vec<u8>> {
    let size = types.size(ty) as usize;
    let ints = |value: i128| value.to_le_bytes()[..size.min(16)].to_vec();
    let float = |base: Base| match (base, size) {
        // As in C, a number becomes a float before it becomes a bfloat16.
        (Base::Brain, _) => bf16::from_f32(value.as_float() as f32).to_le_bytes().to_vec(),
        (_, 2) => f16::from_f64(value.as_float()).to_le_bytes().to_vec(),
        (_, 4) => (value.as_float() as f32).to_le_bytes().to_vec(),
        _ => value.as_float().to_le_bytes().to_vec(),
    };
    Some(match types.shape(ty) {
        Shape::Base(base @ (Base::Float | Base::Brain)) => float(*base),
        Shape::Base(Base::Bool) => ints(value.is_true().into()),
        Shape::Base(_) | Shape::Pointer { .. } | Shape::Enum { .. } => ints(value.as_int()),
        Shape::Struct { .. } => float(small_float(types, ty)?),
        _ => return None,
    })
}
