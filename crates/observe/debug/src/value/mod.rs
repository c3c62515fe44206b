//! Values: bytes with a type and a location; C's basic types, generic addresses, and numbers as
//! text.

pub(crate) mod print;

use crate::dwarf::{Base, Shape, TypeId, Types};
use half::{bf16, f16};
use texunit_memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, SpaceKind, space_of};
use texunit_simt::debug::RegisterAt;
use texunit_simt::format_general;

/// The location of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a state space: a generic address for global and constant memory, otherwise an offset.
    Memory(SpaceKind, u64),
    /// In a register of a frame: the frame's number, the register, and its first byte.
    Register(u32, RegisterAt, u32),
    /// In a surface of the launch, by index, at this byte offset.
    Texel(usize, u64),
}

/// A value of the debugged program, with its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) ty: TypeId,
    pub(crate) bytes: Vec<u8>,
    /// The location of the value; `None` for a computed value.
    pub(crate) place: Option<Place>,
    /// The first bit of a bit field, and its number of bits.
    pub(crate) bits: Option<(u32, u32)>,
}

/// A number on which expressions compute.
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

/// A basic type by its C name, which must be one.
pub(crate) fn basic(types: &mut Types, name: &str) -> TypeId {
    named_basic(types, name).unwrap_or_else(|| types.base(name, Base::Signed, 4))
}

/// The basic type with this C name; `None` for other names.
pub(crate) fn named_basic(types: &mut Types, name: &str) -> Option<TypeId> {
    let (base, size) = match name {
        "bool" => (Base::Bool, 1),
        "char" | "signed char" => (Base::SignedChar, 1),
        "unsigned char" => (Base::UnsignedChar, 1),
        "short" => (Base::Signed, 2),
        "unsigned short" => (Base::Unsigned, 2),
        "int" => (Base::Signed, 4),
        "unsigned int" => (Base::Unsigned, 4),
        "long" | "long long" => (Base::Signed, 8),
        "unsigned long" | "unsigned long long" => (Base::Unsigned, 8),
        "__half" => (Base::Float, 2),
        "float" => (Base::Float, 4),
        "double" => (Base::Float, 8),
        "void" => return Some(types.void()),
        _ => return None,
    };
    Some(types.base(name, base, size))
}

/// The generic address of a location.
pub(crate) fn generic(space: SpaceKind, address: u64) -> u64 {
    let window = match space {
        SpaceKind::Global | SpaceKind::Const => 0,
        SpaceKind::Shared => SHARED_WINDOW,
        SpaceKind::Local => LOCAL_WINDOW,
        SpaceKind::Param => PARAM_WINDOW,
    };
    address.wrapping_add(window)
}

/// The state space of a generic address, and the address in it.
pub(crate) fn of_generic(address: u64) -> (SpaceKind, u64) {
    let space = space_of(address);
    (space, address.wrapping_sub(generic(space, 0)))
}

/// Formats a number as C's `printf` does for `%.{digits}g`.
pub(crate) fn general(value: f64, digits: usize) -> String {
    if value.is_nan() {
        let sign = if value.is_sign_negative() { "-" } else { "" };
        let bits = value.to_bits() & ((1 << 52) - 1);
        // A NaN is shown with its payload. A float has the upper 23 of these 52 bits.
        return format!("{sign}nan(0x{:x})", if digits < 17 { bits >> 29 } else { bits });
    }
    format_general(value, digits.max(1), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_printf_writes_them() {
        for (value, digits, text) in [
            (9.5, 9, "9.5"),
            (f64::from(0.1_f32), 9, "0.100000001"),
            (0.1, 17, "0.10000000000000001"),
            (1e10, 9, "1e+10"),
            (123_456_789.0, 9, "123456789"),
            (1_234_567_890.0, 9, "1.23456789e+09"),
            (1e-5, 9, "1e-05"),
            (-2.5e-7, 9, "-2.5e-07"),
            (0.0001, 9, "0.0001"),
            (100.0, 9, "100"),
            (f64::INFINITY, 9, "inf"),
        ] {
            assert_eq!(general(value, digits), text);
        }
    }
}
