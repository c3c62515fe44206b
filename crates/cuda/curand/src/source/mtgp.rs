//! MTGP32 (M. Saito): a Mersenne Twister for a block of 256 threads; each block has its own
//! parameters.

use std::sync::OnceLock;

/// Number of 32-bit words of a generator's state, and of the ring buffer that contains the state.
const WORDS: usize = 351;
const RING: usize = 1024;
/// How many numbers [`Mtgp::together`] generates: one for each thread of a block (CTA).
pub(crate) const TOGETHER: usize = 256;
const MASK: u32 = 0xfff8_0000;

/// The parameters of one MTGP32 generator.
struct Parameters {
    position: usize,
    shifts: [u32; 2],
    recurrence: [u32; 16],
    tempering: [u32; 16],
}

/// All parameter sets (`mtgp32dc_params_fast_11213`).
fn parameters() -> &'static [Parameters] {
    static ALL: OnceLock<Vec<Parameters>> = OnceLock::new();
    ALL.get_or_init(|| {
        let lines = include_str!("../../data/mtgp32.txt").lines();
        lines.filter(|line| !line.starts_with('#')).filter_map(read).collect()
    })
}

fn read(line: &str) -> Option<Parameters> {
    let mut words = line.split(' ');
    let mut decimal = || words.next()?.parse().ok();
    let [position, sh1, sh2]: [u32; 3] = [decimal()?, decimal()?, decimal()?];
    let mut hexadecimal = || u32::from_str_radix(words.next()?, 16).ok();
    let mut table = || -> Option<[u32; 16]> {
        let basis = [hexadecimal()?, hexadecimal()?, hexadecimal()?, hexadecimal()?];
        let of = |index: usize| {
            (0..4).filter(|bit| index >> bit & 1 != 0).fold(0, |sum, bit| sum ^ basis[bit])
        };
        Some(std::array::from_fn(of))
    };
    let (recurrence, tempering) = (table()?, table()?);
    Some(Parameters { position: position as usize, shifts: [sh1, sh2], recurrence, tempering })
}

/// `curandStateMtgp32_t`
pub(crate) struct Mtgp {
    of: &'static Parameters,
    ring: Box<[u32; RING]>,
    offset: usize,
}

impl Mtgp {
    /// The states that `curandMakeMTGP32KernelState` creates.
    pub(crate) fn all(count: usize, seed: u64) -> Vec<Self> {
        let seed = (seed ^ (seed >> 32)) as u32;
        let sets = parameters().iter().take(count).zip(1_u32..);
        sets.map(|(of, i)| Self::new(of, seed.wrapping_add(i))).collect()
    }

    /// `mtgp32_init_state`
    fn new(of: &'static Parameters, seed: u32) -> Self {
        let hidden = of.recurrence[4] ^ (of.recurrence[8] << 16);
        let sum = hidden.wrapping_add(hidden >> 16);
        let sum = sum.wrapping_add(sum >> 8);
        let mut ring = Box::new([0; RING]);
        ring[..WORDS].fill((sum & 0xff) * 0x0101_0101);
        (ring[0], ring[1]) = (seed, hidden);
        for i in 1..WORDS {
            let before = ring[i - 1];
            let mixed = (before ^ (before >> 30)).wrapping_mul(1_812_433_253);
            ring[i] ^= mixed.wrapping_add(i as u32);
        }
        Self { of, ring, offset: 0 }
    }

    /// The numbers that the device function `curand` returns when all threads of a block call it
    /// once.
    pub(crate) fn together(&mut self) -> [u32; TOGETHER] {
        let Parameters { position, shifts: [sh1, sh2], recurrence, tempering } = self.of;
        let made = std::array::from_fn(|t| {
            let at = |i: usize| (t + self.offset + i) % RING;
            let mut x = (self.ring[at(0)] & MASK) ^ self.ring[at(1)];
            x ^= x << sh1;
            let y = x ^ (self.ring[at(*position)] >> sh2);
            let new = y ^ recurrence[(y & 15) as usize];
            self.ring[at(WORDS)] = new;
            let mut mixed = self.ring[at(position - 1)];
            mixed ^= mixed >> 16;
            mixed ^= mixed >> 8;
            new ^ tempering[(mixed & 15) as usize]
        });
        self.offset = (self.offset + TOGETHER) % RING;
        made
    }
}
