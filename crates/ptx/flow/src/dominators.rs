//! Dominators and control dependence, in O(n log n): Lengauer and Tarjan's algorithm with path
//! compression, which is fast for any graph that a program can have (irreducible, infinite loops,
//! 100,000 blocks).

use crate::Edges;

/// Marks a vertex that cannot be reached from the root.
pub const UNREACHABLE: u32 = u32::MAX;

/// A dominator tree.
#[derive(Clone, Debug)]
pub struct DominatorTree {
    /// The immediate dominator of each vertex. The root is its own; vertices that cannot be reached
    /// from the root have [`UNREACHABLE`].
    pub idom: Vec<u32>,
    /// The children of each vertex: those whose immediate dominator it is.
    pub children: Edges,
    enter: Vec<u32>,
    leave: Vec<u32>,
}

impl DominatorTree {
    /// Computes the dominators of all vertices that `root` reaches. `predecessors` are the reversed
    /// edges.
    pub fn new(successors: &Edges, predecessors: &Edges, root: u32) -> Self {
        let idom = immediate_dominators(successors, predecessors, root);
        let n = idom.len();
        let list: Vec<_> = (0..n as u32)
            .filter(|&v| v != root && idom[v as usize] != UNREACHABLE)
            .map(|v| (idom[v as usize], v))
            .collect();
        let children = Edges::new(n, &list);
        let (mut enter, mut leave) = (vec![UNREACHABLE; n], vec![0; n]);
        let (mut clock, mut stack) = (0, vec![(root, false)]);
        while let Some((v, done)) = stack.pop() {
            if done {
                leave[v as usize] = clock;
                continue;
            }
            enter[v as usize] = clock;
            clock += 1;
            stack.push((v, true));
            stack.extend(children.of(v).iter().map(|&c| (c, false)));
        }
        Self { idom, children, enter, leave }
    }

    /// Whether the root reaches a vertex.
    pub fn reaches(&self, v: u32) -> bool {
        self.idom[v as usize] != UNREACHABLE
    }

    /// Whether `a` is on every path from the root to `b`. A vertex dominates itself.
    pub fn dominates(&self, a: u32, b: u32) -> bool {
        let (a, b) = (a as usize, b as usize);
        self.reaches(a as u32)
            && self.reaches(b as u32)
            && self.enter[a] <= self.enter[b]
            && self.leave[b] <= self.leave[a]
    }
}

/// Adds an edge to the exit, which is the last vertex, from each part of the graph that cannot
/// reach the exit. Returns these edges, and the reversed edges.
pub fn with_exits(next: &Edges) -> (Edges, Edges) {
    let n = next.vertices();
    let exit = n as u32 - 1;
    let previous = next.reversed();
    let mut seen = vec![false; n];
    let reach = |from: u32, seen: &mut Vec<bool>| {
        let mut stack = vec![from];
        while let Some(v) = stack.pop() {
            if !std::mem::replace(&mut seen[v as usize], true) {
                stack.extend(previous.of(v));
            }
        }
    };
    reach(exit, &mut seen);
    let mut list: Vec<_> = next.pairs().collect();
    for b in (0..exit).rev() {
        if !seen[b as usize] {
            list.push((b, exit));
            reach(b, &mut seen);
        }
    }
    let forward = Edges::new(n, &list);
    let backward = forward.reversed();
    (forward, backward)
}

/// Control dependence (Ferrante, Ottenstein, Warren): for each block, the blocks whose branches
/// decide whether it runs. The exit is the last vertex. Returns `None` if there are more than
/// `limit` pairs.
pub fn control_dependence(successors: &Edges, limit: usize) -> Option<Edges> {
    let n = successors.vertices();
    let exit = n as u32 - 1;
    let (forward, backward) = with_exits(successors);
    let post_dominators = DominatorTree::new(&backward, &forward, exit);
    let mut list = Vec::new();
    for b in 0..exit {
        let targets = successors.of(b);
        if targets.len() < 2 || !post_dominators.reaches(b) {
            continue;
        }
        let stop = post_dominators.idom[b as usize];
        let from = list.len();
        for &target in targets {
            let mut at = target;
            while at != stop && at != exit {
                list.push((at, b));
                if list.len() > limit {
                    return None;
                }
                at = post_dominators.idom[at as usize];
            }
        }
        if targets.len() > 2 {
            list[from..].sort_unstable();
        }
    }
    list.sort_unstable();
    list.dedup();
    Some(Edges::new(n, &list))
}

/// The tables of Lengauer and Tarjan's algorithm, indexed by depth-first numbers.
struct Forest {
    ancestor: Vec<u32>,
    label: Vec<u32>,
    semi: Vec<u32>,
}

impl Forest {
    /// The vertex with the lowest semidominator on the path from `v` to its root in the forest. The
    /// path is compressed.
    fn eval(&mut self, v: u32, path: &mut Vec<u32>) -> u32 {
        if self.ancestor[v as usize] == UNREACHABLE {
            return v;
        }
        path.clear();
        let mut x = v;
        while self.ancestor[self.ancestor[x as usize] as usize] != UNREACHABLE {
            path.push(x);
            x = self.ancestor[x as usize];
        }
        while let Some(y) = path.pop() {
            let a = self.ancestor[y as usize] as usize;
            if self.semi[self.label[a] as usize] < self.semi[self.label[y as usize] as usize] {
                self.label[y as usize] = self.label[a];
            }
            self.ancestor[y as usize] = self.ancestor[a];
        }
        self.label[v as usize]
    }
}

/// Immediate dominators, as in [`DominatorTree::idom`].
pub(crate) fn immediate_dominators(next: &Edges, previous: &Edges, root: u32) -> Vec<u32> {
    let (order, parent, number) = depth_first(next, root);
    let n = order.len();
    let own: Vec<u32> = (0..n as u32).collect();
    let mut forest = Forest { ancestor: vec![UNREACHABLE; n], label: own.clone(), semi: own };
    let mut buckets: Vec<Vec<u32>> = vec![Vec::new(); n];
    let mut idom = vec![0_u32; n];
    let mut path = Vec::new();
    for w in (1..n).rev() {
        for &p in previous.of(order[w]) {
            let v = number[p as usize];
            if v != UNREACHABLE {
                let u = forest.eval(v, &mut path);
                forest.semi[w] = forest.semi[w].min(forest.semi[u as usize]);
            }
        }
        buckets[forest.semi[w] as usize].push(w as u32);
        forest.ancestor[w] = parent[w];
        for v in std::mem::take(&mut buckets[parent[w] as usize]) {
            let u = forest.eval(v, &mut path);
            let shallower = forest.semi[u as usize] < forest.semi[v as usize];
            idom[v as usize] = if shallower { u } else { parent[w] };
        }
    }
    for w in 1..n {
        if idom[w] != forest.semi[w] {
            idom[w] = idom[idom[w] as usize];
        }
    }
    let mut result = vec![UNREACHABLE; next.vertices()];
    for w in 0..n {
        result[order[w] as usize] = order[idom[w] as usize];
    }
    result
}

/// The vertices in depth-first order, the parent of each (by depth-first number), and the
/// depth-first number of each vertex.
fn depth_first(next: &Edges, root: u32) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let mut number = vec![UNREACHABLE; next.vertices()];
    let (mut order, mut parent) = (Vec::new(), Vec::new());
    let mut stack = vec![(root, 0_u32)];
    while let Some((v, p)) = stack.pop() {
        if number[v as usize] != UNREACHABLE {
            continue;
        }
        let id = order.len() as u32;
        number[v as usize] = id;
        order.push(v);
        parent.push(p);
        stack.extend(next.of(v).iter().map(|&s| (s, id)));
    }
    (order, parent, number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_testkit::Random;

    /// The vertices that the root reaches if `a` is removed.
    fn reached_without(edges: &Edges, root: u32, a: u32) -> Vec<bool> {
        let mut seen = vec![false; edges.vertices()];
        let mut stack = vec![root];
        while let Some(v) = stack.pop() {
            if v != a && !std::mem::replace(&mut seen[v as usize], true) {
                stack.extend(edges.of(v));
            }
        }
        seen
    }

    /// Dominance by its definition: without `a`, the root does not reach `b`.
    fn dominates(edges: &Edges, root: u32, a: u32, b: u32) -> bool {
        !reached_without(edges, root, a)[b as usize]
    }

    #[test]
    fn random_graphs_agree_with_the_definition() {
        let mut numbers = Random::for_test(4711);
        let mut random = |n: u32| numbers.below(n);
        for _ in 0..200 {
            let n = 2 + random(9);
            let list: Vec<_> = (0..2 * n).map(|_| (random(n), random(n))).collect();
            let edges = Edges::new(n as usize, &list);
            let tree = DominatorTree::new(&edges, &edges.reversed(), 0);
            for b in 0..n {
                // Vertex n does not exist, so that no vertex is removed.
                let reached = !dominates(&edges, 0, n, b);
                assert_eq!(tree.reaches(b), reached, "{b} in {list:?}");
                for a in 0..n {
                    let expected = reached && dominates(&edges, 0, a, b);
                    assert_eq!(tree.dominates(a, b), expected, "{a} {b} in {list:?}");
                }
            }
        }
    }

    /// A chain in which each vertex has an edge back, half way to the root. An algorithm that walks
    /// such edges from end to end needs quadratic time.
    #[test]
    fn a_long_chain_is_quick() {
        let n = 300_000_u32;
        let list: Vec<_> = (0..n - 1).flat_map(|v| [(v, v / 2), (v, v + 1)]).collect();
        let edges = Edges::new(n as usize, &list);
        let start = std::time::Instant::now();
        let tree = DominatorTree::new(&edges, &edges.reversed(), 0);
        let taken = start.elapsed();
        // No path avoids a vertex of the chain.
        assert!((1..n).all(|v| tree.idom[v as usize] == v - 1));
        // A quarter of a second on a busy machine; a quadratic algorithm needs more than a minute.
        assert!(taken.as_secs() < 5, "{taken:?}");
    }

    /// Edges that skip every vertex except each hundredth, and edges back to arbitrary vertices.
    #[test]
    fn a_long_graph_with_gates_agrees_with_the_definition() {
        let n = 50_000_u32;
        let past = |v: u32| if v.is_multiple_of(100) || v % 100 == 99 { v + 1 } else { v + 2 };
        let list: Vec<_> = (0..n - 2)
            .flat_map(|v| [(v, v + 1), (v, past(v)), (v, v.wrapping_mul(7919) % (v + 1))])
            .collect();
        let edges = Edges::new(n as usize, &list);
        let tree = DominatorTree::new(&edges, &edges.reversed(), 0);
        let mut numbers = Random::for_test(7919);
        for round in 0..20 {
            let any = 1 + numbers.below(n - 1);
            let a = if round % 2 == 0 { any } else { any / 100 * 100 };
            let without = reached_without(&edges, 0, a);
            for (b, reached) in (0..).zip(without) {
                assert_eq!(tree.dominates(a, b), tree.reaches(b) && !reached, "{a} {b}");
            }
            assert!(a % 100 != 0 || tree.dominates(a, n - 2));
        }
    }
}
