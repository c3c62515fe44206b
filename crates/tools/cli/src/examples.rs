//! Examples at the end of help texts.

/// `texunit`
pub const PROGRAM: &str = "\
Examples:
  texunit run ./program                          runs a CUDA program without a GPU
  texunit check kernel.ptx                       finds what NVIDIA's assembler would refuse
  texunit init kernel.ptx                        writes a job file for its kernel
  texunit launch kernel.toml                     runs the kernel
  texunit explain --tex a.png --op tex.2d.v4.f32.f32 --at 0.3,0.7
                                                 shows every step of a texture fetch";

/// `texunit launch`
pub const LAUNCH: &str = "\
Examples:
  texunit launch examples/rotate/job.toml
  texunit launch job.toml --out results --threads 4
  texunit launch job.toml --explain 3,5          the fetches of thread (3, 5)
  texunit launch job.toml --explain 3,5 --explain-out fetches.svg   as one page of pictures
  texunit launch job.toml --format json --quiet > report.json";

/// `texunit merge`
pub const MERGE: &str = "\
Examples:
  texunit launch job.toml --ctas 0..512 --writes a.sets       on one machine
  texunit launch job.toml --ctas 512..1024 --writes b.sets    on another one
  texunit merge job.toml a.sets b.sets --out results          the outputs of the whole grid";

/// `texunit explain`
pub const EXPLAIN: &str = "\
Examples:
  texunit explain --tex a.png --op tex.2d.v4.f32.f32 --at 0.3,0.7 --filter linear
  texunit explain --tex a.npy --op tex.2d.v4.f32.f32 --at 0.3,0.7 --out fetch.svg
  texunit explain --tex a.png --op tex.level.2d.v4.f32.f32 --at 0.5,0.5 --lod 1.5 --mipmaps --mip-filter linear
  texunit explain tests/fetch/level.toml#3";

/// `texunit sample`
pub const SAMPLE: &str = "\
Examples:
  texunit sample --tex a.png --at xy.npy --out r.npy --filter linear --address wrap
  texunit sample --tex volume.npy --geometry 3d --at xyz.npy --out r.npy --threads 0
  texunit sample --tex a.dds --at xy.npy --lod lod.npy --mip-filter linear --out r.npy --format json
  texunit sample --tex a.npy --at ij.npy --fetch --out r.npy";

/// `texunit cases export`
pub const CASES_EXPORT: &str = "\
Examples:
  texunit cases export                           JSON files in texunit-conformance
  texunit cases export --format npz suite        NumPy's arrays in suite
  texunit cases export --cases ~/texunit/tests/fetch suite";

/// `texunit cases run`
pub const CASES_RUN: &str = "\
Examples:
  texunit cases run tests/fetch                  counts by rule, and what differs
  texunit cases run --quiet --engine plan cube.toml card.toml.gz";

/// `texunit compare`
pub const COMPARE: &str = "\
Examples:
  texunit compare                                all cases of this repository
  texunit compare tests/fetch/level.toml job.toml
  texunit compare --random 1000 --seed 7 --record card.toml
  texunit compare --all --record h200            everything, with all results in the folder h200";

/// `texunit check`
pub const CHECK: &str = "\
Examples:
  texunit check kernel.ptx
  texunit check --fix --deny warnings kernel.ptx
  texunit check --format sarif *.ptx > check.sarif
  texunit check --ptxas-compat --arch sm_90 kernel.ptx
  nvcc -ptx kernel.cu -o - | texunit check -";

/// `texunit explain-code`
pub const EXPLAIN_CODE: &str = "\
Examples:
  texunit explain-code E0304                     an error, with an example
  texunit explain-code out-of-bounds             a fault of a kernel
  texunit explain-code E03                       the errors of a group
  texunit explain-code 1.8                       a rule of docs/numerics.md";

/// `texunit reduce`
pub const REDUCE: &str = "\
Examples:
  texunit reduce job.toml                        a fault of a launch; the result is job-reduced/job.toml
  texunit reduce kernel.ptx --out small.ptx      an error of texunit check
  texunit reduce job.toml --against --fmad=off   outputs that differ without fused products
  texunit reduce kernel.ptx --text \"internal error\" --command ptxas -arch=sm_75 {} -o /dev/null";

/// `texunit mcp`
pub const MCP: &str = "\
Examples:
  texunit mcp                                    tools may read and write the current folder
  texunit mcp --allow examples --timeout 20      only those of a folder";

/// `texunit report`
pub const REPORT: &str = "\
Examples:
  texunit launch --profile p.json --coverage c.info job.toml
  texunit report p.json c.info -o report.html    counts and coverage beside the lines
  texunit report job.toml -o textures.html       the textures of a job, and what fetches from them
  texunit run --report r.json --record bug ./program";

/// `texunit dump`
pub const DUMP: &str = "\
Examples:
  texunit dump kernel.ptx                        warp code of all kernels
  texunit dump kernel.ptx --stage ir             PTX with every name and type resolved
  texunit dump kernel.ptx --stage asm --level avx2   machine code, whatever this processor has";

/// `texunit isa`
pub const ISA: &str = "\
Examples:
  texunit isa                                    all instructions
  texunit isa tex.grad                           the forms of one
  texunit isa --format json suld.b tld4";

/// `texunit debug`
pub const DEBUG: &str = "\
Commands: `break blur.cu:12 if i == 70`, `run`, `step`, `info locals`, `print`, `reverse-step`, `last-write`; `help` says more.

Examples:
  texunit debug job.toml                         asks for commands
  texunit debug --batch -ex 'break kernel' -ex run -ex 'info step' ./program";

/// `texunit dap`
pub const DAP: &str = "\
`launch` takes: program (a CUDA program, or a job), args, cwd, env, stopOnEntry, kernel (NAME or NAME:N), device,
schedule, checkpointMemory, process, out. docs/debugger.md shows how editors start it.

Examples:
  texunit dap                                    speaks by standard input and output
  texunit dap --port 4711                        waits for an editor at a port of 127.0.0.1";

/// `texunit lsp`
pub const LSP: &str = "\
Settings are sent by the editor as initializationOptions: target, ptxVersion, ptxasCompat, ptxas, arch, allow,
deny. docs/lsp.md shows how editors are set up.

Exit codes: 0 after the request `shutdown`; 1 if the editor went away without it; 2 wrong usage, or an internal error.

Examples:
  texunit lsp                                    started by an editor
  vim.lsp.start({ name = 'texunit', cmd = { 'texunit', 'lsp' } })    in Neovim";

/// `texunit sass`
pub const SASS: &str = "\
Examples:
  texunit sass dis 0xde381057a0470200
  texunit sass asm 'TXD.B R0, R0, R4, 0x0, 2D, 0xf'
  texunit sass lower kernel.ptx --arch sm_61";

/// `texunit sass dis`
pub const DIS: &str = "\
Examples:
  texunit sass dis 0xde381057a0470200
  texunit sass dis --file code.bin --arch sm_61 --format json";

/// `texunit sass asm`
pub const ASM: &str = "\
Examples:
  texunit sass asm 'TXD R0, R4, R8, 0x5, 2D, 0xf'
  texunit sass asm --arch sm_61 --format json 'TXD.B R0, R0, R4, 0x0, 2D, 0xf'";

/// `texunit sass lower`
pub const LOWER: &str = "\
Examples:
  texunit sass lower kernel.ptx
  texunit sass lower kernel.ptx --arch sm_61     of a file for a later target";

/// `texunit sass exec`
pub const EXEC: &str = "\
Examples:
  texunit sass exec state.toml 'TXD R0, R4, R8, 0x5, 2D, 0xf'
  texunit sass exec state.toml 'TXD P1, R0, R4, R8, 0x105, 2D, 0xb' --format json";

/// `texunit sass header`
pub const HEADER: &str = "\
Examples:
  texunit sass header 2491249d 00020000 00600001 30000008 0080003f 8000001f 0 00000030";

/// `texunit sass sampler`
pub const SAMPLER: &str = "\
Examples:
  texunit sass sampler 000a0249 0d8010a2 00fff000 0 3f800000 0 0 3f000000";

/// `texunit run`
pub const RUN: &str = "\
Examples:
  texunit run ./program --its-own-options
  texunit run --device rtx3060 ./program         as another card
  texunit run --report run.json python3 -m pytest
  texunit run --record bug --kernel blur:3 ./program   its third launch of blur, as a job
  texunit run --explain blur:3,5,0 ./program     the fetches of a thread
  texunit run --explain blur:3,5,0 --explain-out fetches.svg ./program   as one page of pictures
  texunit run --trace api,launch ./program       what it calls and launches";

/// `texunit install-libs`
pub const INSTALL_LIBS: &str = "\
Examples:
  texunit install-libs /opt/texunit
  LD_LIBRARY_PATH=/opt/texunit ./program";

/// `texunit examples`
pub const EXAMPLES: &str = "\
Examples:
  texunit examples guide
  texunit launch guide/examples/rotate/job.toml";

/// `texunit bench`
pub const BENCH: &str = "\
Examples:
  texunit bench
  texunit bench --case a-wrap-coh,e-grad --threads 4
  texunit bench --format json > bench.jsonl";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    /// Every command says how it is used, and no line is wider than a terminal.
    #[test]
    fn every_help_text_has_examples() {
        let mut program = crate::args::Cli::command();
        program.build();
        let mut waiting = vec![program];
        while let Some(command) = waiting.pop() {
            let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
            if command.get_name() == "help" {
                continue;
            }
            let help = command.clone().render_long_help().to_string();
            assert!(help.contains("Examples:\n  "), "{name}:\n{help}");
            let examples = help.rsplit("Examples:\n").next().unwrap_or_default();
            assert!(
                examples.lines().all(|line| line.chars().count() <= 120),
                "{name}:\n{examples}"
            );
            waiting.extend(command.get_subcommands().cloned());
        }
    }
}
