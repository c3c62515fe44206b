//! Instructions of which the checker reads name, version and target but not operands. Only their
//! minimum version and target are compared with ptxas.

use texunit_isa::{Opcode, Shape, known_by_name_only, read_modifiers};

const TENSOR: &str = "tensor cores of warp groups, and of Blackwell, are not run";
const CLUSTER: &str = "work of CTAs that have not begun, and memory of several GPUs, are not run";
const ASYNC: &str = "copies of tensors by their maps, and their proxies, are not run";
const OTHER: &str = "steers the machine, not the program";
const RANDOM: &str = "random rounding is not run";

/// Opcodes whose operands are not compared with ptxas, and the reasons. A modifier after the opcode
/// restricts an entry to forms with that modifier.
#[rustfmt::skip]
pub(crate) const UNREAD: &[(&str, &str)] = &[
    ("clusterlaunchcontrol", CLUSTER), ("cp.tensor", ASYNC), ("cvt.rs", RANDOM),
    ("fence.proxy", ASYNC), ("ldmatrix.m16n16", TENSOR), ("ldmatrix.m8n16", TENSOR),
    ("membar.proxy", ASYNC), ("mma.kind::f8f6f4", TENSOR), ("mma.kind::mxf4", TENSOR),
    ("mma.kind::mxf4nvf4", TENSOR), ("mma.kind::mxf8f6f4", TENSOR), ("multimem", CLUSTER), ("setmaxnreg", OTHER),
    ("st.bulk", ASYNC), ("stmatrix.m16n8", TENSOR),
    ("tcgen05", TENSOR), ("tensormap", ASYNC), ("wgmma", TENSOR),
];

/// Whether the checker ignores the operands of an instruction with these modifiers.
pub(super) fn unread(opcode: Opcode, words: &[&str]) -> bool {
    match read_modifiers(opcode, words) {
        _ if known_by_name_only(opcode, words) => true,
        Ok((_, forms)) => forms.iter().any(|f| f.shape == Shape::Unchecked),
        Err(_) => false,
    }
}

/// The names that an instruction form may have in [`UNREAD`]: its opcode with the modifier that
/// makes its operands unchecked.
#[cfg(test)]
fn names(form: &texunit_isa::Form) -> Vec<String> {
    let opcode = form.row.opcode.name();
    let marks = ["async", "bulk", "L2::cache_hint", "proxy", "rs"];
    if let Some(mark) = marks.iter().find(|m| form.slots.iter().any(|s| s.words == [**m])) {
        return vec![format!("{opcode}.{mark}")];
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use texunit_isa::{forms, unsupported_suffixes};

    use super::*;

    #[test]
    fn every_exception_has_a_name() {
        let mut wanted: Vec<String> = Opcode::ALL
            .iter()
            .filter(|o| known_by_name_only(**o, &[]))
            .map(|o| o.name().to_owned())
            .collect();
        for opcode in Opcode::ALL {
            wanted.extend(
                unsupported_suffixes(*opcode).iter().map(|word| format!("{opcode}.{word}")),
            );
        }
        let unchecked = forms().iter().filter(|f| f.shape == Shape::Unchecked);
        wanted.extend(unchecked.flat_map(names));
        wanted.sort();
        wanted.dedup();
        let listed: Vec<&str> = UNREAD.iter().map(|(name, _)| *name).collect();
        let mut sorted = listed.clone();
        sorted.sort_unstable();
        assert_eq!(listed, sorted, "keep the table sorted");
        assert_eq!(wanted, sorted);
    }

    #[test]
    fn right_instructions_have_no_rows() {
        for line in super::super::pools::pool("right") {
            let mut words = line.trim_end_matches(';').split(' ').next().unwrap().split('.');
            let opcode = words.next().and_then(Opcode::from_name);
            let words: Vec<&str> = words.collect();
            assert!(opcode.is_some_and(|o| known_by_name_only(o, &words)), "{line}");
        }
    }
}
