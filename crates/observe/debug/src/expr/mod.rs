//! C expressions for `print`, conditions, `set var`, `x` and watchpoints.

mod arith;
pub(crate) mod eval;
mod lex;
pub(crate) mod parse;
pub(crate) mod scene;

pub(crate) use lex::escape;
use parse::Expr;

/// Whether an expression has side effects on the launch.
pub(crate) fn changes(expr: &Expr) -> bool {
    match expr {
        // Assigning a convenience variable does not change the launch.
        Expr::Binary("=", to, value) => !matches!(**to, Expr::Variable(_)) || changes(value),
        Expr::Binary(_, a, b) | Expr::Index(a, b) => changes(a) || changes(b),
        Expr::Unary(_, a) | Expr::Member(a, ..) | Expr::Cast(_, a) => changes(a),
        Expr::Choice(parts) => parts.iter().any(changes),
        _ => false,
    }
}

/// Splits arguments at commas outside of parentheses.
pub(crate) fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut all) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                all.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    all.push(text[from..].trim());
    all.retain(|part| !part.is_empty());
    all
}
