//! Checks of memory operands, and of operands whose value is an address.

use texunit_isa::{Opcode, OperandRule, Pointee, Property, Role, ScalarType, Space, TypeKind};
use texunit_syntax::ast::{self, OperandKind, Subscript};
use texunit_syntax::{Diagnostic, Span};

use crate::body::value::{Area, Value};
use crate::context::scope::Resolved;
use crate::instruction::site::Site;
use crate::ir::{Base, FrameVarId, Operand, Param};
use crate::message::fixes;
use crate::options::Ptxas;
use crate::types::{fits, is_pointer};

impl<'a> Site<'_, '_, 'a> {
    /// Checks a memory operand `[base + offset]`.
    pub(crate) fn memory(
        &mut self,
        rule: &OperandRule,
        operand: &ast::Operand<'a>,
    ) -> Option<Operand> {
        // With a tensor map, ptxas accepts addresses without brackets, in any register.
        let beside_map = self.form.operands.iter().any(|o| o.role == Role::Tensor);
        let (base, extra) = match &operand.kind {
            OperandKind::Address(address) => (&*address.base, address.offset.as_ref()),
            OperandKind::Bracket(items) if items.len() == 1 => (&items[0], None),
            // An array element is a memory operand without brackets.
            OperandKind::Index(..) if rule.element => (operand, None),
            OperandKind::Name { .. } | OperandKind::Offset(..) if beside_map => {
                let message = "needs a memory operand here";
                let error = self.error("E0217", operand.span, message);
                self.report_miscompiled(error.help("write the address between [ and ]"));
                (operand, None)
            }
            _ => return self.no_memory_operand(operand),
        };
        let value = self.value(base)?;
        let extra = match extra {
            Some(expr) => self.cx.integer(expr)?,
            None => 0,
        };
        if self.cx.release == Ptxas::V13_5 && !matches!(base.kind, OperandKind::Index(..)) {
            let of_call = matches!(value, Value::Named { area: Area::CallParam, .. });
            if self.says("param::func") && self.function.is_entry && !of_call {
                let message = "needs a parameter of a call here";
                let help = "write .param::entry for the parameters of a kernel";
                return self.deny("E0217", base.span, message, help);
            }
            if self.says("param::entry") && of_call {
                let message = "needs a parameter of the kernel here";
                let help = "write .param::func for the parameters of a call";
                return self.deny("E0217", base.span, message, help);
            }
        }
        if self.form.has(Property::AddressInRegister)
            && self.mods.space.is_some()
            && matches!(value, Value::Named { .. })
        {
            let help = "copy the address into a register with mov first";
            return self.deny("E0217", base.span, "needs its address in a register here", help);
        }
        // ptxas copies some addresses with `mov`, which does not support addresses of 8 or 16 bits.
        let tensor = rule.pointee == Some(Pointee::TensorMemory);
        let generic = self.mods.space.is_none();
        let copied = match self.form.row.opcode {
            Opcode::Wmma | Opcode::Createpolicy => true,
            Opcode::Ldmatrix | Opcode::Stmatrix => generic,
            Opcode::Cp => generic && !self.says("bulk") && self.says("mbarrier"),
            Opcode::St | Opcode::Red => {
                let late = self.says("async") && self.cx.release >= Ptxas::V12_9;
                rule.written && (late || self.says("bulk"))
            }
            _ => rule.pointee == Some(Pointee::TensorMap),
        };
        let widths = match rule.pointee {
            Some(Pointee::TensorMemory) => 32..=32,
            _ if copied => 32..=64,
            Some(Pointee::Wide) => 64..=64,
            _ => 16..=64,
        };
        match value {
            Value::Reg { id, ty }
                if (ty.is_integer() || ty.kind() == TypeKind::Bits)
                    && widths.contains(&ty.bits()) =>
            {
                Some(Operand::Address(Base::Reg(id), extra))
            }
            Value::Reg { id, .. } if beside_map && std::ptr::eq(base, operand) => {
                Some(Operand::Address(Base::Reg(id), 0))
            }
            Value::Reg { id, ty } => {
                let message = format!("a .{ty} register cannot hold an address");
                let diagnostic = Diagnostic::error("E0217", base.span, message)
                    .help(format!("use a {}-bit integer register", widths.end()));
                // ptxas accepts a register of 8 bits as an address, and miscompiles it.
                if ty.bits() == 8 && widths.contains(&16) {
                    self.report_miscompiled(diagnostic);
                    return Some(Operand::Address(Base::Reg(id), extra));
                }
                self.cx.refuse_with(diagnostic)
            }
            Value::Special(special, _)
                if match rule.pointee {
                    Some(Pointee::TensorMemory) => false,
                    Some(Pointee::Wide) => special.types.iter().any(|t| t.bits() == 64),
                    Some(Pointee::Uniform | Pointee::Mbarrier) => self.cx.release < Ptxas::V12_9,
                    _ => true,
                } =>
            {
                self.report_miscompiled(
                    Diagnostic::error("E0217", base.span, "a special register is not an address")
                        .help("copy it into a register with mov first"),
                );
                Some(Operand::Address(Base::Absolute, extra))
            }
            Value::Const(value) if value.is_int() => {
                if self.mods.space == Some(Space::Local) {
                    let at = value.bits_for(ScalarType::U64).unwrap_or(0) as i64;
                    return Some(Operand::Address(Base::Absolute, at.wrapping_add(extra)));
                }
                let message = "a number can be an address in .local memory only";
                self.cx.refuse("E0217", base.span, message, "put the address into a register")
            }
            Value::Named { base: at, offset, area, is_array, .. } if !tensor => {
                let area = if is_array { self.area_of_array(at, area) } else { area };
                self.check_area(rule, at, area, is_array, base)?;
                self.unguarded(at, area, base.span)?;
                Some(Operand::Address(at, offset.wrapping_add(extra)))
            }
            Value::Element(element, area) => {
                let area = self.area_of_array(element.base, area);
                self.check_area(rule, element.base, area, true, base)?;
                self.unguarded(element.base, area, base.span)?;
                Some(Operand::Element(Box::new(element)))
            }
            other => {
                let message = format!("{} is not an address", other.describe());
                let help = "write a register or the name of a variable";
                self.cx.refuse("E0217", base.span, message, help)
            }
        }
    }

    /// Checks that an access to a call parameter has no guard, because all threads that make the
    /// call must access it.
    fn unguarded(&mut self, base: Base, area: Area, span: Span) -> Option<()> {
        if self.i.guard.is_none() || area != Area::CallParam || !matches!(base, Base::Frame(_)) {
            return Some(());
        }
        let help = "branch around the call with its parameters, or choose the value with selp";
        self.deny("E0216", span, "of a call's parameter has no guard", help)
    }

    /// Reports the name of a call parameter without an offset: only with an offset, the name is an
    /// address.
    pub(crate) fn parameter_of_call(
        &mut self,
        operand: &ast::Operand<'a>,
        value: &Value<'a>,
    ) -> Option<()> {
        let named = matches!(operand.kind, OperandKind::Name { .. });
        match value {
            Value::Named { base: Base::Frame(id), area: Area::CallParam, .. }
                if named
                    && !self.has_own_name(*id, &self.function.params)
                    && !self.has_own_name(*id, &self.function.returns) =>
            {
                let message = "cannot take the address of a call's parameter";
                let help = "copy the value into a .local variable, and take its address";
                self.deny("E0216", operand.span, message, help)
            }
            _ => Some(()),
        }
    }

    /// Whether a variable of an inner block has the name of a parameter in `own`: ptxas then takes
    /// the variable for the parameter.
    fn has_own_name(&self, variable: FrameVarId, own: &[Param]) -> bool {
        let name = &self.function.frame[variable.0 as usize].name;
        own.iter().any(|param| param.name == *name)
    }

    /// Reports an operand that is not a memory operand.
    fn no_memory_operand(&mut self, operand: &ast::Operand<'a>) -> Option<Operand> {
        let message = "needs a memory operand here";
        let diagnostic = self.error("E0217", operand.span, message);
        let address = match &operand.kind {
            OperandKind::Name { name, component: None } => match self.find(name.text) {
                Some(Resolved::Register(r)) => {
                    r.decl.vector <= 1 && r.decl.ty.bits() == 64 && r.decl.ty != ScalarType::F64
                }
                _ => false,
            },
            _ => false,
        };
        let diagnostic = match &operand.kind {
            OperandKind::Index(name, subscript) => {
                let help = "ld, ldu and st take elements of arrays; elsewhere write the address \
                            in bytes between [ and ]";
                let constant = matches!(**subscript, Subscript::Constant(_));
                match self.value(operand) {
                    Some(Value::Named { offset, .. }) if constant => {
                        let address = format!("[{}+{offset}]", name.text);
                        diagnostic.help(format!("{help}: {address}")).fix(operand.span, address)
                    }
                    Some(_) => diagnostic.help(help),
                    None => return None,
                }
            }
            _ => diagnostic.help("write the address between [ and ]"),
        };
        self.cx.refuse_with(match address {
            true => diagnostic
                .fix(fixes::before(operand.span), "[")
                .fix(fixes::behind(operand.span), "]"),
            false => diagnostic,
        })
    }

    /// The memory that an access to an array uses: for references outside `.global`, ordinary
    /// memory.
    fn area_of_array(&self, base: Base, area: Area) -> Area {
        let (Base::Variable(id), Area::Opaque(_)) = (base, area) else { return area };
        match self.cx.module.variables[id.0 as usize].space {
            ast::Space::Const => Area::Const,
            ast::Space::Shared => Area::Shared,
            _ => area,
        }
    }

    /// Checks that the instruction can access the variable's state space.
    fn check_area(
        &mut self,
        rule: &OperandRule,
        base: Base,
        area: Area,
        is_array: bool,
        operand: &ast::Operand<'a>,
    ) -> Option<()> {
        let span = operand.span;
        // ptxas checks the state space of array elements less strictly.
        let element = matches!(operand.kind, OperandKind::Index(..));
        let space = match rule.pointee {
            Some(Pointee::Global) => Some(Space::Global),
            Some(Pointee::Shared) => Some(Space::Shared),
            _ => self.mods.space,
        };
        // An mbarrier is in shared memory, also if its address is generic.
        let barrier = rule.pointee == Some(Pointee::Mbarrier);
        let fits = match space {
            _ if rule.pointee == Some(Pointee::Any) => true,
            None if barrier => area == Area::Shared,
            None => matches!(area, Area::Global | Area::Shared | Area::Local),
            Some(space) => area.space() == Some(space),
        };
        let (message, help, own) = match rule.written {
            true => {
                let help = "copy the parameter into a register or .local memory";
                ("cannot write to an incoming parameter", help, &self.function.params)
            }
            false => {
                let help = "read the register whose value was stored there";
                ("cannot read the result of the function", help, &self.function.returns)
            }
        };
        let is_own = match base {
            Base::Param(_) => rule.written,
            Base::Return(_) => !rule.written,
            Base::Frame(id) => area == Area::CallParam && !element && self.has_own_name(id, own),
            _ => false,
        };
        if is_own && fits {
            let diagnostic = self.error("E0216", span, message).help(help);
            if element && self.i.guard.is_none() {
                self.report_miscompiled(diagnostic);
                return Some(());
            }
            return self.cx.refuse_with(diagnostic);
        }
        let cached = rule.pointee == Some(Pointee::Uniform)
            && matches!(area, Area::Shared | Area::Local)
            && self.cx.release >= Ptxas::V12_9;
        if fits && !cached {
            return Some(());
        }
        if let Area::Opaque(ty) = area {
            let diagnostic = self
                .error("E0216", span, format!("cannot reach into a .{ty}"))
                .help("use tex, txq, suld, sust or suq");
            // ptxas checks references only in ld and st, and does not check arrays of references.
            let stored =
                self.form.row.opcode == Opcode::Multimem && rule.pointee.is_none() && rule.written;
            let looked_at = (rule.element || stored) && !is_array;
            let barrier = barrier && self.cx.release >= Ptxas::V12_9;
            if !looked_at && !barrier && matches!(space, None | Some(Space::Global)) {
                self.report_miscompiled(diagnostic);
                return Some(());
            }
            return self.cx.refuse_with(diagnostic);
        }
        let space = space.or(barrier.then_some(Space::Shared));
        let instruction = space.map_or("generic".to_string(), |s| format!(".{s}"));
        let says = format!("works on {instruction} memory, and this is {}", area.name());
        let help = match barrier {
            true => "declare the mbarrier in .shared memory".to_owned(),
            false => format!("write {}{}", self.form.row.opcode, area.name()),
        };
        let diagnostic = self.error("E0216", span, says).help(help);
        // Early releases of ptxas did not check the state space of an mbarrier.
        let passed = barrier
            && self.cx.release <= Ptxas::V12_4
            && self.mods.space.is_none()
            && matches!(area, Area::Global | Area::Local);
        if passed {
            self.report_miscompiled(diagnostic);
            return Some(());
        }
        self.cx.refuse_with(diagnostic)
    }

    /// Checks an operand of cvta or isspacep, which is an address without brackets.
    pub(crate) fn address(
        &mut self,
        rule: &OperandRule,
        ty: Option<ScalarType>,
        operand: &ast::Operand<'a>,
    ) -> Option<Operand> {
        let wanted = ty.unwrap_or(ScalarType::U64);
        let value = self.value(operand)?;
        if rule.named {
            self.parameter_of_call(operand, &value)?;
        }
        match value {
            Value::Reg { id, ty: reg }
                if match ty {
                    Some(ty) => fits(ty, reg),
                    None => is_pointer(reg),
                } =>
            {
                Some(Operand::Reg(id))
            }
            Value::Const(value) if value.is_int() => self.immediate(wanted, value, operand.span),
            value @ (Value::Named { .. } | Value::Element(..)) if rule.named => {
                let (base, area, address) = match value {
                    Value::Named { base, offset, area, .. } => {
                        (base, area, Operand::AddressOf(base, offset))
                    }
                    Value::Element(e, area) => (e.base, area, Operand::Element(Box::new(e))),
                    _ => return None,
                };
                let inside = match (area, self.mods.space) {
                    (Area::Opaque(_), Some(Space::Global)) => true,
                    (Area::Opaque(_), Some(Space::Param)) => matches!(base, Base::Param(_)),
                    (area, Some(space)) => area.space() == Some(space),
                    (_, None) => false,
                };
                if inside {
                    return Some(address);
                }
                let space = area.name();
                let message = format!("cannot take the address of a variable in {space} memory");
                let error = self.error("E0216", operand.span, message);
                let error = error.help("name the variable's own space");
                // ptxas accepts the operand, and takes the offset in shared memory for a generic
                // address: the finding is about miscompiled code.
                if area == Area::Shared && self.mods.space.is_none() {
                    self.report_miscompiled(error);
                    return Some(address);
                }
                self.cx.refuse_with(error)
            }
            Value::Function(_) if self.mods.space.is_some() => {
                let message = "cannot take the address of a function in a state space";
                self.deny("E0216", operand.span, message, "copy it with mov.u64")
            }
            value if self.address_as_number(wanted, operand, &value) => Some(Operand::Imm(0)),
            value => self.mismatch(wanted, &value, operand.span),
        }
    }
}
