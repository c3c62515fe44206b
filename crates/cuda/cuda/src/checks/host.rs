//! Reports of plain loads and stores of the program that race with work on a device
//! ([`host_access`]).

use super::{log, race, report_new};
use crate::host_access::{self, HostAccess};
use crate::prelude::*;
use crate::{allocation_trace, memory, state};
use texunit_checks::race::{HostRace, Memory};
use texunit_checks::{Finding, rules};
use texunit_device::Described;

/// Reports recorded accesses. It must be called before the host waits for anything.
pub(crate) fn report_accesses() {
    if host_access::has_accesses() {
        report_all();
    }
}

#[cold]
fn report_all() {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = lock(&ONE);
    let Some(race) = race() else { return };
    host_access::take_accesses().iter().for_each(|access| report_one(race, access));
    report_new(None, (0, None));
}

fn report_one(race: &Memory, access: &HostAccess) {
    let HostAccess { address, writes, at, ref frames } = *access;
    // Accesses by texunit's own code during a call are not accesses of the program.
    if allocation_trace::is_ours(at) {
        return;
    }
    let Some(found) = race.host_accessed(address, writes) else { return };
    // The trace starts with the instruction itself, followed by its callers.
    let callers = frames.iter().position(|&frame| frame == at).map_or(frames.len(), |i| i + 1);
    let mut trace = vec![at + 1];
    trace.extend(&frames[callers..]);
    let places = allocation_trace::frames_of(&trace);
    let host = places.first().cloned();
    let notes = places.into_iter().enumerate().map(|(i, place)| match i {
        0 => format!("the host is at {place}"),
        _ => format!("called from {place}"),
    });
    let (rule, does) = match writes {
        false => (rules::RACE_HOST_READ, "reads"),
        true => (rules::RACE_HOST_WRITE, "writes"),
    };
    let uses = |stores: bool| if stores { "writes" } else { "reads" };
    let message = match &found {
        HostRace::Kernel(_, stores) => format!(
            "the host {does} memory that a kernel {}, and has not waited for the kernel",
            if *stores { "stores to" } else { "loads from" }
        ),
        HostRace::Copy(what, stores) => {
            format!(
                "the host {does} memory that {what} {}, and has not waited for it",
                uses(*stores)
            )
        }
    };
    let mut finding = Finding::of_process(rule, message, notes.collect());
    (finding.object, finding.host) = (object(address), host);
    if let HostRace::Kernel(Some(end), stores) = found {
        let what = if stores { "is stored here" } else { "is loaded here" };
        finding.other = Some((what.to_owned(), *end));
    }
    if let Some(log) = log() {
        log.found(finding);
    }
}

fn object(address: u64) -> Option<Described> {
    let linear = state::gpus().ok()?.iter().find_map(|gpu| memory::linear(gpu, address, 1))?;
    let (range, number) = (linear.allocation(), linear.number());
    let (size, name) = (range.end - range.start, linear.name());
    let text = format!("allocation {number} ({} of `{name}`)", Count(size, "byte"));
    Some(Described { text, allocation: Some(number) })
}
