//! Control flow of one function: blocks, immediate post-dominators, and where splits meet again.
//!
//! They are the dominators of the reversed graph; any graph a user can write (irreducible, endless,
//! 100 000 blocks) costs O(n log n).

use texunit_check::dominators::{Edges, immediate, with_exits};

/// What follows an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The next instruction.
    Falls,
    /// A jump; `conditional`: or the next instruction.
    Jumps { target: usize, conditional: bool },
    /// One of these.
    Switches(Vec<usize>),
    /// Leaves the function.
    Leaves,
}

/// Where the lanes that an instruction separates meet again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meet {
    /// At the instruction with this index.
    At(usize),
    /// Where the function is left.
    Exit,
}

/// The meeting point of every conditional jump and switch, by instruction index. A target past
/// the end leaves the function.
pub(crate) fn meeting_points(body: &[Next]) -> Vec<(usize, Meet)> {
    let n = body.len();
    let starts = block_starts(body);
    let mut block_of = vec![0_u32; n];
    for (b, &start) in starts.iter().enumerate() {
        let end = starts.get(b + 1).copied().unwrap_or(n);
        block_of[start..end].fill(b as u32);
    }
    let exit = starts.len() as u32;
    let block = |i: usize| block_of.get(i).copied().unwrap_or(exit);
    let mut edges = Vec::new();
    for b in 0..starts.len() {
        let last = starts.get(b + 1).copied().unwrap_or(n) - 1;
        let mut next = match &body[last] {
            Next::Falls => vec![block(last + 1)],
            Next::Jumps { target, conditional: false } => vec![block(*target)],
            Next::Jumps { target, conditional: true } => vec![block(*target), block(last + 1)],
            Next::Switches(targets) => targets.iter().map(|&t| block(t)).collect(),
            Next::Leaves => vec![exit],
        };
        next.sort_unstable();
        next.dedup();
        edges.extend(next.into_iter().map(|to| (b as u32, to)));
    }
    let doms = post_dominators(starts.len(), &edges);
    let mut meets = Vec::new();
    for (i, next) in body.iter().enumerate() {
        if matches!(next, Next::Jumps { conditional: true, .. } | Next::Switches(_)) {
            let meet = match doms[block_of[i] as usize] {
                d if d < exit => Meet::At(starts[d as usize]),
                _ => Meet::Exit,
            };
            meets.push((i, meet));
        }
    }
    meets
}

fn block_starts(body: &[Next]) -> Vec<usize> {
    let mut leader = vec![false; body.len()];
    if let Some(first) = leader.first_mut() {
        *first = true;
    }
    let mut mark = |i: usize| {
        if let Some(l) = leader.get_mut(i) {
            *l = true;
        }
    };
    for (i, next) in body.iter().enumerate() {
        match next {
            Next::Falls => continue,
            Next::Jumps { target, .. } => mark(*target),
            Next::Switches(targets) => targets.iter().for_each(|&t| mark(t)),
            Next::Leaves => {}
        }
        mark(i + 1);
    }
    (0..body.len()).filter(|&i| leader[i]).collect()
}

/// Immediate post-dominator of each of `n` blocks; `n` stands for the exit. Blocks from which the
/// exit cannot be reached get an edge to it (one for each endless part).
fn post_dominators(n: usize, edges: &[(u32, u32)]) -> Vec<u32> {
    let (forward, backward) = with_exits(&Edges::new(n + 1, edges));
    immediate(&backward, &forward, n as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_testkit::Random;

    fn jump(target: usize) -> Next {
        Next::Jumps { target, conditional: false }
    }

    fn branch(target: usize) -> Next {
        Next::Jumps { target, conditional: true }
    }

    #[test]
    fn if_else_loop_and_exit() {
        // 0: if -> 3; 1, 2: else, jump 4; 3: then; 4: loop -> 4; 5: if -> 7; 6: leave; 7: leave
        let body = [
            branch(3),
            Next::Falls,
            jump(4),
            Next::Falls,
            branch(4),
            branch(7),
            Next::Leaves,
            Next::Leaves,
        ];
        let meets = meeting_points(&body);
        assert_eq!(meets, [(0, Meet::At(4)), (4, Meet::At(5)), (5, Meet::Exit)]);
    }

    #[test]
    fn endless_irreducible_and_unreachable() {
        // An if inside an endless loop meets at the loop's last block.
        let body = [branch(2), Next::Falls, Next::Falls, jump(0), Next::Falls, Next::Leaves];
        assert_eq!(meeting_points(&body), [(0, Meet::At(2))]);
        // Two loops that jump into each other.
        let body = [branch(2), Next::Falls, branch(1), branch(2), Next::Leaves];
        assert_eq!(meeting_points(&body), [(0, Meet::At(2)), (2, Meet::At(3)), (3, Meet::At(4))]);
        assert_eq!(meeting_points(&[branch(9)]), [(0, Meet::Exit)]);
        assert_eq!(meeting_points(&[]), []);
    }

    /// Post-dominators by their definition: d is on every way from b to the exit.
    fn slow(successors: &[Vec<u32>], b: usize) -> Option<u32> {
        let n = successors.len();
        let avoids = |d: usize, from: usize| {
            let (mut seen, mut stack) = (vec![false; n + 1], vec![from]);
            while let Some(x) = stack.pop() {
                if x == d || std::mem::replace(&mut seen[x], true) {
                    continue;
                }
                if x == n {
                    return true;
                }
                stack.extend(successors[x].iter().map(|&s| s as usize));
            }
            false
        };
        let doms: Vec<usize> = (0..=n).filter(|&d| d != b && !avoids(d, b)).collect();
        // The immediate one is post-dominated by all others.
        doms.iter()
            .copied()
            .find(|&d| doms.iter().all(|&e| e == d || !avoids(e, d)))
            .map(|d| d as u32)
    }

    #[test]
    fn random_graphs_agree_with_the_definition() {
        let mut numbers = Random::for_test(12345);
        let mut random = |n: u32| numbers.below(n);
        for _ in 0..300 {
            let n = 2 + random(9);
            let graph: Vec<Vec<u32>> =
                (0..n).map(|_| (0..1 + random(2)).map(|_| random(n + 1)).collect()).collect();
            let reaches = |from: u32| {
                let (mut seen, mut stack) = (vec![false; n as usize + 1], vec![from]);
                while let Some(x) = stack.pop() {
                    if !std::mem::replace(&mut seen[x as usize], true) && x < n {
                        stack.extend(&graph[x as usize]);
                    }
                }
                seen[n as usize]
            };
            if !(0..n).all(reaches) {
                continue;
            }
            let edges: Vec<(u32, u32)> =
                (0..n).flat_map(|b| graph[b as usize].iter().map(move |&to| (b, to))).collect();
            let fast = post_dominators(n as usize, &edges);
            for (b, &dom) in fast.iter().enumerate().take(n as usize) {
                assert_eq!(Some(dom), slow(&graph, b), "block {b} of {graph:?}");
            }
        }
    }

    #[test]
    fn a_long_chain_is_quick() {
        let n = 200_000;
        let body: Vec<Next> =
            (0..n).map(|i| if i % 2 == 0 { branch((i * 7919) % n) } else { Next::Falls }).collect();
        assert_eq!(meeting_points(&body).len(), n / 2);
    }
}
