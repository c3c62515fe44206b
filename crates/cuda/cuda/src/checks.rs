//! Checks of kernels (`TEXUNIT_CHECK`, crate `checks`): creates the observer of each launch, tells
//! the race detector about calls of the host, and reports findings.

mod copies;
mod host;
mod pools;

use crate::context::Context;
use crate::current_call::in_program;
pub(crate) use copies::{Watch, Work, submitted};
pub(crate) use host::report_accesses as tell_host;
pub(crate) use pools::{allocated, freed};
use texunit_device::LaunchStats;

use crate::check_log::{self, OWNER, QueuePosition, log, own_log, race};
use crate::module::Module;
use crate::prelude::*;
use crate::settings::settings;
use crate::{host_access, report};
use texunit_checks::race::Memory;
use texunit_checks::rules::{self, CheckRule};
use texunit_checks::{Check, Finding, LaunchChecks, Log};
use texunit_report::{Host, Located};

/// The checks of a launch, as its observer.
pub(crate) fn of_launch(
    kernel: &str,
    position: QueuePosition,
    context: Handle<Context>,
) -> Option<LaunchChecks<'static>> {
    let log = log()?;
    log.race().iter().for_each(|race| host_access::launches(race));
    log.launch_submitted(kernel, (position.queue, position.submitted), context.number() as u64)
}

/// Tells the race detector that the host has waited, as `tells` specifies.
pub(crate) fn waited(tells: impl FnOnce(&Memory)) {
    if let Some(race) = race() {
        tells(race);
        host_access::update();
    }
}

/// Tells the race detector that the host has waited for the current context's default stream.
pub(crate) fn host_waited() {
    waited(|race| {
        if let Ok(context) = crate::context::current_even_if_faulty() {
            race.streams().synchronize(crate::stream::default_of(&context));
        }
    });
}

/// Runs a host function of a queue. To the race detector, its accesses are ordered after the work
/// before it, as if the host had waited, and they are compared before later work begins. Which
/// pages are watched does not change, because kernels may be running.
pub(crate) fn host_function(queue: Queue, function: impl FnOnce()) {
    host::report_accesses();
    crate::check_log::with_race(|race| race.streams().synchronize(queue));
    in_program(function);
    host::report_accesses();
}

/// What a kernel does to memory, and the note of its instruction, given whether it stores.
fn by_kernel(stores: bool) -> (&'static str, &'static str) {
    if stores { ("stores to", "is stored here") } else { ("loads from", "is loaded here") }
}

/// Memory of a part of a copy.
pub(crate) enum AccessedMemory {
    /// Device memory, by address.
    Memory(u64),
    /// An array, identified by its memory on the host, and an offset in it.
    Array(usize, u64),
}

/// Records that a copy reads or (`writes`) writes bytes, and reports kernels that access them
/// concurrently.
pub(crate) fn copied(position: &QueuePosition, (part, len): (AccessedMemory, u64), writes: bool) {
    accessed(position, (part, len), writes, || format!("a copy of {}", Count(len, "byte")));
}

/// As [`copied`], for any operation, which `who` describes.
fn accessed(
    position: &QueuePosition,
    (part, len): (AccessedMemory, u64),
    writes: bool,
    who: impl FnOnce() -> String,
) {
    let Some(log) = log() else { return };
    if let AccessedMemory::Memory(address) = part {
        pools::copied(position, (address, len), if writes { "written" } else { "read" });
    }
    let work = position.work();
    let found = log.race().and_then(|race| match part {
        AccessedMemory::Memory(address) => race.accessed(Some(work), (address, len), writes),
        AccessedMemory::Array(array, offset) => {
            race.array_accessed(work, (array, offset, len), writes)
        }
    });
    let Some(found) = found else { return };
    let is_array = matches!(part, AccessedMemory::Array(..));
    let node = log.race().and_then(|race| race.streams().name(position.queue));
    raced(log, found, (who(), writes, is_array), node);
}

/// Reports that a copy in a graph (`name`) accesses memory which the nodes access concurrently.
pub(crate) fn copied_before(nodes: &[Queue], range: (u64, u64), writes: bool, name: &str) {
    let Some(log) = log() else { return };
    let found = log.race().and_then(|race| race.accessed_in(nodes, range, writes));
    if let Some(found) = found {
        let who = format!("a copy of {}", Count(range.1, "byte"));
        raced(log, found, (who, writes, false), Some(name.to_owned()));
    }
}

/// Reports two nodes of a graph that copy or set the same memory concurrently, given their names
/// and whether they write it.
pub(crate) fn copies_race(one: (String, bool), other: (String, bool), address: u64) {
    let Some(log) = log() else { return };
    let ((a, b), (does, other_does)) = ((one.0, other.0), (does(one.1), does(other.1)));
    let message = format!(
        "{a} {does} memory at {address:#x} that {b} {other_does}, and nothing orders the two"
    );
    let notes = vec!["an edge between the two nodes orders them".to_owned()];
    log.found(Finding::of_process(rule(one.1, other.1), message, notes));
    report_new(None, (0, None));
}

/// The rule of a race, given whether the first and the second access write.
fn rule(first: bool, second: bool) -> &'static CheckRule {
    match (first, second) {
        (true, true) => rules::RACE_WRITE_AFTER_WRITE,
        (true, false) => rules::RACE_READ_AFTER_WRITE,
        (false, _) => rules::RACE_WRITE_AFTER_READ,
    }
}

fn does(writes: bool) -> &'static str {
    if writes { "writes" } else { "reads" }
}

/// Reports a race between a kernel and another operation, given the kernel and whether it stores;
/// the operation, whether it writes, and an array; and the graph node of the operation.
fn raced(
    log: &Log,
    (end, stores): (texunit_checks::End, bool),
    (who, writes, is_array): (String, bool, bool),
    node: Option<String>,
) {
    let (rule, does) = (rule(stores, writes), does(writes));
    let what = if is_array { "texels of an array" } else { "memory" };
    let (other_does, here) = match (is_array, stores) {
        (true, false) => ("reads", "is read here"),
        _ => by_kernel(stores),
    };
    let message =
        format!("{who} {does} {what} that a kernel {other_does}, and nothing orders the two");
    let notes = match node.zip(end.node.clone()) {
        Some((own, kernel)) => {
            vec![format!("the one is {own}, and the kernel is {kernel}; an edge between the two orders them")]
        }
        None => vec![
            "the kernel is one of another stream: `cudaStreamSynchronize` or `cudaStreamWaitEvent` between the two \
             orders them"
                .to_owned(),
        ],
    };
    let mut finding = Finding::of_process(rule, message, notes);
    finding.other = Some((here.to_owned(), end));
    log.found(finding);
    report_new(None, (0, None));
}

/// Records the fetches of a launch whose texture does not fit the instruction.
pub(crate) fn bad_fetches(module: &Module, stats: &LaunchStats) {
    report_at_end();
    own_log().bad_fetches(stats, module.loaded.source(), Host::Program);
}

/// Reports the findings of a launch of a module.
pub(crate) fn report(module: &Module, launch: u64, launched_by: Option<String>) {
    pools::used();
    let loaded = &module.loaded;
    report_new(Some(Located::from((loaded.source(), &**loaded.sources()))), (launch, launched_by));
}

/// Reports findings that have not been reported.
pub(crate) fn report_new(
    source: Option<Located<'_>>,
    (launch, launched_by): (u64, Option<String>),
) {
    if check_log::created_log().is_none() {
        return;
    }
    let log = own_log();
    for mut news in log.news() {
        let number = news.finding.object.as_ref().and_then(|object| object.allocation);
        news.finding.notes.extend(number.into_iter().flat_map(crate::allocation_trace::lines));
        news.finding.notes.extend(launched_by.iter().cloned());
        if news.is_first {
            let finding = &news.finding;
            // Only findings in the module's text have locations in it.
            let own = source.filter(|source| {
                finding.at.as_ref().is_some_and(|at| at.place.ptx.file == source.text.name())
            });
            let text = texunit_checks::text(finding, own, settings().color);
            say(format_args!("{}", text.trim_end()));
            if settings().checks.as_ref().is_some_and(|wanted| wanted.gen_suppressions) {
                say(format_args!("to suppress it:\n{}", finding.suppression().trim_end()));
            }
        }
        report::checked(&news, launch);
    }
    report::checked_more(log.more());
}

/// Reports the objects that are alive when the program ends.
static LEAKS: OnceLock<fn()> = OnceLock::new();

/// Begins the checks: the findings are reported when the program ends, with `leaks` before that.
pub(crate) fn begin(leaks: fn()) {
    let Some(checks) = &settings().checks else { return };
    if checks.has(Check::Race) {
        host_access::watch();
    }
    let _ = LEAKS.set(leaks);
    report_at_end();
}

fn report_at_end() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| crate::exit::at_end(end));
}

fn end() {
    // After a fork, the thread that held a lock may not exist in the child process.
    if !OWNER.is_this_process() {
        return;
    }
    host::report_accesses();
    LEAKS.get().iter().for_each(|report| report());
    report_new(None, (0, None));
    if let Some(summary) = check_log::created_log().and_then(texunit_checks::summary) {
        say(format_args!("{summary}"));
    }
}
