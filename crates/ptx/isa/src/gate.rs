//! Version and target requirements of single modifiers, in addition to the requirements of an
//! instruction form. Each is a row of `gates.txt`. A requirement is met by a target number (`sm_90`
//! and later), or by certain architectures: `sm_90a` but not `sm_90`, or the family `sm_100f`.

use crate::Opcode;
use crate::requirement::Requirement;
use std::sync::LazyLock;

/// A requirement of some modifiers in the instructions of some opcodes.
struct Gate {
    /// Names of the opcodes.
    opcodes: &'static str,
    /// The modifiers of which any has the requirement. `-` stands for the absence of a state space;
    /// empty: the requirement does not depend on modifiers.
    words: &'static str,
    /// Modifiers of which one must also be present; empty: no condition.
    with: &'static str,
    feature: &'static str,
    version: u32,
    target: u32,
    /// The only architectures with the feature, without `sm_`; empty: all from `target` on.
    variants: &'static str,
}

impl Gate {
    fn holds(&self, opcode: Opcode, words: &[&str]) -> bool {
        (self.with.is_empty() || self.with.split(' ').any(|w| words.contains(&w)))
            && self.opcodes.split(' ').any(|o| o == opcode.name())
            && self.words.split(' ').any(|w| match w {
                "" => true,
                "-" => !words.iter().any(|word| is_space(word)),
                word => words.contains(&word),
            })
    }
}

/// A feature that only some architecture variants have, such as `sm_90a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Name of the feature for messages.
    pub feature: &'static str,
    /// The architectures with the feature, without `sm_`, separated by spaces.
    pub targets: &'static str,
}

impl Variant {
    /// Whether an architecture, such as `sm_90a`, has the feature.
    pub fn has(&self, architecture: &str) -> bool {
        let name = architecture.strip_prefix("sm_").unwrap_or(architecture);
        self.targets.split(' ').any(|target| target == name)
    }
}

static GATES: LazyLock<Vec<Gate>> = LazyLock::new(|| {
    let lines = include_str!("gates.txt").lines().filter(|line| !line.starts_with('#'));
    let mut named = Vec::new();
    let mut gates = Vec::new();
    for line in lines {
        if let Some(list) = line.split_once(": ") {
            named.push(list);
            continue;
        }
        let gate = || {
            let columns = line.split("; ").collect::<Vec<_>>().try_into().ok()?;
            let [opcodes, words, with, version, target, feature] = columns;
            let list = named.iter().find(|(name, _)| *name == target);
            let (target, variants) = match list {
                Some((_, list)) => (0, *list),
                None => (target.parse().ok()?, ""),
            };
            let version = version.parse().ok()?;
            Some(Gate { opcodes, words, with, feature, version, target, variants })
        };
        gates.push(gate().unwrap_or_else(|| panic!("not a row of gates: {line}")));
    }
    gates
});

/// The requirements of an instruction's modifiers.
pub fn gates<'w>(opcode: Opcode, words: &'w [&'w str]) -> impl Iterator<Item = Requirement> + 'w {
    let of = move |gate: &&Gate| gate.variants.is_empty() && gate.holds(opcode, words);
    GATES.iter().filter(of).map(|gate| {
        let Gate { feature, version, target, .. } = *gate;
        Requirement { feature, version, target }
    })
}

/// The features of architecture variants such as `sm_90a` that an instruction's modifiers require.
pub fn variants<'w>(opcode: Opcode, words: &'w [&'w str]) -> impl Iterator<Item = Variant> + 'w {
    let of = move |gate: &&Gate| !gate.variants.is_empty() && gate.holds(opcode, words);
    GATES.iter().filter(of).map(|gate| Variant { feature: gate.feature, targets: gate.variants })
}

/// Whether a word is a state space: `shared`, `shared::cta`.
pub(crate) fn is_space(word: &str) -> bool {
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
    fn architectures_of_variants() {
        let first = |opcode, words: &[&str]| variants(opcode, words).next();
        let redux = first(Opcode::Redux, &["sync", "min", "f32"]);
        let has = |name| redux.is_some_and(|v| v.has(name));
        assert!(has("sm_100f") && has("sm_103a"));
        assert!(!has("sm_100") && !has("sm_120a"));
        assert_eq!(first(Opcode::Redux, &["sync", "min", "u32"]), None);
    }

    #[test]
    fn opcodes_of_the_table_exist() {
        for gate in GATES.iter() {
            assert!(gate.opcodes.split(' ').all(|o| Opcode::from_name(o).is_some()));
        }
    }
}
