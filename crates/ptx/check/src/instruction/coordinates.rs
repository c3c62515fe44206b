//! Checks of the coordinates of texture and surface instructions: a vector of a size that the
//! geometry accepts, or a register.

use texunit_isa::texture::{Registers, geometry as row_of, registers};
use texunit_isa::{Geometry, MipMode, ScalarType, Shape};
use texunit_syntax::ast::{self, OperandKind};
use texunit_syntax::{Diagnostic, Span};

use crate::body::value::Value;
use crate::context::scope::Resolved;
use crate::instruction::site::Site;
use crate::ir::Operand;
use crate::message::fixes;
use crate::options::Ptxas;

/// How ptxas interprets the last operand in the brackets. A sampler in unified mode shifts the
/// operands by one position, although ptxas checks their types in the original positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shift {
    /// ptxas correctly interprets the operand as coordinates.
    None,
    /// ptxas interprets the operand as an offset.
    Offset,
    /// ptxas interprets the operand as a level.
    Level,
    /// ptxas interprets the operand as a level, and a vector in the position of the level as the
    /// offset.
    Levels,
    /// ptxas interprets the operand as the first gradient.
    Gradient,
}

impl<'a> Site<'_, '_, 'a> {
    /// Checks the coordinate vector of a texture instruction.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn coordinates(
        &mut self,
        operand: &ast::Operand<'a>,
        geometry: Geometry,
        coordinate: ScalarType,
        shift: Shift,
        sampled: bool,
    ) -> Option<Vec<Operand>> {
        let row = row_of(geometry);
        let place = registers("coordinate", coordinate);
        let braces = matches!(operand.kind, OperandKind::Vector(_));
        if sampled && !braces && !self.scalar_behind_sampler() {
            let message = "a coordinate after a sampler needs braces";
            let written = self.braced(operand);
            let help = format!("write {written}, or .version 9.0");
            return self.cx.refuse("E0304", operand.span, message, &help);
        }
        let items = match self.value(operand)?.in_braces(operand.span) {
            Value::Vector(items) => items,
            scalar => return self.scalar_coordinate(operand, scalar, geometry, place),
        };
        let sizes = match shift {
            Shift::None if !self.cx.has_version(12) => &[4],
            Shift::None => row.coordinate_sizes(),
            Shift::Offset => row.offset_sizes(),
            Shift::Level | Shift::Levels => &[1, 2, 4],
            Shift::Gradient => match row.gradient_size() {
                1 => &[1],
                2 => &[2],
                _ => &[4],
            },
        };
        if sizes.is_empty() {
            // The superfluous sampler has been reported.
            return None;
        }
        if !sizes.contains(&items.len()) {
            return self.coordinate_count(operand.span, geometry, items.len(), sizes);
        }
        // In a vector register without braces, layer and coordinates have the same type. After a
        // sampler in unified mode, no element is interpreted as a layer.
        let indices = if braces && shift == Shift::None { row.apart() } else { 0 };
        let mut meant = items.iter().take(geometry.coordinates()).skip(indices);
        let float = meant
            .find(|(value, _)| matches!(value, Value::Reg { ty: ScalarType::F32, .. }))
            .map(|(_, span)| *span);
        let placed = self.place_vector(operand, items, place, indices)?;
        if coordinate == ScalarType::S32 && self.form.shape == Shape::Texture {
            self.bits_of_another_type(operand.span, float);
        }
        Some(placed)
    }

    /// Warns about coordinates in registers of another type than the instruction's: ptxas uses
    /// their bits unchanged.
    fn bits_of_another_type(&mut self, coordinates: Span, float: Option<Span>) {
        let name = self.name();
        if self.mods.mip == Some(MipMode::Grad) {
            let message = format!("{name} takes the bits of its coordinates for floats");
            self.report(
                Diagnostic::warning("W0106", coordinates, message)
                    .label("there is no other tex.grad in machine code")
                    .help("convert the coordinates to .f32, and write .f32 as the last type"),
            );
        } else if let Some(span) = float {
            let message = format!("{name} takes the bits of a .f32 register for an integer");
            self.report(
                Diagnostic::warning("W0107", span, message)
                    .label("a coordinate in texels")
                    .help("convert it with cvt.rni.s32.f32"),
            );
        }
    }

    /// The text of an operand in braces: `{v.x, v.y}` for a vector register `v`.
    fn braced(&mut self, operand: &ast::Operand<'a>) -> String {
        let OperandKind::Name { name, component: None } = &operand.kind else {
            return "{x}".into();
        };
        match self.find(name.text) {
            Some(Resolved::Register(r)) if r.decl.vector > 1 => {
                let elements = "xyzw".chars().take(r.decl.vector.into());
                let elements: Vec<String> =
                    elements.map(|c| format!("{}.{c}", name.text)).collect();
                format!("{{{}}}", elements.join(", "))
            }
            _ => format!("{{{}}}", name.text),
        }
    }

    /// Whether a coordinate after a sampler may be written without braces.
    fn scalar_behind_sampler(&self) -> bool {
        match self.cx.options.ptxas_compat() {
            true => self.cx.release >= Ptxas::V13_5,
            false => self.cx.has_version(90),
        }
    }

    pub(crate) fn coordinate_count<T>(
        &mut self,
        span: Span,
        geometry: Geometry,
        n: usize,
        sizes: &[usize],
    ) -> Option<T> {
        let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
        let help = if n == 3 {
            "write a fourth element, which is ignored: the assembler takes vectors of 1, 2 or 4"
        } else {
            "write a vector of that size"
        };
        let message = format!(
            "{}: .{geometry} takes {} coordinates, not {n}",
            self.name(),
            sizes.join(" or ")
        );
        let diagnostic = Diagnostic::error("E0304", span, message).help(help);
        // With three coordinates, the fourth element is ignored.
        let three = geometry.coordinates() == 3;
        let diagnostic = match three && n == 3 {
            true => fixes::repeat_last(self.cx.source, span, diagnostic),
            false => diagnostic,
        };
        self.cx.refuse_with(diagnostic)
    }

    /// Checks a single coordinate without braces.
    pub(crate) fn scalar_coordinate(
        &mut self,
        operand: &ast::Operand<'a>,
        value: Value<'a>,
        geometry: Geometry,
        place: &Registers,
    ) -> Option<Vec<Operand>> {
        let whole = matches!(operand.kind, OperandKind::Name { component: None, .. })
            && matches!(value, Value::Reg { .. });
        let found = self.scalar_of(&value, operand.span, place).filter(|_| whole);
        let Some(found) = found else {
            let what =
                if place.ty == ScalarType::F32 { "a .f32 coordinate" } else { "a 32-bit integer" };
            let message = format!("needs {what} here, not {}", value.describe());
            let help = "write the coordinates between { and }";
            return self.deny("E0305", operand.span, message, help);
        };
        if geometry != Geometry::D1 {
            let diagnostic = self
                .error("E0310", operand.span, "needs a coordinate vector")
                .label("ptxas accepts this and reads unintended registers")
                .help("write the coordinates between { and }");
            self.report_miscompiled(diagnostic);
        }
        Some(vec![found])
    }

    /// Checks an operand without braces in the position `place`.
    pub(crate) fn scalar_of(
        &mut self,
        value: &Value<'a>,
        span: Span,
        place: &Registers,
    ) -> Option<Operand> {
        match value {
            Value::Reg { id, ty } if place.scalar.contains(ty) => Some(Operand::Reg(*id)),
            Value::Const(c) if c.is_int() == (place.ty != ScalarType::F32) => {
                self.immediate(place.ty, *c, span)
            }
            _ => None,
        }
    }
}
