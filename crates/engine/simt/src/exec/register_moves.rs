//! Executes reads of special registers and conversions of addresses.

use super::context::Context;
use super::warp::{Warp, lanes, lanes_where, thread_of};
use crate::code::{Op, Slot};
use texunit_isa::SpecialReg;
use texunit_memory::{WINDOW_SIZE, space_of};

impl Context<'_> {
    pub(super) fn transfer(&mut self, warp: &mut Warp, op: &Op, mask: u32) {
        let constants = &self.launch.constants;
        match op {
            Op::Special { d, reg, component } => {
                self.special(warp, *reg, *component);
                warp.put(*d, &self.wide, u64::MAX, mask);
            }
            Op::FrameAddress { d, offset } => {
                self.wide = [warp.local_base.wrapping_add(*offset); 32];
                warp.put(*d, &self.wide, u64::MAX, mask);
            }
            Op::Cvta { d, a, window, to } => {
                warp.read(constants, *a, &mut self.wide);
                for v in &mut self.wide {
                    let inside = v.wrapping_sub(*window) < WINDOW_SIZE;
                    // Addresses of parameters are generic already.
                    if inside && *to {
                        *v -= window;
                    } else if !inside && !*to {
                        *v = v.wrapping_add(*window);
                    }
                }
                warp.put(*d, &self.wide, u64::MAX, mask);
            }
            Op::MapShared { d, a, rank, window } => {
                warp.read(constants, *a, &mut self.wide);
                let mut ranks = [0; 32];
                warp.read(constants, *rank, &mut ranks);
                for lane in lanes(mask) {
                    let address = self.wide[lane];
                    self.wide[lane] = self.map_shared(address, *window, ranks[lane] as u32);
                }
                warp.put(*d, &self.wide, u64::MAX, mask);
            }
            Op::SharedRank { d, a, window } => {
                warp.read(constants, *a, &mut self.wide);
                for lane in lanes(mask) {
                    self.wide[lane] = self.rank_of(self.wide[lane], *window).into();
                }
                warp.put(*d, &self.wide, u64::MAX, mask);
            }
            Op::IsSpace { d, a, space } => {
                warp.read(constants, *a, &mut self.wide);
                let is = lanes_where(u32::MAX, |lane| space_of(self.wide[lane]) == *space);
                warp.put_p(*d, is, mask);
            }
            // All other operations are executed by other functions.
            _ => {}
        }
    }

    /// Stores the value of a special register in each lane to `self.wide`.
    fn special(&mut self, warp: &Warp, reg: SpecialReg, component: u8) {
        use SpecialReg as R;
        let launch = self.launch;
        let config = launch.config;
        let axis = |v: [u32; 3]| u64::from(v.get(component as usize).copied().unwrap_or(0));
        let nanoseconds = || launch.start.elapsed().as_nanos() as u64;
        let one = match reg {
            R::Tid => {
                for (lane, to) in self.wide.iter_mut().enumerate() {
                    *to = axis(thread_of(warp.index * 32 + lane as u32, config.block));
                }
                return;
            }
            R::Laneid
            | R::LanemaskEq
            | R::LanemaskLe
            | R::LanemaskLt
            | R::LanemaskGe
            | R::LanemaskGt => {
                for (lane, to) in self.wide.iter_mut().enumerate() {
                    *to = u64::from(lane_value(reg, lane as u32));
                }
                return;
            }
            R::Ntid => axis(config.block),
            R::Ctaid => axis(self.cta.id),
            R::Nctaid => axis(config.grid),
            R::Gridid => config.grid_id,
            R::Warpid => u64::from(warp.index),
            R::Nwarpid => u64::from(launch.warps),
            R::Smid => self.worker as u64,
            R::Nsmid => launch.workers as u64,
            R::Clock => warp.steps & 0xffff_ffff,
            R::ClockHi => warp.steps >> 32,
            R::Clock64 => warp.steps,
            R::Globaltimer => nanoseconds(),
            R::GlobaltimerLo => nanoseconds() & 0xffff_ffff,
            R::GlobaltimerHi => nanoseconds() >> 32,
            R::DynamicSmemSize => u64::from(config.dynamic_shared),
            R::TotalSmemSize => launch.shared_size as u64,
            R::AggrSmemSize => (launch.shared_size + launch.reserved.1) as u64,
            R::ReservedSmemOffsetBegin | R::ReservedSmemOffset0 => launch.reserved.0 as u64,
            R::ReservedSmemOffset1 => (launch.reserved.0 + launch.reserved.1 / 2) as u64,
            R::ReservedSmemOffsetEnd => (launch.reserved.0 + launch.reserved.1) as u64,
            R::ReservedSmemOffsetCap => launch.reserved.1 as u64,
            R::Clusterid => axis(self.cluster_place().0),
            R::Nclusterid => {
                let of = launch.cluster_shape();
                axis([0, 1, 2].map(|i| config.grid[i] / of[i]))
            }
            R::ClusterNctaid => axis(launch.cluster_shape()),
            R::ClusterNctarank => launch.cluster_size(),
            R::ClusterCtaid => axis(self.cluster_place().1),
            R::ClusterCtarank => self.cluster_place().2.into(),
            R::IsExplicitCluster => config.cluster.is_some().into(),
            R::CurrentGraphExec => config.graph,
        };
        self.wide = [one; 32];
    }

    /// Stores the addresses of an access to `self.addresses`.
    #[inline]
    pub(super) fn address(&mut self, warp: &Warp, base: Slot, offset: u64) {
        if base.is_none() {
            self.addresses = [offset; 32];
        } else if base.is_wide() {
            for (to, v) in self.addresses.iter_mut().zip(warp.w(&self.launch.constants, base)) {
                *to = v.wrapping_add(offset);
            }
        } else {
            for (to, v) in self.addresses.iter_mut().zip(warp.n(&self.launch.constants, base)) {
                *to = u64::from(v.wrapping_add(offset as u32));
            }
        }
    }
}

fn lane_value(reg: SpecialReg, lane: u32) -> u32 {
    let eq = 1_u32 << lane;
    match reg {
        SpecialReg::LanemaskEq => eq,
        SpecialReg::LanemaskLt => eq - 1,
        SpecialReg::LanemaskLe => eq | (eq - 1),
        SpecialReg::LanemaskGe => !(eq - 1),
        SpecialReg::LanemaskGt => !(eq | (eq - 1)),
        _ => lane,
    }
}
