//! Checks of branches and calls.

use std::rc::Rc;
use texunit_forms::Count;

use texunit_isa::{ScalarType, TypeKind};
use texunit_syntax::ast::{self, OperandKind};
use texunit_syntax::{Diagnostic, Span};

use crate::body::Body;
use crate::body::value::Value;
use crate::consts::Const;
use crate::context::scope::{Local, Resolved};
use crate::context::signature::{Callee, Signature};
use crate::declaration::allowed::DeclSite;
use crate::instruction::site::Site;
use crate::ir::{Base, FrameVar, FuncId, LabelId, Operand, Param, Prototype};
use crate::types::{fits, is_pointer};

impl<'a> Site<'_, '_, 'a> {
    pub(crate) fn branch(&mut self) -> Option<Vec<Operand>> {
        let [target] = self.takes("write bra and a label")?;
        let label = self.label(target)?;
        Some(vec![Operand::Label(label)])
    }

    fn label(&mut self, operand: &ast::Operand<'a>) -> Option<LabelId> {
        if let OperandKind::Name { name, .. } = &operand.kind
            && self.find(name.text).is_none()
            && !self.cx.globals.contains_key(name.text)
        {
            let message = format!("unknown label {}", name.text);
            let help = self.missing_label(name.text);
            return self.cx.refuse("E0114", operand.span, message, help);
        }
        match self.value(operand)? {
            Value::Label(id) => Some(id),
            other => {
                let message = format!("bra needs a label, not {}", other.describe());
                let help = "use brx.idx to branch to one of several labels";
                self.cx.refuse("E0112", operand.span, message, help)
            }
        }
    }

    pub(crate) fn indexed_branch(&mut self) -> Option<Vec<Operand>> {
        let [index, list] = self.takes("write an index and the name of a .branchtargets list")?;
        let index = self.source(ScalarType::U32, index);
        let targets = match self.value(list)? {
            Value::BranchTargets(targets) => self.branch_targets(targets)?,
            other => {
                let message =
                    format!("brx.idx needs a .branchtargets list, not {}", other.describe());
                let help = "write name: .branchtargets a, b; and that name here";
                return self.cx.refuse("E0242", list.span, message, help);
            }
        };
        Some(vec![index?, Operand::Targets(targets)])
    }

    pub(crate) fn call(&mut self) -> Option<Vec<Operand>> {
        let i = self.i;
        // Splits the operands into a list in parentheses and the remaining operands.
        let split = |operands: &'a [ast::Operand<'a>]| match operands {
            [ast::Operand { kind: OperandKind::List(list), .. }, rest @ ..] => (&list[..], rest),
            _ => (&[][..], operands),
        };
        let (results, rest) = split(&i.operands);
        let [callee, after @ ..] = rest else {
            let help = "write call (results), function, (arguments)";
            return self.cx.refuse("E0210", i.opcode.span, "call names no function", help);
        };
        let (arguments, after) = split(after);
        let (target, signature) = self.callee(callee, after.first())?;
        self.other_targets(after.first(), (results, arguments))?;
        let returned = self.arguments(results, &signature.returns, signature.declared, true);
        let passed = self.arguments(arguments, &signature.params, signature.declared, false);
        let mut operands = vec![Operand::Args(returned?), target.clone(), Operand::Args(passed?)];
        if matches!(target, Operand::Reg(_)) {
            let plain = |list: &[Param]| list.iter().map(|f| (f.ty, f.size)).collect();
            let prototype =
                Prototype { returns: plain(&signature.returns), params: plain(&signature.params) };
            operands.push(Operand::Prototype(Box::new(prototype)));
        }
        Some(operands)
    }

    fn callee(
        &mut self,
        callee: &ast::Operand<'a>,
        with: Option<&ast::Operand<'a>>,
    ) -> Option<(Operand, Rc<Signature>)> {
        match self.value(callee)? {
            Value::Function(id) => {
                let function = &self.cx.module.functions[id.0 as usize];
                if function.is_entry {
                    let help = "call a .func, or launch the kernel";
                    return self.cx.refuse("E0240", callee.span, "a kernel cannot be called", help);
                }
                if let Some(with) = with {
                    let message = "only a call through a register has a prototype";
                    let help = "remove it: the function's own parameters are used";
                    return self.cx.refuse("E0241", with.span, message, help);
                }
                Some((Operand::Function(id), self.signature_of(id)))
            }
            Value::Reg { id, ty } if is_pointer(ty) => {
                let Some(with) = with else {
                    let message = "a call through a register needs a prototype";
                    let help = "write name: .callprototype ...; and that name after the arguments";
                    return self.cx.refuse("E0241", callee.span, message, help);
                };
                let signature = match self.value(with)? {
                    Value::Prototype(p) => self.prototype_of(p)?,
                    Value::CallTargets(targets) => {
                        let id = *self.call_targets(targets)?.last()?;
                        self.signature_of(id)
                    }
                    other => {
                        let message =
                            format!("a call needs a prototype here, not {}", other.describe());
                        let help = "write the name of a .callprototype or .calltargets";
                        return self.cx.refuse("E0241", with.span, message, help);
                    }
                };
                Some((Operand::Reg(id), signature))
            }
            other => {
                let message = format!("call needs a function, not {}", other.describe());
                let help = "write the name of a .func, or a 64-bit register";
                self.cx.refuse("E0112", callee.span, message, help)
            }
        }
    }
}

impl<'a> Body<'_, 'a> {
    /// The signature of a function, cached because there may be many parameters and many calls.
    fn signature_of(&mut self, id: FuncId) -> Rc<Signature> {
        let function = &self.cx.module.functions[id.0 as usize];
        let callee = Callee::Function(id, function.span);
        if let Some(Some(known)) = self.cx.signatures.get(&callee) {
            return known.clone();
        }
        let signature = Rc::new(Signature {
            returns: function.returns.clone(),
            params: function.params.clone(),
            declared: function.span,
        });
        self.cx.signatures.insert(callee, Some(signature.clone()));
        signature
    }

    pub(crate) fn check_prototype(&mut self, p: &'a ast::CallPrototype<'a>) {
        let _ = self.prototype_of(p);
    }

    /// The signature of a prototype; errors in the prototype are reported once.
    fn prototype_of(&mut self, p: &'a ast::CallPrototype<'a>) -> Option<Rc<Signature>> {
        let callee = Callee::Prototype(std::ptr::from_ref(p).addr());
        if let Some(known) = self.cx.signatures.get(&callee) {
            return known.clone();
        }
        let signature = self.read_prototype(p).map(Rc::new);
        self.cx.signatures.insert(callee, signature.clone());
        signature
    }

    fn read_prototype(&mut self, p: &'a ast::CallPrototype<'a>) -> Option<Signature> {
        let mut lists = [Vec::new(), Vec::new()];
        self.cx.one_result(&p.returns);
        for (list, (params, last)) in lists.iter_mut().zip([(&p.returns, false), (&p.params, true)])
        {
            let count = params.len();
            for (at, v) in params.iter().enumerate() {
                let last = last && at + 1 == count;
                list.push(self.cx.param(v, false, DeclSite::Prototype, last)?);
            }
        }
        let [returns, params] = lists;
        Some(Signature { returns, params, declared: p.span })
    }
}

impl<'a> Site<'_, '_, 'a> {
    /// Checks the call against all functions of a `.calltargets` list except the last function,
    /// which is checked as the callee. If the call has neither results nor arguments, ptxas checks
    /// only the last function.
    fn other_targets(
        &mut self,
        with: Option<&ast::Operand<'a>>,
        (results, arguments): (&[ast::Operand<'a>], &[ast::Operand<'a>]),
    ) -> Option<()> {
        let Some(OperandKind::Name { name, .. }) = with.map(|w| &w.kind) else { return Some(()) };
        let Some(Resolved::Other(Local::CallTargets(list))) = self.find(name.text) else {
            return Some(());
        };
        let lists = self.i.operands.iter().any(|o| matches!(o.kind, OperandKind::List(_)));
        let functions = self.call_targets(list)?;
        let others = if lists { functions.len().saturating_sub(1) } else { 0 };
        for &id in &functions[..others] {
            let signature = self.signature_of(id);
            self.arguments(results, &signature.returns, signature.declared, true)?;
            self.arguments(arguments, &signature.params, signature.declared, false)?;
        }
        Some(())
    }

    fn arguments(
        &mut self,
        given: &[ast::Operand<'a>],
        formals: &[Param],
        declared: Span,
        results: bool,
    ) -> Option<Vec<Operand>> {
        let what = if results { "result" } else { "argument" };
        let optional = formals.last().is_some_and(is_open);
        if given.len() != formals.len() && !(optional && given.len() + 1 == formals.len()) {
            let span = given
                .first()
                .map_or(self.i.opcode.span, |f| f.span.to(given[given.len() - 1].span));
            let (has, takes) = (Count(given.len(), what), formals.len());
            let message = format!("the call has {has}, and the function {takes}");
            let error = Diagnostic::error("E0240", span, message)
                .note(declared, "declared here")
                .help("write one for each parameter of the function");
            return self.cx.refuse_with(error);
        }
        // All arguments are checked before the first error ends the check.
        let checked =
            given.iter().zip(formals).map(|(o, formal)| self.argument(o, formal, results));
        checked.collect::<Vec<_>>().into_iter().collect()
    }

    fn frame_differs(&self, variable: &FrameVar, formal: &Param) -> bool {
        let align = variable.align.max(variable.ty.bytes());
        variable.is_array != formal.is_array
            || align != alignment(formal)
            || !formal.is_array && !passes(formal.ty, variable.ty)
    }

    fn argument(
        &mut self,
        operand: &ast::Operand<'a>,
        formal: &Param,
        result: bool,
    ) -> Option<Operand> {
        let value = self.value(operand)?;
        let named = matches!(operand.kind, OperandKind::Name { component: None, .. });
        let size = match value {
            Value::Named { base: Base::Param(_) | Base::Return(_), .. } => {
                let message = "a parameter of the function itself cannot be passed in a call";
                let help =
                    "copy it to or from a .param variable of the call with ld.param and st.param";
                return self.cx.refuse("E0240", operand.span, message, help);
            }
            Value::Named { .. } | Value::Element(..) | Value::Reg { .. } if !named => {
                let message = "a call passes whole variables and registers";
                let help = "write the name of a .param variable or register without an offset";
                return self.cx.refuse("E0240", operand.span, message, help);
            }
            Value::Named { base: Base::Frame(id), .. } => self.function.frame[id.0 as usize].size,
            Value::Reg { ty, .. } => ty.bytes(),
            _ => formal.size,
        };
        let packed = matches!(value, Value::Reg { ty, .. } if packed_for(formal.ty, ty));
        if size != formal.size && !is_open(formal) && !packed {
            let message =
                format!("this has {}, and the parameter {}", Count(size, "byte"), formal.size);
            let help = format!("pass a .param of type .{} and that size", formal.ty);
            return self.cx.refuse("E0240", operand.span, message, help);
        }
        if let Value::Named { base: Base::Frame(id), .. } = value
            && self.frame_differs(&self.function.frame[id.0 as usize], formal)
        {
            let message = "this has another type or alignment than the parameter";
            let help = match (formal.is_array, alignment(formal)) {
                (false, align) if align == formal.ty.bytes() => {
                    format!("declare it .param .{}", formal.ty)
                }
                (false, align) => format!("declare it .param .align {align} .{}", formal.ty),
                (true, align) => format!(
                    "declare it as an array, .param .align {align} .{} name[{}]",
                    formal.ty,
                    formal.size / formal.ty.bytes().max(1)
                ),
            };
            return self.cx.refuse("E0240", operand.span, message, help);
        }
        match value {
            Value::Named { base: Base::Frame(id), .. }
                if self.function.frame[id.0 as usize].is_param =>
            {
                Some(Operand::FrameVar(id))
            }
            Value::Discard if result => Some(Operand::Discard),
            Value::Reg { id, ty } if !formal.is_array && passes(formal.ty, ty) => {
                Some(Operand::Reg(id))
            }
            Value::Const(value) if !formal.is_array && formal.ty != ScalarType::Pred => {
                let constant = self.constant_argument(formal.ty, value, operand.span)?;
                if !result {
                    return Some(constant);
                }
                let message = "a number cannot hold a result";
                let help = "write _ for a result that is not used";
                let error = Diagnostic::error("E0240", operand.span, message).help(help);
                self.report_miscompiled(error);
                Some(Operand::Discard)
            }
            other => {
                let message = format!("{} cannot be passed for a .{}", other.describe(), formal.ty);
                let help = "pass a .param variable, or a register of the parameter's type";
                self.cx.refuse("E0240", operand.span, message, help)
            }
        }
    }

    /// Checks a constant argument; untyped bits and `.f16` accept any floating-point number.
    fn constant_argument(&mut self, ty: ScalarType, value: Const, span: Span) -> Option<Operand> {
        let low_bits = match value {
            Const::Int(..) => false,
            Const::F32(_) if ty == ScalarType::F16x2 => true,
            _ => ty.kind() == TypeKind::Bits || ty == ScalarType::F16,
        };
        if low_bits && value.bits_for(ty).is_none() {
            return Some(self.low_bits(ty, span));
        }
        self.immediate(ty, value, span)
    }
}

/// Whether a call can pass a variable of type `given` for a parameter of type `formal`.
fn passes(formal: ScalarType, given: ScalarType) -> bool {
    packed_for(formal, given) || fits(formal, given)
}

/// Whether ptxas accepts `.f16x2` for any 32-bit type or a predicate, or the reverse.
fn packed_for(formal: ScalarType, given: ScalarType) -> bool {
    let other = if formal == ScalarType::F16x2 { given } else { formal };
    [formal, given].contains(&ScalarType::F16x2)
        && (other.bits() == 32 || other == ScalarType::Pred)
}

/// The alignment of a parameter in bytes, at least the alignment of its type.
fn alignment(param: &Param) -> u32 {
    param.align.max(param.ty.bytes())
}

/// Whether a parameter is declared with `[]`: any array, or no argument, may be passed.
fn is_open(param: &Param) -> bool {
    param.is_array && param.size == 0
}
