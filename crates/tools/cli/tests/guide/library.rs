//! The Rust code of the README: what is between the two marks below is what the README shows.

use libtest_mimic::Failed;
use texunit_device::{Arg, Device, LaunchOptions, Module};
use texunit_testkit::ptx::{SM_75, kernel};

use crate::page::{Page, root};

const BODY: &str = "\
.reg .b64 %rd<3>; .reg .b32 %r<3>;
ld.param.u64 %rd1, [out];
ld.param.u32 %r1, [value];
mov.u32 %r2, %tid.x;
mad.wide.u32 %rd2, %r2, 4, %rd1;
st.global.u32 [%rd2], %r1;
ret;";

pub(crate) fn the_code_of_the_readme() -> Result<(), Failed> {
    let ptx = kernel(SM_75, ".param .u64 out, .param .u32 value", BODY).replace(" k(", " fill(");
    // README
    let device = Device::default();
    let module = Module::load(&device, "fill.ptx", &ptx)?;
    let out = device.alloc(4 * 64, "out")?;
    let options = LaunchOptions::new(1, 64);
    module.kernel("fill").unwrap().launch(&options, &[Arg::Buffer(&out), Arg::U32(7)])?;
    // to here
    let words = out.read();
    assert_eq!(words.len(), 256);
    assert!(words.chunks(4).all(|word| word == [7, 0, 0, 0]), "{words:?}");

    let source = include_str!("library.rs");
    let from = source.split("    // README\n").nth(1).unwrap();
    let shown: String = from
        .split("    // to here\n")
        .next()
        .unwrap()
        .lines()
        .map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or(line)))
        .collect();
    let readme = Page::read(&root().join("README.md"));
    let rust: Vec<_> = readme.blocks().into_iter().filter(|b| b.language == "rust").collect();
    match rust.iter().find(|block| block.code != shown) {
        _ if rust.is_empty() => Err("the README shows no Rust code".into()),
        Some(block) => {
            Err(format!("this code is not compiled:\n{}but\n{shown}", block.code).into())
        }
        None => Ok(()),
    }
}
