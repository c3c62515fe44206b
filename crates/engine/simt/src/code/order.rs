//! The memory order of an access or fence, parsed from the instruction's modifiers.

use texunit_forms::words;
use texunit_syntax::{SourceFile, Span};

words! {
    /// Memory semantics of an access or a fence (PTX ISA 8.5).
    #[derive(Default)]
    Semantics {
        /// The access has no modifier, and is weak.
        #[default]
        Weak = "",
        /// `.volatile`: relaxed, with the scope of all threads that can access the memory.
        Volatile = "volatile",
        /// `.relaxed`, or an atomic without a modifier.
        Relaxed = "relaxed",
        /// Acquire semantics (`.acquire`).
        Acquire = "acquire",
        /// Release semantics (`.release`).
        Release = "release",
        /// Acquire and release semantics (`.acq_rel`).
        AcquireRelease = "acq_rel",
        /// Sequential consistency (`fence.sc`, `membar`).
        SequentiallyConsistent = "sc",
    }
}

words! {
    /// Scope: the set of threads for which an order holds.
    #[derive(Default)]
    Scope {
        /// The instruction has no scope modifier: the scope is the thread itself, or the
        /// instruction's default.
        #[default]
        None = "",
        /// The threads of the CTA (`.cta`).
        Cta = "cta",
        /// The threads of the cluster (`.cluster`).
        Cluster = "cluster",
        /// The threads of the device (`.gpu`, `membar.gl`).
        Gpu = "gpu",
        /// All threads of the system, including those of the host (`.sys`).
        System = "sys",
    }
}

/// Memory semantics together with their scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Order {
    /// Memory semantics.
    pub semantics: Semantics,
    /// Scope of the semantics.
    pub scope: Scope,
}

/// Opcode and modifiers of an instruction, parsed from its source. The typed module keeps only
/// modifiers that change results; the memory order does not, but checks need it.
pub(crate) fn words(source: &SourceFile, span: Span) -> impl Iterator<Item = &str> + Clone {
    const ENDS: &str = ";./@%";
    let text = skip_space(source.snippet(span));
    // The guard of the instruction, such as `@%p`, is skipped.
    let text = match text.strip_prefix('@') {
        Some(rest) => {
            let name = skip_space(skip_space(rest).trim_start_matches('!'));
            skip_space(name.trim_start_matches(|c: char| !c.is_whitespace() && c != '/'))
        }
        None => text,
    };
    // White space may precede a dot.
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let ends = |c: char| c.is_whitespace() || ENDS.contains(c);
        let (word, rest_of_text) = text.split_at(text.find(ends).unwrap_or(text.len()));
        rest = skip_space(rest_of_text).strip_prefix('.').map(skip_space);
        Some(word)
    })
}

/// Skips white space and comments.
fn skip_space(mut text: &str) -> &str {
    loop {
        text = text.trim_start();
        let (rest, end) = match (text.strip_prefix("/*"), text.strip_prefix("//")) {
            (Some(rest), _) => (rest, "*/"),
            (_, Some(rest)) => (rest, "\n"),
            _ => return text,
        };
        text = rest.split_once(end).map_or("", |of| of.1);
    }
}

impl Order {
    /// The memory order of an instruction with this opcode and these modifiers. The default order
    /// of an atomic is relaxed.
    ///
    /// Loads and stores with `.cg` count as relaxed, too. The PTX ISA calls cache operators hints,
    /// but on every GPU these accesses go to the cache that all multiprocessors share, and CUB
    /// before 2.1 relies on that for waiting.
    pub(crate) fn of<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let (mut order, mut is_access) = (Self::default(), false);
        let relaxed = Self { semantics: Semantics::Relaxed, scope: Scope::Gpu };
        for (i, word) in words.enumerate() {
            match word {
                "ld" | "st" if i == 0 => is_access = true,
                "cg" if is_access && order.semantics == Semantics::Weak => order = relaxed,
                "membar" if i == 0 => order.semantics = Semantics::SequentiallyConsistent,
                "atom" | "red" if i == 0 => order = relaxed,
                "volatile" => {
                    order = Self { semantics: Semantics::Volatile, scope: Scope::System };
                }
                "gl" => order.scope = Scope::Gpu,
                word => {
                    order.semantics = Semantics::from_name(word).unwrap_or(order.semantics);
                    order.scope = Scope::from_name(word).unwrap_or(order.scope);
                }
            }
        }
        order
    }
}
