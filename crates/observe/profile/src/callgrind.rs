//! The Callgrind file format (Valgrind's manual, "Callgrind Format Specification"), which
//! KCachegrind, QCachegrind and `callgrind_annotate` read: costs by source line, with functions as
//! the compiler has inlined them.

use crate::counts::Counts;
use crate::data::{Kernel, Profile};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A Callgrind event type: its name, its description, and the function that reads it from counts.
type Event = (&'static str, &'static str, fn(&Counts) -> u64);

/// The event types; viewers show the first one by default.
const EVENTS: [Event; 11] = [
    ("Threads", "Thread instructions", |c| c.thread_instructions),
    ("Warps", "Warp instructions", |c| c.warp_instructions),
    ("Divergent", "Divergent branches", |c| c.divergent_branches),
    ("GlobalSectors", "Sectors of global memory", Counts::global_sectors),
    ("IdealSectors", "Ideal sectors of global memory", |c| {
        c.global_load.ideal_sectors + c.global_store.ideal_sectors
    }),
    ("BankConflicts", "Bank conflicts of shared memory", |c| {
        c.shared_load.bank_conflicts + c.shared_store.bank_conflicts
    }),
    ("Atomics", "Atomics, a lane each", |c| c.global_atomic.threads + c.shared_atomic.threads),
    ("LocalSectors", "Sectors of local memory", |c| c.local_load.sectors + c.local_store.sectors),
    ("Fetches", "Texture fetches", |c| c.texture.fetches),
    ("Texels", "Texels read", |c| c.texture.texels),
    ("TextureSectors", "Sectors of textures", |c| c.texture.sectors + c.surface.sectors),
];

/// Formats a profile as a Callgrind file.
pub fn text(profile: &Profile) -> String {
    let mut out = String::new();
    // Writing to a `String` cannot fail.
    let _ = write(&mut out, profile);
    out
}

fn costs(counts: &Counts) -> String {
    let numbers: Vec<String> = EVENTS.iter().map(|(_, _, of)| of(counts).to_string()).collect();
    numbers.join(" ")
}

fn write(out: &mut String, profile: &Profile) -> std::fmt::Result {
    writeln!(
        out,
        "# callgrind format\nversion: 1\ncreator: texunit {}",
        env!("CARGO_PKG_VERSION")
    )?;
    writeln!(out, "positions: line")?;
    for (name, meaning, _) in EVENTS {
        writeln!(out, "event: {name} : {meaning}")?;
    }
    let names: Vec<&str> = EVENTS.iter().map(|(name, ..)| *name).collect();
    writeln!(out, "events: {}", names.join(" "))?;
    let mut totals = Counts::default();
    profile.kernels.values().for_each(|kernel| totals.add(&kernel.totals()));
    writeln!(out, "summary: {}", costs(&totals))?;
    for ((name, _), kernel) in &profile.kernels {
        writeln!(out, "\nob={}", one_line(&texunit_report::place::function_name(name)))?;
        write_kernel(out, kernel)?;
    }
    writeln!(out, "\ntotals: {}", costs(&totals))
}

fn write_kernel(out: &mut String, kernel: &Kernel) -> std::fmt::Result {
    let mut functions: BTreeMap<(&str, &str), BTreeMap<u32, Counts>> = BTreeMap::new();
    for instruction in kernel.instructions.values() {
        let place = &instruction.place;
        let lines = functions.entry((&place.file, &place.function)).or_default();
        lines.entry(place.line).or_default().add(&instruction.counts);
    }
    for ((file, function), lines) in functions {
        writeln!(out, "fl={}\nfn={}", one_line(file), one_line(function))?;
        for (line, counts) in lines {
            writeln!(out, "{line} {}", costs(&counts))?;
        }
    }
    Ok(())
}

/// Replaces control characters in a name, and puts a space before a parenthesis at its start, which
/// would mark a compressed name.
fn one_line(name: &str) -> String {
    let name = name.replace(|c: char| c.is_control(), "?");
    if name.starts_with('(') { format!(" {name}") } else { name }
}
