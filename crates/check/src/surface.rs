//! Operands of suld, sust and sured.

use texunit_isa::floor::INDIRECT;
use texunit_isa::{Form, Geometry, Modifiers, Opcode, ScalarType, TypeKind};
use texunit_syntax::ast::{self, OperandKind};
use texunit_syntax::{Diagnostic, Span};

use crate::body::Body;
use crate::instruction::{mnemonic, plural};
use crate::ir::Operand;
use crate::operand::{Site, lanes_of};
use crate::texture::shape_of;
use crate::values::Value;

impl<'a> Body<'_, 'a> {
    pub(crate) fn surface_load(
        &mut self,
        i: &'a ast::Instruction<'a>,
        mods: &Modifiers,
        form: &Form,
    ) -> Option<Vec<Operand>> {
        let site = Site { i, mods };
        self.require_form(i, mods, form);
        let [dest, inside] =
            self.two_operands(i, "write a destination and [surface, coordinates]")?;
        let dest = self.surface_data(&site, dest, true);
        let inside = self.surface_operands(&site, inside);
        let mut operands = vec![dest?];
        operands.extend(inside?);
        Some(operands)
    }

    /// sust and sured.
    pub(crate) fn surface_store(
        &mut self,
        i: &'a ast::Instruction<'a>,
        mods: &Modifiers,
        form: &Form,
    ) -> Option<Vec<Operand>> {
        let site = Site { i, mods };
        self.require_form(i, mods, form);
        let [inside, data] = self.two_operands(i, "write [surface, coordinates] and the data")?;
        let inside = self.surface_operands(&site, inside);
        let data = self.surface_data(&site, data, false);
        let mut operands = inside?;
        operands.push(data?);
        Some(operands)
    }

    /// `[surface, coordinates]`
    fn surface_operands(
        &mut self,
        site: &Site<'_, 'a>,
        operand: &ast::Operand<'a>,
    ) -> Option<Vec<Operand>> {
        let OperandKind::Bracket(items) = &operand.kind else {
            self.wrong(
                "E0301",
                operand.span,
                format!("{} needs [surface, coordinates] here", mnemonic(site.i)),
                "write the brackets, which the assembler demands, and the coordinates in them",
            );
            return None;
        };
        let [surface, coords] = items.as_slice() else {
            self.wrong(
                "E0301",
                operand.span,
                format!("{} takes [surface, coordinates]", mnemonic(site.i)),
                "write 2 operands between the brackets",
            );
            return None;
        };
        let handle = self.handle(surface, &[ScalarType::Surfref], Some(INDIRECT));
        let coords = self.surface_coordinates(site, coords);
        Some(vec![handle?, coords?])
    }

    fn surface_coordinates(
        &mut self,
        site: &Site<'_, 'a>,
        operand: &ast::Operand<'a>,
    ) -> Option<Operand> {
        let geometry = site.mods.geometry?;
        let sizes = shape_of(geometry).coords;
        let items = match self.value(operand)? {
            Value::Vector(items) => items,
            Value::VectorReg { first, ty, lanes } => lanes_of(first, ty, lanes, operand.span),
            scalar => {
                if geometry != Geometry::D1 {
                    let diagnostic = Diagnostic::error(
                        "E0310",
                        operand.span,
                        format!("{} needs a coordinate vector", mnemonic(site.i)),
                    )
                    .label("ptxas accepts this and reads registers that were not meant")
                    .help("write the coordinates between { and }");
                    self.cx.report_miscompiled(diagnostic);
                }
                return Some(Operand::Vector(vec![self.surface_coordinate(
                    site,
                    scalar,
                    operand.span,
                )?]));
            }
        };
        if !sizes.contains(&items.len()) {
            self.coordinate_count(site, operand.span, geometry, items.len(), sizes);
            return None;
        }
        let mut list = Vec::with_capacity(items.len());
        for (value, span) in items {
            list.push(self.surface_coordinate(site, value, span)?);
        }
        Some(Operand::Vector(list))
    }

    fn surface_coordinate(
        &mut self,
        site: &Site<'_, 'a>,
        value: Value<'a>,
        span: Span,
    ) -> Option<Operand> {
        match value {
            Value::Reg { id, ty: ScalarType::S32 | ScalarType::U32 | ScalarType::B32 } => {
                Some(Operand::Reg(id))
            }
            Value::Const(c) if c.is_int() => self.immediate(site, ScalarType::S32, c, span),
            Value::Special(s, component) if s.types.contains(&ScalarType::U32) => {
                Some(s.operand(component))
            }
            value => {
                self.wrong(
                    "E0305",
                    span,
                    format!(
                        "{} needs a 32-bit integer here, not {}",
                        mnemonic(site.i),
                        value.describe()
                    ),
                    "use .s32, .u32 or .b32 registers, or integers",
                );
                None
            }
        }
    }

    /// The data: as many registers as `.vec` says, each at least as wide as an element.
    fn surface_data(
        &mut self,
        site: &Site<'_, 'a>,
        operand: &ast::Operand<'a>,
        written: bool,
    ) -> Option<Operand> {
        let ty = site.mods.ty()?;
        let lanes = usize::from(site.mods.vector.max(1));
        let reduces = site.i.opcode.text == Opcode::Sured.name();
        if reduces && matches!(operand.kind, OperandKind::Vector(_)) {
            self.wrong(
                "E0308",
                operand.span,
                format!("{} takes one register without braces", mnemonic(site.i)),
                "leave the braces out",
            );
            return None;
        }
        let items = match self.value(operand)? {
            Value::Vector(items) => items,
            Value::VectorReg { first, ty, lanes } => lanes_of(first, ty, lanes, operand.span),
            value => vec![(value, operand.span)],
        };
        if items.len() != lanes {
            if self.glued(site, ty, &items, operand) {
                return Some(Operand::Vector(Vec::new()));
            }
            self.wrong(
                "E0308",
                operand.span,
                format!(
                    "{} moves {}, not {}",
                    mnemonic(site.i),
                    plural(lanes, "element"),
                    items.len()
                ),
                "write as many registers between { and } as .v2 or .v4 says",
            );
            return None;
        }
        if written && items.iter().all(|(v, _)| matches!(v, Value::Discard)) {
            self.wrong(
                "E0308",
                operand.span,
                format!("{} has no register for its result", mnemonic(site.i)),
                "write a register for one of the elements",
            );
            return None;
        }
        let mut list = Vec::with_capacity(lanes);
        for (value, span) in items {
            list.push(match value {
                Value::Reg { id, ty: reg } if self.data_fits(site, ty, reg) => Operand::Reg(id),
                Value::Discard if written => Operand::Discard,
                Value::Const(c) if !written => self.immediate(site, ty, c, span)?,
                value if written => match value {
                    Value::Reg { .. } => return self.mismatch(site, ty, &value, span),
                    value => return self.not_a_destination(site, ty, &value, span),
                },
                value => return self.mismatch(site, ty, &value, span),
            });
        }
        Some(Operand::Vector(list))
    }

    fn data_fits(&self, site: &Site<'_, 'a>, ty: ScalarType, reg: ScalarType) -> bool {
        if reg.kind() == TypeKind::Predicate || reg.bits() < ty.bits() {
            return false;
        }
        // sured takes integers only, and floats where the type is plain bits.
        let float = matches!(reg.kind(), TypeKind::Float | TypeKind::Packed);
        let bits = ty.kind() == TypeKind::Bits && reg.kind() == TypeKind::Float;
        site.i.opcode.text != Opcode::Sured.name() || !float || bits
    }

    /// ptxas takes a tuple for a scalar as one wide register, and a scalar for a tuple.
    fn glued(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        items: &[(Value<'a>, Span)],
        operand: &ast::Operand<'a>,
    ) -> bool {
        if site.i.opcode.text == Opcode::Sured.name() {
            return false;
        }
        let written = site.i.opcode.text == Opcode::Suld.name();
        let width = |value: &Value| match value {
            Value::Reg { ty, .. } if ty.kind() != TypeKind::Predicate => Some(ty.bits()),
            Value::Discard if written => Some(ty.bits()),
            Value::Const(c) if !written => c.bits_for(ty).or(c.float_bits(ty)).map(|_| ty.bits()),
            _ => None,
        };
        let total: Option<u32> = items.iter().map(|(v, _)| width(v)).sum();
        let discarded = items.iter().all(|(v, _)| matches!(v, Value::Discard));
        let scalar = !matches!(operand.kind, OperandKind::Vector(_)) && items.len() == 1;
        let shape = match site.mods.vector {
            0 => matches!(items.len(), 2 | 4),
            _ => scalar && !written,
        };
        if !shape || discarded || total.is_none_or(|bits| bits < ty.bits()) {
            return false;
        }
        let lanes = site.mods.vector.max(1);
        let message = format!(
            "{} moves {}, not {}",
            mnemonic(site.i),
            plural(usize::from(lanes), "element"),
            items.len()
        );
        let diagnostic = Diagnostic::error("E0312", operand.span, message)
            .label("ptxas accepts this and glues or splits the registers")
            .help("write as many registers between { and } as .v2 or .v4 says");
        self.cx.report_miscompiled(diagnostic);
        true
    }
}
