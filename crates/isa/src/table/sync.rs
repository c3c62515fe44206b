//! Synchronisation and communication of threads (9.7.13), shuffles.

super::rows! { ROWS:
    Bar "^hint:cta? ^sync", "s:u32/barrier s?:u32/warps", 10, 0, "9.7.13.1", "barrier of the CTA";
    Bar "^hint:cta? ^arrive", "s:u32/barrier s:u32/warps+", 20, 20, "9.7.13.1", "arrival at a barrier";
    Bar "^hint:cta? ^red hint:popc ty:u32", "d:0 s:u32/barrier s?:u32/warps c:pred", 20, 20, "9.7.13.1", "barrier that counts";
    Bar "^hint:cta? ^red bool:and|or ty:pred", "d:pred s:u32/barrier s?:u32/warps c:pred", 20, 20, "9.7.13.1", "barrier that combines predicates";
    Bar "^warp ^sync", "s:!b32", 60, 30, "9.7.13.2", "barrier of threads of a warp";
    Barrier "^hint:cta? sync hint:aligned?", "s:u32/barrier s?:u32/warps", 60, 30, "9.7.13.1", "barrier of the CTA";
    Barrier "^hint:cta? ^arrive hint:aligned?", "s:u32/barrier s:u32/warps+", 60, 30, "9.7.13.1", "arrival at a barrier";
    Barrier "^hint:cta? ^red hint:popc hint:aligned? ty:u32", "d:0 s:u32/barrier s?:u32/warps c:pred", 60, 30, "9.7.13.1", "barrier that counts";
    Barrier "^hint:cta? ^red bool:and|or hint:aligned? ty:pred", "d:pred s:u32/barrier s?:u32/warps c:pred", 60, 30, "9.7.13.1", "barrier that combines predicates";
    Barrier "^x:cluster ^arrive hint:release|relaxed? hint:aligned?", "", 78, 90, "9.7.13.3", "arrival at the barrier of the cluster";
    Barrier "^x:cluster ^hint:wait hint:acquire? hint:aligned?", "", 78, 90, "9.7.13.3", "wait for the cluster";
    Membar "hint:cta|gl", "", 14, 0, "9.7.13.4", "memory barrier";
    Membar "hint:sys", "", 20, 20, "9.7.13.4", "memory barrier of the system";
    Membar "x:proxy hint:alias|async|async.global", "*", 75, 70, "9.7.13.4", "barrier between proxies";
    Fence "hint:sc|acq_rel? hint:SCOPE", "", 60, 70, "9.7.13.4", "memory fence";
    Fence "hint:acquire|release hint:SCOPE", "", 60, 70, "9.7.13.4", "one-sided memory fence";
    Fence "hint:acquire hint:sync_restrict::shared::cluster hint:cluster", "", 86, 90, "9.7.13.4", "fence restricted to shared memory";
    Fence "hint:release hint:sync_restrict::shared::cta hint:cluster", "", 86, 90, "9.7.13.4", "fence restricted to shared memory";
    Fence "x:mbarrier_init hint:release hint:cluster", "", 80, 90, "9.7.13.4", "fence for mbarrier.init";
    Fence "^x:proxy hint:alias", "", 75, 70, "9.7.13.4", "fence between proxies";
    Fence "^x:proxy hint:async hint:global|shared::cta|shared::cluster?", "", 80, 90, "9.7.13.4", "fence between proxies";
    Fence "^x:proxy hint:tensormap::generic hint:acquire|release hint:SCOPE", "*", 83, 90, "9.7.13.4", "fence between proxies";
    Fence "^x:proxy hint:async::generic hint:acquire|release hint:sync_restrict::shared::cta|sync_restrict::shared::cluster hint:SCOPE", "*", 86, 90, "9.7.13.4", "fence between proxies";
    Vote "vote:all|any|uni ty:pred", "d:0 c:pred", 12, 12, "9.7.13.8", "vote of the warp";
    Vote "vote:ballot ty:b32", "d:0 c:pred", 20, 20, "9.7.13.8", "votes of the warp as a mask";
    Vote "sync vote:all|any|uni ty:pred", "d:0 c:pred s:!b32", 60, 30, "9.7.13.9", "vote of threads of a warp";
    Vote "sync vote:ballot ty:b32", "d:0 c:pred s:!b32", 60, 30, "9.7.13.9", "votes of threads as a mask";
    Match "match:any sync ty:b32|b64", "d:!b32 s:0 s:!b32", 60, 70, "9.7.13.10", "threads with the same value";
    Match "match:all sync ty:b32|b64", "dp:!b32 s:0 s:!b32", 60, 70, "9.7.13.10", "whether all have the same value";
    Activemask "ty:b32", "d:b32", 62, 30, "9.7.13.11", "threads that run";
    Redux "sync redux:add|min|max ty:u32|s32", "d:!0 s:!0 s:!b32", 70, 80, "9.7.13.12", "reduction over threads";
    Redux "sync redux:and|or|xor ty:b32", "d:!0 s:!0 s:!b32", 70, 80, "9.7.13.12", "logic over threads";
    Redux "sync redux:min|max abs? NaN? ty:f32", "d:0 s:0 s:!b32", 86, 100, "9.7.13.12", "reduction over threads";
    Shfl "shfl:up|down|bfly|idx ty:b32", "dp:0 s:0 s:0 s:0", 30, 30, "9.7.9.5", "exchange within the warp";
    Shfl "sync shfl:up|down|bfly|idx ty:b32", "dp:0 s:0 s:0 s:0 s:!b32", 60, 30, "9.7.9.6", "exchange within the warp";
}
