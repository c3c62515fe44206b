//! Reports of refused runtime calls to the driver library, which passes them on to the user (trace,
//! report, standard error). A function is refused for a reason found here or in a driver function
//! that it calls; the report names the runtime's function and parameters.

use crate::{MAJOR, codes};
use std::borrow::Cow;
use texunit_client::report::Call;
use texunit_cuda_abi::{Argument, Refusal};

/// Reports that a call with these arguments was refused.
pub(crate) fn refused(call: Call, refusal: &Refusal, arguments: &[Argument<'_>]) {
    if call.is_reported() {
        let reason = in_words_of_runtime(refusal.reason(arguments), arguments);
        let number = refusal.code.0.to_string();
        let name = codes::find(refusal.code.0, MAJOR).map_or(number.as_str(), |(name, _)| name);
        call.refused(refusal.code.0, name, &reason);
    }
}

/// A row of `data/names.txt`: the driver's name, the runtime's, and the parameter that the function
/// must have.
fn names(row: &'static str) -> Option<[&'static str; 3]> {
    let mut words = row.split(' ');
    let (driver, runtime) = (words.next()?, words.next()?);
    Some([driver, runtime, words.next().unwrap_or(runtime)])
}

/// Rewrites a driver's reason for the runtime: a parameter name at its start becomes the runtime's
/// name, if the function has such a parameter. Names that cannot be English words are replaced
/// everywhere.
fn in_words_of_runtime(reason: Cow<'static, str>, arguments: &[Argument<'_>]) -> Cow<'static, str> {
    let has = |name: &str| arguments.iter().any(|argument| argument.name == name);
    let own = |word: &str| {
        let mut rows = include_str!("../data/names.txt").lines().filter_map(names);
        let found = rows.find(|[driver, _, parameter]| *driver == word && has(parameter));
        found.filter(|_| !has(word)).map(|[_, runtime, _]| runtime)
    };
    let is_name =
        |word: &str| word.len() > 3 && word.chars().skip(1).any(|c: char| c.is_ascii_uppercase());
    let changed = |(i, word): (usize, &str)| own(word).filter(|_| i == 0 || is_name(word));
    let words = || reason.split(' ').enumerate();
    if words().all(|one| changed(one).is_none()) {
        return reason;
    }
    let all: Vec<&str> = words().map(|(i, word)| changed((i, word)).unwrap_or(word)).collect();
    all.join(" ").into()
}
