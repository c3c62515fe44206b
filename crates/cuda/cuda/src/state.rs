//! The devices, which `cuInit` creates.

use crate::cards;
use crate::prelude::*;
use crate::settings::settings;
use std::sync::Condvar;
use std::thread::ThreadId;
use texunit_checks::Check;
use texunit_device::{
    CONST_BASE, CONST_END, Device, DeviceOptions, GLOBAL_BASE, InitialContents, Windows,
};

/// The primary context of a device.
#[derive(Debug)]
pub(crate) struct Primary {
    /// Number of the handle, which stays the same whether the context is active or not.
    pub(crate) number: usize,
    /// Number of retains; 0 if the context is not active.
    pub(crate) users: u32,
    /// Flags with which the primary context is created.
    pub(crate) flags: u32,
    /// The thread that is destroying the context's objects; other threads wait before they use the
    /// context again.
    pub(crate) ending: Option<ThreadId>,
}

impl Default for Primary {
    fn default() -> Self {
        Self { number: Handle::<Self>::fresh().number(), users: 0, flags: 0, ending: None }
    }
}

/// A software GPU behind a `CUdevice`.
#[derive(Debug)]
pub(crate) struct Gpu {
    /// Device number, from 0 on.
    pub(crate) ordinal: CUdevice,
    /// Number among all devices of `TEXUNIT_DEVICE`, which says its UUID and its place.
    pub(crate) index: i32,
    /// Name, architecture, attributes.
    pub(crate) card: &'static Card,
    /// Memory, descriptor tables and launches.
    pub(crate) device: Device,
    /// The primary context.
    pub(crate) primary: Mutex<Primary>,
    /// Notified when the primary context has been destroyed.
    pub(crate) settled: Condvar,
}

impl Gpu {
    /// Creates device number `ordinal` of `count`.
    pub(crate) fn new((ordinal, index): (usize, usize), card: &'static Card, count: usize) -> Self {
        let is_tracked = settings().checks.as_ref().is_some_and(|all| all.has(Check::Init));
        let options = DeviceOptions::default()
            .with_architecture(card.capability)
            .with_memory_limit(card.memory)
            .with_windows(windows(ordinal as u64, count as u64))
            .with_initial_contents(InitialContents { fill: settings().fill, is_tracked });
        Self {
            ordinal: ordinal as CUdevice,
            index: index as i32,
            card,
            device: Device::new(&options),
            primary: Mutex::default(),
            settled: Condvar::new(),
        }
    }

    /// Whether this device can access another's memory as a peer, which requires equal major
    /// compute capabilities.
    pub(crate) fn can_reach(&self, other: &Gpu) -> bool {
        let major = |gpu: &Gpu| gpu.card.capability.major;
        self.ordinal != other.ordinal && major(self) == major(other)
    }
}

static GPUS: OnceLock<Answer<Vec<Arc<Gpu>>>> = OnceLock::new();

/// Whether the process was forked after its parent had initialised the devices. It has none, as
/// with NVIDIA's driver.
static WAS_FORKED: AtomicBool = AtomicBool::new(false);

extern "C" fn forked() {
    WAS_FORKED.store(true, Ordering::Relaxed);
}

fn check_forked() -> Answer {
    ensure!(
        !WAS_FORKED.load(Ordering::Relaxed),
        CUresult::NOT_INITIALIZED,
        "the process was forked off after CUDA was initialised, and has no CUDA: fork before the first call, or start \
         another program (exec, the start method `spawn` of Python's multiprocessing)"
    );
    Ok(())
}

/// Creates the devices that `TEXUNIT_DEVICE` names and the program may see, unless they exist.
/// Before that, `begin` is called with their names.
pub(crate) fn init(begin: impl FnOnce(Vec<String>)) -> Answer {
    check_forked()?;
    GPUS.get_or_init(|| make(begin)).as_ref().map(|_| ()).map_err(Clone::clone)
}

fn make(begin: impl FnOnce(Vec<String>)) -> Answer<Vec<Arc<Gpu>>> {
    let cards = cards::chosen(settings().devices.as_deref()).map_err(|message| {
        say(format_args!("{message}"));
        CUresult::NO_DEVICE.because(message)
    })?;
    let list = settings().visible.as_deref();
    let visible = cards::visible(list, cards.len());
    if visible.is_empty() {
        let list = list.unwrap_or_default();
        let message = format!(
            "CUDA_VISIBLE_DEVICES is `{list}`, so the program sees none of {}, numbered from 0",
            Count(cards.len(), "device")
        );
        // An empty list, `-1` and the like hide the devices on purpose.
        if list.starts_with(|c: char| c.is_ascii_digit() || c == 'G') {
            say(format_args!("{message}"));
        }
        return Err(CUresult::NO_DEVICE.because(message));
    }
    let count = visible.len();
    begin(visible.iter().map(|&index| cards[index].key.to_owned()).collect());
    let gpu = |(ordinal, index)| Arc::new(Gpu::new((ordinal, index), cards[index], count));
    // SAFETY: the function only stores to a variable, and the library is never unloaded.
    unsafe { libc::pthread_atfork(None, None, Some(forked)) };
    let gpus: Vec<_> = visible.into_iter().enumerate().map(gpu).collect();
    let devices: Vec<Device> = gpus.iter().map(|gpu| gpu.device.clone()).collect();
    devices.iter().for_each(|device| device.memory().set_peers(devices.iter().map(Device::memory)));
    Ok(gpus)
}

/// Address range of device number `i` of `n`. The ranges are disjoint (unified addressing), and
/// below the addresses that the system assigns to the program.
fn windows(i: u64, n: u64) -> Windows {
    let of = |all: Range<u64>| {
        let size = (all.end - all.start) / n / ALIGN * ALIGN;
        all.start + i * size..all.start + (i + 1) * size
    };
    Windows { global: of(GLOBAL_BASE..GLOBAL_END), constant: of(CONST_BASE..CONST_END) }
}

/// Alignment of the devices' address ranges.
const ALIGN: u64 = 2 << 20;
/// End of the address space of devices.
const GLOBAL_END: u64 = GLOBAL_BASE + (8 << 40);

/// All devices; `CUDA_ERROR_NOT_INITIALIZED` before `cuInit`.
pub(crate) fn gpus() -> Answer<&'static [Arc<Gpu>]> {
    check_forked()?;
    match GPUS.get() {
        Some(Ok(gpus)) => Ok(gpus),
        Some(Err(refusal)) => Err(refusal.clone()),
        None => Err(CUresult::NOT_INITIALIZED.because("cuInit has not been called")),
    }
}

/// The device with a number among all of `TEXUNIT_DEVICE`, by which other processes know it.
pub(crate) fn with_index(index: i32) -> Answer<&'static Arc<Gpu>> {
    gpus()?.iter().find(|gpu| gpu.index == index).ok_or_else(|| {
        CUresult::INVALID_DEVICE.because(format!("CUDA_VISIBLE_DEVICES hides device {index}"))
    })
}

/// A device by its number; `CUDA_ERROR_INVALID_DEVICE` if there is none.
pub(crate) fn gpu(ordinal: CUdevice) -> Answer<&'static Arc<Gpu>> {
    let gpus = gpus()?;
    usize::try_from(ordinal).ok().and_then(|i| gpus.get(i)).ok_or_else(|| {
        let there = match gpus.len() {
            1 => "there is one device, 0".to_owned(),
            n => format!("there are {}, 0 to {}", Count(n, "device"), n - 1),
        };
        CUresult::INVALID_DEVICE.because(format!("device {ordinal} does not exist: {there}"))
    })
}
