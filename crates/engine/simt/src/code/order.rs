//! The memory order of an access or fence, parsed from the instruction's modifiers.

use texunit_syntax::{SourceFile, Span};

/// Memory semantics of an access or a fence (PTX ISA 8.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Semantics {
    /// The access has no modifier, and is weak.
    #[default]
    Weak,
    /// `.volatile`: relaxed, with the scope of all threads that can access the memory.
    Volatile,
    /// `.relaxed`, or an atomic without a modifier.
    Relaxed,
    /// Acquire semantics (`.acquire`).
    Acquire,
    /// Release semantics (`.release`).
    Release,
    /// Acquire and release semantics (`.acq_rel`).
    AcquireRelease,
    /// Sequential consistency (`fence.sc`, `membar`).
    SequentiallyConsistent,
}

/// Scope: the set of threads for which an order holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The instruction has no scope modifier: the scope is the thread itself, or the instruction's
    /// default.
    #[default]
    None,
    /// The threads of the CTA (`.cta`).
    Cta,
    /// The threads of the cluster (`.cluster`).
    Cluster,
    /// The threads of the device (`.gpu`, `membar.gl`).
    Gpu,
    /// All threads of the system, including those of the host (`.sys`).
    System,
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
                "relaxed" => order.semantics = Semantics::Relaxed,
                "acquire" => order.semantics = Semantics::Acquire,
                "release" => order.semantics = Semantics::Release,
                "acq_rel" => order.semantics = Semantics::AcquireRelease,
                "sc" => order.semantics = Semantics::SequentiallyConsistent,
                "cta" => order.scope = Scope::Cta,
                "cluster" => order.scope = Scope::Cluster,
                "gpu" | "gl" => order.scope = Scope::Gpu,
                "sys" => order.scope = Scope::System,
                _ => {}
            }
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_the_order() {
        use {Scope as C, Semantics as S};
        for (text, semantics, scope) in [
            ("ld.global.u32 %r1, [%rd1];", S::Weak, C::None),
            ("@!%p1 ld.volatile.global.u32 %r1, [a];", S::Volatile, C::System),
            ("st.release.gpu.u32 [x], 1;", S::Release, C::Gpu),
            ("atom.global.add.u32 %r1, [x], 1;", S::Relaxed, C::Gpu),
            ("red.release.sys.add.u32 [x], 1;", S::Release, C::System),
            ("@%p\tmembar.gl;", S::SequentiallyConsistent, C::Gpu),
            ("ld.global.cg.u32 %r1, [a];", S::Relaxed, C::Gpu),
            ("cp.async.cg.shared.global [s], [a], 16;", S::Weak, C::None),
            ("fence.acq_rel.cta;", S::AcquireRelease, C::Cta),
            // Names of variables are not modifiers.
            ("st.u32 [volatile.sys], 1;", S::Weak, C::None),
            ("ld .volatile.u32 %r1, [%a];", S::Volatile, C::System),
            ("@ ! %p/* . */ld // a load\n . relaxed\t.gpu.u32 %r1, [%a.sys];", S::Relaxed, C::Gpu),
        ] {
            let source = SourceFile::new("t.ptx", text);
            let order = Order::of(words(&source, Span::new(0, text.len())));
            assert_eq!(order, Order { semantics, scope }, "{text}");
        }
    }
}
