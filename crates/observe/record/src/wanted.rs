//! Parses the options that say which launches of a program are recorded.

use std::str::FromStr;

/// A launch to record: `NAME` for the kernel's first launch, or `NAME:N` for launch N.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The kernel's name in the PTX, or in the source with or without parameters.
    pub name: String,
    /// The number of the launch among those of the kernel, from 1.
    pub number: u64,
}

impl FromStr for Chosen {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WANTED: &str =
            "expected the name of a kernel, and the number of its launch from 1 on, such as blur:3";
        let text = text.trim();
        // C++ names contain `::`, which no number follows.
        let numbered = text.rsplit_once(':').filter(|(name, _)| !name.ends_with(':'));
        let (name, number) = match numbered {
            None => (text, Some(1)),
            Some((name, number)) => (name, number.parse().ok().filter(|&number: &u64| number > 0)),
        };
        match number {
            Some(number) if !name.is_empty() => Ok(Self { name: name.to_owned(), number }),
            _ => Err(WANTED),
        }
    }
}

/// How much is recorded of a process: `LAUNCHES`, or `LAUNCHES,BYTES` with the suffixes K, M and G
/// for 2^10, 2^20 and 2^30.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Maximum number of recorded launches.
    pub launches: u64,
    /// Maximum size of all written files in bytes.
    pub bytes: u64,
}

impl Default for Limit {
    fn default() -> Self {
        Self { launches: 100, bytes: 1 << 30 }
    }
}

impl FromStr for Limit {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (launches, bytes) = text.split_once(',').unwrap_or((text, ""));
        let launches = launches.trim().parse().ok().filter(|&n: &u64| n > 0);
        let launches = launches
            .ok_or("expected a number of launches from 1 on, such as 100, or 100,1G with bytes")?;
        let bytes = match bytes.trim() {
            "" => Self::default().bytes,
            bytes => texunit_spec::number::byte_size(bytes)
                .ok_or("expected a number of bytes below 2^64 after the comma, such as 100,512M")?,
        };
        Ok(Self { launches, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_of_kernels() {
        let of = |text: &str| text.parse::<Chosen>().map(|chosen| (chosen.name, chosen.number));
        for (text, name, number) in [
            ("blur", "blur", 1),
            ("blur:3", "blur", 3),
            ("image::blur", "image::blur", 1),
            ("image::blur:2", "image::blur", 2),
            ("f<a::b>(int)", "f<a::b>(int)", 1),
        ] {
            assert_eq!(of(text), Ok((name.to_owned(), number)));
        }
        for wrong in
            ["", " ", "blur:0", "blur:", "blur:x", "blur:-1", ":1", "blur:99999999999999999999"]
        {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn limits() {
        let of = |text: &str| text.parse::<Limit>().map(|limit| (limit.launches, limit.bytes));
        assert_eq!(of("100,1G"), Ok((Limit::default().launches, Limit::default().bytes)));
        assert_eq!([of("7"), of("7, 3m")], [Ok((7, 1 << 30)), Ok((7, 3 << 20))]);
        assert_eq!(of("1,5"), Ok((1, 5)));
        for wrong in
            ["", "0", "x", "1,0", "1,1T", "1,1GG", "1,99999999999G", ",1G", "99999999999999999999"]
        {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
