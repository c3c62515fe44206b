//! Has Python run a file of texunit before a program (crate `shims`), for the sources of Numba's
//! kernels, and turns off the memory pools of Python packages when the check `memory` is named,
//! because a pool hides accesses past the end of an array.

use super::{RunArgs, before};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use texunit_checks::Check;

/// PyTorch's own variable.
const PYTORCH: &str = "PYTORCH_NO_CUDA_MEMORY_CACHING";
/// Python's module search path.
const PYTHON: &str = "PYTHONPATH";
/// Tells the driver which pools are off, for its messages; CuPy's is added when it is turned off.
const OFF: &str = "TEXUNIT_POOLS_OFF";
/// The file that Python runs before a program.
const SITE: &str = "sitecustomize.py";

/// Sets the variables, unless the user has set them.
pub(super) fn prepare(command: &mut Command, args: &RunArgs, shims: Option<&Path>) {
    let is_named = args.checks.check.is_some_and(|checks| checks.has(Check::Memory));
    let site = shims.filter(|folder| folder.join(SITE).is_file());
    let set = |name: &str| std::env::var_os(name);
    command.envs(variables(set, (is_named && !args.keep_pools, site)));
}

fn variables(
    set: impl Fn(&str) -> Option<OsString>,
    (turns_off, site): (bool, Option<&Path>),
) -> Vec<(&'static str, OsString)> {
    let mut all = Vec::new();
    if turns_off {
        let mut off = set(OFF).unwrap_or_default();
        if set(PYTORCH).is_none() {
            all.push((PYTORCH, "1".into()));
            off = "pytorch".into();
        }
        all.push((OFF, off));
    }
    all.extend(site.map(|folder| (PYTHON, before(folder, set(PYTHON)))));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_stays() {
        let site = Some(Path::new("/lib/shims"));
        let of = |given: &[(&str, &str)], site| {
            let find = |name: &str| given.iter().find(|(known, _)| *known == name);
            variables(|name| find(name).map(|(_, value)| (*value).into()), site)
        };
        let text = |all: Vec<(&str, OsString)>| {
            let pairs = all.iter().map(|(name, value)| format!("{name}={}", value.display()));
            pairs.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            text(of(&[], (true, site))),
            "PYTORCH_NO_CUDA_MEMORY_CACHING=1 TEXUNIT_POOLS_OFF=pytorch PYTHONPATH=/lib/shims"
        );
        assert_eq!(text(of(&[], (false, site))), "PYTHONPATH=/lib/shims");
        let user = [(PYTORCH, "0"), (PYTHON, "/home/u")];
        assert_eq!(
            text(of(&user, (true, site))),
            "TEXUNIT_POOLS_OFF= PYTHONPATH=/lib/shims:/home/u"
        );
        // A run inside a run.
        let inner = [(PYTORCH, "1"), (OFF, "pytorch")];
        assert_eq!(text(of(&inner, (true, None))), "TEXUNIT_POOLS_OFF=pytorch");
    }
}
