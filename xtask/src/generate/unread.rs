//! Instructions of which the checker reads name, version and target but not operands. Only their
//! minimum version and target are compared with ptxas.

use texunit_isa::{Opcode, Shape, known_by_name_only, read_modifiers};

use texunit_testkit::Random;

const TENSOR: &str = "tensor cores of warp groups, and of Blackwell, are not run";
const CLUSTER: &str = "work of CTAs that have not begun, and memory of several GPUs, are not run";
const ASYNC: &str = "copies of tensors by their maps, and their proxies, are not run";
const OTHER: &str = "steers the machine, not the program";
const RANDOM: &str = "random rounding is not run";

/// Opcodes whose operands are not compared with ptxas, and the reasons. A modifier after the opcode
/// restricts an entry to forms with that modifier.
#[rustfmt::skip]
pub(super) const UNREAD: &[(&str, &str)] = &[
    ("clusterlaunchcontrol", CLUSTER), ("cp.tensor", ASYNC), ("cvt.rs", RANDOM),
    ("fence.proxy", ASYNC), ("ldmatrix.m16n16", TENSOR), ("ldmatrix.m8n16", TENSOR),
    ("membar.proxy", ASYNC), ("mma.kind::f8f6f4", TENSOR), ("mma.kind::mxf4", TENSOR),
    ("mma.kind::mxf4nvf4", TENSOR), ("mma.kind::mxf8f6f4", TENSOR), ("multimem", CLUSTER), ("setmaxnreg", OTHER),
    ("st.bulk", ASYNC), ("stmatrix.m16n8", TENSOR),
    ("tcgen05", TENSOR), ("tensormap", ASYNC), ("wgmma", TENSOR),
];

/// Valid instructions that the table of instruction forms lacks. Their minimum version and target
/// are compared with ptxas.
#[rustfmt::skip]
const RIGHT: &[&str] = &[
    "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.tile [sh], [%rd1, {%r1}], [sh];",
    "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1,%r2}, [sh];",
    "multimem.ld_reduce.global.add.u32 %r1, [%rd1];",
    "multimem.st.global.u32 [%rd1], %r1;",
    "multimem.red.global.add.u32 [%rd1], %r1;",
    "setmaxnreg.inc.sync.aligned.u32 64;",
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [sh], 32;",
    "tcgen05.fence::before_thread_sync;",
    "tcgen05.wait::ld.sync.aligned;",
    "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [sh], %rd1;",
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [sh], 128;",
    "wgmma.fence.sync.aligned;",
    "wgmma.commit_group.sync.aligned;",
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [sh], [sh];",
    "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%rd1];",
    "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r2];",
    "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p1;",
    "tcgen05.shift.cta_group::1.down [%r1];",
    "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b6x16_p32 {%r1}, [sh];",
    "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [sh], {%r1};",
    "wgmma.wait_group.sync.aligned 0;",
    "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [sh], [sh];",
    "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p1, %bq1;",
    "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes.cta_group::1 [sh], [%rd1, {%r1,%r2}], [sh];",
    "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3};",
    "multimem.ld_reduce.global.add.acc::f32.v4.f16x2 {%r1,%r2,%r3,%r4}, [%rd1];",
];

/// A random valid instruction of [`RIGHT`], which only version and target can make invalid.
pub(super) fn right(random: &mut Random) -> String {
    random.of(RIGHT).to_owned()
}

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
#[allow(clippy::unwrap_used)]
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
        for line in RIGHT {
            let mut words = line.trim_end_matches(';').split(' ').next().unwrap().split('.');
            let opcode = words.next().and_then(Opcode::from_name);
            let words: Vec<&str> = words.collect();
            assert!(opcode.is_some_and(|o| known_by_name_only(o, &words)), "{line}");
        }
    }
}
