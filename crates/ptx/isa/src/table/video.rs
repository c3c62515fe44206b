//! Table rows of video instructions (9.7.18): scalar ones, and SIMD ones with two half-words or
//! four bytes.

super::rows! { ROWS:
    Vadd "ty:u32|s32 ty:u32|s32 ty:u32|s32 sat? atom:add|min|max?", "@video", 20, 20, "9.7.18.1", "sum of parts of registers";
    Vsub "ty:u32|s32 ty:u32|s32 ty:u32|s32 sat? atom:add|min|max?", "@video", 20, 20, "9.7.18.1", "difference of parts of registers";
    Vabsdiff "ty:u32|s32 ty:u32|s32 ty:u32|s32 sat? atom:add|min|max?", "@video", 20, 20, "9.7.18.1", "absolute difference of parts of registers";
    Vmin "ty:u32|s32 ty:u32|s32 ty:u32|s32 sat? atom:add|min|max?", "@video", 20, 20, "9.7.18.1", "smaller of parts of registers";
    Vmax "ty:u32|s32 ty:u32|s32 ty:u32|s32 sat? atom:add|min|max?", "@video", 20, 20, "9.7.18.1", "greater of parts of registers";
    Vshl "ty:u32|s32 ty:u32|s32 ty:u32 sat? wrap:clamp|wrap atom:add|min|max?", "@video", 20, 20, "9.7.18.1", "shift left of parts of registers";
    Vshr "ty:u32|s32 ty:u32|s32 ty:u32 sat? wrap:clamp|wrap atom:add|min|max?", "@video", 20, 20, "9.7.18.1", "shift right of parts of registers";
    Vmad "ty:u32|s32 ty:u32|s32 ty:u32|s32 po? sat?", "@video", 20, 20, "9.7.18.1", "multiply-add of parts of registers";
    Vmad "ty:u32|s32 ty:u32|s32 ty:u32|s32 po? sat? shr7", "@video", 20, 20, "9.7.18.1", "multiply-add of parts of registers, scaled";
    Vmad "ty:u32|s32 ty:u32|s32 ty:u32|s32 po? sat? shr15", "@video", 20, 20, "9.7.18.1", "multiply-add of parts of registers, scaled";
    Vset "ty:u32|s32 ty:u32|s32 cmp:eq|ne|lt|le|gt|ge atom:add|min|max?", "@video", 20, 20, "9.7.18.1", "comparison of parts of registers";
    Vadd2 "ty:u32|s32 ty:u32|s32 ty:u32|s32 sat?", "@video", 30, 30, "9.7.18.2", "sums of half-words";
    Vadd2 "ty:u32|s32 ty:u32|s32 ty:u32|s32 atom:add", "@video", 30, 30, "9.7.18.2", "sums of half-words, summed up";
    Vsub2 "ty:u32|s32 ty:u32|s32 ty:u32|s32 sat?", "@video", 30, 30, "9.7.18.2", "differences of half-words";
    Vsub2 "ty:u32|s32 ty:u32|s32 ty:u32|s32 atom:add", "@video", 30, 30, "9.7.18.2", "differences of half-words, summed up";
    Vavrg2 "ty:u32|s32 ty:u32|s32 ty:u32|s32 sat?", "@video", 30, 30, "9.7.18.2", "averages of half-words";
    Vavrg2 "ty:u32|s32 ty:u32|s32 ty:u32|s32 atom:add", "@video", 30, 30, "9.7.18.2", "averages of half-words, summed up";
    Vabsdiff2 "ty:u32|s32 ty:u32|s32 ty:u32|s32 sat?", "@video", 30, 30, "9.7.18.2", "absolute differences of half-words";
    Vabsdiff2 "ty:u32|s32 ty:u32|s32 ty:u32|s32 atom:add", "@video", 30, 30, "9.7.18.2", "absolute differences of half-words, summed up";
    Vmin2 "ty:u32|s32 ty:u32|s32 ty:u32|s32 sat?", "@video", 30, 30, "9.7.18.2", "smaller of half-words";
    Vmin2 "ty:u32|s32 ty:u32|s32 ty:u32|s32 atom:add", "@video", 30, 30, "9.7.18.2", "smaller of half-words, summed up";
    Vmax2 "ty:u32|s32 ty:u32|s32 ty:u32|s32 sat?", "@video", 30, 30, "9.7.18.2", "greater of half-words";
    Vmax2 "ty:u32|s32 ty:u32|s32 ty:u32|s32 atom:add", "@video", 30, 30, "9.7.18.2", "greater of half-words, summed up";
    Vset2 "ty:u32|s32 ty:u32|s32 cmp:eq|ne|lt|le|gt|ge", "@video", 30, 30, "9.7.18.2", "comparisons of half-words";
    Vset2 "ty:u32|s32 ty:u32|s32 cmp:eq|ne|lt|le|gt|ge atom:add", "@video", 30, 30, "9.7.18.2", "comparisons of half-words, summed up";
    Vadd4 "ty:u32|s32 ty:u32|s32 ty:u32|s32 sat?", "@video", 30, 30, "9.7.18.2", "sums of bytes";
    Vadd4 "ty:u32|s32 ty:u32|s32 ty:u32|s32 atom:add", "@video", 30, 30, "9.7.18.2", "sums of bytes, summed up";
    Vsub4 "ty:u32|s32 ty:u32|s32 ty:u32|s32 sat?", "@video", 30, 30, "9.7.18.2", "differences of bytes";
    Vsub4 "ty:u32|s32 ty:u32|s32 ty:u32|s32 atom:add", "@video", 30, 30, "9.7.18.2", "differences of bytes, summed up";
    Vavrg4 "ty:u32|s32 ty:u32|s32 ty:u32|s32 sat?", "@video", 30, 30, "9.7.18.2", "averages of bytes";
    Vavrg4 "ty:u32|s32 ty:u32|s32 ty:u32|s32 atom:add", "@video", 30, 30, "9.7.18.2", "averages of bytes, summed up";
    Vabsdiff4 "ty:u32|s32 ty:u32|s32 ty:u32|s32 sat?", "@video", 30, 30, "9.7.18.2", "absolute differences of bytes";
    Vabsdiff4 "ty:u32|s32 ty:u32|s32 ty:u32|s32 atom:add", "@video", 30, 30, "9.7.18.2", "absolute differences of bytes, summed up";
    Vmin4 "ty:u32|s32 ty:u32|s32 ty:u32|s32 sat?", "@video", 30, 30, "9.7.18.2", "smaller of bytes";
    Vmin4 "ty:u32|s32 ty:u32|s32 ty:u32|s32 atom:add", "@video", 30, 30, "9.7.18.2", "smaller of bytes, summed up";
    Vmax4 "ty:u32|s32 ty:u32|s32 ty:u32|s32 sat?", "@video", 30, 30, "9.7.18.2", "greater of bytes";
    Vmax4 "ty:u32|s32 ty:u32|s32 ty:u32|s32 atom:add", "@video", 30, 30, "9.7.18.2", "greater of bytes, summed up";
    Vset4 "ty:u32|s32 ty:u32|s32 cmp:eq|ne|lt|le|gt|ge", "@video", 30, 30, "9.7.18.2", "comparisons of bytes";
    Vset4 "ty:u32|s32 ty:u32|s32 cmp:eq|ne|lt|le|gt|ge atom:add", "@video", 30, 30, "9.7.18.2", "comparisons of bytes, summed up";
}
