//! The packages of the workspace and its dependencies, with licences, as `cargo metadata` lists
//! them.

use crate::files;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A package of the workspace or one of its dependencies.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) description: String,
    /// The licence, as an SPDX expression.
    pub(crate) licence: String,
    pub(crate) folder: PathBuf,
    /// Whether the package is part of the workspace.
    pub(crate) is_own: bool,
    /// Whether `cargo publish` may publish the package.
    pub(crate) is_published: bool,
    /// Whether the package is a procedural macro, which runs while others are compiled.
    is_macro: bool,
    /// Identities of the package's normal dependencies.
    needs: Vec<String>,
}

/// The packages of the workspace and its dependencies, by identity.
pub(crate) struct Metadata(BTreeMap<String, Package>);

fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    value[key].as_array().into_iter().flatten()
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

fn package(value: &Value, needs: Option<&Vec<String>>) -> Package {
    let is_macro =
        list(value, "targets").flat_map(|t| list(t, "kind")).any(|kind| kind == "proc-macro");
    let manifest = text(value, "manifest_path");
    Package {
        name: text(value, "name"),
        version: text(value, "version"),
        description: text(value, "description"),
        licence: text(value, "license").replace('/', " OR "),
        folder: Path::new(&manifest).parent().unwrap_or(Path::new(".")).to_owned(),
        is_own: value["source"].is_null(),
        is_published: value["source"].is_null() && value["publish"].is_null(),
        is_macro,
        needs: needs.cloned().unwrap_or_default(),
    }
}

impl Metadata {
    /// Runs `cargo metadata` for the platform of the archive and the wheel.
    pub(crate) fn read() -> Result<Self, String> {
        let mut command = files::cargo();
        command.args(["metadata", "--format-version", "1", "--locked", "--quiet"]);
        command.args(["--filter-platform", &crate::dist::zig::triple(), "--manifest-path"]);
        let printed = files::call(command.arg(crate::workspace().join("Cargo.toml")))?;
        let all: Value =
            serde_json::from_str(&printed).map_err(|e| format!("cargo metadata: {e}"))?;
        let is_normal = |dep: &&Value| list(dep, "dep_kinds").any(|kind| kind["kind"].is_null());
        let needs: BTreeMap<String, Vec<String>> = list(&all["resolve"], "nodes")
            .map(|node| {
                let needs = list(node, "deps").filter(is_normal).map(|dep| text(dep, "pkg"));
                (text(node, "id"), needs.collect())
            })
            .collect();
        let packages = list(&all, "packages").map(|value| {
            let id = text(value, "id");
            let package = package(value, needs.get(&id));
            (id, package)
        });
        Ok(Self(packages.collect()))
    }

    /// The packages that the named ones are linked with, including themselves, each after its
    /// dependencies.
    pub(crate) fn linked(&self, names: &[&str]) -> Result<Vec<&Package>, String> {
        let (mut seen, mut order) = (BTreeSet::new(), Vec::new());
        for name in names {
            let found = self.0.iter().find(|(_, package)| package.is_own && package.name == *name);
            let (id, _) = found.ok_or_else(|| format!("cargo metadata lists no package {name}"))?;
            self.visit(id, &mut seen, &mut order);
        }
        Ok(order)
    }

    fn visit<'m>(
        &'m self,
        id: &'m str,
        seen: &mut BTreeSet<&'m str>,
        order: &mut Vec<&'m Package>,
    ) {
        let Some(package) = self.0.get(id).filter(|package| !package.is_macro) else { return };
        if seen.insert(id) {
            package.needs.iter().for_each(|need| self.visit(need, seen, order));
            order.push(package);
        }
    }

    /// The dependencies of a package that [`Self::linked`] has returned.
    pub(crate) fn needs(&self, package: &Package) -> impl Iterator<Item = &Package> {
        package.needs.iter().filter_map(|id| self.0.get(id)).filter(|need| !need.is_macro)
    }

    /// The packages that are published, each after its dependencies.
    pub(crate) fn published(&self) -> Result<Vec<&Package>, String> {
        let published = self.0.values().filter(|package| package.is_published);
        let names: Vec<&str> = published.map(|package| package.name.as_str()).collect();
        let mut order = self.linked(&names)?;
        order.retain(|package| package.is_published);
        Ok(order)
    }

    /// The packages of the workspace.
    pub(crate) fn own(&self) -> impl Iterator<Item = &Package> {
        self.0.values().filter(|package| package.is_own)
    }
}
