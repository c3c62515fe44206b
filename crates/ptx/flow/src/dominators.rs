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

/// Adds an edge to the exit, which is the last vertex, from each infinite loop, so that every
/// vertex reaches the exit. Returns the extended graph, and the extended graph with all edges
/// reversed.
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

/// The state of Lengauer and Tarjan's algorithm, as arrays indexed by depth-first numbers.
struct Forest {
    ancestor: Vec<u32>,
    label: Vec<u32>,
    semi: Vec<u32>,
}

impl Forest {
    /// The vertex with the lowest semidominator on the path from `v` to its root in the forest.
    /// Compresses that path.
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
