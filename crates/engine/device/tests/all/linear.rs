//! Tests memory by address, and boxes of arrays.

use std::sync::Arc;
use texunit_device::{ArrayDescriptor, Block, Device, Error, Extent, Format, Geometry, Module};

#[test]
fn buffers_variables_and_host_memory_are_found_by_address() {
    let device = Device::default();
    let buffer = device.alloc(100, "buffer").unwrap();
    let linear = device.linear(buffer.address() + 10, 20).unwrap();
    linear.write(0, &[1, 2, 3]).unwrap();
    linear.fill(4, &[7, 8], 3).unwrap();
    assert_eq!(buffer.read()[9..22], [0, 1, 2, 3, 0, 7, 8, 7, 8, 7, 8, 0, 0]);
    assert_eq!(linear.allocation(), buffer.address()..buffer.address() + 100);
    assert!(matches!(linear.write(18, &[0; 3]), Err(Error::CopyOutside { .. })));
    assert!(matches!(linear.fill(0, &[0; 2], u64::MAX), Err(Error::CopyOutside { .. })));
    assert!(linear.read_at(u64::MAX, &mut [0; 2]).is_err() && linear.fill(20, &[1], 1).is_err());
    assert!(matches!(device.linear(buffer.address() + 90, 11), Err(Error::Address(_))));

    let ptx = ".version 8.0\n.target sm_75\n.address_size 64\n.global .u32 v[4] = {1, 2, 3, 4};";
    let module = Module::load(&device, "variable.ptx", ptx).unwrap();
    let variable = module.global("v").unwrap();
    let mut bytes = [0; 4];
    device.linear(variable.address() + 8, 4).unwrap().read_at(0, &mut bytes).unwrap();
    assert_eq!(bytes, [3, 0, 0, 0]);

    let host = Arc::new(Block::page_aligned(64, "host").unwrap());
    let used = device.memory().used();
    device.memory().attach(host.host_address(), &host).unwrap();
    assert!(device.memory().attach(host.host_address(), &host).is_err());
    let at = host.host_address();
    device.linear(at + 60, 4).unwrap().write(0, &[9; 4]).unwrap();
    assert_eq!((host.load_u32(60).unwrap(), device.memory().used()), (0x0909_0909, used));
    assert!(
        device.memory().owns(buffer.address())
            && device.memory().free(at)
            && !device.memory().free(at)
    );
    assert!(device.linear(at, 1).is_err());
}

#[test]
fn fills_longer_than_a_piece() {
    let device = Device::default();
    let buffer = device.alloc(30_001, "buffer").unwrap();
    device.linear(buffer.address(), 30_001).unwrap().fill(1, &[1, 2, 3, 4, 5, 6, 7], 4285).unwrap();
    let bytes = buffer.read();
    assert_eq!((bytes[0], &bytes[29_996..]), (0, &[0; 5][..]));
    let wanted: Vec<u8> = (0..29_995).map(|i| (i % 7 + 1) as u8).collect();
    assert!(bytes[1..29_996] == wanted);
}

#[test]
fn boxes_of_arrays_are_checked() {
    let device = Device::default();
    let array = |name: &str, geometry, [width, height, depth]: [u32; 3], layers| {
        let format = Format::from_name(name).unwrap();
        let extent = Extent { width, height, depth };
        let descriptor = ArrayDescriptor::new(format, geometry, extent, name).with_layers(layers);
        device.create_array(&descriptor).unwrap()
    };
    let layered = array("u16x2", Geometry::A2d, [10, 4, 1], 3);
    assert_eq!((layered.copy_extent(), layered.copy_unit()), ([40, 4, 3], 4));
    layered.write_row([8, 1, 2], &[1, 2, 3, 4]).unwrap();
    let mut row = [0; 12];
    layered.read_row([4, 1, 2], &mut row).unwrap();
    assert_eq!(row, [0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0]);
    assert_eq!(layered.layer(2).unwrap().read()[48..52], [1, 2, 3, 4]);
    for (at, len) in
        [([2, 0, 0], 4), ([0, 0, 0], 3), ([40, 0, 0], 4), ([0, 4, 0], 4), ([0, 0, 3], 4)]
    {
        assert!(layered.write_row(at, &vec![0; len]).is_err(), "{at:?} {len}");
    }
    assert!(layered.check_box([0; 3], [40, 4, 3]).is_ok());
    assert!(layered.check_box([u64::MAX - 3, 0, 0], [4, 1, 1]).is_err());
    // Rows of 4x4 blocks; a partial block at the edge counts as a block.
    let blocks = array("bc7", Geometry::D2, [9, 6, 1], 1);
    assert_eq!((blocks.copy_extent(), blocks.copy_unit()), ([48, 2, 1], 16));
    let cube = array("u8x1", Geometry::Cube, [4, 4, 1], 1);
    assert_eq!(cube.copy_extent(), [4, 4, 6]);
    let volume = array("u8x1", Geometry::D3, [4, 3, 2], 1);
    assert_eq!(volume.copy_extent(), [4, 3, 2]);
    let samples = array("u8x4", Geometry::D2ms, [4, 4, 1], 1);
    assert!(samples.check_box([0; 3], [4, 1, 1]).is_err());
}
