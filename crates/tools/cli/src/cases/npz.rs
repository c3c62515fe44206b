//! Writes the numbers of a suite as NumPy arrays: a ZIP of NPY files, with the document that names
//! them.

use super::suite::Numbers;
use serde_json::{Value, json};
use std::io::{Cursor, Write};
use texunit_files::{Dtype, encode_array};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// The name of the document's member, which is an array of UTF-8 bytes.
const DOCUMENT: &str = "document";

/// The archive that is being written.
pub(super) struct Arrays(ZipWriter<Cursor<Vec<u8>>>);

impl Arrays {
    pub(super) fn new() -> Self {
        Self(ZipWriter::new(Cursor::new(Vec::new())))
    }

    fn add(&mut self, name: &str, dtype: Dtype, shape: &[u64], bytes: &[u8]) -> Result<(), String> {
        // Without a time stamp, so that the same cases give the same file.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(zip::DateTime::default());
        let file = encode_array(dtype, shape, bytes);
        let added = self.0.start_file(format!("{name}.npy"), options);
        added.map_err(|e| e.to_string())?;
        self.0.write_all(&file).map_err(|e| e.to_string())
    }

    /// Completes the file.
    pub(super) fn finish(mut self, document: &Value) -> Result<Vec<u8>, String> {
        let text = document.to_string();
        self.add(DOCUMENT, Dtype::U8, &[text.len() as u64], text.as_bytes())?;
        self.0.finish().map(Cursor::into_inner).map_err(|e| e.to_string())
    }
}

impl Numbers for Arrays {
    fn words(&mut self, name: String, columns: Vec<Vec<u32>>) -> Result<Value, String> {
        let rows = columns.first().map_or(0, Vec::len) as u64;
        let bytes: Vec<u8> = columns.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
        self.add(&name, Dtype::U32, &[columns.len() as u64, rows], &bytes)?;
        Ok(json!(name))
    }

    fn bytes(&mut self, name: String, bytes: &[u8]) -> Result<Value, String> {
        self.add(&name, Dtype::U8, &[bytes.len() as u64], bytes)?;
        Ok(json!(name))
    }
}
