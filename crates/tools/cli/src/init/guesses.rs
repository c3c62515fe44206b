//! Finds placeholder values of `texunit init` in a job.

use super::text::{MADE, Skeleton};
use super::uses;
use std::collections::HashSet;
use texunit_check::{Options, check_with};
use texunit_syntax::{SourceFile, parse};

/// The keys with placeholder values: lines after `# choose` that are still as `texunit init` writes
/// them for this kernel. Empty for other jobs.
pub(crate) fn left(job: &str, ptx: &SourceFile, kernel: &str) -> Vec<String> {
    if !job.starts_with(MADE) {
        return Vec::new();
    }
    let parsed = parse(ptx);
    let checked = check_with(ptx, &parsed.module, Options::default());
    let module = &checked.module;
    let is_kernel = |id: &u32| module.functions[*id as usize].name == kernel;
    let Some(id) = (0..module.functions.len() as u32).find(is_kernel) else { return Vec::new() };
    let (id, kernel) = (texunit_check::ir::FuncId(id), &module.functions[id as usize]);
    let uses = uses::uses(module, id);
    let made = Skeleton { module, kernel, uses: &uses, ptx: "", job: "" }.text();
    let made: HashSet<(String, &str)> = chosen(&made).into_iter().collect();
    chosen(job).into_iter().filter(|guess| made.contains(guess)).map(|(key, _)| key).collect()
}

/// The keys and lines after each `# choose`.
fn chosen(job: &str) -> Vec<(String, &str)> {
    let (mut table, mut is_open, mut found) = ("", false, Vec::new());
    for line in job.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            table = header;
        } else if line.starts_with('#') {
            is_open |= line.starts_with("# choose");
        } else if let Some((key, _)) = line.split_once('=')
            && std::mem::take(&mut is_open)
        {
            let name = if table.is_empty() { key.trim() } else { table };
            found.push((name.to_owned(), line));
        }
    }
    found
}
