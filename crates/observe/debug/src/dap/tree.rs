//! The tree of variables that an editor shows.

use crate::dwarf::{Member, Shape, Variable};
use crate::session::Live;
use crate::session::editor::Node;
use crate::value::print::{Format, chosen, element, member};
use crate::value::{Place, Value, generic, small_float};
use dap::requests::{SetVariableArguments, VariablesArguments};
use serde_json::{Value as Json, json};
use texunit_forms::Count;

/// Maximum number of children of a variable that are sent unless the editor requests a range.
const MOST: usize = 1000;

/// A variable without children.
fn leaf(name: &str, value: &str) -> Json {
    json!({ "name": name, "value": value, "variablesReference": 0 })
}

impl Live<'_, '_> {
    /// The reference number of a node, or 0 if it has no children.
    pub(super) fn reference(&mut self, node: Node) -> i64 {
        let Node::Value(.., value, _) = &node else { return self.session.dap.node(node) };
        let opens = match self.types.shape(value.ty) {
            Shape::Struct { members, .. } => {
                !members.is_empty() && small_float(&self.types, value.ty).is_none()
            }
            Shape::Array { .. } | Shape::Choice { .. } => true,
            Shape::Pointer { to, .. } => {
                let is_null = value.number(&self.types).is_none_or(|n| n.as_int() == 0);
                !is_null && !matches!(self.types.shape(*to), Shape::Void | Shape::Function)
            }
            _ => false,
        };
        if opens { self.session.dap.node(node) } else { 0 }
    }

    fn shown_child(&mut self, name: &str, value: Value, expr: &str) -> Json {
        let text = self.text_of(&value, Format::Natural, true);
        let ty = self.types.get(value.ty).name.clone();
        let indexed = match self.types.shape(value.ty) {
            Shape::Array { count, .. } => Some(*count),
            _ => None,
        };
        let memory = match &value.place {
            Some(Place::Memory(space, at)) => Some(format!("0x{:x}", generic(*space, *at))),
            _ => None,
        };
        let node = Node::Value(self.thread, self.selected, Box::new(value), expr.to_owned());
        let reference = self.reference(node);
        let mut reply = json!({
            "name": name,
            "value": text,
            "type": ty,
            "variablesReference": reference,
            "evaluateName": expr,
        });
        if let Some(count) = indexed {
            reply["indexedVariables"] = json!(count);
        }
        if let Some(memory) = memory {
            reply["memoryReference"] = json!(memory);
        }
        reply
    }

    fn shown_variable(&mut self, variable: &Variable) -> Json {
        match self.with_scene(|scene| scene.read_variable(variable)) {
            Ok(value) => self.shown_child(&variable.name, value, &variable.name),
            Err(_) => leaf(&variable.name, &self.variable_text(variable)),
        }
    }

    /// The node that the editor refers to.
    fn node(&self, reference: i64) -> Result<Node, String> {
        let index = usize::try_from(reference - 1).ok();
        let node = index.and_then(|i| self.session.dap.nodes.get(i)).cloned();
        node.ok_or_else(|| "The variables of an earlier stop are gone.".to_owned())
    }

    /// The children of a node.
    pub(super) fn opened(&mut self, wanted: VariablesArguments) -> Result<Json, String> {
        let node = self.node(wanted.variables_reference)?;
        let from = usize::try_from(wanted.start.unwrap_or(0)).unwrap_or(0);
        let count = match usize::try_from(wanted.count.unwrap_or(0)).unwrap_or(0) {
            0 => MOST,
            count => count.min(100_000),
        };
        let mut all = Vec::new();
        let are_parameters = matches!(node, Node::Arguments(..));
        match node {
            Node::Locals(thread, frame) | Node::Arguments(thread, frame) => {
                self.look(thread, frame);
                for variable in self.variables(are_parameters) {
                    all.push(self.shown_variable(&variable));
                }
            }
            Node::Globals(thread, frame) => {
                self.look(thread, frame);
                let globals = self.module.info.globals.clone();
                for variable in globals.iter().take(MOST) {
                    all.push(self.shown_variable(variable));
                }
            }
            Node::Registers(thread, frame) => {
                self.look(thread, frame);
                let function = self.frame().map_or_else(String::new, |f| f.function.clone());
                for register in self.machine.registers(&function).into_iter().take(MOST) {
                    if let Ok(value) = self.with_scene(|scene| scene.register(&register.name)) {
                        all.push(self.shown_child(&register.name, value, &register.name));
                    }
                }
            }
            Node::Launch(thread) => {
                self.look(thread, 0);
                for name in ["threadIdx", "blockIdx", "blockDim", "gridDim"] {
                    if let Ok(value) = self.evaluate(name) {
                        all.push(self.shown_child(name, value, name));
                    }
                }
                let step = self.step_number(self.machine.position());
                all.push(leaf("step", &step.to_string()));
                for warp in 0..self.machine.warps() {
                    for (lanes, text) in self.standing_text(warp) {
                        let lanes = Count(lanes.count_ones(), "lane");
                        all.push(leaf(&format!("warp {warp}"), &format!("{lanes} at {text}")));
                    }
                }
            }
            Node::Textures => {
                for (name, value, inside) in self.textures() {
                    let reference = self.session.dap.node(Node::Lines(inside));
                    let mut node = leaf(&name, &value);
                    node["variablesReference"] = json!(reference);
                    all.push(node);
                }
            }
            Node::Fetch(thread) => {
                self.look(thread, 0);
                all.extend(self.fetch_lines()?.iter().map(|(name, value)| leaf(name, value)));
            }
            Node::Lines(lines) => all.extend(lines.iter().map(|(name, value)| leaf(name, value))),
            Node::Value(thread, frame, value, expr) => {
                self.look(thread, frame);
                for (name, child, expr) in self.children(&value, &expr, from, count) {
                    let shown = match child {
                        Ok(child) => self.shown_child(&name, child, &expr),
                        Err(error) => leaf(&name, &format!("<{error}>")),
                    };
                    all.push(shown);
                }
            }
        }
        Ok(json!({ "variables": all }))
    }

    /// Name, value and expression of each child.
    fn children(
        &mut self,
        value: &Value,
        expr: &str,
        from: usize,
        count: usize,
    ) -> Vec<(String, Result<Value, String>, String)> {
        let inside = |m: &Member| {
            let expr = if m.is_base { expr.to_owned() } else { format!("({expr}).{}", m.name) };
            (m.name.clone(), Ok(member(&self.types, value, m)), expr)
        };
        match self.types.shape(value.ty) {
            Shape::Struct { members, .. } => {
                members.iter().skip(from).take(count).map(inside).collect()
            }
            Shape::Choice { .. } => chosen(&self.types, value).map(inside).into_iter().collect(),
            Shape::Array { of, count: all } => {
                let each = from as u64..*all.min(&((from + count) as u64));
                let child = |i| Ok(element(&self.types, value, *of, i));
                each.map(|i| (format!("[{i}]"), child(i), format!("({expr})[{i}]"))).collect()
            }
            Shape::Pointer { .. } => {
                let pointed = self.with_scene(|scene| scene.pointed(value));
                vec![(format!("*{expr}"), pointed, format!("*({expr})"))]
            }
            _ => Vec::new(),
        }
    }

    /// The expression that refers to a child of a node.
    pub(super) fn child_expression(
        &mut self,
        reference: i64,
        name: &str,
    ) -> Result<String, String> {
        match self.node(reference)? {
            Node::Value(thread, frame, value, expr) => {
                self.look(thread, frame);
                Ok(match self.types.shape(value.ty) {
                    Shape::Array { .. } => format!("({expr}){name}"),
                    Shape::Pointer { .. } => format!("*({expr})"),
                    _ => format!("({expr}).{name}"),
                })
            }
            Node::Locals(thread, frame)
            | Node::Arguments(thread, frame)
            | Node::Globals(thread, frame)
            | Node::Registers(thread, frame) => {
                self.look(thread, frame);
                Ok(name.to_owned())
            }
            _ => Err(format!("`{name}` cannot be changed.")),
        }
    }

    pub(super) fn set_variable(&mut self, wanted: SetVariableArguments) -> Result<Json, String> {
        let expr = self.child_expression(wanted.variables_reference, &wanted.name)?;
        self.assigned(&expr, &wanted.value)
    }

    /// Assigns a value to an expression, and returns the response.
    pub(super) fn assigned(&mut self, expr: &str, value: &str) -> Result<Json, String> {
        let value = self.evaluate(&format!("{expr} = ({value})"))?;
        Ok(json!({ "value": self.text_of(&value, Format::Natural, true) }))
    }
}
