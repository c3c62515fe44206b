//! Lines of sources, and what they have over the launches of a kernel.

use crate::counts::Counts;
use serde::{Deserialize, Serialize};

/// A line with the sums of its instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Line {
    /// The file.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// The function, demangled.
    pub function: String,
    /// PTX instructions of the line that were executed.
    pub instructions: u64,
    /// How the line varies over launches.
    pub over_launches: OverLaunches,
    /// What was counted.
    #[serde(flatten)]
    pub counts: Counts,
}

/// Thread instructions of a line in each launch of its kernel: fewest and most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OverLaunches {
    /// Launches that have come to the line.
    pub launches: u64,
    /// Fewest thread instructions of a launch that came to it.
    pub least: u64,
    /// The number of that launch.
    pub least_launch: u64,
    /// Most thread instructions of a launch.
    pub most: u64,
    /// The number of that launch.
    pub most_launch: u64,
}

impl OverLaunches {
    /// Of one launch.
    pub(crate) fn of(launch: u64, threads: u64) -> Self {
        Self {
            launches: 1,
            least: threads,
            least_launch: launch,
            most: threads,
            most_launch: launch,
        }
    }

    /// Adds other launches.
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
