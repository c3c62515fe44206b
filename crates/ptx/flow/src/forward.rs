//! A solver for forward data-flow problems.

use crate::Cfg;

/// Maximum number of passes over a function. Each level of loop nesting needs one more pass.
pub(crate) const MAX_PASSES: usize = 64;

/// Computes the state at the beginning of each block; `None` for unreachable blocks. `entry` is the
/// state at the beginning of the function, `transfer` turns the state at the beginning of a block
/// into that at its end, and `join` merges the state of another path into a state and returns
/// whether it changed. Returns `None` if loops are nested too deeply.
pub fn forward<S: Clone>(
    cfg: &Cfg,
    entry: S,
    mut transfer: impl FnMut(u32, &mut S),
    mut join: impl FnMut(&mut S, &S) -> bool,
) -> Option<Vec<Option<S>>> {
    let order = cfg.successors.reverse_postorder(0);
    let mut states = vec![None; cfg.successors.vertices()];
    states[0] = Some(entry);
    let mut is_waiting = vec![false; states.len()];
    is_waiting[0] = true;
    for _ in 0..MAX_PASSES {
        let mut is_settled = true;
        for &block in &order {
            if !std::mem::take(&mut is_waiting[block as usize]) {
                continue;
            }
            let Some(mut state) = states[block as usize].clone() else { continue };
            transfer(block, &mut state);
            for &to in cfg.successors.of(block) {
                let changes = match &mut states[to as usize] {
                    Some(there) => join(there, &state),
                    none => {
                        *none = Some(state.clone());
                        true
                    }
                };
                is_waiting[to as usize] |= changes;
                is_settled &= !changes;
            }
        }
        if is_settled {
            return Some(states);
        }
    }
    None
}
