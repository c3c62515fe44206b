//! Inspects a program before it is started: whether it contains PTX, and whether it will find
//! texunit's libraries. Problems are warnings.

use object::read::elf::{ElfFile64, FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectSection, ReadCache, elf};
use std::fs::File;
use std::path::Path;
use texunit_fatbin::EntryKind;

/// ELF sections with device code: the normal one, and that of programs linked with `-rdc=true`, in
/// which case the first has the linked machine code and no PTX.
const FATBINS: [&str; 2] = [".nv_fatbin", "__nv_relfatbin"];
/// The section with OpenMP regions compiled by clang, and the magic number of its entries
/// (`llvm::object::OffloadBinary`).
const REGIONS: (&str, [u8; 4]) = (".llvm.offloading", [0x10, 0xff, 0x10, 0xad]);
/// The content kinds that are machine code, and the string for NVIDIA's GPUs.
const REGIONS_OF_CODE: ([u16; 2], &[u8]) = ([1, 3], b"nvptx64");
/// Maximum number of bytes examined of a section.
const MAX: u64 = 1 << 30;

/// A warning about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Warning {
    pub(super) text: String,
    pub(super) obstacle: Obstacle,
}

/// Whether a warning means that kernels are not executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// Kernels are executed.
    No,
    /// Calls are refused, which the libraries report.
    Calls,
    /// The libraries are not called at all.
    Everything,
}

/// All warnings about a program, from its ELF headers and symbols.
pub(super) fn warnings(program: &Path) -> Vec<Warning> {
    // For scripts, foreign programs and damaged files, the operating system reports the error.
    let look = || -> Option<Vec<Warning>> {
        let cache = ReadCache::new(File::open(program).ok()?);
        Some(look(&ElfFile64::<Endianness, _>::parse(&cache).ok()?, program))
    };
    look().unwrap_or_default()
}

type Elf<'data> = ElfFile64<'data, Endianness, &'data ReadCache<File>>;

fn look(file: &Elf<'_>, program: &Path) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut warn = |obstacle, text| warnings.push(Warning { text, obstacle });
    let name = program.display();
    let dynamic = Dynamic::read(file).unwrap_or_default();
    let code = code(file);
    if code.has_machine_code && !code.has_ptx {
        warn(
            Obstacle::Calls,
            format!(
                "{name} has machine code for GPUs but no PTX, which is what texunit runs; compile it with \
             -arch=compute_86 or another -gencode arch=compute_XX,code=compute_XX, or, where a build system names the \
             sm_XX alone (CMake's 86-real), set NVCC_APPEND_FLAGS=\"-gencode=arch=compute_86,code=compute_86\" when it builds"
            ),
        );
    }
    if has_machine_regions(file) {
        warn(
            Obstacle::Everything,
            format!(
                "{name} has regions of OpenMP that clang has compiled to machine code for GPUs, and texunit runs PTX: they \
             run on the host, if at all; compile them with GCC (-foffload=nvptx-none), or see what \
             docs/programs/offloading.md says of -fopenmp-target-jit"
            ),
        );
    }
    if let (Some(path), true) = (&dynamic.rpath, dynamic.needs_cuda()) {
        warn(
            Obstacle::No,
            format!(
                "{name} has an rpath ({path}), in which it looks for CUDA's libraries first; texunit loads its own before \
             them. To run it without `texunit run`, link it with -Wl,--enable-new-dtags, or remove the rpath \
             (patchelf --remove-rpath)"
            ),
        );
    }
    for old in dynamic.needed.iter().filter(|name| is_old_runtime(name)) {
        warn(
            Obstacle::Calls,
            format!(
                "{name} needs {old}, a runtime older than CUDA 12, which texunit does not have; compile it with CUDA 12 \
             or 13"
            ),
        );
    }
    if code.is_there && !is_linked_when_it_starts(file) {
        warn(
            Obstacle::Everything,
            format!(
                "{name} is linked statically as a whole (-static), so that it cannot find texunit's libraries, nor any \
             driver; link it without -static"
            ),
        );
    } else if code.is_there
        && !dynamic.needs_runtime()
        && let Some(problem) = static_runtime(file)
    {
        warn(Obstacle::Calls, format!("{name} has {problem}"));
    }
    warnings
}

/// Whether the program contains machine code for NVIDIA's GPUs compiled by clang.
fn has_machine_regions(file: &Elf<'_>) -> bool {
    let (name, start) = REGIONS;
    let section = file.section_by_name(name).filter(|section| section.size() <= MAX);
    let mut rest = section.and_then(|section| section.data().ok()).unwrap_or_default();
    while rest.starts_with(&start) {
        let number =
            |at: usize| usize::try_from(u64::from_le_bytes(*rest.get(at..)?.first_chunk()?)).ok();
        let (Some(size), Some(entry)) = (number(8), number(16)) else { break };
        // The strings precede the content.
        let content = number(entry.saturating_add(24)).unwrap_or(0);
        let (kinds, gpu) = REGIONS_OF_CODE;
        let kind = rest.get(entry..).and_then(|entry| entry.first_chunk());
        let mut words = rest.get(..content).unwrap_or_default().windows(gpu.len());
        if kind.is_some_and(|kind| kinds.contains(&u16::from_le_bytes(*kind)))
            && words.any(|word| word == gpu)
        {
            return true;
        }
        let Some(next) = rest.get(size.max(1).next_multiple_of(8)..) else { break };
        rest = next;
    }
    false
}

/// Whether the program uses the dynamic linker.
fn is_linked_when_it_starts(file: &Elf<'_>) -> bool {
    let segments = file.elf_header().program_headers(file.endian(), file.data());
    segments.is_ok_and(|all| all.iter().any(|s| s.p_type(file.endian()) == elf::PT_INTERP))
}

/// Why texunit cannot replace a runtime that is linked statically, if it cannot.
fn static_runtime(file: &Elf<'_>) -> Option<&'static str> {
    let names = file.section_by_name(".symtab").and_then(|_| file.section_by_name(".strtab"));
    let Some(names) = names.and_then(|names| names.data().ok()) else {
        return Some(
            "no table of symbols (it is stripped): if CUDA's runtime is linked into it, texunit cannot \
             replace it; keep the symbols, or compile it with -cudart shared",
        );
    };
    let has = |name: &[u8]| names.split(|&byte| byte == 0).any(|other| other == name);
    // CUDA 12 and later lack the second function.
    (has(b"cudaMalloc") && has(b"cudaBindTexture")).then_some(
        "CUDA's runtime linked into it, in a version older than 12, of which texunit has no exact \
         counterpart; compile it with CUDA 12 or 13",
    )
}

/// The contents of the fatbins.
#[derive(Default)]
struct Code {
    is_there: bool,
    has_ptx: bool,
    has_machine_code: bool,
}

fn code(file: &Elf<'_>) -> Code {
    let mut code = Code::default();
    let sections = FATBINS.iter().filter_map(|name| file.section_by_name(name));
    for section in sections.filter(|section| section.size() <= MAX) {
        if let Ok(bytes) = section.data() {
            code.is_there = true;
            code.add(bytes);
        }
    }
    code
}

impl Code {
    /// Adds the fatbins of a section.
    fn add(&mut self, mut rest: &[u8]) {
        while let Some(header) = rest.first_chunk() {
            let Ok(size) = texunit_fatbin::size(header) else { break };
            for entry in texunit_fatbin::entries(rest).unwrap_or_default() {
                self.has_ptx |= entry.kind == EntryKind::Ptx;
                self.has_machine_code |= entry.kind == EntryKind::Machine;
            }
            let Some(next) = rest.get(size.next_multiple_of(8)..) else { break };
            // Fatbins of several files are padded with zeros.
            let zeros = next.iter().take_while(|&&byte| byte == 0).count() / 8 * 8;
            rest = &next[zeros..];
        }
    }
}

/// The entries for the dynamic linker.
#[derive(Default)]
struct Dynamic {
    needed: Vec<String>,
    /// `DT_RPATH`, which counts only without `DT_RUNPATH`.
    rpath: Option<String>,
}

impl Dynamic {
    fn read(file: &Elf<'_>) -> object::Result<Self> {
        let table = file.elf_dynamic_table()?;
        let texts = |tag: elf::DynamicTag| {
            let entries = table.iter().filter(move |entry| entry.tag == tag);
            let texts = entries.filter_map(|entry| table.string(entry).ok());
            texts.map(|text| String::from_utf8_lossy(text).into_owned())
        };
        let is_void = texts(elf::DT_RUNPATH).next().is_some();
        Ok(Self {
            needed: texts(elf::DT_NEEDED).collect(),
            rpath: texts(elf::DT_RPATH).next().filter(|_| !is_void),
        })
    }

    fn needs_runtime(&self) -> bool {
        self.needed.iter().any(|name| name.starts_with("libcudart.so"))
    }

    fn needs_cuda(&self) -> bool {
        self.needs_runtime() || self.needed.iter().any(|name| name.starts_with("libcuda.so"))
    }
}

/// Whether a library is the runtime of CUDA 11 or older.
fn is_old_runtime(name: &str) -> bool {
    let version = name.strip_prefix("libcudart.so.").and_then(|v| v.split('.').next());
    version.and_then(|v| v.parse::<u32>().ok()).is_some_and(|major| major < 12)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtimes_have_ages() {
        assert!(is_old_runtime("libcudart.so.11.0") && is_old_runtime("libcudart.so.10.2"));
        assert!(!is_old_runtime("libcudart.so.12") && !is_old_runtime("libcudart.so.13"));
        assert!(!is_old_runtime("libcudart.so") && !is_old_runtime("libcublas.so.11"));
    }

    /// Whether the program that a C compiler makes of a source has a warning with these words.
    fn is_warned_of(folder: &texunit_testkit::TempDir, source: &str, words: &str) -> bool {
        let file = folder.file("program.c", source);
        let program = folder.join("program");
        let mut compiler = std::process::Command::new("cc");
        let status = compiler.arg(file).arg("-o").arg(&program).status();
        assert!(status.is_ok_and(|status| status.success()), "a compiler of C");
        warnings(&program).iter().any(|warning| warning.text.contains(words))
    }

    /// Sections with fatbins; in a program linked from several files (`-rdc=true`) the PTX is in
    /// the second section.
    #[test]
    fn ptx_is_found_in_both_sections_however_it_is_packed() {
        let folder = texunit_testkit::TempDir::new("inspect");
        let fatbins = concat!(env!("CARGO_MANIFEST_DIR"), "/../../cuda/cuda/tests/data/");
        let program = |sections: &[(&str, &str)]| {
            let mut source = String::from("int main(void) { return 0; }\n");
            for (section, fatbin) in sections {
                source += &format!(
                    "__asm__(\".section {section}, \\\"a\\\"\\n.balign 8\\n.incbin \\\"{fatbins}{fatbin}.fatbin\\\"\\n.text\");\n"
                );
            }
            is_warned_of(&folder, &source, "but no PTX")
        };
        let (whole, parts) = (".nv_fatbin", "__nv_relfatbin");
        assert!(program(&[(whole, "machine")]));
        assert!(program(&[(whole, "machine"), (parts, "machine")]));
        for packed in ["plain", "lz4", "zstd"] {
            assert!(!program(&[(whole, "machine"), (whole, packed)]), "{packed}");
            assert!(!program(&[(whole, "machine"), (parts, packed)]), "{packed}");
            assert!(
                !program(&[(whole, "machine"), (parts, "machine"), (parts, packed)]),
                "{packed}"
            );
        }
    }

    /// Sections written by clang 19. LLVM bitcode (kind 2) becomes PTX at run time, and AMD's code
    /// is ignored.
    #[test]
    fn machine_code_of_clang_is_named() {
        let folder = texunit_testkit::TempDir::new("regions");
        let is_named = |pieces: &[(u16, &str)]| {
            let mut source = String::from(
                "int main(void) { return 0; }\n__asm__(\".section .llvm.offloading, \\\"a\\\"\\n",
            );
            for (kind, triple) in pieces {
                source += &format!(
                    ".balign 8\\n1: .long 0xad10ff10, 1\\n.quad 3f - 1b, 32, 40\\n.short {kind}, 1\\n.long 0\\n.quad 0, 0, 2f - 1b, 8\\n\
                     .asciz \\\"triple\\\"\\n.asciz \\\"{triple}\\\"\\n.balign 8\\n2: .quad 0\\n3:\\n"
                );
            }
            is_warned_of(&folder, &(source + ".text\");\n"), "regions of OpenMP")
        };
        let (ours, other) = ("nvptx64-nvidia-cuda", "amdgcn-amd-amdhsa");
        assert!(is_named(&[(1, ours)]) && is_named(&[(1, other), (3, ours)]));
        assert!(!is_named(&[(2, ours)]) && !is_named(&[(1, other), (2, ours)]));
    }

    #[test]
    fn other_files_have_no_warnings() {
        assert!(warnings(Path::new(file!())).is_empty());
        assert!(warnings(Path::new("/nowhere")).is_empty());
        assert!(warnings(&std::env::current_exe().unwrap_or_default()).is_empty());
    }
}
