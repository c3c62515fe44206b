//! Checks of `mov`: copies, addresses, packing and unpacking.

use texunit_forms::Count;
use texunit_isa::requirement::KERNEL_ADDRESS;
use texunit_isa::{ScalarType, TypeKind};
use texunit_syntax::{Diagnostic, Span, ast};

use crate::body::value::{Area, Value};
use crate::instruction::operand::{SumType, type_of_sum};
use crate::instruction::site::Site;
use crate::instruction::tuple::{component_beside_constant, tuple};
use crate::ir::{Base, Operand};
use crate::types::{fits, kind_fits};

impl<'a> Site<'_, '_, 'a> {
    pub(crate) fn mov(&mut self) -> Option<Vec<Operand>> {
        let mods = self.mods;
        let [to, from] = self.takes("write a destination and a source")?;
        let ty = mods.ty()?;
        let (dest, source) = (self.value(to), self.value(from));
        let (dest, source) = (dest?, source?);
        self.parameter_of_call(from, &source)?;
        if mods.vector > 0 {
            return self.mov_vector(ty, (dest, to.span), (source, from.span));
        }
        let (dest, source) = match ty.kind() {
            TypeKind::Bits => (dest.in_braces(to.span), source.in_braces(from.span)),
            _ => (dest, source),
        };
        match (dest, source) {
            (Value::Vector(items), Value::Reg { id, ty: reg }) if fits(ty, reg) => {
                Some(vec![self.parts(ty, items, to, true)?, Operand::Reg(id)])
            }
            (Value::Vector(items), Value::Const(value)) => {
                let parts = self.parts(ty, items, to, true)?;
                Some(vec![parts, self.immediate(ty, value, from.span)?])
            }
            (Value::Reg { id, ty: reg }, Value::Vector(items)) if fits(ty, reg) => {
                Some(vec![Operand::Reg(id), self.parts(ty, items, from, false)?])
            }
            (Value::Reg { id, ty: reg }, source) if fits(ty, reg) => {
                Some(vec![Operand::Reg(id), self.mov_source(ty, source, from.span)?])
            }
            (Value::Vector(_), source) => self.mismatch(ty, &source, from.span),
            (dest @ Value::Reg { .. }, _) => self.mismatch(ty, &dest, to.span),
            (dest, _) => self.not_a_destination(ty, &dest, to.span),
        }
    }

    fn mov_source(&mut self, ty: ScalarType, source: Value<'a>, span: Span) -> Option<Operand> {
        let address = matches!(ty.kind(), TypeKind::Unsigned | TypeKind::Signed | TypeKind::Bits)
            && matches!(ty.bits(), 32 | 64);
        match source {
            Value::Reg { id, ty: reg } if fits(ty, reg) => Some(Operand::Reg(id)),
            Value::NotReg(id) if ty == ScalarType::Pred => Some(Operand::NotReg(id)),
            Value::Const(value) => self.immediate(ty, value, span),
            Value::Special(s, component) if s.types.iter().any(|t| fits(ty, *t)) => {
                Some(s.operand(component))
            }
            Value::Special(s, _) => {
                let types: Vec<String> = s.types.iter().map(|t| format!(".{t}")).collect();
                let message = "cannot read this special register";
                let help =
                    &format!("write mov{} and a register of that width", types.join(" or mov"));
                self.deny("E0215", span, message, help)
            }
            Value::SpecialVector(_) => {
                let message = "this special register has several components";
                self.cx.refuse("E0213", span, message, "name one of them: .x, .y or .z")
            }
            Value::Named { area: Area::Opaque(kind), offset: 0, .. }
            | Value::Element(_, Area::Opaque(kind))
                if ty != ScalarType::U64 && kind != ScalarType::Samplerref =>
            {
                let help = "write mov.u64 and a 64-bit register";
                self.cx.refuse("E0212", span, format!("the address of a .{kind} has 64 bits"), help)
            }
            Value::Named { base, offset, .. } if address => {
                if matches!((base, offset), (Base::Return(_), 0)) {
                    self.cx.require_named("the address of a result", 0, 30, span);
                }
                Some(Operand::AddressOf(base, offset))
            }
            Value::Element(element, _) if address => Some(Operand::Element(Box::new(element))),
            Value::Function(id) if address => {
                if self.cx.module.functions[id.0 as usize].is_entry {
                    self.cx.require(KERNEL_ADDRESS, span);
                }
                Some(Operand::Function(id))
            }
            Value::Named { base, offset, .. } if self.narrow_address(ty, span) => {
                Some(Operand::AddressOf(base, offset))
            }
            Value::Element(element, _) if self.narrow_address(ty, span) => {
                Some(Operand::Element(Box::new(element)))
            }
            Value::Function(_) => {
                self.no_number(&source, span);
                Some(Operand::Imm(0))
            }
            Value::Sum(ref of) => {
                let taken = match type_of_sum(of) {
                    SumType::Code => true,
                    SumType::Vector => {
                        let vector =
                            matches!(**of, Value::VectorReg { .. } | Value::SpecialVector(_));
                        vector && ty.kind() == TypeKind::Bits
                    }
                    SumType::Scalar(of) => kind_fits(ty, of),
                };
                if !taken {
                    return self.mismatch(ty, &source, span);
                }
                self.no_number(&source, span);
                Some(Operand::Imm(0))
            }
            source => self.mismatch(ty, &source, span),
        }
    }

    /// Reports an address in a register of the wrong width, which ptxas accepts and miscompiles.
    fn narrow_address(&mut self, ty: ScalarType, span: Span) -> bool {
        let whole = ty.is_integer() || ty.kind() == TypeKind::Bits;
        if whole {
            let message = format!("{} cannot hold an address", self.name());
            self.report_miscompiled(
                Diagnostic::error("E0212", span, message)
                    .help("write mov.u64 and a 64-bit register"),
            );
        }
        whole
    }

    /// Checks the vector elements from which a value is packed, or into which it is unpacked.
    fn parts(
        &mut self,
        ty: ScalarType,
        items: Vec<(Value<'a>, Span)>,
        operand: &ast::Operand<'a>,
        written: bool,
    ) -> Option<Operand> {
        let (n, span) = (items.len() as u32, operand.span);
        let part = ty.bits().checked_div(n).filter(|bits| bits * n == ty.bits());
        let Some(part) = part.and_then(ScalarType::untyped) else {
            let message = format!("cannot be cut into {n} parts");
            let help = "write 2 or 4 registers whose widths add up";
            return self.deny("E0213", span, message, help);
        };
        if ty.kind() != TypeKind::Bits {
            let message = "does not pack or unpack";
            return self.deny("E0213", span, message, format!("write mov.b{}", ty.bits()));
        }
        let typed = self.data_vector(part, &items, written)?;
        let accepted = typed.counts_as(false).is_none_or(|found| fits(part, found))
            && !component_beside_constant(operand, &items);
        let beside = items.iter().filter(|(v, _)| !matches!(v, Value::Reg { .. })).count() == 1;
        let mut list = Vec::with_capacity(items.len());
        for (value, span) in items {
            list.push(match value {
                Value::Reg { id, ty: reg } if fits(part, reg) => Operand::Reg(id),
                Value::Discard if written => Operand::Discard,
                Value::Const(value) if beside && !written && value.bits_for(part).is_none() => {
                    self.low_bits(part, span)
                }
                Value::Const(value) if !written => self.immediate(part, value, span)?,
                value if accepted && !matches!(value, Value::Const(_) | Value::Discard) => {
                    self.only_in_vector(part, &value, span, written)?
                }
                value => return self.mismatch(part, &value, span),
            });
        }
        Some(Operand::Vector(list))
    }

    /// Checks a vector copy such as `mov.v4.f32 a, b`, element by element.
    fn mov_vector(
        &mut self,
        ty: ScalarType,
        to: (Value<'a>, Span),
        from: (Value<'a>, Span),
    ) -> Option<Vec<Operand>> {
        let lanes = usize::from(self.mods.vector);
        let dest = self.vector_of(to, lanes, true)?;
        let source = self.vector_of(from, lanes, false)?;
        let mut operands = Vec::new();
        for (items, written) in [(dest, true), (source, false)] {
            let mut list = Vec::with_capacity(lanes);
            let accepted = tuple(&items, 0)
                .is_ok_and(|typed| typed.counts_as(true).is_none_or(|found| fits(ty, found)));
            for (value, span) in items {
                list.push(match value {
                    Value::Reg { id, ty: reg } if fits(ty, reg) => Operand::Reg(id),
                    Value::Discard if written => Operand::Discard,
                    value @ (Value::Reg { .. } | Value::Special(..) | Value::Named { .. })
                        if accepted && (written || matches!(value, Value::Reg { .. })) =>
                    {
                        self.only_in_vector(ty, &value, span, written)?
                    }
                    value if written => return self.not_a_destination(ty, &value, span),
                    value => self.mov_source(ty, value, span)?,
                });
            }
            operands.push(Operand::Vector(list));
        }
        Some(operands)
    }

    fn vector_of(
        &mut self,
        (value, span): (Value<'a>, Span),
        lanes: usize,
        written: bool,
    ) -> Option<Vec<(Value<'a>, Span)>> {
        let items = match value.in_braces(span) {
            Value::Vector(items) => items,
            Value::SpecialVector(s) => (0..4).map(|n| (Value::Special(s, n), span)).collect(),
            Value::Discard => vec![(Value::Discard, span)],
            value if !written && self.cx.options.ptxas_compat() => {
                let message = format!("{} moves a vector, not {}", self.name(), value.describe());
                self.report_miscompiled(
                    Diagnostic::error("E0213", span, message).help("write a vector of that size"),
                );
                vec![(value, span); lanes]
            }
            other => vec![(other, span)],
        };
        if items.len() == lanes {
            return Some(items);
        }
        let message = format!("moves {}, not {}", Count(lanes, "element"), items.len());
        self.deny("E0213", span, message, "write a vector of that size")
    }
}
