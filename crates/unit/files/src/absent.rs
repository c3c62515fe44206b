//! JPEG, DDS, KTX 2.0 and EXR files in a build without the feature `all`: functions whose errors
//! say how to get a build that has them.

use crate::convert::Raster;
use crate::{Container, Kind, Problem, Texels};
use texunit_texel::Format;

fn absent<T>(kind: Kind) -> Result<T, Problem> {
    Err(Problem::Unsupported(format!(
        "{} is a kind of file that this build of texunit lacks: `cargo install --path \
         crates/tools/cli --features all` builds all of texunit, and so does `cargo run --release \
         -p xtask -- libs`, into target/release",
        kind.name()
    )))
}

pub(crate) mod dds {
    use super::*;

    pub(crate) fn decode(_: &[u8]) -> Result<Container, Problem> {
        absent(Kind::Dds)
    }
}

pub(crate) mod ktx {
    use super::*;

    pub(crate) fn decode(_: &[u8]) -> Result<Container, Problem> {
        absent(Kind::Ktx2)
    }
}

pub(crate) mod jpeg {
    use super::*;

    pub(crate) fn decode(_: &[u8]) -> Result<Raster, Problem> {
        absent(Kind::Jpeg)
    }
}

pub(crate) mod exr_file {
    use super::*;

    pub(crate) fn decode(_: &[u8], _: Format) -> Result<Raster, Problem> {
        absent(Kind::Exr)
    }

    pub(crate) fn can_encode(_: Format, _: u8) -> Result<(), Problem> {
        absent(Kind::Exr)
    }

    pub(crate) fn encode(_: &Texels) -> Result<Vec<u8>, Problem> {
        absent(Kind::Exr)
    }
}
