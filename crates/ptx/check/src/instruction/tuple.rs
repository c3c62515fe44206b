//! Types of vectors in braces, as ptxas determines them: a vector has one type, and each element
//! must be compatible with its neighbours. Whether a vector is valid in a position depends on its
//! type and the width of its first element; vectors that begin with a constant are valid almost
//! everywhere.

use texunit_isa::texture::Registers;
use texunit_isa::{ScalarType, TypeKind};
use texunit_syntax::ast::{self, OperandKind};
use texunit_syntax::{Diagnostic, Span};

use crate::body::value::Value;
use crate::consts::Const;
use crate::instruction::site::Site;
use crate::ir::Operand;

/// The evaluated elements of a vector with their positions.
pub(crate) type Items<'a> = [(Value<'a>, Span)];

/// The kind of a vector's first element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lead {
    /// A register, or an operand that counts as a register, so that it has a width.
    Sized,
    /// An integer constant.
    Integer,
    /// A floating-point constant.
    Float,
}

/// The type of a vector in braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tuple {
    /// The type of all elements; `None` if the types differ, so that the vector is untyped.
    pub(crate) ty: Option<ScalarType>,
    /// Width of the elements in bits; `None` if all elements are constants.
    pub(crate) bits: Option<u32>,
    /// The kind of the first element.
    pub(crate) lead: Lead,
    /// Width of the last constant element in bits.
    pub(crate) constant_bits: u32,
}

/// Why elements do not form a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// The element with this index has another width than the first element.
    Width(usize),
    /// The element with this index is not compatible with the previous element.
    Neighbour(usize),
    /// The element with this index is of a kind that no vector may contain.
    Element(usize),
    /// All elements of the vector are `_`.
    Nothing,
}

/// The type of a vector element.
fn type_of(value: &Value) -> Option<ScalarType> {
    Some(match value {
        Value::Reg { ty, .. } => *ty,
        Value::Special(special, _) if special.types.contains(&ScalarType::U64) => ScalarType::B64,
        Value::Special(..) => ScalarType::B32,
        // The name of a variable in a vector counts as a register of the variable's type.
        Value::Named { ty, .. } => return *ty,
        Value::Const(Const::Int(..)) => ScalarType::S64,
        Value::Const(Const::F32(_)) => ScalarType::F32,
        Value::Const(Const::F64(_)) => ScalarType::F64,
        _ => return None,
    })
}

/// The width of a type in bits; predicates count as 32 bits.
fn width(ty: ScalarType) -> u32 {
    if ty == ScalarType::Pred { 32 } else { ty.bits() }
}

/// Whether two adjacent vector elements may have these types.
fn go_together(a: ScalarType, b: ScalarType) -> bool {
    let bits = |ty: ScalarType| ty.kind() == TypeKind::Bits;
    a == b || bits(a) || bits(b) || a.is_integer() && b.is_integer() || a.is_float() && b.is_float()
}

/// Determines the type of a vector. Elements before `indices` are layer and sample indices, which
/// need not be compatible with their neighbours.
pub(crate) fn tuple(items: &Items, indices: usize) -> Result<Tuple, Flaw> {
    let mut found: Option<Tuple> = None;
    let mut before: Option<ScalarType> = None;
    for (n, (value, _)) in items.iter().enumerate() {
        if matches!(value, Value::Discard) {
            continue;
        }
        let ty = type_of(value).ok_or(Flaw::Element(n))?;
        let constant = matches!(value, Value::Const(_));
        if let Some(tuple) = &mut found {
            let wide = width(ty);
            if tuple.lead == Lead::Sized && !constant && tuple.bits != Some(wide) {
                return Err(Flaw::Width(n));
            }
            if n > indices && before.is_some_and(|before| !go_together(before, ty)) {
                return Err(Flaw::Neighbour(n));
            }
            tuple.ty = tuple.ty.filter(|first| *first == ty);
            if !constant && tuple.bits.is_none() {
                tuple.bits = Some(wide);
            }
        } else {
            let lead = match value {
                Value::Const(c) if c.is_int() => Lead::Integer,
                Value::Const(_) => Lead::Float,
                _ => Lead::Sized,
            };
            let bits = (!constant).then_some(width(ty));
            found = Some(Tuple { ty: Some(ty), bits, lead, constant_bits: 0 });
        }
        if let (Some(tuple), true) = (&mut found, constant) {
            tuple.constant_bits = ty.bits();
        }
        before = Some(ty);
    }
    found.ok_or(Flaw::Nothing)
}

impl Tuple {
    /// The type as which a data vector counts, if its first element is a register: the type of its
    /// elements, or untyped bits. ptxas does not always distinguish integers from untyped bits.
    pub(crate) fn counts_as(&self, integers_are_bits: bool) -> Option<ScalarType> {
        let bits = self.bits.filter(|_| self.lead == Lead::Sized)?;
        let typed = self.ty.filter(|ty| !(integers_are_bits && ty.is_integer()));
        typed.or_else(|| ScalarType::untyped(bits))
    }

    /// Whether the vector is valid for 32-bit registers of one of these types.
    pub(crate) fn fits(&self, types: &[ScalarType]) -> bool {
        let typed = self.ty.is_none_or(|ty| types.contains(&ty));
        self.lead == Lead::Sized && self.bits == types.first().map(|ty| ty.bits()) && typed
    }

    /// Whether the vector is valid in an operand position such as that of coordinates.
    pub(crate) fn fits_place(&self, place: &Registers) -> bool {
        let mixed = self.ty.is_none();
        let float = place.ty == ScalarType::F32;
        match self.lead {
            Lead::Sized => self.fits(place.vector),
            Lead::Integer if float => {
                mixed && (place.place == "coordinate" || self.bits == Some(32))
            }
            Lead::Float if !float => mixed && self.bits.unwrap_or(self.constant_bits) == 32,
            Lead::Integer | Lead::Float => true,
        }
    }
}

impl<'a> Site<'_, '_, 'a> {
    /// The type of a data vector; reports elements that do not form a vector.
    pub(crate) fn data_vector(
        &mut self,
        ty: ScalarType,
        items: &Items<'a>,
        written: bool,
    ) -> Option<Tuple> {
        let flaw = match tuple(items, 0) {
            Ok(found) => return Some(found),
            Err(flaw) => flaw,
        };
        let (code, at, message, help) = match flaw {
            Flaw::Element(n) if written => {
                return self.not_a_destination(ty, &items[n].0, items[n].1);
            }
            Flaw::Element(n) => return self.mismatch(ty, &items[n].0, items[n].1),
            Flaw::Width(n) => {
                let first = items.iter().position(|(value, _)| !matches!(value, Value::Discard));
                let (a, b) = (items[first.unwrap_or(0)].0.describe(), items[n].0.describe());
                let message = format!("cannot mix {a} and {b} in a vector");
                ("E0212", n, message, "write registers of one width")
            }
            Flaw::Neighbour(n) => {
                let message = format!("cannot have {} beside its neighbour", items[n].0.describe());
                ("E0212", n, message, "write a vector of integers or a vector of floats")
            }
            Flaw::Nothing => {
                let message = "has no register for its result".to_owned();
                ("E0211", 0, message, "write a register for one of the elements")
            }
        };
        self.deny(code, items[at].1, message, help)
    }

    /// Checks a vector of sources, such as coordinates, element by element.
    pub(crate) fn place_vector(
        &mut self,
        operand: &ast::Operand<'a>,
        items: Vec<(Value<'a>, Span)>,
        place: &Registers,
        indices: usize,
    ) -> Option<Vec<Operand>> {
        let typed = tuple(&items, indices);
        let sink = items.iter().any(|(value, _)| matches!(value, Value::Discard));
        let fits = typed.is_ok_and(|tuple| tuple.fits_place(place));
        let accepted = fits && !sink && !component_beside_constant(operand, &items);
        let mut list = Vec::with_capacity(items.len());
        let mut complete = true;
        for (n, (value, span)) in items.iter().enumerate() {
            let index = n < indices;
            if let Some(operand) = self.place_element(value, *span, place, (index, accepted)) {
                list.push(operand);
                continue;
            }
            let diagnostic = self.not_for_place(value, *span, place, index);
            // ptxas checks only the last of the layer and sample indices.
            if !accepted || n + 1 == indices && not_an_index(value) {
                self.report(diagnostic);
                complete = false;
                continue;
            }
            self.report_miscompiled(diagnostic);
            list.push(Operand::Imm(0));
        }
        if accepted || !complete {
            return complete.then_some(list);
        }
        match typed {
            Err(Flaw::Neighbour(n)) => self.neighbours(&items, n),
            _ if component_beside_constant(operand, &items) => {
                let message = format!("{}: a constant and a component in one vector", self.name());
                self.cx.refuse("E0315", operand.span, message, "copy the component to a register")
            }
            _ => {
                let what = place.place;
                let message = format!("cannot take these elements in one {what} vector");
                let help = format!("use registers of one type, .{} or .b32", place.ty);
                self.deny("E0315", operand.span, message, help)
            }
        }
    }

    /// Checks an element of a source vector.
    fn place_element(
        &mut self,
        value: &Value<'a>,
        span: Span,
        place: &Registers,
        (index, accepted): (bool, bool),
    ) -> Option<Operand> {
        let float = place.ty == ScalarType::F32 && !index;
        let alone = |ty| index || place.vector.contains(ty);
        let wanted = if index { ScalarType::U32 } else { place.ty };
        match value {
            Value::Reg { .. } if index && not_an_index(value) => None,
            Value::Reg { id, ty } if ty.bits() == 32 && (accepted || alone(ty)) => {
                Some(Operand::Reg(*id))
            }
            Value::Const(c) if c.is_int() != float => self.immediate(wanted, *c, span),
            Value::Special(s, component) if s.types.contains(&ScalarType::U32) => {
                Some(s.operand(*component))
            }
            _ => None,
        }
    }

    /// Reports two adjacent elements of incompatible types.
    pub(crate) fn neighbours<T>(&mut self, items: &Items<'a>, n: usize) -> Option<T> {
        let name = self.name();
        let (value, span) = &items[n];
        let (before, first) = &items[n - 1];
        let (a, b) = (before.describe(), value.describe());
        self.cx.refuse_with(
            Diagnostic::error("E0315", *span, format!("{name}: {a} and {b} in one vector"))
                .note(*first, "does not go with the one after it")
                .help("use registers of one type, or .b32 registers, which go with all of 32 bits"),
        )
    }

    /// The error for an element that is not valid in its position.
    fn not_for_place(
        &self,
        value: &Value<'a>,
        span: Span,
        place: &Registers,
        index: bool,
    ) -> Diagnostic {
        let float = place.ty == ScalarType::F32 && !index;
        let what = match (place.place, float) {
            ("coordinate", true) => "a .f32 coordinate",
            ("coordinate", false) => "a 32-bit integer",
            ("gradient", _) => "a .f32 gradient",
            ("offset", _) => "an integer offset",
            (_, true) => "a .f32 level",
            (_, false) => "a .s32 level",
        };
        let code = match place.place {
            "coordinate" => "E0305",
            "offset" => "E0306",
            _ => "E0307",
        };
        let here = if place.place == "coordinate" { " here" } else { "" };
        let message = format!("needs {what}{here}, not {}", value.describe());
        let help = match float {
            true => "use .f32 registers or numbers with a decimal point",
            false => "use .s32, .u32 or .b32 registers, or integers",
        };
        let diagnostic = self.error(code, span, message).help(help);
        match (float, value) {
            (true, Value::Const(_)) => {
                crate::message::fixes::decimal_point(self.cx.source, span, diagnostic)
            }
            _ => diagnostic,
        }
    }
}

/// Whether ptxas refuses a value as a layer or sample index.
fn not_an_index(value: &Value) -> bool {
    match value {
        Value::Reg { ty, .. } | Value::Named { ty: Some(ty), .. } => {
            matches!(ty.kind(), TypeKind::Float | TypeKind::Packed | TypeKind::Predicate)
        }
        Value::Const(c) => !c.is_int(),
        _ => false,
    }
}

/// Whether the operand has a component of a vector register (`v.x`) next to a constant.
pub(crate) fn component_beside_constant(operand: &ast::Operand, items: &Items) -> bool {
    let OperandKind::Vector(elements) = &operand.kind else { return false };
    let component = elements.iter().zip(items).any(|(element, (value, _))| {
        matches!(element.kind, OperandKind::Name { component: Some(_), .. })
            && matches!(value, Value::Reg { .. } | Value::Special(..))
    });
    component && items.iter().any(|(value, _)| matches!(value, Value::Const(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::RegId;

    fn typed(types: &[ScalarType], indices: usize) -> Result<Tuple, Flaw> {
        let span = Span { start: 0, end: 0 };
        let items: Vec<_> =
            types.iter().map(|&ty| (Value::Reg { id: RegId(0), ty }, span)).collect();
        tuple(&items, indices)
    }

    #[test]
    fn neighbours_must_go_together() {
        use ScalarType::*;
        assert_eq!(typed(&[F32, F32], 0).map(|t| t.ty), Ok(Some(F32)));
        assert_eq!(typed(&[S32, U32], 0).map(|t| t.ty), Ok(None));
        assert_eq!(typed(&[F32, B32, S32, U32], 0).map(|t| t.bits), Ok(Some(32)));
        assert_eq!(typed(&[F32, S32], 0), Err(Flaw::Neighbour(1)));
        assert_eq!(typed(&[B32, F32, F16x2], 0), Err(Flaw::Neighbour(2)));
        assert_eq!(typed(&[S32, F32], 1).map(|t| t.ty), Ok(None));
        assert_eq!(typed(&[S32, S32, F32, F32], 2).map(|t| t.ty), Ok(None));
        assert_eq!(typed(&[S32, F32, S32], 1), Err(Flaw::Neighbour(2)));
        assert_eq!(typed(&[B32, B64], 0), Err(Flaw::Width(1)));
        assert_eq!(typed(&[], 0), Err(Flaw::Nothing));
    }
}
