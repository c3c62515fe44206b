//! Where handles lie in constant bank 0.
//!
//! A kernel's parameters begin at byte 0x140. `.texref` and `.samplerref` among them have no place
//! there: like those of the module they have a word of 32 bits after the parameters, in the order
//! in which the kernel's code names them first. The code of a function comes in at the first call
//! of it; functions that others can see come first. With a sampler of its own each
//! pair has a word; a texture or a sampler that is named without its partner uses the last pair
//! that has it, or else a word after the pairs.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use texunit_check::ir::{
    Base, FuncId, Function, Instruction, Module, Operand, ParamId, Storage, VarId,
};
use texunit_isa::{Opcode, ScalarType};

/// First byte of the parameters.
const PARAMS: u32 = 0x140;

/// A texture or sampler that is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Name {
    /// At module scope.
    Variable(VarId),
    /// Among the parameters of the kernel.
    Param(FuncId, ParamId),
}

/// What code does with names, in its order.
#[derive(Clone, Copy, Debug)]
enum Event {
    Texture(Name),
    Sampler(Name),
    Pair(Name, Name),
    Call(FuncId),
}

/// What each function of a module does with names.
pub(super) struct Names {
    events: Vec<Vec<Event>>,
    /// Functions that others can see, in the order of their first declaration.
    visible: Vec<FuncId>,
}

/// The name that a base is.
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

    /// Notes the functions that a kernel reaches and none before it did, itself included.
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

    /// The functions that a kernel reaches, itself included.
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
    match i.operands.as_slice() {
        [_, Operand::Function(callee), ..] if i.opcode == Opcode::Call => {
            events.push(Event::Call(*callee));
        }
        _ => {
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
    }
}

/// The bank of one kernel.
#[derive(Debug, Default)]
pub(super) struct Bank {
    /// Byte offset of each parameter that has a place.
    params: Vec<Option<u32>>,
    pairs: HashMap<(Name, Name), u32>,
    singles: HashMap<Name, u32>,
}

impl Bank {
    pub(super) fn new(module: &Module, names: &Names, kernel: FuncId) -> Self {
        let function = &module.functions[kernel.0 as usize];
        // Other functions have their parameters elsewhere.
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
        pairs.sort_unstable_by_key(|pair| pair.0);
        for (at, (texture, sampler)) in pairs {
            self.singles.extend([(texture, at), (sampler, at)]);
        }
        // A word has room for a texture and for a sampler.
        for list in [textures, samplers] {
            let mut next = next;
            for &name in list {
                self.singles.entry(name).or_insert_with(|| take(&mut next));
            }
        }
    }

    /// Byte of a parameter.
    pub(super) fn param(&self, id: ParamId) -> Option<u32> {
        self.params.get(id.0 as usize).copied().flatten()
    }

    /// Byte of the word with the handle of a texture and a sampler.
    pub(super) fn pair(&self, texture: Name, sampler: Name) -> Option<u32> {
        self.pairs.get(&(texture, sampler)).copied()
    }

    /// Byte of the word in which a texture or sampler is found alone.
    pub(super) fn single(&self, name: Name) -> Option<u32> {
        self.singles.get(&name).copied()
    }
}

fn take(next: &mut u32) -> u32 {
    let at = *next;
    *next = at.saturating_add(4);
    at
}

/// The places of a kernel's parameters, and their end.
fn layout(kernel: &Function) -> (Vec<Option<u32>>, u32) {
    let mut end = PARAMS;
    let places = kernel.params.iter().map(|param| {
        if is_opaque(param.ty) {
            // No room, but those after it begin at a word.
            end = end.checked_next_multiple_of(4)?;
            return None;
        }
        // Offsets count from the first parameter on, which is as aligned as any needs.
        let at = PARAMS + (end - PARAMS).checked_next_multiple_of(param.align.max(1))?;
        end = at.checked_add(param.size)?;
        Some(at)
    });
    (places.collect(), end)
}
