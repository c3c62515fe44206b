//! Reports of plain loads and stores of the program that race with work on a device
//! ([`host_access`]).

use super::*;
use crate::host_access::HostAccess;
use crate::{allocation_trace, memory, state};
use texunit_checks::race::HostRace;
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
    let notes = allocation_trace::notes("the host is at", places);
    let (rule, does) = match writes {
        false => (rules::RACE_HOST_READ, "reads"),
        true => (rules::RACE_HOST_WRITE, "writes"),
    };
    let message = match &found {
        HostRace::Kernel(_, stores) => format!(
            "the host {does} memory that a kernel {}, and has not waited for the kernel",
            super::by_kernel(*stores).0
        ),
        HostRace::Copy(what, stores) => {
            let uses = super::does(*stores);
            format!("the host {does} memory that {what} {uses}, and has not waited for it")
        }
    };
    let mut finding = Finding::of_process(rule, message, notes.collect());
    (finding.object, finding.host) = (object(address), host);
    if let HostRace::Kernel(Some(end), stores) = found {
        finding.other = Some((super::by_kernel(stores).1.to_owned(), *end));
    }
    if let Some(log) = log() {
        log.found(finding);
    }
}

fn object(address: u64) -> Option<Described> {
    let linear = state::gpus().ok()?.iter().find_map(|gpu| memory::linear(gpu, address, 1))?;
    Some(Described { text: linear.allocation_name(), allocation: Some(linear.number()) })
}
