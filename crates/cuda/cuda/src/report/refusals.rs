//! Refused calls by function and reason, with their counts.

use super::*;
use crate::current_call::has_runtime;
use texunit_evidence::Api;

/// Maximum number of different refusals that are reported; programs with more have few kinds of
/// them.
const MAX_REPORTED: usize = 1000;

/// Refusals by function (empty after a fault) and reason, with the count that the report knows.
static REPORTED: Mutex<BTreeMap<(String, String), (Api, u64)>> = Mutex::new(BTreeMap::new());

/// Counts a refused call with the name of its code and the reason, and reports the first and then
/// each doubling. Returns the first function that was refused so, and the number of refusals;
/// `None` beyond the maximum number of reasons. After a fault, refusals of all functions count as
/// one.
pub(crate) fn refused(
    function: &str,
    is_after_fault: bool,
    (code, reason): (&str, &str),
) -> Option<(String, u64)> {
    let of = if is_after_fault { "" } else { function };
    let counted = {
        let mut reported = lock(&REPORTED);
        let key = (of.to_owned(), reason.to_owned());
        (reported.len() < MAX_REPORTED || reported.contains_key(&key)).then(|| {
            let [function, code, reason] = [function, code, reason].map(str::to_owned);
            let new = || (Api { function, code, reason, count: 0 }, 0);
            let (api, known) = reported.entry(key).or_insert_with(new);
            api.count += 1;
            if is_power(api.count, 2) {
                *known = api.count;
            }
            api.clone()
        })
    };
    // The report has a lock of its own, so it is updated after `REPORTED` is unlocked.
    match &counted {
        None => with(|state| state.totals.more_api += 1),
        // Programs may exit when they see an error, so that the refusal is reported immediately.
        Some(api) if is_power(api.count, 2) => with(|state| {
            state.flush();
            state.append(Event::Api(api.clone()));
        }),
        Some(_) => {}
    }
    counted.map(|api| (api.function, api.count))
}

/// Whether a count is a power of a base.
pub(crate) fn is_power(mut count: u64, of: u64) -> bool {
    while count > 1 && count.is_multiple_of(of) {
        count /= of;
    }
    count == 1
}

/// Whether an export table that the program requested was missing.
static LACKS_TABLE: AtomicBool = AtomicBool::new(false);

/// Records that the program itself, with a statically linked runtime, has requested a missing
/// table.
pub(crate) fn lacks_table() {
    LACKS_TABLE.store(true, Relaxed);
}

/// The report's explanation why a program with NVIDIA's statically linked runtime may have done
/// nothing: without its export tables that runtime refuses all calls itself.
pub(super) fn lacking_table() -> Option<Api> {
    let reason = "CUDA's runtime is linked into the program, where texunit cannot replace it; keep the symbols (do not \
                  strip it), or compile it with -cudart shared";
    let is_lacking = LACKS_TABLE.load(Relaxed) && !has_runtime();
    is_lacking.then(|| Api {
        function: "cuGetExportTable".to_owned(),
        code: CUresult::NOT_FOUND.name().to_owned(),
        reason: reason.to_owned(),
        count: 1,
    })
}

/// Counts of refusals that the report does not know yet, at the end.
pub(super) fn rest() -> Vec<Api> {
    let mut reported = lock(&REPORTED);
    let new = reported.values_mut().filter(|(api, known)| *known < api.count);
    new.map(|(api, known)| {
        *known = api.count;
        api.clone()
    })
    .collect()
}
