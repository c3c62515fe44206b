//! Tests of texels and copies of resources. `tests/states.txt` has which resources exist.

#![allow(clippy::unwrap_used)]
use super::*;

fn block(size: usize) -> Arc<Block> {
    Arc::new(Block::new(size, "b").unwrap())
}

fn texel(resource: &Resource, at: [u32; 3]) -> Option<[u32; 4]> {
    resource.texel(TexelIndex { at, ..TexelIndex::default() })
}

/// Linear and pitched memory for which an NVIDIA H200 (sm_90, driver 580.159.04, CUDA 13.0,
/// 2026-11-28) creates textures: texels outside the memory are not there, and memory without texels
/// has one of zeros.
#[test]
fn texels_of_memory_as_the_driver_takes_it() {
    let (f, limits) = ("u8x4".parse().unwrap(), ArchLimits::NEWEST);
    let at = |offset| Base { block: block(48), offset, address: 512 };
    for (width, offset, there) in [(4, 16, 4), (1 << 29, 16, 8), (9, 16, 8), (0, 0, 1), (5, 48, 1)]
    {
        let made = Resource::linear_as_driver(&limits, f, width, at(offset), "l").unwrap();
        assert_eq!(texel(&made, [there - 1, 0, 0]), Some([0; 4]), "{width} from {offset} on");
        assert_eq!(texel(&made, [there, 0, 0]), None);
    }
    for size in [[0, 4], [4, 0], [0, 0]] {
        let made = Resource::pitched_as_driver(&limits, f, size, 512, at(16), "p").unwrap();
        assert_eq!(texel(&made, [0; 3]), Some([0; 4]), "{size:?}");
    }
}

#[test]
fn texels_and_copies() {
    let format = |name: &str| name.parse::<Format>().unwrap();
    let r = Resource::pitched(format("u16"), 3, 2, 32, block(64), 0, 512, "p").unwrap();
    r.fill_packed(&[1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 1]).unwrap();
    assert_eq!(texel(&r, [2, 1, 0]), Some([0x106, 0, 0, 0]));
    assert_eq!(texel(&r, [3, 1, 0]), None);
    assert_eq!(r.block().load_u16(32).unwrap(), 4);
    assert_eq!(r.to_packed(), [1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 1]);
    assert!(r.fill_packed(&[0; 11]).is_err());

    let extent = Extent { width: 2, height: 2, depth: 2 };
    let solid = ArrayShape::new(format("u8"), Geometry::D3, extent);
    let a = Resource::array(&solid, block(32), "a").unwrap();
    a.fill_packed(&[0, 1, 2, 3, 4, 5, 6, 7]).unwrap();
    assert_eq!(texel(&a, [1, 0, 1]), Some([5, 0, 0, 0]));
    assert_eq!(a.to_packed(), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!((a.size_in_bytes(), r.size_in_bytes()), (8, 12));
}
