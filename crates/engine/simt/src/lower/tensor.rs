//! Lowers the tensor-core instructions `mma` and `wmma`. Loads and stores of `wmma` become ordinary
//! loads and stores of each lane, as with ptxas.

use super::builder::{Builder, mask_of};
use crate::code::{Access, Located, Mma, Op, Slot};
use std::sync::Arc;
use texunit_alu::{Kind, soft};
use texunit_check::ir::{Instruction, Operand};
use texunit_isa::{Modifiers, Opcode, Rounding};
use texunit_tensor::{BitOperation, ElementType, Fragment, Operation, Order, Product, Shape};

/// A matrix (A, B, C or D) and its order in memory.
#[derive(Clone, Copy)]
struct MatrixOrder {
    matrix: usize,
    order: Order,
}

fn orders(mods: &Modifiers) -> impl Iterator<Item = Order> {
    mods.actions.iter().filter_map(|word| match *word {
        "row" => Some(Order::Row),
        "col" => Some(Order::Column),
        _ => None,
    })
}

fn numbers(mods: &Modifiers) -> Vec<ElementType> {
    mods.types.iter().filter_map(|ty| ElementType::from_name(ty.name())).collect()
}

/// The product that an instruction computes.
fn product(mods: &Modifiers) -> Option<Product> {
    let shape = mods.actions.iter().find_map(|word| Shape::from_name(word))?;
    let (d, a, b, c) = match numbers(mods)[..] {
        [d, a, b, c] => (d, a, b, c),
        // `wmma.mma` with f16 factors specifies only the types of D and C.
        [d, c] => (d, ElementType::F16, ElementType::F16, c),
        _ => return None,
    };
    let operation = if mods.acts("and") { BitOperation::And } else { BitOperation::Xor };
    let sparse = mods.acts("sp") || mods.acts("sp::ordered_metadata");
    let saturate = mods.satfinite;
    Some(Product { shape, a, b, c, d, saturate, operation, sparse, wmma: false })
}

/// The product that an `mma` or `wmma.mma` computes, with the layout of its matrices.
pub(crate) fn product_of(opcode: Opcode, mods: &Modifiers, selector: u8) -> Option<Arc<Operation>> {
    let (product, mut orders) = (product(mods)?, orders(mods));
    let orders = (orders.next().unwrap_or_default(), orders.next().unwrap_or_default());
    let operation = match opcode {
        Opcode::Wmma => Operation::wmma(product),
        _ => Operation::mma(product, orders, selector),
    };
    Some(Arc::new(match mods.rounding {
        None | Some(Rounding::Rn) => operation,
        Some(Rounding::Rz) => operation.rounding(directed::<{ soft::RZ }>),
        Some(Rounding::Rm) => operation.rounding(directed::<{ soft::RM }>),
        Some(_) => operation.rounding(directed::<{ soft::RP }>),
    }))
}

/// The fragment that a `wmma` load or store transfers. The types of the other matrices are chosen
/// to match.
fn fragment(mods: &Modifiers) -> Option<(Fragment, ElementType, MatrixOrder)> {
    let shape = mods.actions.iter().find_map(|word| Shape::from_name(word))?;
    let (number, order) = (*numbers(mods).first()?, orders(mods).next()?);
    let matrix = ["a", "b", "c", "d"].iter().position(|name| mods.acts(name))?;
    let factor = match (matrix, number) {
        (0 | 1, number) | (_, number @ ElementType::F64) => number,
        _ if shape.k == 8 => ElementType::Tf32,
        _ if shape.k == 32 => ElementType::S4,
        _ if shape.k == 128 => ElementType::B1,
        _ => ElementType::Bf16,
    };
    let sum = if matrix < 2 { ElementType::F32 } else { number };
    let (saturate, operation, sparse, wmma) = (false, BitOperation::Xor, false, true);
    let product =
        Product { shape, a: factor, b: factor, c: sum, d: sum, saturate, operation, sparse, wmma };
    let operation = Operation::wmma(product);
    Some((operation.fragments().get(matrix)?.clone(), number, MatrixOrder { matrix, order }))
}

impl MatrixOrder {
    /// Line and position within it, in memory, of an element.
    fn place(self, (y, x): (usize, usize)) -> (usize, usize) {
        // In A x is the row, in B the column; in C and D y is the column.
        let by_x = match self.matrix {
            1 => self.order == Order::Column,
            _ => self.order == Order::Row,
        };
        if by_x { (x, y) } else { (y, x) }
    }

    /// Default number of elements from line to line.
    fn line(self, shape: Shape) -> u16 {
        let (rows, columns) = match self.matrix {
            0 => (shape.m, shape.k),
            1 => (shape.k, shape.n),
            _ => (shape.m, shape.n),
        };
        if self.order == Order::Row { columns } else { rows }
    }
}

impl<'a> Builder<'a> {
    pub(super) fn product(&mut self, inst: &'a Instruction) -> Option<()> {
        let [Operand::Vector(d), a, b, c, rest @ ..] = &inst.operands[..] else { return None };
        let is_wide = product(&inst.mods)?.a == ElementType::F64;
        let mut sources: [Vec<Slot>; 3] = Default::default();
        for (slots, operand) in sources.iter_mut().zip([a, b, c]) {
            let Operand::Vector(parts) = operand else { return None };
            *slots = parts.iter().map(|part| self.source(part, is_wide)).collect::<Option<_>>()?;
        }
        let d: Option<Vec<Slot>> = d.iter().map(|part| self.destination(part)).collect();
        let (metadata, selector) = match rest {
            [metadata, Operand::Imm(selector)] => (self.narrow(metadata)?, *selector as u8),
            _ => (Slot::NONE, 0),
        };
        let operation = product_of(inst.opcode, &inst.mods, selector)?;
        let members = self.constant(u32::MAX.into(), false);
        let op = Mma { operation, sources, d: d?, metadata, members };
        self.unguarded(|b| b.emit(Op::Mma(Box::new(op))))
    }

    /// Lowers `wmma.load` and `wmma.store`, register by register.
    pub(super) fn fragment_access(&mut self, inst: &'a Instruction) -> Option<()> {
        let m = &inst.mods;
        let loads = m.acts("load");
        let (parts, address, stride) = match (&inst.operands[..], loads) {
            ([Operand::Vector(parts), address, stride @ ..], true) => (parts, address, stride),
            ([address, Operand::Vector(parts), stride @ ..], false) => (parts, address, stride),
            _ => return None,
        };
        let (fragment, number, held) = fragment(m)?;
        let shape = m.actions.iter().find_map(|word| Shape::from_name(word))?;
        let at = self.located(address, m.space)?;
        let stride = match stride.first() {
            Some(stride) => self.narrow(stride)?,
            None => self.constant(held.line(shape).into(), false),
        };
        let wide = number == ElementType::F64;
        let slots = parts.iter().map(|part| match loads {
            true => self.destination(part),
            false => self.source(part, wide),
        });
        let slots = slots.collect::<Option<Vec<Slot>>>()?;
        let members = self.constant(u32::MAX.into(), false);
        self.unguarded(|b| {
            b.emit(Op::Converge { members });
            b.moved(&fragment, (number, held), (at, stride), (&slots, loads))
        })
    }

    /// Emits the loads or stores of a fragment's registers.
    fn moved(
        &mut self,
        fragment: &Fragment,
        (number, held): (ElementType, MatrixOrder),
        (at, stride): (Located, Slot),
        (slots, loads): (&[Slot], bool),
    ) -> Option<()> {
        // Positions are sums of a part that depends on the lane and one that depends on the
        // register.
        let place =
            |register, lane, element| held.place(fragment.position(register, lane, element));
        let bits = number.bits();
        // Strides of single-bit matrices are in words.
        let unit = if number == ElementType::B1 { 32 } else { bits as usize };
        let bytes = |elements: usize| (elements * unit / 8) as u64;
        let lane = self.narrow.temporary();
        self.helper(Op::Special { d: lane, reg: texunit_isa::SpecialReg::Laneid, component: 0 });
        // The distance in bytes from line to line.
        let (kind, by) = if bits < 8 { (Kind::ShrU, 8 / bits) } else { (Kind::Shl, bits / 8) };
        let by = self.constant(by.trailing_zeros().into(), false);
        let stride = self.prepared(kind, &[stride, by]);
        // Lane 1 differs from lane 0 in its position in the group of four lanes, lane 4 in its
        // group.
        let (first, next, group) = (place(0, 0, 0), place(0, 1, 0), place(0, 4, 0));
        let mut base = at.base;
        if base.is_none() {
            base = self.constant(0, true);
        } else if !base.is_wide() {
            base = self.converted(base, true);
        }
        // The position of the lane in its group of four, and its group.
        for (kind, number, by) in [(Kind::And, 3, next), (Kind::ShrU, 2, group)] {
            let number = self.constant(number, false);
            let part = self.prepared(kind, &[lane, number]);
            let lines = self.constant((by.0 - first.0) as u64, false);
            let line = self.prepared(Kind::MulLo, &[part, lines]);
            base = self.prepared(Kind::MadWideU, &[line, stride, base]);
            let across = self.constant(bytes(by.1 - first.1), false);
            base = self.prepared(Kind::MadWideU, &[part, across, base]);
        }
        for (register, &slot) in slots.iter().enumerate() {
            let elements: Vec<_> =
                (0..fragment.elements()).map(|e| place(register, 0, e)).collect();
            let together = elements.windows(2).all(|pair| pair[0].0 == pair[1].0);
            let (count, size) = match together {
                true => (1, if bits == 64 { 8 } else { 4 }),
                false => (elements.len(), (bits / 8) as u8),
            };
            if slot.is_none() {
                continue;
            }
            let temporaries: Vec<Slot> = match count {
                1 => vec![slot],
                _ => (0..count).map(|_| self.narrow.temporary()).collect(),
            };
            let bits = 8 * u32::from(size);
            if count > 1 && !loads {
                let ops = self.unpack_ops(&temporaries, slot, bits)?;
                ops.into_iter().for_each(|op| self.helper(op));
            }
            for (part, &(line, across)) in temporaries.iter().zip(&elements) {
                let lines = self.constant(line as u64, false);
                let base = match line {
                    0 => base,
                    _ => self.prepared(Kind::MadWideU, &[stride, lines, base]),
                };
                let offset = at.offset.wrapping_add(bytes(across));
                let mut access =
                    Box::new(Access::new(Located { base, offset, ..at }, size, vec![*part]));
                access.mask = mask_of(bits);
                self.helper(if loads { Op::Load(access) } else { Op::Store(access) });
            }
            if count > 1 && loads {
                let ops = self.pack_ops(slot, &temporaries, bits)?;
                ops.into_iter().for_each(|op| self.helper(op));
            }
        }
        Some(())
    }
}

/// Multiply-add of doubles with one rounding in the direction `MODE`.
fn directed<const MODE: u8>(a: u64, b: u64, c: u64) -> u64 {
    soft::fma(soft::Format::F64, MODE, a, b, c)
}
