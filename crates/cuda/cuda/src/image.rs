//! Images of modules, as passed to `cuModuleLoadData` and similar functions: PTX, a fatbin, or a
//! wrapper structure that points to fatbins. Given an image, this module returns its PTX for a
//! device. Machine code is recognised and refused.

use crate::origin::Origin;
use crate::prelude::*;
use crate::settings::{printed_refusal, say_refused, settings};
use texunit_fatbin::{self as fatbin, Compatibility, EntryKind};
use texunit_link::{IN_PLACE, LinkError, is_device_runtime};
use texunit_syntax::SourceFile;
use texunit_syntax::ast::{Item, Version};

pub(crate) use texunit_link::Ptx;

/// Magic number of machine code (ELF).
const ELF: [u8; 4] = *b"\x7fELF";

/// An image, with a copy of its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    /// Kind and bytes of the image.
    pub(crate) content: Content,
    /// Origin of the image, for messages.
    pub(crate) origin: Origin,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Bytes that are no known binary format, and are treated as PTX.
    Text(Vec<u8>),
    /// A fatbin, from which the PTX for a device is chosen.
    Fatbin(Vec<u8>),
    /// Fatbins that are linked: those of a program with relocatable device code.
    Several(Vec<Vec<u8>>),
    /// Machine code (a cubin), which cannot be executed.
    Machine,
    /// NVIDIA's device runtime library, which toolkits link for device-side launches and
    /// cooperative groups.
    DeviceRuntime,
}

/// Copies the fatbin at an address, whose header gives its size.
///
/// # Safety
/// The pointer is null, or to the header of a fatbin and as many bytes as it states.
unsafe fn fatbin_at(image: Raw<'_>) -> Answer<Vec<u8>> {
    // SAFETY: the caller upholds this function's safety contract.
    let header = unsafe { image.bytes(fatbin::HEADER) }.array::<{ fatbin::HEADER }>(0)?;
    let size = fatbin::size(&header).map_err(invalid)?;
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { image.bytes(size) }.to_vec()
}

/// The refusal of a damaged image.
fn invalid(why: fatbin::FatbinError) -> Refusal {
    let reason = format!("the image of a module is a fatbin, but damaged: {why}");
    printed_refusal(CUresult::INVALID_IMAGE, reason)
}

/// Maximum number of fatbins that a wrapper may point to.
const MAX_LINKED: usize = 1 << 16;

impl Image {
    /// Copies an image of unknown size from host memory.
    ///
    /// # Safety
    /// The pointer is null, or to machine code, a zero-terminated text, a fatbin, or a structure
    /// that points to fatbins.
    pub(crate) unsafe fn at(image: Raw<'_>) -> Answer<Self> {
        image.check()?;
        let mut first = [0; 4];
        for at in 0..4 {
            // SAFETY: reading stops at a text's terminating zero; other images are longer than
            // these bytes.
            unsafe { image.bytes(at + 1) }.read(at, &mut first[at..=at])?;
            if first[at] == 0 {
                break;
            }
        }
        let content = match u32::from_le_bytes(first) {
            _ if first == ELF => Content::Machine,
            // SAFETY: the magic number is that of a fatbin.
            fatbin::MAGIC => Content::Fatbin(unsafe { fatbin_at(image)? }),
            // SAFETY: the magic number is that of the wrapper structure.
            fatbin::WRAPPER_MAGIC => unsafe { Content::wrapped(image)? },
            // SAFETY: the image is not of another kind, so that it is a zero-terminated text.
            _ => Content::Text(unsafe { image.text() }.bytes()?),
        };
        Ok(Self { content, origin: Origin::At(image.address()) })
    }

    /// An image whose bytes are all given, such as a file.
    pub(crate) fn of(bytes: Vec<u8>, origin: Origin) -> Self {
        let content = match bytes.first_chunk() {
            Some(first) if *first == ELF => Content::Machine,
            Some(first) if u32::from_le_bytes(*first) == fatbin::MAGIC => Content::Fatbin(bytes),
            _ if is_device_runtime(&bytes) => Content::DeviceRuntime,
            _ => Content::Text(bytes.into_iter().take_while(|&b| b != 0).collect()),
        };
        Self { content, origin }
    }

    /// The PTX for a device.
    ///
    /// `CUDA_ERROR_NO_BINARY_FOR_GPU` if there is none, `CUDA_ERROR_INVALID_IMAGE` if the image is
    /// damaged; for PTX that is newer than the device or than CUDA, the result of [`newer`].
    pub(crate) fn ptx(&self, name: &str, device: &Card) -> Answer<Ptx> {
        let from_fatbin = |bytes: &Vec<u8>| from_fatbin(bytes, name, device, &self.origin);
        let ptx = match &self.content {
            Content::Machine => return Err(machine_only(device, &self.origin)),
            Content::DeviceRuntime => bail!(
                CUresult::INVALID_IMAGE,
                "the image is libcudadevrt.a, a library to be linked with others; alone it is not a module"
            ),
            Content::Text(bytes) => {
                if is_in_place(bytes) {
                    say_once(
                        "the program has ptxas make machine code; texunit's ptxas has checked the PTX and hands that on, as texunit \
                         runs PTX",
                    );
                }
                Ptx { name: name.to_owned(), text: text(bytes) }
            }
            Content::Fatbin(bytes) => from_fatbin(bytes)?,
            Content::Several(all) => {
                // A toolkit's device runtime may be for the newest GPUs only: fatbins that do not
                // run on this device are left out, or if all PTX is newer than the device, those
                // that do not run on the oldest GPU that the PTX is for.
                let targets = || all.iter().map(|bytes| chosen(bytes, device));
                let oldest = targets().flatten().map(|(target, _)| target).min();
                let gpu = device.capability.number().max(oldest.unwrap_or(0));
                let runs = |(target, reach): (u32, Compatibility)| reach.runs(target, gpu);
                let here = all.iter().zip(targets()).filter(|(_, of)| of.is_some_and(runs));
                let here: Vec<&Vec<u8>> = here.map(|(bytes, _)| bytes).collect();
                let taken = if here.is_empty() { all.iter().collect() } else { here };
                let inputs = taken.into_iter().map(from_fatbin).collect::<Answer<_>>()?;
                texunit_link::link(inputs, true).map_err(|why| {
                    let why = unlinked(&why);
                    say_refused(&why);
                    CUresult::INVALID_PTX
                        .because(format!("the fatbins of the image cannot be linked: {why}"))
                })?
            }
        };
        newer(&ptx, device, &self.origin)?;
        Ok(ptx)
    }

    /// Whether the image has machine code for this GPU of a later architecture than the PTX with
    /// this heading.
    pub(crate) fn has_later_code(&self, heading: &Heading, device: &Card) -> bool {
        let fatbins = match &self.content {
            Content::Fatbin(bytes) => std::slice::from_ref(bytes),
            Content::Several(all) => all,
            _ => return false,
        };
        let Some((ptx, _)) = heading.target else { return false };
        let device = device.capability.number();
        let is_later = |entries: Vec<_>| fatbin::has_later_code(&entries, ptx, device);
        fatbins.iter().any(|bytes| fatbin::entries(bytes).is_ok_and(is_later))
    }
}

impl Content {
    /// Name of the kind of image in a sentence.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Fatbin(_) | Self::Several(_) => "a fatbin",
            Self::Machine => "machine code (ELF)",
            Self::DeviceRuntime => "libcudadevrt.a",
        }
    }

    /// Reads the structure `__fatBinC_Wrapper_t`: magic number, version, pointer to a fatbin, and
    /// in version 2 a pointer to a null-terminated list of fatbins.
    ///
    /// # Safety
    /// The pointer is valid for a structure that wraps a fatbin.
    unsafe fn wrapped(image: Raw<'_>) -> Answer<Self> {
        // SAFETY: the caller upholds this function's safety contract.
        let bytes = unsafe { image.bytes(24) }.array::<24>(0)?;
        let word =
            |at: usize| bytes[at..at + 8].iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
        let (version, data, list) = (word(0) >> 32, word(8), word(16));
        if version == 2 && list != 0 {
            // SAFETY: a pointer in a structure generated by the caller's compiler.
            let list = unsafe { Raw::of(list) };
            let mut fatbins = Vec::new();
            for i in 0..MAX_LINKED {
                // SAFETY: no earlier entry was null, so that the list continues.
                let address = unsafe { list.bytes(8 * (i + 1)) }.array(8 * i)?;
                match u64::from_le_bytes(address) {
                    0 => break,
                    // SAFETY: an entry of the list, which points to a fatbin.
                    address => fatbins.push(unsafe { fatbin_at(Raw::of(address))? }),
                }
            }
            if !fatbins.is_empty() {
                return Ok(Self::Several(fatbins));
            }
        }
        ensure!(
            data != 0,
            CUresult::INVALID_IMAGE,
            "the wrapper of the image points to no fatbin: its pointer is null"
        );
        // SAFETY: a pointer to a fatbin, generated by the caller's compiler.
        unsafe { fatbin_at(Raw::of(data)) }.map(Self::Fatbin)
    }
}

/// Whether a text was written by texunit's ptxas, as its last line says.
fn is_in_place(bytes: &[u8]) -> bool {
    let line = bytes.trim_ascii_end().rsplit(|&byte| byte == b'\n').next();
    line.is_some_and(|line| line.starts_with(IN_PLACE.as_bytes()))
}

/// The reason why texts cannot be linked, with the lines of one that has errors.
pub(crate) fn unlinked(why: &LinkError) -> String {
    match why {
        LinkError::Unreadable(source, diagnostics) => {
            texunit_report::human(&**source, diagnostics, false)
        }
        other => other.to_string(),
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The target of the PTX that is taken from a fatbin, and the devices that run it.
fn chosen(bytes: &[u8], device: &Card) -> Option<(u32, Compatibility)> {
    let entries = fatbin::entries(bytes).ok()?;
    let entry = fatbin::choose(&entries, device.capability.number())?;
    Some((entry.architecture, entry.compatibility))
}

fn from_fatbin(bytes: &[u8], name: &str, device: &Card, origin: &Origin) -> Answer<Ptx> {
    let entries = fatbin::entries(bytes).map_err(invalid)?;
    let Some(entry) = fatbin::choose(&entries, device.capability.number()) else {
        return match entries.iter().any(|e| e.kind != EntryKind::Ptx) {
            true => Err(machine_only(device, origin)),
            false => Err(CUresult::NO_BINARY_FOR_GPU.because(no_ptx(&entries, device))),
        };
    };
    let bytes = entry.text().map_err(invalid)?;
    let name = entry.name.map_or_else(|| name.to_owned(), |file| format!("{file}.ptx"));
    Ok(Ptx { name, text: text(&bytes) })
}

/// The reason for refusing a fatbin whose PTX does not run on the device.
fn no_ptx(entries: &[fatbin::Entry<'_>], device: &Card) -> String {
    let targets: Vec<String> =
        entries.iter().map(|entry| format!("sm_{}", entry.architecture)).collect();
    let number = device.capability.number();
    match targets.is_empty() {
        true => "the image is a fatbin with nothing in it".to_owned(),
        false => format!(
            "the image has PTX for {} only, and the device is an sm_{number}: compile with `-arch=compute_{number}`",
            targets.join(", ")
        ),
    }
}

/// The refusal of machine code without PTX, printed once for each file, as libraries have many
/// images.
fn machine_only(device: &Card, origin: &Origin) -> Refusal {
    let reason = origin.of_machine_code(device);
    say_once(reason.clone());
    CUresult::NO_BINARY_FOR_GPU.because(reason)
}

/// The first directives of PTX.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Heading {
    /// Version in `.version`, as 10 * major + minor.
    pub(crate) version: Option<u32>,
    /// Architecture in `.target`, as 10 * major + minor, and the devices that run it.
    pub(crate) target: Option<(u32, Compatibility)>,
}

/// Reads the heading leniently; the checker reports errors.
pub(crate) fn heading(text: &str) -> Heading {
    // The text is parsed as a whole when it is loaded.
    let head = text.find("\n.address_size").map_or(text, |end| &text[..end]);
    let source = SourceFile::new("heading", head);
    let mut heading = Heading::default();
    for item in texunit_syntax::parse(&source).module.items {
        match item {
            Item::Version(Version { major, minor, .. }) if heading.version.is_none() => {
                heading.version = major.checked_mul(10).and_then(|n| n.checked_add(minor));
            }
            Item::Target(of) if heading.target.is_none() => {
                heading.target = of.options.first().and_then(|option| target(option.text));
            }
            _ => {}
        }
    }
    heading
}

fn target(word: &str) -> Option<(u32, Compatibility)> {
    let digits = word.strip_prefix("sm_")?;
    let reach = match digits.chars().last()? {
        'a' => Compatibility::Only,
        'f' => Compatibility::Family,
        _ => Compatibility::Forward,
    };
    let number = digits.trim_end_matches(['a', 'f']).parse().ok()?;
    Some((number, reach))
}

/// The newest `.version` that the driver of this CUDA release reads: 10 * major + minor.
fn newest_version() -> u32 {
    // CUDA 12.x reads PTX 8.x, CUDA 13.x PTX 9.x.
    let release = CUDA_VERSION.unsigned_abs();
    (release / 1000 - 4) * 10 + release % 1000 / 10
}

/// Decides about PTX for another device or a later CUDA. Texunit runs it with a warning, as it
/// supports every known instruction on every device; a strict device refuses it as the driver does.
fn newer(ptx: &Ptx, device: &Card, origin: &Origin) -> Answer {
    let number = device.capability.number();
    let heading = heading(&ptx.text);
    let name = &ptx.name;
    if let Some((target, reach)) = heading.target
        && !reach.runs(target, number)
    {
        let file = origin.file().map_or_else(String::new, |file| format!(" in {}", file.display()));
        let both = format!("{name}{file} is for sm_{target}, and the device is an sm_{number}");
        let choose = format!(
            "`texunit run --device sm_{target}`, or TEXUNIT_DEVICE=sm_{target}, chooses another"
        );
        if settings().strict {
            let reason = format!("{both}; {choose}");
            return Err(printed_refusal(CUresult::NO_BINARY_FOR_GPU, reason));
        }
        say_once(format!(
            "warning: {both}: a card of this architecture would use machine code of its own, if there is any, and \
             refuse this PTX ({choose})"
        ));
    }
    if let Some(version) = heading.version.filter(|&v| v > newest_version()) {
        let (major, minor) = (version / 10, version % 10);
        if settings().strict {
            let reason = format!("{name} has .version {major}.{minor}, which is newer than CUDA");
            return Err(printed_refusal(CUresult::UNSUPPORTED_PTX_VERSION, reason));
        }
        say_once(format!(
            "warning: {name} has .version {major}.{minor}: a driver of CUDA {}.{} would refuse it",
            CUDA_VERSION / 1000,
            CUDA_VERSION % 1000 / 10
        ));
    }
    Ok(())
}
