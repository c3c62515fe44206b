//! Evaluates expressions.

use super::parse::{Expr, TypeName};
use super::scene::Scene;
use crate::dwarf::{Base, Shape, TypeId};
use crate::value::print::{chosen, element, member};
use crate::value::{
    Number, Place, Value, basic, bytes_of, generic, integer, named_basic, of_generic,
};
use texunit_forms::Count;
use texunit_memory::SpaceKind;

pub(super) type Valued = Result<Value, String>;

/// Maximum size of a value in bytes.
pub(crate) const LARGEST: u64 = 16 << 20;

impl Scene<'_, '_> {
    pub(crate) fn evaluate(&mut self, expr: &Expr) -> Valued {
        match expr {
            Expr::Int(value, name) => self.basic_number(name, Number::Int(*value)),
            Expr::Float(value, is_single) => {
                let name = if *is_single { "float" } else { "double" };
                self.basic_number(name, Number::Float(*value))
            }
            Expr::Text(text) => {
                let char = self.basic("char");
                let mut bytes = text.clone();
                bytes.push(0);
                Ok(Value::new(self.types.array(char, bytes.len() as u64), bytes))
            }
            Expr::Name(name) => self.name(name),
            Expr::Register(name) => self.register(name),
            Expr::Variable(name) => self.variable(name),
            Expr::Printed(which) => {
                let count = self.printed.len();
                let index = match which {
                    Ok(number) => number.checked_sub(1),
                    Err(back) => (count + 1).checked_sub(back + 2),
                };
                let found = index.and_then(|index| self.printed.get(index));
                found.cloned().ok_or_else(|| match which {
                    Ok(n) => format!("History has not yet reached ${n}."),
                    Err(_) => "History is empty.".to_owned(),
                })
            }
            Expr::Unary(sign, inner) => self.unary(sign, inner),
            Expr::Binary("=", left, right) => {
                let value = self.operand(right)?;
                self.assign(left, value)
            }
            Expr::Binary(sign @ ("&&" | "||"), left, right) => {
                let first = self.is_true(left)?;
                let result = if first == (*sign == "&&") { self.is_true(right)? } else { first };
                self.basic_number("int", Number::Int(result.into()))
            }
            Expr::Binary(sign, left, right) => {
                let (left, right) = (self.operand(left)?, self.operand(right)?);
                self.binary(sign, left, right)
            }
            Expr::Choice(parts) => {
                let [condition, yes, no] = &**parts;
                let chosen = if self.is_true(condition)? { yes } else { no };
                self.evaluate(chosen)
            }
            Expr::Member(of, name, is_arrow) => {
                let of = self.operand(of)?;
                let is_pointer = matches!(self.types.shape(of.ty), Shape::Pointer { .. });
                let of = if *is_arrow || is_pointer { self.pointed(&of)? } else { of };
                self.member_of(&of, name).ok_or_else(|| match self.types.shape(of.ty) {
                    Shape::Struct { .. } => format!("There is no member named {name}."),
                    _ => format!(
                        "Attempt to extract a component of a value that is not a structure{}.",
                        if *is_arrow { " pointer" } else { "" }
                    ),
                })
            }
            Expr::Index(of, index) => {
                let (of, index) = (self.operand(of)?, self.operand(index)?);
                let index = self.int(&index)?;
                self.indexed(&of, index)
            }
            Expr::Cast(name, inner) => {
                let ty = self.type_of(name)?;
                let value = self.operand(inner)?;
                self.cast(ty, value)
            }
            Expr::SizeOf(name) => {
                let ty = self.type_of(name)?;
                self.size_of(ty)
            }
        }
    }

    pub(super) fn basic(&mut self, name: &str) -> TypeId {
        basic(self.types, name)
    }

    /// A number of a basic type.
    pub(super) fn basic_number(&mut self, name: &str, value: Number) -> Valued {
        let ty = self.basic(name);
        self.number(ty, value)
    }

    /// The value of `sizeof` for a type.
    pub(super) fn size_of(&mut self, ty: TypeId) -> Valued {
        self.basic_number("unsigned long", Number::Int(self.types.size(ty).into()))
    }

    pub(super) fn number(&self, ty: TypeId, value: Number) -> Valued {
        let bytes = bytes_of(self.types, ty, value);
        bytes.map(|bytes| Value::new(ty, bytes)).ok_or_else(|| "Invalid cast.".to_owned())
    }

    fn is_true(&mut self, expr: &Expr) -> Result<bool, String> {
        let value = self.operand(expr)?;
        self.arithmetic(&value).map(Number::is_true)
    }

    pub(super) fn int(&self, value: &Value) -> Result<i128, String> {
        self.arithmetic(value).map(Number::as_int)
    }

    pub(super) fn arithmetic(&self, value: &Value) -> Result<Number, String> {
        let number = value.number(self.types);
        Ok(number.ok_or("Argument to arithmetic operation not a number or boolean.")?)
    }

    pub(crate) fn type_of(&mut self, name: &TypeName) -> Result<TypeId, String> {
        let known = self.types.named(&name.name);
        let known = known.or_else(|| named_basic(self.types, &name.name));
        let missing = || format!("No symbol \"{}\" in current context.", name.name);
        let mut ty = known.ok_or_else(missing)?;
        for _ in 0..name.pointers {
            ty = self.types.pointer(ty);
        }
        Ok(ty)
    }

    /// Converts an array to a pointer to its first element.
    pub(super) fn decayed(&mut self, value: Value) -> Value {
        match (self.types.shape(value.ty), &value.place) {
            (&Shape::Array { of, .. }, Some(Place::Memory(space, address))) => {
                let address = generic(*space, *address);
                let ty = self.types.pointer(of);
                self.number(ty, Number::Int(address.into())).unwrap_or(value)
            }
            _ => value,
        }
    }

    /// Dereferences a pointer.
    pub(crate) fn pointed(&mut self, value: &Value) -> Valued {
        let value = self.decayed(value.clone());
        let address = self.arithmetic(&value).map(|number| number.as_int() as u64);
        match self.types.shape(value.ty) {
            &Shape::Pointer { to, .. } if !matches!(self.types.shape(to), Shape::Void) => {
                self.at_generic(to, address?)
            }
            // As in gdb, an integer is dereferenced as `int *`: `*0x1000`.
            Shape::Base(Base::Signed | Base::Unsigned) if self.types.size(value.ty) == 8 => {
                let ty = self.basic("int");
                self.at_generic(ty, address?)
            }
            _ => Err("Attempt to take contents of a non-pointer value.".to_owned()),
        }
    }

    /// Evaluates an operand.
    pub(crate) fn operand(&mut self, expr: &Expr) -> Valued {
        let value = self.evaluate(expr)?;
        self.referred(value)
    }

    /// The object that a reference refers to; other values are returned unchanged.
    pub(crate) fn referred(&mut self, value: Value) -> Valued {
        match self.types.shape(value.ty) {
            Shape::Pointer { is_reference: true, .. } => self.pointed(&value),
            _ => Ok(value),
        }
    }

    fn indexed(&mut self, of: &Value, index: i128) -> Valued {
        if let &Shape::Array { of: ty, count } = self.types.shape(of.ty) {
            let inside = u64::try_from(index).ok().filter(|&i| i < count);
            match (inside, &of.place) {
                (Some(index), _) => return Ok(element(self.types, of, ty, index)),
                (None, Some(Place::Memory(..))) => {}
                (None, _) => return Err(format!("no such vector element: {index}")),
            }
        }
        let pointer = self.decayed(of.clone());
        let index = self.basic_number("long", Number::Int(index))?;
        if !matches!(self.types.shape(pointer.ty), Shape::Pointer { .. }) {
            let name = &self.types.get(of.ty).name;
            return Err(format!("cannot subscript something of type `{name}'"));
        }
        let at = self.binary("+", pointer, index)?;
        self.pointed(&at)
    }

    pub(super) fn member_of(&self, of: &Value, name: &str) -> Option<Value> {
        if let Some(variant) = chosen(self.types, of) {
            let inside = member(self.types, of, variant);
            return if variant.name == name { Some(inside) } else { self.member_of(&inside, name) };
        }
        let Shape::Struct { members, .. } = self.types.shape(of.ty) else { return None };
        if let Some(found) = members.iter().find(|m| m.name == name) {
            return Some(member(self.types, of, found));
        }
        let unnamed = members.iter().filter(|m| m.is_base || m.name.is_empty());
        unnamed.map(|m| member(self.types, of, m)).find_map(|inner| self.member_of(&inner, name))
    }

    /// `p@4`: an array that begins at the location of a value.
    pub(super) fn repeated(&mut self, first: &Value, count: &Value) -> Valued {
        let count = self.int(count)?;
        let Some(Place::Memory(space, address)) = first.place else {
            return Err("Only values in memory can be extended with '@'.".to_owned());
        };
        if count < 1 {
            return Err("Invalid number 0 of repetitions.".to_owned());
        }
        let ty = self.types.array(first.ty, u64::try_from(count).unwrap_or(u64::MAX));
        self.in_memory(ty, space, address)
    }

    fn cast(&mut self, ty: TypeId, value: Value) -> Valued {
        let same = self.types.plain(ty) == self.types.plain(value.ty);
        if same || matches!(self.types.shape(ty), Shape::Void) {
            return Ok(Value { ty, ..value });
        }
        let value = self.decayed(value);
        let number = self.arithmetic(&value).map_err(|_| "Invalid cast.".to_owned())?;
        self.number(ty, number)
    }

    /// The value at a generic address.
    pub(crate) fn at_generic(&mut self, ty: TypeId, address: u64) -> Valued {
        let (space, address) = of_generic(address);
        self.in_memory(ty, space, address)
    }

    pub(crate) fn in_memory(&mut self, ty: TypeId, space: SpaceKind, address: u64) -> Valued {
        let size = self.types.size(ty);
        if size > LARGEST {
            let bytes = Count(size, "byte");
            return Err(format!("value requires {bytes}, which is more than max-value-size"));
        }
        let mut bytes = vec![0; size as usize];
        if !self.machine.read(space, self.thread, address, &mut bytes) {
            return Err(format!("Cannot access memory at address 0x{:x}", generic(space, address)));
        }
        Ok(Value { ty, bytes, place: Some(Place::Memory(space, address)), bits: None })
    }

    fn assign(&mut self, to: &Expr, value: Value) -> Valued {
        if let Expr::Variable(name) = to {
            self.variables.insert(name.clone(), value.clone());
            return Ok(value);
        }
        let target = self.operand(to)?;
        let is_same = self.types.plain(target.ty) == self.types.plain(value.ty);
        let mut bytes = match is_same && value.bits.is_none() {
            true => value.bytes.clone(),
            false => {
                let number = self.arithmetic(&value).map_err(|_| "Invalid cast.".to_owned())?;
                bytes_of(self.types, target.ty, number).ok_or("Invalid cast.")?
            }
        };
        if let Some((first, count)) = target.bits {
            let mask = (u128::MAX >> (128 - count.clamp(1, 128))) << first;
            let old = integer(&target.bytes, false) as u128;
            let new = integer(&bytes, false) as u128;
            let mixed = old & !mask | (new << first) & mask;
            bytes = mixed.to_le_bytes()[..target.bytes.len().min(16)].to_vec();
        }
        self.write(target.place.as_ref(), &bytes)?;
        Ok(Value { bytes, ..target })
    }
}
