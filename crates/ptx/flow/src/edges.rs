//! Directed graphs whose vertices are numbers, as compressed adjacency lists.

/// The edges of a graph, grouped by the vertex that they leave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edges {
    first: Vec<u32>,
    to: Vec<u32>,
}

impl Edges {
    /// The graph of `n` vertices with these edges `(from, to)`; edges that leave the same vertex
    /// keep their order.
    pub fn new(n: usize, list: &[(u32, u32)]) -> Self {
        let mut first = vec![0_u32; n + 1];
        for &(from, _) in list {
            first[from as usize + 1] += 1;
        }
        for v in 0..n {
            first[v + 1] += first[v];
        }
        let mut place = first.clone();
        let mut to = vec![0; list.len()];
        for &(from, target) in list {
            to[place[from as usize] as usize] = target;
            place[from as usize] += 1;
        }
        Self { first, to }
    }

    /// The vertices to which a vertex has edges.
    pub fn of(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.to[self.first[v] as usize..self.first[v + 1] as usize]
    }

    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    /// All edges, grouped by the vertex that they leave.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.vertices() as u32).flat_map(|v| self.of(v).iter().map(move |&to| (v, to)))
    }

    /// The graph with all edges reversed.
    pub fn reversed(&self) -> Self {
        let turned: Vec<_> = self.pairs().map(|(a, b)| (b, a)).collect();
        Self::new(self.vertices(), &turned)
    }

    /// The vertices that `root` reaches, in reverse postorder: each vertex before its successors,
    /// except along edges that close a cycle.
    pub(crate) fn reverse_postorder(&self, root: u32) -> Vec<u32> {
        let mut seen = vec![false; self.vertices()];
        let mut order = Vec::new();
        let mut stack = vec![(root, 0)];
        seen[root as usize] = true;
        while let Some((v, next)) = stack.last_mut() {
            match self.of(*v).get(*next) {
                Some(&to) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[to as usize], true) {
                        stack.push((to, 0));
                    }
                }
                None => {
                    order.push(*v);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }
}
