//! Evaluates DWARF location expressions.
//!
//! A PTX register has a number whose bytes are the letters of its name (`%r2` is 0x257232), as in
//! NVIDIA's debuggers and LLVM.

use super::die::Slice;
use gimli::{Encoding, Format, LittleEndian, Operation, Reader, constants as c};

/// The location of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// A PTX register of the function's frame, by name.
    Register(String),
    /// An address: a symbol number of a module variable, or computed from registers.
    Memory(u64),
    /// A constant without location.
    Value(u64),
    /// Pieces: the location and size of each.
    Pieces(Vec<(Option<At>, u64)>),
}

/// The PTX register name that a DWARF register number encodes.
fn register(number: u64) -> Option<String> {
    let bytes = number.to_be_bytes();
    let name: Vec<u8> = bytes.into_iter().skip_while(|&byte| byte == 0).collect();
    let text = String::from_utf8(name).ok()?;
    text.starts_with('%').then_some(text)
}

/// Maximum number of operations of an expression that are executed.
const MOST: usize = 10_000;

const ENCODING: Encoding = Encoding { address_size: 8, format: Format::Dwarf32, version: 4 };

/// Replaces the two topmost values of the stack by their combination.
fn combine(stack: &mut Vec<u64>, by: impl Fn(u64, u64) -> u64) -> Option<()> {
    let (b, a) = (stack.pop()?, stack.pop()?);
    stack.push(by(a, b));
    Some(())
}

/// Evaluates a location expression. `read` reads a register of the frame, and `load` 8 bytes of
/// memory.
pub(crate) fn locate(
    code: &[u8],
    read: &dyn Fn(&str) -> Option<u64>,
    load: &dyn Fn(u64) -> Option<u64>,
) -> Option<At> {
    let (mut stack, mut pieces) = (Vec::<u64>::new(), Vec::new());
    let mut named = None;
    let mut is_value = false;
    let mut rest = Slice::new(code, LittleEndian);
    for _ in 0..MOST {
        let Some(&op) = rest.first() else { break };
        // gimli's registers are numbers of 16 bits.
        if let op @ (c::DW_OP_regx | c::DW_OP_bregx) = c::DwOp(op) {
            rest.read_u8().ok()?;
            let name = register(rest.read_uleb128().ok()?)?;
            match op {
                c::DW_OP_regx => named = Some(name),
                _ => {
                    let offset = rest.read_sleb128().ok()?;
                    stack.push(read(&name)?.wrapping_add_signed(offset));
                }
            }
            continue;
        }
        match Operation::parse(&mut rest, ENCODING).ok()? {
            Operation::Address { address: value } | Operation::UnsignedConstant { value } => {
                stack.push(value);
            }
            Operation::SignedConstant { value } => stack.push(value as u64),
            Operation::Deref { size: 8, space, .. } => {
                let address = stack.pop()?;
                if space {
                    // The variable's address class gives the address space.
                    stack.pop()?;
                    stack.push(address);
                } else {
                    stack.push(load(address)?);
                }
            }
            Operation::Pick { index: 0 } => stack.push(*stack.last()?),
            Operation::Drop => drop(stack.pop()?),
            Operation::Swap => {
                let top = stack.pop()?;
                let below = stack.pop()?;
                stack.extend([top, below]);
            }
            Operation::And => combine(&mut stack, |a, b| a & b)?,
            Operation::Minus => combine(&mut stack, u64::wrapping_sub)?,
            Operation::Mul => combine(&mut stack, u64::wrapping_mul)?,
            Operation::Or => combine(&mut stack, |a, b| a | b)?,
            Operation::Plus => combine(&mut stack, u64::wrapping_add)?,
            Operation::Shl => combine(&mut stack, |a, b| a.wrapping_shl(b as u32))?,
            Operation::Shr => combine(&mut stack, |a, b| a.wrapping_shr(b as u32))?,
            Operation::Xor => combine(&mut stack, |a, b| a ^ b)?,
            Operation::Neg => {
                let value = stack.pop()?;
                stack.push(value.wrapping_neg());
            }
            Operation::PlusConstant { value } => {
                let address = stack.pop()?;
                stack.push(address.wrapping_add(value));
            }
            Operation::Piece { size_in_bits, bit_offset: None } => {
                let at = match (named.take(), stack.pop()) {
                    (Some(name), _) => Some(At::Register(name)),
                    (None, Some(value)) if std::mem::take(&mut is_value) => Some(At::Value(value)),
                    (None, address) => address.map(At::Memory),
                };
                pieces.push((at, size_in_bits / 8));
            }
            Operation::Nop => {}
            Operation::StackValue => is_value = true,
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
        let find = |code: &[u8]| locate(code, &|_| Some(100), &|a| Some(a + 1));
        assert_eq!(find(&[144, 178, 228, 149, 1]), Some(At::Register("%r2".to_owned())));
        assert_eq!(find(&[144, 185, 226, 200, 171, 2]), Some(At::Register("%r19".to_owned())));
        let mut code = vec![3];
        code.extend_from_slice(&7_u64.to_le_bytes());
        code.extend_from_slice(&[0x23, 0x84, 0x01]);
        assert_eq!(find(&code), Some(At::Memory(7 + 132)));
        assert_eq!(find(&[0x92, 178, 228, 149, 1, 0x7c]), Some(At::Memory(96)));
        assert_eq!(find(&[0x91, 8]), None, "there is no frame base");
        assert_eq!(find(&[0x35, 0x9f]), Some(At::Value(5)));
        let piece = [0x35, 0x9f, 0x93, 4, 0x93, 4];
        let pieces = vec![(Some(At::Value(5)), 4), (None, 4)];
        assert_eq!(find(&piece), Some(At::Pieces(pieces)));
        assert_eq!(find(&[0xff]), None);
        assert_eq!(find(&[0x90, 0x80]), None, "cut off");
    }
}
