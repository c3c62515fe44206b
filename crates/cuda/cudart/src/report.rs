//! Reports of runtime calls to the driver library, which passes them on to the user (trace, report,
//! standard error). A function is refused for a reason found here or in a driver function that it
//! calls; the report names the runtime's function and parameters.

use crate::{MAJOR, codes};
use std::borrow::Cow;
use texunit_client::report::Call;
use texunit_cuda_abi::{Argument, Refusal};

/// A call of the runtime, from its start to its end, as the driver library records it.
pub(crate) struct RuntimeCall(Call);

impl RuntimeCall {
    pub(crate) fn begins(function: &'static str) -> Self {
        // A launch with `<<<...>>>` is reported under the name of the documented function.
        Self(Call::begins(match function {
            "__cudaLaunchKernel" => "cudaLaunchKernel",
            other => other,
        }))
    }

    /// Reports the end of the call, and the reason if it was refused with these arguments.
    pub(crate) fn ends(self, refusal: Option<&Refusal>, arguments: &[Argument<'_>]) {
        // The end of an accepted call is reported when the value is dropped.
        let Some(refusal) = refusal.filter(|_| self.0.is_reported()) else { return };
        let reason = in_words_of_runtime(refusal.reason(arguments), arguments);
        let code = refusal.code.0;
        let number = code.to_string();
        let name = codes::find(code, MAJOR).map_or(number.as_str(), |(name, _)| name);
        self.0.refused(code, name, &reason);
    }
}

/// Names of parameters in the driver API and in the runtime API.
#[rustfmt::skip]
const NAMES: &[(&str, &str)] = &[
    ("bytesize", "size"), ("ByteCount", "count"), ("dptr", "devPtr"), ("hStream", "stream"), ("hEvent", "event"),
    ("hStart", "start"), ("hEnd", "end"), ("hfunc", "func"), ("f", "func"), ("hArray", "array"),
    ("hMipmappedArray", "mipmappedArray"), ("hTexRef", "texref"), ("dev", "device"), ("Flags", "flags"),
    ("attrib", "attr"), ("pool", "memPool"), ("p", "ptr"), ("p", "pHost"), ("ptr", "ptr"), ("dptr", "ptr"), ("srcDevice", "src"), ("srcHost", "src"),
    ("dstDevice", "dst"), ("dstHost", "dst"), ("srcArray", "src"), ("dstArray", "dst"), ("WidthInBytes", "width"),
    ("Height", "height"), ("Pitch", "pitch"), ("srcPitch", "spitch"), ("dstPitch", "dpitch"),
    ("sharedMemBytes", "sharedMem"), ("hPeerContext", "peerDevice"), ("peerContext", "peerDevice"),
    ("kernelParams", "args"), ("pp", "ptr"), ("pp", "pHost"), ("dstDevice", "devPtr"), ("dstPitch", "pitch"),
    ("hArray", "dst"), ("hArray", "src"), ("config", "cacheConfig"), ("numBytes", "size"),
    ("dstXInBytes", "wOffset"), ("srcXInBytes", "wOffset"), ("dstXInBytes", "wOffsetDst"), ("srcXInBytes", "wOffsetSrc"),
    ("dstY", "hOffset"), ("srcY", "hOffset"), ("dstY", "hOffsetDst"), ("srcY", "hOffsetSrc"),
];

/// Names of fields in the driver's and in the runtime's structure of a 3D copy, `p`.
#[rustfmt::skip]
const MEMBERS: &[(&str, &str)] = &[
    ("dstXInBytes", "dstPos.x"), ("srcXInBytes", "srcPos.x"), ("dstY", "dstPos.y"), ("srcY", "srcPos.y"),
    ("dstZ", "dstPos.z"), ("srcZ", "srcPos.z"), ("WidthInBytes", "extent.width"), ("Height", "extent.height"),
    ("Depth", "extent.depth"), ("srcPitch", "srcPtr.pitch"), ("dstPitch", "dstPtr.pitch"), ("srcHeight", "srcPtr.ysize"),
    ("dstHeight", "dstPtr.ysize"), ("srcDevice", "srcPtr"), ("dstDevice", "dstPtr"), ("srcHost", "srcPtr"), ("dstHost", "dstPtr"),
];

/// Rewrites a driver's reason for the runtime: a parameter name at its start becomes the runtime's
/// name, if the function has such a parameter. Names that cannot be English words are replaced
/// everywhere.
fn in_words_of_runtime(reason: Cow<'static, str>, arguments: &[Argument<'_>]) -> Cow<'static, str> {
    let has = |name: &str| arguments.iter().any(|argument| argument.name == name);
    let own = |word: &str| {
        let found = NAMES.iter().find(|(driver, runtime)| *driver == word && has(runtime));
        let member = || MEMBERS.iter().find(|(driver, _)| *driver == word && has("p"));
        found.or_else(member).filter(|_| !has(word)).map(|(_, runtime)| *runtime)
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
