//! Source lines with their counts, and how these vary over the launches of a kernel.

use crate::counts::Counts;
use serde::{Deserialize, Serialize};

/// A line with the sums over its instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Line {
    /// The source file of the line.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The function that contains the line, demangled.
    pub function: String,
    /// Number of the line's PTX instructions that were executed.
    pub instructions: u64,
    /// The variation over launches.
    pub over_launches: OverLaunches,
    /// The sums of the counts of the line's instructions.
    #[serde(flatten)]
    pub counts: Counts,
}

/// Minimum and maximum of a line's thread instructions over the launches of its kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OverLaunches {
    /// Number of launches that have executed the line.
    pub launches: u64,
    /// The minimum among launches that executed it.
    pub least: u64,
    /// The number of the launch with the minimum.
    pub least_launch: u64,
    /// The maximum over the launches.
    pub most: u64,
    /// The number of the launch with the maximum count.
    pub most_launch: u64,
}

impl OverLaunches {
    /// The values for a single launch.
    pub(crate) fn of(launch: u64, threads: u64) -> Self {
        Self {
            launches: 1,
            least: threads,
            least_launch: launch,
            most: threads,
            most_launch: launch,
        }
    }

    /// Adds the values of other launches.
    pub fn add(&mut self, other: &Self) {
        if other.launches == 0 {
            return;
        }
        if self.launches == 0 {
            *self = *other;
            return;
        }
        self.launches = self.launches.saturating_add(other.launches);
        if other.least < self.least {
            (self.least, self.least_launch) = (other.least, other.least_launch);
        }
        if other.most > self.most {
            (self.most, self.most_launch) = (other.most, other.most_launch);
        }
    }
}
