//! `--fmad`: which products go into the sums that use them.
//!
//! A `mul.f32` without a rounding modifier is fused into the `add.f32` and `sub.f32` that follow in the same block
//! when nothing else reads the product, its factors are unchanged there, and both have the same `.ftz`. Of a sum of two
//! products the first one is fused. That is what ptxas 13.5 does for sm_86 with kernels of ours; besides, it looks through
//! `mov` and `neg`, keeps factors that are written over, and joins blocks.

use std::collections::HashMap;
use texunit_check::ir::{self, Instruction, Operand, RegId};
use texunit_isa::{Opcode, ScalarType};

/// A sum with its product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sum {
    /// Index of the mul.
    pub(crate) product: usize,
    /// Which source of the sum (1 or 2) the product is.
    pub(crate) operand: usize,
}

/// What an instruction is in a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Product,
    Sum(Sum),
}

/// Pairs of a function, by instruction index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs(HashMap<usize, Role>);

impl Pairs {
    pub(crate) fn at(&self, index: usize) -> Option<Role> {
        self.0.get(&index).copied()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Calls `f` with each register that an operand mentions.
pub(super) fn each_register(operand: &Operand, f: &mut impl FnMut(RegId)) {
    match operand {
        Operand::Reg(r) | Operand::NotReg(r) => f(*r),
        Operand::AddressOf(ir::Base::Reg(r), _)
        | Operand::Address(ir::Base::Reg(r), _)
        | Operand::Handle(ir::Base::Reg(r)) => f(*r),
        Operand::Element(element) => each_register(&element.index, f),
        Operand::Vector(list) | Operand::Args(list) => {
            list.iter().for_each(|o| each_register(o, f));
        }
        _ => {}
    }
}

/// How many operands of its list an instruction writes.
pub(crate) fn destinations(inst: &Instruction) -> usize {
    use Opcode as O;
    match inst.opcode {
        O::St
        | O::Red
        | O::Bra
        | O::Brx
        | O::Ret
        | O::Exit
        | O::Trap
        | O::Brkpt
        | O::Membar
        | O::Fence
        | O::Nanosleep
        | O::Pmevent
        | O::Prefetch
        | O::Prefetchu
        | O::Sust
        | O::Sured
        | O::Discard
        | O::Stmatrix
        | O::Applypriority => 0,
        O::Wmma if inst.mods.acts("store") => 0,
        O::Bar | O::Barrier => usize::from(inst.mods.red),
        O::Setp | O::Shfl | O::Tex | O::Tld4 => 2,
        O::Match => match inst.mods.matching {
            Some(texunit_isa::MatchMode::All) => 2,
            _ => 1,
        },
        O::Lop3 if inst.mods.bool_op.is_some() => 2,
        _ => 1,
    }
}

/// How often each register is read (more than twice counts as often as it is written down).
pub(crate) fn reads(function: &ir::Function) -> Vec<u32> {
    let mut reads = vec![0_u32; function.regs.len()];
    let mut read = |r: RegId| {
        if let Some(n) = reads.get_mut(r.0 as usize) {
            *n = n.saturating_add(1);
        }
    };
    for inst in function.body.iter().flatten() {
        if let Some(guard) = inst.guard {
            read(guard.reg);
        }
        for operand in inst.operands.read(destinations(inst)) {
            each_register(operand, &mut read);
        }
    }
    for param in &function.returns {
        if let Some(r) = param.reg {
            read(r);
        }
    }
    reads
}

/// How often each register is written.
pub(super) fn writes(function: &ir::Function) -> Vec<u32> {
    let mut writes = vec![0_u32; function.regs.len()];
    for inst in function.body.iter().flatten() {
        for operand in inst.operands.written(destinations(inst)) {
            each_register(operand, &mut |r| {
                if let Some(n) = writes.get_mut(r.0 as usize) {
                    *n += 1;
                }
            });
        }
    }
    writes
}

fn is_plain(inst: &Instruction, opcodes: &[Opcode]) -> bool {
    let m = &inst.mods;
    opcodes.contains(&inst.opcode) && m.ty() == Some(ScalarType::F32) && m.rounding.is_none()
}

/// Whether an assembler ends a block behind an instruction: it may go elsewhere, or is gone around where its guard
/// is false. Others are executed under their guard.
fn ends_block(inst: &Instruction) -> bool {
    use Opcode as O;
    let is_alone = matches!(inst.opcode, O::Atom | O::Call) || destinations(inst) == 0;
    matches!(inst.opcode, O::Bra | O::Brx) || inst.guard.is_some() && is_alone
}

/// Most products that wait for their sums: to look through ever more would cost more than they are worth.
const MAX_OPEN: usize = 64;

/// A product, from its instruction to the end of its block or of its value.
#[derive(Clone, Copy, Debug)]
struct Product {
    /// Index of the mul, and its register.
    at: usize,
    register: RegId,
    /// How often it is read there, and how often by a sum that it may be fused into.
    reads: u32,
    sums: u32,
    /// Whether it was written over there, so that nothing else reads it.
    is_over: bool,
    /// Whether its factors are what they were.
    is_whole: bool,
}

/// A sum, and the products that it may be fused with: by their number, and the operand.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    at: usize,
    products: [Option<usize>; 2],
}

/// Finds products and sums, instruction by instruction.
struct Finder<'a> {
    body: &'a [Instruction],
    products: Vec<Product>,
    /// Products of the running block that have not been written over, by their register.
    open: HashMap<RegId, usize>,
    sums: Vec<Candidate>,
}

/// The products and sums of a function.
pub(crate) fn pairs(function: &ir::Function) -> Pairs {
    let Some(body) = &function.body else { return Pairs::default() };
    if !body.iter().any(|i| is_plain(i, &[Opcode::Mul])) {
        return Pairs::default();
    }
    let mut starts = vec![false; body.len() + 1];
    for (_, at) in &function.labels {
        if let Some(s) = starts.get_mut(*at) {
            *s = true;
        }
    }
    let (products, open, sums) = (Vec::new(), HashMap::new(), Vec::new());
    let mut finder = Finder { body, products, open, sums };
    for (i, inst) in body.iter().enumerate() {
        if starts[i] || finder.open.len() > MAX_OPEN {
            finder.open.clear();
        }
        finder.step(i, inst);
    }
    finder.choose(&reads(function))
}

impl Finder<'_> {
    fn step(&mut self, i: usize, inst: &Instruction) {
        if !self.open.is_empty() {
            self.read(i, inst);
            self.written(inst);
            if ends_block(inst) {
                self.open.clear();
            }
        }
        if is_plain(inst, &[Opcode::Mul])
            && inst.guard.is_none()
            && !inst.mods.sat
            && let [Operand::Reg(d), _, _] = inst.operands[..]
            && inst.operands[1..].iter().all(|o| *o != Operand::Reg(d))
        {
            self.open.insert(d, self.products.len());
            let (reads, sums) = (0, 0);
            let product =
                Product { at: i, register: d, reads, sums, is_over: false, is_whole: true };
            self.products.push(product);
        }
    }

    /// Counts what an instruction reads.
    fn read(&mut self, i: usize, inst: &Instruction) {
        let (open, products) = (&self.open, &mut self.products);
        let mut read = |r: RegId| {
            if let Some(&p) = open.get(&r) {
                products[p].reads += 1;
            }
        };
        if let Some(guard) = inst.guard {
            read(guard.reg);
        }
        for operand in inst.operands.read(destinations(inst)) {
            each_register(operand, &mut read);
        }
        if !is_plain(inst, &[Opcode::Add, Opcode::Sub]) {
            return;
        }
        let [a, b] = [1, 2].map(|operand| match inst.operands.get(operand) {
            Some(Operand::Reg(r)) => self.open.get(r).copied().filter(|&p| {
                let product = &self.products[p];
                product.is_whole && self.body[product.at].mods.ftz == inst.mods.ftz
            }),
            _ => None,
        });
        // A product that is both terms is read once more than it is fused.
        let b = b.filter(|_| a != b);
        for p in [a, b].into_iter().flatten() {
            self.products[p].sums += 1;
        }
        if a.is_some() || b.is_some() {
            self.sums.push(Candidate { at: i, products: [a, b] });
        }
    }

    /// Forgets what an instruction writes over: products, and those whose factors it changes.
    fn written(&mut self, inst: &Instruction) {
        let mut written = Vec::new();
        for operand in inst.operands.written(destinations(inst)) {
            each_register(operand, &mut |r| written.push(r));
        }
        for r in &written {
            if let Some(p) = self.open.remove(r) {
                // Some threads keep the value where a guard is false.
                self.products[p].is_over = inst.guard.is_none();
            }
        }
        if written.is_empty() {
            return;
        }
        for &p in self.open.values() {
            let factors = &self.body[self.products[p].at].operands[1..];
            if factors.iter().any(|o| matches!(o, Operand::Reg(r) if written.contains(r))) {
                self.products[p].is_whole = false;
            }
        }
    }

    /// Those that are fused: a product goes into every sum that reads it, or into none.
    fn choose(self, reads: &[u32]) -> Pairs {
        // Of each register, the reads of it that are a product's in its block.
        let mut known: HashMap<RegId, u32> = HashMap::new();
        for product in &self.products {
            *known.entry(product.register).or_default() += product.reads;
        }
        let is_known =
            |p: &Product| p.is_over || known[&p.register] == reads[p.register.0 as usize];
        let fusible = |p: &Product| p.sums > 0 && p.sums == p.reads && is_known(p);
        let mut is_fused: Vec<bool> = self.products.iter().map(fusible).collect();
        for sum in &self.sums {
            if let [Some(a), Some(b)] = sum.products
                && is_fused[a]
            {
                is_fused[b] = false;
            }
        }
        let mut pairs = Pairs::default();
        for sum in &self.sums {
            let first = (1..)
                .zip(sum.products)
                .find_map(|(operand, p)| Some((operand, p.filter(|&p| is_fused[p])?)));
            let Some((operand, p)) = first else { continue };
            let product = self.products[p].at;
            pairs.0.insert(product, Role::Product);
            pairs.0.insert(sum.at, Role::Sum(Sum { product, operand }));
        }
        pairs
    }
}
