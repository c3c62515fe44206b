//! Lowers calls, and loads and stores of `.reg` parameters and results at the start and end of
//! functions.

use super::builder::{Builder, layout};
use crate::code::{Access, BuiltinCall, Call, Callee, Located, MemSpace, Op, Passed, Slot, Value};
use crate::runtime::{Function, Named};
use texunit_check::ir::{Base, FuncId, Instruction, Operand, Param, Prototype};

impl<'a> Builder<'a> {
    /// Loads `.reg` parameters from the call frame, where the caller has stored them.
    pub(super) fn prologue(&mut self) {
        // The stack of a function that uses `alloca` is empty at its start.
        if let Some(at) = self.stack_at {
            let access = Access::of_frame(at, 4, self.constant(0, false));
            self.helper(Op::Store(Box::new(access)));
        }
        let function = self.function;
        if function.is_entry {
            return;
        }
        for (i, param) in function.params.iter().enumerate() {
            let access = self.register_param(param, self.params_at[i]);
            access.into_iter().for_each(|access| self.helper(Op::Load(access)));
        }
    }

    /// Stores `.reg` results in the call frame for the caller.
    pub(super) fn epilogue(&mut self) {
        let function = self.function;
        for (i, param) in function.returns.iter().enumerate() {
            let access = self.register_param(param, self.returns_at[i]);
            access.into_iter().for_each(|access| self.helper(Op::Store(access)));
        }
    }

    fn register_param(&mut self, param: &Param, at: u32) -> Option<Box<Access>> {
        let slot = self.register(param.reg?);
        let plain = matches!(param.size, 1 | 2 | 4 | 8) && !slot.is_predicate() && !slot.is_none();
        plain.then(|| Box::new(Access::of_frame(at, param.size as u8, slot)))
    }

    pub(super) fn call(&mut self, inst: &'a Instruction) -> Option<()> {
        let [Operand::Args(results), target, Operand::Args(arguments), rest @ ..] =
            &inst.operands[..]
        else {
            return None;
        };
        let results = self.values(results)?;
        let arguments = self.values(arguments)?;
        match target {
            Operand::Function(f) => self.direct(*f, results, arguments),
            Operand::Reg(r) => {
                let address = self.register(*r);
                self.needs.indirect = true;
                let Some(Operand::Prototype(p)) = rest.first() else { return None };
                let callee = Callee::Indirect { address, reconverge: 0 };
                self.emit_call(callee, shape_of(p), results, arguments)
            }
            _ => None,
        }
    }

    fn values(&mut self, operands: &'a [Operand]) -> Option<Vec<Value>> {
        operands
            .iter()
            .map(|operand| {
                Some(match operand {
                    Operand::FrameVar(v) => Value::Frame(self.frame_offset(Base::Frame(*v))?),
                    Operand::Discard => Value::Register(Slot::NONE),
                    Operand::Reg(r) => Value::Register(self.register(*r)),
                    other => Value::Register(self.source(other, true)?),
                })
            })
            .collect()
    }

    /// Loads a parameter of the kernel into a temporary.
    pub(super) fn kernel_param(&mut self, p: texunit_check::ir::ParamId) -> Option<Slot> {
        let param = self.function.params.get(p.0 as usize)?;
        let size = u8::try_from(param.size).ok().filter(|s| matches!(s, 1 | 2 | 4 | 8))?;
        let (offset, d) = (u64::from(param.offset), self.wide.temporary());
        let at = Located { mem_space: MemSpace::KernelParam, base: Slot::NONE, offset };
        self.helper(Op::Load(Box::new(Access::new(at, size, vec![d]))));
        Some(d)
    }

    fn direct(&mut self, f: FuncId, results: Vec<Value>, arguments: Vec<Value>) -> Option<()> {
        let at = FuncId(self.input.resolve_alias(f.0));
        let function = self.input.module.functions.get(at.0 as usize)?;
        if function.body.is_none() {
            return self.builtin(&function.name, results, arguments);
        }
        if function.is_entry {
            return None;
        }
        self.needs.functions.push(at);
        let sizes = |params: &[Param]| params.iter().map(|p| p.size).collect();
        let shape = (sizes(&function.returns), sizes(&function.params));
        self.emit_call(Callee::Direct(at.0), shape, results, arguments)
    }

    fn emit_call(
        &mut self,
        callee: Callee,
        shape: (Vec<u32>, Vec<u32>),
        results: Vec<Value>,
        arguments: Vec<Value>,
    ) -> Option<()> {
        if results.len() != shape.0.len() || arguments.len() != shape.1.len() {
            return None;
        }
        let (returns_at, end) = layout(shape.0.iter().map(|&size| (size, 16)), 0);
        let (params_at, _) = layout(shape.1.iter().map(|&size| (size, 16)), end);
        let passed = |values: Vec<Value>, at: Vec<u32>, sizes: &[u32]| -> Vec<Passed> {
            let all = values.into_iter().zip(at).zip(sizes);
            all.map(|((value, offset), &size)| Passed { value, offset, size, shadow: Slot::NONE })
                .collect()
        };
        let results = passed(results, returns_at, &shape.0);
        let arguments = passed(arguments, params_at, &shape.1);
        let too_big = |p: &Passed| match p.value {
            Value::Register(slot) => p.size > 8 || (!slot.is_none() && slot.is_predicate()),
            Value::Frame(_) => false,
        };
        if results.iter().chain(&arguments).any(too_big) {
            return None;
        }
        let call = Call { callee, arguments, results, shape };
        self.unguarded(|b| b.emit(Op::Call(Box::new(call))))
    }

    /// Lowers a call of a built-in function.
    fn builtin(&mut self, name: &str, results: Vec<Value>, arguments: Vec<Value>) -> Option<()> {
        let named = Named::of(name)?;
        let fits = |(value, &size): (&Value, &u8)| match value {
            Value::Frame(_) => true,
            Value::Register(slot) => size <= 8 && !slot.is_none() && !slot.is_predicate(),
        };
        if arguments.len() != named.sizes.len() || !arguments.iter().zip(named.sizes).all(fits) {
            return None;
        }
        let function = named.function;
        self.needs.prints |= function == Function::Printf;
        self.needs.runtime |= function.is_runtime();
        // Parameter buffers of device launches are allocated in the device heap.
        self.needs.heap |= !function.reads_text();
        self.needs.allocates |=
            function.is_heap() || matches!(function, Function::Malloc | Function::Free);
        let result = results.first().copied();
        self.emit(Op::Builtin(Box::new(BuiltinCall { function: named, arguments, result })))
    }
}

fn shape_of(prototype: &Prototype) -> (Vec<u32>, Vec<u32>) {
    let sizes = |list: &[(texunit_isa::ScalarType, u32)]| list.iter().map(|p| p.1).collect();
    (sizes(&prototype.returns), sizes(&prototype.params))
}
