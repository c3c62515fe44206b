//! The codes of this crate, each with a title and an explanation. docs/diagnostics.md lists them
//! from this table.

pub use texunit_syntax::codes::Code;

const fn code(code: &'static str, title: &'static str, explanation: &'static str) -> Code {
    Code { code, title, explanation }
}

/// Every code of this crate, in order: names and declarations E01xx, instructions E02xx, texture
/// and surface instructions E03xx, warnings W01xx.
#[rustfmt::skip]
pub const CODES: &[Code] = &[
    code("E0100", "no `.version`", "Every module begins with `.version major.minor`. It decides which instructions and forms exist; nvcc writes the version of its own release."),
    code("E0101", "no `.target`", "Every module names the architecture it is written for, as in `.target sm_75`. Texturing mode is an option behind it: `.target sm_75, texmode_independent`."),
    code("E0102", "unknown target", "`.target` takes an architecture (`sm_75`, `sm_90a`) and the options `texmode_unified`, `texmode_independent`, `debug` and `map_f64_to_f32`."),
    code("E0103", "unknown PTX ISA version", "Versions 1.0 to 9.x exist. A higher number is a typing mistake or a release that texunit does not know."),
    code("E0104", "wrong address size", "`.address_size` is 32 or 64."),
    code("E0105", "two texturing modes", "A module is either `texmode_unified` (a `.texref` holds its sampler) or `texmode_independent` (textures and `.samplerref` are separate)."),
    code("E0106", "directive given twice", "`.address_size` stands once in a module."),
    code("E0110", "unknown name", "No register, variable, parameter, label or function in reach has this name. Registers are declared with `.reg` in the body or a scope around the use; `%r<10>` declares `%r0` to `%r9`."),
    code("E0111", "declared twice", "Two things in one scope have the same name. A prototype and its definition, or an `.extern` and the variable itself, may; two definitions may not."),
    code("E0112", "wrong kind of name", "The name exists and is something else than what stands there: `bra` takes a label, `call` a function, `.alias` a `.func`."),
    code("E0113", "used before its declaration", "Names at module scope are known from their declaration on. Functions that call each other need a prototype (`.func f (...);`) first."),
    code("E0114", "unknown label", "A branch goes to a label of the same function, in this scope or one around it."),
    code("E0115", "conflicting declarations", "The prototype and the definition of a function, or an alias and its function, must have parameters of the same sizes."),
    code("E0117", "no such component", "`.x`, `.y`, `.z`, `.w` (or `.r`, `.g`, `.b`, `.a`) select an element of a vector register or of `%tid`, `%ntid`, `%ctaid`, `%nctaid` and their cluster relatives."),
    code("E0120", "not a constant", "Array sizes, offsets and immediate operands are made of numbers and `WARP_SZ` only."),
    code("E0121", "floating-point number where an integer is needed", "Sizes, offsets and the operators `% << >> & ^ | ~` take integers."),
    code("E0122", "expression nested too deeply", "Constant expressions are evaluated to a limited depth."),
    code("E0123", "division by zero", "`/` and `%` of integers in a constant expression need a divisor that is not 0."),
    code("E0130", "declaration in the wrong place", "Not every state space and linkage goes with every place: opaque references are `.global` at module scope or parameters of kernels, `.local` and `.param` variables live in bodies, `.tex` ended with PTX ISA 1.5."),
    code("E0131", "type not possible here", "The word is not a type, or not one that this declaration can have: predicates live in registers, registers have fundamental types, vectors have at most 16 bytes."),
    code("E0132", "impossible alignment", "`.align` takes a power of two."),
    code("E0133", "too large", "The variable or its initial value is larger than any GPU has room for."),
    code("E0134", "wrong array size", "A dimension is a positive integer. Only the first may be left open, for `.extern` arrays and arrays with an initial value."),
    code("E0135", "initial value not possible", "`.shared` and `.local` memory, `.extern` variables and parameters have no initial value."),
    code("E0136", "initial value of the wrong shape", "Values of arrays stand between braces, one pair a dimension, and not more than the array has elements."),
    code("E0137", "initial value of the wrong type", "Integers initialise integers, floating-point numbers floats."),
    code("E0138", "address in an initial value", "An address needs a variable of 4 or 8 bytes, or single bytes with masks such as `0xff00(name)`. It is a name with an offset at most."),
    code("E0139", "unknown field", "`.texref`, `.samplerref` and `.surfref` have different fields; other variables have none."),
    code("E0140", "wrong field value", "`filter_mode` is `nearest` or `linear`, `addr_mode_0` to `addr_mode_2` one of `wrap`, `mirror`, `clamp_ogl`, `clamp_to_edge`, `clamp_to_border`; all fields also take numbers."),
    code("E0150", "kernel with a result", "An `.entry` returns nothing; kernels write to memory."),
    code("E0151", "impossible parameter", "Parameters of kernels are `.param`, those of functions `.param` or `.reg`; all together have a size limit."),
    code("E0160", "impossible alias", "`.alias` gives a `.func` with a body a second name."),
    code("E0200", "unknown instruction", "No PTX instruction has this name."),
    code("E0201", "modifier does not fit", "The word is not a modifier of this instruction, or not together with those before it. The help names what could stand there."),
    code("E0202", "modifier given twice", "Each modifier is written once."),
    code("E0203", "modifier out of place", "Modifiers may come in any order, except that a sub-operation (`tex.level`, `suld.b`) follows its instruction directly and that types keep their order."),
    code("E0204", "modifier missing", "The instruction needs a modifier that is not there: a type, a rounding, a clamp mode, a geometry."),
    code("E0210", "wrong number of operands", "The form takes more or fewer operands."),
    code("E0211", "wrong kind of operand", "An operand of another kind is needed: a register, a constant, a vector, a predicate."),
    code("E0212", "wrong register type", "A register must have the width that the instruction's type says; `.bN` stands for any type of its width, `.uN` and `.sN` for each other, and floats only for themselves. `ld`, `st` and `cvt` also take wider registers."),
    code("E0213", "wrong vector size", "The vector has more or fewer elements than the instruction moves."),
    code("E0214", "wrong constant", "Integer types take integers, `.f32` and `.f64` floating-point numbers, `.b32` also `0f...` and `.b64` doubles; half precision takes none."),
    code("E0215", "special register not possible", "Only `mov`, `cvt` and coordinates read special registers, at their own width."),
    code("E0216", "wrong state space", "The variable lies in another state space than the instruction works on, or cannot be written."),
    code("E0217", "not an address", "A memory operand is `[register+offset]` or `[variable+offset]`; registers that hold addresses are integers."),
    code("E0218", "not a destination", "Results go to registers."),
    code("E0219", "guard is not a predicate", "`@p` and `@!p` take a `.pred` register."),
    code("E0230", "needs a later `.version`", "The instruction, or something it uses, came with a later version of the PTX ISA than the module asks for."),
    code("E0231", "needs a higher `.target`", "The instruction, or something it uses, exists on later architectures than the module asks for."),
    code("E0240", "call does not match the function", "Number, sizes and types of arguments and results must be those of the function."),
    code("E0241", "indirect call without prototype", "A call through a register names a `.callprototype` or `.calltargets` after its arguments."),
    code("E0242", "no branch targets", "`brx.idx` names a `.branchtargets` list."),
    code("E0300", "not a texture, sampler or surface", "The handle is the name of a `.texref`, `.samplerref` or `.surfref`, or a 64-bit integer register. It takes no offset and no index."),
    code("E0301", "operands in brackets", "Texture and surface operands stand in brackets: `[texture, coordinates]`, `[surface, coordinates]`, with a sampler between them in independent mode. The documentation calls the brackets optional; no assembler does."),
    code("E0302", "sampler missing", "With `texmode_independent`, `tex` and `tld4` name texture and sampler."),
    code("E0303", "sampler in unified mode", "Without `texmode_independent` the sampler is part of the texture. ptxas accepts a register in its place and then takes it for the coordinates."),
    code("E0304", "wrong number of coordinates", "Vectors have 1, 2 or 4 elements: 1d takes 1, 2d 2, 3d and cube maps 4, array and multi-sample geometries one or two more for layer and sample. Three never are right, though the documentation's examples have them."),
    code("E0305", "wrong coordinate type", "Coordinates are 32-bit registers: integers for `.s32`, floats or plain bits for `.f32`, and always integers for layers and samples."),
    code("E0306", "wrong offset or depth reference", "The offset is a vector of integers, the depth reference a scalar `.f32`; not every geometry has them."),
    code("E0307", "wrong level or gradient", "`.level` takes one scalar of the coordinates' type, `.grad` two vectors of `.f32` with an element for each dimension."),
    code("E0308", "wrong number of data registers", "The vector of registers has as many elements as `.v2` or `.v4` says, one without, and not all of them are `_`."),
    code("E0309", "impossible combination", "Cube maps have `.f32` coordinates, multi-sample textures `.s32` coordinates and one level."),
    code("E0310", "scalar coordinate", "Only 1d takes a coordinate without braces. ptxas accepts it for every geometry and then reads registers that were not meant, or crashes; with ptxas compatibility this is a warning."),
    code("E0311", "scalar offset", "An integer without braces after the coordinates is accepted by ptxas and dropped; with ptxas compatibility this is a warning."),
    code("E0312", "glued data registers", "A tuple for a scalar, or a scalar for a tuple: ptxas accepts these for `suld` and `sust` and joins the registers to one wide value, or crashes; with ptxas compatibility this is a warning."),
    code("E0313", "short gradient of a cube map", "Gradients of cube maps have four elements. ptxas accepts fewer and then crashes; with ptxas compatibility this is a warning."),
    code("E0314", "not a handle", "`istypep` takes a 64-bit register, or 0."),
    code("E0316", "too many references in a kernel", "A kernel, with the functions that it calls, can name 256 textures, 32 samplers and 32 surfaces; 16 surfaces below sm_70; 128 textures, 16 samplers and 8 surfaces below sm_30. Handles in registers and in initialisers are not counted."),
    code("W0101", "offset out of range", "Texture offsets reach from -8 to 7; `tex` takes others modulo 16, `tld4` modulo 64."),
    code("W0102", "constant too wide", "The constant has more bits than the type, read as signed or unsigned; the upper ones are dropped, as ptxas does without a word."),
    code("W0103", "field is ignored", "With `texmode_independent` the sampler fields of a `.texref` have no effect; the `.samplerref` has its own."),
];

#[cfg(test)]
mod tests {
    use super::CODES;
    use std::collections::BTreeSet;

    #[test]
    fn the_table_has_exactly_the_codes_in_use() {
        let mut used = BTreeSet::new();
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        for entry in std::fs::read_dir(folder).expect("the source folder is there") {
            let path = entry.expect("readable").path();
            if path.file_name().is_some_and(|n| n == "codes.rs") {
                continue;
            }
            let text = std::fs::read_to_string(path).expect("readable");
            for part in text.split('"').skip(1) {
                let digits = part.len() == 5 && part[1..].bytes().all(|b| b.is_ascii_digit());
                if digits && part.starts_with(['E', 'W']) {
                    used.insert(part.to_string());
                }
            }
        }
        let table: BTreeSet<_> = CODES.iter().map(|c| c.code.to_string()).collect();
        assert_eq!(table, used);
        assert!(CODES.is_sorted_by(|a, b| a.code < b.code));
    }
}
