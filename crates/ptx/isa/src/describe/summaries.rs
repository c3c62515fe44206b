//! Summaries of instructions: one sentence per opcode that covers all of its forms.

/// The summary of an opcode, except for texture and surface instructions.
pub(super) fn summary(name: &str) -> Option<&'static str> {
    SUMMARIES.iter().find(|row| row.0 == name).map(|row| row.1)
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

#[rustfmt::skip]
const SUMMARIES: &[(&str, &str)] = &[
    ("abs", "Absolute value of an integer or a float."),
    ("activemask", "Mask of the threads of the warp that execute together."),
    ("add", "Sum of integers or floats."),
    ("addc", "Sum of integers with the carry of the instruction before."),
    ("alloca", "Local memory from the stack, until the function returns."),
    ("and", "Bitwise and."),
    ("applypriority", "Changes the eviction priority of a cache line."),
    ("atom", "Atomic read-modify-write of memory (add, min, max, and, or, xor, exch, cas, inc, dec); returns the old value."),
    ("bar", "Barrier of the threads of a CTA: waits, arrives, or reduces a predicate."),
    ("barrier", "Barrier of the threads of a CTA: waits, arrives, or reduces a predicate."),
    ("bfe", "Extracts a field of bits."),
    ("bfi", "Inserts a field of bits."),
    ("bfind", "Position of the leading significant bit."),
    ("bmsk", "Mask of consecutive bits."),
    ("bra", "Branch to a label."),
    ("brev", "Reverses the order of the bits."),
    ("brkpt", "Breakpoint: stops the kernel."),
    ("brx", "Branch to one of a list of labels."),
    ("call", "Calls a function, directly or by its address."),
    ("clz", "Number of leading zero bits."),
    ("cnot", "1 for zero, otherwise 0."),
    ("copysign", "A float with the sign of another."),
    ("cos", "Cosine, approximate."),
    ("cp", "Asynchronous copies between global and shared memory (cp.async, cp.async.bulk), and waiting for them."),
    ("createpolicy", "Makes a cache eviction policy for other instructions."),
    ("cvt", "Converts between integers and floats of all sizes, with rounding and saturation."),
    ("cvta", "Converts an address of a state space to a generic address, or back."),
    ("discard", "Drops a cache line without writing it back."),
    ("div", "Quotient of integers or floats."),
    ("dp2a", "Dot product of two 16-bit and two 8-bit numbers, plus c."),
    ("dp4a", "Dot product of four pairs of 8-bit numbers, plus c."),
    ("elect", "Elects one thread of the warp."),
    ("ex2", "Power of 2, approximate."),
    ("exit", "Ends the thread."),
    ("fence", "Memory fence: orders memory accesses for a scope."),
    ("fma", "Fused multiply-add of floats, rounded once."),
    ("fns", "Position of the n-th set bit."),
    ("getctarank", "The rank of the CTA of a cluster whose shared memory an address is in."),
    ("griddepcontrol", "Orders dependent grids: starts the next, or waits for the one before."),
    ("isspacep", "Whether a generic address lies in a state space."),
    ("ld", "Loads from memory: a number or a vector, from any state space."),
    ("ldmatrix", "Loads 8x8 matrices from shared memory, spread over the warp."),
    ("ldu", "Loads from global memory an address that is the same in all threads."),
    ("lg2", "Logarithm to base 2, approximate."),
    ("lop3", "Any bitwise function of three operands, by its truth table."),
    ("mad", "Multiply-add: low or high half of an integer product or its full width, or a float product, plus c."),
    ("mad24", "Multiply-add of 24-bit integers."),
    ("madc", "Multiply-add of integers with the carry of the instruction before."),
    ("mapa", "The address of the same place in the shared memory of another CTA of the cluster."),
    ("match", "Which threads of the warp have the same value."),
    ("max", "Greater of two or three numbers."),
    ("mbarrier", "Barrier object in shared memory: init, arrive, test, wait, complete."),
    ("membar", "Memory fence, in its older form."),
    ("min", "Smaller of two or three numbers."),
    ("mma", "Product of matrices that are spread over the registers of a warp, plus a third (tensor cores)."),
    ("mov", "Copies a value, packs or unpacks a vector, or takes an address."),
    ("movmatrix", "Transposes a matrix that is spread over the warp."),
    ("mul", "Product: low or high half of an integer product or its full width, or a float product."),
    ("mul24", "Product of 24-bit integers."),
    ("nanosleep", "Suspends the thread for some nanoseconds."),
    ("neg", "Negates a number."),
    ("not", "Bitwise complement."),
    ("or", "Bitwise or."),
    ("pmevent", "Triggers performance monitor events."),
    ("popc", "Number of set bits."),
    ("prefetch", "Brings a line into a cache."),
    ("prefetchu", "Brings a line into the uniform cache."),
    ("prmt", "Picks four bytes of eight."),
    ("rcp", "Reciprocal."),
    ("red", "Atomic read-modify-write of memory (add, min, max, and, or, xor, inc, dec) without a result."),
    ("redux", "Reduces an integer over the threads of a warp."),
    ("rem", "Remainder of integers."),
    ("ret", "Returns from a function, or ends the thread of a kernel."),
    ("rsqrt", "Reciprocal square root."),
    ("sad", "Sum of absolute differences: |a - b| + c."),
    ("selp", "One of two values, by a predicate."),
    ("set", "Compares two numbers; the result is a number."),
    ("setp", "Compares two numbers; the result is a predicate, or two."),
    ("shf", "Funnel shift: shifts two registers as one."),
    ("shfl", "Exchanges registers within the warp."),
    ("shl", "Shifts left."),
    ("shr", "Shifts right, with zeros or the sign."),
    ("sin", "Sine, approximate."),
    ("slct", "One of two values, by the sign of a third."),
    ("sqrt", "Square root."),
    ("st", "Stores to memory: a number or a vector, to any state space."),
    ("stackrestore", "Sets the stack pointer to a saved value."),
    ("stacksave", "Saves the stack pointer."),
    ("stmatrix", "Stores 8x8 matrices that are spread over the warp to shared memory."),
    ("sub", "Difference of integers or floats."),
    ("subc", "Difference of integers with the borrow of the instruction before."),
    ("szext", "Extends a number of n bits with its sign or zeros."),
    ("tanh", "Hyperbolic tangent, approximate."),
    ("testp", "Whether a float is finite, infinite, a number, NaN, normal or subnormal."),
    ("trap", "Aborts the kernel."),
    ("vabsdiff", "Absolute difference of bytes or half-words of registers, with an optional second operation."),
    ("vabsdiff2", "Absolute differences of half-words."),
    ("vabsdiff4", "Absolute differences of bytes."),
    ("vadd", "Sum of bytes or half-words of registers, with an optional second operation."),
    ("vadd2", "Sums of half-words."),
    ("vadd4", "Sums of bytes."),
    ("vavrg2", "Averages of half-words."),
    ("vavrg4", "Averages of bytes."),
    ("vmad", "Multiply-add of bytes or half-words of registers."),
    ("vmax", "Greater of bytes or half-words of registers, with an optional second operation."),
    ("vmax2", "Greater of half-words."),
    ("vmax4", "Greater of bytes."),
    ("vmin", "Smaller of bytes or half-words of registers, with an optional second operation."),
    ("vmin2", "Smaller of half-words."),
    ("vmin4", "Smaller of bytes."),
    ("vote", "Vote of the threads of a warp: all, any, unanimous, or the mask of a predicate."),
    ("vset", "Compares bytes or half-words of registers, with an optional second operation."),
    ("vset2", "Compares half-words."),
    ("vset4", "Compares bytes."),
    ("vshl", "Shifts bytes or half-words of registers left, with an optional second operation."),
    ("vshr", "Shifts bytes or half-words of registers right, with an optional second operation."),
    ("vsub", "Difference of bytes or half-words of registers, with an optional second operation."),
    ("vsub2", "Differences of half-words."),
    ("vsub4", "Differences of bytes."),
    ("wmma", "Fragments of matrices of a warp: loads, stores, product plus a third (tensor cores)."),
    ("xor", "Bitwise exclusive or."),
];

#[cfg(test)]
mod tests {
    use super::SUMMARIES;
    use crate::describe::instructions;

    /// Each instruction has a summary for all of its forms, instead of the description of its first
    /// form.
    #[test]
    fn every_instruction_has_a_sentence() {
        assert!(SUMMARIES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let all = instructions();
        for d in &all {
            assert!(d.summary.ends_with('.') && d.summary.len() > 8, "{}: {}", d.name, d.summary);
        }
        for (name, _) in SUMMARIES {
            assert!(all.iter().any(|d| d.name == *name), "{name}");
        }
    }
}
