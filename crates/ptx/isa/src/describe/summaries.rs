//! Summaries of instructions: one sentence per opcode that covers all of its forms.

/// The opcodes of summaries.txt, each with its summary.
fn summaries() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = include_str!("summaries.txt").lines().skip(2);
    rows.filter_map(|row| row.split_once(' ')).map(|(name, text)| (name, text.trim_start()))
}

/// The summary of an opcode, except for texture and surface instructions.
pub(super) fn summary(name: &str) -> Option<&'static str> {
    summaries().find(|row| row.0 == name).map(|row| row.1)
}

/// PTX ISA section and summary of an opcode without forms in the table.
pub(super) fn without_forms(name: &str) -> Option<(&'static str, &'static str)> {
    WITHOUT_FORMS.iter().find(|row| row.0 == name).map(|row| (row.1, row.2))
}

#[rustfmt::skip]
const WITHOUT_FORMS: &[(&str, &str, &str)] = &[
    ("clusterlaunchcontrol", "9.7.13", "Cancels a cluster that is not launched yet. Known by name; texunit neither checks nor executes it."),
    ("multimem", "9.7.9.14", "Access to the memory of several devices by one address. Known by name; texunit neither checks nor executes it."),
    ("setmaxnreg", "9.7.19.5", "Changes how many registers a warp has. Known by name; texunit neither checks nor executes it."),
    ("tcgen05", "9.7.16", "Tensor cores of the fifth generation, and their memory. Known by name; texunit neither checks nor executes it."),
    ("tensormap", "9.7.9", "Changes a tensor map in memory. Known by name; texunit neither checks nor executes it."),
    ("wgmma", "9.7.15", "Product of matrices by the four warps of a group (tensor cores). Known by name; texunit neither checks nor executes it."),
];

#[cfg(test)]
mod tests {
    use super::summaries;
    use crate::describe::instructions;

    /// Each instruction has a summary for all of its forms, instead of the description of its first
    /// form.
    #[test]
    fn every_instruction_has_a_sentence() {
        assert!(summaries().is_sorted_by(|a, b| a.0 < b.0));
        let all = instructions();
        for d in &all {
            assert!(d.summary.ends_with('.') && d.summary.len() > 8, "{}: {}", d.name, d.summary);
        }
        for (name, _) in summaries() {
            assert!(all.iter().any(|d| d.name == name), "{name}");
        }
    }
}
