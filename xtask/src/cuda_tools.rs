//! Installs tools for the tests of the drop-in libraries: nvcc with its headers, the headers of
//! CUDA 12, and Python packages. They are in a folder that the user names, or are installed with
//! pip, as in [`crate::tools`].

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// A set of files and packages that are installed together.
struct Kit {
    name: &'static str,
    /// The kit's folder below the folder of all tools.
    folder: &'static str,
    packages: &'static [&'static str],
    /// Whether pip also installs the packages' dependencies.
    requirements: bool,
    /// Names and paths of files that exist if the kit is complete; the names appear in the output.
    files: &'static [(&'static str, &'static str)],
}

#[rustfmt::skip]
const KITS: &[Kit] = &[
    Kit {
        name: "nvcc", folder: "cu13", requirements: false,
        packages: &[
            "nvidia-cuda-nvcc==13.5.37", "nvidia-nvvm==13.5.37", "nvidia-cuda-crt", "nvidia-cuda-cccl",
            "nvidia-cuda-runtime", "nvidia-cuda-nvrtc",
        ],
        files: &[
            ("nvcc", "nvidia/cu13/bin/nvcc"),
            ("include13", "nvidia/cu13/include"),
            ("static13", "nvidia/cu13/lib/libcudart_static.a"),
            ("nvrtc13", "nvidia/cu13/lib/libnvrtc.so.13"),
            ("crt13", "nvidia/cu13/include/crt/host_config.h"),
            ("headers13", "nvidia/cu13/include/cuda_runtime.h"),
            ("cccl13", "nvidia/cu13/include/cccl"),
        ],
    },
    Kit {
        name: "cuda12", folder: "nvrtc12", requirements: false,
        packages: &["nvidia-cuda-nvrtc-cu12==12.9.86", "nvidia-cuda-runtime-cu12==12.9.79"],
        files: &[
            ("include12", "nvidia/cuda_runtime/include"),
            ("static12", "nvidia/cuda_runtime/lib/libcudart_static.a"),
        ],
    },
    Kit {
        name: "python", folder: "py", requirements: true,
        packages: &["cuda-bindings==13.5.0", "cuda-core==1.2.2", "numpy"],
        files: &[("python", ""), ("bindings", "cuda/bindings"), ("core", "cuda/core"), ("numpy", "numpy")],
    },
    Kit {
        name: "numba", folder: "numba", requirements: true,
        packages: &["numba-cuda==0.30.4", "cuda-bindings==13.5.0", "cuda-core==1.2.2"],
        files: &[("numba", ""), ("numba-cuda", "numba_cuda"), ("llvmlite", "llvmlite")],
    },
    Kit {
        name: "nvml", folder: "nvml", requirements: false,
        packages: &["nvidia-ml-py==13.615.71"],
        files: &[("nvml", ""), ("pynvml", "pynvml.py")],
    },
    // Packages that validate the reports of texunit and run tests.
    Kit {
        name: "reports", folder: "reports", requirements: true,
        packages: &["jsonschema==4.26.0", "lxml==6.1.3", "pytest==9.2.0"],
        files: &[("reports", ""), ("jsonschema", "jsonschema"), ("lxml", "lxml"), ("pytest", "pytest")],
    },
];

/// The names of all kits.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    KITS.iter().map(|kit| kit.name)
}

/// `tools KIT...`: prints a line `name=path` for every file of the kits. Exit code: 0 if all exist,
/// 1 if not.
pub(crate) fn run(names: &[String]) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for kit in names.iter().filter_map(|name| KITS.iter().find(|kit| kit.name == name)) {
        match kit.find() {
            Ok(files) => {
                for (name, path) in files {
                    println!("{name}={}", path.display());
                }
            }
            Err(why) => {
                eprintln!("{} is not here: {why}", kit.name);
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

/// The path of a kit's file; the kit is installed if the file is missing.
pub(crate) fn file(kit: &str, name: &str) -> Result<PathBuf, String> {
    let kit =
        KITS.iter().find(|k| k.name == kit).ok_or_else(|| format!("there is no kit {kit}"))?;
    let files = kit.find().map_err(|why| format!("{} is not here: {why}", kit.name))?;
    let found = files.into_iter().find(|(n, _)| *n == name);
    found.map(|(_, path)| path).ok_or_else(|| format!("kit {} has no {name}", kit.name))
}

impl Kit {
    /// Finds the kit's files in the folder that the user names, or below target. A missing kit is
    /// installed below target.
    fn find(&self) -> Result<Vec<(&'static str, PathBuf)>, String> {
        match std::env::var_os("TEXUNIT_NVIDIA") {
            Some(folder) => self.present(Path::new(&folder)),
            None => self.get(&crate::workspace().join("target/nvidia")),
        }
    }

    fn present(&self, folder: &Path) -> Result<Vec<(&'static str, PathBuf)>, String> {
        let at = |&(name, file): &(&'static str, &str)| {
            let path = folder.join(self.folder).join(file);
            if path.exists() {
                Ok((name, path))
            } else {
                Err(format!("there is no {}", path.display()))
            }
        };
        self.files.iter().map(at).collect()
    }

    /// Returns the kit's files in `folder`, and installs the kit if they are missing.
    fn get(&self, folder: &Path) -> Result<Vec<(&'static str, PathBuf)>, String> {
        self.present(folder).or_else(|_| {
            self.install(&folder.join(self.folder))?;
            self.present(folder)
        })
    }

    fn install(&self, to: &Path) -> Result<(), String> {
        std::fs::create_dir_all(to).map_err(|e| format!("{}: {e}", to.display()))?;
        let mut command = Command::new("python3");
        // Modules are not compiled, because most are never imported.
        command.args(["-m", "pip", "install", "--quiet", "--upgrade", "--no-compile", "--target"]);
        command.arg(to);
        if !self.requirements {
            command.arg("--no-deps");
        }
        crate::tools::run(command.args(self.packages))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_named() {
        for kit in KITS {
            let why = kit.present(Path::new("/nowhere")).err().unwrap_or_default();
            assert!(why.starts_with(&format!("there is no /nowhere/{}", kit.folder)), "{why}");
        }
    }
}
