//! How a kernel uses its parameters and the module's references. `texunit init` derives a job from
//! these uses, and the Python module checks arrays with them.

mod values;

use crate::ir::{Base, FuncId, Instruction, Module, Operand, RegId, Storage, VarId};
use std::collections::{BTreeMap, BTreeSet};
use texunit_isa::{Geometry, MipMode, Opcode, ScalarType, Space, SpecialReg};
use values::{Origin, Origins, Values};

/// The elements of memory that an instruction reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Type of an element.
    pub ty: ScalarType,
    /// Number of elements: 1, 2 or 4.
    pub vector: u8,
}

impl Access {
    /// Size in bytes of all elements together.
    pub fn bytes(self) -> u32 {
        self.ty.bytes() * u32::from(self.vector)
    }
}

/// How a kernel fetches from a texture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The fetch instruction with its types: `tex.2d.v4.f32.f32`.
    pub form: String,
    /// Texture geometry of the instruction.
    pub geometry: Geometry,
    /// Type of the fetched texel components.
    pub result: ScalarType,
    /// Whether the coordinates are integers.
    pub integers: bool,
    /// Whether the instruction has a level or gradients.
    pub levels: bool,
    /// Whether the instruction compares texels with a reference value.
    pub compares: bool,
}

/// How a kernel accesses a surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accessed {
    /// The surface instruction with its types: `suld.b.2d.b32`.
    pub form: String,
    /// Surface geometry of the instruction.
    pub geometry: Geometry,
    /// Size of an access in bytes; `None` for `.p`, which converts to the surface's format.
    pub bytes: Option<u32>,
    /// Type of a component of an access.
    pub ty: ScalarType,
    /// Whether any instruction of the kernel stores to the surface.
    pub written: bool,
}

/// The uses of eight bytes of a parameter, or of a texture, sampler or surface reference.
#[derive(Clone, Debug, Default)]
pub struct Use {
    /// The largest load through the bytes as a pointer.
    pub read: Option<Access>,
    /// The largest store or atomic through the bytes as a pointer.
    pub written: Option<Access>,
    /// All distinct loads, stores and atomics through the bytes as a pointer.
    pub accesses: Vec<Access>,
    /// The use of the bytes as the handle of a texture.
    pub texture: Option<Fetched>,
    /// The use of the bytes as the handle of a surface.
    pub surface: Option<Accessed>,
    /// Whether the bytes are used as the handle of a sampler.
    pub is_sampler: bool,
    /// Whether the bytes are converted with `cvta.to.global`, and so are a pointer.
    pub is_pointer: bool,
}

impl Use {
    /// Records a query (txq, suq), which shows only whether the object is a texture or surface.
    fn is_queried(&mut self, surface: bool) {
        if surface {
            self.surface.get_or_insert_with(|| Accessed {
                form: "suq".to_owned(),
                geometry: Geometry::D2,
                bytes: Some(4),
                ty: ScalarType::B32,
                written: false,
            });
        } else if !self.is_sampler {
            self.texture.get_or_insert_with(|| Fetched {
                form: "txq".to_owned(),
                geometry: Geometry::D2,
                result: ScalarType::F32,
                integers: false,
                levels: false,
                compares: false,
            });
        }
    }
}

/// The uses of a kernel's parameters and references.
#[derive(Debug, Default)]
pub struct Uses {
    /// Uses by parameter index and byte offset.
    pub params: BTreeMap<(u32, u32), Use>,
    /// Uses of references, by index of the variable.
    pub references: BTreeMap<u32, Use>,
    /// The loaded type, by index of the parameter and byte offset.
    pub loaded: BTreeMap<(u32, u32), Access>,
    /// Number of axes of thread and CTA indices that the kernel reads: 1 to 3.
    pub axes: usize,
    /// Whether the kernel has shared memory whose size the launch determines.
    pub dynamic_shared: bool,
}

/// Analyses a kernel and its callees.
pub fn uses(module: &Module, kernel: FuncId) -> Uses {
    let values = Values::new(module, kernel);
    let mut uses = Uses { axes: 1, ..Uses::default() };
    for &function in &values.reached {
        for i in values.body(function) {
            let mut reader = Reader { module, kernel, function, values: &values, uses: &mut uses };
            reader.instruction(i);
        }
    }
    uses
}

struct Reader<'a> {
    module: &'a Module,
    kernel: FuncId,
    function: FuncId,
    values: &'a Values<'a>,
    uses: &'a mut Uses,
}

impl Reader<'_> {
    fn instruction(&mut self, i: &Instruction) {
        if let Some(fetch) = i.operands.fetch() {
            if let Some(fetched) = fetched(i, fetch.compare.is_some()) {
                self.handle(&fetch.texture, |u| {
                    let known = u.texture.get_or_insert_with(|| fetched.clone());
                    known.levels |= fetched.levels;
                    known.compares |= fetched.compares;
                });
            }
            if let Some(sampler) = &fetch.sampler {
                self.handle(sampler, |u| u.is_sampler = true);
            }
            return;
        }
        if let Some(surface) = i.operands.surface() {
            if let Some(accessed) = accessed(i) {
                self.handle(&surface.surface, |u| {
                    u.surface.get_or_insert_with(|| accessed.clone()).written |= accessed.written;
                });
            }
            return;
        }
        if let Some(query) = i.operands.query() {
            self.handle(&query.handle, |u| u.is_queried(i.opcode == Opcode::Suq));
            return;
        }
        let operands = i.operands.as_slice();
        for operand in operands {
            self.looks(operand);
        }
        match (i.opcode, operands) {
            (Opcode::Ld | Opcode::Ldu, [to, Operand::Address(base, offset)]) => {
                if let Some(access) = access(i, to.elements().len()) {
                    self.loads(*base, *offset, access);
                    self.memory(i, *base, access, false);
                }
            }
            (Opcode::St | Opcode::Red, [Operand::Address(base, _), from, ..]) => {
                if let Some(access) = access(i, from.elements().len()) {
                    self.memory(i, *base, access, true);
                }
            }
            (Opcode::Atom, [_, Operand::Address(base, _), ..]) => {
                if let Some(access) = access(i, 1) {
                    self.memory(i, *base, access, true);
                }
            }
            _ => {}
        }
    }

    /// Records special registers and dynamic shared memory among an instruction's operands.
    fn looks(&mut self, operand: &Operand) {
        match operand {
            Operand::Special(SpecialReg::Tid | SpecialReg::Ctaid, axis) => {
                self.uses.axes = self.uses.axes.max(usize::from(*axis).min(2) + 1);
            }
            Operand::AddressOf(Base::Variable(variable), _)
            | Operand::Address(Base::Variable(variable), _) => {
                let storage = self.module.variables.get(variable.0 as usize).map(|v| v.storage);
                self.uses.dynamic_shared |= storage == Some(Storage::DynamicShared);
            }
            _ => {}
        }
    }

    /// Records the loads from a parameter, element by element.
    fn loads(&mut self, base: Base, offset: i64, access: Access) {
        for origin in self.values.addresses(self.function, base, offset) {
            let Origin::ParamAddress { index, offset } = origin else { continue };
            let Ok(offset) = u32::try_from(offset) else { continue };
            for n in 0..u32::from(access.vector) {
                let at = offset.saturating_add(n * access.ty.bytes());
                let one = Access { vector: 1, ..access };
                self.uses.loaded.entry((index, at)).or_insert(one);
            }
        }
    }

    fn memory(&mut self, i: &Instruction, base: Base, access: Access, written: bool) {
        let Base::Reg(register) = base else { return };
        if !matches!(i.mods.space, None | Some(Space::Global)) {
            return;
        }
        for key in self.pointers(register) {
            let u = self.uses.params.entry(key).or_default();
            if !u.accesses.contains(&access) {
                u.accesses.push(access);
            }
            let known = if written { &mut u.written } else { &mut u.read };
            if known.is_none_or(|known| known.bytes() < access.bytes()) {
                *known = Some(access);
            }
        }
    }

    /// Index and offset of the parameters from which the address in a register may be computed; if
    /// some are certainly pointers, only the pointers.
    fn pointers(&mut self, register: RegId) -> Vec<(u32, u32)> {
        let origins = self.values.of(self.function, register);
        let of = |only_sure: bool| -> BTreeSet<(u32, u32)> {
            let wanted = |origin: &Origin| match *origin {
                Origin::Param { index, offset, pointer } if pointer || !only_sure => {
                    Some((index, offset))
                }
                _ => None,
            };
            origins.iter().filter_map(wanted).collect()
        };
        let sure = of(true);
        for key in &sure {
            self.uses.params.entry(*key).or_default().is_pointer = true;
        }
        let all = if sure.is_empty() { of(false) } else { sure };
        all.into_iter().collect()
    }

    fn handle(&mut self, operand: &Operand, mut tell: impl FnMut(&mut Use)) {
        let Operand::Handle(base) = operand else { return };
        let origins: Origins = match base {
            Base::Reg(register) => self.values.of(self.function, *register),
            Base::Variable(variable) => [Origin::Reference(*variable)].into(),
            Base::Param(param) if self.function == self.kernel => {
                [Origin::Param { index: param.0, offset: 0, pointer: false }].into()
            }
            _ => return,
        };
        for origin in origins {
            match origin {
                Origin::Param { index, offset, pointer: false } => {
                    tell(self.uses.params.entry((index, offset)).or_default());
                }
                Origin::Reference(VarId(variable)) => {
                    tell(self.uses.references.entry(variable).or_default());
                }
                _ => {}
            }
        }
    }
}

fn access(i: &Instruction, vector: usize) -> Option<Access> {
    let ty = *i.mods.types.first()?;
    let vector = u8::try_from(vector).ok()?;
    matches!(ty.bytes(), 1 | 2 | 4 | 8 | 16).then_some(Access { ty, vector })
}

fn fetched(i: &Instruction, compares: bool) -> Option<Fetched> {
    let [result, coord] = i.mods.types[..] else { return None };
    let geometry = i.mods.geometry?;
    let levels = matches!(i.mods.mip, Some(MipMode::Level | MipMode::Grad));
    let kind = match (i.opcode, i.mods.mip) {
        (Opcode::Tld4, _) => "tld4".to_owned(),
        (_, None) => "tex".to_owned(),
        (_, Some(mip)) => format!("tex.{}", mip.name()),
    };
    let vector = if result == ScalarType::F16x2 { "v2" } else { "v4" };
    Some(Fetched {
        form: format!("{kind}.{geometry}.{vector}.{result}.{coord}"),
        geometry,
        result,
        integers: coord == ScalarType::S32,
        levels,
        compares,
    })
}

fn accessed(i: &Instruction) -> Option<Accessed> {
    let geometry = i.mods.geometry?;
    let ty = *i.mods.types.last()?;
    let vector = u32::from(i.mods.vector.max(1));
    let several = if vector > 1 { format!("v{vector}.") } else { String::new() };
    let (name, form) = (i.opcode.name(), if i.mods.formatted { "p" } else { "b" });
    Some(Accessed {
        form: format!("{name}.{form}.{geometry}.{several}{ty}"),
        geometry,
        bytes: (!i.mods.formatted).then(|| vector * ty.bytes()),
        ty,
        written: i.opcode != Opcode::Suld,
    })
}
