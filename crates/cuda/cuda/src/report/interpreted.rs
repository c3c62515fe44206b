//! Instructions of a kernel that were interpreted in the middle of compiled code, with their counts
//! over all launches.

use super::*;
use crate::faults;
use texunit_evidence::Interpreted;
use texunit_report::CodeLocation;

/// Maximum number of counted instructions, as a program may load any number of modules.
const MAX_COUNTED: usize = 4000;

/// Counts by text and position in it.
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
        let told = self.0.values().filter_map(|row| Some((row.count, row.told.as_ref()?)));
        let mut all: Vec<_> = told.collect();
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
