//! Operands of ordinary instructions, as their row lists them.

use texunit_isa::{
    Form, Limit, Modifiers, Opcode, OperandRule, OperandType, Role, ScalarType, TypeKind,
};
use texunit_syntax::ast::{self, OperandKind};
use texunit_syntax::{Diagnostic, Span};

use crate::body::Body;
use crate::consts::Const;
use crate::context::Global;
use crate::correct;
use crate::instruction::{mnemonic, plural};
use crate::ir::{Operand, RegId};
use crate::options::Ptxas;
use crate::types::{describe, fits, fits_relaxed, operand_type, register_for};
use crate::values::{Area, Value};

/// What is said about operands of one instruction.
pub(crate) struct Site<'i, 'a> {
    pub(crate) i: &'i ast::Instruction<'a>,
    pub(crate) mods: &'i Modifiers,
}

impl<'a> Body<'_, 'a> {
    /// Checks the operands of a row of shape `Listed`.
    pub(crate) fn listed(
        &mut self,
        i: &'a ast::Instruction<'a>,
        mods: &Modifiers,
        form: &'static Form,
    ) -> Option<Vec<Operand>> {
        let site = Site { i, mods };
        let mut spare = i.operands.len() - form.operands.iter().filter(|o| !o.optional).count();
        let mut given = i.operands.iter();
        let mut list = Vec::with_capacity(i.operands.len() + 1);
        let mut complete = true;
        for rule in &form.operands {
            if rule.optional {
                if spare == 0 {
                    continue;
                }
                spare -= 1;
            }
            let Some(operand) = given.next() else { break };
            complete &= self.by_rule(&site, rule, operand, &mut list).is_some();
        }
        complete.then_some(list)
    }

    fn by_rule(
        &mut self,
        site: &Site<'_, 'a>,
        rule: &OperandRule,
        operand: &ast::Operand<'a>,
        list: &mut Vec<Operand>,
    ) -> Option<()> {
        let ty = operand_type(rule.ty, &site.mods.types).unwrap_or(ScalarType::B64);
        match rule.role {
            Role::Dest => {
                self.discarded_arrival(site, operand)?;
                let found = self.dest(site, ty, operand)?;
                list.push(self.kept_out(site, rule, ty, operand, found)?);
            }
            Role::Source => {
                if self.ignores_source(site, operand) {
                    list.push(self.source(site, ScalarType::Pred, operand)?);
                    return Some(());
                }
                self.register_only(site, ty, operand)?;
                let found = self.source(site, ty, operand)?;
                let found = self.kept_out(site, rule, ty, operand, found)?;
                if rule.strict && ty == ScalarType::B64 {
                    self.no_address(site, ty, operand)?;
                }
                self.within(site, rule, operand)?;
                list.push(found);
            }
            Role::RelaxedDest => list.push(self.data(site, ty, operand, true)?),
            Role::RelaxedSource => list.push(self.data(site, ty, operand, false)?),
            Role::DestWithPredicate | Role::PredicatePair => {
                let (first, second) = match &operand.kind {
                    OperandKind::Pair(a, b) => (&**a, Some(&**b)),
                    _ => (operand, None),
                };
                self.pair(site, ty, operand, (first, second))?;
                let first = if site.i.opcode.text == "shfl" {
                    self.dest(site, ty, first)
                } else {
                    self.dest_or_discard(site, ty, first)
                };
                let second = match second {
                    Some(b) => self.dest_or_discard(site, ScalarType::Pred, b),
                    None => Some(Operand::Discard),
                };
                list.push(self.kept_out(site, rule, ty, operand, first?)?);
                list.push(second?);
            }
            Role::Condition => {
                let half = site.mods.ty() == Some(ScalarType::Bf16);
                if half && matches!(operand.kind, OperandKind::Constant(_)) {
                    let value = self.value(operand)?;
                    return self.mismatch(site, ScalarType::Pred, &value, operand.span);
                }
                list.push(self.source(site, ScalarType::Pred, operand)?);
            }
            Role::Memory => list.push(self.memory(site, operand)?),
            Role::Address => {
                let ty = (rule.ty != texunit_isa::OperandType::None).then_some(ty);
                list.push(self.address(site, ty, operand)?);
            }
            Role::Constant => {
                let found = self.only_constant(site, ty, operand)?;
                self.within(site, rule, operand)?;
                list.push(found);
            }
        }
        Some(())
    }

    /// In place of a size, `cp.async` takes a predicate: whether zeros are written.
    fn ignores_source(&mut self, site: &Site<'_, 'a>, operand: &ast::Operand<'a>) -> bool {
        site.i.opcode.text == "cp"
            && matches!(
                self.value(operand),
                Some(Value::Reg { ty: ScalarType::Pred, .. } | Value::NotReg(_))
            )
    }

    /// A cache policy and the state of an mbarrier are no addresses.
    fn no_address(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
    ) -> Option<()> {
        match self.value(operand)? {
            value @ Value::Named { .. } => self.mismatch(site, ty, &value, operand.span),
            _ => Some(()),
        }
    }

    /// An arrival at a barrier of another CTA has no state to write.
    fn discarded_arrival(&mut self, site: &Site<'_, 'a>, operand: &ast::Operand<'a>) -> Option<()> {
        let remote = site.i.opcode.text == Opcode::Mbarrier.name()
            && site.i.modifiers.iter().any(|m| m.text == "shared::cluster");
        if !remote || operand.kind == OperandKind::Discard {
            return Some(());
        }
        let message = format!("{} has no result", mnemonic(site.i));
        self.wrong("E0218", operand.span, message, "write _ in place of the register");
        None
    }

    /// A source that must be a register, though nothing but its instruction says so.
    fn register_only(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
    ) -> Option<()> {
        if !matches!(site.i.opcode.text, "movmatrix" | "stackrestore")
            || !matches!(operand.kind, OperandKind::Constant(_))
        {
            return Some(());
        }
        let value = self.value(operand)?;
        self.mismatch(site, ty, &value, operand.span)
    }

    /// What instructions with two destinations do not take.
    fn pair(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
        (first, second): (&ast::Operand<'a>, Option<&ast::Operand<'a>>),
    ) -> Option<()> {
        let discarded = |o: &ast::Operand| o.kind == OperandKind::Discard;
        let single = matches!(site.mods.ty(), Some(ScalarType::F16 | ScalarType::Bf16));
        let (message, help) = match (site.i.opcode.text, second) {
            ("lop3", None) => ("lop3 with a boolean operation writes a predicate too", "write d|p"),
            ("lop3", Some(p)) if discarded(p) => {
                ("lop3 with a boolean operation writes a predicate", "write d|p, or _|p")
            }
            ("elect", None) => ("elect writes a predicate", "write d|p, or _|p"),
            ("elect", Some(p)) if discarded(p) => ("elect writes a predicate", "write d|p, or _|p"),
            ("setp", Some(q)) if single && !discarded(q) => {
                ("setp of halves writes one predicate", "write p, and not p|q")
            }
            (_, Some(p)) if ty == ScalarType::Pred && discarded(first) && discarded(p) => {
                ("both destinations are _", "write a predicate for one of them")
            }
            _ => return Some(()),
        };
        self.wrong("E0211", operand.span, message.into(), help);
        None
    }

    /// Operands of a type that the words do not say are integers and nothing else, and so are
    /// those of rows that say so: no packed halves and, of plain bits, no floats.
    fn kept_out(
        &mut self,
        site: &Site<'_, 'a>,
        rule: &OperandRule,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
        found: Operand,
    ) -> Option<Operand> {
        let integer = ty.is_integer() && (rule.strict || matches!(rule.ty, OperandType::Fixed(_)));
        if !integer && !rule.strict {
            return Some(found);
        }
        let wrong = match &found {
            Operand::Reg(id) => {
                let reg = self.scopes.registers[id.0 as usize].ty;
                reg == ScalarType::F16x2 || reg.is_float()
            }
            Operand::Imm(_) => match &operand.kind {
                OperandKind::Constant(expr) => {
                    self.cx.constant(expr).is_some_and(|value| !value.is_int())
                }
                _ => false,
            },
            _ => false,
        };
        let function = |name: &ast::Ident| {
            matches!(self.cx.globals.get(name.text), Some((Global::Function(_), _)))
        };
        let wrong =
            wrong || matches!(&operand.kind, OperandKind::Name { name, .. } if function(name));
        if !wrong {
            return Some(found);
        }
        let name = mnemonic(site.i);
        self.wrong(
            "E0212",
            operand.span,
            format!("{name} takes integers only here"),
            &format!("write a .u{0}, .s{0} or .b{0} register, or an integer", ty.bits()),
        );
        None
    }

    /// Whether a constant is one that the operand can have.
    fn within(
        &mut self,
        site: &Site<'_, 'a>,
        rule: &OperandRule,
        operand: &ast::Operand<'a>,
    ) -> Option<()> {
        let (Some(limit), OperandKind::Constant(expr)) = (rule.limit, &operand.kind) else {
            return Some(());
        };
        let value = self.cx.constant(expr)?;
        // The assembler did not look at the count of a new mbarrier before 13.5.
        let new = site.i.opcode.text == Opcode::Mbarrier.name()
            && site.i.modifiers.first().is_some_and(|m| m.text == "init");
        if new && self.cx.release < Ptxas::V13_5 {
            return Some(());
        }
        if limit == Limit::Part {
            return self.within_part(site, &value, operand.span);
        }
        let Const::Int(value, ..) = value else { return Some(()) };
        let (fits, wanted) = match limit {
            Limit::Between(a, b) if a == b => (value == u64::from(a), format!("write {a}")),
            Limit::Between(a, b) => (
                (u64::from(a)..=u64::from(b)).contains(&value),
                format!("write a number from {a} to {b}"),
            ),
            Limit::Power(a, b) => (
                value.is_power_of_two() && (u64::from(a)..=u64::from(b)).contains(&value),
                format!("write a power of two from {a} to {b}"),
            ),
            Limit::Part => return Some(()),
            Limit::Barrier => (value as u32 <= 15, "write a number from 0 to 15".into()),
            Limit::Warps => {
                (value.is_multiple_of(32), "write a multiple of 32, the size of a warp".into())
            }
            Limit::SomeWarps => (
                value != 0 && value.is_multiple_of(32),
                "write a multiple of 32, the size of a warp, that is not 0".into(),
            ),
        };
        if fits {
            return Some(());
        }
        let name = mnemonic(site.i);
        let message = format!("{name} cannot have the constant {} here", value as i64);
        self.wrong("E0220", operand.span, message, &wanted);
        None
    }

    /// Whether a constant is above 0 and not above 1.
    fn within_part(&mut self, site: &Site<'_, 'a>, value: &Const, span: Span) -> Option<()> {
        let value = match value {
            Const::F32(bits) => f64::from(f32::from_bits(*bits)),
            Const::F64(value) => *value,
            Const::Int(..) => return Some(()),
        };
        if value > 0.0 && value <= 1.0 {
            return Some(());
        }
        let message = format!("{} cannot have the constant {value} here", mnemonic(site.i));
        self.wrong("E0220", span, message, "write a number above 0, up to 1.0");
        None
    }

    fn dest_or_discard(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
    ) -> Option<Operand> {
        if operand.kind == OperandKind::Discard {
            return Some(Operand::Discard);
        }
        self.dest(site, ty, operand)
    }

    /// A destination register of exactly this width.
    pub(crate) fn dest(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
    ) -> Option<Operand> {
        match self.value(operand)? {
            Value::Reg { id, ty: reg } if fits(ty, reg) => Some(Operand::Reg(id)),
            value @ Value::Reg { id, .. } if matrix_of_predicates(site, &value) => {
                self.miscompiled_predicate(site, operand.span);
                Some(Operand::Reg(id))
            }
            Value::Reg { id, ty: reg } if self.set_of_halves(site, ty, reg) => {
                Some(Operand::Reg(id))
            }
            Value::Discard if matches!(site.i.opcode.text, "atom" | "mbarrier") => {
                Some(Operand::Discard)
            }
            value @ Value::Reg { .. } => self.mismatch(site, ty, &value, operand.span),
            value => self.not_a_destination(site, ty, &value, operand.span),
        }
    }

    /// Before 13.5, `set` wrote its bf16 results to registers of other types too.
    fn set_of_halves(&self, site: &Site<'_, 'a>, ty: ScalarType, reg: ScalarType) -> bool {
        site.i.opcode.text == Opcode::Set.name()
            && self.cx.release < Ptxas::V13_5
            && match ty {
                ScalarType::Bf16 => reg.is_integer() && reg.bits() == 16,
                ScalarType::Bf16x2 => reg.bits() == 32,
                _ => false,
            }
    }

    /// ptxas takes predicates for rows of a matrix.
    fn miscompiled_predicate(&mut self, site: &Site<'_, 'a>, span: Span) {
        let message = format!("{} cannot use a predicate here", mnemonic(site.i));
        let diagnostic = Diagnostic::error("E0212", span, message).help("write a 32-bit register");
        self.cx.report_miscompiled(diagnostic);
    }

    pub(crate) fn not_a_destination<T>(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        value: &Value<'a>,
        span: Span,
    ) -> Option<T> {
        let name = mnemonic(site.i);
        self.report(
            Diagnostic::error(
                "E0218",
                span,
                format!("{name} cannot write to {}", value.describe()),
            )
            .help(format!("write {}", describe(ty))),
        );
        None
    }

    /// A source operand of exactly this width.
    pub(crate) fn source(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
    ) -> Option<Operand> {
        match self.value(operand)? {
            Value::Reg { id, ty: reg } if fits(ty, reg) => Some(Operand::Reg(id)),
            Value::NotReg(id) if ty == ScalarType::Pred => Some(Operand::NotReg(id)),
            value @ (Value::Reg { id, .. } | Value::NotReg(id))
                if matrix_of_predicates(site, &value) =>
            {
                self.miscompiled_predicate(site, operand.span);
                Some(Operand::Reg(id))
            }
            ref value @ Value::Const(Const::F64(_)) if no_constant(site) => {
                self.mismatch(site, ty, value, operand.span)
            }
            Value::Const(value) => self.immediate(site, ty, value, operand.span),
            Value::Special(..) | Value::SpecialVector(_) => self.no_special(site, operand.span),
            value if self.address_as_number(site, ty, operand, &value) => Some(Operand::Imm(0)),
            value => self.mismatch(site, ty, &value, operand.span),
        }
    }

    /// Reports a name with an offset, or of a function, where a number is wanted: ptxas takes the
    /// address, for `mov` alone on purpose.
    pub(crate) fn address_as_number(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
        value: &Value<'a>,
    ) -> bool {
        let whole = ty.is_integer() || ty.kind() == TypeKind::Bits;
        let taken = match value {
            Value::Function(_) => true,
            Value::Named { area, .. } => {
                whole
                    && matches!(operand.kind, OperandKind::Offset(..))
                    && !matches!(area, Area::Opaque(_))
                    && !is_macro(site)
            }
            _ => false,
        };
        if taken {
            let message = format!("{} cannot take {} here", mnemonic(site.i), value.describe());
            self.cx.report_miscompiled(
                Diagnostic::error("E0211", operand.span, message)
                    .help("copy the address into a register with mov first"),
            );
        }
        taken
    }

    fn no_special(&mut self, site: &Site<'_, 'a>, span: Span) -> Option<Operand> {
        let name = mnemonic(site.i);
        self.wrong(
            "E0215",
            span,
            format!("{name} cannot read a special register"),
            "copy it into a register with mov first",
        );
        None
    }

    /// A constant as an operand of this type.
    pub(crate) fn immediate(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        value: Const,
        span: Span,
    ) -> Option<Operand> {
        if value.overflows(ty) {
            self.report(
                Diagnostic::warning("W0102", span, format!("the constant does not fit .{ty}"))
                    .label(format!("only its low {} bits are used", ty.bits()))
                    .help("write the intended value"),
            );
        }
        let tiny = matches!(ty, ScalarType::E4m3x2 | ScalarType::E5m2x2) && value.is_int();
        match value.bits_for(ty) {
            Some(bits) => Some(Operand::Imm(bits)),
            None if tiny && self.cx.release < Ptxas::V12_9 => {
                Some(Operand::Imm(value.bits_for(ScalarType::B16)?))
            }
            None => {
                let name = mnemonic(site.i);
                let is = if value.is_int() { "an integer" } else { "a floating-point number" };
                let help = match ty.kind() {
                    TypeKind::Float if ty.bits() >= 32 => {
                        "write it with a decimal point, or as 0f... or 0d... bits"
                    }
                    TypeKind::Float | TypeKind::Packed => {
                        "put the constant into a register with mov first"
                    }
                    TypeKind::Bits => "write an integer, or 0f... for 32 and a double for 64 bits",
                    _ => "write an integer",
                };
                let message = format!("{name} cannot take {is} where a .{ty} is wanted");
                let bits = correct::float_bits(self.cx.source, span, ty);
                let help = match bits.filter(|_| value.is_int()) {
                    Some(bits) => {
                        format!("write it with a decimal point, or {bits} for these bits")
                    }
                    None => help.to_owned(),
                };
                let mut diagnostic = Diagnostic::error("E0214", span, message).help(help);
                if value.is_int() && matches!(ty, ScalarType::F32 | ScalarType::F64) {
                    diagnostic = correct::decimal_point(self.cx.source, span, diagnostic);
                }
                self.report(diagnostic);
                None
            }
        }
    }

    /// Reports an operand of the wrong kind, type or width.
    pub(crate) fn mismatch<T>(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        value: &Value<'a>,
        span: Span,
    ) -> Option<T> {
        let name = mnemonic(site.i);
        let diagnostic = match value {
            Value::Reg { ty: reg, .. } => Diagnostic::error(
                "E0212",
                span,
                format!("{name} cannot use a .{reg} register here"),
            )
            .label(format!("this must be {}", describe(ty)))
            .help(match (ty, reg) {
                (ScalarType::Pred, _) => "use a .pred register, such as setp writes".to_owned(),
                (_, ScalarType::Pred) => format!(
                    "use a {} register: selp makes a number of a predicate",
                    register_for(ty)
                ),
                _ => format!(
                    "declare the register {}, or convert it with cvt or mov.b{}",
                    register_for(ty),
                    ty.bits()
                ),
            }),
            other => Diagnostic::error(
                "E0211",
                span,
                format!("{name} cannot take {} here", other.describe()),
            )
            .help(format!("write {}", describe(ty))),
        };
        self.report(diagnostic);
        None
    }

    /// Data of ld, st and cvt: the register may be wider, and a vector if the row has one.
    fn data(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
        written: bool,
    ) -> Option<Operand> {
        let value = self.value(operand)?;
        let lanes = usize::from(site.mods.vector.max(1));
        let items = match value {
            Value::Vector(_) if site.i.opcode.text == Opcode::Cvt.name() => {
                return self.mismatch(site, ty, &value, operand.span);
            }
            Value::Vector(items) => items,
            Value::VectorReg { first, ty, lanes } if site.mods.vector > 0 => {
                lanes_of(first, ty, lanes, operand.span)
            }
            value if site.mods.vector == 0 => {
                let number = !written && (ty.is_integer() || ty.kind() == TypeKind::Bits);
                if number && self.address_as_number(site, ty, operand, &value) {
                    return Some(Operand::Imm(0));
                }
                return self.element(site, ty, value, operand.span, written);
            }
            value if site.i.opcode.text.ends_with("matrix") => {
                let message =
                    format!("{} needs a vector, not {}", mnemonic(site.i), value.describe());
                self.wrong("E0213", operand.span, message, "write the registers between { and }");
                return None;
            }
            value => vec![(value, operand.span)],
        };
        if items.len() != lanes {
            let name = mnemonic(site.i);
            self.wrong(
                "E0213",
                operand.span,
                format!("{name} moves {}, not {}", plural(lanes, "element"), items.len()),
                "write as many registers between { and } as .v2 or .v4 says",
            );
            return None;
        }
        if items.iter().all(|(v, _)| matches!(v, Value::Discard)) {
            let name = mnemonic(site.i);
            self.wrong(
                "E0211",
                operand.span,
                format!("{name} has no register for its result"),
                "write a register for one of the elements",
            );
            return None;
        }
        self.same_widths(site, &items)?;
        self.like_neighbours(site, &items)?;
        let plain = self.cx.options.ptxas_compat() && plain_bits(&items);
        // Of atomic operations, elements of single floats and halves alone.
        let taken = |reg: ScalarType| match exact(site.i) {
            true => reg.bits() == ty.bits() && matches!(ty, ScalarType::F16 | ScalarType::F32),
            false => reg.bits() >= ty.bits(),
        };
        let mut list: Vec<Operand> = Vec::with_capacity(items.len());
        for (value, span) in items {
            let discard = written && matches!(value, Value::Discard);
            list.push(match value {
                _ if discard => Operand::Discard,
                Value::Reg { id, ty: reg } if plain && taken(reg) => Operand::Reg(id),
                value => self.element(site, ty, value, span, written)?,
            });
        }
        if site.mods.vector == 0 { list.pop() } else { Some(Operand::Vector(list)) }
    }

    /// In a vector, no integer stands beside a float.
    fn like_neighbours(&mut self, site: &Site<'_, 'a>, items: &[(Value<'a>, Span)]) -> Option<()> {
        let float = |value: &Value<'_>| match value {
            Value::Reg { ty, .. } if ty.kind() == TypeKind::Float => Some(true),
            Value::Reg { ty, .. } if ty.is_integer() => Some(false),
            Value::Const(value) => Some(!value.is_int()),
            _ => None,
        };
        let unlike = items.windows(2).find(
            |pair| matches!((float(&pair[0].0), float(&pair[1].0)), (Some(a), Some(b)) if a != b),
        );
        let Some([_, (other, span)]) = unlike else { return Some(()) };
        let name = mnemonic(site.i);
        let message = format!("{name} cannot have {} beside its neighbour", other.describe());
        self.wrong("E0212", *span, message, "write a vector of integers or a vector of floats");
        None
    }

    /// The registers of a vector are of one width.
    fn same_widths(&mut self, site: &Site<'_, 'a>, items: &[(Value<'a>, Span)]) -> Option<()> {
        let mut widths = items.iter().filter_map(|(value, span)| match value {
            Value::Reg { ty, .. } => Some((*ty, *span)),
            _ => None,
        });
        let Some((first, _)) = widths.next() else { return Some(()) };
        let Some((other, span)) = widths.find(|(ty, _)| ty.bits() != first.bits()) else {
            return Some(());
        };
        let name = mnemonic(site.i);
        self.wrong(
            "E0212",
            span,
            format!("{name} cannot mix .{first} and .{other} registers in a vector"),
            "write registers of one width",
        );
        None
    }

    fn element(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        value: Value<'a>,
        span: Span,
        written: bool,
    ) -> Option<Operand> {
        let special = site.i.opcode.text == Opcode::Cvt.name()
            && !site.i.modifiers.iter().any(|m| m.text == "pack")
            && site.mods.ty().is_some_and(|to| to.is_integer());
        let fitting = if exact(site.i) { fits } else { fits_relaxed };
        match value {
            Value::Reg { id, ty: reg } if fitting(ty, reg) => Some(Operand::Reg(id)),
            Value::Reg { id, .. } if written && matrix_of_predicates(site, &value) => {
                self.miscompiled_predicate(site, span);
                Some(Operand::Reg(id))
            }
            Value::Reg { .. } => self.mismatch(site, ty, &value, span),
            _ if written => self.not_a_destination(site, ty, &value, span),
            Value::Const(_) if site.i.opcode.text == Opcode::Stmatrix.name() => {
                self.mismatch(site, ty, &value, span)
            }
            Value::Const(value) => self.immediate(site, ty, value, span),
            Value::Special(s, component)
                if special && s.types.iter().any(|t| fits_relaxed(ty, *t)) =>
            {
                Some(s.operand(component))
            }
            Value::Special(..) | Value::SpecialVector(_) => self.no_special(site, span),
            value => self.mismatch(site, ty, &value, span),
        }
    }

    fn only_constant(
        &mut self,
        site: &Site<'_, 'a>,
        ty: ScalarType,
        operand: &ast::Operand<'a>,
    ) -> Option<Operand> {
        match self.value(operand)? {
            Value::Const(value) if value.is_int() => self.immediate(site, ty, value, operand.span),
            value => {
                let name = mnemonic(site.i);
                self.wrong(
                    "E0214",
                    operand.span,
                    format!("{name} needs an integer constant here, not {}", value.describe()),
                    "write a number",
                );
                None
            }
        }
    }
}

/// Whether a predicate stands where a row of a matrix does, in an instruction that ptxas takes so.
fn matrix_of_predicates(site: &Site, value: &Value) -> bool {
    matches!(site.i.opcode.text, "movmatrix" | "ldmatrix")
        && matches!(value, Value::Reg { ty: ScalarType::Pred, .. } | Value::NotReg(_))
}

/// Whether the elements of vectors are of exactly the width of their type.
fn exact(i: &ast::Instruction) -> bool {
    matches!(i.opcode.text, "atom" | "red" | "ldmatrix" | "stmatrix")
}

/// `cvt.rna` is a macro that moves its source as 32 bits: a double is none.
fn no_constant(site: &Site<'_, '_>) -> bool {
    site.i.opcode.text == Opcode::Cvt.name() && site.i.modifiers.iter().any(|w| w.text == "rna")
}

/// Whether ptxas expands the instruction to others before it reads operands: those cannot be sums with a name.
fn is_macro(site: &Site<'_, '_>) -> bool {
    let first = site.i.modifiers.first().map_or("", |word| word.text);
    match site.i.opcode.text {
        "shfl" | "vote" | "redux" => first == "sync",
        "match" => true,
        "bar" => first == "warp",
        _ => false,
    }
}

/// Whether a vector has no type: the assembler knows one only of vectors of floats.
pub(crate) fn plain_bits(items: &[(Value<'_>, Span)]) -> bool {
    let number = |ty: ScalarType| ty.is_integer() || ty.kind() == TypeKind::Bits;
    items.iter().any(|(value, _)| matches!(value, Value::Reg { ty, .. } if number(*ty)))
        && !items.iter().any(
            |(value, _)| matches!(value, Value::Reg { ty, .. } if ty.kind() == TypeKind::Predicate),
        )
}

/// A vector register as its elements.
pub(crate) fn lanes_of<'a>(
    first: RegId,
    ty: ScalarType,
    lanes: u8,
    span: Span,
) -> Vec<(Value<'a>, Span)> {
    (0..u32::from(lanes)).map(|n| (Value::Reg { id: RegId(first.0 + n), ty }, span)).collect()
}

/// The space that an area lies in, spelled as in PTX.
pub(crate) fn area_name(area: Area) -> &'static str {
    match area {
        Area::Global => ".global",
        Area::Const => ".const",
        Area::Shared => ".shared",
        Area::Local => ".local",
        Area::Param | Area::CallParam => ".param",
        Area::Opaque(_) => "opaque",
    }
}
