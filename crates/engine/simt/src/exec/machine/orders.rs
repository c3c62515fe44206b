//! The orders in which CTAs run, as machines that can be left in the middle of a turn: one after the other, all in turns
//! (cooperative launches), or at random from a seed.

use super::super::cluster;
use super::super::context::{Context, Launch};
use super::super::cta::progress_of;
use super::super::limits::CTA_TURN;
use super::super::outcome::Turn;
use super::super::resident;
use super::super::schedule::{MAX, Random};
use super::super::step::Resume;
use super::super::warp::Warp;
use super::rounds::CameOf;
use super::{Machine, Resident, Stand};
use crate::launch::CtaRange;
use crate::stats::Fault;

/// An order, and how far it has come.
#[derive(Clone, Debug)]
pub(super) struct Order {
    kind: Kind,
    /// The next CTA that has not begun.
    next: u64,
    end: u64,
    /// The resident whose turn it is.
    at: usize,
    /// How many residents there are at most.
    places: u64,
    /// Whether all CTAs take turns: in a cooperative launch, or in one with clusters.
    is_cooperative: bool,
}

#[derive(Clone, Debug)]
enum Kind {
    InTurn,
    Random {
        random: Random,
        /// All residents, by their places, as they were shuffled last.
        all: Vec<usize>,
        /// Those of this round.
        round: Vec<usize>,
        turn: RandomTurn,
    },
}

/// A turn of a CTA in a random order.
#[derive(Clone, Debug, Default)]
struct RandomTurn {
    has_begun: bool,
    order: Vec<usize>,
    /// Number of the warp in `order`, and how many have turns.
    at: usize,
    part: usize,
    progress: bool,
    before: (u64, u64),
    resume: Option<Resume>,
}

/// What came of a turn.
pub(super) enum Came {
    /// Stopped.
    Stopped(Stand),
    /// It is over.
    OfTurn,
    /// It is over, and so is its CTA: none runs.
    OfCta,
    /// All have ended.
    OfAll,
}

type Faulted = Box<(Stand, Box<Fault>)>;

impl Order {
    pub(super) fn of(launch: &Launch<'_>, ctas: CtaRange) -> Self {
        let (all, config, size) = (ctas.len(), launch.config, cluster::size(launch));
        let is_cooperative = config.cooperative || cluster::is_needed(launch);
        let places = match (config.cooperative, config.schedule) {
            (true, _) => all,
            (false, Some(_)) => all.min(MAX).min(launch.fit).max(1).next_multiple_of(size),
            (false, None) if is_cooperative => all,
            (false, None) => 1,
        };
        let kind = match config.schedule {
            None => Kind::InTurn,
            Some(seed) => Kind::Random {
                random: Random::new(seed),
                all: (0..places as usize).collect(),
                round: Vec::new(),
                turn: RandomTurn::default(),
            },
        };
        let (next, end) = (ctas.begin, ctas.end);
        Self { kind, next, end, at: 0, places, is_cooperative }
    }

    pub(super) fn places(&self) -> u64 {
        self.places
    }

    /// CTAs that have not begun.
    pub(super) fn left(&self) -> u64 {
        self.end - self.next
    }

    /// The next CTAs, at most so many.
    pub(super) fn range(&self, most: u64) -> (u64, u64) {
        (self.next, self.next.saturating_add(most).min(self.end))
    }

    /// All before this one have ended.
    pub(super) fn has_ended(&mut self, next: u64) {
        self.next = next;
    }

    /// Whether CTAs run one after the other.
    pub(super) fn is_sequential(&self) -> bool {
        matches!(self.kind, Kind::InTurn) && !self.is_cooperative
    }
}

impl Machine<'_> {
    /// Gives a resident the stepper, and begins its CTA if it has not begun.
    fn with<T>(
        &mut self,
        place: usize,
        work: impl FnOnce(&mut Resident<'_>) -> Result<T, Box<Fault>>,
    ) -> Result<T, Faulted> {
        let grid = self.launch.config.grid;
        let members = cluster::members(self.launch, place);
        let resident = &mut self.residents[place];
        let blank = Box::new(super::Stepper::new(0));
        let mut stepper = std::mem::replace(&mut self.stepper, blank);
        stepper.cta = resident.index;
        stepper.grid = [grid[0].into(), grid[1].into()];
        resident.context.debug = Some(stepper);
        let result = cluster::take_turn(&mut self.residents, &members, place, work);
        if let Some(stepper) = self.residents[place].context.debug.take() {
            self.stepper = stepper;
        }
        let result = match cluster::deadlock(&mut self.residents, &members) {
            Some((_, fault)) => Err(fault),
            None => result,
        };
        result.map_err(|fault| Box::new((self.stepper.stand, fault)))
    }

    /// The CTAs of a cluster begin, from this number on, at these places.
    fn begin_all(&mut self, members: Vec<usize>, first: u64) -> Result<(), Faulted> {
        for (place, number) in members.into_iter().zip(first..) {
            self.begin(place, cluster::cta_of(self.launch, number))?;
        }
        Ok(())
    }

    fn begin(&mut self, place: usize, index: u64) -> Result<(), Faulted> {
        let launch = self.launch;
        let resident = &mut self.residents[place];
        if let Some(cluster) = &mut resident.context.cluster {
            **cluster = cluster::Cluster::of(launch, index);
        }
        (resident.index, resident.runs, resident.begun) = (index, true, true);
        resident.round = super::Round::default();
        // What functions find in their registers before they write them is the same whoever ran here before.
        resident.warps.fill_with(Warp::default);
        self.with(place, |resident| resident.context.begin_cta(index, &mut resident.warps))
    }

    fn end(&mut self, place: usize) {
        let resident = &mut self.residents[place];
        resident.runs = false;
        let limit = self.launch.config.printf_limit;
        self.printed.take(resident.index, &mut resident.context.output, limit);
        if let Some(progress) = self.launch.config.progress {
            progress.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    }
}

/// Goes on with the turn that is due.
pub(super) fn turn(machine: &mut Machine<'_>) -> Result<Came, Faulted> {
    match machine.order.kind {
        Kind::Random { .. } => at_random(machine),
        Kind::InTurn if machine.order.is_sequential() => one_after_the_other(machine),
        Kind::InTurn => all_in_turns(machine),
    }
}

fn one_after_the_other(machine: &mut Machine<'_>) -> Result<Came, Faulted> {
    if !machine.residents[0].runs {
        if machine.order.next >= machine.order.end {
            return Ok(Came::OfAll);
        }
        let index = machine.order.next;
        machine.order.next += 1;
        machine.begin(0, index)?;
    }
    match round_of(machine, 0, CTA_TURN)? {
        CameOf::Stopped => Ok(Came::Stopped(machine.stepper.stand)),
        CameOf::Round => Ok(Came::OfTurn),
        CameOf::Cta => {
            machine.end(0);
            let turn = machine.stepper.position.turn + 1;
            machine.stepper.position = super::Position { turn, step: 0 };
            machine.begins(turn);
            Ok(Came::OfCta)
        }
    }
}

fn round_of(machine: &mut Machine<'_>, place: usize, budget: u64) -> Result<CameOf, Faulted> {
    machine
        .with(place, |Resident { context, warps, round, .. }| context.round(warps, round, budget))
}

fn all_in_turns(machine: &mut Machine<'_>) -> Result<Came, Faulted> {
    let place = machine.order.at;
    if place >= machine.residents.len() {
        machine.order.at = 0;
        let is_over = machine.residents.iter().all(|r| r.begun && !r.runs);
        return Ok(if is_over { Came::OfAll } else { Came::OfTurn });
    }
    if !machine.residents[place].begun {
        machine.begin_all(cluster::members(machine.launch, place), place as u64)?;
    }
    if machine.residents[place].runs {
        match round_of(machine, place, resident::TURN)? {
            CameOf::Stopped => return Ok(Came::Stopped(machine.stepper.stand)),
            CameOf::Round => {}
            CameOf::Cta => machine.end(place),
        }
    }
    machine.order.at += 1;
    Ok(Came::OfTurn)
}

fn at_random(machine: &mut Machine<'_>) -> Result<Came, Faulted> {
    let Kind::Random { round, .. } = &machine.order.kind else { return Ok(Came::OfAll) };
    let Some(&place) = round.get(machine.order.at) else { return next_round(machine) };
    if !machine.residents[place].runs {
        machine.order.at += 1;
        return Ok(Came::OfTurn);
    }
    let Kind::Random { random, turn, .. } = &mut machine.order.kind else {
        return Ok(Came::OfAll);
    };
    let (mut drawn, mut state) = (random.clone(), std::mem::take(turn));
    let came = machine.with(place, |Resident { context, warps, .. }| {
        context.turn_stepped(warps, &mut drawn, &mut state)
    });
    if let Kind::Random { random, turn, .. } = &mut machine.order.kind {
        (*random, *turn) = (drawn, state);
    }
    match came? {
        CameOf::Stopped => return Ok(Came::Stopped(machine.stepper.stand)),
        CameOf::Round => {}
        CameOf::Cta => machine.end(place),
    }
    machine.order.at += 1;
    Ok(Came::OfTurn)
}

/// CTAs begin where there is room, and the residents of the next round are drawn.
fn next_round(machine: &mut Machine<'_>) -> Result<Came, Faulted> {
    let Kind::Random { all, .. } = &machine.order.kind else { return Ok(Came::OfAll) };
    for place in all.clone() {
        let members = cluster::members(machine.launch, place);
        let is_free = members.iter().all(|&place| !machine.residents[place].runs);
        if is_free && machine.order.next < machine.order.end {
            let first = machine.order.next;
            machine.order.next += members.len() as u64;
            machine.begin_all(members, first)?;
        }
    }
    if machine.residents.iter().all(|resident| !resident.runs) {
        return Ok(Came::OfAll);
    }
    let (Order { kind, at, places, .. }, residents) = (&mut machine.order, &machine.residents);
    if let Kind::Random { random, all, round, .. } = kind {
        *at = 0;
        random.shuffle(all);
        let part = 1 + random.below((*places).max(1)) as usize;
        *round = all.iter().copied().filter(|&p| residents[p].runs).take(part).collect();
    }
    Ok(Came::OfTurn)
}

impl Context<'_> {
    /// A turn of a CTA in a random order, as [`Self::turn_at_random`] gives it.
    fn turn_stepped(
        &mut self,
        warps: &mut [Warp],
        random: &mut Random,
        turn: &mut RandomTurn,
    ) -> Result<CameOf, Box<Fault>> {
        if !turn.has_begun {
            let mut order: Vec<usize> = (0..warps.len()).filter(|&i| warps[i].live != 0).collect();
            random.shuffle(&mut order);
            let part = 1 + random.below(order.len().max(1) as u64) as usize;
            *turn = RandomTurn { has_begun: true, order, part, ..RandomTurn::default() };
        }
        let max_steps = self.launch.config.max_steps;
        while let Some(&i) = turn.order.get(turn.at) {
            if turn.at >= turn.part && turn.progress {
                break;
            }
            let resume = turn.resume.take();
            let warp = &mut warps[i];
            if resume.is_none() {
                turn.before = progress_of(std::slice::from_ref(warp));
                let budget = random.budget().min(max_steps.saturating_sub(warp.steps)).max(1);
                (warp.atomics, warp.end) = (0, warp.steps.saturating_add(budget));
            }
            let came = match self.run(warp, resume) {
                Ok(came) => came,
                Err(at) => {
                    self.keep_stopped(warp, at.split);
                    return Err(self.fault(warp, at));
                }
            };
            if let Some(resume) = self.take_stopped() {
                turn.resume = Some(resume);
                return Ok(CameOf::Stopped);
            }
            turn.progress |= turn.before != progress_of(std::slice::from_ref(warp));
            if came == Turn::Over && warp.steps >= max_steps {
                return Err(self.step_limit(warp, max_steps));
            }
            if came != Turn::Over {
                turn.progress |= self.open_barriers(warps);
            }
            turn.at += 1;
        }
        turn.has_begun = false;
        if warps.iter().all(|w| w.live == 0) {
            return Ok(CameOf::Cta);
        }
        if !turn.progress && !self.open_barriers(warps) && !self.waits_for_cluster(warps) {
            return Err(self.deadlock(warps));
        }
        Ok(CameOf::Round)
    }
}
