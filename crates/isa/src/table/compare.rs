//! Comparison and selection (9.7.6, 9.7.7).

super::rows! { ROWS:
    Set "cmp:eq|ne|lt|le|gt|ge ty:u32|s32|f32 ty:s16|s32|s64", "d:0 s:1 s:1", 10, 0, "9.7.6.1", "compare into a number";
    Set "cmp:eq|ne|lt|le|gt|ge|lo|ls|hi|hs ty:u32|s32|f32 ty:u16|u32|u64", "d:0 s:1 s:1", 10, 0, "9.7.6.1", "compare into a number";
    Set "cmp:eq|ne ty:u32|s32|f32 ty:BITS", "d:0 s:1 s:1", 10, 0, "9.7.6.1", "compare into a number";
    Set "cmp:FCMP ftz? ty:u32|s32|f32 ty:f32", "d:0 s:1 s:1", 10, 0, "9.7.6.1", "compare into a number";
    Set "cmp:FCMP ty:u32|s32|f32 ty:f64", "d:0 s:1 s:1", 10, 0, "9.7.6.1", "compare into a number";
    Set "cmp:eq|ne|lt|le|gt|ge bool:BOOL ty:u32|s32|f32 ty:s16|s32|s64", "d:0 s:1 s:1 c:pred", 10, 0, "9.7.6.1", "compare, combine, into a number";
    Set "cmp:eq|ne|lt|le|gt|ge|lo|ls|hi|hs bool:BOOL ty:u32|s32|f32 ty:u16|u32|u64", "d:0 s:1 s:1 c:pred", 10, 0, "9.7.6.1", "compare, combine, into a number";
    Set "cmp:eq|ne bool:BOOL ty:u32|s32|f32 ty:BITS", "d:0 s:1 s:1 c:pred", 10, 0, "9.7.6.1", "compare, combine, into a number";
    Set "cmp:FCMP bool:BOOL ftz? ty:u32|s32|f32 ty:f32", "d:0 s:1 s:1 c:pred", 10, 0, "9.7.6.1", "compare, combine, into a number";
    Set "cmp:FCMP bool:BOOL ty:u32|s32|f32 ty:f64", "d:0 s:1 s:1 c:pred", 10, 0, "9.7.6.1", "compare, combine, into a number";
    Set "cmp:FCMP ftz? ty:f16|u16|s16|u32|s32|f16x2|f32 ty:HALF", "d:0 s:1 s:1", 42, 53, "9.7.7.1", "compare halves into a number";
    Set "cmp:FCMP bool:BOOL ftz? ty:f16|u16|s16|u32|s32|f16x2|f32 ty:HALF", "d:0 s:1 s:1 c:pred", 42, 53, "9.7.7.1", "compare halves, combine";
    Set "cmp:FCMP ty:bf16|u16|s16|u32|s32|bf16x2|f32 ty:BHALF", "d:0 s:1 s:1", 78, 90, "9.7.7.1", "compare halves into a number";
    Set "cmp:FCMP bool:BOOL ty:bf16|u16|s16|u32|s32|bf16x2|f32 ty:BHALF", "d:0 s:1 s:1 c:pred", 78, 90, "9.7.7.1", "compare halves, combine";
    Set "cmp:FCMP ftz? ty:f16 ty:b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64", "d:0 s:1 s:1", 42, 53, "9.7.7.1", "compare into a half";
    Set "cmp:FCMP bool:BOOL ftz? ty:f16 ty:b16|u16|s16|b32|u32|s32|f32|b64|u64|s64|f64", "d:0 s:1 s:1 c:pred", 42, 53, "9.7.7.1", "compare into a half";
    Setp "cmp:eq|ne|lt|le|gt|ge ty:s16|s32|s64", "pp:pred s:0 s:0", 10, 0, "9.7.6.2", "compare";
    Setp "cmp:eq|ne|lt|le|gt|ge|lo|ls|hi|hs ty:u16|u32|u64", "pp:pred s:0 s:0", 10, 0, "9.7.6.2", "compare";
    Setp "cmp:eq|ne ty:BITS", "pp:pred s:0 s:0", 10, 0, "9.7.6.2", "compare";
    Setp "cmp:FCMP ftz? ty:f32", "pp:pred s:0 s:0", 10, 0, "9.7.6.2", "compare";
    Setp "cmp:FCMP ty:f64", "pp:pred s:0 s:0", 10, 0, "9.7.6.2", "compare";
    Setp "cmp:eq|ne|lt|le|gt|ge bool:BOOL ty:s16|s32|s64", "pp:pred s:0 s:0 c:pred", 10, 0, "9.7.6.2", "compare and combine";
    Setp "cmp:eq|ne|lt|le|gt|ge|lo|ls|hi|hs bool:BOOL ty:u16|u32|u64", "pp:pred s:0 s:0 c:pred", 10, 0, "9.7.6.2", "compare and combine";
    Setp "cmp:eq|ne bool:BOOL ty:BITS", "pp:pred s:0 s:0 c:pred", 10, 0, "9.7.6.2", "compare and combine";
    Setp "cmp:FCMP bool:BOOL ftz? ty:f32", "pp:pred s:0 s:0 c:pred", 10, 0, "9.7.6.2", "compare and combine";
    Setp "cmp:FCMP bool:BOOL ty:f64", "pp:pred s:0 s:0 c:pred", 10, 0, "9.7.6.2", "compare and combine";
    Setp "cmp:FCMP ftz? ty:HALF", "pp:pred s:0 s:0", 42, 53, "9.7.7.2", "compare halves";
    Setp "cmp:FCMP bool:BOOL ftz? ty:HALF", "pp:pred s:0 s:0 c:pred", 42, 53, "9.7.7.2", "compare halves and combine";
    Setp "cmp:FCMP ty:BHALF", "pp:pred s:0 s:0", 78, 90, "9.7.7.2", "compare halves";
    Setp "cmp:FCMP bool:BOOL ty:BHALF", "pp:pred s:0 s:0 c:pred", 78, 90, "9.7.7.2", "compare halves and combine";
    Selp "ty:DATA", "d:0 s:0 s:0 c:pred", 10, 0, "9.7.6.3", "one of two by a predicate";
    Slct "ty:DATA ty:s32", "d:0 s:0 s:0 s:1", 10, 0, "9.7.6.4", "one of two by a sign";
    Slct "ftz? ty:DATA ty:f32", "d:0 s:0 s:0 s:1", 10, 0, "9.7.6.4", "one of two by a sign";
}
