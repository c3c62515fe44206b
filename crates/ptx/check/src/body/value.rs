//! Evaluation of operands, before they are checked against an instruction's form.

use texunit_forms::Count;
use texunit_isa::{ScalarType, Space, TypeKind};
use texunit_syntax::Span;
use texunit_syntax::ast::{self, OperandKind};

use crate::body::Body;
use crate::consts::Const;
use crate::context::Global;
use crate::context::scope::{Local, RegDecl, Resolved};
use crate::ir::{Base, Element, FuncId, LabelId, RegId, Storage};
use crate::special::{self, Special};

/// The memory to which an address refers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Area {
    Global,
    Const,
    Shared,
    Local,
    /// A parameter of the function that is checked.
    Param,
    /// A writable parameter: an argument or result of a call, or a result of the function.
    CallParam,
    /// A texref, samplerref or surfref, with its type.
    Opaque(ScalarType),
}

impl Area {
    fn of(storage: Storage) -> Self {
        match storage {
            Storage::Global => Self::Global,
            Storage::Const => Self::Const,
            Storage::Shared | Storage::DynamicShared => Self::Shared,
            Storage::Opaque(ty) => Self::Opaque(ty),
        }
    }

    /// The state space of instructions that access the memory.
    pub(crate) fn space(self) -> Option<Space> {
        match self {
            Self::Global => Some(Space::Global),
            Self::Const => Some(Space::Const),
            Self::Shared => Some(Space::Shared),
            Self::Local => Some(Space::Local),
            Self::Param | Self::CallParam => Some(Space::Param),
            Self::Opaque(_) => None,
        }
    }

    /// The name of the state space for messages.
    pub(crate) fn name(self) -> String {
        self.space().map_or("opaque".to_owned(), |space| format!(".{space}"))
    }
}

/// The evaluated form of an operand.
#[derive(Clone, Debug)]
pub(crate) enum Value<'a> {
    Reg {
        id: RegId,
        ty: ScalarType,
    },
    /// A vector register, named without a component.
    VectorReg {
        first: RegId,
        ty: ScalarType,
        lanes: u8,
    },
    NotReg(RegId),
    Special(Special, u8),
    /// A special register with components, named without a component: `%tid`.
    SpecialVector(Special),
    Const(Const),
    /// The address of a variable or parameter, plus an offset.
    Named {
        base: Base,
        offset: i64,
        area: Area,
        is_array: bool,
        /// Type of the variable, if the variable is in memory and not an array.
        ty: Option<ScalarType>,
    },
    /// An array element whose subscript is a register, and the memory of the array.
    Element(Element, Area),
    Function(FuncId),
    /// A value without an address, such as a register, plus an offset.
    Sum(Box<Value<'a>>),
    Label(LabelId),
    BranchTargets(&'a ast::BranchTargets<'a>),
    CallTargets(&'a ast::BranchTargets<'a>),
    Prototype(&'a ast::CallPrototype<'a>),
    Discard,
    Vector(Vec<(Value<'a>, Span)>),
}

impl Value<'_> {
    /// Converts a vector register to its elements in braces; other values are unchanged.
    pub(crate) fn in_braces(self, span: Span) -> Self {
        let Value::VectorReg { first, ty, lanes } = self else { return self };
        let element = |n| (Value::Reg { id: RegId(first.0 + n), ty }, span);
        Value::Vector((0..u32::from(lanes)).map(element).collect())
    }

    /// Description of the value for messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Value::Reg { ty, .. } => format!("a .{ty} register"),
            Value::VectorReg { ty, lanes, .. } => format!("a .v{lanes} .{ty} register"),
            Value::NotReg(_) => "a negated predicate".into(),
            Value::Special(..) => "a special register".into(),
            Value::SpecialVector(_) => "a special register of several components".into(),
            Value::Const(Const::Int(..)) => "an integer constant".into(),
            Value::Const(_) => "a floating-point constant".into(),
            Value::Named { .. } => "the name of a variable".into(),
            Value::Element(..) => "an element of an array".into(),
            Value::Function(_) => "the name of a function".into(),
            Value::Sum(of) => format!("{} plus an offset", of.describe()),
            Value::Label(_) => "a label".into(),
            Value::BranchTargets(_) | Value::CallTargets(_) => "a list of targets".into(),
            Value::Prototype(_) => "a prototype".into(),
            Value::Discard => "_".into(),
            Value::Vector(items) => format!("a vector of {}", Count(items.len(), "element")),
        }
    }
}

impl<'a> Body<'_, 'a> {
    /// Evaluates an operand; `None` after an error was reported.
    pub(crate) fn value(&mut self, operand: &ast::Operand<'a>) -> Option<Value<'a>> {
        match &operand.kind {
            OperandKind::Name { name, component } => self.named(name, component.as_ref()),
            OperandKind::Constant(expr) => self.cx.constant(expr).map(Value::Const),
            OperandKind::Offset(name, offset) => {
                let offset = self.cx.integer(offset)?;
                Some(match self.named(name, None)? {
                    Value::Named { base, area, is_array, .. } => {
                        Value::Named { base, offset, area, is_array, ty: None }
                    }
                    other => Value::Sum(Box::new(other)),
                })
            }
            OperandKind::Index(name, subscript) => self.subscripted(name, subscript),
            OperandKind::Not(name) => match self.lookup(name)? {
                Resolved::Register(r) if r.decl.ty == ScalarType::Pred => Some(Value::NotReg(r.id)),
                _ => {
                    let message = format!("! applies to predicates, and {} is not one", name.text);
                    let help = "compare into a .pred register with setp first";
                    self.cx.refuse("E0211", operand.span, message, help)
                }
            },
            OperandKind::Negated(name) => {
                let message = format!("-{} is not an operand", name.text);
                let help = "negate it with neg into another register";
                self.cx.refuse("E0211", operand.span, message, help)
            }
            OperandKind::Discard => Some(Value::Discard),
            OperandKind::Vector(items) => {
                let values: Vec<_> =
                    items.iter().map(|i| self.value(i).map(|v| (v, i.span))).collect();
                values.into_iter().collect::<Option<Vec<_>>>().map(Value::Vector)
            }
            OperandKind::Pair(..) => {
                let message = "a second destination is not allowed here";
                self.cx.refuse("E0211", operand.span, message, "write one destination")
            }
            OperandKind::Address(_) | OperandKind::Bracket(_) => {
                let help = "write its address without the brackets, or load it into a register with ld first";
                self.cx.refuse("E0211", operand.span, "a memory operand is not allowed here", help)
            }
            OperandKind::List(_) => {
                let message = "a list in parentheses belongs to call";
                self.cx.refuse("E0211", operand.span, message, "write a register or a constant")
            }
        }
    }

    pub(crate) fn named(
        &mut self,
        name: &ast::Ident<'a>,
        component: Option<&ast::Ident<'a>>,
    ) -> Option<Value<'a>> {
        if let Some(found) = self.find(name.text) {
            return match found {
                Resolved::Register(r) => self.component_of(r.id, r.decl, component),
                Resolved::Other(local) => {
                    self.check_no_component(name, component)?;
                    self.local(local)
                }
                Resolved::Member(..) | Resolved::Outside => None,
            };
        }
        if let Some(special) = special::lookup(name.text) {
            return self.special(special, name, component);
        }
        if !self.cx.globals.contains_key(name.text) && self.cx.range_variable(name.text).is_none() {
            self.unknown(name);
            return None;
        }
        self.check_no_component(name, component)?;
        Some(match self.cx.global(name)? {
            Global::Variable(id) => {
                let variable = &self.cx.module.variables[id.0 as usize];
                let area = Area::of(variable.storage);
                let is_array = variable.size != u64::from(variable.ty.bytes());
                let ty = single(variable.ty, &variable.dims);
                Value::Named { base: Base::Variable(id), offset: 0, area, is_array, ty }
            }
            Global::Function(id) => Value::Function(id),
            Global::PerThread | Global::Broken => return None,
        })
    }

    fn special(
        &mut self,
        special: Special,
        name: &ast::Ident<'a>,
        component: Option<&ast::Ident<'a>>,
    ) -> Option<Value<'a>> {
        let (version, target) = special.since;
        self.cx.require_named(name.text, version, target, name.span);
        match component {
            None if special.is_vector => Some(Value::SpecialVector(special)),
            None => Some(Value::Special(special, 0)),
            Some(component) => match component_number(component.text) {
                Some(n) if special.is_vector => Some(Value::Special(special, n)),
                _ => self.no_component(name, component),
            },
        }
    }

    /// Checks that a name has no component, because it is not a register's name.
    fn check_no_component(
        &mut self,
        name: &ast::Ident,
        component: Option<&ast::Ident<'a>>,
    ) -> Option<()> {
        component.map_or(Some(()), |component| self.no_component(name, component))
    }

    fn no_component<T>(&mut self, name: &ast::Ident, component: &ast::Ident) -> Option<T> {
        let message = format!("{} has no component .{}", name.text, component.text);
        let help = "components .x, .y, .z and .w belong to vector registers";
        self.cx.refuse("E0117", component.span, message, help)
    }

    fn component_of(
        &mut self,
        id: RegId,
        decl: RegDecl,
        component: Option<&ast::Ident<'a>>,
    ) -> Option<Value<'a>> {
        let ty = decl.ty;
        match component {
            None if decl.vector > 1 => Some(Value::VectorReg { first: id, ty, lanes: decl.vector }),
            None => Some(Value::Reg { id, ty }),
            Some(component) => match component_number(component.text) {
                Some(n) if n < decl.vector && decl.vector > 1 => {
                    Some(Value::Reg { id: RegId(id.0 + u32::from(n)), ty })
                }
                _ => {
                    let name = ast::Ident { text: "this register", span: component.span };
                    self.no_component(&name, component)
                }
            },
        }
    }

    fn local(&mut self, local: Local<'a>) -> Option<Value<'a>> {
        let named = |base, area, is_array, ty| Value::Named { base, offset: 0, area, is_array, ty };
        Some(match local {
            Local::Frame(id) => {
                let variable = &self.function.frame[id.0 as usize];
                let area = if variable.is_param { Area::CallParam } else { Area::Local };
                let ty = (variable.size == variable.ty.bytes()).then_some(variable.ty);
                named(Base::Frame(id), area, true, ty)
            }
            Local::Static(id) => {
                let variable = &self.cx.module.variables[id.0 as usize];
                let area = match Area::of(variable.storage) {
                    Area::Opaque(_) => Area::Global,
                    area => area,
                };
                named(Base::Variable(id), area, true, single(variable.ty, &variable.dims))
            }
            Local::Param(id) => {
                let param = &self.function.params[id.0 as usize];
                let opaque = param.ty.kind() == TypeKind::Opaque;
                let area = if opaque { Area::Opaque(param.ty) } else { Area::Param };
                let ty = (!opaque && !param.is_array).then_some(param.ty);
                named(Base::Param(id), area, param.is_array, ty)
            }
            Local::Return(id) => {
                let param = &self.function.returns[id.0 as usize];
                let ty = (!param.is_array).then_some(param.ty);
                named(Base::Return(id), Area::CallParam, true, ty)
            }
            Local::Label(id) => Value::Label(id),
            Local::BranchTargets(t) => Value::BranchTargets(t),
            Local::CallTargets(t) => Value::CallTargets(t),
            Local::Prototype(p) => Value::Prototype(p),
            // The caller resolves registers; an error for a broken name has been reported.
            Local::Reg(_) | Local::Broken => return None,
        })
    }
}

/// The type of a variable in memory, unless it is an array.
fn single(ty: ScalarType, dims: &[u64]) -> Option<ScalarType> {
    (dims.is_empty() && ty.kind() != TypeKind::Opaque).then_some(ty)
}

fn component_number(text: &str) -> Option<u8> {
    match text {
        "x" | "r" => Some(0),
        "y" | "g" => Some(1),
        "z" | "b" => Some(2),
        "w" | "a" => Some(3),
        _ => None,
    }
}
