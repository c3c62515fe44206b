//! The exported symbol by which programs recognise this driver as texunit's.

/// [`texunit_cuda_abi::MARKER`]. Its value is texunit's version with a terminating zero.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, unreachable_pub)]
pub static texunit_driver: [u8; VERSION.len()] = bytes();

const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

const fn bytes() -> [u8; VERSION.len()] {
    match VERSION.as_bytes().first_chunk() {
        Some(bytes) => *bytes,
        None => [0; VERSION.len()],
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_name_is_the_one_that_is_looked_for() {
        assert_eq!(texunit_cuda_abi::MARKER.to_bytes(), stringify!(texunit_driver).as_bytes());
        assert!(super::texunit_driver.ends_with(b"\0"));
    }
}
