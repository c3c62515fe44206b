//! Fuzzes the readers of DDS and KTX 2.0 files. A valid file must be read as it was written, and an
//! inconsistent one must be an error or be read as its fields say; neither texunit's decoders nor
//! those of other crates may panic.
//!
//! An input is used twice: as the choices by which a file is made field by field, and as a file
//! itself.

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
