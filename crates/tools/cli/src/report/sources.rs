//! Combines source lines with their counts.

use super::inputs::Inputs;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use texunit_forms::Count;
use texunit_profile::{Counts, Line};
use texunit_report::grouped;

/// Number of context lines around a line with counts.
const AROUND: u32 = 3;
/// Maximum length of a line.
const LONGEST: usize = 200;
/// Maximum size of a source file in bytes.
const LARGEST: u64 = 16 << 20;

/// A source file.
#[derive(Debug, Serialize)]
pub(super) struct Source {
    pub(super) name: String,
    /// The number of the source, for links.
    pub(super) id: usize,
    /// Whether the file is not on this machine.
    pub(super) is_absent: bool,
    pub(super) rows: Vec<SourceRow>,
    /// Total number of thread instructions, by which sources are sorted.
    #[serde(skip)]
    weight: u64,
}

/// A line, or a gap between lines.
#[derive(Debug, Default, Serialize)]
pub(super) struct SourceRow {
    /// The line number; 0 for a gap.
    pub(super) line: u32,
    pub(super) text: String,
    /// CSS classes for the heat of each count.
    pub(super) heat: String,
    /// The values of the columns, empty where there is none.
    pub(super) cells: Vec<String>,
}

/// A column of numbers: the letter of its CSS classes, its heading, and its count.
pub(super) type Column = (char, &'static str, fn(&Counts) -> u64);

/// The columns besides coverage, whose letter is `c`.
pub(super) const COLUMNS: [Column; 6] = [
    ('t', "threads", |c| c.thread_instructions),
    ('w', "warps", |c| c.warp_instructions),
    ('d', "divergent", |c| c.divergent_branches),
    ('s', "sectors", |c| c.global_sectors() + c.local_load.sectors + c.local_store.sectors),
    ('b', "conflicts", |c| c.shared_load.bank_conflicts + c.shared_store.bank_conflicts),
    ('x', "texels", |c| c.texture.texels),
];

/// All sources with counts, those with the most instructions first; lines beyond `room` are left
/// out.
pub(super) fn all(found: &Inputs, mut room: usize, notes: &mut Vec<String>) -> Vec<Source> {
    let mut lines: BTreeMap<String, BTreeMap<u32, Counts>> = BTreeMap::new();
    for kernel in found.profile.kernels.values() {
        for Line { file, line, counts, .. } in kernel.all_lines() {
            lines.entry(file).or_default().entry(line).or_default().add(&counts);
        }
    }
    let names: BTreeSet<&String> = lines.keys().chain(found.coverage.files.keys()).collect();
    let empty = BTreeMap::new();
    let mut left_out = 0;
    let mut sources: Vec<Source> = names
        .into_iter()
        .map(|name| {
            let covered = found.coverage.files.get(name).map(|file| &file.lines);
            source(name, lines.get(name).unwrap_or(&empty), covered)
        })
        .collect();
    sources.sort_by_key(|source| std::cmp::Reverse(source.weight));
    for (id, source) in sources.iter_mut().enumerate() {
        source.id = id;
        let kept = source.rows.len().min(room);
        left_out += source.rows.len() - kept;
        source.rows.truncate(kept);
        room -= kept;
    }
    if left_out > 0 {
        notes.push(format!(
            "left out: {} of sources, so that the page stays below 5 MiB",
            Count(left_out, "line")
        ));
    }
    sources
}

fn source(
    name: &str,
    counts: &BTreeMap<u32, Counts>,
    covered: Option<&BTreeMap<u32, u64>>,
) -> Source {
    let small = std::fs::metadata(name).is_ok_and(|m| m.is_file() && m.len() <= LARGEST);
    let text = small.then(|| std::fs::read(name).ok()).flatten();
    let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let texts: Vec<&str> = text.as_deref().map_or_else(Vec::new, |text| text.lines().collect());
    let known: BTreeSet<u32> =
        counts.keys().chain(covered.into_iter().flatten().map(|(line, _)| line)).copied().collect();
    let shown: BTreeSet<u32> = match texts.is_empty() {
        true => known.clone(),
        false => known
            .iter()
            .flat_map(|&line| line.saturating_sub(AROUND).max(1)..=line.saturating_add(AROUND))
            .filter(|&line| line as usize <= texts.len() || known.contains(&line))
            .collect(),
    };
    let most: Vec<u64> =
        COLUMNS.iter().map(|(_, _, of)| counts.values().map(of).max().unwrap_or(0)).collect();
    let most_covered = covered.into_iter().flatten().map(|(_, n)| *n).max().unwrap_or(0);
    let mut rows = Vec::new();
    let mut before = 0;
    for &line in &shown {
        if line != before + 1 {
            rows.push(SourceRow::default());
        }
        before = line;
        let mut heat = String::new();
        let mut cells = Vec::new();
        match covered.and_then(|lines| lines.get(&line)) {
            Some(&0) => {
                heat += "cn ";
                cells.push("0".to_owned());
            }
            Some(&n) => {
                heat += &format!("c{} ", warmth(n, most_covered));
                cells.push(grouped(n));
            }
            None => cells.push(String::new()),
        }
        let own = counts.get(&line);
        for ((letter, _, of), &most) in COLUMNS.iter().zip(&most) {
            let n = own.map_or(0, of);
            if n > 0 {
                heat += &format!("{letter}{} ", warmth(n, most));
            }
            cells.push(if n > 0 { grouped(n) } else { String::new() });
        }
        let text = texts.get(line as usize - 1).map_or("", |text| text.trim_end());
        let text: String = text.chars().take(LONGEST).collect();
        rows.push(SourceRow { line, text, heat: heat.trim_end().to_owned(), cells });
    }
    let weight = counts.values().map(|counts| counts.thread_instructions).sum();
    Source { name: name.to_owned(), id: 0, is_absent: texts.is_empty(), rows, weight }
}

/// The heat from 1 to 9, by the ratio to the maximum: each step is half of the next.
fn warmth(n: u64, most: u64) -> u32 {
    let halvings = (most.max(1) / n.max(1)).ilog2();
    9 - halvings.min(8)
}
