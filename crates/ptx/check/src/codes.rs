//! The diagnostic codes of this crate, each with a title and an explanation. docs/diagnostics.md is
//! generated from this table.

pub use texunit_syntax::codes::Code;

const fn code(code: &'static str, title: &'static str, explanation: &'static str) -> Code {
    Code { code, title, explanation }
}

/// All codes in order: names and declarations E01xx, instructions E02xx, texture and surface
/// instructions E03xx, warnings W01xx, lints W02xx.
#[rustfmt::skip]
pub const CODES: &[Code] = &[
    code("E0100", "no `.version`", "Every module begins with `.version major.minor`. It decides which instructions and forms exist; nvcc writes the version of its own release."),
    code("E0101", "no `.target`", "Every module names the architecture it is written for, as in `.target sm_75`: it decides which instructions exist. The texturing mode is an option after it: `.target sm_75, texmode_independent`."),
    code("E0102", "unknown target", "`.target` takes an architecture (`sm_75`, `sm_90a`) and the options `texmode_unified`, `texmode_independent`, `debug` and `map_f64_to_f32`."),
    code("E0103", "unknown PTX ISA version", "Versions 1.0 to 9.x exist. A higher number is a typing mistake or a release that texunit does not know."),
    code("E0104", "wrong address size", "Addresses have 32 or 64 bits: write `.address_size 64`."),
    code("E0105", "two texturing modes", "A module is either `texmode_unified` (a `.texref` holds its sampler) or `texmode_independent` (textures and `.samplerref` are separate)."),
    code("E0106", "directive given twice", "`.address_size` appears once in a module, after `.target`. Keep one of them."),
    code("E0107", "architecture newer than the version", "Each architecture came with a version of the PTX ISA: `sm_75` with 6.3, `sm_90` with 7.8, `sm_120` with 8.7. A module with that `.target` needs that `.version` or a later one."),
    code("E0108", "not for this machine", "A module can be assembled for the architecture of its `.target` and for newer ones; one for `sm_90a` for exactly that architecture, one for `sm_100f` for the newer ones of its family. Each release of ptxas assembles for some architectures only."),
    code("E0109", "target option not possible", "`map_f64_to_f32` is for architectures before `sm_13`, and `debug` needs a `.section` with the debug information."),
    code("E0110", "unknown name", "No register, variable, parameter, label or function in reach has this name. Registers are declared with `.reg` in the body or a scope around the use; `%r<10>` declares `%r0` to `%r9`."),
    code("E0111", "declared twice", "Two things in one scope have the same name, so that a use could mean either. A prototype and its definition, or an `.extern` and the variable itself, may; two definitions may not. A block `{ ... }` is a scope of its own: a name in it hides the one outside."),
    code("E0112", "wrong kind of name", "The name exists, but it names something of another kind: `bra` takes a label, `call` a function, `.alias` a `.func`. Write the intended name, or the instruction that takes this one."),
    code("E0113", "used before its declaration", "Names at module scope are known from their declaration on. Functions that call each other need a prototype (`.func f (...);`) first."),
    code("E0114", "unknown label", "A branch goes to a label of the same function, in this scope or one around it: nothing jumps into a block or another function. Write the label with a colon, `done:`, or move it out of its block."),
    code("E0115", "conflicting declarations", "The prototype and the definition of a function, or an alias and its function, must have parameters and results of the same sizes in the same order, because calls are laid out by whichever was seen first. Make the two the same."),
    code("E0117", "no such component", "`.x`, `.y`, `.z`, `.w` (or `.r`, `.g`, `.b`, `.a`) select an element of a vector register or of `%tid`, `%ntid`, `%ctaid`, `%nctaid` and their counterparts for clusters."),
    code("E0120", "not a constant", "Array sizes, offsets and immediate operands are made of numbers and `WARP_SZ` only: they are known before the program runs. Compute other values with instructions."),
    code("E0121", "floating-point number where an integer is needed", "Sizes, offsets and the operators `% << >> & ^ | ~` take integers, and one expression cannot mix integers with floating-point numbers. Write the intended value as one number."),
    code("E0122", "expression nested too deeply", "Constant expressions are evaluated to a limited depth. Write the value that it has."),
    code("E0123", "division by zero", "`/` and `%` of integers in a constant expression need a divisor that is not 0: the assembler computes the value, and there is none."),
    code("E0130", "declaration in the wrong place", "Not every state space and linkage is allowed everywhere: opaque references are `.global` at module scope or parameters of kernels, `.local` and `.param` variables live in bodies, `.tex` ended with PTX ISA 1.5."),
    code("E0131", "type not possible here", "The word is not a type, or not one that this declaration can have: predicates live in registers, registers have fundamental types, vectors have at most 16 bytes."),
    code("E0132", "impossible alignment", "`.align` takes a power of two."),
    code("E0133", "too large", "The variable or its initial value is larger than any GPU has room for: static `.shared` memory, `.local` memory, parameters, numbered names and the address space all have limits. Declare a smaller one, or pass memory to the kernel by its address."),
    code("E0134", "wrong array size", "A dimension is a positive integer. Only the first may be left open (`[]` or `[0]`), for `.extern` arrays and arrays with an initial value, whose length follows from elsewhere."),
    code("E0135", "initial value not possible", "`.shared` and `.local` memory, `.extern` variables and parameters have no initial value: nothing is there that could hold it before the kernel runs. Write the value with `st` at the beginning of the kernel."),
    code("E0136", "initial value of the wrong shape", "Values of arrays are written in braces, one pair for each dimension. There may be fewer values than elements (the rest is 0), but not more. A scalar has no braces."),
    code("E0137", "initial value of the wrong type", "Integers initialise integers, floating-point numbers floats; nothing is converted. Write `1.0` for a `.f32`, and the bits as an integer (`0x3c00`) for a 16-bit float."),
    code("E0138", "address in an initial value", "An address needs a variable of 4 or 8 bytes, or single bytes with masks such as `0xff00(name)`. It is a name with an offset at most; `generic(name)` makes it generic."),
    code("E0139", "unknown field", "`.texref`, `.samplerref` and `.surfref` have different fields; other variables have none. A sampler's fields (`filter_mode`, `addr_mode_0` ...) belong to the `.samplerref`, or to the `.texref` in unified mode; sizes and channels to textures and surfaces."),
    code("E0140", "wrong field value", "`filter_mode` is `nearest` or `linear`, `addr_mode_0` to `addr_mode_2` one of `wrap`, `mirror`, `clamp_ogl`, `clamp_to_edge`, `clamp_to_border`; all fields also take numbers."),
    code("E0150", "kernel with a result", "An `.entry` returns nothing: no caller waits for it. Pass the address of a buffer and write results there."),
    code("E0151", "impossible parameter", "Parameters of kernels are `.param`, those of functions `.param` or `.reg`; all together have a size limit."),
    code("E0152", "performance directive not possible", "`.maxntid`, `.reqntid` and their relatives take numbers from 1 on; `.maxntid` and `.reqntid` are mutually exclusive, and so are `.maxclusterrank` and `.reqnctapercluster`."),
    code("E0160", "impossible alias", "`.alias` gives a `.func` a second name. A kernel cannot have one, nor a `.weak` function, whose definition another module may replace; and a name cannot be an alias of itself."),
    code("E0161", "directive not possible", "Each `.file` has an index of its own, and `inlined_at` names the place of an earlier `.loc`. The pragmas `used_bytes_mask`, `enable_smem_spilling` and `frequency` stand in bodies, and a frequency is a positive integer."),
    code("E0200", "unknown instruction", "No PTX instruction has this name. The help names the nearest one. A word followed by `(` is a function: call it with `call`."),
    code("E0201", "modifier does not fit", "The word is not a modifier of this instruction, or not together with those before it. The help lists what is allowed there; `texunit isa NAME` lists every form of an instruction."),
    code("E0202", "modifier given twice", "Each modifier is written once; the second one says nothing new or contradicts the first. Remove it."),
    code("E0203", "modifier out of place", "Modifiers may come in any order, except that a sub-operation (`tex.level`, `suld.b`) follows its instruction directly and that types keep their order."),
    code("E0204", "modifier missing", "The instruction needs a modifier that is missing: a type, a rounding, a clamp mode, a geometry. It has no default because the results differ; the help names the choices."),
    code("E0210", "wrong number of operands", "The form takes more or fewer operands. `texunit isa NAME` shows what each one is."),
    code("E0211", "wrong kind of operand", "An operand of another kind is needed: a register, a constant, a vector, a predicate. Memory is read with `ld` and the address of a variable with `mov` before."),
    code("E0212", "wrong register type", "A register must have the width that the instruction's type says; `.bN` stands for any type of its width, `.uN` and `.sN` for each other, and floats only for themselves. `ld`, `st` and `cvt` also take wider registers."),
    code("E0213", "wrong vector size", "The vector has more or fewer elements than the instruction moves: `.v2` moves 2, `.v4` moves 4, no such word 1. `mov` packs and unpacks 2 or 4 parts that together have its width."),
    code("E0214", "wrong constant", "Integer types take integers, `.f32` and `.f64` floating-point numbers, `.b32` also `0f...` and `.b64` doubles; half precision takes none. Nothing is converted: write `1.0` where a float is needed."),
    code("E0215", "special register not possible", "Only `mov`, `cvt` and coordinates read special registers, at their own width. Copy it into a register with `mov` first."),
    code("E0216", "wrong state space", "The variable is in a different state space from the one that the instruction works on, or cannot be written. Write the space of the variable (`ld.shared`, `ld.const`), or none for a generic address."),
    code("E0217", "not an address", "A memory operand is `[register+offset]` or `[variable+offset]`, in brackets; registers that hold addresses are integers as wide as addresses."),
    code("E0218", "not a destination", "Results go to registers, not to constants, special registers or names of variables. `_` stands for an unwanted result where the instruction allows it."),
    code("E0219", "guard is not a predicate", "`@p` and `@!p` take a `.pred` register. Compare an integer with `setp.ne.u32 p, r, 0;` first."),
    code("E0220", "constant out of range", "The operand takes only certain numbers: barriers are numbered 0 to 15 and wait for whole warps, a field of bits begins and ends at 0 to 255, `discard` and `applypriority` work on 128 bytes."),
    code("E0230", "needs a later `.version`", "The instruction, or something it uses, came with a later version of the PTX ISA than the module asks for. Raise `.version`: any driver that knows the later version runs the module as before."),
    code("E0231", "needs a higher `.target`", "The instruction, or something it uses, exists on later architectures than the module asks for. Raise `.target` (the module then needs such a GPU), or do without."),
    code("E0240", "call does not match the function", "Number, sizes and types of arguments and results must be those of the function. Arguments are `.param` variables or registers, in parentheses, in the order of the parameters."),
    code("E0241", "indirect call without prototype", "A call through a register does not say what it calls, so it names a `.callprototype` or `.calltargets` of the same function after its arguments: `call (r), %rd1, (a), prototype;`."),
    code("E0242", "no branch targets", "`brx.idx` picks a label by number from a `.branchtargets` list, which is declared with a label of its own: `targets: .branchtargets a, b;`."),
    code("E0300", "not a texture, sampler or surface", "The handle is the name of a `.texref`, `.samplerref` or `.surfref`, or a 64-bit integer register. It takes no offset and no index: elements of an array of references cannot be named in an instruction, so copy their address with `mov` or declare them one by one."),
    code("E0301", "operands in brackets", "Texture and surface operands are written in brackets: `[texture, coordinates]`, `[surface, coordinates]`, with a sampler between them in independent mode. The documentation calls the brackets optional; no assembler does."),
    code("E0302", "sampler missing", "With `texmode_independent` textures and samplers are separate, and `tex` and `tld4` name both: `[texture, sampler, coordinates]`."),
    code("E0303", "sampler in unified mode", "Without `texmode_independent` the sampler is part of the texture. ptxas accepts a register in its place and then uses it as the coordinates."),
    code("E0304", "wrong number of coordinates", "Vectors have 1, 2 or 4 elements: 1d takes 1, 2d 2, 3d and cube maps 4, array and multi-sample geometries one or two more for layer and sample. Three is never right, though the documentation's examples have them."),
    code("E0305", "wrong coordinate type", "Coordinates are 32-bit registers or constants: integers for `.s32`, floats or plain bits for `.f32`, and always integers for layers and samples, which come first."),
    code("E0306", "wrong offset or depth reference", "The brackets are followed by level or gradients, the offset, and the depth reference, in this order. The offset is a vector of integers with an element for each dimension, the depth reference a scalar `.f32`; cube maps have no offsets, and 3d and multi-sample textures no depth reference."),
    code("E0307", "wrong level or gradient", "`.level` takes one scalar of the coordinates' type after the brackets, `.grad` two vectors of `.f32` with an element for each dimension."),
    code("E0308", "wrong number of data registers", "The vector of registers has as many elements as `.v2` or `.v4` says, one without, and not all of them are `_`. `tex` and `tld4` always write four: put `_` in place of those that are not needed."),
    code("E0309", "impossible combination", "Cube maps have `.f32` coordinates, because a direction has no texel numbers; multi-sample textures have `.s32` coordinates and one level, because they are not filtered."),
    code("E0310", "scalar coordinate", "Only 1d takes a coordinate without braces. ptxas accepts it for every geometry and then reads unintended registers, or crashes; with ptxas compatibility this is a warning."),
    code("E0311", "scalar offset", "An integer without braces after the coordinates is accepted by ptxas and dropped; with ptxas compatibility this is a warning."),
    code("E0312", "glued data registers", "A tuple for a scalar, or a scalar for a tuple: ptxas accepts these for `suld` and `sust` and joins the registers to one wide value, or crashes; with ptxas compatibility this is a warning."),
    code("E0313", "short gradient of a cube map", "Gradients of cube maps have four elements. ptxas accepts fewer and then crashes; with ptxas compatibility this is a warning."),
    code("E0314", "not a handle", "`istypep` asks what a handle in a register is: it takes a 64-bit register, or 0. Copy the handle of a reference with `mov.u64` first."),
    code("E0315", "elements that do not go together", "Registers side by side in a vector have one type, or are integers of one width, or `.bN`, which goes with all types of its width. Layer and sample numbers are exempt from this rule."),
    code("E0316", "too many references in a kernel", "A kernel, with the functions that it calls, can name 256 textures, 32 samplers and 32 surfaces; 16 surfaces below sm_70; 128 textures, 16 samplers and 8 surfaces below sm_30. Handles in registers and in initialisers are not counted."),
    code("W0101", "offset out of range", "Texture offsets reach from -8 to 7; `tex` takes others modulo 16, `tld4` modulo 64, silently. Add a larger offset to the coordinate."),
    code("W0102", "constant too wide", "The constant has more bits than the type, read as signed or unsigned; the upper ones are dropped, as ptxas does silently. Write the intended value, or use a wider type."),
    code("W0103", "field is ignored", "With `texmode_independent` the sampler fields of a `.texref` have no effect; the `.samplerref` has its own. Move them there."),
    code("W0104", "letters after the architecture", "ptxas reads the number of an architecture and a last `a` or `f`; it silently ignores everything else after the number."),
    code("W0105", "depth reference is dropped", "In unified mode ptxas translates `tex.grad.1d` with a depth reference to a Maxwell instruction (sm_50, sm_52, sm_53) without it: the fetch returns texels instead of comparisons."),
    code("W0106", "integers taken for floats", "`tex.grad` has one form in machine code, with `.f32` coordinates: with `.s32` coordinates, the bits of the registers are taken for floats (1 is then 1.4e-45). The unit does the same. Convert the coordinates with `cvt.rn.f32.s32` and write `.f32` as the last type."),
    code("W0107", "floats taken for integers", "Behind a layer or a sample number ptxas accepts `.f32` registers as `.s32` coordinates: their bits are taken for the number of a texel (1.0 is then 1065353216). Convert them with `cvt.rni.s32.f32`, or write `.f32` as the last type."),
    code("W0201", "register never written", "An instruction reads a register that nothing in the function writes: its value is undefined. ptxas accepts this silently."),
    code("W0202", "register not written on every path", "There is a path from the beginning of the function to the instruction on which nothing writes the register. Paths on which one predicate would have to be true and false are left out."),
    code("W0203", "register written under a guard only", "The register is written under a guard (`@%p mov ...`), and an instruction that does not depend on that predicate reads it: where the guard is false, its value is undefined."),
    code("W0204", "unreachable code", "The code follows `bra`, `ret`, `exit` or `trap`, and no branch from code that is reached leads to it."),
    code("W0205", "barrier under divergence", "A barrier of the whole CTA is at a place that only some of its threads reach, because of a branch, a loop or a guard that depends on a value that differs between threads. The others wait elsewhere or run on: the kernel hangs, or its memory accesses are not ordered. Threads that end without doing anything more do not count, as long as the others do something behind the barrier; nor do barriers with a number of threads."),
    code("W0206", "instruction of the whole warp under divergence", "An instruction with `.aligned`, or `.sync` with the mask of all threads, is at a place that only some threads of the warp reach. What it does then is undefined."),
    code("W0207", "`.uni` where threads diverge", "`.uni` promises that all threads of the warp go the same way; the guard of this branch differs between them."),
    code("W0208", "result that is never read", "No path from this texture fetch, surface load or query leads to an instruction that reads one of its registers."),
    code("W0209", "texture, sampler or surface never used", "No instruction and no initial value names this reference. References that are `.visible`, `.weak` or `.extern` may be used by other modules."),
    code("W0210", "wrap or mirror with unnormalized coordinates", "With unnormalized coordinates the address modes wrap and mirror act as clamp_to_edge. An initialiser that does not say `normalized_coords = 1` makes them unnormalized, and so does `force_unnormalized_coords = 1` of a sampler."),
    code("W0211", "linear filter with integer coordinates", "Integer coordinates name a texel: no filter is applied. Every fetch with this filter has them."),
    code("W0212", "linear filter with an integer result", "`.s32` and `.u32` results are for textures of integers. The CUDA runtime refuses to make such a texture with a linear filter; the unit blends its integers and rounds the sum to one."),
    code("W0213", "wrap or mirror with integer coordinates", "Integer coordinates outside a texture read 0 (with `.level`: the nearest texel), whatever the address mode. Every fetch with this address mode has them."),
    code("W0214", "depth operand without a compare", "An initialiser has no field that makes a texture compare depths: the operand is read and ignored."),
    code("W0215", "level or gradients without mipmaps", "The initialiser gives the texture one level; `.level` and `.grad` read that level whatever their operands say."),
    code("W0216", "fetched as another kind of texture", "The initialiser gives sizes that a texture of the instruction's geometry does not have, or lacks one that it needs."),
    code("W0217", "mipmaps with unnormalized coordinates", "A texture with mipmaps takes normalized coordinates even if its initialiser says `normalized_coords = 0`."),
    code("W0218", "mask with lanes that do not arrive", "The constant mask of a `.sync` instruction names lanes that a guard or a branch keeps away from it. Those that arrive wait for them; what the instruction does then is undefined, and a `shfl.sync` from a missing lane does not read its register. Reported where the lanes that arrive follow from `%laneid` or `%tid.x` and numbers."),
    code("W0220", "misaligned surface access", "x of `suld.b`, `sust.b` and `sured.b` counts bytes and must be a multiple of the size of the access; any other value is a fault under `.trap`, `.clamp` and `.zero` alike."),
];

/// The entry of a code of this crate or of the parser.
pub fn find_code(code: &str) -> Option<&'static Code> {
    CODES.iter().find(|c| c.code == code).or_else(|| texunit_syntax::codes::find(code))
}

#[cfg(test)]
mod tests {
    use super::CODES;
    use std::collections::BTreeSet;

    #[test]
    fn the_table_has_exactly_the_codes_in_use() {
        let mut used = BTreeSet::new();
        let src = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut folders = vec![src];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("the source folder is there") {
                let path = entry.expect("readable").path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                // Tables name all codes, whether used or not.
                let is_table =
                    path.file_name().is_some_and(|n| n == "codes.rs" || n == "cascade.rs")
                        || path.parent().is_some_and(|p| p.ends_with("examples"));
                if is_table || path.extension().is_none_or(|e| e != "rs") {
                    continue;
                }
                let text = std::fs::read_to_string(path).expect("readable");
                let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                for part in code.split('"').skip(1) {
                    let digits = part.len() == 5 && part[1..].bytes().all(|b| b.is_ascii_digit());
                    // Codes of the parser are named where its errors explain others.
                    let parser = texunit_syntax::codes::find(part).is_some();
                    if digits && !parser && part.starts_with(['E', 'W']) {
                        used.insert(part.to_string());
                    }
                }
            }
        }
        let table: BTreeSet<_> = CODES.iter().map(|c| c.code.to_string()).collect();
        assert_eq!(table, used);
        assert!(CODES.is_sorted_by(|a, b| a.code < b.code));
    }
}
