//! An operation of marked code that tells an observer what another one does.

use super::{Events, Order, Synchronized};

/// A mark.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    /// What it tells.
    pub(crate) tells: Events,
    /// The operation that it tells of: at this place of the marked code,
    pub(crate) about: u32,
    /// which is this one of the program's.
    pub(crate) op: u32,
    /// Whether it stands behind the operation.
    pub(crate) behind: bool,
    /// How the instruction is ordered.
    pub(crate) order: Order,
    /// Whether only costs are added up ([`Events::COSTS`]).
    pub(crate) sums: bool,
    /// The counters of what it costs ([`super::Costed::counter`]).
    pub(crate) cost: Option<u32>,
    /// What it is if it orders copies or memory, and is nothing else to the executor.
    pub(crate) fence: Option<Synchronized<'static>>,
}
