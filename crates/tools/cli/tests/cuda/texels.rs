//! Texels that the host, copies and surface stores have not written (`--check init`):
//! `commands/texels.cu`.

use crate::commands::{SHARED, contains, program, same};
use crate::process::succeed;
use crate::tools::Setup;
use libtest_mimic::{Failed, Trial};

/// The test.
pub(crate) fn trial(setup: &Setup) -> Trial {
    let skipped = !setup.has(&["nvcc"]);
    let setup = setup.clone();
    Trial::test("check/texels", move || texels(&setup)).with_ignored_flag(skipped)
}

/// Each case has one fetch of uninitialised data; all other fetches, of adjacent texels, are
/// correct.
fn texels(setup: &Setup) -> Result<(), Failed> {
    let program = program(setup, "texels.cu", SHARED, &["-lineinfo"])?;
    let ended = succeed(setup.run().args(["--check", "init"]).arg(&program), &program)?;
    let right = ended.stdout.clone();
    same(&*right, "1 cudaSuccess\n", &ended)?;
    same(&*ended.stderr, "", &ended)?;
    for (case, texel, line) in [
        ("rows", "texel (2, 4) of the 2D array", 9),
        ("copied", "texel (6, 3) of the 2D array", 9),
        ("surface", "texel (7, 7) of the 2D array", 9),
        ("layer", "texel (1, 1) of layer 0 of the layered 2D array", 14),
        ("level", "texel (0, 0) of level 1 of the 2D array", 19),
        ("pitch", "texel (4, 3) of the pitched 2D memory", 9),
    ] {
        let mut command = setup.run();
        let command = command.args(["--check", "init"]).arg(&program).arg(case);
        let ended = succeed(command, &program)?;
        same(&ended.stdout, &right, &ended)?;
        same(ended.stderr.matches("error[init-store]").count(), 1, &ended)?;
        same(ended.stderr.matches("error[").count(), 1, &ended)?;
        contains(&ended, &format!("what is stored was computed from {texel}"))?;
        contains(&ended, &format!("texels.cu:{line}"))?;
    }
    Ok(())
}
