//! Operand accesses and control flow of checked instructions, for the analyses of crate `flow`.

use super::{Base, Function, Instruction, LabelId, Module, Operand, Operands, RegId};
use texunit_flow::{Access, Code, Control};
use texunit_isa::{MatchMode, Opcode};

/// The code of a function, for the analyses of crate `flow`. An instruction is identified by its
/// index in the body, a register by its index in [`Function::regs`].
#[derive(Clone, Copy, Debug)]
pub struct BodyCode<'a> {
    /// The function whose code this is.
    pub function: &'a Function,
    /// The instructions of the function; empty for a prototype.
    pub body: &'a [Instruction],
    /// The module with the called functions: a call of a function that is declared `.noreturn`
    /// leaves the function. Without a module, all calls return.
    pub module: Option<&'a Module>,
}

impl<'a> BodyCode<'a> {
    /// The code of a function, assuming that all calls return.
    pub fn new(function: &'a Function) -> Self {
        Self { function, body: function.body.as_deref().unwrap_or_default(), module: None }
    }
}

impl Code for BodyCode<'_> {
    fn instructions(&self) -> usize {
        self.body.len()
    }

    fn registers(&self) -> usize {
        self.function.regs.len()
    }

    fn control(&self, inst: usize, target: &mut dyn FnMut(usize)) -> Control {
        let i = &self.body[inst];
        let exit = self.body.len();
        let mut to = |label: &LabelId| {
            target(self.function.labels.get(label.0 as usize).map_or(exit, |label| label.1));
        };
        match (i.opcode, i.operands.as_slice()) {
            (Opcode::Bra, [Operand::Label(label), ..]) => to(label),
            (Opcode::Brx, [_, Operand::Targets(labels), ..]) => labels.iter().for_each(to),
            (Opcode::Bra | Opcode::Brx | Opcode::Ret | Opcode::Exit | Opcode::Trap, _) => {
                target(exit)
            }
            _ if self.module.is_some_and(|module| i.never_returns(module)) => target(exit),
            _ => return Control::Next,
        }
        if i.guard.is_some() { Control::Branch } else { Control::Jump }
    }

    /// Calls `f` for each accessed register; false if the operand accesses are not known.
    fn operands(&self, inst: usize, f: &mut dyn FnMut(u32, Access)) -> bool {
        self.body[inst].each_operand(f)
    }

    fn is_guarded(&self, inst: usize) -> bool {
        self.body[inst].guard.is_some()
    }

    fn results(&self, f: &mut dyn FnMut(u32)) {
        for RegId(first) in self.function.returns.iter().filter_map(|param| param.reg) {
            let vector = self.function.regs.get(first as usize).map_or(1, |reg| reg.vector.max(1));
            (first..first + u32::from(vector)).for_each(&mut *f);
        }
    }
}

impl Operand {
    /// The elements of a vector operand; another operand is a single element.
    pub fn elements(&self) -> &[Self] {
        match self {
            Self::Vector(elements) => elements,
            one => std::slice::from_ref(one),
        }
    }

    /// Calls `f` with each register in the operand.
    pub fn each_register(&self, f: &mut dyn FnMut(RegId)) {
        match self {
            Self::Reg(reg) | Self::NotReg(reg) => f(*reg),
            Self::Address(Base::Reg(reg), _)
            | Self::Handle(Base::Reg(reg))
            | Self::AddressOf(Base::Reg(reg), _) => f(*reg),
            Self::Element(element) => element.index.each_register(f),
            Self::Vector(list) | Self::Args(list) => list.iter().for_each(|o| o.each_register(f)),
            _ => {}
        }
    }
}

impl Instruction {
    /// Implements [`Code::operands`]; not generic, so that it is compiled only once.
    fn each_operand(&self, f: &mut dyn FnMut(u32, Access)) -> bool {
        if let Some(guard) = self.guard {
            f(guard.reg.0, Access::Use);
        }
        let written = self.destinations();
        if let Operands::Listed(list) = &self.operands {
            let (writes, reads) = list.split_at(written.min(list.len()));
            // `xor %r1, %r2, %r2` gives 0 whatever the value of `%r2`, which may be unwritten.
            let makes_zero = matches!(self.opcode, Opcode::Xor | Opcode::Sub)
                && !self.mods.types.iter().any(|ty| ty.is_float())
                && matches!(reads, [a, b] if a == b);
            let reads = if makes_zero { &[] } else { reads };
            reads.iter().for_each(|o| o.each_register(&mut |reg| f(reg.0, Access::Use)));
            writes.iter().for_each(|o| o.each_register(&mut |reg| f(reg.0, Access::Def)));
            return self.is_known();
        }
        // Padding elements are read, but their values are not used.
        let padding = self.operands.padding();
        let matters = |operand: &&Operand| !padding.iter().any(|p| std::ptr::eq(p, *operand));
        for operand in self.operands.read(written).filter(matters) {
            operand.each_register(&mut |reg| f(reg.0, Access::Use));
        }
        for operand in self.operands.written(written) {
            operand.each_register(&mut |reg| f(reg.0, Access::Def));
        }
        self.is_known()
    }

    /// Number of destinations at the beginning of the operand list.
    #[rustfmt::skip]
    pub fn destinations(&self) -> usize {
        use Opcode::*;
        match self.opcode {
            St | Red | Sust | Sured | Bra | Brx | Ret | Exit | Trap | Brkpt | Membar | Fence | Nanosleep
            | Pmevent | Prefetch | Prefetchu | Discard | Applypriority | Stmatrix => 0,
            Wmma if self.mods.acts("store") => 0,
            Bar | Barrier => usize::from(self.mods.red),
            Setp | Shfl => 2,
            Match if self.mods.matching == Some(MatchMode::All) => 2,
            Lop3 if self.mods.bool_op.is_some() => 2,
            _ => 1,
        }
    }

    /// Whether the checker knows all operand accesses of the instruction.
    #[rustfmt::skip]
    pub fn is_known(&self) -> bool {
        use Opcode::*;
        match self.opcode {
            Bra | Brx | Membar | Fence | Exit | Ret | Trap | Brkpt | Nanosleep | Pmevent | Bar | Barrier => true,
            St | Red | Sust | Sured | Prefetch | Prefetchu | Discard | Applypriority | Call | Abs | Add | Addc
            | And | Bfe | Bfi | Bfind | Bmsk | Brev | Clz | Cnot | Copysign | Cos | Cvt | Div | Dp2a | Dp4a | Ex2
            | Fma | Fns | Lg2 | Lop3 | Mad | Mad24 | Madc | Max | Min | Mov | Mul | Mul24 | Neg | Not | Or | Popc
            | Prmt | Rcp | Rem | Rsqrt | Sad | Selp | Set | Setp | Shf | Shl | Shr | Sin | Slct | Sqrt | Sub
            | Subc | Szext | Tanh | Testp | Xor | Atom | Cvta | Isspacep | Ld | Ldu | Activemask | Match | Redux
            | Shfl | Vote | Istypep | Suld | Suq | Tex | Tld4 | Txq => !self.operands.is_empty(),
            _ => false,
        }
    }

    /// Whether the instruction calls a function that is declared `.noreturn`.
    pub fn never_returns(&self, module: &Module) -> bool {
        let callee = self.operands.get(1).filter(|_| self.opcode == Opcode::Call);
        let Some(Operand::Function(id)) = callee else { return false };
        let function = &module.functions[id.0 as usize];
        function.directives.iter().any(|d| d.0 == "noreturn") || function.name == "__assertfail"
    }
}
