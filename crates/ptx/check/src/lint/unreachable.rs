//! Lint W0204: unreachable code.

use texunit_forms::Count;
use texunit_isa::Opcode;
use texunit_syntax::Diagnostic;

use super::body::Body;

/// Finds unreachable code; reports one warning per contiguous range.
pub(super) fn lint(body: &Body, out: &mut Vec<Diagnostic>) {
    let graph = &body.graph;
    // Compilers generate code after calls that do not return; it counts as reached.
    let mut reached: Vec<bool> = (0..graph.exit()).map(|b| body.dominators.reaches(b)).collect();
    let mut stack: Vec<u32> = (1..graph.exit())
        .filter(|&b| {
            let last = &body.code[graph.range(b - 1).end - 1];
            // Likewise code after `exit` or `trap` in inline assembly, whose effect compilers do
            // not see.
            let unseen = matches!(last.opcode, Opcode::Exit | Opcode::Trap) && body.origin.compiled;
            unseen || last.never_returns(body.module)
        })
        .collect();
    while let Some(block) = stack.pop() {
        if block < graph.exit() && !std::mem::replace(&mut reached[block as usize], true) {
            stack.extend(graph.successors.of(block));
        }
    }
    let mut block = 0;
    while block < graph.exit() {
        if reached[block as usize] {
            block += 1;
            continue;
        }
        let first = block;
        while block < graph.exit() && !reached[block as usize] {
            block += 1;
        }
        let code = graph.range(first).start..graph.range(block - 1).end;
        // Unreachable jumps and returns are not reported: compilers end blocks with them.
        if code.clone().all(|at| ends(body.code[at].opcode)) {
            continue;
        }
        out.push(report(body, code));
    }
}

fn ends(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::Bra | Opcode::Brx | Opcode::Ret | Opcode::Exit | Opcode::Trap | Opcode::Brkpt
    )
}

fn report(body: &Body, code: std::ops::Range<usize>) -> Diagnostic {
    let n = code.len();
    let what = if n == 1 {
        "this instruction".to_owned()
    } else {
        format!("{} from here on", Count(n, "instruction"))
    };
    let message = format!("nothing leads to {what}");
    let mut diagnostic = Diagnostic::warning("W0204", body.syntax[code.start].span, message)
        .label("unreachable")
        .help("remove the code, or write a label here and a branch to it");
    if let Some(before) = code.start.checked_sub(1) {
        diagnostic =
            diagnostic.note(body.syntax[before].span, "control does not continue from here");
    }
    diagnostic
}
