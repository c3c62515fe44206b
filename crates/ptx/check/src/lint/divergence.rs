//! Divergence analysis: which values differ between the threads of a CTA or warp.
//!
//! The analysis evaluates only the code on which a requested value depends. Variation propagates
//! through data flow (the reaching definitions of a read) and through control flow (a value that a
//! varying branch selects varies). If nothing is known (results of calls and of unknown
//! instructions, local memory, parameters of functions), a value counts as uniform, so that a value
//! is reported as varying only for a reason that can be shown.

use std::collections::{BTreeSet, HashMap};

use texunit_flow::{Access, Edges, Variation, reaching_definitions, reaching_in_block};
use texunit_isa::{MulPart, Opcode, ScalarType};

use super::body::{Body, Knowledge};
use crate::ir::{Base, Operand, RegId};

/// The variation of a value, and the instruction that causes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) kind: Variation,
    pub(super) source: Option<u32>,
}

impl Value {
    fn join(self, other: Value) -> Value {
        Value { kind: self.kind.join(other.kind), source: self.source.or(other.source) }
    }
}

/// Work limit per function: a constant, and a number per instruction, so that the time is linear in
/// the length of the text. If it is exceeded, all values count as uniform.
const MAX_STEPS: (usize, usize) = (100_000, 200);
/// Maximum number of branches that directly or indirectly control a block.
const MAX_DEPTH: usize = 200;

/// The reaching definitions of a register at an instruction.
type Reaching = Vec<u32>;

/// The divergence analysis of a function.
pub(super) struct Values<'b, 'a> {
    body: &'b Body<'a>,
    control: &'b Edges,
    /// For each evaluated instruction, the value that it writes.
    values: HashMap<u32, Value>,
    reaching: HashMap<(u32, u32), Reaching>,
    deciders: HashMap<u32, Option<BTreeSet<u32>>>,
    decisions: HashMap<u32, Value>,
    left: usize,
}

impl<'b, 'a> Values<'b, 'a> {
    pub(super) fn new(body: &'b Body<'a>, control: &'b Edges) -> Self {
        Self {
            body,
            control,
            values: HashMap::new(),
            reaching: HashMap::new(),
            deciders: HashMap::new(),
            decisions: HashMap::new(),
            left: MAX_STEPS.0 + MAX_STEPS.1 * body.code.len(),
        }
    }

    /// The value that an instruction reads from a register.
    pub(super) fn read(&mut self, reg: RegId, at: usize) -> Value {
        self.evaluate(reg, at);
        self.use_of(reg, at)
    }

    /// The value on which the branch that ends a block depends: its guard, or the index of `brx`.
    pub(super) fn decision(&mut self, block: u32) -> Value {
        if let Some(&known) = self.decisions.get(&block) {
            return known;
        }
        let value = self.decider(block).map_or_else(Value::default, |(reg, at)| self.read(reg, at));
        self.decisions.insert(block, value);
        value
    }

    fn decider(&self, block: u32) -> Option<(RegId, usize)> {
        let last = self.body.graph.range(block).last()?;
        let i = &self.body.code[last];
        match (i.guard, i.opcode, i.operands.first()) {
            (_, Opcode::Brx, Some(Operand::Reg(index))) => Some((*index, last)),
            (Some(guard), ..) => Some((guard.reg, last)),
            _ => None,
        }
    }

    /// The blocks whose last instructions control whether a block executes, transitively; `None` if
    /// there are too many.
    pub(super) fn deciders(&mut self, block: u32) -> Option<&BTreeSet<u32>> {
        if !self.deciders.contains_key(&block) {
            let mut found = BTreeSet::new();
            let mut stack = vec![block];
            while found.len() <= MAX_DEPTH
                && let Some(b) = stack.pop()
            {
                stack.extend(self.control.of(b).iter().filter(|c| found.insert(**c)));
            }
            self.left = self.left.saturating_sub(found.len());
            self.deciders.insert(block, Some(found).filter(|found| found.len() <= MAX_DEPTH));
        }
        self.deciders[&block].as_ref()
    }

    /// Evaluates all instructions on which a read depends, up to a fixed point.
    fn evaluate(&mut self, reg: RegId, at: usize) {
        let mut order = Vec::new();
        let mut users: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut stack = self.needs_of(reg, at);
        while let Some(n) = stack.pop() {
            if self.left == 0 {
                self.values.clear();
                return;
            }
            if self.values.contains_key(&n) {
                continue;
            }
            self.values.insert(n, Value::default());
            order.push(n);
            for needed in self.needs(n as usize) {
                users.entry(needed).or_default().push(n);
                stack.push(needed);
            }
        }
        let mut work = order;
        while let Some(n) = work.pop() {
            let new = self.written(n as usize);
            if new.kind != self.values[&n].kind {
                self.values.insert(n, new);
                work.extend(users.get(&n).into_iter().flatten());
            }
        }
    }

    /// The instructions on which an instruction's value depends.
    fn needs(&mut self, at: usize) -> Vec<u32> {
        let mut reads = Vec::new();
        self.body.registers(at, |reg, access| {
            if access == Access::Use {
                reads.push(reg);
            }
        });
        reads.into_iter().flat_map(|reg| self.needs_of(reg, at)).collect()
    }

    /// The instructions on which the value of one register depends at an instruction, including the
    /// branches between writes and the read.
    fn needs_of(&mut self, reg: RegId, at: usize) -> Vec<u32> {
        let mut list = self.reaching(reg, at);
        for (decider, last) in self.between(&list.clone(), at) {
            list.extend(self.reaching(decider, last));
        }
        list
    }

    /// Branches that select which of `writes` a read sees, but do not control the read.
    fn between(&mut self, writes: &[u32], at: usize) -> Vec<(RegId, usize)> {
        let here = self.body.graph.block_of(at);
        let mut found = BTreeSet::new();
        for &write in writes {
            let there = self.body.graph.block_of(write as usize);
            if there == here {
                continue;
            }
            if self.left == 0 {
                return Vec::new();
            }
            let Some(own) = self.deciders(here).cloned() else { return Vec::new() };
            self.left = self.left.saturating_sub(1 + own.len());
            let Some(other) = self.deciders(there) else { return Vec::new() };
            found.extend(other.difference(&own));
        }
        found.into_iter().filter_map(|b| self.decider(b)).collect()
    }

    /// The value of a register at an instruction, from the values evaluated so far.
    fn use_of(&mut self, reg: RegId, at: usize) -> Value {
        if self.body.known[reg.0 as usize] == Knowledge::Elected {
            return Value { kind: Variation::InWarp, source: None };
        }
        let writes = self.reaching(reg, at);
        let known =
            |values: &HashMap<u32, Value>, w: u32| values.get(&w).copied().unwrap_or_default();
        let mut value =
            writes.iter().fold(Value::default(), |v, &w| v.join(known(&self.values, w)));
        for (decider, last) in self.between(&writes, at) {
            let writes = self.reaching(decider, last).into_iter();
            let decided = writes.fold(Value::default(), |v, w| v.join(known(&self.values, w)));
            if decided.kind.varies() {
                value = value.join(Value { kind: Variation::Varying, ..decided });
            }
        }
        value
    }

    /// The writes of a register that reach an instruction.
    fn reaching(&mut self, reg: RegId, at: usize) -> Reaching {
        let body = self.body;
        if self.left == 0 || body.known[reg.0 as usize] != Knowledge::All {
            return Vec::new();
        }
        let list = self.writes_before(reg, at);
        self.left = self.left.saturating_sub(list.len());
        list
    }

    fn writes_before(&mut self, reg: RegId, at: usize) -> Reaching {
        let body = self.body;
        let writes = body.writes.of(reg.0);
        if writes.len() <= 1 {
            return writes.to_vec();
        }
        let (mut list, is_open) =
            reaching_in_block(&body.flow, &body.graph, &body.writes, (reg.0, at));
        if !is_open {
            return list;
        }
        let key = (body.graph.block_of(at), reg.0);
        if !self.reaching.contains_key(&key) {
            let place = (reg.0, key.0);
            let found =
                reaching_definitions(&body.flow, &body.graph, &body.writes, place, &mut self.left);
            let Some(found) = found else { return Vec::new() };
            self.reaching.insert(key, found.definitions);
        }
        list.extend(&self.reaching[&key]);
        list
    }

    /// The value that an instruction writes, from the values of its operands.
    fn written(&mut self, at: usize) -> Value {
        let body = self.body;
        let i = &body.code[at];
        let sources: Vec<&Operand> = i.operands.read(i.destinations()).collect();
        let kinds: Vec<Value> = sources.iter().map(|o| self.operand(o, at)).collect();
        let mut value = kinds.iter().fold(Value::default(), |v, &k| v.join(k));
        let kinds: Vec<Variation> = kinds.iter().map(|v| v.kind).collect();
        let own = Value { kind: Variation::Varying, source: Some(at as u32) };
        value = match i.opcode {
            Opcode::Mov
                if matches!(
                    sources.first(),
                    Some(Operand::Special(..) | Operand::Reg(_) | Operand::NotReg(_))
                ) =>
            {
                let source = value.source.or(Some(at as u32));
                if value.kind.varies() { Value { source, ..value } } else { value }
            }
            Opcode::Atom => own,
            Opcode::Bar | Opcode::Barrier | Opcode::Call => Value::default(),
            Opcode::Ld | Opcode::Ldu if value.kind.varies() => {
                Value { kind: Variation::Varying, ..value }
            }
            Opcode::Cvt | Opcode::Cvta => value,
            _ => Value { kind: combine(body, at, value.kind, &sources, &kinds), ..value },
        };
        if let Some(guard) = i.guard {
            let guard = self.use_of(guard.reg, at);
            if guard.kind.varies() {
                value = value.join(Value { kind: Variation::Varying, ..guard });
            }
        }
        value
    }

    fn operand(&mut self, operand: &Operand, at: usize) -> Value {
        match operand {
            Operand::Reg(reg) | Operand::NotReg(reg) => self.use_of(*reg, at),
            Operand::Address(Base::Reg(reg), _) | Operand::Handle(Base::Reg(reg)) => {
                self.use_of(*reg, at)
            }
            Operand::Element(element) => self.operand(&element.index, at),
            Operand::Special(special, component) => {
                Value { kind: Variation::of_special(*special, *component), source: Some(at as u32) }
            }
            Operand::Vector(list) => {
                list.iter().fold(Value::default(), |value, o| value.join(self.operand(o, at)))
            }
            _ => Value::default(),
        }
    }
}

/// The variation of an operation's result; `joined` is the join of the variations of its sources.
fn combine(
    body: &Body,
    at: usize,
    joined: Variation,
    sources: &[&Operand],
    kinds: &[Variation],
) -> Variation {
    let i = &body.code[at];
    if !joined.varies() {
        return Variation::Uniform;
    }
    let constant = |n: usize| {
        let operand = sources.get(n)?;
        body.integer(operand, at).map(|c| c.0)
    };
    let is_predicate = i.mods.ty() == Some(ScalarType::Pred);
    let is_narrow = i.mods.ty().is_some_and(|ty| ty.bits() == 32 && !ty.is_float());
    let is_low = is_narrow && i.mods.part.is_none_or(|part| part == MulPart::Lo);
    let factor = || constant(0).or_else(|| constant(1)).filter(|_| is_low);
    match (i.opcode, kinds) {
        (Opcode::Sub | Opcode::Xor, _) if sources.len() == 2 && sources[0] == sources[1] => {
            Variation::Uniform
        }
        (Opcode::And | Opcode::Or | Opcode::Xor | Opcode::Not, _) if is_predicate => joined,
        // A mask of some or all of the lowest bits acts as a remainder.
        (Opcode::And, &[a, b]) if !(a.varies() && b.varies()) => {
            let mask = constant(0).or_else(|| constant(1));
            joined.remainder(mask.and_then(|mask| mask.checked_add(1)))
        }
        (Opcode::Rem, &[a, b]) if !(a.varies() && b.varies()) => {
            joined.remainder(constant(0).or_else(|| constant(1)))
        }
        (Opcode::Add, &[a, b]) => a.plus(b),
        (Opcode::Sub, &[a, b]) => a.minus(b),
        (Opcode::Mul, &[a, b]) if !(a.varies() && b.varies()) => joined.times(factor()),
        (Opcode::Mad, &[a, b, c]) if !(a.varies() && b.varies()) => {
            a.join(b).times(factor()).plus(c)
        }
        (Opcode::Shl, &[a, Variation::Uniform]) if is_narrow => {
            a.times(constant(1).map(|bits| 1_i32.checked_shl(bits as u32).unwrap_or(0)))
        }
        (Opcode::Setp, &[a, b]) if i.mods.bool_op.is_none() => {
            a.compare(b, i.mods.cmp, [constant(0), constant(1)])
        }
        _ => Variation::Varying,
    }
}
