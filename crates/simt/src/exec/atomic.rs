//! atom and red: lanes one after the other, each atomic across threads.

use super::context::{Context, Done, Trouble, trouble};
use super::memory::{ATOMIC, load_local, store_local};
use super::warp::{Warp, lanes};
use crate::code::Atomic;
use crate::fault::FaultKind;
use texunit_isa::{AtomOp, ScalarType};
use texunit_memory::SpaceKind;

/// The new value.
pub(super) fn apply(op: AtomOp, ty: ScalarType, old: u64, b: u64, c: u64) -> u64 {
    use ScalarType as T;
    let cut = crate::lower::mask_of(ty.bits());
    let signed = |v: u64| if ty == T::S64 { v as i64 } else { i64::from(v as u32 as i32) };
    let value = match op {
        AtomOp::Add => match ty {
            T::F32 => {
                let sum = f32::from_bits(old as u32) + f32::from_bits(b as u32);
                // atom.add.f32 on global memory keeps denormals; NaNs are the canonical one.
                u64::from(if sum.is_nan() { 0x7fff_ffff } else { sum.to_bits() })
            }
            T::F64 => {
                let sum = f64::from_bits(old) + f64::from_bits(b);
                if sum.is_nan() { 0x7fff_ffff_ffff_ffff } else { sum.to_bits() }
            }
            _ => old.wrapping_add(b),
        },
        AtomOp::Min | AtomOp::Max => {
            let less = if ty.is_signed() { signed(b) < signed(old) } else { b < old };
            if less == (op == AtomOp::Min) { b } else { old }
        }
        AtomOp::Inc => {
            if old >= b {
                0
            } else {
                old + 1
            }
        }
        AtomOp::Dec => {
            if old == 0 || old > b {
                b
            } else {
                old - 1
            }
        }
        AtomOp::And => old & b,
        AtomOp::Or => old | b,
        AtomOp::Xor => old ^ b,
        AtomOp::Exch => b,
        AtomOp::Cas => {
            if old == b {
                c
            } else {
                old
            }
        }
    };
    value & cut
}

impl Context<'_> {
    pub(super) fn atomic(&mut self, warp: &mut Warp, op: &Atomic, mask: u32) -> Done {
        self.address(warp, op.base, op.offset);
        let [b, c, ..] = &mut self.sources;
        warp.read(&self.launch.constants, op.b, b);
        if op.c.is_none() {
            *c = [0; 32];
        } else {
            warp.read(&self.launch.constants, op.c, c);
        }
        let cut = crate::lower::mask_of(op.ty.bits());
        let mut old = [0; 32];
        for lane in lanes(mask) {
            let (b, c) = (self.sources[0][lane] & cut, self.sources[1][lane] & cut);
            old[lane] = self.update(warp, op, lane, |old| apply(op.op, op.ty, old, b, c))?;
        }
        warp.put(op.d, &old, u64::MAX, mask);
        Ok(())
    }

    fn update(
        &mut self,
        warp: &mut Warp,
        op: &Atomic,
        lane: usize,
        f: impl Fn(u64) -> u64,
    ) -> Result<u64, Box<Trouble>> {
        let address = self.addresses[lane];
        let size = op.ty.bytes();
        let (space, at) = self.space(warp, op.place, address);
        if !address.is_multiple_of(u64::from(size)) {
            return self.misaligned(warp, lane, at, size, space, ATOMIC);
        }
        let inside = |end: u64| at.checked_add(u64::from(size)).is_some_and(|e| e <= end);
        match space {
            SpaceKind::Param | SpaceKind::Const => {
                trouble(lane, FaultKind::ReadOnly { space, address: at })
            }
            SpaceKind::Shared if inside(self.cta.shared.len() as u64) => {
                let from = at as usize;
                let bytes = &mut self.cta.shared[from..from + size as usize];
                let mut value = [0; 8];
                value[..bytes.len()].copy_from_slice(bytes);
                let old = u64::from_le_bytes(value);
                bytes.copy_from_slice(&f(old).to_le_bytes()[..size as usize]);
                Ok(old)
            }
            SpaceKind::Local if inside(warp.local_end) => {
                let old = load_local(warp, lane, at, size as u8).unwrap_or(0);
                store_local(warp, lane, at, size as u8, f(old));
                Ok(old)
            }
            SpaceKind::Shared | SpaceKind::Local => {
                self.outside(warp, lane, at, size, space, ATOMIC)
            }
            SpaceKind::Global => {
                let map = self.launch.config.memory;
                match map.find(address, u64::from(size), self.hint) {
                    Err(error) => self.outside_global(lane, address, size, ATOMIC, &error),
                    Ok((index, offset)) => {
                        self.hint = index;
                        let block = map.block(index);
                        let old = match size {
                            2 => {
                                block.update_u16(offset, |v| f(u64::from(v)) as u16).map(u64::from)
                            }
                            4 => {
                                block.update_u32(offset, |v| f(u64::from(v)) as u32).map(u64::from)
                            }
                            _ => block.update_u64(offset, f),
                        };
                        // In bounds and aligned, as checked above.
                        Ok(old.unwrap_or(0))
                    }
                }
            }
        }
    }
}
