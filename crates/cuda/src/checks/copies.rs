//! What checks look at in copies: which bytes nobody has written (`init`), and which kernels use the memory at the same
//! time (`race`).

use super::{copied, log, news};
use crate::asked;
use crate::memory::place::Place;
use texunit_checks::race::Queue;
use texunit_checks::{Check, Finding, rules};

/// A copy that is looked at, piece by piece.
pub(crate) struct Watch<'a> {
    from: &'a Place,
    to: &'a Place,
    /// Told of races, if that is asked for.
    race: Option<Queue>,
    /// Which bytes of a piece are undefined.
    states: Vec<u8>,
    /// Whether states go along.
    is_tracked: bool,
    /// Undefined bytes that the host has got, and where the first of them was.
    lost: Option<(u64, [u64; 3])>,
}

impl<'a> Watch<'a> {
    /// `None`: nothing of copies is checked.
    pub(crate) fn new(from: &'a Place, to: &'a Place, queue: Queue) -> Option<Self> {
        let log = log()?;
        let race = log.has(Check::Race).then_some(queue);
        let is_tracked = log.has(Check::Init);
        let looks = race.is_some() || is_tracked;
        let (states, lost) = (Vec::new(), None);
        looks.then_some(Self { from, to, race, states, is_tracked, lost })
    }

    /// A piece has been copied, from one place to another.
    pub(crate) fn copied(&mut self, from: [u64; 3], to: [u64; 3], len: usize) {
        if let Some(queue) = self.race {
            for (place, at, writes) in [(self.to, to, true), (self.from, from, false)] {
                if let Some(range) = place.range(at, len as u64) {
                    copied(queue, range, writes);
                }
            }
        }
        if !self.is_tracked {
            return;
        }
        self.states.resize(len, 0);
        if !self.from.states(from, &mut self.states) {
            // What is written is defined.
            return;
        }
        self.to.set_states(to, &self.states);
        if self.to.is_of_host() {
            let undefined = self.states.iter().filter(|&&state| state != 0).count() as u64;
            let first = self.states.iter().position(|&state| state != 0).unwrap_or(0) as u64;
            let (count, _) = self.lost.get_or_insert((0, [from[0] + first, from[1], from[2]]));
            *count += undefined;
        }
    }
}

/// The copy is over: tells what the host has got of it.
impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let (Some(log), Some((count, at))) = (log(), self.lost.take()) else { return };
        let (number, object) = self.from.named(at);
        let bytes = match count {
            1 => "1 byte".to_owned(),
            _ => format!("{count} bytes"),
        };
        let message = format!(
            "a copy to the host has {bytes} that nobody has written, the first is {object}"
        );
        let made = asked::places(number).into_iter().enumerate().map(|(i, place)| match i {
            0 => format!("the memory was asked for at {place}"),
            _ => format!("called from {place}"),
        });
        let call = asked::here().into_iter().enumerate().map(|(i, place)| match i {
            0 => format!("the copy is at {place}"),
            _ => format!("called from {place}"),
        });
        log.found(Finding::of_process(
            rules::INIT_COPY_TO_HOST,
            message,
            call.chain(made).collect(),
        ));
        news(None, 0);
    }
}
