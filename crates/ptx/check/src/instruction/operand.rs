//! Checks of single operands: destinations, sources and constants.

use texunit_isa::{Property, ScalarType, Shape, TypeKind};
use texunit_syntax::ast::{self, OperandKind};
use texunit_syntax::{Diagnostic, Span};

use crate::body::value::Value;
use crate::consts::Const;
use crate::instruction::site::Site;
use crate::ir::Operand;
use crate::message::fixes;
use crate::options::Ptxas;
use crate::types::{describe, fits, kind_fits, register_for};

impl<'a> Site<'_, '_, 'a> {
    /// Checks a destination register of exactly the width of `ty`.
    pub(crate) fn dest(&mut self, ty: ScalarType, operand: &ast::Operand<'a>) -> Option<Operand> {
        match self.value(operand)? {
            Value::Reg { id, ty: reg } if fits(ty, reg) => Some(Operand::Reg(id)),
            value @ Value::Reg { .. } => self.mismatch(ty, &value, operand.span),
            value => self.not_a_destination(ty, &value, operand.span),
        }
    }

    /// Reports a predicate in place of a register of a matrix, which ptxas miscompiles.
    pub(crate) fn miscompiled_predicate(&mut self, span: Span) {
        let message = "cannot use a predicate here";
        let diagnostic = self.error("E0212", span, message).help("write a 32-bit register");
        self.report_miscompiled(diagnostic);
    }

    pub(crate) fn not_a_destination<T>(
        &mut self,
        ty: ScalarType,
        value: &Value<'a>,
        span: Span,
    ) -> Option<T> {
        let error = self.destination_error(ty, value, span);
        self.cx.refuse_with(error)
    }

    fn destination_error(&self, ty: ScalarType, value: &Value<'a>, span: Span) -> Diagnostic {
        self.error("E0218", span, format!("cannot write to {}", value.describe()))
            .help(format!("write {}", describe(ty)))
    }

    /// Checks a vector element that ptxas accepts only because of the vector's type.
    pub(crate) fn only_in_vector(
        &mut self,
        ty: ScalarType,
        value: &Value<'a>,
        span: Span,
        written: bool,
    ) -> Option<Operand> {
        let compat = self.cx.options.ptxas_compat();
        let found = match value {
            // A register of another type with at least the width holds the same bits.
            Value::Reg { id, ty: reg } if compat && reg.bits() >= ty.bits() => {
                return Some(Operand::Reg(*id));
            }
            Value::Reg { id, .. } => Operand::Reg(*id),
            _ if written => Operand::Discard,
            _ => Operand::Imm(0),
        };
        let error = match value {
            Value::Special(..) | Value::Named { .. } if written => {
                self.destination_error(ty, value, span)
            }
            _ => self.mismatch_error(ty, value, span),
        };
        self.report_miscompiled(error);
        compat.then_some(found)
    }

    /// Checks a source operand of exactly the width of `ty`.
    pub(crate) fn source(&mut self, ty: ScalarType, operand: &ast::Operand<'a>) -> Option<Operand> {
        match self.value(operand)? {
            Value::Reg { id, ty: reg } if fits(ty, reg) => Some(Operand::Reg(id)),
            Value::NotReg(id) if ty == ScalarType::Pred => Some(Operand::NotReg(id)),
            Value::Const(value) => self.immediate(ty, value, operand.span),
            Value::Special(..) | Value::SpecialVector(_) => self.no_special(operand.span),
            value if self.address_as_number(ty, operand, &value) => Some(Operand::Imm(0)),
            value => self.mismatch(ty, &value, operand.span),
        }
    }

    /// Reports the name of a function, or a name with an offset, where a number is expected: ptxas
    /// uses the address, as it should only in `mov`. Of a register with an offset, ptxas checks the
    /// kind but not the width.
    pub(crate) fn address_as_number(
        &mut self,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
        value: &Value<'a>,
    ) -> bool {
        let whole = ty.is_integer() || ty.kind() == TypeKind::Bits;
        let taken = match value {
            Value::Function(_) => true,
            Value::Named { .. } => whole && matches!(operand.kind, OperandKind::Offset(..)),
            Value::Sum(of) => match type_of_sum(of) {
                SumType::Code => true,
                SumType::Scalar(of) => kind_fits(ty, of),
                SumType::Vector => false,
            },
            _ => false,
        };
        let expanded = self.form.has(Property::Macro) || self.form.shape == Shape::Video;
        let taken = taken && !(expanded && matches!(operand.kind, OperandKind::Offset(..)));
        if taken {
            self.no_number(value, operand.span);
        }
        taken
    }

    /// Reports an address that ptxas accepts as a number.
    pub(crate) fn no_number(&mut self, value: &Value<'a>, span: Span) {
        let message = format!("{} cannot take {} here", self.name(), value.describe());
        self.report_miscompiled(
            Diagnostic::error("E0211", span, message)
                .help("copy the address into a register with mov first, or use add"),
        );
    }

    pub(crate) fn no_special(&mut self, span: Span) -> Option<Operand> {
        let help = "copy it into a register with mov first";
        self.deny("E0215", span, "cannot read a special register", help)
    }

    /// Reports a floating-point constant of which ptxas uses the low bits for an operand of type
    /// `ty`, so that 1.0 becomes 0.
    pub(crate) fn low_bits(&mut self, ty: ScalarType, span: Span) -> Operand {
        let message = format!("only the low {} bits of this number would be used", ty.bits());
        let help = "write the bits that are meant as an integer, or put them into a register";
        self.report_miscompiled(Diagnostic::error("E0214", span, message).help(help));
        Operand::Imm(0)
    }

    /// Converts a constant to an operand of type `ty`, or reports an error.
    pub(crate) fn immediate(
        &mut self,
        ty: ScalarType,
        value: Const,
        span: Span,
    ) -> Option<Operand> {
        if value.overflows(ty) {
            self.report(
                Diagnostic::warning("W0102", span, format!("the constant does not fit .{ty}"))
                    .label(format!("only its low {} bits are used", ty.bits()))
                    .help("write the intended value"),
            );
        }
        let tiny = matches!(ty, ScalarType::E4m3x2 | ScalarType::E5m2x2) && value.is_int();
        match value.bits_for(ty) {
            Some(bits) => Some(Operand::Imm(bits)),
            None if tiny && self.cx.release < Ptxas::V12_9 => {
                Some(Operand::Imm(value.bits_for(ScalarType::B16)?))
            }
            None => {
                let name = self.name();
                let is = if value.is_int() { "an integer" } else { "a floating-point number" };
                let help = match ty.kind() {
                    TypeKind::Float if ty.bits() >= 32 => {
                        "write it with a decimal point, or as 0f... or 0d... bits"
                    }
                    TypeKind::Float | TypeKind::Packed => {
                        "put the constant into a register with mov first"
                    }
                    TypeKind::Bits => "write an integer, or 0f... for 32 and a double for 64 bits",
                    _ => "write an integer",
                };
                let message = format!("{name} cannot take {is} where a .{ty} is wanted");
                let bits = fixes::float_bits(self.cx.source, span, ty);
                let help = match bits.filter(|_| value.is_int()) {
                    Some(bits) => {
                        format!("write it with a decimal point, or {bits} for these bits")
                    }
                    None => help.to_owned(),
                };
                let mut diagnostic = Diagnostic::error("E0214", span, message).help(help);
                if value.is_int() && matches!(ty, ScalarType::F32 | ScalarType::F64) {
                    diagnostic = fixes::decimal_point(self.cx.source, span, diagnostic);
                }
                self.cx.refuse_with(diagnostic)
            }
        }
    }

    /// Reports an operand of the wrong kind, type or width.
    pub(crate) fn mismatch<T>(
        &mut self,
        ty: ScalarType,
        value: &Value<'a>,
        span: Span,
    ) -> Option<T> {
        let error = self.mismatch_error(ty, value, span);
        self.cx.refuse_with(error)
    }

    fn mismatch_error(&self, ty: ScalarType, value: &Value<'a>, span: Span) -> Diagnostic {
        match value {
            Value::Reg { ty: reg, .. } => self
                .error("E0212", span, format!("cannot use a .{reg} register here"))
                .label(format!("this must be {}", describe(ty)))
                .help(match (ty, reg) {
                    (ScalarType::Pred, _) => "use a .pred register, such as setp writes".to_owned(),
                    (_, ScalarType::Pred) => format!(
                        "use a {} register: selp makes a number of a predicate",
                        register_for(ty)
                    ),
                    _ => format!(
                        "declare the register {}, or convert it with cvt or mov.b{}",
                        register_for(ty),
                        ty.bits()
                    ),
                }),
            other => self
                .error("E0211", span, format!("cannot take {} here", other.describe()))
                .help(format!("write {}", describe(ty))),
        }
    }
}

/// The type that ptxas gives the sum of an offset and a value without an address.
pub(crate) enum SumType {
    /// A sum with a function or a label, valid for every type.
    Code,
    /// A sum with a register or a special register of this type.
    Scalar(ScalarType),
    /// A sum with a vector, valid for no type.
    Vector,
}

pub(crate) fn type_of_sum(of: &Value<'_>) -> SumType {
    match of {
        Value::Reg { ty, .. } => SumType::Scalar(*ty),
        Value::Special(special, _) => {
            let wide = special.types.iter().any(|t| t.bits() == 64);
            SumType::Scalar(if wide { ScalarType::B64 } else { ScalarType::B32 })
        }
        Value::Function(_) | Value::Label(_) => SumType::Code,
        _ => SumType::Vector,
    }
}
