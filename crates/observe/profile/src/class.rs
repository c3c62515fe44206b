//! Instruction classes, as Nsight Compute divides them (`smsp__sass_thread_inst_executed_op_*`).

use serde::{Deserialize, Serialize};
use texunit_forms::words;

words! {
    /// The class of an instruction, by opcode and type.
    #[derive(Default, Deserialize, Serialize)]
    #[serde(rename_all = "snake_case")]
    Class {
        /// Integer arithmetic.
        Integer = "integer",
        /// Arithmetic on f16 and bf16.
        Fp16 = "fp16",
        /// Arithmetic on f32.
        Fp32 = "fp32",
        /// Arithmetic on f64.
        Fp64 = "fp64",
        /// Matrix multiply-accumulate.
        Tensor = "tensor",
        /// Conversions: `cvt`.
        Conversion = "conversion",
        /// Logic, shifts, bit fields.
        Bit = "bit",
        /// Comparisons and selections.
        Compare = "compare",
        /// Loads, stores and copies of memory.
        Memory = "memory",
        /// Atomic operations: `atom`, `red`.
        Atomic = "atomic",
        /// Fetches and queries of textures.
        Texture = "texture",
        /// Surface accesses.
        Surface = "surface",
        /// Branches, calls, exits.
        Control = "control",
        /// Warp-level instructions: shuffles, votes, reductions.
        Communication = "communication",
        /// Barriers and fences.
        Barrier = "barrier",
        /// Moves and all other instructions.
        #[default]
        Other = "other",
    }
}

impl Class {
    /// The class of an instruction whose opcode consists of `words`: `add`, `f32`.
    pub fn of<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let words: Vec<&str> = words.collect();
        let Some((&opcode, modifiers)) = words.split_first() else { return Self::Other };
        let has = |word: &str| modifiers.contains(&word);
        match opcode {
            "ld" | "ldu" | "st" | "ldmatrix" | "stmatrix" | "prefetch" | "prefetchu" | "cp"
            | "applypriority" | "discard" | "movmatrix" => Self::Memory,
            "atom" | "red" => Self::Atomic,
            "tex" | "tld4" | "txq" => Self::Texture,
            "suld" | "sust" | "sured" | "suq" => Self::Surface,
            "bra" | "brx" | "call" | "ret" | "exit" | "trap" | "brkpt" => Self::Control,
            "shfl" | "vote" | "match" | "redux" | "elect" | "activemask" => Self::Communication,
            "bar" | "barrier" | "membar" | "fence" | "mbarrier" | "nanosleep" => Self::Barrier,
            "mma" | "wmma" | "wgmma" | "tcgen05" => Self::Tensor,
            "cvt" => Self::Conversion,
            "and" | "or" | "xor" | "not" | "cnot" | "shl" | "shr" | "shf" | "lop3" | "bfe"
            | "bfi" | "bfind" | "brev" | "popc" | "clz" | "fns" | "prmt" | "szext" | "bmsk" => {
                Self::Bit
            }
            "setp" | "set" | "selp" | "slct" | "testp" => Self::Compare,
            "mov" | "cvta" | "isspacep" | "istypep" | "mapa" | "getctarank" => Self::Other,
            _ if has("f64") => Self::Fp64,
            _ if has("f32") || has("f32x2") => Self::Fp32,
            _ if ["f16", "f16x2", "bf16", "bf16x2"].into_iter().any(has) => Self::Fp16,
            "add" | "sub" | "mul" | "mad" | "mul24" | "mad24" | "sad" | "div" | "rem" | "abs"
            | "neg" | "min" | "max" | "addc" | "subc" | "madc" | "dp4a" | "dp2a" => Self::Integer,
            _ if opcode.starts_with('v') => Self::Integer,
            _ => Self::Other,
        }
    }
}
