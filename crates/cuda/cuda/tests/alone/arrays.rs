//! Memory of arrays.

use crate::alone;
use crate::world::*;
use std::ptr::{null, null_mut};
use texunit_cuda_abi::{CUDA_ARRAY3D_DESCRIPTOR, CUDA_TEXTURE_DESC};

fn free() -> usize {
    let (mut free, mut all) = (0, 0);
    ok!(cuMemGetInfo_v2(&raw mut free, &raw mut all));
    free
}

#[test]
fn a_destroyed_array_gives_its_memory_back_though_a_texture_is_bound() {
    let _alone = alone();
    context();
    let large = CUDA_ARRAY3D_DESCRIPTOR { width: 4096, height: 4096, ..ARRAY };
    let (mut array, mut object) = (null_mut(), 0);
    ok!(cuArray3DCreate_v2(&raw mut array, &raw const large));
    let (resource, how) = (of_array(array), CUDA_TEXTURE_DESC::default());
    ok!(cuTexObjectCreate(&raw mut object, &raw const resource, &raw const how, null()));
    let before = free();
    ok!(cuArrayDestroy(array));
    assert!(free() > before + (32 << 20));
    ok!(cuTexObjectDestroy(object));
}
