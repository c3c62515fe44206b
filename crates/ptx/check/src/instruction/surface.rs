//! Checks of the operands of suld, sust and sured.

use texunit_forms::Count;
use texunit_isa::requirement::INDIRECT;
use texunit_isa::texture::{SURFACE_COORDINATES, SURFACE_DATA, geometry as row_of};
use texunit_isa::{AtomOp, Opcode, ScalarType, Shape, TypeKind};
use texunit_syntax::Span;
use texunit_syntax::ast::{self, OperandKind};

use crate::body::value::Value;
use crate::instruction::site::Site;
use crate::instruction::tuple::{Flaw, Items, Lead, component_beside_constant, tuple};
use crate::ir::{self, Operand, SurfaceOperands};

impl<'a> Site<'_, '_, 'a> {
    pub(crate) fn surface_load(&mut self) -> Option<SurfaceOperands> {
        let [dest, inside] = self.takes("write a destination and [surface, coordinates]")?;
        let dest = self.surface_data(dest, true);
        let inside = self.surface_operands(inside);
        Some(SurfaceOperands { destination: dest?, ..inside? })
    }

    /// Checks sust and sured.
    pub(crate) fn surface_store(&mut self) -> Option<SurfaceOperands> {
        let [inside, data] = self.takes("write [surface, coordinates] and the data")?;
        let inside = self.surface_operands(inside);
        let data = self.surface_data(data, false);
        Some(SurfaceOperands { source: data?, ..inside? })
    }

    /// Checks `[surface, coordinates]`, without the data operand.
    fn surface_operands(&mut self, operand: &ast::Operand<'a>) -> Option<SurfaceOperands> {
        let OperandKind::Bracket(items) = &operand.kind else {
            let message = "needs [surface, coordinates] here";
            let help =
                "write the brackets, which the assembler demands, and the coordinates in them";
            return self.deny("E0301", operand.span, message, help);
        };
        let [surface, coords] = items.as_slice() else {
            let message = "takes [surface, coordinates]";
            let help = "write 2 operands between the brackets";
            return self.deny("E0301", operand.span, message, help);
        };
        let handle = self.handle(surface, &[ScalarType::Surfref], Some(INDIRECT));
        let coords = self.surface_coordinates(coords);
        let mut padding = Vec::new();
        Some(SurfaceOperands {
            surface: handle?,
            coords: ir::coordinates(self.mods.geometry?, coords?, &mut padding),
            destination: Vec::new(),
            source: Vec::new(),
            padding,
        })
    }

    fn surface_coordinates(&mut self, operand: &ast::Operand<'a>) -> Option<Vec<Operand>> {
        let geometry = self.mods.geometry?;
        let place = &SURFACE_COORDINATES;
        let items = match self.value(operand)?.in_braces(operand.span) {
            Value::Vector(items) => items,
            scalar => return self.scalar_coordinate(operand, scalar, geometry, place),
        };
        let sizes = row_of(geometry).coordinate_sizes();
        if !sizes.contains(&items.len()) {
            return self.coordinate_count(operand.span, geometry, items.len(), sizes);
        }
        self.place_vector(operand, items, place, 0)
    }

    /// Checks the data: as many registers as `.vec` states, each at least as wide as an element.
    fn surface_data(&mut self, operand: &ast::Operand<'a>, written: bool) -> Option<Vec<Operand>> {
        let ty = self.mods.ty()?;
        let lanes = usize::from(self.mods.vector.max(1));
        let reduces = self.form.shape == Shape::SurfaceReduce;
        if reduces && matches!(operand.kind, OperandKind::Vector(_)) {
            let message = "takes one register without braces";
            return self.deny("E0308", operand.span, message, "leave the braces out");
        }
        if reduces {
            return self.reduced(operand, ty);
        }
        let items = match self.value(operand)?.in_braces(operand.span) {
            Value::Vector(items) => items,
            value => return self.scalar_data(operand, value, ty, written),
        };
        let glued = self.mods.vector == 0 && matches!(items.len(), 2 | 4);
        if items.len() != lanes && !glued {
            let message = format!("moves {}, not {}", Count(lanes, "element"), items.len());
            let help = "write as many registers between { and } as .v2 or .v4 says";
            return self.deny("E0308", operand.span, message, help);
        }
        if written && items.iter().all(|(v, _)| matches!(v, Value::Discard)) {
            let message = "has no register for its result";
            let help = "write a register for one of the elements";
            return self.deny("E0308", operand.span, message, help);
        }
        let accepted = self.data_accepted(operand, &items, ty, glued, written)?;
        if glued && accepted {
            let message = format!("moves 1 element, not {}", items.len());
            let diagnostic = self
                .error("E0312", operand.span, message)
                .label("ptxas accepts this and glues the registers together")
                .help("write one register, or .v2 or .v4");
            self.report_miscompiled(diagnostic);
            return Some(Vec::new());
        }
        let mut list = Vec::with_capacity(items.len());
        for (value, span) in &items {
            list.push(self.data_element(ty, value, *span, written, accepted)?);
        }
        if !accepted {
            let message = "cannot take these elements in one vector";
            return self.deny("E0315", operand.span, message, "use registers of one type");
        }
        Some(list)
    }

    /// Whether ptxas accepts a vector as data of type `ty`; `None` if an error was reported.
    fn data_accepted(
        &mut self,
        operand: &ast::Operand<'a>,
        items: &Items<'a>,
        ty: ScalarType,
        glued: bool,
        written: bool,
    ) -> Option<bool> {
        let typed = match tuple(items, 0) {
            Err(Flaw::Neighbour(n)) => return self.neighbours(items, n),
            Err(_) => return Some(false),
            Ok(typed) => typed,
        };
        let constant = items.iter().any(|(value, _)| matches!(value, Value::Const(_)));
        let sink = items.iter().any(|(value, _)| matches!(value, Value::Discard));
        if if written { constant } else { sink || component_beside_constant(operand, items) } {
            return Some(false);
        }
        let lanes = if glued { items.len() as u32 } else { 1 };
        let bits = lanes * typed.bits.unwrap_or(typed.constant_bits);
        Some(match typed.lead {
            Lead::Integer => true,
            Lead::Float => bits == ty.bits(),
            Lead::Sized => typed.ty != Some(ScalarType::Pred) && bits >= ty.bits(),
        })
    }

    /// Checks a register or constant in a data vector; reports operands that only ptxas accepts.
    fn data_element(
        &mut self,
        ty: ScalarType,
        value: &Value<'a>,
        span: Span,
        written: bool,
        accepted: bool,
    ) -> Option<Operand> {
        Some(match value {
            Value::Reg { id, ty: reg } if data_fits(ty, *reg) => Operand::Reg(*id),
            Value::Discard if written => Operand::Discard,
            Value::Const(c) if !written && c.bits_for(ty).is_some() => {
                self.immediate(ty, *c, span)?
            }
            _ if accepted => self.only_in_vector(ty, value, span, written)?,
            Value::Const(c) if !written => self.immediate(ty, *c, span)?,
            value if written && !matches!(value, Value::Reg { .. }) => {
                return self.not_a_destination(ty, value, span);
            }
            _ => return self.mismatch(ty, value, span),
        })
    }

    /// Checks a data operand without braces. For a vector, ptxas accepts a scalar and crashes.
    fn scalar_data(
        &mut self,
        operand: &ast::Operand<'a>,
        value: Value<'a>,
        ty: ScalarType,
        written: bool,
    ) -> Option<Vec<Operand>> {
        let span = operand.span;
        if self.mods.vector > 0 {
            let lanes = usize::from(self.mods.vector);
            let message = format!("moves {}, not 1", Count(lanes, "element"));
            let help = "write as many registers between { and } as .v2 or .v4 says";
            let taken = !written
                && match &value {
                    Value::Reg { ty: reg, .. } => data_fits(ty, *reg),
                    Value::Const(c) => c.bits_for(ty).or(c.float_bits(ty)).is_some(),
                    _ => false,
                };
            if !taken {
                return self.deny("E0308", span, message, help);
            }
            let diagnostic = self
                .error("E0312", span, message)
                .label("ptxas accepts this and then crashes")
                .help(help);
            self.report_miscompiled(diagnostic);
            return Some(Vec::new());
        }
        if written && matches!(value, Value::Discard) {
            let message = "has no register for its result";
            return self.deny("E0308", span, message, "write a register for one of the elements");
        }
        if !written && self.address_as_number(ty, operand, &value) {
            return Some(Vec::new());
        }
        let element = self.data_element(ty, &value, span, written, false)?;
        Some(vec![element])
    }

    /// Checks the data operand of sured: a register or constant.
    fn reduced(&mut self, operand: &ast::Operand<'a>, ty: ScalarType) -> Option<Vec<Operand>> {
        let value = self.value(operand)?;
        let row = SURFACE_DATA.iter().find(|(of, _)| *of == ty).map_or(&[][..], |(_, regs)| regs);
        // On Kepler GPUs, sured.b is compiled to red, which accepts no wider registers.
        let kepler = self.cx.options.ptxas_compat()
            && !self.mods.formatted
            && self.cx.options.arch.map_or(self.cx.target, |arch| arch.number) < 50;
        let wide = |reg: ScalarType| reg.bits() > ty.bits();
        let element = match &value {
            Value::Reg { ty: reg, .. } if kepler && wide(*reg) => {
                self.mismatch(ty, &value, operand.span)?
            }
            Value::Reg { id, ty: reg } if row.contains(reg) => Operand::Reg(*id),
            Value::Const(c) => self.immediate(ty, *c, operand.span)?,
            value if self.address_as_number(ty, operand, value) => Operand::Imm(0),
            value => self.mismatch(ty, value, operand.span)?,
        };
        Some(vec![element])
    }
}

/// Whether a register is valid as data of suld and sust: any type except `.pred`, at least as wide.
fn data_fits(ty: ScalarType, reg: ScalarType) -> bool {
    reg.kind() != TypeKind::Predicate && reg.bits() >= ty.bits()
}

/// The advice for an operation of other atomics that sured lacks; ptxas crashes on most of these
/// operations.
pub(crate) fn no_reduction(opcode: Opcode, word: &str) -> Option<&'static str> {
    let operation = AtomOp::from_name(word).filter(|_| opcode == Opcode::Sured)?;
    match operation {
        AtomOp::Xor | AtomOp::Inc | AtomOp::Dec | AtomOp::Exch | AtomOp::Cas => Some(
            "sured has .add, .min, .max, .and and .or (ptxas crashes on others); for this one \
             use atom on a buffer in global memory",
        ),
        _ => None,
    }
}
