//! Random choices for tests, which are decided by the bytes of a fuzzer.

/// Decides choices by consuming bytes. After the last byte, every choice is the first one. Changing
/// a byte changes one choice. A test without a fuzzer can draw the bytes from
/// [`Random`](crate::Random).
#[derive(Clone, Debug)]
pub struct Choices<'a>(&'a [u8]);

impl<'a> Choices<'a> {
    /// The source of choices that consumes these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Whether all bytes are consumed.
    pub fn is_done(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes that are not consumed.
    pub fn rest(&self) -> &'a [u8] {
        self.0
    }

    /// The next byte; 0 after the last byte.
    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// The next four bytes as a little-endian number.
    pub fn word(&mut self) -> u32 {
        u32::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// A number from 0 to `n - 1`, or 0 if `n` is 0. It consumes one byte if that is enough.
    pub fn below(&mut self, n: u32) -> u32 {
        match n {
            0 | 1 => 0,
            2..=256 => u32::from(self.byte()) % n,
            257..=0x1_0000 => (u32::from(self.byte()) | u32::from(self.byte()) << 8) % n,
            _ => self.word() % n,
        }
    }

    /// True with a probability of 1/n. After the last byte it is false.
    pub fn once_in(&mut self, n: u32) -> bool {
        n <= 1 || self.below(n) == n - 1
    }

    /// An element of a nonempty list.
    pub fn of<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u32) as usize].clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_decide_and_their_end_is_plain() {
        let mut choices = Choices::new(&[7, 1, 2, 3, 4, 5, 6, 9, 1, 3]);
        assert_eq!((choices.byte(), choices.word(), choices.below(1)), (7, 0x0403_0201, 0));
        assert_eq!((choices.below(256), choices.below(0x1_0000)), (5, 0x0906));
        assert!(choices.once_in(2) && choices.rest() == [3]);
        assert_eq!(choices.of(&["a", "b", "c"]), "a");
        assert!(choices.is_done() && choices.word() == 0 && choices.below(u32::MAX) == 0);
        assert!(!choices.once_in(2) && choices.once_in(1));
    }
}
