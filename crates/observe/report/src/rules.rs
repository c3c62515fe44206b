//! The kinds of findings: code and severity of each, with the texts of rules.txt.

use std::sync::LazyLock;
use texunit_syntax::Severity::{self, Error, Warning};
use texunit_syntax::codes::{Code, read};

/// A kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckRule {
    /// The code of the finding, which begins with the name of the check: `sync-barrier-divergent`.
    pub code: &'static str,
    /// Default severity: an error is undefined or wrong on a GPU, a warning is probably unintended,
    /// a note is often intended.
    pub severity: Severity,
}

impl CheckRule {
    /// Code, title and explanation.
    pub fn text(&self) -> &'static Code {
        &self.texts().0
    }

    /// Advice, in a line or two.
    pub fn help(&self) -> &'static str {
        self.texts().1
    }

    fn texts(&self) -> &'static (Code, &'static str) {
        static TEXTS: LazyLock<Vec<(Code, &str)>> = LazyLock::new(|| {
            let parts = |code: Code| {
                let (help, explanation) = code.explanation.split_once("  ")?;
                Some((Code { explanation, ..code }, help))
            };
            read(include_str!("rules.txt")).into_iter().filter_map(parts).collect()
        });
        let found = TEXTS.iter().find(|(text, _)| text.code == self.code);
        found.expect("rules.txt has each rule, as a test checks")
    }
}

/// The rule with this code.
pub fn check_rule(code: &str) -> Option<&'static CheckRule> {
    CHECK_RULES.iter().copied().find(|rule| rule.code == code)
}

macro_rules! rules {
    ($($name:ident $severity:ident $code:literal)*) => {
        $(
            #[doc = concat!("`", $code, "`")]
            pub const $name: &CheckRule = &CheckRule { code: $code, severity: $severity };
        )*
        /// All rules, in the order of their codes.
        pub const CHECK_RULES: &[&CheckRule] = &[$($name),*];
    };
}

rules! {
    INIT_ADDRESS Error "init-address"
    INIT_ATOMIC Error "init-atomic"
    INIT_BRANCH Error "init-branch"
    INIT_COLLECTIVE Error "init-collective"
    INIT_COPY_TO_HOST Warning "init-copy-to-host"
    INIT_FETCH Error "init-fetch"
    INIT_LIBRARY Error "init-library"
    INIT_LOAD Warning "init-load"
    INIT_STORE Error "init-store"
    LEAK_ALLOCATION Warning "leak-allocation"
    LEAK_DEVICE_HEAP Warning "leak-device-heap"
    LEAK_OBJECT Warning "leak-object"
    RACE_HOST_READ Error "race-host-read"
    RACE_HOST_WRITE Error "race-host-write"
    RACE_POOL_ALLOCATION Error "race-pool-allocation"
    RACE_POOL_FREE Error "race-pool-free"
    RACE_READ_AFTER_WRITE Error "race-read-after-write"
    RACE_SAME_VALUE Warning "race-same-value"
    RACE_WRITE_AFTER_READ Error "race-write-after-read"
    RACE_WRITE_AFTER_WRITE Error "race-write-after-write"
    SYNC_BARRIER_COUNT Error "sync-barrier-count"
    SYNC_BARRIER_DIVERGENT Error "sync-barrier-divergent"
    SYNC_BARRIER_MISSED Warning "sync-barrier-missed"
    SYNC_BARRIER_PLACES Error "sync-barrier-places"
    SYNC_GRID_NOT_COOPERATIVE Error "sync-grid-not-cooperative"
    SYNC_MASK_EXITED Error "sync-mask-exited"
    SYNC_MBARRIER_OVERTAKEN Error "sync-mbarrier-overtaken"
    SYNC_MBARRIER_PHASE Error "sync-mbarrier-phase"
    TEXTURE_ADDRESS_MODE Warning "texture-address-mode"
    TEXTURE_BAD_FETCH Error "texture-bad-fetch"
    TEXTURE_CHANNEL Warning "texture-channel"
    TEXTURE_COORDINATES Warning "texture-coordinates"
    TEXTURE_ELEMENT_TYPE Warning "texture-element-type"
    TEXTURE_FETCH_PAST_END Warning "texture-fetch-past-end"
    TEXTURE_GATHER_FLAG Warning "texture-gather-flag"
    TEXTURE_GEOMETRY Warning "texture-geometry"
    TEXTURE_HALF_TEXEL Warning "texture-half-texel"
    TEXTURE_INEXACT Warning "texture-inexact"
    TEXTURE_LAYER Warning "texture-layer"
    TEXTURE_LEVEL Warning "texture-level"
    TEXTURE_NAN Warning "texture-nan"
    TEXTURE_OUTSIDE Warning "texture-outside"
    TEXTURE_SURFACE_WRITTEN Error "texture-surface-written"
    TEXTURE_SURFACE_X Warning "texture-surface-x"
    TEXTURE_WRITTEN Error "texture-written"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(CHECK_RULES.windows(2).all(|pair| pair[0].code < pair[1].code));
        for rule in CHECK_RULES {
            assert!(!rule.help().is_empty() && rule.text().explanation.ends_with('.'), "{rule:?}");
            assert_eq!(check_rule(rule.code), Some(*rule));
        }
        let texts = include_str!("rules.txt").matches("\n== ").count();
        assert_eq!(texts, CHECK_RULES.len());
    }
}
