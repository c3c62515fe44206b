//! Accumulated statistics for the report: the launches of each kernel, and repeated findings.

use super::*;
use crate::faults;
use texunit_device::runtime::Caller;
use texunit_device::{AccessKind, SourceFile};
use texunit_evidence::{Accesses, Interpreted, Kernel, Related};
use texunit_report::{CodeLocation, Host};

/// Statistics of all launches of kernels with one name.
#[derive(Debug)]
pub(super) struct KernelStatistics {
    kernel: Kernel,
    wall: Duration,
    cpu: Duration,
    /// Counts of fetches and surface accesses.
    tally: Tally,
    interpreted: InstructionCounts,
    pub(super) has_news: bool,
}

impl KernelStatistics {
    pub(super) fn new(module: &Module, function: &Function) -> Self {
        let (name, loaded) = (function.kernel.name(), &module.loaded);
        let kernel = Kernel {
            name: name.to_owned(),
            place: CodeLocation::of_function(loaded.sources(), loaded.source(), name),
            ptx_older_than_device: function.older().map(|(target, _)| format!("sm_{target}")),
            ..Kernel::default()
        };
        let (wall, cpu) = (Duration::ZERO, Duration::ZERO);
        let (tally, interpreted) = (Tally::default(), InstructionCounts::default());
        Self { kernel, wall, cpu, tally, interpreted, has_news: false }
    }

    /// Adds a launch, and returns whether it is the first.
    pub(super) fn add(
        &mut self,
        module: &Module,
        (shape, parent): (&Shape, Option<&str>),
        time: Duration,
        (stats, tally): (&LaunchStats, &Tally),
    ) -> bool {
        let product = |n: [u32; 3]| n.iter().fold(1_u64, |a, &b| a.saturating_mul(b.into()));
        let (ctas, threads) = (product(shape.grid), product(shape.block));
        self.has_news = true;
        self.wall += time;
        self.cpu += stats.cpu_time;
        self.tally.merge(tally);
        self.interpreted.add(module, stats);
        let kernel = &mut self.kernel;
        kernel.launches += 1;
        if let Some(parent) = parent {
            *kernel.launched_by.entry(parent.to_owned()).or_default() += 1;
        }
        for (sum, more) in [
            (&mut kernel.blocks, ctas),
            (&mut kernel.threads, ctas.saturating_mul(threads)),
            (&mut kernel.warp_instructions, stats.warp_instructions),
            (&mut kernel.thread_instructions, stats.thread_instructions),
            (&mut kernel.fetches, stats.fetches),
            (&mut kernel.surface_accesses, stats.surface_accesses),
            (&mut kernel.divisions_by_zero, stats.divisions_by_zero),
            (&mut kernel.accesses_past_end, stats.past_end),
        ] {
            *sum = sum.saturating_add(more);
        }
        kernel.fused_sums = kernel.fused_sums.max(stats.fusion.fused);
        kernel.undecided_sums = kernel.undecided_sums.max(stats.fusion.undecided);
        kernel.launches == 1
    }

    /// The statistics, if they have changed since the last report.
    pub(super) fn news(&mut self) -> Option<Kernel> {
        if !std::mem::take(&mut self.has_news) {
            return None;
        }
        self.kernel.milliseconds = milliseconds(self.wall);
        self.kernel.cpu_milliseconds = milliseconds(self.cpu);
        self.kernel.accesses = self.tally.0.iter().map(accesses).collect();
        self.kernel.interpreted = self.interpreted.most();
        Some(self.kernel.clone())
    }
}

/// Maximum number of counted instructions, as a program may load any number of modules.
const MAX_COUNTED: usize = 4000;

/// Instructions of a kernel that were interpreted in the middle of compiled code, with their counts
/// over all launches, by text and position in it.
#[derive(Debug, Default)]
pub(super) struct InstructionCounts(BTreeMap<(u64, u32), InstructionCount>);

#[derive(Debug, Default)]
struct InstructionCount {
    count: u64,
    /// Location and text for the report, known once the instruction was among the most frequent of
    /// a launch.
    told: Option<(CodeLocation, String)>,
}

impl InstructionCounts {
    /// Adds the counts of a launch.
    pub(super) fn add(&mut self, module: &Module, stats: &LaunchStats) {
        let all = &stats.interpreted.0;
        if all.is_empty() {
            return;
        }
        let (text, sources) = (module.loaded.source(), module.loaded.sources());
        let id = faults::text_id(text);
        for (i, &(span, count)) in all.iter().enumerate() {
            let (is_full, key) = (self.0.len() >= MAX_COUNTED, (id, span.start));
            if is_full && !self.0.contains_key(&key) {
                continue;
            }
            let row = self.0.entry(key).or_default();
            row.count = row.count.saturating_add(count);
            if i < Interpreted::MAX_KEPT && row.told.is_none() {
                let instruction = text.snippet(span).trim().to_owned();
                row.told = Some((CodeLocation::new(sources, text, span), instruction));
            }
        }
    }

    /// The most frequently interpreted instructions.
    pub(super) fn most(&self) -> Vec<Interpreted> {
        let mut all: Vec<_> =
            self.0.values().filter_map(|row| Some((row.count, row.told.as_ref()?))).collect();
        all.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        all.truncate(Interpreted::MAX_KEPT);
        let event = |(count, (place, instruction)): (u64, &(CodeLocation, String))| Interpreted {
            place: place.clone(),
            instruction: instruction.clone(),
            count,
        };
        all.into_iter().map(event).collect()
    }
}

fn accesses((&(surface, geometry, format), &count): (&AccessKind, &u64)) -> Accesses {
    Accesses {
        kind: if surface { "surface" } else { "texture" }.to_owned(),
        geometry: format!(".{geometry}"),
        format: format.to_owned(),
        count,
    }
}

pub(super) fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// A finding with its key: the module's text and the position in it.
#[derive(Debug)]
pub(super) struct ReportedFinding {
    pub(super) key: (u64, u32),
    pub(super) finding: Finding,
    pub(super) has_news: bool,
}

impl ReportedFinding {
    /// The finding, if it has changed since the last report.
    pub(super) fn news(&mut self) -> Option<Finding> {
        std::mem::take(&mut self.has_news).then(|| self.finding.clone())
    }
}

/// The location at which the faulting grid, or an ancestor, was launched.
fn launched(caller: &Caller, fault: &Fault, source: &SourceFile) -> Related {
    Related {
        text: format!("launched here by {}", texunit_report::who_called(caller)),
        place: CodeLocation::new(&fault.sources, source, caller.span),
    }
}

/// A fault as a finding.
pub(super) fn finding(fault: &Fault, module: &Module, launch: u64) -> ((u64, u32), Finding) {
    let source = module.loaded.source();
    let help = texunit_report::fault_diagnostic(fault, Host::Program).help;
    let finding = Finding {
        kind: fault.kind.name().to_owned(),
        message: faults::message(&fault.kind),
        help,
        notes: fault.kind.allocation().map(crate::allocation_trace::lines).unwrap_or_default(),
        related: fault.launched_by.iter().map(|caller| launched(caller, fault, source)).collect(),
        code: Some(faults::code(&fault.kind).name()),
        kernel: fault.kernel.clone(),
        launch,
        block: fault.cta,
        thread: fault.thread,
        place: Some(CodeLocation::of_fault(fault, source)),
        ..Finding::default()
    };
    ((faults::text_id(source), fault.span.start), finding)
}
