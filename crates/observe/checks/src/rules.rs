//! The rules of findings by name, from the table `texunit_report::CHECK_RULES`.

pub use texunit_report::{CHECK_RULES, CheckRule};

/// The rule with this code.
const fn row(code: &str) -> &'static CheckRule {
    let mut i = 0;
    while i < CHECK_RULES.len() {
        if same(CHECK_RULES[i].code.code.as_bytes(), code.as_bytes()) {
            return &CHECK_RULES[i];
        }
        i += 1;
    }
    // Evaluated at compile time, so that a wrong code is a compile error.
    panic!("there is no such rule")
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

macro_rules! rules {
    ($($name:ident $code:literal)*) => {
        $(
            #[doc = concat!("`", $code, "`")]
            pub const $name: &CheckRule = row($code);
        )*
    };
}

rules! {
    INIT_ADDRESS "init-address"
    INIT_ATOMIC "init-atomic"
    INIT_BRANCH "init-branch"
    INIT_COLLECTIVE "init-collective"
    INIT_FETCH "init-fetch"
    INIT_LIBRARY "init-library"
    INIT_LOAD "init-load"
    INIT_STORE "init-store"
    INIT_COPY_TO_HOST "init-copy-to-host"
    LEAK_ALLOCATION "leak-allocation"
    LEAK_DEVICE_HEAP "leak-device-heap"
    LEAK_OBJECT "leak-object"
    RACE_HOST_READ "race-host-read"
    RACE_HOST_WRITE "race-host-write"
    RACE_POOL_ALLOCATION "race-pool-allocation"
    RACE_POOL_FREE "race-pool-free"
    RACE_READ_AFTER_WRITE "race-read-after-write"
    RACE_SAME_VALUE "race-same-value"
    RACE_WRITE_AFTER_READ "race-write-after-read"
    RACE_WRITE_AFTER_WRITE "race-write-after-write"
    SYNC_BARRIER_COUNT "sync-barrier-count"
    SYNC_BARRIER_DIVERGENT "sync-barrier-divergent"
    SYNC_BARRIER_MISSED "sync-barrier-missed"
    SYNC_BARRIER_PLACES "sync-barrier-places"
    SYNC_GRID_NOT_COOPERATIVE "sync-grid-not-cooperative"
    SYNC_MASK_EXITED "sync-mask-exited"
    SYNC_MBARRIER_OVERTAKEN "sync-mbarrier-overtaken"
    SYNC_MBARRIER_PHASE "sync-mbarrier-phase"
    TEXTURE_ADDRESS_MODE "texture-address-mode"
    TEXTURE_BAD_FETCH "texture-bad-fetch"
    TEXTURE_CHANNEL "texture-channel"
    TEXTURE_COORDINATES "texture-coordinates"
    TEXTURE_ELEMENT_TYPE "texture-element-type"
    TEXTURE_FETCH_PAST_END "texture-fetch-past-end"
    TEXTURE_GATHER_FLAG "texture-gather-flag"
    TEXTURE_GEOMETRY "texture-geometry"
    TEXTURE_HALF_TEXEL "texture-half-texel"
    TEXTURE_INEXACT "texture-inexact"
    TEXTURE_LAYER "texture-layer"
    TEXTURE_LEVEL "texture-level"
    TEXTURE_NAN "texture-nan"
    TEXTURE_OUTSIDE "texture-outside"
    TEXTURE_SURFACE_X "texture-surface-x"
    TEXTURE_SURFACE_WRITTEN "texture-surface-written"
    TEXTURE_WRITTEN "texture-written"
}
