//! Arithmetic on values, with C's conversions.

use super::eval::Valued;
use super::parse::Expr;
use super::scene::Scene;
use crate::dwarf::{Base, Shape, TypeId};
use crate::value::{Number, Place, Value, generic};

impl Scene<'_, '_> {
    pub(super) fn unary(&mut self, sign: &str, inner: &Expr) -> Valued {
        let value = self.operand(inner)?;
        match sign {
            "*" => self.pointed(&value),
            "&" => match value.place {
                Some(Place::Memory(space, address)) if value.bits.is_none() => {
                    let ty = self.types.pointer(value.ty);
                    self.number(ty, Number::Int(generic(space, address).into()))
                }
                Some(Place::Register(..)) => {
                    Err("Attempt to take address of value in register.".to_owned())
                }
                _ => Err("Attempt to take address of value not located in memory.".to_owned()),
            },
            "sizeof" => self.size_of(value.ty),
            "!" => {
                let is_true = self.arithmetic(&value)?.is_true();
                self.basic_number("int", Number::Int((!is_true).into()))
            }
            _ => {
                let number = self.arithmetic(&value)?;
                let ty = self.promoted(value.ty);
                let result = match (sign, number) {
                    ("-", Number::Int(v)) => Number::Int(v.wrapping_neg()),
                    ("-", Number::Float(v)) => Number::Float(-v),
                    ("~", Number::Int(v)) => Number::Int(!v),
                    ("~", Number::Float(_)) => {
                        let why = "Argument to complement operation not an integer, boolean.";
                        return Err(why.to_owned());
                    }
                    (_, number) => number,
                };
                self.number(ty, result)
            }
        }
    }

    /// The type of a value after integer promotion.
    fn promoted(&mut self, ty: TypeId) -> TypeId {
        match self.types.shape(ty) {
            Shape::Base(Base::Float) if self.types.size(ty) >= 4 => ty,
            Shape::Base(Base::Float | Base::Brain) | Shape::Struct { .. } => self.basic("float"),
            _ if self.types.size(ty) < 4 => self.basic("int"),
            Shape::Enum { .. } => self.basic("int"),
            _ => ty,
        }
    }

    fn common(&mut self, a: TypeId, b: TypeId) -> TypeId {
        let (a, b) = (self.promoted(a), self.promoted(b));
        let is_float = |ty| matches!(self.types.shape(ty), Shape::Base(Base::Float));
        let is_unsigned =
            |ty| !matches!(self.types.shape(ty), Shape::Base(Base::Signed | Base::SignedChar));
        let size = |ty| self.types.size(ty);
        match (is_float(a), is_float(b)) {
            (true, false) => a,
            (false, true) => b,
            _ if size(a) > size(b) => a,
            _ if size(a) < size(b) => b,
            (true, true) => a,
            _ if is_unsigned(b) => b,
            _ => a,
        }
    }

    pub(super) fn binary(&mut self, sign: &str, left: Value, right: Value) -> Valued {
        if sign == "@" {
            return self.repeated(&left, &right);
        }
        let (left, right) = (self.decayed(left), self.decayed(right));
        let pointee = |value: &Value| match self.types.shape(value.ty) {
            Shape::Pointer { to, is_reference: false } => Some(*to),
            _ => None,
        };
        let (to_left, to_right) = (pointee(&left), pointee(&right));
        let (a, b) = (self.arithmetic(&left)?, self.arithmetic(&right)?);
        if matches!(sign, "==" | "!=" | "<" | ">" | "<=" | ">=") {
            let order = match (a, b) {
                (Number::Int(a), Number::Int(b)) if to_left.is_none() && to_right.is_none() => {
                    let ty = self.common(left.ty, right.ty);
                    let wrapped = |v| self.number(ty, Number::Int(v)).ok()?.number(self.types);
                    wrapped(a).zip(wrapped(b)).map(|(a, b)| a.as_int().cmp(&b.as_int()))
                }
                (Number::Int(a), Number::Int(b)) => Some(a.cmp(&b)),
                _ => a.as_float().partial_cmp(&b.as_float()),
            };
            let result = match sign {
                "==" => order.is_some_and(|o| o.is_eq()),
                "!=" => order.is_none_or(|o| o.is_ne()),
                "<" => order.is_some_and(|o| o.is_lt()),
                ">" => order.is_some_and(|o| o.is_gt()),
                "<=" => order.is_some_and(|o| o.is_le()),
                _ => order.is_some_and(|o| o.is_ge()),
            };
            return self.basic_number("int", Number::Int(result.into()));
        }
        match (sign, to_left, to_right) {
            ("+" | "-", Some(to), None) => {
                let step = i128::from(self.types.size(to).max(1)) * b.as_int();
                let at = if sign == "+" { a.as_int() + step } else { a.as_int() - step };
                return self.number(left.ty, Number::Int(at));
            }
            ("+", None, Some(to)) => {
                let step = i128::from(self.types.size(to).max(1)) * a.as_int();
                return self.number(right.ty, Number::Int(b.as_int() + step));
            }
            ("-", Some(to), Some(_)) => {
                let step = i128::from(self.types.size(to).max(1));
                let count = (a.as_int() - b.as_int()) / step;
                return self.basic_number("long", Number::Int(count));
            }
            _ => {}
        }
        let ty = match sign {
            "<<" | ">>" => self.promoted(left.ty),
            _ => self.common(left.ty, right.ty),
        };
        if matches!(self.types.shape(ty), Shape::Base(Base::Float)) {
            let (x, y) = (a.as_float(), b.as_float());
            let result = match sign {
                "+" => x + y,
                "-" => x - y,
                "*" => x * y,
                "/" => x / y,
                _ => return Err("Integer only operation applied to a float.".to_owned()),
            };
            let is_single = self.types.size(ty) == 4;
            let rounded = if is_single { f64::from(result as f32) } else { result };
            return self.number(ty, Number::Float(rounded));
        }
        // Numbers are converted to the common type of the operands, in which a negative number may
        // become a large unsigned number.
        let wrap =
            |v: i128| self.number(ty, Number::Int(v)).ok()?.number(self.types).map(Number::as_int);
        let x = wrap(a.as_int()).unwrap_or(0);
        let y =
            if matches!(sign, "<<" | ">>") { b.as_int() } else { wrap(b.as_int()).unwrap_or(0) };
        let result = match sign {
            "+" => x.wrapping_add(y),
            "-" => x.wrapping_sub(y),
            "*" => x.wrapping_mul(y),
            "/" | "%" if y == 0 => return Err("Division by zero".to_owned()),
            "/" => x.wrapping_div(y),
            "%" => x.wrapping_rem(y),
            "&" => x & y,
            "|" => x | y,
            "^" => x ^ y,
            "<<" => x.checked_shl(y.clamp(0, 127) as u32).unwrap_or(0),
            _ => x.checked_shr(y.clamp(0, 127) as u32).unwrap_or(0),
        };
        self.number(ty, Number::Int(result))
    }
}
