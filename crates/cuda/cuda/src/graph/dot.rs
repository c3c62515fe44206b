//! Graphs as DOT text for Graphviz (`cuGraphDebugDotPrint`).

use super::*;
use std::fmt::Write;
use texunit_cuda_abi::graph_debug_dot_flag as flag;

/// The DOT text of a graph.
pub(crate) fn text(graph: &Graph, flags: u32) -> String {
    let mut text = "digraph dot {\n".to_owned();
    cluster(&mut text, graph, flags);
    text.push_str("}\n");
    text
}

fn cluster(text: &mut String, graph: &Graph, flags: u32) {
    let id = graph.id;
    let mut inside = Vec::new();
    {
        let state = graph.state();
        let _ = writeln!(
            text,
            "subgraph cluster_{id} {{\nlabel=\"graph_{id}\" graph[style=\"dashed\"];"
        );
        for (number, node) in &state.nodes {
            let mut label = format!("{}\n{}", node.id, title(&node.op));
            if flags & (flag::HANDLES | flag::VERBOSE) != 0 {
                let _ = write!(label, "\nhandle: {number:#x}");
            }
            label += &details(&node.op, flags);
            let label = label.replace('\\', "\\\\").replace('"', "\\\"");
            let shape = if matches!(node.op, Op::Kernel(_)) { "octagon" } else { "rectangle" };
            let _ = writeln!(
                text,
                "\"graph_{id}_node_{}\"[style=\"solid\" shape=\"{shape}\" label=\"{label}\n\"];",
                node.id
            );
            inside.extend(node.op.inner().map(|graph| (node.id, graph)));
        }
        for node in state.nodes.values() {
            for link in &node.after {
                let Some(to) = state.nodes.get(&link.node) else { continue };
                let data = match link.data == CUgraphEdgeData::default() {
                    true => String::new(),
                    false => format!(
                        " [label=\"port {} to {}, type {}\"]",
                        link.data.from_port, link.data.to_port, link.data.kind
                    ),
                };
                let _ = writeln!(
                    text,
                    "\"graph_{id}_node_{}\" -> \"graph_{id}_node_{}\"{data};",
                    node.id, to.id
                );
            }
        }
    }
    for (node, inner) in inside {
        let first = inner.state().nodes.values().next().map(|first| first.id);
        cluster(text, &inner, flags);
        if let Some(first) = first {
            let to = inner.id;
            let _ = writeln!(
                text,
                "\"graph_{id}_node_{node}\" -> \"graph_{to}_node_{first}\" [style=\"dashed\" lhead=\"cluster_{to}\"];"
            );
        }
    }
    text.push_str("}\n");
}

fn title(op: &Op) -> String {
    match op {
        Op::Kernel(op) => crate::module::kernel_name(&op.function),
        Op::Work(task, _) => task.function.clone(),
        Op::Memcpy(op) => {
            let letter =
                |kind: u32| ["?", "H", "D", "A", "U"].get(kind as usize).copied().unwrap_or("?");
            let (from, to) = (op.copy.src.memory_type, op.copy.dst.memory_type);
            format!("MEMCPY\n({}to{})", letter(from), letter(to))
        }
        other => other.kind_title().to_owned(),
    }
}

/// A node's parameters for its label, as far as the flags request them.
fn details(op: &Op, flags: u32) -> String {
    let wants = |flag: u32| flags & (flag | flag::VERBOSE) != 0;
    let mut text = String::new();
    match op {
        Op::Kernel(op) => {
            if wants(flag::KERNEL) {
                let ([x, y, z], [a, b, c]) = (op.shape.grid, op.shape.block);
                text += &format!("\n<<<({x},{y},{z}),({a},{b},{c}),{}>>>", op.shape.shared);
            }
            if wants(flag::ATTRIBUTES) {
                for (id, value) in &op.attributes {
                    text += &format!("\nattribute {id}: {}", value[0]);
                }
                text += &format!("\ncooperative: {}", u32::from(op.shape.cooperative));
            }
        }
        Op::Memcpy(op) if wants(flag::MEMCPY) => {
            let copy = &op.copy;
            text = format!("\n{} x {} x {}", copy.width_in_bytes, copy.height, copy.depth);
            for (name, side) in [("src", &copy.src), ("dst", &copy.dst)] {
                let at = side.host.max(side.device).max(side.array as u64);
                text += &format!("\n{name}: {at:#x} pitch {} height {}", side.pitch, side.height);
            }
        }
        Op::Memset(op) if wants(flag::MEMSET) => {
            text = format!(
                "\n{:#x} = {} (elementSize {}) width {} height {} pitch {}",
                op.dst, op.value, op.elementSize, op.width, op.height, op.pitch
            );
        }
        Op::Host(op) if wants(flag::HOST) => {
            text = format!("\nfn: {:#x} userData: {:#x}", op.function, op.userData);
        }
        Op::WaitEvent(event) | Op::RecordEvent(event) if wants(flag::EVENT) => {
            text = format!("\nevent: {event:?}");
        }
        Op::MemAlloc(op) if wants(flag::MEM_ALLOC) => {
            let params = op.params();
            text = format!("\ndptr: {:#x} bytesize: {}", params.dptr, params.bytesize);
        }
        Op::MemFree(dptr) if wants(flag::MEM_FREE) => text = format!("\ndptr: {dptr:#x}"),
        Op::Batch(op) if wants(flag::BATCH) => text = format!("\ncount: {}", op.params().count),
        Op::Copies(op) if wants(flag::MEMCPY_BATCH) => {
            text = format!("\ncount: {}", op.params().count);
        }
        Op::Conditional(op) if wants(flag::CONDITIONAL) => {
            let params = op.params();
            text = format!("\nhandle: {:#x} size: {}", params.handle, params.size);
        }
        _ => {}
    }
    text
}
