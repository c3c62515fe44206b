//! Version and target requirements of single modifiers in ordinary instructions, beyond those of
//! their row: the rows of `gates.txt`.

use crate::Opcode;
use crate::requirement::Requirement;
use std::sync::LazyLock;

/// A requirement of some modifiers in some instructions.
struct Gate {
    /// Names of opcodes.
    opcodes: &'static str,
    /// The modifiers, any of them. `-` is an instruction without a state space; empty: any
    /// instruction.
    words: &'static str,
    /// Modifiers of which one must also be present; empty: no condition.
    with: &'static str,
    feature: &'static str,
    version: u32,
    target: u32,
}

static GATES: LazyLock<Vec<Gate>> = LazyLock::new(|| {
    let lines = include_str!("gates.txt").lines().filter(|line| !line.starts_with('#'));
    let gate = |line: &'static str| {
        let columns = line.split("; ").collect::<Vec<_>>().try_into();
        let [opcodes, words, with, version, target, feature] = columns.ok()?;
        let (version, target) = (version.parse().ok()?, target.parse().ok()?);
        Some(Gate { opcodes, words, with, feature, version, target })
    };
    lines.map(|line| gate(line).unwrap_or_else(|| panic!("not a row of gates: {line}"))).collect()
});

/// The requirements of an instruction's modifiers.
pub fn gates<'w>(opcode: Opcode, words: &'w [&'w str]) -> impl Iterator<Item = Requirement> + 'w {
    let has = move |gate: &Gate| {
        (gate.with.is_empty() || gate.with.split(' ').any(|w| words.contains(&w)))
            && gate.opcodes.split(' ').any(|o| o == opcode.name())
            && gate.words.split(' ').any(|w| match w {
                "" => true,
                "-" => !words.iter().any(|word| is_space(word)),
                word => words.contains(&word),
            })
    };
    GATES.iter().filter(move |gate| has(gate)).map(|gate| {
        let Gate { feature, version, target, .. } = *gate;
        Requirement { feature, version, target }
    })
}

fn is_space(word: &str) -> bool {
    let base = word.split("::").next().unwrap_or(word);
    crate::Space::from_name(base).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_ask_for_versions_and_targets() {
        let requirements = |text: &str| -> Vec<(u32, u32)> {
            let mut words = text.split('.');
            let opcode = words.next().and_then(Opcode::from_name).unwrap_or(Opcode::Ld);
            let words: Vec<&str> = words.collect();
            gates(opcode, &words).map(|f| (f.version, f.target)).collect()
        };
        assert_eq!(requirements("ld.global.u32"), []);
        assert_eq!(requirements("ld.u32"), [(20, 20)]);
        assert_eq!(requirements("atom.global.gpu.add.f64"), [(50, 60), (50, 60), (11, 11)]);
        assert_eq!(requirements("bar.cta.sync"), [(78, 20)]);
    }

    #[test]
    fn opcodes_of_the_table_exist() {
        for gate in GATES.iter() {
            assert!(gate.opcodes.split(' ').all(|o| Opcode::from_name(o).is_some()));
        }
    }
}
