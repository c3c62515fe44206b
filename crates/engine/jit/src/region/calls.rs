//! Functions of rows, which steps call.

use crate::operand::{Place, Source};
use crate::{Narrow, Wide};
use std::fmt;
use std::sync::Arc;

/// A function of whole rows. All 32 lanes are computed; those that do not take the step are not used. Where
/// it takes or gives numbers of 64 bits, a narrow source has zeros above, and a narrow result is the low half.
#[derive(Clone)]
pub enum Routine {
    /// Of 32 bits.
    Narrow(fn(&mut Narrow, &Narrow, &Narrow, &Narrow)),
    /// Of 64 bits.
    Wide(fn(&mut Wide, &Wide, &Wide, &Wide)),
    /// From 64 bits to 32.
    Cut(fn(&mut Narrow, &Wide)),
    /// What has data of its own, of 64 bits.
    Data(Arc<Rows>),
    /// Lanes for a predicate, from 64 bits. The result goes to a predicate.
    TestWide(fn(&Wide, &Wide) -> u32),
    /// No function: whoever runs the region hears of the step ([`Listener`]).
    Tell(Tell),
}

/// What a listener is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tell {
    /// What it is about.
    pub number: u32,
    /// How many of the sources it gets.
    pub rows: u8,
    /// Which of them it gets as lanes of 32 bits.
    pub narrow: [bool; 4],
}

/// A row that a listener gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row<'a> {
    /// Of 32 bits.
    Narrow(&'a Narrow),
    /// Of 64 bits.
    Wide(&'a Wide),
}

/// Hears of steps ([`Routine::Tell`]) while a region runs.
pub trait Listener {
    /// These lanes of a warp, which has the number that it was run with, take a step. A panic ends the process: code is
    /// under way that knows nothing of it.
    fn hear(&mut self, number: u32, warp: u32, lanes: u32, rows: &[Row<'_>]);
}

/// A function of four rows of 64 bits.
pub type Rows = dyn Fn(&mut Wide, [&Wide; 4]) + Send + Sync;

impl fmt::Debug for Routine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Narrow(_) => "Narrow",
            Self::Wide(_) => "Wide",
            Self::Cut(_) => "Cut",
            Self::Data(_) => "Data",
            Self::TestWide(_) => "TestWide",
            Self::Tell(tell) => return tell.fmt(f),
        })
    }
}

impl Routine {
    /// How many sources it has.
    pub fn sources(&self) -> usize {
        match self {
            Self::Data(_) => 4,
            Self::Narrow(_) | Self::Wide(_) => 3,
            Self::TestWide(_) => 2,
            Self::Cut(_) => 1,
            Self::Tell(tell) => usize::from(tell.rows.min(4)),
        }
    }
}

/// A call of a function of rows.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function.
    pub routine: Routine,
    /// Where the result goes: a predicate's lanes are combined as a comparison's are.
    pub to: Option<Place>,
    /// Bits of the result that remain.
    pub keep: u64,
    /// Sources; those that the function does not have are not looked at.
    pub from: [Source; 4],
}
