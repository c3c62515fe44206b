//! Converts the races of an access to findings.

use super::Launch;
use super::access::LaneRace;
use super::fasttrack::Conflict;
use crate::end::Spot;
use crate::object;
use crate::rules;
use crate::sink::{LaunchFinding, Other, OtherAt};
use texunit_report::{CheckRule, Severity};
use texunit_simt::SpaceKind;
use texunit_simt::observe::At;

/// How far apart two threads are: the smallest group that contains both.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Distance {
    Lane,
    Warp,
    Cta,
    Launch,
}

/// The form of an access: its state space, whether it stores, and whether it is a `cp.async` copy.
type AccessForm = (SpaceKind, bool, bool);

fn rule_of(conflict: &Conflict, writes: bool) -> &'static CheckRule {
    match (conflict.with.kind().writes(), writes) {
        (true, false) => rules::RACE_READ_AFTER_WRITE,
        (false, _) => rules::RACE_WRITE_AFTER_READ,
        (true, true) if conflict.is_same => rules::RACE_SAME_VALUE,
        (true, true) => rules::RACE_WRITE_AFTER_WRITE,
    }
}

/// Reports the races of an access's lanes and removes them. Races with the same rule and the same
/// earlier instruction are one finding.
pub(super) fn report(
    races: &mut Vec<LaneRace>,
    launch: &Launch<'_>,
    at: &At,
    what: AccessForm,
    address: impl Fn(u32) -> u64,
) {
    if !launch.is_strict {
        races.retain(|(_, _, one)| !is_of_lanes(launch, at, one, rule_of(one, what.1)));
    }
    while let Some(&(lane, offset, conflict)) = races.first() {
        let (rule, other) = (rule_of(&conflict, what.1), conflict.with);
        let before = races.len();
        races.retain(|(_, _, more)| {
            more.with.op() != other.op() || !std::ptr::eq(rule_of(more, what.1), rule)
        });
        let count = (before - races.len()) as u64;
        let is_of_lanes = is_of_lanes(launch, at, &conflict, rule);
        let spot = Spot::new(at, lane, launch.info.config.block);
        // The operation numbers of different launches are not comparable.
        let here = launch.order.has(other.serial).then(|| other.op());
        if here.is_some() && launch.sink.count_repeat(rule, &spot, here, count) {
            continue;
        }
        let mut found = describe(launch, (at, lane), &conflict, what);
        let place = address(lane).wrapping_add(offset);
        let object = Some(object::name(&launch.info, what.0, place));
        if what.0 == SpaceKind::Shared {
            let ends = [(at.op, "this access is "), (other.op(), "the other access is ")];
            let own = ends.into_iter().filter(|(op, _)| here == Some(other.op()) || *op == at.op);
            let beside = |(op, which)| {
                object::beside(&launch.info, op, place).map(|words| format!("{which}{words}"))
            };
            found.notes.extend(own.filter_map(beside));
        }
        let severity = if is_of_lanes { Severity::Note } else { found.severity };
        launch.sink.found(LaunchFinding { object, severity, count, ..found });
    }
}

/// Whether lanes of a warp have stored one value by one instruction. Compilers generate such stores
/// where all lanes have the same value. They are harmless on GPUs, although the PTX memory model
/// calls them a race.
fn is_of_lanes(launch: &Launch<'_>, at: &At, conflict: &Conflict, rule: &CheckRule) -> bool {
    let other = conflict.with;
    rule == rules::RACE_SAME_VALUE
        && other.serial == launch.order.serial(launch.index(at.cta))
        && (other.thread() / 32, other.op()) == (at.warp, at.op)
}

fn describe(
    launch: &Launch<'_>,
    (at, lane): (&At, u32),
    conflict: &Conflict,
    what: AccessForm,
) -> LaunchFinding {
    let other = conflict.with;
    let own = launch.order.serial(launch.index(at.cta));
    let distance = match (other.serial == own, other.thread() / 32 == at.warp) {
        (true, true) => Distance::Lane,
        (true, false) => Distance::Warp,
        _ if launch.order.has(other.serial) => Distance::Cta,
        _ => Distance::Launch,
    };
    // If two nodes of a graph race, the names of both nodes.
    let nodes = match distance {
        Distance::Launch => {
            let streams = launch.memory.streams();
            streams.name_of(own).zip(streams.name_of(other.serial))
        }
        _ => None,
    };
    let who = match distance {
        Distance::Launch if nodes.is_some() => "another node of a graph",
        Distance::Lane => "another lane of its warp",
        Distance::Warp => "another warp of its CTA",
        Distance::Cta => "another CTA",
        Distance::Launch => "a launch of another stream",
    };
    let itself = distance == Distance::Lane && other.thread() % 32 == lane;
    let (space, writes, copies) = what;
    let space = space.name();
    let (rule, both) = (rule_of(conflict, writes), "and nothing orders the two");
    let message = match (other.kind().writes(), writes) {
        _ if itself => {
            format!("{space} memory of a copy that the thread has not waited for")
        }
        (true, false) => format!("loads from {space} memory what {who} stores, {both}"),
        (false, _) => format!("stores to {space} memory that {who} loads, {both}"),
        (true, true) if conflict.is_same => {
            format!("stores to {space} memory the same value as {who}, {both}")
        }
        (true, true) => format!("stores to {space} memory where {who} stores, {both}"),
    };
    let spot = Spot::new(at, lane, launch.info.config.block);
    let there = match distance {
        Distance::Launch => launch.memory.end(other).map(|end| OtherAt::Known(Box::new(end))),
        _ => Some(OtherAt::Here(launch.spot(other.serial, other.thread(), other.op()))),
    };
    let verb = match (other.kind().is_async(), other.kind().writes()) {
        (true, _) => "is copied here by `cp.async`",
        (_, true) => "is stored here",
        _ => "is loaded here",
    };
    let mut found = LaunchFinding::new(rule, spot, message);
    found.other = there.map(|at| Other { what: verb.to_owned(), at });
    found.notes = match nodes {
        None => notes(conflict, distance, copies),
        Some((this, other)) => vec![format!(
            "this is {this}, and the other one is {other}; an edge between the two orders them"
        )],
    };
    found
}

fn notes(conflict: &Conflict, distance: Distance, copies: bool) -> Vec<String> {
    let other = conflict.with;
    let mut notes = Vec::new();
    if other.kind().is_async() || copies {
        notes.push(
            "a copy of `cp.async` happens at some time until its thread waits for it \
             (`cp.async.wait_group`, `wait_all`, an mbarrier), and then a barrier tells others"
                .to_owned(),
        );
    }
    notes.push(
        match distance {
            Distance::Lane => {
                "since Volta the lanes of a warp are not in lockstep: `__syncwarp()` between the two orders them"
            }
            Distance::Warp => "a barrier between the two orders them: `__syncthreads()`",
            Distance::Launch => {
                "launches of two streams are ordered by an event (`cudaStreamWaitEvent`) or by the host, which \
                 waits for the one before it launches the other"
            }
            Distance::Cta => {
                "CTAs are ordered by a fence and then an atomic or volatile store on one side, and a load of \
                 that and then a fence on the other (`__threadfence()`, not `__threadfence_block()`), or by \
                 the end of the launch"
            }
        }
        .to_owned(),
    );
    if other.kind().strength() == 1 && distance == Distance::Cta {
        notes.push("an access with `.cta` is one for its own CTA only".to_owned());
    }
    notes
}
