//! The positions of handles in constant bank 0.
//!
//! A kernel's parameters begin at byte 0x140. `.texref` and `.samplerref` parameters are not among
//! them. Like references of the module, they get a 32-bit word after the parameters, in the order
//! in which the kernel's code first names them. The code of a called function counts at its first
//! call; externally visible functions come first. With separate samplers, each pair of texture and
//! sampler has a word; a texture or sampler that is named alone uses the last pair that includes
//! it, or else a word after the pairs.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use texunit_check::ir::{
    Base, FuncId, Function, Instruction, Module, Operand, ParamId, Storage, VarId,
};
use texunit_forms::sort_by_key;
use texunit_isa::{Opcode, ScalarType};

/// Byte offset of the first parameter in the bank.
const PARAMS: u32 = 0x140;

/// A texture or sampler reference, for which the bank has a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Name {
    /// The reference is a module-scope variable.
    Variable(VarId),
    /// The reference is a kernel parameter.
    Param(FuncId, ParamId),
}

/// A use of a reference, or a call, in the order of a function's code.
#[derive(Clone, Copy, Debug)]
enum Event {
    Texture(Name),
    Sampler(Name),
    Pair(Name, Name),
    Call(FuncId),
}

/// The uses of references and the calls in each function of a module.
pub(super) struct Names {
    events: Vec<Vec<Event>>,
    /// Externally visible functions, in the order of their first declarations.
    visible: Vec<FuncId>,
}

/// The reference that an operand names.
pub(super) fn name_of(module: &Module, function: FuncId, base: Base) -> Option<(Name, ScalarType)> {
    match base {
        Base::Variable(id) => match module.variables.get(id.0 as usize)?.storage {
            Storage::Opaque(ty) => Some((Name::Variable(id), ty)),
            _ => None,
        },
        Base::Param(id) => {
            let ty = module.functions[function.0 as usize].params.get(id.0 as usize)?.ty;
            is_opaque(ty).then_some((Name::Param(function, id), ty))
        }
        _ => None,
    }
}

fn is_opaque(ty: ScalarType) -> bool {
    matches!(ty, ScalarType::Texref | ScalarType::Samplerref | ScalarType::Surfref)
}

impl Names {
    pub(super) fn new(module: &Module, visible: &HashSet<&str>) -> Self {
        let ids = || (0..module.functions.len() as u32).map(FuncId);
        let events = ids()
            .zip(&module.functions)
            .map(|(id, function)| {
                let mut events = Vec::new();
                for i in function.body.iter().flatten() {
                    collect(module, id, i, &mut events);
                }
                events
            })
            .collect();
        let seen = |id: &FuncId| {
            let function = &module.functions[id.0 as usize];
            !function.is_entry && visible.contains(function.name.as_str())
        };
        Self { events, visible: ids().filter(seen).collect() }
    }

    /// Records this kernel as the first one for each function that it reaches (including itself)
    /// and no earlier kernel does.
    pub(super) fn reach(&self, kernel: FuncId, first: &mut HashMap<FuncId, FuncId>) {
        let mut new = vec![kernel];
        while let Some(id) = new.pop() {
            if let Entry::Vacant(entry) = first.entry(id) {
                entry.insert(kernel);
                new.extend(self.callees(id));
            }
        }
    }

    fn callees(&self, id: FuncId) -> impl Iterator<Item = FuncId> {
        self.events[id.0 as usize].iter().filter_map(|event| match event {
            Event::Call(callee) => Some(*callee),
            _ => None,
        })
    }

    /// The functions that a kernel reaches, including itself.
    fn reached(&self, kernel: FuncId) -> HashSet<FuncId> {
        let mut reached = HashSet::from([kernel]);
        let mut new = vec![kernel];
        while let Some(id) = new.pop() {
            new.extend(self.callees(id).filter(|callee| reached.insert(*callee)));
        }
        reached
    }
}

fn collect(module: &Module, function: FuncId, i: &Instruction, events: &mut Vec<Event>) {
    let name = |base: &Base| name_of(module, function, *base);
    if let Some(fetch) = i.operands.fetch() {
        let named = |handle: &Operand| match handle {
            Operand::Handle(base) => name(base).map(|n| n.0),
            _ => None,
        };
        events.extend(match (named(&fetch.texture), fetch.sampler.as_ref().and_then(named)) {
            (Some(t), Some(s)) => Some(Event::Pair(t, s)),
            (Some(t), None) => Some(Event::Texture(t)),
            (None, Some(s)) => Some(Event::Sampler(s)),
            (None, None) => None,
        });
        return;
    }
    if let [_, Operand::Function(callee), ..] = i.operands.as_slice()
        && i.opcode == Opcode::Call
    {
        events.push(Event::Call(*callee));
        return;
    }
    for operand in i.operands.read(0) {
        let base = match operand {
            Operand::Handle(base) | Operand::AddressOf(base, _) => base,
            Operand::Element(element) => &element.base,
            _ => continue,
        };
        events.extend(match name(base) {
            Some((name, ScalarType::Texref)) => Some(Event::Texture(name)),
            Some((name, ScalarType::Samplerref)) => Some(Event::Sampler(name)),
            _ => None,
        });
    }
}

/// The layout of constant bank 0 for one kernel.
#[derive(Debug, Default)]
pub(super) struct Bank {
    /// Byte offset of each parameter; `None` for references, which are not among the parameters.
    params: Vec<Option<u32>>,
    pairs: HashMap<(Name, Name), u32>,
    singles: HashMap<Name, u32>,
}

impl Bank {
    pub(super) fn new(module: &Module, names: &Names, kernel: FuncId) -> Self {
        let function = &module.functions[kernel.0 as usize];
        // Only kernels have their parameters in the bank.
        let (params, end) = if function.is_entry { layout(function) } else { (Vec::new(), PARAMS) };
        let mut bank = Self { params, ..Self::default() };
        let (mut textures, mut samplers) = (Vec::new(), Vec::new());
        let mut next = end.next_multiple_of(4);
        let reached = names.reached(kernel);
        let first = names.visible.iter().copied().filter(|id| reached.contains(id));
        let mut visited = HashSet::new();
        for root in first.chain([kernel]) {
            let mut stack = vec![(root, 0)];
            if !visited.insert(root) {
                continue;
            }
            while let Some((id, at)) = stack.pop() {
                let Some(event) = names.events[id.0 as usize].get(at) else { continue };
                stack.push((id, at + 1));
                match *event {
                    Event::Pair(texture, sampler) => {
                        bank.pairs.entry((texture, sampler)).or_insert_with(|| take(&mut next));
                    }
                    Event::Texture(name) => textures.push(name),
                    Event::Sampler(name) => samplers.push(name),
                    Event::Call(callee) => {
                        if visited.insert(callee) {
                            stack.push((callee, 0));
                        }
                    }
                }
            }
        }
        bank.place_singles(&textures, &samplers, next);
        bank
    }

    fn place_singles(&mut self, textures: &[Name], samplers: &[Name], next: u32) {
        let mut pairs: Vec<_> = self.pairs.iter().map(|(&names, &at)| (at, names)).collect();
        sort_by_key(&mut pairs, |pair| pair.0);
        for (at, (texture, sampler)) in pairs {
            self.singles.extend([(texture, at), (sampler, at)]);
        }
        // Textures and samplers outside of pairs get the words after the pairs. Both lists begin at
        // the same word.
        for list in [textures, samplers] {
            let mut next = next;
            for &name in list {
                self.singles.entry(name).or_insert_with(|| take(&mut next));
            }
        }
    }

    /// Byte offset of a kernel parameter.
    pub(super) fn param(&self, id: ParamId) -> Option<u32> {
        self.params.get(id.0 as usize).copied().flatten()
    }

    /// Byte offset of the word that has the handle of a texture and a sampler.
    pub(super) fn pair(&self, texture: Name, sampler: Name) -> Option<u32> {
        self.pairs.get(&(texture, sampler)).copied()
    }

    /// Byte offset of the word for a texture or sampler that an instruction names alone.
    pub(super) fn single(&self, name: Name) -> Option<u32> {
        self.singles.get(&name).copied()
    }
}

fn take(next: &mut u32) -> u32 {
    let at = *next;
    *next = at.saturating_add(4);
    at
}

/// The byte offsets of a kernel's parameters, and the offset after the last one.
fn layout(kernel: &Function) -> (Vec<Option<u32>>, u32) {
    let mut end = PARAMS;
    let places = kernel.params.iter().map(|param| {
        if is_opaque(param.ty) {
            // A reference takes no space, but aligns the next parameter to a word.
            end = end.checked_next_multiple_of(4)?;
            return None;
        }
        // Offsets are aligned relative to the first parameter.
        let at = PARAMS + (end - PARAMS).checked_next_multiple_of(param.align.max(1))?;
        end = at.checked_add(param.size)?;
        Some(at)
    });
    (places.collect(), end)
}
