//! Functions of the driver that wait for all deferred work.

use super::{wait_for_all, waiting_launches};
use crate::settings::settings;

/// Functions that wait for all work, because it may use what they change or destroy.
const WAITING: &str = include_str!("../../data/waiting.txt");

/// Called at the start of each driver function.
pub(crate) fn called(name: &str) {
    let waits =
        |name: &str| WAITING.lines().any(|known| known == name) || name.starts_with("cuTexRefSet");
    if (settings().schedule.is_some() || waiting_launches::is_busy()) && waits(name) {
        wait_for_all();
    }
}
