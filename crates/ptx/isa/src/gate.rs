//! Version and target requirements of single modifiers in ordinary instructions, beyond those of
//! their row. Measured with ptxas 11.8 to 13.5.

use crate::Opcode;
use crate::requirement::Requirement;

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

const fn gate(
    opcodes: &'static str,
    words: &'static str,
    with: &'static str,
    version: u32,
    target: u32,
    feature: &'static str,
) -> Gate {
    Gate { opcodes, words, with, feature, version, target }
}

#[rustfmt::skip]
const GATES: &[Gate] = &[
    gate("ld st atom red", "-", "", 20, 20, "generic addresses"),
    gate("ld st", "ca cg cs cv lu wb wt", "", 20, 20, "cache operators"),
    gate("ld st", "weak", "", 60, 70, "the memory model's .weak"),
    gate("ld st atom red fence", "cluster", "", 78, 90, "the scope .cluster"),
    gate("ld st atom red cvta isspacep", "shared::cluster", "", 78, 90, "shared memory of the cluster"),
    gate("ld st atom red cvta isspacep", "shared::cta", "", 78, 0, ".shared::cta"),
    gate("ld st", "param::entry param::func", "", 83, 0, "sub-spaces of .param"),
    gate("cvta isspacep", "param::entry", "", 83, 70, "sub-spaces of .param"),
    gate("cvta isspacep", "param", "", 77, 70, "addresses of parameters"),
    gate("ld st", "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate", "", 74, 70, "cache priorities"),
    gate("ld", "L2::64B L2::128B", "", 74, 75, "sizes of prefetching"),
    gate("ld", "L2::256B", "", 74, 80, "prefetching of 256 bytes"),
    gate("atom red", "cta gpu sys", "", 50, 60, "scopes of atomic operations"),
    gate("atom red", "relaxed acquire release acq_rel", "", 60, 70, "orders of atomic operations"),
    gate("atom red", "f64", "", 50, 60, "atomic sums of .f64"),
    gate("atom red", "f32", "", 20, 20, "atomic sums of .f32"),
    gate("atom", "b16", "", 63, 70, "atomic operations on 16 bits"),
    gate("atom", "b128", "", 83, 90, "atomic operations on 128 bits"),
    gate("atom red", "f16", "", 63, 70, "atomic sums of .f16"),
    gate("atom red", "bf16 bf16x2", "", 78, 90, "atomic sums of .bf16"),
    gate("bar", "cta", "", 78, 20, "barriers with .cta"),
    gate("barrier", "cta", "", 78, 0, "barriers with .cta"),
    gate("barrier", "acquire release relaxed", "cluster", 80, 90, "orders of barriers"),
    gate("atom red", "global", "", 11, 11, "atomic operations"),
    gate("atom red", "shared shared::cta", "", 12, 12, "atomic operations on shared memory"),
    gate("atom red", "global", "u64 b64", 12, 12, "atomic operations on 64 bits"),
    gate("atom red", "shared", "u64 b64", 20, 20, "atomic operations on 64 bits"),
    gate("atom red", "min max and or xor", "u64 s64 b64", 31, 32, "atomic operations on 64 bits"),
    gate("ld st", "b128", "sys", 84, 70, "ordered access to 128 bits"),
    gate("ld st", "local", "volatile", 91, 0, "volatile local memory"),
    gate("st", "param", "", 20, 20, "parameters of calls"),
    gate("cvta isspacep", "const", "", 31, 20, "generic addresses of constants"),
    gate("cvt", "e4m3x2 e5m2x2", "", 78, 89, "8-bit floats"),
    gate("add sub mul fma mad", "rm rp", "f64", 14, 13, "directed rounding"),
    gate("add sub mul", "rm rp", "f32", 20, 20, "directed rounding"),
    gate("div rcp sqrt", "rz rm rp", "f64", 20, 20, "directed rounding"),
    gate("min max", "NaN", "", 70, 80, "results that keep NaN"),
    // Opcodes that were introduced with an architecture.
    gate("alloca stacksave stackrestore", "", "", 73, 52, "the stack"),
    gate("cp", "", "", 70, 80, "asynchronous copies"),
    gate("cp", "bulk", "", 80, 90, "bulk copies"),
    gate("cp", "L2::64B L2::128B L2::256B L2::cache_hint", "", 74, 80, "cache hints of copies"),
    gate("cp", "cta_group::1 cta_group::2", "", 86, 100, "copies for a group of CTAs"),
    gate("createpolicy", "", "", 74, 80, "cache policies"),
    gate("elect", "", "", 80, 90, "elect"),
    gate("getctarank mapa", "", "", 78, 90, "shared memory of the cluster"),
    gate("griddepcontrol", "", "", 78, 90, "griddepcontrol"),
    gate("ldmatrix", "", "", 65, 75, "ldmatrix"),
    gate("ldmatrix", "m16n16 m8n16", "", 86, 100, "matrices of 8 bits"),
    gate("stmatrix", "", "", 78, 90, "stmatrix"),
    gate("stmatrix", "m16n8", "", 86, 100, "matrices of 8 bits"),
    gate("movmatrix", "", "", 78, 75, "movmatrix"),
    gate("mbarrier", "", "", 70, 80, "mbarrier"),
    gate("mbarrier", "parity", "", 71, 80, "mbarrier.test_wait.parity"),
    gate("mbarrier", "release acquire relaxed cta cluster", "", 80, 80, "orders of mbarrier"),
    gate("mbarrier", "cluster", "", 80, 90, "the scope .cluster"),
    gate("mbarrier", "shared::cluster", "", 80, 90, "mbarrier in the cluster"),
    gate("mbarrier", "try_wait", "", 78, 90, "mbarrier.try_wait"),
    gate("mbarrier", "expect_tx complete_tx", "", 80, 90, "transactions of an mbarrier"),
    gate("mma", "", "", 64, 70, "mma"),
    gate("mma", "m16n8k8 m8n8k16 m8n8k32", "", 65, 75, "mma of this shape"),
    gate("mma", "m16n8k4 m16n8k16 m16n8k32 m16n8k64 m16n8k128 m16n8k256", "", 70, 80, "mma of this shape"),
    gate("mma", "m8n8k128", "", 70, 75, "mma of this shape"),
    gate("mma", "popc", "and", 71, 80, "mma with .and.popc"),
    gate("mma", "f64 bf16 tf32", "", 70, 80, "mma of this type"),
    gate("mma", "m16n8k4 m16n8k8 m16n8k16", "f64", 78, 90, "mma of this shape of .f64"),
    gate("mma", "sp", "", 71, 80, "mma with sparse matrices"),
    gate("mma", "sp::ordered_metadata", "", 85, 80, "mma with ordered metadata"),
    gate("mma", "e4m3 e5m2", "", 84, 89, "mma of 8-bit floats"),
    gate("mma", "m16n8k16 f16", "e4m3 e5m2", 87, 89, "mma of 8-bit floats of this shape or with sums in .f16"),
    gate("wmma", "and", "", 71, 80, "wmma with .and.popc"),
    gate("multimem", "", "", 81, 90, "multimem"),
    gate("multimem", "acc::f32 acc::f16", "", 82, 90, "multimem with wider sums"),
    gate("setmaxnreg", "", "", 80, 90, "setmaxnreg"),
    gate("tcgen05", "", "", 86, 100, "tcgen05"),
    gate("tensormap", "", "", 83, 90, "tensormap"),
    gate("wgmma", "", "", 80, 90, "wgmma"),
    gate("wmma", "", "", 60, 70, "wmma"),
    gate("wmma", "m32n8k16 m8n32k16", "", 61, 70, "wmma of this shape"),
    gate("wmma", "s8 u8", "", 63, 72, "wmma of integers"),
    gate("wmma", "s4 u4 b1", "", 63, 75, "wmma of less than a byte"),
    gate("wmma", "bf16 tf32 f64", "", 70, 80, "wmma of this type"),
    gate("wmma", "aligned", "", 63, 70, "wmma with .aligned"),
    gate("clusterlaunchcontrol", "", "", 86, 100, "clusterlaunchcontrol"),
    gate("vadd vsub vabsdiff vmin vmax vshl vshr vmad vset", "", "", 20, 20, "video instructions"),
    gate("vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2", "", "", 30, 30, "SIMD video instructions"),
    gate("vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4", "", "", 30, 30, "SIMD video instructions"),
];

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
        for gate in GATES {
            assert!(gate.opcodes.split(' ').all(|o| Opcode::from_name(o).is_some()));
        }
    }
}
