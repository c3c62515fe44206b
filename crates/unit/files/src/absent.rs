//! JPEG, DDS, KTX 2.0 and EXR files in a build without the feature `all`: functions whose errors say how
//! to get a build that has them.

use crate::{Kind, Problem};

fn absent<T>(kind: Kind) -> Result<T, Problem> {
    Err(Problem::Unsupported(format!(
        "{} is a kind of file that this build of texunit lacks: `cargo install --path \
         crates/tools/cli --features all` builds all of texunit, and so does `cargo run --release \
         -p xtask -- libs`, into target/release",
        kind.name()
    )))
}

pub(crate) mod dds {
    pub(crate) fn decode(_: &[u8]) -> Result<crate::Container, crate::Problem> {
        super::absent(crate::Kind::Dds)
    }
}

pub(crate) mod ktx {
    pub(crate) fn decode(_: &[u8]) -> Result<crate::Container, crate::Problem> {
        super::absent(crate::Kind::Ktx2)
    }
}

pub(crate) mod jpeg {
    pub(crate) fn decode(_: &[u8]) -> Result<crate::convert::Raster, crate::Problem> {
        super::absent(crate::Kind::Jpeg)
    }
}

pub(crate) mod exr_file {
    use super::{Kind, Problem, absent};
    use texunit_texel::Format;

    pub(crate) fn decode(_: &[u8], _: Format) -> Result<crate::convert::Raster, Problem> {
        absent(Kind::Exr)
    }

    pub(crate) fn can_encode(_: Format, _: u8) -> Result<(), Problem> {
        absent(Kind::Exr)
    }

    pub(crate) fn encode(_: &crate::Texels) -> Result<Vec<u8>, Problem> {
        absent(Kind::Exr)
    }
}
