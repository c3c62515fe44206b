//! Attributes of pointers (runtime API, "Unified Addressing").

use crate::api::*;

// The attribute numbers and results are local arrays of `count` elements.
/// The `CU_POINTER_ATTRIBUTE_*` of the result's fields: memory type, device address, host address,
/// whether the memory is managed, device number, locality domain.
const ATTRIBUTES: [c_uint; 6] = [2, 3, 4, 8, 9, 22];

runtime_api! {
    /// Type, device and addresses of memory. Memory unknown to CUDA is reported as unregistered.
    fn cudaPointerGetAttributes(attributes, ptr) {
        context()?;
        attributes.give(|| of(ptr))
    }
}

#[allow(clippy::field_reassign_with_default)]
fn of(address: u64) -> Answer<cudaPointerAttributes> {
    let mut values = [0; ATTRIBUTES.len()];
    let data = values.each_mut().map(std::ptr::from_mut::<u64>);
    let count = ATTRIBUTES.len() as c_uint;
    // SAFETY: both arrays have this many elements, and no attribute is wider than 64 bits.
    check(unsafe {
        driver::cuPointerGetAttributes(count, ATTRIBUTES.as_ptr(), data.as_ptr().cast(), address)
    })?;
    #[cfg_attr(feature = "cuda-12", allow(unused_variables))]
    let [memory, device_pointer, host_pointer, managed, device, domain] = values;
    let kind = match memory as u32 {
        _ if managed as u32 != 0 => MEMORY_MANAGED,
        CU_MEMORYTYPE_HOST => MEMORY_HOST,
        CU_MEMORYTYPE_DEVICE => MEMORY_DEVICE,
        _ => MEMORY_UNREGISTERED,
    };
    let host_pointer = if kind == MEMORY_UNREGISTERED { address } else { host_pointer };
    let mut attributes = cudaPointerAttributes::default();
    attributes.kind = kind;
    attributes.device = device as i32;
    attributes.device_pointer = device_pointer;
    attributes.host_pointer = host_pointer;
    #[cfg(not(feature = "cuda-12"))]
    {
        attributes.locality_domain = domain as i32;
    }
    Ok(attributes)
}
