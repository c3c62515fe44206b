//! Checks of the operands of tex and tld4, by the rules of ptxas (which sometimes differ from the
//! documentation): destination, texture, sampler and coordinates.

use texunit_forms::Count;
use texunit_isa::requirement::{INDIRECT, INDIRECT_INDEPENDENT, OFFSET, RESIDENCY, UNIFORM};
use texunit_isa::texture::{fetch_of, geometry as row_of, texel_of};
use texunit_isa::{Geometry, MipMode, ScalarType};
use texunit_syntax::ast::{self, OperandKind};
use texunit_syntax::{Diagnostic, Span};

use crate::body::value::{Area, Value};
use crate::context::scope::Resolved;
use crate::instruction::after_brackets::TrailingOperands;
use crate::instruction::coordinates::Shift;
use crate::instruction::site::Site;
use crate::instruction::tuple::{Flaw, Items, tuple};
use crate::ir::{self, FetchOperands, Lod, Operand};
use crate::message::fixes;
use crate::types::fits;

impl<'a> Site<'_, '_, 'a> {
    /// Checks tex and tld4.
    pub(crate) fn texture(&mut self) -> Option<FetchOperands> {
        if let Some(word) = self.i.modifiers.iter().find(|m| m.text == "uni") {
            self.cx.require(UNIFORM, word.span);
        }
        let geometry = self.mods.geometry?;
        let coordinate = self.mods.types.get(1).copied()?;
        let legal = self.legal_combination(geometry, coordinate);
        let [dest, inside, rest @ ..] = self.i.operands.as_slice() else {
            let message = "needs a destination and [texture, coordinates]";
            let help = "write for instance {%f1,%f2,%f3,%f4}, [tex, {%f5,%f6}]";
            return self.deny("E0210", self.i.opcode.span, message, help);
        };
        let dest = self.texture_dest(dest);
        // Before PTX ISA 1.2 the brackets were optional.
        let early = !self.cx.has_version(12) && self.cx.module.version != (0, 0);
        let (items, rest) = match &inside.kind {
            OperandKind::Bracket(items) => (items.as_slice(), rest),
            OperandKind::Name { .. } if early && !rest.is_empty() => {
                (&self.i.operands[1..3], &rest[1..])
            }
            _ => {
                // Without brackets, the remaining operands are in other positions.
                return self.no_brackets(inside, rest);
            }
        };
        // A wrong coordinate type ends the check, because every coordinate would be reported.
        legal?;
        let shift = self.shift(items);
        let shift = match rest {
            [first, ..] if shift == Shift::Level && self.is_vector(first) => Shift::Levels,
            _ => shift,
        };
        let inside = self.texture_operands(inside.span, items, geometry, coordinate, shift);
        let rest = self.after_bracket(rest, geometry, coordinate, shift);
        let (destination, resident) = dest?;
        let (texture, sampler, coords) = inside?;
        let TrailingOperands { lod, offset, compare } = rest?;
        let mut padding = Vec::new();
        let coords = ir::coordinates(geometry, coords, &mut padding);
        let mut point = |vector| ir::first(geometry.gradients(), vector, &mut padding);
        let lod = match lod {
            Lod::Gradient { dx, dy } => Lod::Gradient { dx: point(dx), dy: point(dy) },
            other => other,
        };
        let offset = offset.map(|vector| ir::first(geometry.axes(), vector, &mut padding));
        Some(FetchOperands {
            destination,
            resident,
            texture,
            sampler,
            coords,
            lod,
            offset,
            compare,
            padding,
        })
    }

    fn legal_combination(&mut self, geometry: Geometry, coordinate: ScalarType) -> Option<()> {
        let row = row_of(geometry);
        let (message, help) = if coordinate == ScalarType::S32 && !row.integer {
            ("cube maps have .f32 coordinates only", "write .f32 as the last type")
        } else if coordinate == ScalarType::F32 && !row.float {
            ("multi-sample textures have .s32 coordinates only", "write .s32 as the last type")
        } else if fetch_of(self.form.row.opcode, self.mods.mip, geometry).is_none() {
            ("multi-sample textures have one level", "leave .level or .grad out")
        } else {
            return Some(());
        };
        let (message, span) = (format!("{}: {message}", self.name()), self.i.opcode.span);
        self.cx.refuse("E0309", span, message, help)
    }

    /// Checks the destination `{a, b, c, d}` or `{a, b, c, d}|p`.
    fn texture_dest(
        &mut self,
        operand: &ast::Operand<'a>,
    ) -> Option<(Vec<Operand>, Option<Operand>)> {
        let (vector, predicate) = match &operand.kind {
            OperandKind::Pair(d, p) => (&**d, Some(&**p)),
            _ => (operand, None),
        };
        let whole = !matches!(vector.kind, OperandKind::Vector(_));
        let dest = self.dest_vector(vector);
        let predicate = match predicate {
            None => Some(Operand::Discard),
            Some(p) => {
                self.cx.require(RESIDENCY, p.span);
                if p.kind == OperandKind::Discard && whole {
                    Some(Operand::Discard)
                } else {
                    self.dest(ScalarType::Pred, p)
                }
            }
        };
        let predicate = Some(predicate?).filter(|p| *p != Operand::Discard);
        Some((dest?, predicate))
    }

    fn dest_vector(&mut self, operand: &ast::Operand<'a>) -> Option<Vec<Operand>> {
        let ty = self.mods.ty()?;
        let lanes = usize::from(self.mods.vector);
        let items = match self.value(operand)? {
            Value::VectorReg { lanes: 2, .. } if lanes == 2 => {
                let message = "cannot write a whole vector register";
                let diagnostic = self
                    .error("E0308", operand.span, message)
                    .label("every release of ptxas crashes here")
                    .help("write its elements between { and }");
                return self.cx.refuse_with(diagnostic);
            }
            other => match other.in_braces(operand.span) {
                Value::Vector(items) => items,
                scalar => vec![(scalar, operand.span)],
            },
        };
        if items.len() != lanes {
            let message = format!("writes {}, not {}", Count(lanes, "register"), items.len());
            let help = "write as many registers between { and } as .v2 or .v4 says";
            return self.deny("E0308", operand.span, message, help);
        }
        if items.iter().all(|(v, _)| matches!(v, Value::Discard)) {
            let message = "has no register for its result";
            let help = "write a register for one of the elements";
            return self.deny("E0308", operand.span, message, help);
        }
        self.texels(operand, ty, &items)
    }

    /// Checks the registers that receive the texels.
    fn texels(
        &mut self,
        operand: &ast::Operand<'a>,
        ty: ScalarType,
        items: &Items<'a>,
    ) -> Option<Vec<Operand>> {
        let texel = texel_of(ty)?;
        let typed = tuple(items, 0);
        let pair = texel.lanes == 2;
        let constant = items.iter().any(|(value, _)| matches!(value, Value::Const(_)));
        // ptxas moves a result pair to its registers; no move has a predicate destination.
        let predicate =
            |(value, _): &(Value, Span)| matches!(value, Value::Reg { ty: ScalarType::Pred, .. });
        let moved = !pair || !items.iter().any(predicate);
        let accepted = typed.is_ok_and(|t| t.fits(texel.registers)) && !constant && moved;
        let other = items.iter().find(|(value, _)| !matches!(value, Value::Reg { .. }));
        if let Some((value, span)) = other.filter(|_| accepted && pair) {
            return self.not_a_destination(ty, value, *span);
        }
        let mut list = Vec::with_capacity(items.len());
        for (value, span) in items {
            list.push(match value {
                Value::Discard => Operand::Discard,
                Value::Reg { id, ty: reg } if accepted && *reg != ScalarType::Pred => {
                    Operand::Reg(*id)
                }
                Value::Reg { id, ty: reg } if texel.registers.contains(reg) => Operand::Reg(*id),
                _ if accepted => {
                    let message = format!("cannot write to {}", value.describe());
                    let diagnostic = self
                        .error("E0218", *span, message)
                        .label("ptxas accepts this and writes nothing there")
                        .help("write a register");
                    self.report_miscompiled(diagnostic);
                    Operand::Discard
                }
                Value::Reg { .. } => self.mismatch(ty, value, *span)?,
                _ => self.not_a_destination(ty, value, *span)?,
            });
        }
        match typed {
            _ if accepted => Some(list),
            Err(Flaw::Neighbour(n)) => self.neighbours(items, n),
            _ => self.mismatch(ty, &Value::Vector(items.to_vec()), operand.span),
        }
    }

    /// Reports missing brackets: `texture, coordinates` or `[texture], coordinates`, with or
    /// without a sampler.
    fn no_brackets<T>(
        &mut self,
        texture: &ast::Operand<'a>,
        rest: &[ast::Operand<'a>],
    ) -> Option<T> {
        let message = "needs [texture, coordinates] here";
        let help = "write the brackets, which the assembler demands, and the coordinates in them";
        let diagnostic = self.error("E0301", texture.span, message).help(help);
        let sampler = usize::from(self.cx.module.independent);
        let name = |o: &ast::Operand| matches!(o.kind, OperandKind::Name { component: None, .. });
        let last = rest.get(sampler).filter(|o| {
            matches!(o.kind, OperandKind::Vector(_)) && rest[..sampler].iter().all(name)
        });
        self.cx.refuse_with(match (last, &texture.kind) {
            (Some(last), OperandKind::Name { component: None, .. }) => {
                diagnostic.fix(fixes::before(texture.span), "[").fix(fixes::behind(last.span), "]")
            }
            (Some(last), OperandKind::Address(address)) if address.offset.is_none() => {
                let close = Span { start: address.base.span.end, end: texture.span.end };
                diagnostic.fix(close, "").fix(fixes::behind(last.span), "]")
            }
            _ => diagnostic,
        })
    }

    /// How ptxas interprets the last operand in the brackets.
    fn shift(&self, items: &[ast::Operand<'a>]) -> Shift {
        match self.mods.mip {
            _ if items.len() != 3 || self.cx.module.independent => Shift::None,
            Some(MipMode::Level) => Shift::Level,
            Some(MipMode::Grad) => Shift::Gradient,
            _ => Shift::Offset,
        }
    }

    /// Whether an operand is a vector in braces or a vector register.
    fn is_vector(&mut self, operand: &ast::Operand<'a>) -> bool {
        match operand.kind {
            OperandKind::Vector(_) => true,
            OperandKind::Name { component: None, .. } => {
                matches!(self.value(operand), Some(Value::VectorReg { .. }))
            }
            _ => false,
        }
    }

    /// Reports a sampler in unified mode, which ptxas accepts with some operands.
    fn sampler_in_unified(
        &mut self,
        sampler: &ast::Operand<'a>,
        geometry: Geometry,
        shift: Shift,
    ) -> Option<Operand> {
        let value = self.value(sampler)?;
        let row = row_of(geometry);
        let possible = match shift {
            Shift::Level => geometry != Geometry::D3,
            Shift::Levels => !row.offset_sizes().is_empty(),
            _ => !geometry.is_cube(),
        };
        let handle = match &value {
            Value::Reg { ty: ScalarType::F32 | ScalarType::B32, .. } => {
                matches!(shift, Shift::Level | Shift::Levels)
            }
            Value::Reg { ty, .. } => fits(ScalarType::U64, *ty),
            Value::Named { area: Area::Opaque(ty), is_array: false, .. } => {
                *ty != ScalarType::Samplerref
            }
            Value::Named { ty: Some(ty), .. } => fits(ScalarType::U64, *ty),
            _ => false,
        };
        let diagnostic = Diagnostic::error("E0303", sampler.span, "unified mode has no samplers")
            .label("the texture says how it is sampled")
            .help("leave the sampler out, or add texmode_independent to .target");
        let whole = matches!(sampler.kind, OperandKind::Name { component: None, .. });
        if !(handle && possible && whole) {
            return self.cx.refuse_with(diagnostic);
        }
        self.cx.require(OFFSET, sampler.span);
        self.report_miscompiled(
            diagnostic.label(
                "ptxas takes this for the coordinates, and the coordinates for what follows",
            ),
        );
        Some(Operand::Discard)
    }

    /// Whether the operand in the position of a sampler is a coordinate without braces: a 32-bit
    /// register before another name.
    fn is_coordinate(&mut self, operand: &ast::Operand<'a>, next: &ast::Operand<'a>) -> bool {
        let OperandKind::Name { name, component: None } = &operand.kind else { return false };
        let scalar = matches!(&next.kind, OperandKind::Name { .. });
        scalar
            && matches!(self.find(name.text), Some(Resolved::Register(r))
                if r.decl.vector <= 1 && r.decl.ty.bits() == 32)
    }

    /// The operands in the brackets, `[a, c]` or `[a, b, c]`: texture, sampler, coordinate vector
    /// as written.
    fn texture_operands(
        &mut self,
        span: Span,
        items: &[ast::Operand<'a>],
        geometry: Geometry,
        coordinate: ScalarType,
        shift: Shift,
    ) -> Option<(Operand, Option<Operand>, Vec<Operand>)> {
        let name = self.name();
        let independent = self.cx.module.independent;
        let (texture, sampler, coords) = match items {
            [texture, coords] => (texture, None, coords),
            [texture, sampler, coords] => (texture, Some(sampler), coords),
            _ => {
                let message = "takes [texture, coordinates] or [texture, sampler, coordinates]";
                let help = "write 2 or 3 operands between the brackets; coordinates go in braces";
                return self.deny("E0301", span, message, help);
            }
        };
        let indirect = Some(if independent { INDIRECT_INDEPENDENT } else { INDIRECT });
        let handle = self.handle(texture, &[ScalarType::Texref], indirect);
        let sampler = match (sampler, independent) {
            (Some(s), true) => self.handle(s, &[ScalarType::Samplerref], indirect),
            (None, false) => Some(Operand::Discard),
            (None, true) => {
                let message = "needs a sampler with texmode_independent";
                self.deny("E0302", span, message, "write [texture, sampler, coordinates]")
            }
            (Some(s), false) if shift != Shift::Level && self.is_coordinate(s, coords) => {
                let place = s.span.to(coords.span);
                let message = format!("{name}: several coordinates need braces");
                let mut diagnostic =
                    Diagnostic::error("E0304", place, message).help("write [texture, {x, y}]");
                if row_of(geometry).coordinate_sizes().contains(&2) {
                    diagnostic =
                        diagnostic.fix(fixes::before(place), "{").fix(fixes::behind(place), "}");
                }
                return self.cx.refuse_with(diagnostic);
            }
            (Some(s), false) => self.sampler_in_unified(s, geometry, shift),
        };
        let sampled = items.len() == 3;
        let coords = self.coordinates(coords, geometry, coordinate, shift, sampled);
        let sampler = Some(sampler?).filter(|sampler| *sampler != Operand::Discard);
        Some((handle?, sampler, coords?))
    }
}
