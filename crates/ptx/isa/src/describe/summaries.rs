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
