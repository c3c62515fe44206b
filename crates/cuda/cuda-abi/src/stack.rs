//! A thread-local stack that stays usable until the end of the process.

use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;

/// A stack of one thread (`thread_local!`). It has no destructor, because destructors of the main
/// thread's variables run before `atexit` functions and static destructors, which may call CUDA. If
/// a thread ends with more than one element, the elements below the top are leaked.
#[derive(Debug)]
pub struct Stack<T: Copy> {
    top: Cell<Option<T>>,
    below: ManuallyDrop<RefCell<Vec<T>>>,
}

impl<T: Copy> Stack<T> {
    /// Makes an empty stack, in a constant for `thread_local!`.
    #[must_use]
    pub const fn new() -> Self {
        Self { top: Cell::new(None), below: ManuallyDrop::new(RefCell::new(Vec::new())) }
    }

    /// Pushes a value.
    pub fn push(&self, value: T) {
        self.below.borrow_mut().extend(self.top.replace(Some(value)));
    }

    /// Removes and returns the top value.
    pub fn pop(&self) -> Option<T> {
        self.top.replace(self.below.borrow_mut().pop())
    }

    /// The top value, if there is one.
    pub fn last(&self) -> Option<T> {
        self.top.get()
    }
}

impl<T: Copy> Default for Stack<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_has_no_destructor() {
        let stack = Stack::new();
        assert_eq!((stack.pop(), stack.last()), (None, None));
        for value in [1, 2, 3] {
            stack.push(value);
        }
        assert_eq!((stack.last(), stack.pop(), stack.pop()), (Some(3), Some(3), Some(2)));
        stack.push(4);
        assert_eq!((stack.pop(), stack.pop(), stack.pop()), (Some(4), Some(1), None));
        const { assert!(!std::mem::needs_drop::<Stack<u64>>()) };
    }
}
