//! Evaluates DWARF location expressions.
//!
//! A PTX register has a number whose bytes are the letters of its name (`%r2` is 0x257232), as in
//! NVIDIA's debuggers and LLVM.

/// The location of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// A register of the frame.
    Register(String),
    /// An address: a symbol number of a module variable, or computed from registers.
    Memory(u64),
    /// A constant without location.
    Value(u64),
    /// Pieces: the location and size of each.
    Pieces(Vec<(Option<At>, u64)>),
}

/// Decodes an unsigned LEB128 number.
pub(super) fn unsigned(code: &mut &[u8]) -> Option<u64> {
    let (mut value, mut shift) = (0_u64, 0);
    loop {
        let (&byte, rest) = code.split_first()?;
        *code = rest;
        if shift < 64 {
            value |= u64::from(byte & 0x7f) << shift;
        }
        shift += 7;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
}

fn signed(code: &mut &[u8]) -> Option<i64> {
    let (mut value, mut shift) = (0_i64, 0);
    loop {
        let (&byte, rest) = code.split_first()?;
        *code = rest;
        if shift < 64 {
            value |= i64::from(byte & 0x7f) << shift;
        }
        shift += 7;
        if byte & 0x80 == 0 {
            if shift < 64 && byte & 0x40 != 0 {
                value |= -1_i64 << shift;
            }
            return Some(value);
        }
    }
}

fn fixed(code: &mut &[u8], size: usize, is_signed: bool) -> Option<u64> {
    let (bytes, rest) = code.split_at_checked(size)?;
    *code = rest;
    let mut all = [if is_signed && bytes.last()? & 0x80 != 0 { 255 } else { 0 }; 8];
    all[..size].copy_from_slice(bytes);
    Some(u64::from_le_bytes(all))
}

/// The register name with this number.
fn register(number: u64) -> Option<String> {
    let bytes = number.to_be_bytes();
    let name: Vec<u8> = bytes.into_iter().skip_while(|&byte| byte == 0).collect();
    let text = String::from_utf8(name).ok()?;
    text.starts_with('%').then_some(text)
}

/// Maximum number of operations that are executed.
const MOST: usize = 10_000;

/// Evaluates a location expression. `read` reads a register of the frame, `load` reads 8 bytes of
/// memory, and `base` is the frame base expression, if there is one.
pub(crate) fn locate(
    code: &[u8],
    read: &dyn Fn(&str) -> Option<u64>,
    load: &dyn Fn(u64) -> Option<u64>,
    base: Option<u64>,
) -> Option<At> {
    let (mut rest, mut stack, mut pieces) = (code, Vec::<u64>::new(), Vec::new());
    let mut named = None;
    let mut is_value = false;
    for _ in 0..MOST {
        let Some((&op, behind)) = rest.split_first() else { break };
        rest = behind;
        match op {
            0x03 => stack.push(fixed(&mut rest, 8, false)?),
            0x06 => {
                let address = stack.pop()?;
                stack.push(load(address)?);
            }
            0x08 | 0x0a | 0x0c | 0x0e => {
                let size = 1 << ((op - 0x08) / 2);
                stack.push(fixed(&mut rest, size, false)?);
            }
            0x09 | 0x0b | 0x0d | 0x0f => {
                let size = 1 << ((op - 0x09) / 2);
                stack.push(fixed(&mut rest, size, true)?);
            }
            0x10 => stack.push(unsigned(&mut rest)?),
            0x11 => stack.push(signed(&mut rest)? as u64),
            0x12 => stack.push(*stack.last()?),
            0x13 => {
                stack.pop()?;
            }
            0x16 => {
                let n = stack.len();
                if n < 2 {
                    return None;
                }
                stack.swap(n - 1, n - 2);
            }
            // DW_OP_xderef: the variable's address class gives the address space.
            0x18 => {
                let address = stack.pop()?;
                stack.pop()?;
                stack.push(address);
            }
            0x1a | 0x1c | 0x1e | 0x21 | 0x22 | 0x24 | 0x25 | 0x27 => {
                let (b, a) = (stack.pop()?, stack.pop()?);
                stack.push(match op {
                    0x1a => a & b,
                    0x1c => a.wrapping_sub(b),
                    0x1e => a.wrapping_mul(b),
                    0x21 => a | b,
                    0x22 => a.wrapping_add(b),
                    0x24 => a.wrapping_shl(b as u32),
                    0x25 => a.wrapping_shr(b as u32),
                    _ => a ^ b,
                });
            }
            0x1f => {
                let a = stack.pop()?;
                stack.push(a.wrapping_neg());
            }
            0x23 => {
                let (add, a) = (unsigned(&mut rest)?, stack.pop()?);
                stack.push(a.wrapping_add(add));
            }
            0x30..=0x4f => stack.push(u64::from(op - 0x30)),
            0x90 => named = Some(register(unsigned(&mut rest)?)?),
            0x91 => {
                let offset = signed(&mut rest)?;
                stack.push(base?.wrapping_add_signed(offset));
            }
            0x92 => {
                let name = register(unsigned(&mut rest)?)?;
                let offset = signed(&mut rest)?;
                stack.push(read(&name)?.wrapping_add_signed(offset));
            }
            0x93 => {
                let size = unsigned(&mut rest)?;
                let at = match (named.take(), stack.pop()) {
                    (Some(name), _) => Some(At::Register(name)),
                    (None, Some(value)) if std::mem::take(&mut is_value) => Some(At::Value(value)),
                    (None, address) => address.map(At::Memory),
                };
                pieces.push((at, size));
            }
            0x96 => {}
            0x9f => is_value = true,
            _ => return None,
        }
    }
    if !pieces.is_empty() {
        return Some(At::Pieces(pieces));
    }
    match named {
        Some(name) if is_value => Some(At::Value(read(&name)?)),
        Some(name) => Some(At::Register(name)),
        None if is_value => stack.pop().map(At::Value),
        None => stack.pop().map(At::Memory),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_name_registers_and_places() {
        let find = |code: &[u8]| locate(code, &|_| Some(100), &|a| Some(a + 1), Some(1000));
        assert_eq!(find(&[144, 178, 228, 149, 1]), Some(At::Register("%r2".to_owned())));
        assert_eq!(find(&[144, 185, 226, 200, 171, 2]), Some(At::Register("%r19".to_owned())));
        let mut code = vec![3];
        code.extend_from_slice(&7_u64.to_le_bytes());
        code.extend_from_slice(&[0x23, 0x84, 0x01]);
        assert_eq!(find(&code), Some(At::Memory(7 + 132)));
        assert_eq!(find(&[0x92, 178, 228, 149, 1, 0x7c]), Some(At::Memory(96)));
        assert_eq!(find(&[0x91, 8]), Some(At::Memory(1008)));
        assert_eq!(find(&[0x35, 0x9f]), Some(At::Value(5)));
        let piece = [0x35, 0x9f, 0x93, 4, 0x93, 4];
        let pieces = vec![(Some(At::Value(5)), 4), (None, 4)];
        assert_eq!(find(&piece), Some(At::Pieces(pieces)));
        assert_eq!(find(&[0xff]), None);
        assert_eq!(find(&[0x90, 0x80]), None, "cut off");
    }
}
