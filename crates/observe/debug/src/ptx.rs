//! Splits the text of a PTX instruction into guard, opcode and operands.

/// Opcodes that write no register.
const WRITE_NOTHING: [&str; 11] =
    ["st", "red", "bra", "brx", "bar", "barrier", "call", "ret", "exit", "sust", "sured"];

/// A PTX instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction<'a> {
    /// The register of the guard, and whether it is negated.
    pub(crate) guard: Option<(&'a str, bool)>,
    /// The opcode with its modifiers.
    pub(crate) opcode: &'a str,
    /// The operands, as written.
    pub(crate) operands: &'a str,
}

impl<'a> Instruction<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let text = text.trim_end_matches(';');
        let (guard, rest) = match text.strip_prefix('@').and_then(|rest| rest.split_once(' ')) {
            Some((guard, rest)) => {
                (Some((guard.trim_start_matches('!'), guard.starts_with('!'))), rest)
            }
            None => (None, text),
        };
        let (opcode, operands) = rest.split_once(' ').unwrap_or((rest, ""));
        Self { guard, opcode, operands: operands.trim_start() }
    }

    /// The opcode without modifiers.
    pub(crate) fn word(&self) -> &'a str {
        self.opcode.split('.').next().unwrap_or("")
    }

    /// Whether the instruction can end a thread.
    pub(crate) fn is_exit(&self) -> bool {
        matches!(self.word(), "ret" | "exit")
    }

    /// The registers that the instruction writes.
    pub(crate) fn destinations(&self) -> impl Iterator<Item = &'a str> {
        let first = match self.operands.strip_prefix('{') {
            _ if WRITE_NOTHING.contains(&self.word()) => "",
            Some(vector) => vector.split('}').next().unwrap_or(""),
            None => self.operands.split(',').next().unwrap_or(""),
        };
        first.split([',', '|', ' ']).filter(|name| !name.is_empty())
    }
}

#[cfg(test)]
#[test]
fn instructions_have_parts() {
    let of = |text: &'static str| {
        let it = Instruction::of(text);
        (it.guard, it.word(), it.destinations().collect::<Vec<_>>())
    };
    assert_eq!(of("add.s32 %r1, %r2, %r3;"), (None, "add", vec!["%r1"]));
    assert_eq!(
        of("@!%p1 setp.lt.s32 %p2|%p3, %r2, 4;"),
        (Some(("%p1", true)), "setp", vec!["%p2", "%p3"])
    );
    assert_eq!(of("ld.global.v2.u32 {%r1, %r2}, [%rd1];").2, ["%r1", "%r2"]);
    assert_eq!(of("st.global.u32 [%rd1], %r1;"), (None, "st", vec![]));
    assert_eq!(of("@%p1 bra $L;"), (Some(("%p1", false)), "bra", vec![]));
    assert!(Instruction::of("ret;").is_exit() && !Instruction::of("@%p1 bra $L;").is_exit());
}
