//! Checks of the data operands of ld, st, atom and similar instructions: one register, or a vector
//! in braces.

use texunit_forms::Count;
use texunit_isa::{AsPredicate, Braces, Limit, OperandRule, ScalarType, TypeKind};
use texunit_syntax::Span;
use texunit_syntax::ast;

use crate::body::value::{Value, lanes_of};
use crate::consts::Const;
use crate::instruction::site::Site;
use crate::ir::Operand;
use crate::types::{fits, fits_relaxed};

impl<'a> Site<'_, '_, 'a> {
    /// Checks the data of ld, st and cvta: the register may be wider than the type, and the operand
    /// may be a vector if the row allows it.
    pub(crate) fn data(
        &mut self,
        rule: &OperandRule,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
        written: bool,
    ) -> Option<Operand> {
        let value = self.value(operand)?;
        let vector = match rule.braces {
            Braces::Exactly(count) => usize::from(count),
            Braces::Columns { times, of } => self.mods.columns().unwrap_or(0) * times / of,
            _ => usize::from(self.mods.vector),
        };
        let lanes = vector.max(1);
        let of_matrix = matches!(rule.braces, Braces::Exactly(_) | Braces::Columns { .. });
        let items = match value {
            Value::Vector(_) if rule.braces == Braces::Never => {
                return self.mismatch(ty, &value, operand.span);
            }
            Value::Vector(items) => items,
            Value::VectorReg { first, ty, lanes } if vector > 0 => {
                lanes_of(first, ty, lanes, operand.span)
            }
            value if vector == 0 => {
                if !written && self.address_as_number(ty, operand, &value) {
                    return Some(Operand::Imm(0));
                }
                return self.element(rule, ty, value, operand.span, written);
            }
            value if of_matrix || rule.braces == Braces::Always => {
                let message = format!("needs a vector, not {}", value.describe());
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
        if items.iter().all(|(v, _)| matches!(v, Value::Discard)) {
            let message = "has no register for its result";
            let help = "write a register for one of the elements";
            return self.deny("E0211", operand.span, message, help);
        }
        self.same_widths(&items)?;
        self.like_neighbours(&items)?;
        if let (Some(Limit::Pair(step, last)), [a, b]) = (rule.limit, &items[..]) {
            self.up_to(a, 3, step)?;
            self.up_to(b, last, 1)?;
        }
        let plain = self.cx.options.ptxas_compat() && plain_bits(&items);
        // For atomic operations, only small floats, and most of them only beside an untyped
        // register.
        let untyped = items.iter().any(
            |(value, _)| matches!(value, Value::Reg { ty, .. } if ty.kind() == TypeKind::Bits),
        );
        let single = matches!(ty, ScalarType::F16 | ScalarType::F32)
            && !matches!(rule.braces, Braces::Columns { .. });
        let small = ty.bits() <= 32 && matches!(ty.kind(), TypeKind::Float | TypeKind::Packed);
        let taken = |reg: ScalarType| match rule.exact {
            true => reg.bits() == ty.bits() && (single || small && untyped),
            false => reg.bits() >= ty.bits(),
        };
        // Among untyped registers of a matrix, constants are untyped too.
        let plain_matrix = of_matrix && untyped;
        let of_constants = match (plain_matrix, ty.bits()) {
            (true, 64) => ScalarType::B64,
            (true, _) => ScalarType::B32,
            _ => ty,
        };
        let half = ty.bits() == 16 && ty.is_float() || ty.kind() == TypeKind::Packed;
        let beside = vector > 0 && items.iter().any(|(v, _)| matches!(v, Value::Reg { .. }));
        let mut list: Vec<Operand> = Vec::with_capacity(items.len());
        for (value, span) in items {
            // A warp group's product adds to its result, and a load from tensor memory has no sink.
            let discard = written
                && matches!(value, Value::Discard)
                && !matches!(rule.braces, Braces::Columns { .. });
            list.push(match value {
                _ if discard => Operand::Discard,
                Value::Reg { id, ty: reg } if plain && taken(reg) => Operand::Reg(id),
                Value::Const(value) if plain_matrix && !written => {
                    self.immediate(of_constants, value, span)?
                }
                Value::Const(value)
                    if beside && !half && !written && value.bits_for(ty).is_none() =>
                {
                    self.low_bits(ty, span)
                }
                value => self.element(rule, ty, value, span, written)?,
            });
        }
        if vector == 0 { list.pop() } else { Some(Operand::Vector(list)) }
    }

    /// Checks that no element of a vector stands beside one of another kind: a float beside an
    /// integer, or an integer or a constant beside `.f16x2`.
    pub(crate) fn like_neighbours(&mut self, items: &[(Value<'a>, Span)]) -> Option<()> {
        let float = |value: &Value<'_>| match value {
            Value::Reg { ty, .. } if ty.kind() == TypeKind::Float => Some(true),
            Value::Reg { ty, .. } if ty.is_integer() => Some(false),
            Value::Const(value) => Some(!value.is_int()),
            _ => None,
        };
        let packed = |value: &Value<'_>| matches!(value, Value::Reg { ty: ScalarType::F16x2, .. });
        let number = |value: &Value<'_>| match value {
            Value::Reg { ty, .. } => ty.is_integer(),
            value => matches!(value, Value::Const(_)),
        };
        let unlike = items.windows(2).find(|pair| match (&pair[0].0, &pair[1].0) {
            (a, b) if packed(a) && number(b) || number(a) && packed(b) => true,
            (a, b) => matches!((float(a), float(b)), (Some(a), Some(b)) if a != b),
        });
        let Some([_, (other, span)]) = unlike else { return Some(()) };
        let message = format!("cannot have {} beside its neighbour", other.describe());
        self.deny("E0212", *span, message, "write a vector of integers or a vector of floats")
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

    /// Checks that the registers of a vector have one width.
    pub(crate) fn same_widths(&mut self, items: &[(Value<'a>, Span)]) -> Option<()> {
        let mut widths = items.iter().filter_map(|(value, span)| match value {
            Value::Reg { ty, .. } => Some((*ty, *span)),
            _ => None,
        });
        let Some((first, _)) = widths.next() else { return Some(()) };
        let Some((other, span)) = widths.find(|(ty, _)| ty.bits() != first.bits()) else {
            return Some(());
        };
        let message = format!("cannot mix .{first} and .{other} registers in a vector");
        self.deny("E0212", span, message, "write registers of one width")
    }

    fn element(
        &mut self,
        rule: &OperandRule,
        ty: ScalarType,
        value: Value<'a>,
        span: Span,
        written: bool,
    ) -> Option<Operand> {
        let fitting = if rule.exact { fits } else { fits_relaxed };
        let of_matrix = matches!(rule.braces, Braces::Exactly(_) | Braces::Columns { .. });
        match value {
            // Unlike elsewhere, `.f16x2` registers are not accepted as untyped bits.
            Value::Reg { ty: ScalarType::F16x2, .. } if of_matrix && ty.is_integer() => {
                self.mismatch(ty, &value, span)
            }
            Value::Reg { id, ty: reg } if fitting(ty, reg) => Some(Operand::Reg(id)),
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

/// Whether a vector is untyped; ptxas recognises a type only for vectors of floats.
pub(crate) fn plain_bits(items: &[(Value<'_>, Span)]) -> bool {
    let number = |ty: ScalarType| ty.is_integer() || ty.kind() == TypeKind::Bits;
    items.iter().any(|(value, _)| matches!(value, Value::Reg { ty, .. } if number(*ty)))
        && !items.iter().any(
            |(value, _)| matches!(value, Value::Reg { ty, .. } if ty.kind() == TypeKind::Predicate),
        )
}
