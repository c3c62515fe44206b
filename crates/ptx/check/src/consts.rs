//! Evaluation of constant expressions: 64-bit integers and f64 (PTX ISA 4.5).

use texunit_isa::{ScalarType, TypeKind};
use texunit_syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use texunit_syntax::{Diagnostic, Span};

/// The value of a constant expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Const {
    /// An integer: `.u64` if the flag is true, else `.s64`.
    Int(u64, bool),
    /// `0f...`: the bits of an f32.
    F32(u32),
    F64(f64),
}

fn mistake(
    code: &'static str,
    span: Span,
    message: impl Into<String>,
    help: &str,
) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(code, span, message).help(help))
}

/// Evaluates a constant expression, recursively: the parser limits the height.
pub(crate) fn evaluate(expr: &Expr) -> Result<Const, Box<Diagnostic>> {
    Ok(match &expr.kind {
        ExprKind::Integer { value, unsigned } => Const::Int(*value, *unsigned),
        ExprKind::F32(bits) => Const::F32(*bits),
        ExprKind::F64(bits) => Const::F64(f64::from_bits(*bits)),
        ExprKind::WarpSize => Const::Int(32, false),
        ExprKind::Unary(op, e) => unary(*op, evaluate(e)?, expr.span)?,
        ExprKind::Binary(op, a, b) => binary(*op, evaluate(a)?, evaluate(b)?, expr.span)?,
        ExprKind::Conditional(c, a, b) => {
            let (Const::Int(c, _), a @ Const::Int(..), b @ Const::Int(..)) =
                (evaluate(c)?, evaluate(a)?, evaluate(b)?)
            else {
                return Err(not_float(expr.span, "?"));
            };
            // The expression has the type of the chosen operand.
            if c != 0 { a } else { b }
        }
        ExprKind::Cast(unsigned, e) => match evaluate(e)? {
            Const::Int(v, _) => Const::Int(v, *unsigned),
            _ => {
                let message = "only integers are cast";
                return Err(mistake("E0121", expr.span, message, "write the integer"));
            }
        },
    })
}

fn unary(op: UnaryOp, value: Const, span: Span) -> Result<Const, Box<Diagnostic>> {
    Ok(match (op, value) {
        (UnaryOp::Plus, v) => v,
        (UnaryOp::Minus, Const::Int(v, u)) => Const::Int(v.wrapping_neg(), u),
        (UnaryOp::Minus, v) => Const::F64(-v.as_f64()),
        (UnaryOp::Not, Const::Int(v, _)) => Const::Int(u64::from(v == 0), false),
        (UnaryOp::BitNot, Const::Int(v, u)) => Const::Int(!v, u),
        (UnaryOp::Not, _) => return Err(not_float(span, "!")),
        (UnaryOp::BitNot, _) => return Err(not_float(span, "~")),
    })
}

fn not_float(span: Span, op: &str) -> Box<Diagnostic> {
    let message = format!("{op} does not apply to floating-point constants");
    mistake("E0121", span, message, "write integers, or the value itself")
}

fn by_zero(span: Span) -> Box<Diagnostic> {
    let message = "the constant expression divides by zero";
    mistake("E0123", span, message, "write a divisor that is not 0")
}

fn binary(op: BinaryOp, a: Const, b: Const, span: Span) -> Result<Const, Box<Diagnostic>> {
    let (Const::Int(x, xu), Const::Int(y, yu)) = (a, b) else {
        return float_binary(op, a, b, span);
    };
    let unsigned = xu | yu;
    let (xs, ys) = (x as i64, y as i64);
    let flag = |b: bool| Const::Int(u64::from(b), false);
    let less = if unsigned { x < y } else { xs < ys };
    Ok(match op {
        BinaryOp::Mul => Const::Int(x.wrapping_mul(y), unsigned),
        BinaryOp::Add => Const::Int(x.wrapping_add(y), unsigned),
        BinaryOp::Sub => Const::Int(x.wrapping_sub(y), unsigned),
        BinaryOp::Div | BinaryOp::Rem if y == 0 => return Err(by_zero(span)),
        BinaryOp::Div if unsigned => Const::Int(x / y, true),
        // ptxas crashes on this quotient.
        BinaryOp::Div if (xs, ys) == (i64::MIN, -1) => {
            return Err(mistake("E0123", span, "the quotient is 2^63", "write 0x8000000000000000"));
        }
        BinaryOp::Div => Const::Int((xs / ys) as u64, false),
        // As in ptxas, a remainder is unsigned, and shifts use the low six bits of the shift
        // amount.
        BinaryOp::Rem => Const::Int(x % y, true),
        BinaryOp::Shl => Const::Int(x.wrapping_shl(y as u32), xu),
        BinaryOp::Shr if xu => Const::Int(x.wrapping_shr(y as u32), true),
        BinaryOp::Shr => Const::Int(xs.wrapping_shr(y as u32) as u64, false),
        BinaryOp::Lt => flag(less),
        BinaryOp::Ge => flag(!less),
        BinaryOp::Gt => flag(!less && x != y),
        BinaryOp::Le => flag(less || x == y),
        BinaryOp::Eq => flag(x == y),
        BinaryOp::Ne => flag(x != y),
        BinaryOp::And => Const::Int(x & y, unsigned),
        BinaryOp::Xor => Const::Int(x ^ y, unsigned),
        BinaryOp::Or => Const::Int(x | y, unsigned),
        BinaryOp::LogicalAnd => flag(x != 0 && y != 0),
        BinaryOp::LogicalOr => flag(x != 0 || y != 0),
    })
}

fn float_binary(op: BinaryOp, a: Const, b: Const, span: Span) -> Result<Const, Box<Diagnostic>> {
    if a.is_int() != b.is_int() {
        let message = "the expression mixes integers and floating-point numbers";
        return Err(mistake("E0121", span, message, "write both with or both without a point"));
    }
    let (x, y) = (a.as_f64(), b.as_f64());
    let flag = |b: bool| Const::Int(u64::from(b), false);
    Ok(match op {
        BinaryOp::Mul => Const::F64(x * y),
        BinaryOp::Div if y == 0.0 => return Err(by_zero(span)),
        BinaryOp::Div => Const::F64(x / y),
        BinaryOp::Add => Const::F64(x + y),
        BinaryOp::Sub => Const::F64(x - y),
        BinaryOp::Lt => flag(x < y),
        BinaryOp::Gt => flag(x > y),
        BinaryOp::Le => flag(x <= y),
        BinaryOp::Ge => flag(x >= y),
        BinaryOp::Eq => flag(x == y),
        BinaryOp::Ne => flag(x != y),
        BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr => {
            return Err(not_float(span, "this operator"));
        }
        BinaryOp::And | BinaryOp::Xor | BinaryOp::Or => {
            return Err(not_float(span, "a bitwise operator"));
        }
        BinaryOp::LogicalAnd | BinaryOp::LogicalOr => {
            return Err(not_float(span, "a logical operator"));
        }
    })
}

impl Const {
    pub(crate) fn as_f64(self) -> f64 {
        match self {
            Const::Int(v, true) => v as f64,
            Const::Int(v, false) => v as i64 as f64,
            Const::F32(bits) => f64::from(f32::from_bits(bits)),
            Const::F64(v) => v,
        }
    }

    pub(crate) fn is_int(self) -> bool {
        matches!(self, Const::Int(..))
    }

    /// The bits that an instruction operand of this type receives, if the constant is valid for it:
    /// integers for integer types, floats for f32 and f64, and for untyped bits integers or floats
    /// of the same width.
    pub(crate) fn bits_for(self, ty: ScalarType) -> Option<u64> {
        match (ty.kind(), self) {
            (TypeKind::Predicate, Const::Int(v, _)) => Some(u64::from(v != 0)),
            (TypeKind::Unsigned | TypeKind::Signed | TypeKind::Bits, Const::Int(v, _)) => {
                Some(cut(v, ty.bits()))
            }
            (TypeKind::Float, c) if !c.is_int() => c.float_bits(ty),
            (TypeKind::Bits, Const::F32(bits)) if ty.bits() == 32 => Some(u64::from(bits)),
            (TypeKind::Bits, Const::F64(v)) if ty.bits() == 64 => Some(v.to_bits()),
            _ => None,
        }
    }

    /// The bits of the constant as an f32 or f64.
    pub(crate) fn float_bits(self, ty: ScalarType) -> Option<u64> {
        Some(match (ty, self) {
            // For an f64 operand, ptxas uses the 32 bits of `0f...`, not its value.
            (ScalarType::F32 | ScalarType::F64, Const::F32(bits)) => u64::from(bits),
            (ScalarType::F32, c) => u64::from((c.as_f64() as f32).to_bits()),
            (ScalarType::F64, c) => c.as_f64().to_bits(),
            _ => return None,
        })
    }

    /// Whether truncation to this type loses bits, for both the signed and the unsigned
    /// interpretation.
    pub(crate) fn overflows(self, ty: ScalarType) -> bool {
        let Const::Int(v, _) = self else { return false };
        let bits = ty.bits();
        if bits >= 64 || !(ty.is_integer() || ty.kind() == TypeKind::Bits) {
            return false;
        }
        let upper = (v as i64) >> (bits - 1);
        upper != 0 && upper != -1 && v >> bits != 0
    }
}

fn cut(value: u64, bits: u32) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}
