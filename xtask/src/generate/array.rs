//! Random uses of array elements (`name[2]`, `name[%r1+2]`), in instructions that accept them and
//! in others, and of numbered names (`name<4>`), in every state space and scope.

use std::fmt::Write as _;

use super::Question;
use super::grammar::expand;
use super::setup::Setup;
use texunit_testkit::Random;

const VARIABLES: &str = "\
.global .align 4 .b8 a1[64];\n.global .u16 a2[3];\n.global .u32 a4[16];\n.global .u64 a8[16];\n.global .f64 ad[4];\n\
.global .align 16 .v4 .f32 av[4];\n.global .s32 am[3][5];\n.global .u32 ai[2] = {1, 2};\n.global .u32 gi;\n.global .v2 .u32 gv;\n\
.shared .u32 s4[16];\n.shared .u64 s8[4];\n.extern .shared .b8 se[];\n.const .u32 c4[8];\n.const .u64 c8[8];\n.const .f32 cf;\n";

const NUMBERED_OF_MODULE: &str =
    ".global .u32 gn<4>;\n.const .f64 cn<2>;\n.shared .align 8 .b8 sn<12>;\n";
const NUMBERED_OF_BODY: &str = ".local .b32 ln<4>;\n.shared .u64 bn<3>;\n.global .f32 hn<2>;\n";

/// A question whose lines are random instructions in one kernel.
pub(super) fn question(
    setup: Setup,
    family: &'static str,
    most: usize,
    random: &mut Random,
) -> Question {
    // Array parameters of kernels, and call parameters in a body, need version 2.0 and target
    // sm_20.
    let parameters = setup.version >= 20 && setup.target >= 20;
    let mut variables = VARIABLES.to_owned() + NUMBERED_OF_MODULE;
    if setup.version >= 15 {
        variables += ".global .texref tex_a;\n.global .texref ta[3];\n";
    }
    let params = match parameters {
        true => ".param .u64 px, .param .u32 p4[4], .param .align 8 .b8 pb[16]",
        false => ".param .u64 px",
    };
    let mut prefix = setup.prefix_with(&variables, params);
    prefix += NUMBERED_OF_BODY;
    prefix += ".local .b32 l4[8];\n.local .f64 l8[2];\n.local .b32 lo;\n";
    if parameters {
        let _ = writeln!(prefix, ".param .u32 q4[4];");
    }
    let declared = if parameters { "all_arrays" } else { "arrays" };
    let variables = [("declared", declared.to_owned())].into();
    let lines = (0..most).map(|_| expand("array_line", &variables, random)).collect();
    Question { prefix, ..setup.question(family, lines) }
}
