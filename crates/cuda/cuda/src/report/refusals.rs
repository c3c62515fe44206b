//! Refused calls by function and reason, with their counts.

use super::*;
use crate::current_call::has_runtime;
use texunit_evidence::Api;

/// Maximum number of different refusals that are reported; programs with more have few kinds of
/// them.
const MAX_REPORTED: usize = 1000;

#[derive(Debug)]
struct ReportedRefusal {
    /// The first function that was refused.
    function: String,
    /// Name of the code.
    code: String,
    /// Number of occurrences, and the number known to the report.
    count: u64,
    reported: u64,
}

/// Reported refusals by function (empty after a fault) and reason.
static REPORTED: Mutex<BTreeMap<(String, String), ReportedRefusal>> = Mutex::new(BTreeMap::new());

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
            let one = reported.entry(key).or_insert_with(|| ReportedRefusal {
                function: function.to_owned(),
                code: code.to_owned(),
                count: 0,
                reported: 0,
            });
            one.count += 1;
            if is_power(one.count, 2) {
                one.reported = one.count;
            }
            (one.function.clone(), one.count)
        })
    };
    // The report has a lock of its own, so it is updated after `REPORTED` is unlocked.
    match &counted {
        _ if !is_wanted() => {}
        None => with(|state| state.totals.more_api += 1),
        Some((function, count)) if is_power(*count, 2) => {
            let (function, code, reason) = (function.clone(), code.to_owned(), reason.to_owned());
            with(|state| {
                // Programs may exit when they see an error, so that the refusal is reported
                // immediately.
                state.flush();
                state.append(Event::Api(Api { function, code, reason, count: *count }));
            });
        }
        Some(_) => {}
    }
    counted
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
    let new = reported.iter_mut().filter(|(_, one)| one.reported < one.count);
    let api = |((_, reason), one): (&(String, String), &mut ReportedRefusal)| {
        one.reported = one.count;
        let (function, code) = (one.function.clone(), one.code.clone());
        Api { function, code, reason: reason.clone(), count: one.count }
    };
    new.map(api).collect()
}
