//! The part of a session that belongs to an editor (module `dap`).

use super::Thread;
use super::run::Run;
use crate::value::Value;
use serde::{Deserialize, Serialize};

/// The launch settings of an editor.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Editor {
    /// Whether to stop at the beginning of the first launch.
    pub stops_at_entry: bool,
    /// Whether to continue at faults.
    pub passes_faults: bool,
}

/// The state of the editor's adapter between requests.
#[derive(Debug, Default)]
pub(crate) struct EditorState {
    /// Frames sent to the editor: thread and frame number.
    pub(crate) frames: Vec<(Thread, usize)>,
    /// Variables sent to the editor that have children.
    pub(crate) nodes: Vec<Node>,
    /// Terminal output, while a terminal command is executed for the editor.
    pub(crate) captured: Option<String>,
    /// The last fault, for `exceptionInfo`.
    pub(crate) fault: Option<(String, String)>,
}

/// A variable with children.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Locals(Thread, usize),
    Arguments(Thread, usize),
    Globals(Thread, usize),
    Registers(Thread, usize),
    Launch(Thread),
    Textures,
    Fetch(Thread),
    /// Lines of text, as name and value.
    Lines(Vec<(String, String)>),
    /// A value, and the expression that refers to it.
    Value(Thread, usize, Box<Value>, String),
}

impl EditorState {
    pub(crate) fn node(&mut self, node: Node) -> i64 {
        self.nodes.push(node);
        self.nodes.len() as i64
    }

    pub(crate) fn forget(&mut self) {
        self.frames.clear();
        self.nodes.clear();
    }
}

/// How to continue after the response to a request.
#[derive(Clone, Debug)]
pub(crate) enum Onward {
    Forth(Run),
    Back(Run),
}
