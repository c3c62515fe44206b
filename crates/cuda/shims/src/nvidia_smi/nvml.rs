//! Queries `libnvidia-ml.so.1` about the driver and the devices.

use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_uint};
use std::path::PathBuf;

/// Versions and devices as NVML reports them.
#[derive(Debug, Default)]
pub(super) struct DriverState {
    /// Driver version.
    pub(super) driver: String,
    /// CUDA version as a number, as `cuDriverGetVersion` returns it.
    pub(super) version: c_int,
    /// All devices.
    pub(super) cards: Vec<Card>,
}

impl DriverState {
    /// CUDA version for display: 13.5.
    pub(super) fn cuda(&self) -> String {
        format!("{}.{}", self.version / 1000, self.version % 1000 / 10)
    }
}

/// A device as NVML reports it.
#[derive(Debug, Default)]
pub(super) struct Card {
    pub(super) index: c_uint,
    pub(super) name: String,
    pub(super) uuid: String,
    pub(super) bus_id: String,
    /// PCI domain, bus and device.
    pub(super) place: [c_uint; 3],
    pub(super) total: u64,
    pub(super) free: u64,
    pub(super) used: u64,
    pub(super) capability: (c_int, c_int),
}

impl Card {
    /// Whether a value of `--id` names this device.
    pub(super) fn is_called(&self, id: &str) -> bool {
        let id = id.trim();
        let bus = self.bus_id.to_ascii_lowercase();
        // The domain may have four or eight digits.
        self.index.to_string() == id
            || self.uuid == id
            || bus.ends_with(&id.to_ascii_lowercase()) && id.len() >= 7
    }
}

/// `nvmlDevice_t`, a pointer.
type Device = usize;

/// `nvmlPciInfo_t`.
#[derive(Default)]
#[repr(C)]
struct Pci {
    legacy: [c_char; 16],
    place: [c_uint; 3],
    ids: [c_uint; 2],
    bus_id: [c_char; 32],
}

struct Nvml(Library);

impl Nvml {
    /// Loads the library from the parent of this program's folder, or from where the dynamic linker
    /// finds it.
    fn load() -> Result<Self, String> {
        const NAME: &str = "libnvidia-ml.so.1";
        let beside = || Some(std::env::current_exe().ok()?.parent()?.parent()?.join(NAME));
        let path = beside().filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(NAME));
        // SAFETY: loading texunit's library has no side effects; NVIDIA's may be loaded by any
        // program.
        unsafe { Library::new(&path) }.map(Self).map_err(|e| e.to_string())
    }

    /// Calls a function by name; an error is NVML's text.
    ///
    /// # Safety
    /// `F` is the function's type, and `call` calls it with valid arguments.
    unsafe fn call<F: Copy>(
        &self,
        name: &'static str,
        call: impl FnOnce(F) -> c_int,
    ) -> Result<(), String> {
        // SAFETY: the caller guarantees the function's type.
        let function = unsafe { self.0.get::<F>(name.as_bytes()) }.map_err(|e| e.to_string())?;
        match call(*function) {
            0 => Ok(()),
            code => Err(format!("{name}: {}", self.error(code))),
        }
    }

    fn error(&self, code: c_int) -> String {
        // SAFETY: nvmlErrorString has this type.
        let function =
            unsafe { self.0.get::<extern "C" fn(c_int) -> *const c_char>(b"nvmlErrorString") };
        // SAFETY: the function returns a static C string.
        let text = |pointer| unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned();
        function.map_or_else(|e| e.to_string(), |function| text(function(code)))
    }

    /// A text that a device function writes into a buffer.
    fn text(&self, name: &'static str, device: Device) -> Result<String, String> {
        let mut buffer: [c_char; 128] = [0; 128];
        type Function = extern "C" fn(Device, *mut c_char, c_uint) -> c_int;
        // SAFETY: functions of this type write a C string of at most this length.
        unsafe {
            self.call(name, |f: Function| f(device, buffer.as_mut_ptr(), buffer.len() as c_uint))
        }?;
        Ok(written(&buffer))
    }

    /// The value that the function `name` writes about a device, or the device with an index.
    fn about<A, T: Default>(&self, name: &'static str, of: A) -> Result<T, String> {
        let mut value = T::default();
        // SAFETY: functions of this type write one value of the type that they are asked for here.
        unsafe {
            self.call(name, |f: extern "C" fn(A, *mut T) -> c_int| f(of, &raw mut value))?;
        }
        Ok(value)
    }

    fn card(&self, index: c_uint) -> Result<Card, String> {
        let device: Device = self.about("nvmlDeviceGetHandleByIndex_v2", index)?;
        let pci: Pci = self.about("nvmlDeviceGetPciInfo_v3", device)?;
        let [total, free, used] = self.about("nvmlDeviceGetMemoryInfo", device)?;
        let mut capability = (0, 0);
        // SAFETY: the function has this type, and the pointers are to variables of our own.
        unsafe {
            self.call(
                "nvmlDeviceGetCudaComputeCapability",
                |f: extern "C" fn(Device, *mut c_int, *mut c_int) -> c_int| {
                    f(device, &raw mut capability.0, &raw mut capability.1)
                },
            )?;
        }
        Ok(Card {
            index,
            name: self.text("nvmlDeviceGetName", device)?,
            uuid: self.text("nvmlDeviceGetUUID", device)?,
            bus_id: written(&pci.bus_id),
            place: pci.place,
            total,
            free,
            used,
            capability,
        })
    }
}

/// The C string in a buffer, or the whole buffer if no zero terminates it.
fn written(buffer: &[c_char]) -> String {
    let bytes: Vec<u8> = buffer.iter().take_while(|&&c| c != 0).map(|&c| c as u8).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Queries the library for everything that `nvidia-smi` prints.
pub(super) fn ask() -> Result<DriverState, String> {
    let nvml = Nvml::load()?;
    let (mut count, mut version) = (0, 0);
    let mut driver: [c_char; 80] = [0; 80];
    // SAFETY: the functions have these types, and the pointers are to variables of the types that
    // they write.
    unsafe {
        nvml.call("nvmlInit_v2", |f: extern "C" fn() -> c_int| f())?;
        nvml.call(
            "nvmlSystemGetDriverVersion",
            |f: extern "C" fn(*mut c_char, c_uint) -> c_int| {
                f(driver.as_mut_ptr(), driver.len() as c_uint)
            },
        )?;
        nvml.call("nvmlSystemGetCudaDriverVersion_v2", |f: extern "C" fn(*mut c_int) -> c_int| {
            f(&raw mut version)
        })?;
        nvml.call("nvmlDeviceGetCount_v2", |f: extern "C" fn(*mut c_uint) -> c_int| {
            f(&raw mut count)
        })?;
    }
    let cards = (0..count).map(|index| nvml.card(index)).collect::<Result<_, _>>()?;
    Ok(DriverState { driver: written(&driver), version, cards })
}
