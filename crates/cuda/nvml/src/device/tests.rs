use super::*;

#[test]
fn places_on_the_bus() {
    for text in ["00000000:0A:00.0", "0000:0a:00.0", "0:a:0.0", "0a:00.0", "0a:00"] {
        assert_eq!(pci_location(text), Some((10, 0)), "{text}");
    }
    for text in ["", "0a", "1:0a:00.0", "0a:00.1", "0a:00.", "x:00.0", "0a:00:00:00:00.0"] {
        assert_eq!(pci_location(text), None, "{text}");
    }
}

#[test]
fn names_have_their_brands() {
    for (name, wanted) in
        [("NVIDIA GeForce RTX 3060", 5), ("Tesla T4", 2), ("NVIDIA H200", 14), ("Orin", 0)]
    {
        assert_eq!(brand(name), wanted, "{name}");
    }
    let devices = [(5, 2), (6, 1), (7, 0), (7, 5), (8, 6), (8, 9), (9, 0), (12, 0)];
    assert_eq!(devices.map(architecture), [3, 4, 5, 6, 7, 8, 9, 10]);
}

fn out<T>(value: &mut T) -> Out<'_, T> {
    // SAFETY: the pointer is to a variable.
    unsafe { Out::new(value) }
}

/// One test covers all functions, because NVML's initialisation is global to the process.
#[test]
fn a_device_answers_between_start_and_end() {
    use crate::system::{nvmlInit_v2, nvmlShutdown};
    const INVALID: c_int = Error::InvalidArgument as c_int;
    const UNINITIALIZED: c_int = Error::Uninitialized as c_int;
    let (mut count, mut device) = (0, Handle(0));
    // SAFETY: all pointers are to variables of the types that the functions write.
    unsafe {
        assert_eq!(nvmlDeviceGetCount_v2(out(&mut count)), UNINITIALIZED);
        assert_eq!((nvmlShutdown(), nvmlInit_v2()), (UNINITIALIZED, 0));
        assert_eq!((nvmlDeviceGetCount_v2(out(&mut count)), count), (0, 1));
        assert_eq!(nvmlDeviceGetHandleByIndex_v2(1, out(&mut device)), INVALID);
        assert_eq!(nvmlDeviceGetHandleByIndex_v2(0, out(&mut device)), 0);
        device = Handle(0);
        for (uuid, result) in [
            (c"GPU-74657875-6e69-7420-6465-766963652030".as_ptr(), 0),
            (c"GPU-".as_ptr(), Error::NotFound as c_int),
            (std::ptr::null(), INVALID),
        ] {
            assert_eq!(nvmlDeviceGetHandleByUUID(Text::new(uuid), out(&mut device)), result);
        }
        for wrong in [Handle(0), Handle(2), Handle(usize::MAX)] {
            assert_eq!(nvmlDeviceGetIndex(wrong, out(&mut count)), INVALID);
        }
        assert_eq!(nvmlShutdown(), 0);
        assert_eq!(nvmlDeviceGetIndex(device, out(&mut count)), UNINITIALIZED);
    }
}
