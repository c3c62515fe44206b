//! Executes `atom` and `red` lane by lane, each element atomic across threads. The elements of a
//! vector are separate atomics (PTX ISA, atom).

use super::access::Found;
use super::context::Context;
use super::memory::{Change, Element};
use super::outcome::Done;
use super::target::each;
use super::warp::{Warp, lanes};
use crate::code::{Atomic, MemSpace, Slot};
use std::sync::{Mutex, MutexGuard, PoisonError};
use texunit_alu::nan64;
use texunit_alu::soft::{self, Format};
use texunit_isa::{AtomOp, ScalarType, TypeKind};

/// Locks out all other 16-byte accesses of any thread, because the host has no atomics of 16 bytes.
pub(super) fn quads() -> MutexGuard<'static, ()> {
    static QUADS: Mutex<()> = Mutex::new(());
    QUADS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Atomic addition of f32. In global memory, subnormal operands and results are flushed to zero
/// with their sign; in shared and local memory they are kept (PTX ISA, atom; ptxas emits
/// `ADD.F32.FTZ` for the former and an unflushed `FADD` for the latter).
fn sum32(a: u32, b: u32, flush: bool) -> u32 {
    let flushed = |x: u32| if flush && x << 1 >> 24 == 0 { x & 1 << 31 } else { x };
    let sum = f32::from_bits(flushed(a)) + f32::from_bits(flushed(b));
    if sum.is_nan() { 0x7fff_ffff } else { flushed(sum.to_bits()) }
}

/// Addition, minimum or maximum of two halves. Subnormals are kept.
fn half(op: AtomOp, format: Format, a: u64, b: u64) -> u64 {
    let (a, b) = (a & 0xffff, b & 0xffff);
    // A key whose integer order is the order of the half-precision numbers, with -0 before +0.
    let key = |x: u64| if x & 0x8000 == 0 { x as i32 } else { 0x7fff - x as i32 };
    match (format.is_nan(a), format.is_nan(b)) {
        _ if op == AtomOp::Add => soft::add(format, 0, a, b),
        (true, true) => format.nan,
        (true, false) => b,
        (false, true) => a,
        _ if (key(b) < key(a)) == (op == AtomOp::Min) => b,
        _ => a,
    }
}

fn halves(op: AtomOp, ty: ScalarType, old: u64, b: u64) -> u64 {
    use ScalarType as T;
    let format = if matches!(ty, T::F16 | T::F16x2) { Format::F16 } else { Format::BF16 };
    let low = half(op, format, old, b);
    match ty {
        T::F16x2 | T::Bf16x2 => low | half(op, format, old >> 16, b >> 16) << 16,
        _ => low,
    }
}

/// The new value of an element. `global`: the element is in global memory, where floating-point
/// sums have other rules.
pub(super) fn apply(op: AtomOp, ty: ScalarType, old: u64, (b, c): (u64, u64), global: bool) -> u64 {
    use ScalarType as T;
    if matches!(ty, T::F16 | T::F16x2 | T::Bf16 | T::Bf16x2) {
        return halves(op, ty, old, b);
    }
    let cut = crate::lower::mask_of(ty.bits());
    let signed = |v: u64| if ty == T::S64 { v as i64 } else { i64::from(v as u32 as i32) };
    let value = match op {
        AtomOp::Add => match ty {
            T::F32 => sum32(old as u32, b as u32, global).into(),
            T::F64 => {
                let sum = f64::from_bits(old) + f64::from_bits(b);
                // In global memory the operand's NaN has precedence over the memory's and keeps its
                // bits; in other memory the memory's NaN has precedence and becomes quiet
                // (docs/numerics.md, 13.7).
                match sum.is_nan() {
                    false => sum.to_bits(),
                    true if !global => nan64([old, b]),
                    true => [b, old]
                        .into_iter()
                        .find(|&x| f64::from_bits(x).is_nan())
                        .unwrap_or(nan64([])),
                }
            }
            _ => old.wrapping_add(b),
        },
        AtomOp::Min | AtomOp::Max => {
            let less = if ty.is_signed() { signed(b) < signed(old) } else { b < old };
            if less == (op == AtomOp::Min) { b } else { old }
        }
        AtomOp::Inc if old >= b => 0,
        AtomOp::Inc => old + 1,
        AtomOp::Dec if old == 0 || old > b => b,
        AtomOp::Dec => old - 1,
        AtomOp::And => old & b,
        AtomOp::Or => old | b,
        AtomOp::Xor => old ^ b,
        AtomOp::Exch => b,
        AtomOp::Cas if old == b => c,
        AtomOp::Cas => old,
    };
    value & cut
}

impl Context<'_> {
    pub(super) fn atomic(&mut self, warp: &mut Warp, op: &Atomic, mask: u32) -> Done {
        if self.wait_trace.is_none() && self.atomic_stream(warp, op, mask) {
            return Ok(());
        }
        self.address(warp, op.access.at.base, op.access.at.offset);
        if op.ty == ScalarType::B128 {
            return self.atomic_quad(warp, op, mask);
        }
        let size = op.ty.bytes();
        let total = op.access.total();
        for (k, (&d, &b)) in op.access.parts.iter().zip(&op.b).enumerate() {
            self.read_operands(warp, op, b);
            let mut old = [0; 32];
            for lane in lanes(mask) {
                let (b, c) = (self.sources[0][lane], self.sources[1][lane]);
                let at = (k as u32 * size, size, total);
                let place = (op.access.at.mem_space, self.addresses[lane]);
                let new = |old, global| apply(op.op, op.ty, old, (b, c), global);
                old[lane] = self.update(warp, place, lane, at, new)?;
            }
            warp.put(d, &old, u64::MAX, mask);
        }
        Ok(())
    }

    /// Reads the element `b` and the other operand of an atomic into [`Context::sources`].
    #[inline]
    fn read_operands(&mut self, warp: &Warp, op: &Atomic, b: Slot) {
        let cut = crate::lower::mask_of(op.ty.bits());
        let [bs, cs, ..] = &mut self.sources;
        warp.read(&self.launch.constants, b, bs);
        match op.c.first() {
            Some(&c) => warp.read(&self.launch.constants, c, cs),
            None => *cs = [0; 32],
        }
        bs.iter_mut().chain(cs).for_each(|value| *value &= cut);
    }

    /// Executes an atomic by the fast path. Returns false, with nothing changed, if a lane would
    /// fault or the fast path does not support the operation.
    fn atomic_stream(&mut self, warp: &mut Warp, op: &Atomic, mask: u32) -> bool {
        if op.ty == ScalarType::B128 {
            return false;
        }
        let Some(found) = self.find_atomic(warp, op, mask) else { return false };
        let (size, is_global) = (op.ty.bytes() as u8, matches!(found, Found::Global(_)));
        let kind = op.ty.kind();
        let is_integer = matches!(kind, TypeKind::Unsigned | TypeKind::Signed | TypeKind::Bits);
        for (k, (&d, &b)) in (0..).zip(op.access.parts.iter().zip(&op.b)) {
            self.read_operands(warp, op, b);
            let [bs, cs, ..] = &self.sources;
            let target = &mut found.target(&mut self.cta.shared, &[], &mut warp.local);
            let (old, at) = (&mut self.wide, (&self.addresses, k * u64::from(size)));
            let new = |lane, old| apply(op.op, op.ty, old, (bs[lane], cs[lane]), is_global);
            // Integer sums have a loop for each size, so that the size is a constant in the loop.
            match (op.op, size) {
                (AtomOp::Add, 4) if is_integer => {
                    each(old, mask, at, |lane, at| target.add(lane, at, 4, bs[lane]));
                }
                (AtomOp::Add, 8) if is_integer => {
                    each(old, mask, at, |lane, at| target.add(lane, at, 8, bs[lane]));
                }
                _ => each(old, mask, at, |lane, at| {
                    target.update(lane, at, size, |old| new(lane, old))
                }),
            }
            warp.put(d, &self.wide, u64::MAX, mask);
        }
        true
    }

    /// Executes `exch` and `cas` of 16 bytes.
    fn atomic_quad(&mut self, warp: &mut Warp, op: &Atomic, mask: u32) -> Done {
        let mut halves = [[0u64; 32]; 4];
        for (to, &slot) in halves.iter_mut().zip(op.b.iter().chain(&op.c)) {
            warp.read(&self.launch.constants, slot, to);
        }
        let mut old = [[0u64; 32]; 2];
        let _one_at_a_time = quads();
        for lane in lanes(mask) {
            let place = (op.access.at.mem_space, self.addresses[lane]);
            let [low, high] =
                [0, 8].map(|at| self.update(warp, place, lane, (at, 8, 16), |v, _| v));
            (old[0][lane], old[1][lane]) = (low?, high?);
            let [b, c] = [0, 2].map(|n| [halves[n][lane], halves[n + 1][lane]]);
            let new = match op.op {
                AtomOp::Cas if b == [old[0][lane], old[1][lane]] => c,
                AtomOp::Cas => continue,
                _ => b,
            };
            self.update(warp, place, lane, (0, 8, 16), |_, _| new[0])?;
            self.update(warp, place, lane, (8, 8, 16), |_, _| new[1])?;
        }
        for (&d, old) in op.access.parts.iter().zip(&old) {
            warp.put(d, old, u64::MAX, mask);
        }
        Ok(())
    }

    /// Updates one element of an access, given the offset and size of the element and the total
    /// size of the access. `f` is given the old value and whether the element is in global memory.
    pub(super) fn update(
        &mut self,
        warp: &mut Warp,
        (mem_space, address): (MemSpace, u64),
        lane: usize,
        (offset, size, total): (u32, u32, u32),
        f: impl Fn(u64, bool) -> u64,
    ) -> Done<u64> {
        let (offset, size) = (offset.into(), size as u8);
        let element = Element { mem_space, address, offset, size, total };
        self.access_one(warp, lane, element, &Change::Update(&f))
    }
}
