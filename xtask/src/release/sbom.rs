//! Generates the bill of materials, a list of the linked crates in CycloneDX 1.6 (JSON).

use crate::dist::notices::LINKED;
use crate::files;
use crate::metadata::{Metadata, Package};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Checksums of packages by name and version, from the text of Cargo.lock.
fn checksums(lock: &str) -> BTreeMap<(&str, &str), &str> {
    lock.split("[[package]]").filter_map(checksum).collect()
}

fn checksum(package: &str) -> Option<((&str, &str), &str)> {
    let value = |key: &str| {
        let mut values = package.lines().filter_map(|line| line.strip_prefix(key));
        values.find_map(|rest| rest.strip_prefix(" = \"")?.strip_suffix('"'))
    };
    Some(((value("name")?, value("version")?), value("checksum")?))
}

fn purl(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version)
}

/// The bill of materials as JSON. It has no date and no serial number, so that equal sources give
/// equal bytes.
pub(super) fn document(metadata: &Metadata) -> Result<Value, String> {
    let lock = files::read(&crate::workspace().join("Cargo.lock"))?;
    let checksums = checksums(&lock);
    let packages = metadata.linked(&LINKED)?;
    let component = |package: &&Package| {
        let mut component = json!({
            "type": "library",
            "bom-ref": purl(package),
            "name": package.name,
            "version": package.version,
            "description": package.description,
            "licenses": [{ "expression": package.licence }],
            "purl": purl(package),
        });
        if let Some(sum) = checksums.get(&(&*package.name, &*package.version)) {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
        }
        component
    };
    let dependency = |package: &&Package| {
        let needs: Vec<String> = metadata.needs(package).map(purl).collect();
        json!({ "ref": purl(package), "dependsOn": needs })
    };
    let roots = packages.iter().filter(|package| LINKED.contains(&&*package.name));
    let roots: Vec<String> = roots.map(|package| purl(package)).collect();
    let release = format!("texunit@{}", env!("CARGO_PKG_VERSION"));
    let mut dependencies: Vec<Value> = packages.iter().map(dependency).collect();
    dependencies.push(json!({ "ref": release, "dependsOn": roots }));
    Ok(json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "component": {
            "type": "application",
            "bom-ref": release,
            "name": "texunit",
            "version": env!("CARGO_PKG_VERSION"),
            "licenses": [{ "expression": env!("CARGO_PKG_LICENSE") }],
        } },
        "components": packages.iter().map(component).collect::<Vec<_>>(),
        "dependencies": dependencies,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn components_have_licence_and_checksum_and_their_dependencies_are_listed() {
        let document = document(&Metadata::read().unwrap()).unwrap();
        let components = document["components"].as_array().unwrap();
        let refs: BTreeSet<&str> =
            components.iter().map(|component| component["bom-ref"].as_str().unwrap()).collect();
        assert_eq!(refs.len(), components.len());
        for component in components {
            let name = component["name"].as_str().unwrap();
            assert!(!component["licenses"][0]["expression"].as_str().unwrap().is_empty(), "{name}");
            let has_sum = component["hashes"][0]["content"].as_str().is_some_and(|s| s.len() == 64);
            assert_eq!(has_sum, !name.starts_with("texunit"), "{name}");
        }
        for dependency in document["dependencies"].as_array().unwrap() {
            let needs = dependency["dependsOn"].as_array().unwrap();
            assert!(needs.iter().all(|need| refs.contains(need.as_str().unwrap())), "{dependency}");
        }
        let has = |name: &str| components.iter().any(|component| component["name"] == name);
        assert!(has("texunit-unit") && has("rustfft") && !has("cbindgen") && !has("proptest"));
    }
}
