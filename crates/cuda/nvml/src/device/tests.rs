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
    for (capability, wanted) in [
        ((5, 2), 3),
        ((6, 1), 4),
        ((7, 0), 5),
        ((7, 5), 6),
        ((8, 6), 7),
        ((8, 9), 8),
        ((9, 0), 9),
        ((12, 0), 10),
    ] {
        assert_eq!(architecture(capability), wanted, "{capability:?}");
    }
}

/// One test covers all functions, because NVML's initialisation is global to the process.
#[test]
fn a_device_answers_between_start_and_end() {
    use crate::system::{nvmlInit_v2, nvmlShutdown};
    let mut count = 0;
    let mut device = Handle(0);
    // SAFETY: all pointers are to variables of the types that the functions write.
    unsafe {
        assert_eq!(nvmlDeviceGetCount_v2(Out::new(&raw mut count)), Error::Uninitialized as c_int);
        assert_eq!(nvmlShutdown(), Error::Uninitialized as c_int);
        assert_eq!(nvmlInit_v2(), 0);
        assert_eq!((nvmlDeviceGetCount_v2(Out::new(&raw mut count)), count), (0, 1));
        assert_eq!(
            nvmlDeviceGetHandleByIndex_v2(1, Out::new(&raw mut device)),
            Error::InvalidArgument as c_int
        );
        assert_eq!(nvmlDeviceGetHandleByIndex_v2(0, Out::new(&raw mut device)), 0);
        let uuid = c"GPU-74657875-6e69-7420-6465-766963652030";
        device = Handle(0);
        assert_eq!(
            nvmlDeviceGetHandleByUUID(Text::new(uuid.as_ptr()), Out::new(&raw mut device)),
            0
        );
        assert_eq!(
            nvmlDeviceGetHandleByUUID(Text::new(c"GPU-".as_ptr()), Out::new(&raw mut device)),
            Error::NotFound as c_int
        );
        assert_eq!(
            nvmlDeviceGetHandleByUUID(Text::new(std::ptr::null()), Out::new(&raw mut device)),
            Error::InvalidArgument as c_int
        );
        for wrong in [Handle(0), Handle(2), Handle(usize::MAX)] {
            assert_eq!(
                nvmlDeviceGetIndex(wrong, Out::new(&raw mut count)),
                Error::InvalidArgument as c_int
            );
        }
        assert_eq!(nvmlShutdown(), 0);
        assert_eq!(
            nvmlDeviceGetIndex(device, Out::new(&raw mut count)),
            Error::Uninitialized as c_int
        );
    }
}
