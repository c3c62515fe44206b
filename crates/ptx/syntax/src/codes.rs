//! The codes of syntax errors, each with a title and an explanation. docs/diagnostics.md is
//! generated from this table.

/// A diagnostic code and its description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// The code, such as `E0010`.
    pub code: &'static str,
    /// A short title.
    pub title: &'static str,
    /// A paragraph with the meaning and the correction.
    pub explanation: &'static str,
}

/// Looks a code up.
pub fn find(code: &str) -> Option<&'static Code> {
    CODES.iter().find(|c| c.code == code)
}

/// Reads a table of codes: of each a line `== CODE TITLE`, and the lines of its explanation.
pub fn read(table: &str) -> Vec<Code> {
    let shared = |text: String| -> &'static str { text.leak() };
    let code = |part: &str| {
        let (head, explanation) = part.split_once('\n')?;
        let (code, title) = head.split_once(' ')?;
        let explanation = shared(explanation.trim_end().replace('\n', " "));
        Some(Code { code: shared(code.to_owned()), title: shared(title.to_owned()), explanation })
    };
    table.split("\n== ").skip(1).filter_map(code).collect()
}

macro_rules! codes {
    ($($name:ident $code:literal $title:literal $explanation:literal)*) => {
        $(pub(crate) const $name: &str = $code;)*
        /// Every code of this crate, in order.
        pub const CODES: &[Code] = &[
            $(Code { code: $code, title: $title, explanation: $explanation },)*
        ];
    };
}

#[rustfmt::skip]
codes! {
    BINARY "E0001" "binary file"
        "The file is not text. A cubin (ELF), a fatbin or LLVM bitcode contains compiled code; texunit reads PTX, which `nvcc -ptx`, `cuobjdump -ptx` or `clang -S` write."
    BYTE_ORDER_MARK "E0002" "byte order mark"
        "The file begins with the bytes EF BB BF, which some editors write in front of UTF-8 text. PTX is ASCII and begins with `.version`, and NVIDIA's assembler refuses these bytes. Save the file without a byte order mark."
    NOT_PTX "E0003" "no `.version` at the beginning"
        "Every module begins with `.version` and `.target`; only comments may come before them. The message names the language when the text looks like CUDA C++, LLVM IR or SASS: translate such a file to PTX first (`nvcc -ptx`, `llc -march=nvptx64`, `cuobjdump -ptx`)."
    EMPTY "E0004" "empty file"
        "The file contains only white space and comments. The smallest module is `.version 8.8` and `.target sm_75`."
    NO_TARGET "E0005" "no `.target` after `.version`"
        "`.target` must follow `.version` directly, as in `.target sm_75` or `.target sm_75, texmode_independent`."
    HEADER_ORDER "E0006" "header directive out of place"
        "`.version`, `.target` and `.address_size` must appear once, in this order, before everything else, because they determine how the rest is read. Move the directive to the beginning of the file, or remove the second one."
    HEADER_VALUE "E0007" "malformed header directive"
        "`.version` takes two numbers with a dot (`8.8`), `.target` names with commas, `.address_size` takes 32 or 64. None of them ends with `;`."
    CHARACTER "E0010" "unexpected character"
        "No token of PTX begins with this character. Comments begin with `//` or `/*`; `#` may appear only at the beginning of a line, as preprocessors write it. PTX has no character literals: write the number."
    COMMENT "E0011" "unterminated comment"
        "`/*` needs a `*/`; without it the rest of the file is a comment. Comments do not nest: the first `*/` ends them."
    STRING "E0012" "unterminated string"
        "A string ends with `\"` on the line where it begins. There are no escapes: a string cannot contain a quotation mark or a line end."
    NUMBER "E0013" "malformed number"
        "Numbers are decimal (`12`), hexadecimal (`0x1f`), octal (`017`) or binary (`0b101`) with an optional `U`, decimal floats (`1.5e3`), or the bits of a float: `0f` with 8 and `0d` with 16 hexadecimal digits. C's suffixes (`1.0f`, `5ULL`) do not exist, and a number that begins with 0 is octal."
    TOO_LARGE "E0014" "number too large"
        "Integers have 64 bits and decimal floats are f64. NVIDIA's assembler cuts larger integers silently in some versions; that is never intended."
    FLOAT_DIGITS "E0015" "wrong number of digits in a float's bits"
        "`0f` takes exactly 8 hexadecimal digits, the bits of an f32, and `0d` exactly 16, the bits of an f64. Leading zeros must be written."
    DOT_SPACE "E0016" "space after a dot"
        "A dot and its word belong together. Spaces and comments are allowed before the dot: `tex .2d` is right, `tex. 2d` is not."
    NON_ASCII "E0017" "non-ASCII character"
        "PTX is ASCII only. NVIDIA's assembler refuses other characters everywhere, in comments and strings too."
    SEMICOLON "E0020" "missing `;`"
        "Statements end with `;`, and a line end does not stand for one. Labels, blocks, `.loc`, `.file` and the header directives have none. The statement is read as if the `;` were there."
    COMMA "E0021" "missing comma"
        "Operands, parameters, elements of vectors and initial values are separated by commas; a space is not enough. If a new statement begins here, the one before lacks its `;`."
    EXTRA_COMMA "E0022" "extra comma"
        "A comma needs something on both sides: lists have no trailing comma and no empty places. Remove the comma, or write what is missing."
    EMPTY_BRACES "E0023" "empty braces"
        "A vector operand has at least one element: write the registers between the braces. (`{}` is right as a block and as an initial value.)"
    UNCLOSED_BLOCK "E0024" "missing `}`"
        "A `{` is open at the end of the file or where the next function begins, so a body or a block inside it has not ended. Write the `}` where it ends; indentation helps to find the place."
    UNMATCHED "E0025" "unmatched closing bracket"
        "There is no open `{`, `(` or `[` that this bracket would close. Remove it, or write the opening one that is missing before it. An extra `}` earlier in the file ends a function too soon, so that the last `}` is unmatched."
    UNCLOSED "E0026" "missing closing bracket"
        "A `(`, `[`, `{` or `<` inside a statement is still open where the statement ends or continues with something that is not allowed inside it. Close it before the next operand."
    STRAY_SEMICOLON "E0027" "`;` without a statement"
        "PTX has no empty statements. `;` does not follow `}`, labels, `.loc`, `.file`, `.version`, `.target` and `.address_size`. Remove it."
    UNKNOWN_DIRECTIVE "E0030" "unknown directive"
        "No directive or type has this name; names are written in lower case. The help names the nearest one, if there is one. Types say kind and width: `.s32`, `.u64`, `.f32`, `.b16`, `.pred`."
    MISPLACED "E0031" "directive not allowed here"
        "The directive exists, but not in this place: `.visible` is allowed at module scope only, `.maxntid` between a kernel's parameters and its body, `.branchtargets` after a label."
    NO_SPACE "E0032" "declaration without a state space"
        "A variable needs `.reg`, `.const`, `.global`, `.local`, `.shared` or `.param` before its type."
    NO_TYPE "E0033" "declaration without a type"
        "A variable needs one type after its state space: `.b8` to `.b128`, `.u8` to `.u64`, `.s8` to `.s64`, `.f16`, `.f16x2`, `.bf16`, `.bf16x2`, `.tf32`, `.f32`, `.f64`, `.pred`, `.texref`, `.samplerref`, `.surfref`."
    WORD_ORDER "E0034" "words of a declaration out of order"
        "The order is linkage, space, `.align` and `.attribute`, vector, type, then `.ptr` (for kernel parameters), then names: `.visible .global .align 16 .v4 .f32 table[4]`."
    DECLARATION_NUMBER "E0035" "number expected"
        "Alignments, array lengths, register counts and launch bounds are plain integers, not expressions."
    NAME "E0036" "name expected"
        "A name begins with a letter, or with `_`, `$` or `%` and one more character; the rest are letters, digits, `_` and `$`. Dots do not belong to names, and `WARP_SZ` is a constant."
    DIMENSION "E0037" "malformed array or numbered name"
        "`a[4]` is an array, `a[]` one of unknown length, `%r<10>` stands for `%r0` to `%r9`. A name has one of the two."
    INITIALIZER "E0038" "malformed initial value"
        "An initial value is a constant expression, an address (`name`, `name+4`, `generic(name)+4`, `0xff(name)`), a list in braces, or `{ field = value }` for texture, sampler and surface references. Strings are written as lists of bytes."
    OPERAND "E0040" "operand expected"
        "Operands are names, numbers, constant expressions, `[addresses]`, `{vectors}`, `d|p` pairs, `!p`, and `_` for an unwanted result."
    ARITHMETIC "E0041" "arithmetic on a register or name"
        "PTX has no expressions over registers. The only sum with a name is an address and a constant: `name+4`, and `name+-4` for less."
    ADDRESS "E0042" "malformed address"
        "An address is `[register]`, `[register+constant]`, `[variable]`, `[variable+constant]` or `[constant]`. A negative offset is written `+-4`."
    SELECTOR "E0043" "misplaced selector"
        "One `.x`, `.y`, `.z` or `.w` may follow a vector register in an operand; none in an address, a sum or a guard. Copy the element to a register of its own with `mov` first."
    VECTOR "E0044" "malformed vector operand"
        "The elements of `{...}` are names, constants and `_`; vectors do not nest, and nothing is computed in them. Negate, add or load with an instruction before."
    GUARD "E0045" "malformed guard"
        "A guard is `@p` or `@!p` with a predicate register, once, directly before an instruction. Labels come before it; two predicates are combined with `and.pred`; `@!p bra` jumps over a block."
    CALL "E0046" "malformed call"
        "`call (results), function, (arguments);`, separated by commas. Through a register: `call (results), %fp, (arguments), prototype;`."
    EXPRESSION "E0047" "malformed constant expression"
        "Constant expressions have numbers, `WARP_SZ`, parentheses and the operators of C, but no names and no assignments. An address with an offset is written name first: `table+12`."
    CAST "E0048" "unsupported cast"
        "Constant expressions are computed with 64 bits and can be cast to `.s64` and `.u64` only. Write the number in the form that is needed."
    LABEL "E0049" "malformed label"
        "A label is a name and a colon, in front of a statement: `loop:`. The name cannot begin with a digit."
    HEADER "E0050" "malformed function header"
        "`.entry name (parameters) bounds { body }` or `.func (results) name (parameters) { body }`."
    PARAMETERS "E0051" "malformed parameter list"
        "Parameters are `.param .type name` in parentheses, separated by commas; those of a `.func` may be `.reg` too."
    STATEMENT "E0052" "statement expected"
        "Module scope holds variables, functions and directives; a body holds labels, instructions, declarations and blocks. An instruction outside of a function is often the result of an extra `}`."
    FOREIGN "E0053" "not PTX"
        "The line is written as in C or C++. PTX has instructions (`add.u32 %r1, %r2, %r3;`), no assignments and no control statements other than `bra`, `call`, `ret` and guards."
    SECTION "E0054" "malformed section"
        "`.section .name { ... }` contains labels and lines `.b8`, `.b16`, `.b32` or `.b64` with numbers and names."
    DIRECTIVE "E0055" "malformed directive"
        "`.file index \"name\"`, `.loc file line column`, `.pragma \"text\";`, `.alias name, function;`, `label: .branchtargets a, b;`."
    TOO_DEEP "E0060" "nested too deeply"
        "Blocks, parentheses and initial values may nest 128 times, and a constant expression may have 256 operators, so that no input can exhaust the stack. No compiler generates more: reduce the nesting."
    TOO_MANY "E0061" "too many errors"
        "At most 200 syntax errors of a file are shown, and at most 1000 errors in all. Correct the first ones and check again: one early mistake may have caused many."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_explained() {
        assert!(CODES.windows(2).all(|pair| pair[0].code < pair[1].code));
        for code in CODES {
            assert_eq!(code.code.len(), 5, "{}", code.code);
            assert!(code.code.starts_with("E00"), "{}", code.code);
            assert!(
                !code.title.is_empty() && code.explanation.ends_with(['.', ')']),
                "{}",
                code.code
            );
            assert_eq!(find(code.code), Some(code));
        }
        assert_eq!(find("E9999"), None);
    }
}
