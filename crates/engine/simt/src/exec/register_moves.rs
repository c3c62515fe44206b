//! Executes reads of special registers and conversions of addresses.

use super::context::Context;
use super::warp::{Warp, lanes};
use crate::code::{Op, Slot};
use crate::observe::coordinates;
use texunit_isa::SpecialReg;
use texunit_memory::{WINDOW_SIZE, space_of};

impl Context<'_> {
    /// Stores the result of a read of a special register or of a conversion of an address to
    /// `self.wide`, and returns its destination; `None` for all other operations.
    pub(super) fn read_into_wide(&mut self, warp: &Warp, op: &Op, mask: u32) -> Option<Slot> {
        let constants = &self.launch.constants;
        let d = match op {
            Op::Special { d, .. }
            | Op::EnvReg { d, .. }
            | Op::FrameAddress { d, .. }
            | Op::ActiveMask { d } => *d,
            Op::Cvta { d, a, .. }
            | Op::MapShared { d, a, .. }
            | Op::SharedRank { d, a, .. }
            | Op::IsSpace { d, a, .. } => {
                warp.read(constants, *a, &mut self.wide);
                *d
            }
            _ => return None,
        };
        match op {
            Op::Special { reg, component, .. } => self.special(warp, *reg, *component),
            Op::EnvReg { number, .. } => {
                let workspace = self.launch.config.grid_workspace;
                let value = match number {
                    1 => workspace >> 32,
                    2 => workspace & u64::from(u32::MAX),
                    _ => 0,
                };
                self.wide = [value; 32];
            }
            Op::FrameAddress { offset, .. } => {
                self.wide = [warp.local_base.wrapping_add(*offset); 32];
            }
            Op::Cvta { window, to, .. } => {
                for v in &mut self.wide {
                    let inside = v.wrapping_sub(*window) < WINDOW_SIZE;
                    // Addresses of parameters are generic already.
                    if inside && *to {
                        *v -= window;
                    } else if !inside && !*to {
                        *v = v.wrapping_add(*window);
                    }
                }
            }
            Op::MapShared { rank, window, .. } => {
                let mut ranks = [0; 32];
                warp.read(constants, *rank, &mut ranks);
                for lane in lanes(mask) {
                    let address = self.wide[lane];
                    self.wide[lane] = self.map_shared(address, *window, ranks[lane] as u32);
                }
            }
            Op::SharedRank { window, .. } => {
                for lane in lanes(mask) {
                    self.wide[lane] = self.rank_of(self.wide[lane], *window).into();
                }
            }
            Op::IsSpace { space, .. } => {
                self.wide = self.wide.map(|address| (space_of(address) == *space).into());
            }
            // `ActiveMask`.
            _ => self.wide = [mask.into(); 32],
        }
        Some(d)
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
                    *to = axis(coordinates((warp.index * 32 + lane as u32).into(), config.block));
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
