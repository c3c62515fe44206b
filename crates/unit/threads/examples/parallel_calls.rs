//! Calls in parallel threads, with their results in order.
#![allow(clippy::print_stdout, reason = "a program")]

fn main() {
    let text = "the quick brown fox";
    let lengths = texunit_threads::each(text.split(' '), str::len);
    println!("{lengths:?}, with up to {} threads", texunit_threads::cores());
    assert_eq!(lengths, [3, 5, 5, 3]);
}
