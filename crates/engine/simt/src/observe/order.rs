//! How an access is ordered, as its instruction says it.

use texunit_syntax::{SourceFile, Span};

/// Semantics of an access or a fence (PTX ISA 8.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Semantics {
    /// No word.
    #[default]
    Weak,
    /// `.volatile`: as relaxed, of a scope of all threads that could see it.
    Volatile,
    /// `.relaxed`; an atomic without a word.
    Relaxed,
    /// `.acquire`
    Acquire,
    /// `.release`
    Release,
    /// `.acq_rel`
    AcquireRelease,
    /// `fence.sc`, `membar`
    SequentiallyConsistent,
}

/// Threads among which an order holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// No word: the thread alone, or what the instruction's default is.
    #[default]
    None,
    /// `.cta`
    Cta,
    /// `.cluster`
    Cluster,
    /// `.gpu`, `membar.gl`
    Gpu,
    /// `.sys`
    System,
}

/// Both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Order {
    /// What is ordered.
    pub semantics: Semantics,
    /// For whom.
    pub scope: Scope,
}

/// Words of an instruction: the opcode and its modifiers.
// The typed module keeps only modifiers that change results. The memory order changes none; checks need it.
pub(crate) fn words(source: &SourceFile, span: Span) -> impl Iterator<Item = &str> + Clone {
    const ENDS: &str = ";./@%";
    let text = behind_space(source.snippet(span));
    // A guard stands before it.
    let text = match text.strip_prefix('@') {
        Some(rest) => {
            let name = behind_space(behind_space(rest).trim_start_matches('!'));
            behind_space(name.trim_start_matches(|c: char| !c.is_whitespace() && c != '/'))
        }
        None => text,
    };
    // There may be space before a dot.
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let ends = |c: char| c.is_whitespace() || ENDS.contains(c);
        let (word, behind) = text.split_at(text.find(ends).unwrap_or(text.len()));
        rest = behind_space(behind).strip_prefix('.').map(behind_space);
        Some(word)
    })
}

/// What stands behind white space and comments.
fn behind_space(mut text: &str) -> &str {
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
    /// The order of an instruction with these words. A fence is one by its opcode, an atomic is relaxed.
    ///
    /// So are loads and stores with `.cg`: the PTX ISA says that cache operators are hints, but those go to the cache that all
    /// multiprocessors share, on every GPU, and CUB before 2.1 waits by them.
    pub(crate) fn of<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let mut order = Self::default();
        let mut is_access = false;
        for (i, word) in words.enumerate() {
            match word {
                "ld" | "st" if i == 0 => is_access = true,
                // Made where all multiprocessors meet.
                "cg" if is_access && order.semantics == Semantics::Weak => {
                    order = Self { semantics: Semantics::Relaxed, scope: Scope::Gpu };
                }
                "membar" if i == 0 => order.semantics = Semantics::SequentiallyConsistent,
                "atom" | "red" if i == 0 => {
                    order = Self { semantics: Semantics::Relaxed, scope: Scope::Gpu };
                }
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

    fn of(text: &str) -> (Semantics, Scope) {
        let source = SourceFile::new("t.ptx", text);
        let order = Order::of(words(&source, Span::new(0, text.len())));
        (order.semantics, order.scope)
    }

    #[test]
    fn words_say_the_order() {
        assert_eq!(of("ld.global.u32 %r1, [%rd1];"), (Semantics::Weak, Scope::None));
        assert_eq!(
            of("@!%p1 ld.volatile.global.u32 %r1, [a];"),
            (Semantics::Volatile, Scope::System)
        );
        assert_eq!(of("st.release.gpu.u32 [x], 1;"), (Semantics::Release, Scope::Gpu));
        assert_eq!(of("atom.global.add.u32 %r1, [x], 1;"), (Semantics::Relaxed, Scope::Gpu));
        assert_eq!(of("red.release.sys.add.u32 [x], 1;"), (Semantics::Release, Scope::System));
        assert_eq!(of("@%p\tmembar.gl;"), (Semantics::SequentiallyConsistent, Scope::Gpu));
        assert_eq!(of("ld.global.cg.u32 %r1, [a];"), (Semantics::Relaxed, Scope::Gpu));
        let copy = "cp.async.cg.shared.global [s], [a], 16;";
        assert_eq!(of(copy), (Semantics::Weak, Scope::None));
        assert_eq!(of("fence.acq_rel.cta;"), (Semantics::AcquireRelease, Scope::Cta));
        // Names of variables are none of the words.
        assert_eq!(of("st.u32 [volatile.sys], 1;"), (Semantics::Weak, Scope::None));
        assert_eq!(of("ld .volatile.u32 %r1, [%a];"), (Semantics::Volatile, Scope::System));
        let spaced = "@ ! %p/* . */ld // a load\n . relaxed\t.gpu.u32 %r1, [%a.volatile];";
        assert_eq!(of(spaced), (Semantics::Relaxed, Scope::Gpu));
    }
}
