//! Devices and their attributes (driver API, "Device Management"), taken from the table of GPUs.

use crate::api::*;
use crate::{cards, context, facts};
use texunit_cuda_abi::device_p2p_attribute as p2p;
use texunit_forms::CHANNELS;

driver_api! {
    /// Number of devices.
    fn cuDeviceGetCount(count) {
        count.set(state::gpus()?.len() as c_int)
    }

    /// The device with the given ordinal number.
    fn cuDeviceGet(device, ordinal) {
        device.set(state::gpu(ordinal)?.ordinal)
    }

    /// Name of a device, truncated to the buffer.
    fn cuDeviceGetName(name, len, dev) {
        let of_device = state::gpu(dev)?.card.name;
        // SAFETY: the caller guarantees a buffer of this capacity.
        unsafe { text(name, len, of_device) }
    }

    /// Memory size of a device in bytes, limited to 32 bits.
    fn cuDeviceTotalMem(bytes, dev) {
        bytes.set(u32::try_from(state::gpu(dev)?.card.memory).unwrap_or(u32::MAX))
    }

    /// Memory size of a device in bytes.
    fn cuDeviceTotalMem_v2(bytes, dev) {
        bytes.set(state::gpu(dev)?.card.memory as usize)
    }

    /// An attribute of a device.
    fn cuDeviceGetAttribute(pi, attrib, dev) {
        pi.set(of(state::gpu(dev)?, attrib)?)
    }

    /// UUID of a device.
    fn cuDeviceGetUuid | cuDeviceGetUuid_v2(uuid, dev) {
        uuid.set(CUuuid(cards::uuid(state::gpu(dev)?.index)))
    }

    /// The PCI bus identifier that a device would have: domain, bus, device, function.
    fn cuDeviceGetPCIBusId(pciBusId, len, dev) {
        let name = bus(state::gpu(dev)?);
        ensure!(
            !usize::try_from(len).is_ok_and(|len| len <= name.len()),
            "len {len} is not more than {}, the characters of {name}: its zero byte has no room",
            name.len()
        );
        // SAFETY: the caller guarantees a buffer of this capacity.
        unsafe { text(pciBusId, len, &name) }
    }

    /// The device with a PCI bus identifier, in which domain and function are optional.
    fn cuDeviceGetByPCIBusId(dev, pciBusId) {
        let pciBusId = pciBusId.get()?.to_ascii_lowercase();
        let found = state::gpus()?.iter().find(|gpu| {
            let name = bus(gpu);
            let short = name.trim_end_matches(".0");
            name == pciBusId || short == pciBusId || name[5..] == pciBusId || short[5..] == pciBusId
        });
        dev.set(found.ok_or_else(|| CUresult::INVALID_DEVICE.because(format!(
            "pciBusId {pciBusId:?} is not the place of a device on the bus"
        )))?.ordinal)
    }

    /// Compute capability of a device.
    fn cuDeviceComputeCapability(major, minor, dev) {
        let capability = state::gpu(dev)?.card.capability;
        minor.check()?;
        major.set(capability.major.into())?;
        minor.set(capability.minor.into())
    }

    /// The properties of a device in the structure of the first versions of CUDA.
    fn cuDeviceGetProperties(prop, dev) {
        let gpu = state::gpu(dev)?;
        prop.set(CUdevprop {
            maxThreadsPerBlock: of(gpu, 1)?,
            maxThreadsDim: [of(gpu, 2)?, of(gpu, 3)?, of(gpu, 4)?],
            maxGridSize: [of(gpu, 5)?, of(gpu, 6)?, of(gpu, 7)?],
            sharedMemPerBlock: of(gpu, 8)?,
            totalConstantMemory: of(gpu, 9)?,
            SIMDWidth: of(gpu, 10)?,
            memPitch: of(gpu, 11)?,
            regsPerBlock: of(gpu, 12)?,
            clockRate: of(gpu, 13)?,
            textureAlign: of(gpu, 14)?,
        })
    }

    /// Maximum number of elements of a linear texture, which is equal for all formats.
    fn cuDeviceGetTexture1DLinearMaxWidth(maxWidthInElements, format, numChannels, dev) {
        let gpu = state::gpu(dev)?;
        ensure!(format != 0, "format 0 is not a CUarray_format");
        ensure!(
            matches!(numChannels, 1 | 2 | 4),
            "numChannels {numChannels}: texels have {CHANNELS}"
        );
        maxWidthInElements.set(of(gpu, 69)? as usize)
    }

    /// Whether a device can access another's memory, which requires equal major compute
    /// capabilities.
    fn cuDeviceCanAccessPeer(canAccessPeer, dev, peerDev) {
        let (gpu, peer) = (state::gpu(dev)?, state::gpu(peerDev)?);
        canAccessPeer.set(c_int::from(gpu.can_reach(peer)))
    }

    /// A peer-to-peer attribute of two devices. A device that can access another's memory can do
    /// everything with it that it can do with its own. All pairs are equally fast.
    fn cuDeviceGetP2PAttribute(value, attrib, srcDevice, dstDevice) {
        value.check()?;
        let (src, dst) = peers(srcDevice, dstDevice)?;
        value.set(match attrib {
            p2p::PERFORMANCE_RANK | p2p::ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED => 0,
            p2p::ACCESS_SUPPORTED | p2p::NATIVE_ATOMIC_SUPPORTED | p2p::ARRAY_ACCESS_SUPPORTED => {
                c_int::from(src.can_reach(dst))
            }
            _ => bail!("attrib {attrib} is not a CUdevice_P2PAttribute: those are 1 to 5"),
        })
    }

    /// Whether execution affinity is supported: contexts cannot be restricted to some
    /// multiprocessors.
    fn cuDeviceGetExecAffinitySupport(pi, kind, dev) {
        state::gpu(dev)?;
        ensure!(kind == 0, "type {kind} is not CU_EXEC_AFFINITY_TYPE_SM_COUNT (0)");
        pi.set(0)
    }

    /// Execution affinity of the current context, which is always all multiprocessors.
    fn cuCtxGetExecAffinity(pExecAffinity, kind) {
        context::current()?;
        pExecAffinity.check()?;
        Err(match kind {
            0 => CUresult::UNSUPPORTED_EXEC_AFFINITY.because(
                "the context was made without CU_EXEC_AFFINITY_TYPE_SM_COUNT, which no device here supports \
                 (cuDeviceGetExecAffinitySupport)",
            ),
            _ => invalid!("type {kind} is not CU_EXEC_AFFINITY_TYPE_SM_COUNT (0)"),
        })
    }

    /// The atomic operations that the link between a device and the host supports natively: none,
    /// as over PCI Express.
    fn cuDeviceGetHostAtomicCapabilities(capabilities, operations, count, dev) {
        state::gpu(dev)?;
        // SAFETY: the caller passes the length of its array.
        unsafe { atomics(capabilities, operations, count, false) }
    }

    /// The atomic operations that the link between two devices supports natively: all, as the
    /// attribute `NATIVE_ATOMIC_SUPPORTED` says.
    fn cuDeviceGetP2PAtomicCapabilities(capabilities, operations, count, srcDevice, dstDevice) {
        let (src, dst) = peers(srcDevice, dstDevice)?;
        // SAFETY: the caller passes the length of its array.
        unsafe { atomics(capabilities, operations, count, src.can_reach(dst)) }
    }

    /// Registers a callback for a device's notifications about memory beyond a budget. Simulated
    /// devices send none.
    fn cuDeviceRegisterAsyncNotification(device, callbackFunc, userData, callback) {
        state::gpu(device)?;
        callback.check()?;
        ensure!(callbackFunc.is_some(), "callbackFunc is null");
        let _ = userData;
        callback.set(Notified::registry().insert(Notified(device)).number())
    }

    /// Unregisters the callback.
    fn cuDeviceUnregisterAsyncNotification(device, callback) {
        state::gpu(device)?;
        let handle = Handle::<Notified>::of(callback);
        ensure!(
            handle.get().is_ok_and(|of| of.0 == device) && handle.take().is_ok(),
            "callback {callback:#x} is not one of cuDeviceRegisterAsyncNotification for device {device}"
        );
        Ok(())
    }
}

/// A registered callback for notifications of a device, of which there are none.
struct Notified(CUdevice);

object!(Notified, "a notification callback", INVALID_VALUE);

/// The capabilities of a link between two processors for each atomic operation
/// (`CUatomicOperationCapability`).
///
/// # Safety
/// Both arrays have `count` elements.
unsafe fn atomics(
    capabilities: Out<'_, c_uint>,
    operations: In<'_, c_uint>,
    count: c_uint,
    is_native: bool,
) -> Answer {
    const SIGNED: c_uint = 1;
    const UNSIGNED: c_uint = 2;
    const REDUCTION: c_uint = 4;
    const SCALAR_32: c_uint = 8;
    const SCALAR_64: c_uint = 16;
    ensure!(count != 0, "count is 0");
    capabilities.check()?;
    // SAFETY: the caller upholds this function's safety contract.
    let operations = unsafe { operations.elements(count as usize) }.to_vec()?;
    let of = |(i, &operation): (usize, &c_uint)| -> Answer<c_uint> {
        let all = match operation {
            0..=2 => SIGNED | UNSIGNED | REDUCTION | SCALAR_32 | SCALAR_64,
            3 | 4 => UNSIGNED | REDUCTION | SCALAR_32,
            5..=7 => UNSIGNED | REDUCTION | SCALAR_32 | SCALAR_64,
            8 | 9 => UNSIGNED | SCALAR_32 | SCALAR_64,
            10 => SIGNED | REDUCTION | SCALAR_32 | SCALAR_64,
            // PTX has no `atom.min` and `atom.max` of f32.
            11 | 12 => 0,
            other => bail!("operations[{i}] {other} is not a CUatomicOperation: those are 0 to 12"),
        };
        Ok(if is_native { all } else { 0 })
    };
    let all: Answer<Vec<c_uint>> = operations.iter().enumerate().map(of).collect();
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { capabilities.elements(count as usize) }.set_all(all?)
}

/// The value of an attribute, or `CUDA_ERROR_INVALID_VALUE`.
pub(crate) fn of(gpu: &Gpu, attribute: c_int) -> Answer<c_int> {
    // Attributes that differ between devices of the same GPU model: their PCI location.
    const PCI_BUS_ID: c_int = 33;
    const PCI_DEVICE_ID: c_int = 34;
    match attribute {
        PCI_BUS_ID => Ok(place(gpu).0),
        PCI_DEVICE_ID => Ok(place(gpu).1),
        _ => cards::attribute(gpu.card, attribute).ok_or_else(|| {
            invalid!("attrib {attribute} is not a CUdevice_attribute that CUDA 13.5 knows")
        }),
    }
}

/// The two devices, which must differ.
fn peers(src: CUdevice, dst: CUdevice) -> Answer<(&'static Arc<Gpu>, &'static Arc<Gpu>)> {
    let both = (state::gpu(src)?, state::gpu(dst)?);
    ensure!(
        src != dst,
        CUresult::INVALID_DEVICE,
        "srcDevice and dstDevice are both {src}: peers are two devices"
    );
    Ok(both)
}

fn place(gpu: &Gpu) -> (c_int, c_int) {
    facts::place(gpu.card, gpu.index)
}

fn bus(gpu: &Gpu) -> String {
    let (bus, device) = place(gpu);
    format!("0000:{bus:02x}:{device:02x}.0")
}

/// Copies a text with its terminating zero, truncated to `len` bytes.
///
/// # Safety
/// The buffer holds this many bytes.
unsafe fn text(out: Out<'_, c_char>, len: c_int, text: &str) -> Answer {
    let room = usize::try_from(len).ok().filter(|&len| len > 0);
    let room = room.ok_or_else(|| invalid!("len {len} is not a size of a text, 1 and more"))?;
    let bytes = text.bytes().take(room - 1).chain([0]);
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { out.elements(room) }.set_all(bytes.map(|byte| byte as c_char))
}
