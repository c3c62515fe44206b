//! Recognition of files that are not PTX, so that a single helpful error is reported.

use crate::diagnostic::Diagnostic;
use crate::span::Span;

/// A kind of binary file that is often given instead of PTX text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binary {
    /// The magic bytes at the beginning of the file.
    pub magic: &'static [u8],
    /// Description of the file, such as `a fatbin`.
    pub what: &'static str,
    /// Advice on what to do with the file.
    pub help: &'static str,
}

/// The kind of binary file that begins with `bytes`.
pub fn binary_file(bytes: &[u8]) -> Option<&'static Binary> {
    BINARY.iter().find(|kind| bytes.starts_with(kind.magic))
}

const COMPILED: &str = "texunit reads PTX: `nvcc -ptx` and `clang -S` write it, and `cuobjdump \
                        -ptx` extracts it from a binary that contains some";
const PICTURE: &str = "pictures belong in a job, as `file` of a texture or a surface";
const UTF_16: &str = "save it as UTF-8 or ASCII";

const fn kind(magic: &'static [u8], what: &'static str, help: &'static str) -> Binary {
    Binary { magic, what, help }
}

#[rustfmt::skip]
const BINARY: &[Binary] = &[
    kind(b"\x7fELF",             "an ELF file, such as a cubin or an object file", COMPILED),
    kind(b"\x50\xed\x55\xba",    "a fatbin",          COMPILED),
    kind(b"MZ",                  "a Windows binary",  COMPILED),
    kind(b"BC\xc0\xde",          "LLVM bitcode",      "translate it: `llc -march=nvptx64 -mcpu=sm_75 file.bc`"),
    kind(b"\x89PNG",             "a PNG picture",     PICTURE),
    kind(b"\xff\xd8\xff",        "a JPEG picture",    PICTURE),
    kind(b"\x76\x2f\x31\x01",    "an OpenEXR picture", PICTURE),
    kind(b"\x93NUMPY",           "an NPY array",      PICTURE),
    kind(b"DDS ",                "a DDS picture",     PICTURE),
    kind(b"\xabKTX 20\xbb",      "a KTX2 picture",    PICTURE),
    kind(b"\x1f\x8b",            "a gzip archive",    "unpack it first"),
    kind(b"PK\x03\x04",          "a zip archive",     "unpack it first"),
    kind(b"\xff\xfe",            "UTF-16 text",       UTF_16),
    kind(b"\xfe\xff",            "UTF-16 text",       UTF_16),
];

/// How files in other languages begin: text of the beginning, language, advice.
#[rustfmt::skip]
const LANGUAGES: &[(&str, &str, &str)] = &[
    ("; ModuleID",        "LLVM IR",     "translate it: `llc -march=nvptx64 -mcpu=sm_75 file.ll`"),
    ("source_filename =", "LLVM IR",     "translate it: `llc -march=nvptx64 -mcpu=sm_75 file.ll`"),
    ("target triple =",   "LLVM IR",     "translate it: `llc -march=nvptx64 -mcpu=sm_75 file.ll`"),
    ("target datalayout", "LLVM IR",     "translate it: `llc -march=nvptx64 -mcpu=sm_75 file.ll`"),
    ("#include",          "C or C++",    COMPILE),
    ("#pragma once",      "C or C++",    COMPILE),
    ("__global__",        "CUDA C++",    COMPILE),
    ("extern \"C\"",    "C++",         COMPILE),
    ("code for sm_",      "a listing of machine code", "dump PTX instead: `cuobjdump -ptx file`"),
    ("Fatbin elf code:",  "a listing of machine code", "dump PTX instead: `cuobjdump -ptx file`"),
    (".headerflags",      "a listing of machine code", "dump PTX instead: `cuobjdump -ptx file`"),
    ("Fatbin ptx code:",  "the output of `cuobjdump -ptx` with its headings", "remove everything before `.version`"),
];

/// Words that begin a declaration of C, C++ or CUDA if another word follows. (In a TOML file, a key
/// is never followed by a word.)
const OF_C: &str = "\
    __device__ __host__ __shared__ __constant__ __managed__ __forceinline__ #define #if #ifdef \
    #ifndef #pragma template using namespace typedef struct class enum union static const \
    constexpr inline extern void bool char short int long unsigned size_t float double auto \
    float2 float4 int2 int4 uchar4";

/// How to compile C to PTX.
const COMPILE: &str = "compile it: `nvcc -ptx file.cu`";

/// Whether a line begins a declaration of C, C++ or CUDA.
fn is_c(line: &str) -> bool {
    let end = line.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '#'));
    let (word, rest) = line.split_at(end.unwrap_or(line.len()));
    let next = rest.trim_start().chars().next();
    OF_C.split(' ').any(|of_c| of_c == word)
        && next.is_some_and(|c| c.is_alphabetic() || "_<*&\"".contains(c))
}

/// Number of bytes at the beginning of a file in which other languages are recognised.
const LOOK: usize = 4096;

/// Removes trailing NUL (of C strings, such as PTX from nvrtc), Ctrl-Z and white space.
pub(crate) fn without_end_marks(text: &str) -> &str {
    text.trim_end_matches(['\0', '\u{1a}', ' ', '\t', '\r', '\n'])
}

/// A single error if the text is a binary file, which `first_bytes` show.
pub(crate) fn binary(text: &str, first_bytes: &[u8]) -> Option<Diagnostic> {
    let start = Span::new(0, text.chars().next().map_or(0, char::len_utf8));
    if let Some(kind) = binary_file(first_bytes) {
        let message = format!("this is {}, not PTX", kind.what);
        return Some(Diagnostic::error("E0001", start, message).help(kind.help));
    }
    let at = text.find('\0')?;
    let message = "a NUL byte: this is a binary file, not PTX";
    Some(Diagnostic::error("E0001", Span::new(at, at + 1), message).help(COMPILED))
}

/// A language other than PTX that was recognised in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Language {
    /// Name of the language, such as `CUDA C++`.
    pub name: &'static str,
    /// How to compile the language to PTX.
    pub help: &'static str,
    /// Range of the line by which the language was recognised.
    pub span: Span,
}

/// The language of a text, if the language is one that users give in place of PTX.
pub fn language(text: &str) -> Option<Language> {
    let mut end = text.len().min(LOOK);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut at = 0;
    for line in text[..end].split_inclusive('\n') {
        let trimmed = line.trim_start_matches('\u{feff}').trim_start();
        let found = LANGUAGES.iter().find(|(words, _, _)| trimmed.starts_with(words));
        let of_c = ("", "C or C++", COMPILE);
        if let Some((_, language, help)) = found.or(is_c(trimmed).then_some(&of_c)) {
            let from = at + line.len() - trimmed.len();
            let span = Span::new(from, from + trimmed.trim_end().len());
            return Some(Language { name: language, help, span });
        }
        at += line.len();
    }
    None
}

/// A single error if the text does not begin with `.version` and is in another language.
pub(crate) fn not_ptx(text: &str) -> Option<Diagnostic> {
    let Language { name, help, span } = language(text)?;
    let message = format!("this is {name}, not PTX");
    Some(Diagnostic::error("E0003", span, message).help(help))
}
