//! Prepares a launch: code, constants, layout of shared memory, number of workers.

use super::context::Launch;
use super::shadow::state::Shadows;
use crate::clock::Moment;
use crate::code::Func;
use crate::launch::{Arithmetic, Bounds, SHARED_ROUNDING};
use crate::lower::{KernelId, Program, Unit};
use crate::marks::MarkedCode;
use crate::observe::{Events, LaunchConfig};
use crate::regions::{JitMode, Setting};

/// Limit of the bytes of registers, local and shared memory of all CTAs that run concurrently; one
/// CTA always runs.
const MAX_CTA_MEMORY: u64 = 2 << 30;

/// Bytes of a warp's registers and local memory without calls.
fn warp_size(kernel: &Func) -> u64 {
    let [narrow, wide, predicates, frame] =
        [kernel.narrow, kernel.wide, kernel.predicates, kernel.frame].map(u64::from);
    narrow * 32 * 4 + wide * 32 * 8 + predicates * 4 + frame * 32
}

/// Bytes of shared memory reserved for the system: barriers and scratch memory of cooperative
/// groups of several warps.
const RESERVED_SHARED: usize = 1024;

impl Program {
    /// Maximum number of CTAs of a cooperative launch that can run concurrently, given the memory
    /// for their registers, local and shared variables.
    pub fn max_cooperative_ctas(&self, kernel: KernelId, threads: u32, dynamic_shared: u32) -> u64 {
        let func = &self.unit(kernel, Arithmetic::default()).code.funcs[0];
        let shared = self.shared_layout(kernel).dynamic.saturating_add(dynamic_shared.into());
        let warps = u64::from(threads.div_ceil(32).max(1));
        let size = (warps * warp_size(func)).saturating_add(shared) + CTA_OVERHEAD;
        (MAX_CTA_MEMORY / size).max(1)
    }
}

/// Approximate number of bytes for a CTA besides its memory.
const CTA_OVERHEAD: u64 = 16 * 1024;

pub(super) fn prepare<'a>(
    (program, kernel, unit): (&'a Program, KernelId, &'a Unit),
    config: &'a LaunchConfig<'a>,
    (events, observed): (Events, Option<&'a MarkedCode>),
    (threads, ctas): (u32, u64),
) -> Launch<'a> {
    let marked = observed.and_then(|observed| observed.code.as_ref());
    let code = marked.unwrap_or(&unit.code);
    let regions = match observed {
        Some(observed) if marked.is_some() => &observed.regions,
        _ => &unit.regions,
    };
    let jit = if config.schedule.is_some() { Some(JitMode::Off) } else { config.jit };
    let regions = Setting::of(jit).map(|how| (regions.begin(code, config.block), how));
    let entry = unit.number(kernel.0).unwrap_or(0);
    let layout = program.shared_layout(kernel);
    let mut constants = code.constants.clone();
    for patch in &code.patches {
        let at = layout.offsets.get(&patch.variable).copied().unwrap_or(0);
        let address = at.wrapping_add(patch.addend);
        if patch.slot.is_wide() {
            constants.wide[patch.slot.index()] = [address; 32];
        } else {
            constants.narrow[patch.slot.index()] = [address as u32; 32];
        }
    }
    // The loader has checked the size; no device has more than a few hundred KiB.
    let shared_size = layout.dynamic.saturating_add(u64::from(config.dynamic_shared)).min(1 << 30);
    let warps = threads.div_ceil(32);
    let cta_size = u64::from(warps) * warp_size(&code.funcs[entry as usize]) + shared_size;
    let rounded = u64::from(config.dynamic_shared).next_multiple_of(SHARED_ROUNDING.into());
    let shared_rounded = layout.dynamic.saturating_add(rounded).min(1 << 30);
    let end = match config.bounds {
        Bounds::Exact => shared_size,
        Bounds::Hardware => shared_rounded,
    };
    let reserved_at = end.next_multiple_of(16) as usize;
    let reserved = if program.uses_reserved_shared(kernel) { RESERVED_SHARED } else { 0 };
    let fit = MAX_CTA_MEMORY / cta_size.max(1);
    let workers = match (config.schedule, config.threads) {
        (Some(_), _) => 1,
        (None, 0) => texunit_threads::cores() as u64,
        (None, threads) => threads as u64,
    };
    let workers = workers.min(fit).min(ctas).clamp(1, 1024) as usize;
    let reserved = if reserved == 0 { (end as usize, 0) } else { (reserved_at, reserved) };
    let shared_len = match config.bounds {
        Bounds::Exact => reserved.0 + reserved.1,
        Bounds::Hardware => shared_size as usize,
    };
    let mut launch = Launch {
        program,
        kernel,
        unit,
        entry,
        config,
        code,
        events,
        observed,
        constants,
        shared_size: shared_size as usize,
        shared_rounded,
        shared_len,
        reserved,
        shared: layout,
        threads,
        warps,
        workers,
        fit,
        counters: observed.map_or(0, |observed| observed.counters),
        start: Moment::now(),
        regions,
        shadows: None,
    };
    let memory = &launch.config.memory;
    launch.shadows = Shadows::of(launch.events, memory, launch.workers, launch.shared_len);
    launch
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::lower_text;
    use texunit_testkit::ptx;

    fn workers(registers: usize, block: u32, threads: usize) -> usize {
        use std::fmt::Write;
        let mut body = format!(".reg .b64 %rd<{registers}>;\n");
        for i in 1..registers {
            let _ = writeln!(body, "add.u64 %rd{i}, %rd{}, 1;", i - 1);
        }
        let text = ptx::kernel(ptx::SM_75, "", &(body + "ret;"));
        let program = lower_text(&text);
        let kernel = program.kernel("k").expect("declared");
        let (memory, descriptors) = Default::default();
        let (grid, block_shape) = ([64, 1, 1], [block, 1, 1]);
        let mut config = LaunchConfig::new(grid, block_shape, &memory, &descriptors);
        (config.options.threads, config.options.stack_limit) = (threads, 0);
        let of = (&program, kernel, program.unit(kernel, Arithmetic::default()));
        prepare(of, &config, (Events::NONE, None), (block, 64)).workers
    }

    #[test]
    fn workers_are_fewer_where_ctas_are_huge() {
        assert_eq!(workers(10, 1024, 40), 40);
        assert_eq!(workers(10, 32, 1000), 64, "no more than CTAs");
        // 20,000 registers of 8 bytes in 1024 threads: 160 MB per CTA.
        assert_eq!(workers(20_000, 1024, 40), 13);
        assert_eq!(workers(20_000, 32, 40), 40);
    }
}
