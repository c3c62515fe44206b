//! Checks of the data operands of ld, st, atom and similar instructions: a register or vector.

use texunit_forms::Count;
use texunit_isa::{AsPredicate, Braces, Limit, Opcode, OperandRule, ScalarType, TypeKind};
use texunit_syntax::Span;
use texunit_syntax::ast;

use crate::body::value::Value;
use crate::consts::Const;
use crate::instruction::site::Site;
use crate::instruction::tuple::component_beside_constant;
use crate::ir::Operand;
use crate::options::Ptxas;
use crate::types::{fits, fits_relaxed};

impl<'a> Site<'_, '_, 'a> {
    /// Checks the data operand of ld, st and cvta: a register may be wider than the type, and a
    /// vector is valid if the rule allows braces.
    pub(crate) fn data(
        &mut self,
        rule: &OperandRule,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
        written: bool,
    ) -> Option<Operand> {
        let value = self.value(operand)?;
        let loose = rule.loose_bf16 && self.cx.release < Ptxas::V13_5 && ty == ScalarType::Bf16x2;
        let ty = if loose { ScalarType::B32 } else { ty };
        let vector = match rule.braces {
            Braces::Exactly(count) => usize::from(count),
            Braces::Columns { times, of } => self.mods.columns().unwrap_or(0) * times / of,
            _ => usize::from(self.mods.vector),
        };
        let lanes = vector.max(1);
        let of_matrix = is_matrix(rule);
        // ptxas refuses vector registers without braces, or crashes.
        let opcode = self.form.row.opcode;
        let in_braces =
            matches!(opcode, Opcode::Wmma | Opcode::Multimem | Opcode::Tcgen05 | Opcode::Cvt);
        let value = if vector > 0 && !in_braces { value.in_braces(operand.span) } else { value };
        let items = match value {
            Value::Vector(_) if rule.braces == Braces::Never => {
                return self.mismatch(ty, &value, operand.span);
            }
            Value::Vector(items) => items,
            value if vector == 0 => {
                if !written && self.address_as_number(ty, operand, &value) {
                    return Some(Operand::Imm(0));
                }
                return self.element(rule, ty, value, operand.span, written);
            }
            value
                if of_matrix
                    || rule.braces == Braces::Always
                    || matches!(value, Value::VectorReg { .. }) =>
            {
                let message = format!("needs a vector in braces, not {}", value.describe());
                let help = "write the registers between { and }";
                return self.deny("E0213", operand.span, message, help);
            }
            value => vec![(value, operand.span)],
        };
        if items.len() != lanes {
            let message = match of_matrix {
                true => {
                    let held = Count(lanes, "register");
                    format!("has {held} of this matrix, not {}", items.len())
                }
                false => format!("moves {}, not {}", Count(lanes, "element"), items.len()),
            };
            let help = match of_matrix {
                true => "shape and type of a matrix say how many registers a thread has of it",
                false => "write as many registers between { and } as .v2 or .v4 says",
            };
            return self.deny("E0213", operand.span, message, help);
        }
        let mut list = self.elements(rule, ty, operand, items, written)?;
        if vector == 0 { list.pop() } else { Some(Operand::Vector(list)) }
    }

    /// Checks the elements of a data vector, as ptxas does by the vector's type.
    fn elements(
        &mut self,
        rule: &OperandRule,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
        items: Vec<(Value<'a>, Span)>,
        written: bool,
    ) -> Option<Vec<Operand>> {
        let (opcode, of_matrix) = (self.form.row.opcode, is_matrix(rule));
        let typed = self.data_vector(ty, &items, written)?;
        if let (Some(Limit::Pair(step, last)), [a, b]) = (rule.limit, &items[..]) {
            self.up_to(a, 3, step)?;
            self.up_to(b, last, 1)?;
        }
        let sized = |(value, _): &(Value<'_>, Span)| {
            matches!(value, Value::Reg { .. } | Value::Special(..) | Value::Named { .. })
        };
        let beside = items.iter().any(sized);
        let double = |(value, _): &(Value<'_>, Span)| matches!(value, Value::Const(Const::F64(_)));
        let of_registers = rule.limit == Some(Limit::Register);
        let of_doubles =
            of_matrix && opcode != Opcode::Cvt && ty == ScalarType::F32 && items.iter().any(double);
        if !written && !beside && (of_registers || of_doubles) {
            return self.mismatch(ty, &items[0].0, items[0].1);
        }
        let integers_are_bits =
            !rule.exact || !of_matrix && matches!(ty, ScalarType::F16 | ScalarType::F32);
        let accepted =
            typed.counts_as(integers_are_bits).is_none_or(|reg| register_fits(rule, ty, reg))
                && !component_beside_constant(operand, &items);
        // In a matrix with untyped registers, constants are untyped, too.
        let untyped = items.iter().any(
            |(value, _)| matches!(value, Value::Reg { ty, .. } if ty.kind() == TypeKind::Bits),
        );
        let of_constants = match of_matrix && untyped {
            true => ScalarType::untyped(ty.bits().max(32)).unwrap_or(ty),
            false => ty,
        };
        let half = ty.bits() == 16 && ty.is_float() || ty.kind() == TypeKind::Packed;
        // ptxas compiles tcgen05.st to a store that accepts only registers and integers.
        let stored = opcode == Opcode::Tcgen05;
        let low_bits = beside && !stored && (!half || of_constants != ty);
        let mut list: Vec<Operand> = Vec::with_capacity(items.len());
        for (value, span) in items {
            // `_` is refused in wgmma, which also reads its result, and in tcgen05.ld.
            let discard = written
                && matches!(value, Value::Discard)
                && !matches!(rule.braces, Braces::Columns { .. });
            let alone = match &value {
                Value::Reg { ty: ScalarType::Pred, .. } if rule.predicate.is_some() => true,
                Value::Reg { ty: reg, .. } => register_fits(rule, ty, *reg),
                Value::Special(..) => rule.special || stored,
                _ => stored,
            };
            list.push(match value {
                _ if discard => Operand::Discard,
                Value::Const(value)
                    if low_bits && !written && value.bits_for(of_constants).is_none() =>
                {
                    self.low_bits(of_constants, span)
                }
                Value::Const(value) if !written => self.immediate(of_constants, value, span)?,
                Value::Reg { .. } | Value::Special(..) | Value::Named { .. }
                    if accepted && !alone =>
                {
                    self.only_in_vector(ty, &value, span, written)?
                }
                value => self.element(rule, ty, value, span, written)?,
            });
        }
        Some(list)
    }

    /// Checks that an element is a multiple of `step` up to `last`, if it is a constant.
    fn up_to(&mut self, (value, span): &(Value<'a>, Span), last: u32, step: u32) -> Option<()> {
        match value {
            Value::Const(Const::Int(value, _))
                if *value > last.into() || !value.is_multiple_of(step.into()) =>
            {
                let message = format!("cannot have the constant {} here", *value as i64);
                let help = format!("write a multiple of {step} from 0 to {last}");
                self.deny("E0220", *span, message, help)
            }
            _ => Some(()),
        }
    }

    fn element(
        &mut self,
        rule: &OperandRule,
        ty: ScalarType,
        value: Value<'a>,
        span: Span,
        written: bool,
    ) -> Option<Operand> {
        match value {
            Value::Reg { id, ty: reg } if register_fits(rule, ty, reg) => Some(Operand::Reg(id)),
            Value::Reg { id, ty: ScalarType::Pred }
                if rule.predicate == Some(AsPredicate::Miscompiled) =>
            {
                self.miscompiled_predicate(span);
                Some(Operand::Reg(id))
            }
            Value::Reg { .. } => self.mismatch(ty, &value, span),
            _ if written => self.not_a_destination(ty, &value, span),
            Value::Const(_) if rule.limit == Some(Limit::Register) => {
                self.mismatch(ty, &value, span)
            }
            Value::Const(value) => self.immediate(ty, value, span),
            Value::Special(s, component)
                if rule.special && s.types.iter().any(|t| fits_relaxed(ty, *t)) =>
            {
                Some(s.operand(component))
            }
            Value::Special(..) | Value::SpecialVector(_) => self.no_special(span),
            value => self.mismatch(ty, &value, span),
        }
    }
}

/// Whether a register of type `reg` is valid as data of type `ty`.
fn register_fits(rule: &OperandRule, ty: ScalarType, reg: ScalarType) -> bool {
    // In integer matrices, `.f16x2` registers do not count as untyped bits.
    let pairs = is_matrix(rule) && ty.is_integer() && reg == ScalarType::F16x2;
    !pairs && if rule.exact { fits(ty, reg) } else { fits_relaxed(ty, reg) }
}

/// Whether the operand is a thread's fragment of a matrix.
fn is_matrix(rule: &OperandRule) -> bool {
    matches!(rule.braces, Braces::Exactly(_) | Braces::Columns { .. })
}
