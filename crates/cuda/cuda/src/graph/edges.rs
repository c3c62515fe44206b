//! Edges of graphs: adding, removing and checking them.

use super::*;

/// `CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC`
const PROGRAMMATIC: u8 = 1;
/// `CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER`, the highest port of a kernel node.
const LAST_PORT: u8 = 2;

/// Checks the data of an edge between two nodes.
fn check_data(data: &CUgraphEdgeData, from: &Op, to: &Op) -> Answer {
    ensure!(
        data.kind <= PROGRAMMATIC && data.reserved == [0; 5],
        "type {} of an edge is not 0 (default) or 1 (programmatic), or its reserved bytes are not 0",
        data.kind
    );
    ensure!(data.to_port == 0, "to_port {} of an edge is not 0, the only port", data.to_port);
    let are_kernels = matches!((from, to), (Op::Kernel(_), Op::Kernel(_)));
    ensure!(
        data.kind != PROGRAMMATIC || are_kernels && data.from_port != 0,
        "a programmatic edge leads from port 1 or 2 of a kernel node to a kernel node"
    );
    ensure!(
        data.from_port <= LAST_PORT && !(data.from_port != 0 && data.kind != PROGRAMMATIC),
        "from_port {} of an edge is not 0, or 1 or 2 of a programmatic one",
        data.from_port
    );
    Ok(())
}

impl Graph {
    /// Checks the dependencies of a new node.
    pub(super) fn check_before(&self, state: &State, op: &Op, before: &[Link]) -> Answer {
        let mut seen = HashSet::new();
        for (i, link) in before.iter().enumerate() {
            let Some(from) = state.nodes.get(&link.node) else {
                return Err(self.foreign(&format!("dependencies[{i}]"), link.node));
            };
            ensure!(
                seen.insert(link.node),
                "dependencies[{i}] {:#x} stands in dependencies more than once",
                link.node
            );
            check_data(&link.data, &from.op, op)?;
        }
        Ok(())
    }

    fn foreign(&self, name: &str, node: usize) -> Refusal {
        let own = self.id;
        match Handle::<Node>::of(node).get() {
            Ok(_) => invalid!("{name} {node:#x} is not a node of graph {own}, but of another one"),
            Err(refusal) => refusal.named(name),
        }
    }

    /// Adds edges (`cuGraphAddDependencies`); if one is invalid, none is added.
    pub(crate) fn add_edges(&self, edges: &[(usize, usize, CUgraphEdgeData)]) -> Answer {
        let mut state = self.state();
        let mut new = HashSet::new();
        for (i, &(from, to, data)) in edges.iter().enumerate() {
            let (Some(a), Some(b)) = (state.nodes.get(&from), state.nodes.get(&to)) else {
                let (name, node) =
                    if state.nodes.contains_key(&from) { ("to", to) } else { ("from", from) };
                return Err(self.foreign(&format!("{name}[{i}]"), node));
            };
            ensure!(from != to, "from[{i}] and to[{i}] are the same node");
            let is_there = a.after.iter().any(|link| link.node == to);
            ensure!(
                !is_there && new.insert((from, to)),
                "the edge from[{i}] to to[{i}] is there already"
            );
            check_data(&data, &a.op, &b.op)?;
        }
        for &(from, to, data) in edges {
            for (node, other, is_from) in [(from, to, true), (to, from, false)] {
                if let Some(node) = state.nodes.get_mut(&node) {
                    let links = if is_from { &mut node.after } else { &mut node.before };
                    links.push(Link { node: other, data });
                }
            }
        }
        Ok(())
    }

    /// Removes edges (`cuGraphRemoveDependencies`); if one does not exist, none is removed.
    pub(crate) fn remove_edges(&self, edges: &[(usize, usize, CUgraphEdgeData)]) -> Answer {
        let mut state = self.state();
        if state.has_memory_nodes() && !edges.is_empty() {
            return Err(super::memory::fixed("edges of it cannot be removed"));
        }
        let mut gone = HashSet::new();
        for (i, &(from, to, data)) in edges.iter().enumerate() {
            let Some(node) = state.nodes.get(&from) else {
                return Err(self.foreign(&format!("from[{i}]"), from));
            };
            ensure!(
                node.after.contains(&Link { node: to, data }) && gone.insert((from, to)),
                "there is no edge from[{i}] to to[{i}]"
            );
        }
        for &(from, to, _) in edges {
            if let Some(node) = state.nodes.get_mut(&from) {
                node.after.retain(|link| link.node != to);
            }
            if let Some(node) = state.nodes.get_mut(&to) {
                node.before.retain(|link| link.node != from);
            }
        }
        Ok(())
    }

    /// All edges with their source nodes.
    pub(crate) fn edges(&self) -> Vec<(usize, Link)> {
        let state = self.state();
        let nodes = state.nodes.iter();
        nodes.flat_map(|(&from, node)| node.after.iter().map(move |&link| (from, link))).collect()
    }
}
