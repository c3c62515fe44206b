//! Functions of NVML about devices: enumeration, names and identifiers, memory, and the processes
//! on a device: only the calling process, once it has a context there. They answer from the
//! driver's facts about each device.

use crate::facts::Device;
use crate::structures::{Memory, Memory2, Pci, Pci3, PciExt, ProcessInfoV1, ProcessInfoV2};
use crate::{Answer, Error, Handle, devices, nvml_api, text};
use std::ffi::{c_char, c_int, c_uint};
use texunit_cuda_abi::args::{InOut, Out, Text};

/// Numbers of driver API device attributes (`CU_DEVICE_ATTRIBUTE_*`).
const COMPUTE_MODE: i32 = 20;
const PCI_ID: i32 = 139;
const PCI_SUBSYSTEM_ID: i32 = 140;

fn memory(device: &Device) -> Memory {
    let (total, used) = (device.card.memory, device.used().unwrap_or(0));
    Memory { total, free: total.saturating_sub(used), used }
}

/// The bytes of a text, padded with zeros.
fn padded<const N: usize>(text: &str) -> [c_char; N] {
    let mut all = [0; N];
    for (to, byte) in all.iter_mut().zip(text.bytes()) {
        *to = byte as c_char;
    }
    all
}

fn pci(device: &Device) -> Pci {
    let (bus, number) = device.place();
    let id = |attribute| device.attribute(attribute).unwrap_or(0).cast_unsigned();
    Pci {
        legacy: padded(&format!("0000:{bus:02X}:{number:02X}.0")),
        domain: 0,
        bus: bus.cast_unsigned(),
        device: number.cast_unsigned(),
        id: id(PCI_ID),
        subsystem: id(PCI_SUBSYSTEM_ID),
    }
}

fn pci3(device: &Device) -> Pci3 {
    let first = pci(device);
    let name = padded(&format!("00000000:{:02X}:{:02X}.0", first.bus, first.device));
    Pci3 { first, name }
}

/// The first device that satisfies a condition.
fn find(is_wanted: impl Fn(&Device) -> bool) -> Answer<Handle> {
    devices()?.iter().position(is_wanted).map(Handle::of).ok_or(Error::NotFound)
}

/// Parses `domain:bus:device.function` into bus and device; the domain and the function are
/// optional.
fn pci_location(text: &str) -> Option<(i32, i32)> {
    let hex = |word: &str| i32::from_str_radix(word, 16).ok();
    let (text, function) = text.split_once('.').unwrap_or((text, "0"));
    let mut words = text.rsplitn(3, ':');
    let (device, bus) = (hex(words.next()?)?, hex(words.next()?)?);
    let domain = words.next().map_or(Some(0), hex)?;
    (domain == 0 && hex(function)? == 0).then_some((bus, device))
}

/// `NVML_BRAND_GEFORCE`
const GEFORCE: c_uint = 5;

/// The `nvmlBrandType_t` that a device's name implies.
fn brand(name: &str) -> c_uint {
    const TESLA: c_uint = 2;
    const NVIDIA: c_uint = 14;
    match name {
        _ if name.contains("GeForce") => GEFORCE,
        _ if name.starts_with("Tesla") => TESLA,
        _ if name.starts_with("NVIDIA") => NVIDIA,
        _ => 0,
    }
}

/// The `nvmlDeviceArchitecture_t` of a compute capability.
fn architecture(capability: (i32, i32)) -> c_uint {
    match capability {
        (5, _) => 3,
        (6, _) => 4,
        (7, 0..5) => 5,
        (7, _) => 6,
        (8, 9) => 8,
        (8, _) => 7,
        (9, _) => 9,
        (10.., _) => 10,
        _ => c_uint::MAX,
    }
}

nvml_api! {
    /// Number of devices.
    fn nvmlDeviceGetCount | nvmlDeviceGetCount_v2(deviceCount: Out<'_, c_uint>) {
        deviceCount.set(devices()?.len() as c_uint)
    }

    /// The device with an index.
    fn nvmlDeviceGetHandleByIndex | nvmlDeviceGetHandleByIndex_v2(
        index: c_uint, device: Out<'_, Handle>,
    ) {
        let index = index as usize;
        if index >= devices()?.len() {
            return Err(Error::InvalidArgument);
        }
        device.set(Handle::of(index))
    }

    /// The device with a UUID.
    fn nvmlDeviceGetHandleByUUID(uuid: Text<'_>, device: Out<'_, Handle>) {
        let wanted = uuid.get()?;
        device.set(find(|device| device.uuid() == wanted)?)
    }

    /// The device with a serial number; simulated devices have none.
    fn nvmlDeviceGetHandleBySerial(serial: Text<'_>, device: Out<'_, Handle>) {
        serial.get()?;
        device.set(find(|_| false)?)
    }

    /// The device with a PCI bus identifier.
    fn nvmlDeviceGetHandleByPciBusId | nvmlDeviceGetHandleByPciBusId_v2(
        pciBusId: Text<'_>, device: Out<'_, Handle>,
    ) {
        let wanted = pci_location(&pciBusId.get()?).ok_or(Error::InvalidArgument)?;
        device.set(find(|device| device.place() == wanted)?)
    }

    /// The name of a device.
    fn nvmlDeviceGetName(device: Handle, name: Out<'_, c_char>, length: c_uint) {
        text(name, length, device.get()?.1.card.name)
    }

    /// Brand of a device, by its name.
    fn nvmlDeviceGetBrand(device: Handle, kind: Out<'_, c_uint>) {
        kind.set(brand(device.get()?.1.card.name))
    }

    /// Index of a device.
    fn nvmlDeviceGetIndex(device: Handle, index: Out<'_, c_uint>) {
        index.set(device.get()?.0)
    }

    /// Minor number that the device file in /dev would have.
    fn nvmlDeviceGetMinorNumber(device: Handle, minorNumber: Out<'_, c_uint>) {
        minorNumber.set(device.get()?.0)
    }

    /// UUID of a device.
    fn nvmlDeviceGetUUID(device: Handle, uuid: Out<'_, c_char>, length: c_uint) {
        text(uuid, length, &device.get()?.1.uuid())
    }

    /// PCI location of a device, without what version 3 of the structure adds.
    fn nvmlDeviceGetPciInfo | nvmlDeviceGetPciInfo_v2(device: Handle, pci: Out<'_, Pci>) {
        pci.set(self::pci(&device.get()?.1))
    }

    /// PCI location of a device.
    fn nvmlDeviceGetPciInfo_v3(device: Handle, pci: Out<'_, Pci3>) {
        pci.set(pci3(&device.get()?.1))
    }

    /// PCI location and class of a device, in the versioned structure.
    fn nvmlDeviceGetPciInfoExt(device: Handle, pci: InOut<'_, PciExt>) {
        const VERSION: c_uint = size_of::<PciExt>() as c_uint | 1 << 24;
        const DISPLAY_CONTROLLER: c_uint = 3;
        let device = device.get()?.1;
        if pci.get()?.version != VERSION {
            return Err(Error::ArgumentVersionMismatch);
        }
        let Pci3 { first: Pci { domain, bus, device: number, id, subsystem, .. }, name } = pci3(&device);
        // A VGA controller has subclass 0, a card without a display 2 (3D controller).
        let subclass = if brand(device.card.name) == GEFORCE { 0 } else { 2 };
        pci.out().set(PciExt {
            version: VERSION,
            domain,
            bus,
            device: number,
            id,
            subsystem,
            class: DISPLAY_CONTROLLER,
            subclass,
            name,
        })
    }

    /// Total memory of a device, and the memory that this process uses.
    fn nvmlDeviceGetMemoryInfo(device: Handle, memory: Out<'_, Memory>) {
        memory.set(self::memory(&device.get()?.1))
    }

    /// Total memory of a device, and the memory that this process uses, in the versioned structure.
    fn nvmlDeviceGetMemoryInfo_v2(device: Handle, memory: InOut<'_, Memory2>) {
        const VERSION: c_uint = size_of::<Memory2>() as c_uint | 2 << 24;
        let device = device.get()?.1;
        if memory.get()?.version != VERSION {
            return Err(Error::ArgumentVersionMismatch);
        }
        let Memory { total, free, used } = self::memory(&device);
        memory.out().set(Memory2 { version: VERSION, total, reserved: 0, free, used })
    }

    /// Width of the memory bus in bits.
    fn nvmlDeviceGetMemoryBusWidth(device: Handle, busWidth: Out<'_, c_uint>) {
        busWidth.set(device.get()?.1.card.bus.cast_unsigned())
    }

    /// Compute capability of a device.
    fn nvmlDeviceGetCudaComputeCapability(
        device: Handle, major: Out<'_, c_int>, minor: Out<'_, c_int>,
    ) {
        let capability = device.get()?.1.capability();
        minor.check()?;
        major.set(capability.0)?;
        minor.set(capability.1)
    }

    /// Architecture of a device.
    fn nvmlDeviceGetArchitecture(device: Handle, arch: Out<'_, c_uint>) {
        arch.set(architecture(device.get()?.1.capability()))
    }

    /// Compute mode of a device: any process may use it.
    fn nvmlDeviceGetComputeMode(device: Handle, mode: Out<'_, c_uint>) {
        let value = device.get()?.1.attribute(COMPUTE_MODE).ok_or(Error::NotSupported)?;
        mode.set(value.cast_unsigned())
    }

    /// Whether a device is one of several on a board, or a MIG instance, and the maximum number of
    /// MIG instances: always 0.
    fn nvmlDeviceGetMultiGpuBoard | nvmlDeviceIsMigDeviceHandle | nvmlDeviceGetMaxMigDeviceCount(
        device: Handle, value: Out<'_, c_uint>,
    ) {
        device.get()?;
        value.set(0)
    }

    /// Whether two devices are on one board; true only for a device and itself.
    fn nvmlDeviceOnSameBoard(device1: Handle, device2: Handle, onSameBoard: Out<'_, c_int>) {
        onSameBoard.set(c_int::from(device1.get()?.0 == device2.get()?.0))
    }

    /// Peer-to-peer status of two devices; unsupported, as `cuDeviceCanAccessPeer` returns.
    fn nvmlDeviceGetP2PStatus(
        device1: Handle,
        device2: Handle,
        _p2pIndex: c_uint,
        p2pStatus: Out<'_, c_uint>,
    ) {
        const NOT_SUPPORTED: c_uint = 5;
        if device1.get()?.0 == device2.get()?.0 {
            return Err(Error::InvalidArgument);
        }
        p2pStatus.set(NOT_SUPPORTED)
    }
}

/// Writes a list. `infoCount` is the capacity of the array on entry and the number of processes on
/// return.
fn list<T: Copy>(count: InOut<'_, c_uint>, infos: Out<'_, T>, processes: &[T]) -> Answer {
    let room = count.get()? as usize;
    count.out().set(processes.len() as c_uint)?;
    if room < processes.len() {
        return Err(Error::InsufficientSize);
    }
    if !processes.is_empty() {
        // SAFETY: the caller passes the capacity of the array.
        unsafe { infos.elements(room) }.set_all(processes.iter().copied())?;
    }
    Ok(())
}

/// Memory in bytes that the process uses on the device; `None` if it has no context there.
fn used(device: Handle) -> Answer<Option<u64>> {
    Ok(device.get()?.1.used())
}

fn process_info_v2(used: u64) -> ProcessInfoV2 {
    ProcessInfoV2 { pid: std::process::id(), used, instances: [c_uint::MAX; 2] }
}

nvml_api! {
    /// Compute processes on a device.
    fn nvmlDeviceGetComputeRunningProcesses(
        device: Handle, infoCount: InOut<'_, c_uint>, infos: Out<'_, ProcessInfoV1>,
    ) {
        let process = used(device)?.map(|used| ProcessInfoV1 { pid: std::process::id(), used });
        list(infoCount, infos, process.as_slice())
    }

    /// Compute processes on a device.
    fn nvmlDeviceGetComputeRunningProcesses_v2 | nvmlDeviceGetComputeRunningProcesses_v3(
        device: Handle, infoCount: InOut<'_, c_uint>, infos: Out<'_, ProcessInfoV2>,
    ) {
        list(infoCount, infos, used(device)?.map(process_info_v2).as_slice())
    }

    /// Graphics processes on a device, and compute processes of the multi-process service; always
    /// none.
    fn nvmlDeviceGetGraphicsRunningProcesses | nvmlDeviceGetMPSComputeRunningProcesses(
        device: Handle, infoCount: InOut<'_, c_uint>, infos: Out<'_, ProcessInfoV1>,
    ) {
        device.get()?;
        list(infoCount, infos, &[])
    }

    /// Graphics processes on a device, and compute processes of the multi-process service; always
    /// none.
    fn nvmlDeviceGetGraphicsRunningProcesses_v2 | nvmlDeviceGetGraphicsRunningProcesses_v3
        | nvmlDeviceGetMPSComputeRunningProcesses_v2 | nvmlDeviceGetMPSComputeRunningProcesses_v3(
        device: Handle, infoCount: InOut<'_, c_uint>, infos: Out<'_, ProcessInfoV2>,
    ) {
        device.get()?;
        list(infoCount, infos, &[])
    }
}

#[cfg(test)]
mod tests;
