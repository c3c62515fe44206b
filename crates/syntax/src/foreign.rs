//! Files that are not PTX: recognised at their beginning, so that one error says what they are
//! instead of many that do not help.

use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::span::Span;

/// Beginnings of binary files, as they look when other bytes than ASCII are left out.
#[rustfmt::skip]
const BINARY: &[(&str, &str)] = &[
    ("\u{7f}ELF",           "an ELF file, such as a cubin or an object file"),
    ("P\u{fffd}U\u{fffd}", "a fatbin"),
    ("BC\u{fffd}\u{fffd}", "LLVM bitcode"),
    ("\u{1f}\u{fffd}",     "a gzip archive"),
    ("PK\u{3}\u{4}",       "a zip archive"),
    ("\u{fffd}\u{fffd}.\0v", "UTF-16 text"),
    ("\u{fffd}\u{fffd}/\0/", "UTF-16 text"),
];

/// Words that other languages begin with and PTX does not.
#[rustfmt::skip]
const LANGUAGES: &[(&str, &str, &str)] = &[
    ("; ModuleID",        "LLVM IR",     "translate it: `llc -march=nvptx64 -mcpu=sm_75 file.ll`"),
    ("source_filename =", "LLVM IR",     "translate it: `llc -march=nvptx64 -mcpu=sm_75 file.ll`"),
    ("target triple =",   "LLVM IR",     "translate it: `llc -march=nvptx64 -mcpu=sm_75 file.ll`"),
    ("target datalayout", "LLVM IR",     "translate it: `llc -march=nvptx64 -mcpu=sm_75 file.ll`"),
    ("#include",          "C or C++",    "compile it: `nvcc -ptx file.cu`"),
    ("#pragma once",      "C or C++",    "compile it: `nvcc -ptx file.cu`"),
    ("__global__",        "CUDA C++",    "compile it: `nvcc -ptx file.cu`"),
    ("extern \"C\"",    "C++",         "compile it: `nvcc -ptx file.cu`"),
    ("code for sm_",      "a listing of machine code", "dump PTX instead: `cuobjdump -ptx file`"),
    ("Fatbin elf code:",  "a listing of machine code", "dump PTX instead: `cuobjdump -ptx file`"),
    (".headerflags",      "a listing of machine code", "dump PTX instead: `cuobjdump -ptx file`"),
    ("Fatbin ptx code:",  "the output of `cuobjdump -ptx` with its headings", "remove everything before `.version`"),
];

/// How much of a file is looked at.
const LOOK: usize = 4096;

/// Leaves away NUL (which ends C strings, and the PTX that nvrtc returns) and Ctrl-Z at the end.
pub(crate) fn without_end_marks(text: &str) -> &str {
    text.trim_end_matches(['\0', '\u{1a}', ' ', '\t', '\r', '\n'])
}

/// One error if the text is a binary file.
pub(crate) fn binary(text: &str) -> Option<Diagnostic> {
    let help = "give the PTX text: `nvcc -ptx`, `cuobjdump -ptx` and `clang -S` write it";
    let start = Span::new(0, text.chars().next().map_or(0, char::len_utf8));
    if let Some((_, what)) = BINARY.iter().find(|(magic, _)| text.starts_with(magic)) {
        let message = format!("this is {what}, not PTX");
        return Some(Diagnostic::error(codes::BINARY, start, message).help(help));
    }
    let at = text.bytes().position(|b| b == 0)?;
    let message = "a NUL byte: this is a binary file, not PTX";
    Some(Diagnostic::error(codes::BINARY, Span::new(at, at + 1), message).help(help))
}

/// One error if the text, which does not begin with `.version`, is of another language.
pub(crate) fn language(text: &str) -> Option<Diagnostic> {
    let mut end = text.len().min(LOOK);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut at = 0;
    for line in text[..end].split_inclusive('\n') {
        let trimmed = line.trim_start_matches('\u{feff}').trim_start();
        let found = LANGUAGES.iter().find(|(words, _, _)| trimmed.starts_with(words));
        if let Some((_, language, help)) = found {
            let from = at + line.len() - trimmed.len();
            let span = Span::new(from, from + trimmed.trim_end().len());
            let message = format!("this is {language}, not PTX");
            return Some(Diagnostic::error(codes::NOT_PTX, span, message).help(*help));
        }
        at += line.len();
    }
    None
}
