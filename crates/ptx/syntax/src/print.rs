//! The printer: writes a syntax tree as PTX in a canonical form.
//!
//! Parsing the output gives the same tree, except for positions. Comments and the notation of
//! numbers (hexadecimal, octal) are not kept; directives that are kept as text are unchanged.

use std::fmt::{self, Display, Formatter, Write};

use crate::ast::*;
use crate::parser::symbol_and_precedence;

/// Prints a list of items with a separator between them.
struct Separated<'t, T>(&'t [T], &'static str);

impl<T: Display> Display for Separated<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(self.1)?;
            }
            item.fmt(f)?;
        }
        Ok(())
    }
}

fn commas<T>(items: &[T]) -> Separated<'_, T> {
    Separated(items, ", ")
}

impl Display for Ident<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

impl Display for Module<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for item in &self.items {
            match item {
                Item::Version(v) => writeln!(f, ".version {}.{}", v.major, v.minor)?,
                Item::Target(t) => writeln!(f, ".target {}", commas(&t.options))?,
                Item::AddressSize(a) => writeln!(f, ".address_size {}", a.bits)?,
                Item::Variable(v) => writeln!(f, "{v};")?,
                Item::Function(function) => writeln!(f, "\n{function}")?,
                Item::Alias(a) => writeln!(f, ".alias {}, {};", a.alias, a.aliasee)?,
                Item::Directive(d) => writeln!(f, "{d}")?,
            }
        }
        Ok(())
    }
}

impl Display for Directive<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let end = if self.name.text == "pragma" { ";" } else { "" };
        let dot = if self.name.text.starts_with('@') { "" } else { "." };
        write!(f, "{dot}{} {}{end}", self.name, self.text)
    }
}

fn attributes(f: &mut Formatter<'_>, attributes: &[Ident<'_>]) -> fmt::Result {
    match attributes {
        [] => Ok(()),
        _ => write!(f, ".attribute(.{}) ", Separated(attributes, ", .")),
    }
}

/// Prints the declaration without its `;`.
impl Display for Variable<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some((linkage, _)) = self.linkage {
            write!(f, ".{linkage} ")?;
        }
        write!(f, ".{} ", self.space)?;
        attributes(f, &self.attributes)?;
        if let Some((align, _)) = self.align {
            write!(f, ".align {align} ")?;
        }
        if self.vector > 1 {
            write!(f, ".v{} ", self.vector)?;
        }
        write!(f, ".{} ", self.ty)?;
        if let Some(ptr) = &self.ptr {
            f.write_str(".ptr ")?;
            if let Some(space) = ptr.space {
                write!(f, ".{space} ")?;
            }
            if let Some(opaque) = ptr.opaque {
                write!(f, ".{opaque} ")?;
            }
            if let Some(align) = ptr.align {
                write!(f, ".align {align} ")?;
            }
        }
        f.write_str(if self.name.text.is_empty() { "_" } else { self.name.text })?;
        if let Some((count, _)) = self.count {
            write!(f, "<{count}>")?;
        }
        for dimension in &self.dimensions {
            match dimension {
                Some(length) => write!(f, "[{length}]")?,
                None => f.write_str("[]")?,
            }
        }
        match &self.initializer {
            Some(initializer) => write!(f, " = {initializer}"),
            None => Ok(()),
        }
    }
}

impl Display for Initializer<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Initializer::Value(value) => value.fmt(f),
            Initializer::List(list, _) => write!(f, "{{{}}}", commas(list)),
            Initializer::Fields(fields, _) => {
                f.write_char('{')?;
                for (i, (name, value)) in fields.iter().enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    write!(f, "{comma}{name} = ")?;
                    match value {
                        FieldValue::Word(word) => word.fmt(f)?,
                        FieldValue::Number(number) => number.fmt(f)?,
                    }
                }
                f.write_char('}')
            }
        }
    }
}

impl Display for InitialValue<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.mask {
            Some(mask) => write!(f, "{mask:#x}({})", self.whole),
            None => self.whole.fmt(f),
        }
    }
}

impl Display for WholeValue<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            WholeValue::Number(number) => number.fmt(f),
            WholeValue::Address { generic, name, offset } => {
                match generic {
                    true => write!(f, "generic({name})")?,
                    false => name.fmt(f)?,
                }
                offset.as_ref().map_or(Ok(()), |offset| write!(f, "+{offset}"))
            }
        }
    }
}

impl Display for Function<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some((linkage, _)) = self.linkage {
            write!(f, ".{linkage} ")?;
        }
        f.write_str(if self.is_entry { ".entry " } else { ".func " })?;
        attributes(f, &self.attributes)?;
        if !self.returns.is_empty() {
            write!(f, "({}) ", commas(&self.returns))?;
        }
        write!(f, "{}({})", self.name, commas(&self.params))?;
        for directive in &self.directives {
            write!(f, "\n{directive}")?;
        }
        match &self.body {
            Some(body) => {
                f.write_char('\n')?;
                block(f, body, 0)
            }
            None => f.write_char(';'),
        }
    }
}

impl Display for PerformanceDirective<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.name)?;
        if !self.values.is_empty() {
            write!(f, " {}", commas(&self.values))?;
        }
        if !self.strings.is_empty() {
            write!(f, " \"{}\";", Separated(&self.strings, "\", \""))?;
        }
        Ok(())
    }
}

impl Display for Block<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        block(f, self, 0)
    }
}

fn indent(f: &mut Formatter<'_>, depth: usize) -> fmt::Result {
    (0..depth).try_for_each(|_| f.write_char('\t'))
}

fn block(f: &mut Formatter<'_>, block: &Block<'_>, depth: usize) -> fmt::Result {
    indent(f, depth)?;
    f.write_str("{\n")?;
    for item in &block.statements {
        statement(f, item, depth + 1)?;
    }
    indent(f, depth)?;
    f.write_char('}')
}

fn statement(f: &mut Formatter<'_>, statement: &Statement<'_>, depth: usize) -> fmt::Result {
    if !matches!(statement, Statement::Label(_) | Statement::Block(_)) {
        indent(f, depth)?;
    }
    match statement {
        Statement::Label(label) => writeln!(f, "{label}:"),
        Statement::Block(inner) => {
            block(f, inner, depth)?;
            f.write_char('\n')
        }
        Statement::Instruction(instruction) => writeln!(f, "{instruction}"),
        Statement::Variable(variable) => writeln!(f, "{variable};"),
        Statement::BranchTargets(table) => targets(f, "branchtargets", table),
        Statement::CallTargets(table) => targets(f, "calltargets", table),
        Statement::CallPrototype(prototype) => writeln!(f, "{prototype}"),
        Statement::Directive(directive) => writeln!(f, "{directive}"),
    }
}

fn targets(f: &mut Formatter<'_>, word: &str, table: &BranchTargets<'_>) -> fmt::Result {
    write!(f, "{}: .{word} ", table.label)?;
    for (i, (name, count)) in table.targets.iter().enumerate() {
        write!(f, "{}{name}", if i > 0 { ", " } else { "" })?;
        if let Some(count) = count {
            write!(f, "<{count}>")?;
        }
    }
    f.write_str(";\n")
}

impl Display for CallPrototype<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: .callprototype ", self.label)?;
        if !self.returns.is_empty() {
            write!(f, "({}) ", commas(&self.returns))?;
        }
        write!(f, "_ ({})", commas(&self.params))?;
        for directive in &self.directives {
            write!(f, " {directive}")?;
        }
        f.write_char(';')
    }
}

impl Display for Guard<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "@{}{}", if self.negated { "!" } else { "" }, self.register)
    }
}

impl Display for Instruction<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(guard) = &self.guard {
            write!(f, "{guard} ")?;
        }
        write!(f, "{}", self.opcode)?;
        for modifier in &self.modifiers {
            write!(f, ".{modifier}")?;
        }
        if !self.operands.is_empty() {
            write!(f, " {}", commas(&self.operands))?;
        }
        f.write_char(';')
    }
}

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            OperandKind::Name { name, component: None } => name.fmt(f),
            OperandKind::Name { name, component: Some(component) } => {
                write!(f, "{name}.{component}")
            }
            OperandKind::Constant(value) => value.fmt(f),
            OperandKind::Offset(name, offset) => write!(f, "{name}+{offset}"),
            OperandKind::Index(name, index) => write!(f, "{name}[{index}]"),
            OperandKind::Not(name) => write!(f, "!{name}"),
            OperandKind::Negated(name) => write!(f, "-{name}"),
            OperandKind::Discard => f.write_char('_'),
            OperandKind::Vector(elements) => write!(f, "{{{}}}", commas(elements)),
            OperandKind::Pair(first, second) => write!(f, "{first}|{second}"),
            OperandKind::Address(Address { base, offset: None }) => write!(f, "[{base}]"),
            // A constant base has no offset: the parser takes `+` as part of the base.
            OperandKind::Address(Address { base, offset: Some(offset) }) => {
                write!(f, "[{base}+{offset}]")
            }
            OperandKind::Bracket(operands) => write!(f, "[{}]", commas(operands)),
            OperandKind::List(operands) => write!(f, "({})", commas(operands)),
        }
    }
}

/// Precedence of `?:`, lower than all binary operators.
const CONDITIONAL: u8 = 0;
/// Precedence of unary operators and casts, higher than all binary operators.
const UNARY: u8 = 11;

impl Display for Subscript<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Subscript::Constant(value) => value.fmt(f),
            Subscript::Register(register, None) => register.fmt(f),
            Subscript::Register(register, Some(offset)) => write!(f, "{register}+{offset}"),
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        expression(f, self, CONDITIONAL)
    }
}

/// The precedence of an expression's operator; the highest if the expression has none.
fn strength(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Conditional(..) => CONDITIONAL,
        ExprKind::Binary(op, ..) => symbol_and_precedence(*op).1,
        ExprKind::Unary(..) | ExprKind::Cast(..) => UNARY,
        // A literal `0f...` must be in parentheses next to operators.
        ExprKind::F32(_) => CONDITIONAL,
        _ => u8::MAX,
    }
}

/// Prints `expr`, in parentheses if its precedence is below `least`.
fn expression(f: &mut Formatter<'_>, expr: &Expr, least: u8) -> fmt::Result {
    if strength(expr) < least {
        f.write_char('(')?;
        expression(f, expr, CONDITIONAL)?;
        return f.write_char(')');
    }
    match &expr.kind {
        ExprKind::Integer { value, unsigned } => {
            // A number above `i64::MAX` is unsigned even without the suffix `U`.
            let suffix = if *unsigned && *value <= i64::MAX as u64 { "U" } else { "" };
            write!(f, "{value}{suffix}")
        }
        ExprKind::F32(bits) => write!(f, "0f{bits:08x}"),
        ExprKind::F64(bits) => write!(f, "0d{bits:016x}"),
        ExprKind::WarpSize => f.write_str("WARP_SZ"),
        ExprKind::Unary(op, operand) => {
            f.write_char(match op {
                UnaryOp::Plus => '+',
                UnaryOp::Minus => '-',
                UnaryOp::Not => '!',
                UnaryOp::BitNot => '~',
            })?;
            expression(f, operand, UNARY)
        }
        ExprKind::Cast(unsigned, operand) => {
            f.write_str(if *unsigned { "(.u64)" } else { "(.s64)" })?;
            expression(f, operand, UNARY)
        }
        ExprKind::Binary(op, left, right) => {
            let (symbol, own) = symbol_and_precedence(*op);
            expression(f, left, own)?;
            write!(f, " {symbol} ")?;
            expression(f, right, own + 1)
        }
        ExprKind::Conditional(condition, yes, no) => {
            expression(f, condition, CONDITIONAL + 1)?;
            f.write_str(" ? ")?;
            expression(f, yes, CONDITIONAL)?;
            f.write_str(" : ")?;
            expression(f, no, CONDITIONAL)
        }
    }
}
