//! The identity of a launch: a hash by which sets of different launches can be told apart.

use crate::object::Objects;
use sha2::{Digest, Sha256};

/// Number of bytes that are hashed at a time.
const PIECE: u64 = 1 << 20;

/// Hashes everything that determines a launch: texts (job, module, options), and the addresses and
/// contents of all objects. Sets with different hashes belong to different launches, or to launches
/// with different initial memory.
pub fn identity<'t>(texts: impl IntoIterator<Item = &'t str>, objects: &Objects) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"texunit launch 1");
    hash.update(env!("CARGO_PKG_VERSION"));
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    hash.update(u64::MAX.to_le_bytes());
    let mut bytes = Vec::new();
    for object in objects.list() {
        hash.update(object.address.unwrap_or(u64::MAX).to_le_bytes());
        hash.update(object.size().to_le_bytes());
        let mut at = 0;
        while at < object.size() {
            bytes.resize((object.size() - at).min(PIECE) as usize, 0);
            object.block.read(at, &mut bytes).expect("inside of the block");
            hash.update(&bytes);
            at += bytes.len() as u64;
        }
    }
    hash.finalize().into()
}
