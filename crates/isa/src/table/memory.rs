//! Loads, stores and what goes with them (9.7.9).

super::rows! { ROWS:
    Ld "hint:weak? space:LDSPACE? hint:ca|cg|cs|lu|cv? hint:L1HINT? hint:L2HINT? hint:FETCHSIZE? hint:unified? vec:v2|v4? ty:MEM", "r:0 m", 10, 0, "9.7.9.8", "load";
    Ld "hint:weak? space:LDSPACE? hint:ca|cg|cs|lu|cv? hint:L1HINT? hint:L2HINT? hint:FETCHSIZE? hint:unified? hint:L2::cache_hint vec:v2|v4? ty:MEM", "r:0 m s:b64", 74, 80, "9.7.9.8", "load with a cache policy";
    Ld "hint:weak? space:LDSPACE? hint:L1HINT? hint:L2HINT? hint:FETCHSIZE? vec:v4|v8 ty:b32|u32|s32|f32|b64|u64|s64|f64", "r:0 m", 88, 100, "9.7.9.8", "load of 32 bytes";
    Ld "hint:weak? space:LDSPACE? hint:ca|cg|cs|lu|cv? hint:L1HINT? hint:FETCHSIZE? ty:b128", "r:0 m", 83, 70, "9.7.9.8", "load of 16 bytes";
    Ld "hint:volatile space:LDSPACE? hint:FETCHSIZE? vec:v2|v4? ty:MEM", "r:0 m", 11, 0, "9.7.9.8", "volatile load";
    Ld "hint:relaxed|acquire hint:SCOPE space:LDSPACE? hint:L1HINT? hint:L2HINT? hint:FETCHSIZE? vec:v2|v4? ty:MEM|b128", "r:0 m", 60, 70, "9.7.9.8", "ordered load";
    Ld "hint:relaxed|acquire hint:SCOPE space:LDSPACE? hint:L1HINT? hint:L2HINT? hint:FETCHSIZE? hint:L2::cache_hint vec:v2|v4? ty:MEM", "r:0 m s:b64", 74, 80, "9.7.9.8", "ordered load with a cache policy";
    Ld "hint:mmio hint:relaxed hint:sys space:global? ty:MEM", "r:0 m", 82, 70, "9.7.9.8", "load of device registers";
    Ld "space:global hint:ca|cg|cs? nc hint:L1HINT? hint:L2HINT? hint:FETCHSIZE? vec:v2|v4? ty:MEM|b128", "r:0 m", 31, 32, "9.7.9.9", "load of constant data";
    Ld "space:global hint:ca|cg|cs? nc hint:L1HINT? hint:L2HINT? hint:FETCHSIZE? hint:L2::cache_hint vec:v2|v4? ty:MEM", "r:0 m s:b64", 74, 80, "9.7.9.9", "load of constant data with a cache policy";
    Ld "space:global nc hint:L1HINT? hint:L2HINT? hint:FETCHSIZE? vec:v4|v8 ty:b32|u32|s32|f32|b64|u64|s64|f64", "r:0 m", 88, 100, "9.7.9.9", "load of 32 bytes of constant data";
    Ldu "space:global? vec:v2|v4? ty:MEM|b128", "r:0 m", 20, 0, "9.7.9.10", "load of the same address in all threads";
    St "hint:weak? space:STSPACE? hint:wb|cg|cs|wt? hint:L1HINT? hint:L2HINT? vec:v2|v4? ty:MEM", "m x:0", 10, 0, "9.7.9.11", "store";
    St "hint:weak? space:STSPACE? hint:wb|cg|cs|wt? hint:L1HINT? hint:L2HINT? hint:L2::cache_hint vec:v2|v4? ty:MEM", "m x:0 s:b64", 74, 80, "9.7.9.11", "store with a cache policy";
    St "hint:weak? space:STSPACE? hint:L1HINT? hint:L2HINT? vec:v4|v8 ty:b32|u32|s32|f32|b64|u64|s64|f64", "m x:0", 88, 100, "9.7.9.11", "store of 32 bytes";
    St "hint:weak? space:STSPACE? hint:wb|cg|cs|wt? hint:L1HINT? ty:b128", "m x:0", 83, 70, "9.7.9.11", "store of 16 bytes";
    St "hint:volatile space:STSPACE? vec:v2|v4? ty:MEM", "m x:0", 11, 0, "9.7.9.11", "volatile store";
    St "hint:relaxed|release hint:SCOPE space:STSPACE? hint:L1HINT? hint:L2HINT? vec:v2|v4? ty:MEM|b128", "m x:0", 60, 70, "9.7.9.11", "ordered store";
    St "hint:relaxed|release hint:SCOPE space:STSPACE? hint:L1HINT? hint:L2HINT? hint:L2::cache_hint vec:v2|v4? ty:MEM", "m x:0 s:b64", 74, 80, "9.7.9.11", "ordered store with a cache policy";
    St "hint:mmio hint:relaxed hint:sys space:global? ty:MEM", "m x:0", 82, 70, "9.7.9.11", "store to device registers";
    St "x:async hint:weak? hint:mmio|release? hint:SCOPE? space:shared::cluster|global? x:mbarrier::complete_tx::bytes? vec:v2|v4? ty:b8|u8|s8|b16|u16|s16|b32|b64|u32|u64|s32|s64|f32|f64", "*", 81, 90, "9.7.9.12", "asynchronous store";
    St "x:bulk hint:weak? space:shared::cta", "*", 86, 100, "9.7.9.13", "bulk fill";
    Prefetch "space:global|local? hint:L1|L2", "m", 20, 20, "9.7.9.15", "fetch a line into a cache";
    Prefetch "space:global hint:L2::evict_last|L2::evict_normal", "m", 74, 80, "9.7.9.15", "fetch a line into a cache";
    Prefetch "space:const|param? hint:tensormap", "m", 80, 90, "9.7.9.15", "fetch a tensor map";
    Prefetchu "hint:L1", "m", 20, 20, "9.7.9.15", "fetch a line into the uniform cache";
    Applypriority "space:global? hint:L2::evict_normal", "m i:u32", 74, 80, "9.7.9.16", "change the cache priority of a line";
    Discard "space:global? hint:L2", "m i:u32", 74, 80, "9.7.9.17", "drop a line of the cache";
    Atom "hint:SEM? hint:SCOPE? space:ATOMSPACE? atom:add ty:u32|s32|u64|f32|f64", "d:0 m s:0", 11, 0, "9.7.13.5", "atomic sum";
    Atom "hint:SEM? hint:SCOPE? space:ATOMSPACE? atom:add noftz ty:f16|f16x2|bf16|bf16x2", "d:0 m s:0", 62, 60, "9.7.13.5", "atomic sum of halves";
    Atom "hint:SEM? hint:SCOPE? space:ATOMSPACE? atom:min|max ty:u32|s32|u64|s64", "d:0 m s:0", 11, 0, "9.7.13.5", "atomic minimum, maximum";
    Atom "hint:SEM? hint:SCOPE? space:ATOMSPACE? atom:inc|dec ty:u32", "d:0 m s:0", 11, 0, "9.7.13.5", "atomic counter with a bound";
    Atom "hint:SEM? hint:SCOPE? space:ATOMSPACE? atom:and|or|xor ty:b32|b64", "d:0 m s:0", 11, 0, "9.7.13.5", "atomic logic";
    Atom "hint:SEM? hint:SCOPE? space:ATOMSPACE? atom:exch ty:b32|b64|b128", "d:0 m s:0", 11, 0, "9.7.13.5", "atomic exchange";
    Atom "hint:SEM? hint:SCOPE? space:ATOMSPACE? atom:cas ty:b16|b32|b64|b128", "d:0 m s:0 s:0", 11, 0, "9.7.13.5", "atomic compare and swap";
    Atom "hint:SEM? hint:SCOPE? space:ATOMSPACE? atom:add|min|max|inc|dec|and|or|xor|exch|cas noftz? x:L2::cache_hint vec:v2|v4|v8? ty:b16|b32|u32|s32|b64|u64|s64|f32|f64|f16|f16x2|bf16|bf16x2", "*", 74, 80, "9.7.13.5", "atomic operation with a cache policy";
    Atom "hint:SEM? hint:SCOPE? space:global? atom:add|min|max noftz? vec:v2|v4|v8 ty:f32|f16|f16x2|bf16|bf16x2", "*", 81, 90, "9.7.13.5", "atomic operation on vectors";
    Red "hint:SEM? hint:SCOPE? space:ATOMSPACE? atom:add ty:u32|s32|u64|f32|f64", "m s:0", 12, 0, "9.7.13.6", "atomic sum without a result";
    Red "hint:SEM? hint:SCOPE? space:ATOMSPACE? atom:add noftz ty:f16|f16x2|bf16|bf16x2", "m s:0", 62, 60, "9.7.13.6", "atomic sum of halves";
    Red "hint:SEM? hint:SCOPE? space:ATOMSPACE? atom:min|max ty:u32|s32|u64|s64", "m s:0", 12, 0, "9.7.13.6", "atomic minimum, maximum";
    Red "hint:SEM? hint:SCOPE? space:ATOMSPACE? atom:inc|dec ty:u32", "m s:0", 12, 0, "9.7.13.6", "atomic counter with a bound";
    Red "hint:SEM? hint:SCOPE? space:ATOMSPACE? atom:and|or|xor ty:b32|b64", "m s:0", 12, 0, "9.7.13.6", "atomic logic";
    Red "hint:SEM? hint:SCOPE? space:ATOMSPACE? atom:add|min|max|inc|dec|and|or|xor noftz? x:L2::cache_hint vec:v2|v4|v8? ty:b32|u32|s32|b64|u64|s64|f32|f64|f16|f16x2|bf16|bf16x2", "*", 74, 80, "9.7.13.6", "reduction with a cache policy";
    Red "hint:SEM? hint:SCOPE? space:global? atom:add|min|max noftz? vec:v2|v4|v8 ty:f32|f16|f16x2|bf16|bf16x2", "*", 81, 90, "9.7.13.6", "reduction of vectors";
    Red "x:async hint:relaxed hint:SCOPE? hint:mmio|release? space:shared::cluster|global? x:mbarrier::complete_tx::bytes? atom:add|min|max|inc|dec|and|or|xor ty:u32|s32|u64|s64|b32|b64", "*", 81, 90, "9.7.13.7", "asynchronous reduction";
}
