//! Operands of ordinary instructions, as their row lists them.

use texunit_isa::{Form, Modifiers, Opcode, OperandRule, Role, ScalarType, TypeKind};
use texunit_syntax::ast::{self, OperandKind};
use texunit_syntax::{Diagnostic, Span};

use crate::body::Body;
use crate::consts::Const;
use crate::instruction::{mnemonic, plural};
use crate::ir::{Operand, RegId};
use crate::types::{describe, fits, fits_relaxed, operand_type, register_for};
use crate::values::{Area, Value};

/// What is said about operands of one instruction.
pub(crate) struct Site<'i, 'a> {
    pub(crate) i: &'i ast::Instruction<'a>,
    pub(crate) mods: &'i Modifiers,
}

impl<'a> Body<'_, 'a> {
    /// Checks the operands of a row of shape `Listed`.
    pub(crate) fn listed(
        &mut self,
        i: &'a ast::Instruction<'a>,
        mods: &Modifiers,
        form: &'static Form,
    ) -> Option<Vec<Operand>> {
        let site = Site { i, mods };
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
            complete &= self.by_rule(&site, rule, operand, &mut list).is_some();
        }
        complete.then_some(list)
    }

    fn by_rule(
        &mut self,
        site: &Site<'_, 'a>,
        rule: &OperandRule,
        operand: &ast::Operand<'a>,
        list: &mut Vec<Operand>,
    ) -> Option<()> {
        let ty = operand_type(rule.ty, &site.mods.types).unwrap_or(ScalarType::B64);
        match rule.role {
            Role::Dest => list.push(self.dest(site, ty, operand)?),
            Role::Source => list.push(self.source(site, ty, operand)?),
            Role::RelaxedDest => list.push(self.data(site, ty, operand, true)?),
            Role::RelaxedSource => list.push(self.data(site, ty, operand, false)?),
            Role::DestWithPredicate | Role::PredicatePair => {
                let (first, second) = match &operand.kind {
                    OperandKind::Pair(a, b) => (&**a, Some(&**b)),
                    _ => (operand, None),
                };
                let first = if site.i.opcode.text == "shfl" {
                    self.dest(site, ty, first)
                } else {
                    self.dest_or_discard(site, ty, first)
                };
                if second.is_none() && site.i.opcode.text == "lop3" {
                    let message = "lop3 with a boolean operation writes a predicate too".into();
                    self.wrong("E0211", operand.span, message, "write d|p");
                    return None;
                }
                let second = match second {
                    Some(b) => self.dest_or_discard(site, ScalarType::Pred, b),
                    None => Some(Operand::Discard),
                };
                list.push(first?);
                list.push(second?);
            }
            Role::Condition => list.push(self.source(site, ScalarType::Pred, operand)?),
            Role::Memory => list.push(self.memory(site, operand)?),
            Role::Address => {
                let ty = (rule.ty != texunit_isa::OperandType::None).then_some(ty);
                list.push(self.address(site, ty, operand)?);
            }
            Role::Constant => list.push(self.only_constant(site, ty, operand)?),
        }
        Some(())
    }

    fn dest_or_discard(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
    ) -> Option<Operand> {
        if operand.kind == OperandKind::Discard {
            return Some(Operand::Discard);
        }
        self.dest(site, ty, operand)
    }

    /// A destination register of exactly this width.
    pub(crate) fn dest(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
    ) -> Option<Operand> {
        match self.value(operand)? {
            Value::Reg { id, ty: reg } if fits(ty, reg) => Some(Operand::Reg(id)),
            Value::Discard if site.i.opcode.text == "atom" => Some(Operand::Discard),
            value @ Value::Reg { .. } => self.mismatch(site, ty, &value, operand.span),
            value => self.not_a_destination(site, ty, &value, operand.span),
        }
    }

    pub(crate) fn not_a_destination<T>(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        value: &Value<'a>,
        span: Span,
    ) -> Option<T> {
        let name = mnemonic(site.i);
        self.report(
            Diagnostic::error(
                "E0218",
                span,
                format!("{name} cannot write to {}", value.describe()),
            )
            .help(format!("write {}", describe(ty))),
        );
        None
    }

    /// A source operand of exactly this width.
    pub(crate) fn source(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
    ) -> Option<Operand> {
        match self.value(operand)? {
            Value::Reg { id, ty: reg } if fits(ty, reg) => Some(Operand::Reg(id)),
            Value::NotReg(id) if ty == ScalarType::Pred => Some(Operand::NotReg(id)),
            Value::Const(value) => self.immediate(site, ty, value, operand.span),
            Value::Special(..) | Value::SpecialVector(_) => self.no_special(site, operand.span),
            value => self.mismatch(site, ty, &value, operand.span),
        }
    }

    fn no_special(&mut self, site: &Site<'_, 'a>, span: Span) -> Option<Operand> {
        let name = mnemonic(site.i);
        self.wrong(
            "E0215",
            span,
            format!("{name} cannot read a special register"),
            "copy it into a register with mov first",
        );
        None
    }

    /// A constant as an operand of this type.
    pub(crate) fn immediate(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        value: Const,
        span: Span,
    ) -> Option<Operand> {
        if value.overflows(ty) {
            self.report(
                Diagnostic::warning("W0102", span, format!("the constant does not fit .{ty}"))
                    .label(format!("only its low {} bits are used", ty.bits()))
                    .help("write the value that is meant"),
            );
        }
        match value.bits_for(ty) {
            Some(bits) => Some(Operand::Imm(bits)),
            None => {
                let name = mnemonic(site.i);
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
                self.wrong(
                    "E0214",
                    span,
                    format!("{name} cannot take {is} where a .{ty} is wanted"),
                    help,
                );
                None
            }
        }
    }

    /// Reports an operand of the wrong kind, type or width.
    pub(crate) fn mismatch<T>(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        value: &Value<'a>,
        span: Span,
    ) -> Option<T> {
        let name = mnemonic(site.i);
        let diagnostic = match value {
            Value::Reg { ty: reg, .. } => Diagnostic::error(
                "E0212",
                span,
                format!("{name} cannot use a .{reg} register here"),
            )
            .label(format!("this must be {}", describe(ty)))
            .help(format!(
                "declare the register {}, or convert it with cvt or mov.b{}",
                register_for(ty),
                ty.bits()
            )),
            other => Diagnostic::error(
                "E0211",
                span,
                format!("{name} cannot take {} here", other.describe()),
            )
            .help(format!("write {}", describe(ty))),
        };
        self.report(diagnostic);
        None
    }

    /// Data of ld, st and cvt: the register may be wider, and a vector if the row has one.
    fn data(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
        written: bool,
    ) -> Option<Operand> {
        let value = self.value(operand)?;
        let lanes = usize::from(site.mods.vector.max(1));
        let items = match value {
            Value::Vector(items) => items,
            Value::VectorReg { first, ty, lanes } if site.mods.vector > 0 => {
                lanes_of(first, ty, lanes, operand.span)
            }
            value if site.mods.vector == 0 => {
                return self.element(site, ty, value, operand.span, written);
            }
            value => vec![(value, operand.span)],
        };
        if items.len() != lanes {
            let name = mnemonic(site.i);
            self.wrong(
                "E0213",
                operand.span,
                format!("{name} moves {}, not {}", plural(lanes, "element"), items.len()),
                "write as many registers between { and } as .v2 or .v4 says",
            );
            return None;
        }
        if items.iter().all(|(v, _)| matches!(v, Value::Discard)) {
            let name = mnemonic(site.i);
            self.wrong(
                "E0211",
                operand.span,
                format!("{name} has no register for its result"),
                "write a register for one of the elements",
            );
            return None;
        }
        let mut list: Vec<Operand> = Vec::with_capacity(items.len());
        for (value, span) in items {
            let discard = written && matches!(value, Value::Discard);
            list.push(if discard {
                Operand::Discard
            } else {
                self.element(site, ty, value, span, written)?
            });
        }
        if site.mods.vector == 0 { list.pop() } else { Some(Operand::Vector(list)) }
    }

    fn element(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        value: Value<'a>,
        span: Span,
        written: bool,
    ) -> Option<Operand> {
        let special = site.i.opcode.text == Opcode::Cvt.name();
        match value {
            Value::Reg { id, ty: reg } if fits_relaxed(ty, reg) => Some(Operand::Reg(id)),
            Value::Reg { .. } => self.mismatch(site, ty, &value, span),
            _ if written => self.not_a_destination(site, ty, &value, span),
            Value::Const(value) => self.immediate(site, ty, value, span),
            Value::Special(s, component)
                if special && s.types.iter().any(|t| fits_relaxed(ty, *t)) =>
            {
                Some(s.operand(component))
            }
            Value::Special(..) | Value::SpecialVector(_) => self.no_special(site, span),
            value => self.mismatch(site, ty, &value, span),
        }
    }

    fn only_constant(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
    ) -> Option<Operand> {
        match self.value(operand)? {
            Value::Const(value) if value.is_int() => self.immediate(site, ty, value, operand.span),
            value => {
                let name = mnemonic(site.i);
                self.wrong(
                    "E0214",
                    operand.span,
                    format!("{name} needs an integer constant here, not {}", value.describe()),
                    "write a number",
                );
                None
            }
        }
    }
}

/// A vector register as its elements.
pub(crate) fn lanes_of<'a>(
    first: RegId,
    ty: ScalarType,
    lanes: u8,
    span: Span,
) -> Vec<(Value<'a>, Span)> {
    (0..u32::from(lanes)).map(|n| (Value::Reg { id: RegId(first.0 + n), ty }, span)).collect()
}

/// The space that an area lies in, spelled as in PTX.
pub(crate) fn area_name(area: Area) -> &'static str {
    match area {
        Area::Global => ".global",
        Area::Const => ".const",
        Area::Shared => ".shared",
        Area::Local => ".local",
        Area::Param | Area::CallParam => ".param",
        Area::Opaque(_) => "opaque",
    }
}
