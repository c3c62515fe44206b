//! A mark: an operation in marked code that notifies an observer of another operation.

use super::{Events, Order, Synchronization};

/// A mark and the operation that it reports.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    /// Event kinds that the mark reports.
    pub(crate) reports: Events,
    /// Index of the reported operation in the marked code.
    pub(crate) target: u32,
    /// Number of the reported operation in the program's code.
    pub(crate) op: u32,
    /// Whether the mark follows the reported operation.
    pub(crate) after: bool,
    /// Memory order of the instruction.
    pub(crate) order: Order,
    /// Whether the observer only adds up costs ([`Events::COSTS`]).
    pub(crate) sums_costs: bool,
    /// Counters of the access's cost ([`super::AccessCost::counter`]).
    pub(crate) cost: Option<u32>,
    /// The synchronisation of a fence or copy-group instruction, which has no operation of its own.
    pub(crate) fence: Option<Synchronization<'static>>,
}
