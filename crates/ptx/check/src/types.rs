//! Compatibility of register types with operand types (PTX ISA 9.4).

use texunit_isa::{OperandType, ScalarType, TypeKind};

/// Whether a register of type `reg` is valid for an operand of type `ty` of the same width.
pub(crate) fn fits(ty: ScalarType, reg: ScalarType) -> bool {
    if ty.bits() != reg.bits() {
        return false;
    }
    // ptxas treats registers of type `.f16x2` as untyped 32 bits.
    let half = reg == ScalarType::F16x2 && !ty.is_float() && ty != ScalarType::Bf16x2;
    let bits = reg.kind() == TypeKind::Bits || half;
    match ty.kind() {
        TypeKind::Bits => reg.kind() != TypeKind::Opaque,
        TypeKind::Unsigned | TypeKind::Signed => reg.is_integer() || bits,
        TypeKind::Float | TypeKind::Packed => reg == ty || bits,
        TypeKind::Predicate | TypeKind::Opaque => reg == ty,
    }
}

/// Whether a register of this type can hold an address.
pub(crate) fn is_pointer(reg: ScalarType) -> bool {
    reg != ScalarType::F16x2 && (fits(ScalarType::U64, reg) || fits(ScalarType::U32, reg))
}

/// Whether a register of type `reg` is of the same kind as `ty`, whatever its width.
pub(crate) fn kind_fits(ty: ScalarType, reg: ScalarType) -> bool {
    let bits = reg.kind() == TypeKind::Bits;
    match ty.kind() {
        TypeKind::Bits => !matches!(reg.kind(), TypeKind::Opaque | TypeKind::Predicate),
        TypeKind::Unsigned | TypeKind::Signed => reg.is_integer() || bits,
        TypeKind::Float | TypeKind::Packed => reg.is_float() || bits,
        TypeKind::Predicate | TypeKind::Opaque => reg == ty,
    }
}

/// Whether a register is valid by the relaxed rule of ld, st and cvt: it may also be wider.
pub(crate) fn fits_relaxed(ty: ScalarType, reg: ScalarType) -> bool {
    if reg.kind() == TypeKind::Predicate || ty.kind() == TypeKind::Predicate {
        return reg == ty;
    }
    if reg.bits() < ty.bits() {
        return false;
    }
    let bits = reg.kind() == TypeKind::Bits;
    match ty.kind() {
        _ if ty == ScalarType::Bf16 => fits(ty, reg),
        TypeKind::Bits => true,
        TypeKind::Unsigned | TypeKind::Signed => {
            reg.is_integer() || bits || reg == ScalarType::F16x2
        }
        _ => reg == ty || bits,
    }
}

/// The type of an operand, given the type modifiers.
pub(crate) fn operand_type(ty: OperandType, words: &[ScalarType]) -> Option<ScalarType> {
    match ty {
        OperandType::Word(n) => words.get(usize::from(n)).copied(),
        OperandType::Wide(n) => words.get(usize::from(n)).and_then(|t| wide(*t)),
        OperandType::Fixed(ty) => Some(ty),
        OperandType::None => None,
    }
}

fn wide(ty: ScalarType) -> Option<ScalarType> {
    Some(match ty {
        ScalarType::U16 => ScalarType::U32,
        ScalarType::S16 => ScalarType::S32,
        ScalarType::U32 => ScalarType::U64,
        ScalarType::S32 => ScalarType::S64,
        _ => return None,
    })
}

/// Description of the valid operands for a type, for messages.
pub(crate) fn describe(ty: ScalarType) -> String {
    let bits = ty.bits();
    match ty.kind() {
        TypeKind::Predicate => "a .pred register".into(),
        TypeKind::Bits => format!("a {bits}-bit register of any type"),
        TypeKind::Unsigned | TypeKind::Signed => {
            format!("a .u{bits}, .s{bits} or .b{bits} register")
        }
        _ => format!("a .{ty} or .b{bits} register"),
    }
}

/// A register type to declare for an operand type, for messages.
pub(crate) fn register_for(ty: ScalarType) -> String {
    match ty.kind() {
        TypeKind::Unsigned | TypeKind::Signed => format!(".b{}", ty.bits()),
        TypeKind::Float if ty.bits() >= 32 => format!(".{ty}"),
        _ => format!(".b{}", ty.bits()),
    }
}
