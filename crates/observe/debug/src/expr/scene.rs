//! The context of expressions: a frame of a thread in a stopped launch.

use crate::dwarf::{At, Location, Scope, TypeId, Types, Variable, locate};
use crate::focus::coordinates;
use crate::module::{Frame, Module};
use crate::value::{Number, Place, Value, basic, bytes_of, generic, integer, of_generic};
use std::collections::HashMap;
use texunit_isa::ScalarType;
use texunit_memory::{SpaceKind, space_of};
use texunit_simt::debug::{Machine, RegisterAt};

/// The context of an expression.
pub(crate) struct Scene<'s, 'm> {
    pub(crate) machine: &'s mut Machine<'m>,
    pub(crate) module: &'s Module,
    pub(crate) types: &'s mut Types,
    /// The thread, as CTA, warp and lane.
    pub(crate) thread: (u64, u32, u32),
    /// The frame; `None` if the thread has ended.
    pub(crate) frame: Option<&'s Frame>,
    /// The values that commands have printed, `$1` and so on.
    pub(crate) printed: &'s [Value],
    /// Convenience variables of the user, by name without `$`.
    pub(crate) variables: &'s mut HashMap<String, Value>,
}

impl Scene<'_, '_> {
    /// The value of a variable that exists without debug information, and reads special registers.
    fn built_in(&self, name: &str) -> Option<[u32; 3]> {
        let config = self.machine.config();
        let (cta, warp, lane) = self.thread;
        Some(match name {
            "threadIdx" => coordinates((warp * 32 + lane).into(), config.block),
            "blockIdx" => coordinates(cta, config.grid),
            "blockDim" => config.block,
            "gridDim" => config.grid,
            _ => return None,
        })
    }

    pub(crate) fn name(&mut self, name: &str) -> Result<Value, String> {
        if self.frame.is_none()
            && let Some(value) = self.kernel_parameter(name)
        {
            return value;
        }
        if let Some(found) = self.variable_of(name) {
            return self.read_variable(&found);
        }
        if let Some(vector) = self.built_in(name) {
            let of = basic(self.types, "unsigned int");
            let ty = self.types.vector("uint3", of, &["x", "y", "z"]);
            return Ok(Value::new(ty, vector.iter().flat_map(|n| n.to_le_bytes()).collect()));
        }
        if name == "warpSize" {
            let ty = basic(self.types, "int");
            return Ok(Value::new(ty, 32_i32.to_le_bytes().to_vec()));
        }
        if let Some((ty, value)) = self.types.enumerator(name) {
            let bytes = bytes_of(self.types, ty, Number::Int(value.into())).unwrap_or_default();
            return Ok(Value::new(ty, bytes));
        }
        if let Some(found) = self.member_of_this(name) {
            return Ok(found);
        }
        let missing = || Err(format!("No symbol \"{name}\" in current context."));
        self.of_ptx(name).unwrap_or_else(missing)
    }

    /// The visible variable with a name: of the surrounding blocks, innermost first, then of the
    /// module. A variable that is declared on a later line does not hide a variable of an outer
    /// block yet.
    pub(crate) fn variable_of(&self, name: &str) -> Option<Variable> {
        let mut later = None;
        if let Some(frame) = self.frame {
            let scopes = self.module.scopes(frame);
            for scope in scopes.iter().rev() {
                let found = scope.variables.iter().rev().filter(|v| v.name == name);
                let Some(found) = found.min_by_key(|v| v.location.at(frame.at).is_none()) else {
                    continue;
                };
                if found.is_parameter || found.line <= frame.place.line {
                    return Some(found.clone());
                }
                later.get_or_insert(found.clone());
            }
        }
        let globals = &self.module.info.globals;
        let last = |v: &&Variable| v.name.rsplit("::").next() == Some(name);
        let found = globals.iter().find(|v| v.name == name);
        found.or_else(|| globals.iter().find(last)).cloned().or(later)
    }

    /// A kernel parameter with its value at the launch, for a thread that does not run.
    fn kernel_parameter(&mut self, name: &str) -> Option<Result<Value, String>> {
        let kernel = self.machine.kernel();
        let is_it = |f: &&Scope| f.linkage == kernel || f.name.rsplit("::").next() == Some(kernel);
        let function = self.module.info.functions.iter().find(is_it)?;
        let mut parameters = function.variables.iter().filter(|v| v.is_parameter).enumerate();
        let (index, parameter) = parameters.find(|(_, v)| v.name == name)?;
        let offset = self.machine.parameter_at(index)?;
        Some(self.in_memory(parameter.ty, SpaceKind::Param, offset))
    }

    fn member_of_this(&mut self, name: &str) -> Option<Value> {
        let this = self.variable_of("this")?;
        let this = self.read_variable(&this).ok()?;
        let object = self.pointed(&this).ok()?;
        self.member_of(&object, name)
    }

    /// A parameter or variable by its PTX name.
    fn of_ptx(&mut self, name: &str) -> Option<Result<Value, String>> {
        let (space, address, size) = self.ptx_place(name)?;
        let ty = match size {
            4 => basic(self.types, "int"),
            8 => basic(self.types, "long"),
            2 => basic(self.types, "short"),
            size => {
                let of = basic(self.types, "unsigned char");
                self.types.array(of, size)
            }
        };
        Some(self.in_memory(ty, space, address))
    }

    fn ptx_place(&self, name: &str) -> Option<(SpaceKind, u64, u64)> {
        let frame = self.frame.map(|frame| frame.id);
        let local = frame.and_then(|id| self.machine.local_object(self.thread, id, name));
        if let Some((at, size)) = local {
            return Some((SpaceKind::Local, at, size.into()));
        }
        if let Some((at, size)) = self.machine.shared_variable(name) {
            return Some((SpaceKind::Shared, at, size));
        }
        if let Some((at, size)) = self.machine.parameter(name) {
            return Some((SpaceKind::Param, at, size.into()));
        }
        let blocks = self.machine.config().memory.blocks();
        let (address, block) = blocks.iter().find(|(_, block)| block.name() == name)?;
        Some((space_of(*address), *address, block.size() as u64))
    }

    /// A PTX register, including special ones.
    pub(crate) fn register(&mut self, name: &str) -> Result<Value, String> {
        let unknown = || format!("Invalid register `{}'", name.trim_start_matches('%'));
        if let Some(value) = self.special(name) {
            let ty = basic(self.types, "unsigned int");
            return Ok(Value::new(ty, value.to_le_bytes().to_vec()));
        }
        self.frame.ok_or("No frame selected.")?;
        let (frame, register) = self.register_at(name).ok_or_else(unknown)?;
        let ty = self.type_of_register(register.ty);
        self.in_register(ty, frame, register, 0).ok_or_else(unknown)
    }

    /// The frame's number and its register with a name.
    fn register_at(&self, name: &str) -> Option<(u32, RegisterAt)> {
        let frame = self.frame?;
        let all = self.machine.registers(&frame.function);
        Some((frame.id, all.into_iter().find(|r| r.name == name)?))
    }

    fn special(&self, name: &str) -> Option<u32> {
        let (register, axis) = name.rsplit_once('.').unwrap_or((name, ""));
        let (_, warp, lane) = self.thread;
        let vector = match register {
            "%tid" => "threadIdx",
            "%ctaid" => "blockIdx",
            "%ntid" => "blockDim",
            "%nctaid" => "gridDim",
            "%laneid" => return Some(lane),
            "%warpid" => return Some(warp),
            _ => return None,
        };
        let index = ["x", "y", "z"].iter().position(|known| *known == axis)?;
        Some(self.built_in(vector)?[index])
    }

    fn type_of_register(&mut self, ty: ScalarType) -> TypeId {
        let name = match ty {
            ScalarType::F32 => "float",
            ScalarType::F64 => "double",
            ScalarType::F16 => "__half",
            ScalarType::Pred => "bool",
            ScalarType::U64 => "unsigned long",
            ScalarType::U32 => "unsigned int",
            ScalarType::U16 => "unsigned short",
            ScalarType::U8 => "unsigned char",
            _ => match ty.bits() {
                8 => "signed char",
                16 => "short",
                64 | 128 => "long",
                _ => "int",
            },
        };
        let of = basic(self.types, name);
        if ty.bits() == 128 { self.types.array(of, 2) } else { of }
    }

    /// The value of a variable that is in a register, from one of the register's bytes on.
    fn in_register(
        &mut self,
        ty: TypeId,
        frame: u32,
        register: RegisterAt,
        from: u32,
    ) -> Option<Value> {
        let words = self.machine.register(self.thread, frame, &register)?;
        let all = words.map(u64::to_le_bytes).concat();
        let size = self.types.size(ty) as usize;
        let mut bytes: Vec<u8> = all.into_iter().skip(from as usize).take(size).collect();
        bytes.resize(size.min(1 << 16), 0);
        Some(Value { ty, bytes, place: Some(Place::Register(frame, register, from)), bits: None })
    }

    /// `$name`: a convenience variable, or a register without `%`.
    pub(crate) fn variable(&mut self, name: &str) -> Result<Value, String> {
        if let Some(value) = self.variables.get(name) {
            return Ok(value.clone());
        }
        if name == "pc" {
            let ty = basic(self.types, "unsigned long");
            let at = self.frame.map_or(0, |frame| frame.at);
            return Ok(Value::new(ty, u64::from(at).to_le_bytes().to_vec()));
        }
        if let Ok(value) = self.register(&format!("%{name}")) {
            return Ok(value);
        }
        let ty = self.types.void();
        Ok(Value::new(ty, Vec::new()))
    }

    /// Reads a variable in the frame.
    pub(crate) fn read_variable(&mut self, variable: &Variable) -> Result<Value, String> {
        let lost = || "value has been optimized out".to_owned();
        let at = self.frame.map_or(0, |frame| frame.at);
        if let Location::Constant(bytes) = &variable.location {
            let mut bytes = bytes.clone();
            bytes.resize(self.types.size(variable.ty) as usize, 0);
            return Ok(Value::new(variable.ty, bytes));
        }
        if let (true, Location::None, Some(frame)) =
            (variable.is_parameter, &variable.location, self.frame)
            && frame.function == self.machine.kernel()
            && let Some(value) = self.kernel_parameter(&variable.name)
        {
            // A parameter of an entry function stays at the address at which the launch has put it.
            return value;
        }
        let code = variable.location.at(at).ok_or_else(lost)?.to_vec();
        let found = {
            let registers = |name: &str| {
                let (frame, register) = self.register_at(name)?;
                Some(self.machine.register(self.thread, frame, &register)?[0])
            };
            let load = |address: u64| {
                let mut bytes = [0; 8];
                let (space, at) = of_generic(address);
                let is_read = self.machine.read(space, self.thread, at, &mut bytes);
                is_read.then(|| u64::from_le_bytes(bytes))
            };
            locate(&code, &registers, &load)
        };
        self.at(variable, found.ok_or_else(lost)?, variable.ty).ok_or_else(lost)?
    }

    fn at(&mut self, variable: &Variable, at: At, ty: TypeId) -> Option<Result<Value, String>> {
        Some(match at {
            At::Register(name) => {
                let (frame, register) = self.register_at(&name)?;
                Ok(self.in_register(ty, frame, register, 0)?)
            }
            At::Value(value) => {
                let mut bytes = value.to_le_bytes().to_vec();
                bytes.resize(self.types.size(ty).min(1 << 20) as usize, 0);
                Ok(Value::new(ty, bytes))
            }
            At::Memory(number) => {
                let (space, address) = self.address(variable, number)?;
                self.in_memory(ty, space, address)
            }
            At::Pieces(pieces) => {
                let mut bytes = Vec::new();
                for (at, size) in pieces {
                    let char = basic(self.types, "unsigned char");
                    let part = self.types.array(char, size.min(4096));
                    match at.and_then(|at| self.at(variable, at, part)) {
                        Some(Ok(value)) => bytes.extend(value.bytes),
                        _ => return None,
                    }
                }
                bytes.resize(self.types.size(ty).min(1 << 20) as usize, 0);
                Ok(Value::new(ty, bytes))
            }
        })
    }

    /// The location that a number in a location expression stands for.
    fn address(&self, variable: &Variable, number: u64) -> Option<(SpaceKind, u64)> {
        if let Some((name, offset)) = self.module.info.symbol(number) {
            let (space, address, _) = self.ptx_place(name)?;
            return Some((space, address.wrapping_add_signed(offset)));
        }
        Some(match variable.class {
            Some(6) if number < 1 << 32 => (SpaceKind::Local, number),
            Some(7) if number < 1 << 32 => (SpaceKind::Param, number),
            Some(8) if number < 1 << 32 => (SpaceKind::Shared, number),
            _ => of_generic(number),
        })
    }

    /// Writes bytes to a value's location.
    pub(crate) fn write(&mut self, place: Option<&Place>, bytes: &[u8]) -> Result<(), String> {
        match place {
            None => Err("Left operand of assignment is not an lvalue.".to_owned()),
            Some(Place::Memory(SpaceKind::Param, _)) => {
                Err("Parameters of a kernel are constant; registers that hold them can be set."
                    .to_owned())
            }
            Some(Place::Memory(space, address)) => {
                let is_written = self.machine.write(*space, self.thread, *address, bytes);
                let at = generic(*space, *address);
                let wrong = || format!("Cannot access memory at address 0x{at:x}");
                is_written.then_some(()).ok_or_else(wrong)
            }
            Some(Place::Texel(surface, offset)) => {
                let surfaces = &self.machine.config().descriptors.surfaces;
                let surface = surfaces.get(*surface).and_then(Option::as_ref);
                let written = surface.map(|s| s.resource.block().write(*offset, bytes));
                written.and_then(Result::ok).ok_or_else(|| "The texel is gone.".to_owned())
            }
            Some(Place::Register(frame, register, from)) => {
                let lost = || "Left operand of assignment is not an lvalue.".to_owned();
                let words =
                    self.machine.register(self.thread, *frame, register).ok_or_else(lost)?;
                let mut all = words.map(u64::to_le_bytes).concat();
                let from = *from as usize;
                let end = (from + bytes.len()).min(all.len());
                if from >= end {
                    return Err(lost());
                }
                all[from..end].copy_from_slice(&bytes[..end - from]);
                let words = [0, 8].map(|at| integer(&all[at..at + 8], false) as u64);
                let is_set = self.machine.set_register(self.thread, *frame, register, words);
                is_set.then_some(()).ok_or_else(lost)
            }
        }
    }

    /// The characters from a generic address up to a zero byte.
    pub(crate) fn text(&self, address: u64) -> Option<(Vec<u8>, bool)> {
        let (space, at) = of_generic(address);
        let mut bytes = Vec::new();
        for offset in 0..200 {
            let mut byte = [0];
            if !self.machine.read(space, self.thread, at.wrapping_add(offset), &mut byte) {
                return (offset > 0).then_some((bytes, true));
            }
            if byte[0] == 0 {
                return Some((bytes, false));
            }
            bytes.push(byte[0]);
        }
        Some((bytes, true))
    }
}
