//! The table of check rules: code, severity, explanation and advice of each kind of finding.

use texunit_syntax::Severity::{self, Error, Warning};
use texunit_syntax::codes::Code;

/// A kind of finding. Its code begins with the name of its check: `sync-barrier-divergent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckRule {
    /// Code, title and explanation.
    pub code: Code,
    /// Default severity: an error is undefined or wrong on a GPU, a warning is probably unintended,
    /// a note is often intended.
    pub severity: Severity,
    /// Advice, in a line or two.
    pub help: &'static str,
}

/// Makes an entry of the table.
const fn rule(
    code: &'static str,
    severity: Severity,
    title: &'static str,
    help: &'static str,
    explanation: &'static str,
) -> CheckRule {
    CheckRule { code: Code { code, title, explanation }, severity, help }
}

/// The rule with this code.
pub fn check_rule(code: &str) -> Option<&'static CheckRule> {
    CHECK_RULES.iter().find(|rule| rule.code.code == code)
}

/// All rules. docs/checks.md has an example of each.
#[rustfmt::skip]
pub const CHECK_RULES: &[CheckRule] = &[
    rule("init-address", Error, "address that depends on uninitialised data",
        "write the index or pointer before it is used: initialise the variable, or copy or clear the memory that it is loaded from",
        "An address, or the size of a copy, depends on uninitialised bytes. Fresh memory is zero here, and something else on a GPU: the access goes anywhere there."),
    rule("init-atomic", Error, "atomic on uninitialised memory",
        "clear the memory first: `cudaMemset`, or a loop before the first atomic and a barrier",
        "An atomic adds to, compares or combines with uninitialised bytes, in memory or in its operand: a counter or histogram that was not cleared. Its sum is right only where fresh memory happens to be zero. An exchange alone is not reported; it carries the state along."),
    rule("init-branch", Error, "branch on uninitialised data",
        "write the value on all paths that lead here",
        "Which way a thread goes, or whether it executes an instruction, depends on uninitialised bytes. On a GPU it may go either way, and another one each time."),
    rule("init-collective", Error, "uninitialised operand of a collective",
        "give each lane that takes part a defined value, or leave it out of the membermask",
        "A vote, a match, a reduction, a barrier, or the lane or mask of a shuffle depends on uninitialised bytes, and so does what all other lanes get. The value that a shuffle moves is a copy: it is reported where it is used."),
    rule("init-copy-to-host", Warning, "copy of uninitialised memory to the host",
        "copy what was written, or set the memory first (`cudaMemset`); let the kernel write all elements of its output",
        "A copy to the host has bytes of device memory or of an array that no kernel, copy or fill has written since it was allocated. Here they are zero, or what `--fill` says; on a GPU they are what was there before, which often looks right until another program runs first. Rows that are copied with a pitch have no padding; bytes between the members of structures are a note."),
    rule("init-fetch", Error, "fetch with an uninitialised operand",
        "compute coordinates, levels and handles from defined values",
        "A coordinate, level, gradient, offset or handle of a texture or surface access depends on uninitialised bytes."),
    rule("init-library", Error, "library works on uninitialised memory",
        "write the memory first; padding is 0 in no new memory",
        "A library (a transform of cuFFT) has read bytes that nobody has written. What it computes of them is not followed: the memory that it writes counts as written."),
    rule("init-load", Warning, "load of uninitialised memory",
        "write the memory first; without `--init load` only uses that matter are reported",
        "Uninitialised bytes have been loaded. Reported with `--init load` alone, at each such load, as compute-sanitizer's initcheck does, whether or not the value is used: padding that is loaded with its neighbours is reported, too."),
    rule("init-store", Error, "store of a value computed from uninitialised data",
        "write the operands first; an accumulator begins with 0",
        "A value that was computed from uninitialised bytes is stored to global memory or to a surface. A mere copy is not reported: what it copies stays undefined, and is reported where it is used."),
    rule("leak-allocation", Warning, "memory that was not freed",
        "free it (`cudaFree`, `cudaFreeArray`, `cudaFreeHost`) before the device is reset or the program ends",
        "Memory of the device, an array or pinned memory of the host was alive when the device was reset or the program ended. A GPU releases it with the context; a program that does the same again and again runs out of memory."),
    rule("leak-device-heap", Warning, "memory of the device heap that was not freed",
        "call `free` in a kernel for what `malloc` and `new` returned, or keep the pointer for a kernel that does",
        "What `malloc` or `new` returns in a kernel lives until a kernel frees it or the context ends, and the heap of a device is small (8 MiB unless `cudaLimitMallocHeapSize` says more): when it is used up, `malloc` returns null."),
    rule("leak-object", Warning, "object that was not destroyed",
        "destroy it before the device is reset or the program ends",
        "A texture, surface, stream, event, graph or module was alive when the device was reset or the program ended. Each keeps memory of the driver, and textures keep slots of tables that have an end."),
    rule("race-host-read", Error, "read by the host of what unfinished work writes",
        "wait first: `cudaDeviceSynchronize`, `cudaStreamSynchronize` or `cudaEventSynchronize`",
        "The program has read managed or pinned memory by a plain load while a kernel, copy or fill that writes it was submitted and nothing had waited for that. Here work is done inside the call, and the program finds the result; on a GPU it may find what was there before, or a part of either."),
    rule("race-host-write", Error, "write by the host of what unfinished work uses",
        "wait first, or use another buffer for the next turn",
        "The program has written managed or pinned memory by a plain store while a kernel, copy or fill that reads or writes it was submitted and nothing had waited for that. Here work is done inside the call; on a GPU it may read the new bytes, or write over them: a buffer of `cudaMemcpyAsync` from pinned memory belongs to the copy until its stream has been waited for."),
    rule("race-pool-allocation", Error, "use of pool memory that does not wait for its allocation",
        "use it in the stream of the allocation, or let the other stream wait for an event behind it (`cudaStreamWaitEvent`)",
        "Memory of `cudaMallocAsync` is there for work that comes behind the allocation in its stream. A kernel, copy or fill of another stream uses it, and neither an event nor the host orders the two. Here an allocation is done in its call; on a GPU the other stream may come first and uses what was there before: memory of someone else, or none."),
    rule("race-pool-free", Error, "free of pool memory that another stream uses",
        "free it in the stream that uses it last, or let the stream of the free wait for that one (`cudaStreamWaitEvent`)",
        "`cudaFreeAsync` gives memory back when its stream comes to it. A kernel of another stream uses the memory, and neither an event nor the host makes the free wait for that kernel. On a GPU the memory may be gone, or be another one's, while the kernel runs."),
    rule("race-read-after-write", Error, "load of what another thread stores, unordered",
        "put a barrier between the two, `__syncwarp()` between lanes of a warp, a fence and an atomic between CTAs",
        "A thread has loaded bytes that another thread stores, and nothing orders the two: no barrier, no `__syncwarp`, no fence with an atomic or volatile access, no end of a launch. On a GPU the load may come before the store or after it, and the compiler may keep either in a register or move it."),
    rule("race-same-value", Warning, "stores of the same value, unordered",
        "let one thread store it, or put a barrier between the two; where any of them may come last, an atomic says so",
        "Two threads have stored the same value to the same bytes and nothing orders the two. What is there in the end does not depend on who was last, as long as the values are the same; PTX and C++ call it a race all the same, and a compiler may use the place for something else until then. Lanes of a warp that do it by one instruction are told of with `--check race=strict` alone."),
    rule("race-write-after-read", Error, "store to what another thread loads, unordered",
        "put a barrier between the load and the store, also at the end of a loop whose next turn stores again",
        "A thread has stored to bytes that another thread loads, and nothing orders the two. On a GPU a slower thread may load what the faster one has stored for the next turn."),
    rule("race-write-after-write", Error, "stores of two threads to the same bytes, unordered",
        "give each thread a place of its own, use an atomic, or put a barrier between the two",
        "Two threads have stored to the same bytes and nothing orders the two, so that either value may stay. Lanes of one instruction count, too: which of them comes last is not defined."),
    rule("sync-barrier-count", Error, "barrier for another number of threads",
        "the count of `bar.sync` and `bar.arrive` is the number of threads of all warps that take part, each counted as 32",
        "More threads have come to a barrier with a count than that count, or fewer have come to it than it waits for when the CTA ended. A barrier counts whole warps. With the wrong count one group of threads goes on before the others have come, or arrivals are left over for the next use of the barrier."),
    rule("sync-barrier-divergent", Error, "barrier in divergent code",
        "move the barrier to where all threads of the warp come together, outside of conditions that differ between them",
        "`__syncthreads`, `bar.sync` and every barrier with `.aligned` are instructions of whole warps: all threads of the warp that have not exited must execute the same one at the same time. Lanes of one warp came to it one after another, or at different ones. A GPU may count the warp twice, let threads through early, or hang."),
    rule("sync-barrier-missed", Warning, "barrier that some threads never reach",
        "let the threads that have nothing to do skip the work, and not the barrier: no `return` before it",
        "Threads of the CTA had exited when the others passed a barrier for all threads. CUDA defines `__syncthreads` for code that all threads of the CTA reach. Volta and later let the others go on; older GPUs count warps, and a warp of which some threads have exited can hang or be counted wrong."),
    rule("sync-barrier-places", Error, "barrier that threads meet at different places",
        "use one barrier after the condition, or a named barrier with a count for those who take part (`bar.sync 1, 64`)",
        "Warps of a CTA have met at a barrier for all threads, but at different instructions: one branch's `__syncthreads` stood for the other's. CUDA defines it only if all threads of the CTA reach the same one. What is ordered then is not what the text says, and an added barrier in one branch shifts all that follow."),
    rule("sync-grid-not-cooperative", Error, "grid barrier without a cooperative launch",
        "launch it with `cudaLaunchCooperativeKernel`, with a grid that fits on the device at one time",
        "`grid.sync()` of cooperative groups needs a launch that promises that all CTAs run at the same time. In another launch it has no memory for its barrier and stops the kernel."),
    rule("sync-mask-exited", Error, "membermask that names threads which have exited",
        "name only threads that come: take the mask by `__ballot_sync` before threads leave, or let none leave",
        "A `.sync` instruction waits for all threads of its membermask, and one of them has exited. Its value (`shfl`) is undefined, its vote is missing, and a GPU before Volta waits forever."),
    rule("sync-mbarrier-overtaken", Error, "wait for a phase of an mbarrier that is long over",
        "let every thread wait for each phase before others can end the next one",
        "A parity tells two phases apart, and this thread waits for one that is two or more phases behind: the mbarrier has gone on without it. The test then reports on another phase, and the thread waits forever or goes on too early."),
    rule("sync-mbarrier-phase", Error, "wait for a phase of an mbarrier that was waited for before",
        "flip the parity after each wait (`phase ^= 1`)",
        "This thread has waited for the same phase of the mbarrier before, and others have begun the next one: the test succeeds at once, for a phase that is long over, and nothing orders the thread with those who arrive now."),
    rule("texture-address-mode", Warning, "address mode that does not act",
        "use normalized coordinates, or `cudaAddressModeClamp` and an index that wraps by itself",
        "Wrap and mirror need normalized coordinates. With others the texture unit clamps instead, silently, so that reads past the edge give the edge. Told where a texel of a footprint lies past the edge: a linear filter at x = 0.25 reads one."),
    rule("texture-bad-fetch", Error, "fetch that no texture fits",
        "give the instruction an object of its kind and geometry; `--bad-fetch fault` ends the launch there",
        "The instruction's geometry is none that the texture or surface can be seen by, it has `.f32` coordinates and the texture is linear memory, the handle was never returned (0 is none either), or a fetch has the handle of a surface. A card does not fault: loads give 0 in every component and a predicate that is true, stores and reductions do nothing, a surface is fetched from by a point filter with coordinates in texels. So does texunit, which says so once for each instruction and object: such a launch has failed, with or without `--check`. With `--bad-fetch fault` (TEXUNIT_BAD_FETCH=fault) it is a fault."),
    rule("texture-channel", Warning, "channel that the texture does not have",
        "read only the channels that the format has, or make the texture with a format that has them",
        "The kernel uses a component of a fetch that the texture's format does not have. Missing colours are 0 and a missing alpha is 1, whatever the texture holds."),
    rule("texture-coordinates", Warning, "coordinates of the other kind",
        "make the texture with the `normalizedCoords` that the kernel goes by, or scale the coordinates",
        "The texture counts coordinates in texels and all that the kernel has given lie between 0 and 1, or it takes them from 0 to 1 and the kernel counts in texels. Every fetch then reads the first texels, or places all over."),
    rule("texture-element-type", Warning, "element type that the texture does not have",
        "fetch with the type of the texture's elements: `.s32` or `.u32` for integers, `.f32` for floats and normalized reads",
        "The instruction's result type is not that of the texture's elements: the bits of one are taken for the other, and neither is converted."),
    rule("texture-fetch-past-end", Warning, "fetch past the end of a linear texture",
        "test the index before the fetch, or give the texture the whole allocation",
        "`tex1Dfetch` outside of the texture gives 0 and says nothing, on a GPU as here."),
    rule("texture-gather-flag", Warning, "gather from an array that was not made for it",
        "make the array with `cudaArrayTextureGather` (`CUDA_ARRAY3D_TEXTURE_GATHER`)",
        "`tex2Dgather` and `tld4` are for arrays that were made with the flag for them, says CUDA. texunit gathers from others all the same; what a GPU does there is not specified."),
    rule("texture-geometry", Warning, "object of a neighbouring geometry",
        "use the instruction of the object's own geometry",
        "The instruction is for another geometry than the object was made with, and the hardware lets it pass: `tex.1d` reads the first row of a 2D texture, `.a1d` and `.a2d` see one layer of what has none."),
    rule("texture-half-texel", Warning, "linear filter at whole coordinates",
        "add half a texel: `tex2D(t, x + 0.5f, y + 0.5f)`, with normalized coordinates `(x + 0.5f) / width`",
        "The middle of texel n is at n + 0.5. At whole coordinates a linear filter is half-way between texels, and its result is the mean of two, four or eight of them: a picture that is fetched so is blurred and moved by half a texel. Reported where at least nine tenths of the fetches of a line have whole coordinates (with normalized ones, multiples of 1/n of n texels), and the result differs from the texel; not where all of them are odd, as where a picture is made half as large."),
    rule("texture-inexact", Warning, "table whose steps are finer than the weights of a linear filter",
        "interpolate in the kernel, with two point fetches and a multiplication, where the difference matters",
        "The linear filter of a texture has weights of 8 bits. Where neighbouring entries of a table are far apart, its results differ from exact interpolation by more than half of the step that the table has elsewhere."),
    rule("texture-layer", Warning, "layer out of range",
        "test the layer; layers count from 0",
        "The layer of a fetch is limited to those that the texture has, silently: the result comes from another layer."),
    rule("texture-level", Warning, "level out of range",
        "test the level, or give the texture all its levels; levels count from 0",
        "The level of detail is limited to those that the texture and its sampler have, silently: the result comes from another level."),
    rule("texture-nan", Warning, "coordinate that is not a number",
        "find out where it comes from: 0/0, the square root of a negative number, or an uninitialised value",
        "A coordinate is NaN. The texture unit treats it as 0 and returns a texel."),
    rule("texture-outside", Warning, "most of what is fetched lies outside",
        "compare the coordinates with the size of the texture",
        "More than half of the footprints of a line in this launch lie outside of the texture, so that the address mode determines the results. Where the border is read, it is a note: rays enter and leave a volume. Threads whose stores to surfaces are all dropped do not count."),
    rule("texture-surface-written", Error, "texture that reads what a surface wrote in the same launch",
        "read through the surface, or fetch in a second launch",
        "Fetches go through a cache that stores of the same launch do not reach. A GPU may give what was there before the launch, or some of each; here the store is seen at once."),
    rule("texture-surface-x", Warning, "surface coordinate in elements",
        "multiply x by the size of an element (`x * sizeof(float)`)",
        "The x coordinate of a surface access counts bytes. Those of this launch look like elements: they are not multiples of the element's size, and none is past the number of elements in a row."),
    rule("texture-written", Error, "texture over memory that is written in the same launch",
        "read it by a plain load, or write somewhere else and fetch in a second launch",
        "Fetches go through a cache that stores of the same launch do not reach. A GPU may give what was there before the launch, or some of each; here the store is seen at once."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(CHECK_RULES.windows(2).all(|pair| pair[0].code.code < pair[1].code.code));
        for rule in CHECK_RULES {
            assert!(!rule.help.is_empty() && rule.code.explanation.ends_with('.'), "{rule:?}");
            assert_eq!(check_rule(rule.code.code), Some(rule));
        }
    }
}
