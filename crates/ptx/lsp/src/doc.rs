//! Short descriptions of words: modifiers, directives, special registers, types.

use texunit_isa::{Class, Geometry, ScalarType, texture};

/// A word, without its dot or `%`, and its description.
type WordDoc = (&'static str, &'static str);

/// Modifiers whose meaning depends on their class.
#[rustfmt::skip]
const BY_CLASS: &[(Class, &str, &str)] = &[
    (Class::Mip, "base", "reads the base level"),
    (Class::Mip, "level", "the level of detail is an operand"),
    (Class::Mip, "grad", "the level of detail comes from gradients, two vectors of operands"),
    (Class::Component, "r", "the first component of each of the four texels"),
    (Class::Component, "g", "the second component of each of the four texels"),
    (Class::Component, "b", "the third component of each of the four texels"),
    (Class::Component, "a", "the fourth component of each of the four texels"),
    (Class::Clamp, "trap", "an access outside ends the kernel with a fault"),
    (Class::Clamp, "clamp", "an access outside goes to the nearest place inside"),
    (Class::Clamp, "zero", "a load outside gives 0, a store outside does nothing"),
    (Class::Surface, "b", "raw bytes: the first coordinate counts bytes"),
    (Class::Surface, "p", "formatted: the surface's format converts the sample, coordinates count samples"),
    (Class::Query, "width", "width in texels"),
    (Class::Query, "height", "height in texels"),
    (Class::Query, "depth", "depth in texels"),
    (Class::Query, "channel_data_type", "the type of the channels, as a number of the OpenCL interface"),
    (Class::Query, "channel_order", "the order of the channels, as a number of the OpenCL interface"),
    (Class::Query, "normalized_coords", "1 if coordinates are normalized"),
    (Class::Query, "array_size", "number of layers"),
    (Class::Query, "num_mipmap_levels", "number of mipmap levels"),
    (Class::Query, "num_samples", "samples of a texel"),
    (Class::Query, "force_unnormalized_coords", "1 if the sampler overrides normalized coordinates (independent mode)"),
    (Class::Query, "filter_mode", "nearest or linear"),
    (Class::Query, "addr_mode_0", "address mode of the first coordinate"),
    (Class::Query, "addr_mode_1", "address mode of the second coordinate"),
    (Class::Query, "addr_mode_2", "address mode of the third coordinate"),
    (Class::Query, "memory_layout", "1 if the memory is linear, 0 if it is opaque"),
    (Class::Part, "lo", "the lower half of the product"),
    (Class::Part, "hi", "the upper half of the product"),
    (Class::Part, "wide", "the whole product, twice as wide as the operands"),
    (Class::Bool, "and", "the comparison and the predicate operand"),
    (Class::Bool, "or", "the comparison or the predicate operand"),
    (Class::Bool, "xor", "either the comparison or the predicate operand"),
    (Class::Shfl, "up", "from the lane with a lower number"),
    (Class::Shfl, "down", "from the lane with a higher number"),
    (Class::Shfl, "bfly", "from the lane whose number differs in the given bits"),
    (Class::Shfl, "idx", "from the lane with the given number"),
    (Class::Vote, "all", "true if the predicate is true in all threads"),
    (Class::Vote, "any", "true if the predicate is true in some thread"),
    (Class::Vote, "uni", "true if the predicate is the same in all threads"),
    (Class::Vote, "ballot", "a bit for each lane"),
    (Class::Match, "all", "the mask of all threads if their values agree, otherwise 0"),
    (Class::Match, "any", "the mask of the threads with the same value"),
    (Class::ShfDirection, "l", "shifts left"),
    (Class::ShfDirection, "r", "shifts right"),
    (Class::Wrap, "clamp", "an amount beyond the width counts as the width"),
    (Class::Wrap, "wrap", "the amount is taken modulo the width"),
    (Class::Test, "finite", "neither infinite nor NaN"),
    (Class::Test, "infinite", "positive or negative infinity"),
    (Class::Test, "number", "not NaN"),
    (Class::Test, "notanumber", "NaN"),
    (Class::Test, "normal", "a normal number: not zero, subnormal, infinite or NaN"),
    (Class::Test, "subnormal", "a subnormal number"),
    (Class::Prmt, "f4e", "forward extract of 4 bytes"),
    (Class::Prmt, "b4e", "backward extract of 4 bytes"),
    (Class::Prmt, "rc8", "one byte four times"),
    (Class::Prmt, "ecl", "edge clamp to the left"),
    (Class::Prmt, "ecr", "edge clamp to the right"),
    (Class::Prmt, "rc16", "one half twice"),
    (Class::Hint, "ca", "cache operator: cache at all levels"),
    (Class::Hint, "cg", "cache operator: cache at the global level (L2) only"),
    (Class::Hint, "cs", "cache operator: streaming, likely used once"),
    (Class::Hint, "lu", "cache operator: last use"),
    (Class::Hint, "cv", "cache operator: fetch again, as if volatile"),
    (Class::Hint, "wb", "cache operator: write back"),
    (Class::Hint, "wt", "cache operator: write through to system memory"),
    (Class::Hint, "cta", "scope: the threads of the CTA"),
    (Class::Hint, "cluster", "scope: the threads of the cluster"),
    (Class::Hint, "gpu", "scope: the threads of the device"),
    (Class::Hint, "sys", "scope: all threads of the system, the host's among them"),
    (Class::Hint, "weak", "no memory order"),
    (Class::Hint, "volatile", "each access happens, as written"),
    (Class::Hint, "relaxed", "memory order: atomic, without order"),
    (Class::Hint, "acquire", "memory order: later accesses stay after it"),
    (Class::Hint, "release", "memory order: earlier accesses stay before it"),
    (Class::Hint, "acq_rel", "memory order: acquire and release"),
    (Class::Hint, "unified", "the address is in unified memory"),
    (Class::Hint, "uni", "all active threads of the warp do the same"),
    (Class::Hint, "mmio", "access to the registers of a device"),
];

/// Modifiers with a single meaning.
#[rustfmt::skip]
const WORDS: &[WordDoc] = &[
    ("rn", "rounds to nearest, ties to even"),
    ("rna", "rounds to nearest, ties away from zero"),
    ("rz", "rounds towards zero"),
    ("rm", "rounds towards negative infinity"),
    ("rp", "rounds towards positive infinity"),
    ("rs", "rounds stochastically"),
    ("rni", "rounds to the nearest integer, ties to even"),
    ("rzi", "rounds to an integer towards zero"),
    ("rmi", "rounds to an integer towards negative infinity"),
    ("rpi", "rounds to an integer towards positive infinity"),
    ("eq", "equal"), ("ne", "not equal"), ("lt", "less"), ("le", "less or equal"),
    ("gt", "greater"), ("ge", "greater or equal"),
    ("lo", "lower, unsigned"), ("ls", "lower or same, unsigned"),
    ("hi", "higher, unsigned"), ("hs", "higher or same, unsigned"),
    ("equ", "equal or unordered"), ("neu", "not equal or unordered"), ("ltu", "less or unordered"),
    ("leu", "less or equal, or unordered"), ("gtu", "greater or unordered"),
    ("geu", "greater or equal, or unordered"),
    ("num", "neither operand is NaN"), ("nan", "an operand is NaN"),
    ("global", "global memory"), ("shared", "shared memory of the CTA"),
    ("shared::cta", "shared memory of the CTA"),
    ("shared::cluster", "shared memory of the CTAs of the cluster"),
    ("local", "private memory of the thread"), ("const", "constant memory"),
    ("param", "parameters"), ("param::entry", "parameters of the kernel"),
    ("param::func", "parameters of functions"),
    ("add", "adds"), ("min", "the smaller"), ("max", "the larger"), ("inc", "counts up to a bound, then from 0"),
    ("dec", "counts down, then from a bound"), ("and", "bitwise and"), ("or", "bitwise or"),
    ("xor", "bitwise exclusive or"), ("exch", "exchanges"), ("cas", "stores if the memory has the expected value"),
    ("v2", "two elements"), ("v4", "four elements"), ("v8", "eight elements"),
    ("approx", "fast, approximate"), ("full", "full range, approximate"),
    ("ftz", "subnormal operands and results become 0"), ("sat", "limits the result to its range"),
    ("satfinite", "limits the result to finite values"), ("relu", "negative results become 0"),
    ("oob", "the NaN of what is out of bounds makes the result 0"),
    ("po", "adds one to the result"), ("shr7", "the result is shifted right by 7"),
    ("shr15", "the result is shifted right by 15"),
    ("NaN", "the result is NaN if an operand is"), ("xorsign", "the sign is the exclusive or of the signs"),
    ("abs", "absolute values"), ("cc", "writes the carry"), ("to", "from a generic address to one in the space"),
    ("nc", "through the read-only data cache"), ("noftz", "keeps subnormal numbers"),
    ("shiftamt", "the shift amount in place of the bit's number"),
    ("sync", "the threads wait for each other"), ("warp", "of the warp"), ("arrive", "arrives without waiting"),
    ("red", "with a reduction of a predicate"), ("uni", "all active threads of the warp do the same"),
    ("popc", "the number of threads whose predicate is true"),
    ("aligned", "all threads of the warp execute the same instruction"),
    ("L1::evict_normal", "L1 eviction: normal priority"), ("L1::evict_unchanged", "L1 eviction: priority as it is"),
    ("L1::evict_first", "L1 eviction: first"), ("L1::evict_last", "L1 eviction: last"),
    ("L1::no_allocate", "not kept in L1"),
    ("L2::evict_normal", "L2 eviction: normal priority"), ("L2::evict_first", "L2 eviction: first"),
    ("L2::evict_last", "L2 eviction: last"), ("L2::cache_hint", "the last operand is a cache policy"),
    ("L2::64B", "prefetches 64 bytes into L2"), ("L2::128B", "prefetches 128 bytes into L2"),
    ("L2::256B", "prefetches 256 bytes into L2"),
];

/// The description of a modifier.
pub(crate) fn word(class: Class, word: &str) -> Option<String> {
    let by_class = BY_CLASS.iter().find(|row| row.0 == class && row.1 == word).map(|row| row.2);
    let plain = || WORDS.iter().find(|row| row.0 == word).map(|row| row.1);
    let text = match class {
        Class::Type | Class::Pack => return ScalarType::from_name(word).map(ty),
        Class::Geometry => Geometry::from_name(word).map(|g| texture::geometry(g).doc),
        _ => by_class.or_else(plain),
    };
    text.map(str::to_owned)
}

/// The description of a type.
pub(crate) fn ty(ty: ScalarType) -> String {
    use texunit_isa::TypeKind::*;
    let bits = ty.bits();
    match ty.kind() {
        Unsigned => format!("unsigned integer, {bits} bits"),
        Signed => format!("signed integer, {bits} bits"),
        Bits => format!("{bits} bits without a type"),
        Float => match ty {
            ScalarType::Bf16 => "floating-point number, 16 bits, with the range of f32".into(),
            ScalarType::Tf32 => {
                "floating-point number with the range of f32 and 10 bits of fraction".into()
            }
            _ => format!("floating-point number, {bits} bits"),
        },
        Packed if matches!(ty, ScalarType::U8x4 | ScalarType::S8x4) => {
            format!("four values packed into {bits} bits")
        }
        Packed => format!("two values packed into {bits} bits"),
        Predicate => "predicate: true or false".into(),
        Opaque => match ty {
            ScalarType::Texref => "reference to a texture".into(),
            ScalarType::Samplerref => "reference to a sampler".into(),
            _ => "reference to a surface".into(),
        },
    }
}

/// Directives and other words that follow a dot outside instructions.
#[rustfmt::skip]
pub(crate) const DIRECTIVES: &[WordDoc] = &[
    ("version", "The version of the PTX ISA that the module is written for: `.version 8.0`. Begins the module."),
    ("target", "The architecture that the module is written for, and options: `.target sm_75, texmode_independent`."),
    ("address_size", "The size of addresses in bits: `.address_size 64`."),
    ("entry", "A kernel: `.visible .entry name (.param .u64 p) { ... }`."),
    ("func", "A function: `.func (.reg .u32 result) name (.reg .u32 p) { ... }`."),
    ("alias", "A second name of a function: `.alias new, function;`."),
    ("visible", "The name is seen by other modules."),
    ("extern", "The definition is in another module."),
    ("weak", "The definition may be replaced by one of another module."),
    ("common", "Declarations of several modules are one variable."),
    ("reg", "Registers: `.reg .f32 %f<8>;` declares `%f0` to `%f7`."),
    ("const", "Constant memory."),
    ("global", "Global memory, seen by all threads."),
    ("local", "Private memory of a thread."),
    ("shared", "Memory shared by the threads of a CTA."),
    ("param", "A parameter of a kernel or function, or room for the arguments of a call."),
    ("tex", "A texture, as PTX ISA 1.4 and older declared it; now `.global .texref`."),
    ("align", "The alignment in bytes, a power of two: `.align 16`."),
    ("ptr", "The parameter is a pointer: `.ptr .global .align 8`."),
    ("attribute", "Attributes of a variable or function: `.attribute(.managed)`."),
    ("v2", "Vectors of two elements."),
    ("v4", "Vectors of four elements."),
    ("v8", "Vectors of eight elements."),
    ("maxntid", "The maximum number of threads of a CTA: `.maxntid 256`."),
    ("reqntid", "The threads of a CTA: `.reqntid 16, 16`."),
    ("minnctapersm", "The minimum number of CTAs that a multiprocessor has room for."),
    ("maxnctapersm", "The old form of `.minnctapersm`."),
    ("maxnreg", "The maximum number of registers of a thread."),
    ("maxclusterrank", "The maximum number of CTAs of a cluster."),
    ("reqnctapercluster", "The CTAs of a cluster."),
    ("explicitcluster", "The kernel is launched with clusters."),
    ("blocksareclusters", "The grid is counted in clusters."),
    ("noreturn", "The function does not return."),
    ("abi_preserve", "Registers that the function preserves."),
    ("abi_preserve_control", "Predicates that the function preserves."),
    ("branchtargets", "The labels that `brx.idx` can jump to: `name: .branchtargets a, b;`."),
    ("calltargets", "The functions that an indirect call can reach: `name: .calltargets f, g;`."),
    ("callprototype", "The type of an indirect call: `name: .callprototype (ret) _ (params);`."),
    ("pragma", "Words for the compiler: `.pragma \"nounroll\";`."),
    ("loc", "The place in the source file: file, line, column."),
    ("file", "The number of a source file: `.file 1 \"a.cu\"`."),
    ("section", "Debugging data."),
];

/// The description of a directive.
pub(crate) fn directive(name: &str) -> Option<&'static str> {
    DIRECTIVES.iter().find(|row| row.0 == name).map(|row| row.1)
}

/// Special registers with their type and description. `<n>` stands for a number.
#[rustfmt::skip]
pub(crate) const SPECIALS: &[(&str, &str, &str)] = &[
    ("tid", ".v4 .u32", "the thread's place in its CTA"),
    ("ntid", ".v4 .u32", "the threads of a CTA in each direction"),
    ("ctaid", ".v4 .u32", "the CTA's place in the grid"),
    ("nctaid", ".v4 .u32", "the CTAs of the grid in each direction"),
    ("clusterid", ".v4 .u32", "the cluster's place in the grid"),
    ("nclusterid", ".v4 .u32", "the clusters of the grid in each direction"),
    ("cluster_ctaid", ".v4 .u32", "the CTA's place in its cluster"),
    ("cluster_nctaid", ".v4 .u32", "the CTAs of a cluster in each direction"),
    ("cluster_ctarank", ".u32", "the CTA's number in its cluster"),
    ("cluster_nctarank", ".u32", "the number of CTAs of a cluster"),
    ("is_explicit_cluster", ".pred", "whether the kernel was launched with clusters"),
    ("gridid", ".u64", "the number of the grid"),
    ("laneid", ".u32", "the thread's place in its warp"),
    ("warpid", ".u32", "the warp's number in its CTA; may change"),
    ("nwarpid", ".u32", "the maximum number of warps of a CTA"),
    ("smid", ".u32", "the number of the multiprocessor; may change"),
    ("nsmid", ".u32", "the maximum number of multiprocessors"),
    ("clock", ".u32", "a counter of cycles"),
    ("clock_hi", ".u32", "the upper half of `%clock64`"),
    ("clock64", ".u64", "a counter of cycles"),
    ("globaltimer", ".u64", "nanoseconds"),
    ("globaltimer_lo", ".u32", "the lower half of `%globaltimer`"),
    ("globaltimer_hi", ".u32", "the upper half of `%globaltimer`"),
    ("lanemask_eq", ".u32", "the bit of this lane"),
    ("lanemask_le", ".u32", "the bits of lanes up to this one"),
    ("lanemask_lt", ".u32", "the bits of lanes before this one"),
    ("lanemask_ge", ".u32", "the bits of lanes from this one on"),
    ("lanemask_gt", ".u32", "the bits of lanes after this one"),
    ("dynamic_smem_size", ".u32", "bytes of shared memory that the launch asked for"),
    ("total_smem_size", ".u32", "bytes of shared memory of the kernel"),
    ("aggr_smem_size", ".u32", "bytes of shared memory, with what the system uses"),
    ("current_graph_exec", ".u64", "the graph that runs, or 0"),
    ("reserved_smem_offset_begin", ".b32", "where the system's part of shared memory begins"),
    ("reserved_smem_offset_end", ".b32", "where the system's part of shared memory ends"),
    ("reserved_smem_offset_cap", ".b32", "the size of the system's part of shared memory"),
    ("reserved_smem_offset_0", ".b32", "a place in the system's part of shared memory"),
    ("reserved_smem_offset_1", ".b32", "a place in the system's part of shared memory"),
    ("envreg<32>", ".b32", "a value that the driver sets before the launch"),
    ("pm<8>", ".u32", "a performance counter"),
    ("pm<8>_64", ".u64", "a performance counter"),
];

/// Type and description of a special register, given with its `%`.
pub(crate) fn special(name: &str) -> Option<(&'static str, &'static str)> {
    let name = name.strip_prefix('%')?;
    let row = SPECIALS.iter().find(|row| match row.0.split_once('<') {
        None => row.0 == name,
        Some((before, rest)) => numbered(name, before, rest).is_some(),
    });
    row.map(|row| (row.1, row.2))
}

/// Whether a name matches the pattern `before<N>after`; `rest` is the part after the `<`.
fn numbered(name: &str, before: &str, rest: &str) -> Option<()> {
    let (count, after) = rest.split_once('>')?;
    let digits = name.strip_prefix(before)?.strip_suffix(after)?;
    let number: u32 = digits.parse().ok()?;
    (number.to_string() == digits && number < count.parse().ok()?).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_isa::{Opcode, SpecialReg, forms_of};

    #[test]
    fn every_special_register_is_explained() {
        for reg in SpecialReg::ALL {
            assert!(special(&format!("%{reg}")).is_some(), "{reg}");
        }
        assert!(special("%envreg31").is_some() && special("%envreg32").is_none());
        assert!(special("%pm7_64").is_some() && special("%pm07").is_none());
        assert!(special("tid").is_none() && special("%r1").is_none());
    }

    #[test]
    fn every_word_of_textures_and_surfaces_is_explained() {
        use Opcode::*;
        for opcode in [Tex, Tld4, Txq, Istypep, Suld, Sust, Sured, Suq] {
            for slot in forms_of(opcode).iter().flat_map(|f| &f.slots) {
                for text in &slot.words {
                    assert!(word(slot.class, text).is_some(), "{opcode}.{text}");
                }
            }
        }
    }

    #[test]
    fn every_class_means_its_own() {
        assert_ne!(word(Class::Clamp, "clamp"), word(Class::Wrap, "clamp"));
        assert_ne!(word(Class::Part, "lo"), word(Class::Compare, "lo"));
        assert_eq!(word(Class::Type, "u32").as_deref(), Some("unsigned integer, 32 bits"));
        assert_eq!(word(Class::Flag, "nothing"), None);
    }
}
