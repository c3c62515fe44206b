//! DDS and KTX 2.0 files: what is legal is read as it was put in, whatever lies is an error or goes with the fields
//! as they are; and no decoder panics, ours or another's.
//!
//! An input is read twice: as the choices by which a file is made field by field, and as a file itself.

#![no_main]

#[path = "../../crates/unit/files/tests/all/made/mod.rs"]
mod made;

use libfuzzer_sys::fuzz_target;
use made::{Expected, Made, check, made};
use texunit_files::Kind;
use texunit_testkit::Choices;

fuzz_target!(|bytes: &[u8]| {
    check(&made(&mut Choices::new(bytes)));
    if let Some(kind @ (Kind::Dds | Kind::Ktx2)) = Kind::of_content(bytes) {
        check(&Made { kind, bytes: bytes.to_vec(), expected: Expected::Anything });
    }
});
