//! Text output of typed functions, for inspection.

use super::{Base, Function, Instruction, LabelId, Lod, Module, Operand, Operands, Param, RegId};
use std::fmt::Write;
use texunit_syntax::SourceFile;

/// Prints a function: parameters with their offsets, then numbered instructions with opcodes and
/// modifiers as in the source, and resolved operands. The type of a register is printed where an
/// instruction first names it.
pub fn text(module: &Module, function: &Function, source: &SourceFile) -> String {
    let kind = if function.is_entry { "kernel" } else { "function" };
    let mut text = format!("{kind} {}\n", function.name);
    for (word, params) in [("return", &function.returns), ("param", &function.params)] {
        for Param { name, ty, size, align, offset, .. } in params {
            let ty = ty.name();
            let _ = writeln!(text, "  {word} {name}: {ty}, {size} B at {offset}, align {align}");
        }
    }
    for of in &function.frame {
        let space = if of.is_param { "param" } else { "local" };
        let (name, ty, size) = (&of.name, of.ty.name(), of.size);
        let _ = writeln!(text, "  {space} {name}: {ty}, {size} B, align {}", of.align);
    }
    let mut printer = Printer { module, function, named: vec![false; function.regs.len()] };
    for (i, inst) in function.body.iter().flatten().enumerate() {
        for (name, _) in function.labels.iter().filter(|label| label.1 == i) {
            let _ = writeln!(text, "{name}:");
        }
        let _ = writeln!(text, "  {i:>3}: {}", printer.instruction(inst, source));
    }
    text
}

struct Printer<'a> {
    module: &'a Module,
    function: &'a Function,
    /// For each register, whether its type has been printed.
    named: Vec<bool>,
}

impl Printer<'_> {
    fn instruction(&mut self, inst: &Instruction, source: &SourceFile) -> String {
        let mut text = String::new();
        if let Some(guard) = inst.guard {
            let not = if guard.negated { "!" } else { "" };
            let _ = write!(text, "@{not}{} ", self.register(guard.reg));
        }
        let words = source.snippet(inst.span);
        let words = match words.strip_prefix('@') {
            Some(guarded) => guarded.split_once(char::is_whitespace).map_or("", |of| of.1),
            None => words,
        };
        let end = words.trim_start().find(|c: char| c.is_whitespace() || c == ';');
        text += &words.trim_start()[..end.unwrap_or(words.trim_start().len())];
        let operands: Vec<String> = match &inst.operands {
            Operands::Listed(list) => list.iter().map(|of| self.operand(of)).collect(),
            Operands::Fetch(fetch) => {
                let mut all = vec![self.list(&fetch.destination)];
                let texture = [Some(&fetch.texture), fetch.sampler.as_ref()];
                all.extend(texture.into_iter().flatten().map(|of| self.operand(of)));
                let coords: Vec<_> = fetch.coords.into_iter().flatten().cloned().collect();
                all.push(format!("at {}", self.list(&coords)));
                match &fetch.lod {
                    Lod::Implicit | Lod::Base => {}
                    Lod::Level(level) => all.push(format!("level {}", self.operand(level))),
                    Lod::Gradient { dx, dy } => {
                        all.push(format!("dx {}", self.list(dx)));
                        all.push(format!("dy {}", self.list(dy)));
                    }
                }
                all.extend(fetch.offset.iter().map(|of| format!("offset {}", self.list(of))));
                all.extend(fetch.compare.iter().map(|of| format!("compare {}", self.operand(of))));
                all.extend(
                    fetch.resident.iter().map(|of| format!("resident {}", self.operand(of))),
                );
                all
            }
            Operands::Surface(access) => {
                let coords: Vec<_> = access.coords.into_iter().flatten().cloned().collect();
                let at = format!("at {}", self.list(&coords));
                let lists = [&access.destination, &access.source];
                let lists = lists.map(|of| (!of.is_empty()).then(|| self.list(of)));
                let [to, from] = lists;
                [to, Some(self.operand(&access.surface)), Some(at), from]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            Operands::Query(query) => {
                let all = [Some(&query.destination), Some(&query.handle), query.level.as_ref()];
                all.into_iter().flatten().map(|of| self.operand(of)).collect()
            }
        };
        if !operands.is_empty() {
            let _ = write!(text, " {}", operands.join(", "));
        }
        text
    }

    fn register(&mut self, id: RegId) -> String {
        let Some(reg) = self.function.regs.get(id.0 as usize) else { return "?".to_owned() };
        match self.named.get_mut(id.0 as usize).map(|named| std::mem::replace(named, true)) {
            Some(false) => format!("{}:{}", reg.name, reg.ty.name()),
            _ => reg.name.clone(),
        }
    }

    fn joined(&mut self, operands: &[Operand]) -> String {
        operands.iter().map(|of| self.operand(of)).collect::<Vec<_>>().join(", ")
    }

    fn list(&mut self, operands: &[Operand]) -> String {
        format!("{{{}}}", self.joined(operands))
    }

    fn label(&self, id: LabelId) -> String {
        self.function.labels.get(id.0 as usize).map_or("?", |label| &label.0).to_owned()
    }

    fn base(&mut self, base: Base) -> String {
        let name = match base {
            Base::Reg(id) => return self.register(id),
            Base::Variable(id) => self.module.variables.get(id.0 as usize).map(|of| &of.name),
            Base::Param(id) => self.function.params.get(id.0 as usize).map(|of| &of.name),
            Base::Return(id) => self.function.returns.get(id.0 as usize).map(|of| &of.name),
            Base::Frame(id) => self.function.frame.get(id.0 as usize).map(|of| &of.name),
            Base::Absolute => return "0".to_owned(),
        };
        name.map_or("?", String::as_str).to_owned()
    }

    fn operand(&mut self, operand: &Operand) -> String {
        let function = |id: usize| self.module.functions.get(id).map_or("?", |of| &of.name);
        match operand {
            Operand::Reg(id) => self.register(*id),
            Operand::NotReg(id) => format!("!{}", self.register(*id)),
            Operand::Imm(bits) if *bits < 4096 => bits.to_string(),
            Operand::Imm(bits) => format!("{bits:#x}"),
            Operand::Special(reg, component) => {
                let component = ["x", "y", "z", "w"].get(usize::from(*component)).unwrap_or(&"?");
                format!("%{reg:?}.{component}").to_lowercase()
            }
            Operand::EnvReg(number) => format!("%envreg{number}"),
            Operand::ZeroCounter => "0".to_owned(),
            Operand::AddressOf(base, offset) => format!("&{}{}", self.base(*base), plus(*offset)),
            Operand::Function(id) => function(id.0 as usize).to_owned(),
            Operand::Label(id) => self.label(*id),
            Operand::Targets(ids) => {
                let all: Vec<_> = ids.iter().map(|id| self.label(*id)).collect();
                format!("[{}]", all.join(", "))
            }
            Operand::Vector(all) => self.list(all),
            Operand::Discard => "_".to_owned(),
            Operand::Address(base, offset) => format!("[{}{}]", self.base(*base), plus(*offset)),
            Operand::Element(element) => {
                let (base, index) = (self.base(element.base), self.operand(&element.index));
                format!("{base}[{index}{}] of {} B", plus(element.offset), element.size)
            }
            Operand::Handle(base) => format!("handle {}", self.base(*base)),
            Operand::Args(all) => format!("({})", self.joined(all)),
            Operand::FrameVar(id) => self.base(Base::Frame(*id)),
            Operand::Prototype(of) => {
                let sizes = |all: &[(texunit_isa::ScalarType, u32)]| {
                    all.iter().map(|of| format!("{} B", of.1)).collect::<Vec<_>>().join(", ")
                };
                format!("({}) -> ({})", sizes(&of.params), sizes(&of.returns))
            }
        }
    }
}

fn plus(offset: i64) -> String {
    if offset == 0 {
        String::new()
    } else {
        format!(" {} {}", if offset < 0 { '-' } else { '+' }, offset.unsigned_abs())
    }
}
