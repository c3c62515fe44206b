//! Checks of instructions whose form lists the operands (`Shape::Listed`).

use texunit_isa::{
    AsPredicate, Limit, OperandRule, OperandType, Property, Role, ScalarType, TypeKind,
};
use texunit_syntax::Span;
use texunit_syntax::ast::{self, OperandKind};

use crate::body::value::Value;
use crate::consts::Const;
use crate::context::Global;
use crate::instruction::operand::{SumType, type_of_sum};
use crate::instruction::site::Site;
use crate::ir::Operand;
use crate::options::Ptxas;
use crate::types::operand_type;

impl<'a> Site<'_, '_, 'a> {
    /// Checks the operands of a form of shape `Listed`.
    pub(crate) fn listed(&mut self) -> Option<Vec<Operand>> {
        let Self { i, form, .. } = *self;
        let mut spare = i.operands.len() - form.operands.iter().filter(|o| !o.optional).count();
        let mut given = i.operands.iter();
        let mut list = Vec::with_capacity(i.operands.len() + 1);
        let mut complete = true;
        for rule in &form.operands {
            if rule.optional {
                if spare == 0 {
                    continue;
                }
                spare -= 1;
            }
            let Some(operand) = given.next() else { break };
            complete &= self.by_rule(rule, operand, &mut list).is_some();
        }
        complete.then_some(list)
    }

    fn by_rule(
        &mut self,
        rule: &OperandRule,
        operand: &ast::Operand<'a>,
        list: &mut Vec<Operand>,
    ) -> Option<()> {
        let ty = operand_type(rule.ty, &self.mods.types).unwrap_or(ScalarType::B64);
        match rule.role {
            Role::Dest => {
                self.discarded_arrival(operand)?;
                let found = match self.predicate_instead(rule, operand)? {
                    Some(found) => found,
                    None if rule.discard => self.dest_or_discard(ty, operand)?,
                    None if rule.loose_bf16 => self.dest_of_bf16(ty, operand)?,
                    None => self.dest(ty, operand)?,
                };
                self.untyped(rule, ty, operand)?;
                list.push(self.kept_out(rule, ty, operand, found)?);
            }
            Role::Source => {
                if let Some(found) = self.predicate_instead(rule, operand)? {
                    list.push(found);
                    return Some(());
                }
                self.constant_allowed(rule, ty, operand)?;
                let found = self.source(ty, operand)?;
                self.untyped(rule, ty, operand)?;
                let found = self.kept_out(rule, ty, operand, found)?;
                if rule.strict && ty == ScalarType::B64 {
                    self.no_address(ty, operand)?;
                }
                self.within(rule, operand)?;
                list.push(found);
            }
            Role::RelaxedDest => list.push(self.data(rule, ty, operand, true)?),
            Role::RelaxedSource => list.push(self.data(rule, ty, operand, false)?),
            Role::DestWithPredicate | Role::PredicatePair => {
                let (first, second) = match &operand.kind {
                    OperandKind::Pair(a, b) => (&**a, Some(&**b)),
                    _ => (operand, None),
                };
                self.pair(rule, operand, (first, second))?;
                let first = match rule.discard {
                    true => self.dest_or_discard(ty, first),
                    false => self.dest(ty, first),
                };
                let second = match second {
                    Some(b) => self.dest_or_discard(ScalarType::Pred, b),
                    None => Some(Operand::Discard),
                };
                list.push(self.kept_out(rule, ty, operand, first?)?);
                list.push(second?);
            }
            Role::Condition => {
                let half = self.mods.ty() == Some(ScalarType::Bf16);
                if half && matches!(operand.kind, OperandKind::Constant(_)) {
                    let value = self.value(operand)?;
                    return self.mismatch(ScalarType::Pred, &value, operand.span);
                }
                list.push(self.source(ScalarType::Pred, operand)?);
            }
            Role::Memory => list.push(self.memory(rule, operand)?),
            Role::Address => {
                let ty = (rule.ty != OperandType::None).then_some(ty);
                list.push(self.address(rule, ty, operand)?);
            }
            Role::Tensor => {
                let (map, coordinates) = self.tensor(operand)?;
                list.extend([map, coordinates]);
            }
            Role::Constant => {
                let found = self.only_constant(ty, operand)?;
                self.within(rule, operand)?;
                list.push(found);
            }
        }
        Some(())
    }

    /// Checks a predicate in the position of a number: in `cp.async`, it is valid and selects
    /// whether zeros are written; as a register of a matrix, ptxas accepts and miscompiles it.
    fn predicate_instead(
        &mut self,
        rule: &OperandRule,
        operand: &ast::Operand<'a>,
    ) -> Option<Option<Operand>> {
        let Some(kind) = rule.predicate else { return Some(None) };
        let (id, found) = match self.value(operand)? {
            Value::Reg { id, ty: ScalarType::Pred } => (id, Operand::Reg(id)),
            Value::NotReg(id) if rule.role == Role::Source => (id, Operand::NotReg(id)),
            _ => return Some(None),
        };
        Some(Some(match kind {
            AsPredicate::Taken => found,
            AsPredicate::Miscompiled => {
                self.miscompiled_predicate(operand.span);
                Operand::Reg(id)
            }
        }))
    }

    /// Checks a constant in a position where only some constants, or none, are valid.
    fn constant_allowed(
        &mut self,
        rule: &OperandRule,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
    ) -> Option<()> {
        let (
            Some(limit @ (Limit::Register | Limit::Single | Limit::Mask)),
            OperandKind::Constant(_),
        ) = (rule.limit, &operand.kind)
        else {
            return Some(());
        };
        let value = self.value(operand)?;
        let wrong = match limit {
            Limit::Register => true,
            Limit::Mask => self.cx.release < Ptxas::V13_5,
            _ => matches!(value, Value::Const(Const::F64(_))),
        };
        if wrong { self.mismatch(ty, &value, operand.span) } else { Some(()) }
    }

    /// Checks that a register is untyped if the operand's rule requires this.
    fn untyped(
        &mut self,
        rule: &OperandRule,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
    ) -> Option<()> {
        match self.value(operand)? {
            value @ Value::Reg { ty: reg, .. } if rule.exact && reg.kind() != TypeKind::Bits => {
                self.mismatch(ty, &value, operand.span)
            }
            _ => Some(()),
        }
    }

    /// Checks a bf16 result; ptxas before 13.5 accepted registers of other types, too.
    fn dest_of_bf16(&mut self, ty: ScalarType, operand: &ast::Operand<'a>) -> Option<Operand> {
        match self.value(operand)? {
            Value::Reg { id, ty: reg }
                if self.cx.release < Ptxas::V13_5
                    && reg.bits() == ty.bits()
                    && (ty == ScalarType::Bf16x2 || ty == ScalarType::Bf16 && reg.is_integer()) =>
            {
                Some(Operand::Reg(id))
            }
            _ => self.dest(ty, operand),
        }
    }

    /// Reports an address in place of a cache policy or of the state of an mbarrier.
    fn no_address(&mut self, ty: ScalarType, operand: &ast::Operand<'a>) -> Option<()> {
        match self.value(operand)? {
            value @ Value::Named { .. } => self.mismatch(ty, &value, operand.span),
            _ => Some(()),
        }
    }

    /// Checks that an arrival at an mbarrier of another CTA has `_` in place of the register for
    /// the state.
    fn discarded_arrival(&mut self, operand: &ast::Operand<'a>) -> Option<()> {
        let remote = self.form.has(Property::NoRemoteResult) && self.says("shared::cluster");
        if !remote || operand.kind == OperandKind::Discard {
            return Some(());
        }
        self.deny("E0218", operand.span, "has no result", "write _ in place of the register")
    }

    /// Checks the additional rules for instructions with two destinations.
    fn pair(
        &mut self,
        rule: &OperandRule,
        operand: &ast::Operand<'a>,
        (first, second): (&ast::Operand<'a>, Option<&ast::Operand<'a>>),
    ) -> Option<()> {
        let discarded = |o: &ast::Operand| o.kind == OperandKind::Discard;
        let single = self.form.has(Property::OnePredicate);
        let name = self.form.row.opcode.name();
        let combined = self.mods.bool_op.is_some();
        let needed = rule.role == Role::DestWithPredicate && self.form.has(Property::WritesBoth);
        let (message, help) = match second {
            None if needed && combined => {
                (format!("{name} with a boolean operation writes a predicate too"), "write d|p")
            }
            None if needed => (format!("{name} writes a predicate"), "write d|p, or _|p"),
            Some(p) if needed && discarded(p) => {
                let when = if combined { " with a boolean operation" } else { "" };
                (format!("{name}{when} writes a predicate"), "write d|p, or _|p")
            }
            Some(q) if rule.role == Role::PredicatePair && single && !discarded(q) => {
                (format!("{name} of halves writes one predicate"), "write p, and not p|q")
            }
            Some(p) if rule.role == Role::PredicatePair && discarded(first) && discarded(p) => {
                ("both destinations are _".to_owned(), "write a predicate for one of them")
            }
            _ => return Some(()),
        };
        self.cx.refuse("E0211", operand.span, message, help)
    }

    /// Checks an operand that must be an integer, because its type is fixed or its rule is
    /// `strict`: `.f16x2` registers are refused, and floats for untyped bits.
    fn kept_out(
        &mut self,
        rule: &OperandRule,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
        found: Operand,
    ) -> Option<Operand> {
        let integer = ty.is_integer() && (rule.strict || matches!(rule.ty, OperandType::Fixed(_)));
        if !integer && !rule.strict {
            return Some(found);
        }
        let wrong = match &found {
            Operand::Reg(id) => {
                let reg = self.scopes.registers[id.0 as usize].ty;
                reg == ScalarType::F16x2 || reg.is_float()
            }
            Operand::Imm(_) => match &operand.kind {
                OperandKind::Constant(expr) => {
                    self.cx.constant(expr).is_some_and(|value| !value.is_int())
                }
                _ => false,
            },
            _ => false,
        };
        let function = |name: &ast::Ident| {
            matches!(self.cx.globals.get(name.text), Some((Global::Function(_), _)))
        };
        let sum = |of: &Value<'a>| match type_of_sum(of) {
            SumType::Scalar(of) => of.bits() != ty.bits() || of.is_float(),
            SumType::Code | SumType::Vector => true,
        };
        let wrong = wrong
            || match &operand.kind {
                OperandKind::Name { name, .. } => function(name),
                OperandKind::Offset(..) => {
                    matches!(self.value(operand)?, Value::Sum(of) if sum(&of))
                }
                _ => false,
            };
        if !wrong {
            return Some(found);
        }
        let help = &format!("write a .u{0}, .s{0} or .b{0} register, or an integer", ty.bits());
        self.deny("E0212", operand.span, "takes integers only here", help)
    }

    /// Checks that a constant is within the limit of its operand's rule.
    fn within(&mut self, rule: &OperandRule, operand: &ast::Operand<'a>) -> Option<()> {
        let (Some(limit), OperandKind::Constant(expr)) = (rule.limit, &operand.kind) else {
            return Some(());
        };
        let value = self.cx.constant(expr)?;
        if self.cx.release.number() < rule.limit_since {
            return Some(());
        }
        if limit == Limit::Part {
            return self.within_part(&value, operand.span);
        }
        let Const::Int(value, ..) = value else { return Some(()) };
        let (fits, wanted) = match limit {
            Limit::Between { first, last, step } => {
                let wanted = match (step, last) {
                    _ if first == last => format!("write {first}"),
                    (1, _) => format!("write a number from {first} to {last}"),
                    (_, u64::MAX) => format!("write a multiple of {step}"),
                    _ => format!("write a multiple of {step} from {first} to {last}"),
                };
                ((first..=last).contains(&value) && value.is_multiple_of(step), wanted)
            }
            Limit::Sign => (matches!(value as i64, 1 | -1), "write 1 or -1".into()),
            Limit::Power(a, b) => (
                value.is_power_of_two() && (u64::from(a)..=u64::from(b)).contains(&value),
                format!("write a power of two from {a} to {b}"),
            ),
            Limit::Part | Limit::Single | Limit::Register | Limit::Pair(..) => return Some(()),
            Limit::Mask => (value <= 0xffff, "write a mask of 16 bits".into()),
            Limit::Barrier => (value as u32 <= 15, "write a number from 0 to 15".into()),
            Limit::Warps => {
                (value.is_multiple_of(32), "write a multiple of 32, the size of a warp".into())
            }
            Limit::SomeWarps => (
                value != 0 && value.is_multiple_of(32),
                "write a multiple of 32, the size of a warp, that is not 0".into(),
            ),
        };
        if fits {
            return Some(());
        }
        let message = format!("cannot have the constant {} here", value as i64);
        self.deny("E0220", operand.span, message, &wanted)
    }

    /// Checks that a constant is above 0 and at most 1.
    fn within_part(&mut self, value: &Const, span: Span) -> Option<()> {
        let value = match value {
            Const::F32(bits) => f64::from(f32::from_bits(*bits)),
            Const::F64(value) => *value,
            Const::Int(..) => return Some(()),
        };
        if value > 0.0 && value <= 1.0 {
            return Some(());
        }
        let message = format!("cannot have the constant {value} here");
        self.deny("E0220", span, message, "write a number above 0, up to 1.0")
    }

    fn dest_or_discard(&mut self, ty: ScalarType, operand: &ast::Operand<'a>) -> Option<Operand> {
        if operand.kind == OperandKind::Discard {
            return Some(Operand::Discard);
        }
        self.dest(ty, operand)
    }

    fn only_constant(&mut self, ty: ScalarType, operand: &ast::Operand<'a>) -> Option<Operand> {
        match self.value(operand)? {
            Value::Const(value) if value.is_int() => self.immediate(ty, value, operand.span),
            value => {
                let message = format!("needs an integer constant here, not {}", value.describe());
                self.deny("E0214", operand.span, message, "write a number")
            }
        }
    }
}
