//! The table of clients, packages whose tests run on texunit (tests/clients/clients.toml, whose
//! head describes the keys), and the environment of each: its Python packages, the source archive
//! with its tests, and folders for output.

use crate::files::{self, at};
use crate::workspace;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The folders of a client below `target/clients`.
pub(crate) struct Place {
    pub(crate) folder: PathBuf,
    site: PathBuf,
}

/// The marker file of a completely installed environment.
const DONE: &str = "installed.txt";

impl Place {
    /// Makes the folders of a client below `all`, and creates its Python environment if it is
    /// missing.
    pub(crate) fn new(all: &Path, client: &Client) -> Result<Self, String> {
        let folder = all.join(&client.name);
        files::folder(&folder)?;
        let mut place = Self { folder: at(&folder, folder.canonicalize())?, site: PathBuf::new() };
        if !place.python().exists() {
            files::quiet(
                Command::new("python3").args(["-m", "venv"]).arg(place.folder.join("venv")),
            )?;
        }
        let question = "import sysconfig; print(sysconfig.get_path('purelib'))";
        let answer = Command::new(place.python()).args(["-c", question]).output();
        place.site = String::from_utf8_lossy(&at(&place.python(), answer)?.stdout).trim().into();
        Ok(place)
    }

    pub(crate) fn python(&self) -> PathBuf {
        self.folder.join("venv/bin/python")
    }

    pub(crate) fn results(&self) -> PathBuf {
        self.folder.join("results")
    }

    /// The home folder for the client's tests, which is emptied before each run, so that no file of
    /// an earlier run is used.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// Expands placeholders such as `{site}` in a path or variable of the table of clients.
    pub(crate) fn expand(&self, text: &str) -> String {
        let tests = workspace().join("tests/clients");
        let path = std::env::var("PATH").unwrap_or_default();
        let places = [
            ("{site}", self.site.display().to_string()),
            ("{source}", self.folder.join("source").display().to_string()),
            ("{tests}", tests.display().to_string()),
            ("{home}", self.home().display().to_string()),
            ("{path}", path),
        ];
        places.iter().fold(text.to_owned(), |text, (name, place)| text.replace(name, place))
    }

    /// Removes results and compiled kernels of earlier runs, which may come from another texunit.
    pub(crate) fn forget_caches(&self) -> Result<(), String> {
        files::anew(&self.home())?;
        files::anew(&self.results())
    }

    /// Installs the client's missing packages, in their pinned releases.
    pub(crate) fn install(&self, client: &Client) -> Result<(), String> {
        let file = workspace().join("tests/clients").join(&client.name).join("requirements.txt");
        let wanted = files::read(&file)?;
        let done = self.folder.join(DONE);
        if std::fs::read_to_string(&done).is_ok_and(|text| text == wanted) {
            return Ok(());
        }
        println!("{}: installing into {}", client.name, self.folder.display());
        // pip selects no releases itself, because all packages, including dependencies, are pinned.
        files::quiet(self.pip().args(["--no-compile", "--no-deps", "--requirement"]).arg(&file))?;
        if let Some(source) = &client.source {
            self.get_source(source)?;
        }
        if let Some(package) = &client.compiled {
            self.compile(package)?;
        }
        files::write(&done, wanted)
    }

    fn pip(&self) -> Command {
        let mut command = Command::new(self.python());
        command.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        command
    }

    /// Unpacks the source archive of a package whose wheel lacks its tests.
    fn get_source(&self, source: &Source) -> Result<(), String> {
        let archives = self.folder.join("archive");
        let mut pip = Command::new(self.python());
        pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]);
        pip.args(["--no-binary", &source.package, "--dest"]).arg(&archives);
        pip.arg(format!("{}=={}", source.package, source.version));
        files::quiet(pip.envs(&source.environment))?;
        let name = format!("{}-{}", source.package, source.version);
        let archive = archives.join(format!("{name}.tar.gz"));
        let unpacked = self.folder.join("unpacked");
        let unpack = ["-m", "tarfile", "-e"];
        files::quiet(Command::new(self.python()).args(unpack).arg(&archive).arg(&unpacked))?;
        let to = self.folder.join("source");
        files::remove(&to)?;
        files::rename(&unpacked.join(name), &to)?;
        files::remove(&unpacked)
    }

    /// Compiles a package that has no wheel against the headers of NVIDIA's packages. These contain
    /// no `libcuda`, so that the package is linked with an empty library of that name; at run time
    /// texunit's is loaded.
    fn compile(&self, package: &str) -> Result<(), String> {
        let toolkit = self.site.join("nvidia/cu13");
        let stubs = self.folder.join("stubs");
        files::folder(&stubs)?;
        let empty = stubs.join("empty.c");
        files::write(&empty, "")?;
        for (name, soname) in [("cuda", "libcuda.so.1"), ("curand", "libcurand.so.10")] {
            let mut cc = Command::new("cc");
            cc.args(["-shared", &format!("-Wl,-soname,{soname}"), "-o"]);
            files::quiet(cc.arg(stubs.join(format!("lib{name}.so"))).arg(&empty))?;
        }
        let include = toolkit.join("include");
        let headers = [include.clone(), include.join("cccl")];
        let path = format!("{}:{}", toolkit.join("bin").display(), self.expand("{path}"));
        let mut pip = self.pip();
        pip.args(["--no-compile", "--no-deps", "--no-build-isolation", "--no-cache-dir"]);
        pip.args(["--force-reinstall", "--no-binary", ":all:", package]);
        pip.env("PATH", path).env("CFLAGS", "-w -O1").env("LDFLAGS", "-Wl,--no-as-needed");
        pip.env("CPATH", std::env::join_paths(headers).map_err(|e| e.to_string())?);
        files::quiet(pip.env("LIBRARY_PATH", stubs))
    }
}

/// A package that uses CUDA, with a test suite.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Client {
    pub(crate) name: String,
    pub(crate) what: String,
    pub(crate) absent: Option<String>,
    pub(crate) source: Option<Source>,
    pub(crate) compiled: Option<String>,
    #[serde(default)]
    pub(crate) tests: Vec<String>,
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) pytest: Vec<String>,
    /// Seconds, as `test_limit`.
    #[serde(default)]
    pub(crate) limit: u32,
    #[serde(default)]
    pub(crate) test_limit: u32,
}

/// A source archive on PyPI.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Source {
    pub(crate) package: String,
    pub(crate) version: String,
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
}

/// All clients, in the order of the table.
pub(crate) static CLIENTS: LazyLock<Vec<Client>> =
    LazyLock::new(|| files::rows(include_str!("../../../tests/clients/clients.toml")));
