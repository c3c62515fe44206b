//! Creates buffers, and initialises module variables.

use super::Binder;
use crate::expect::Pieces;
use crate::problem::{Problem, codes};
use crate::spec::{BufferSpec, Data, Parts};
use crate::texel_resource::refused;
use std::path::PathBuf;
use texunit_device::{Buffer, Format, Linear, Placement};
use texunit_files::{FileError, Kind, TexelRequest};
use texunit_forms::Count;
use texunit_spec::At;

impl Binder<'_> {
    /// The path of an input file, which is relative to the job file.
    pub(super) fn path(&self, file: &At<PathBuf>) -> PathBuf {
        let path = self.folder.join(&file.value);
        self.read.borrow_mut().push(path.clone());
        path
    }

    pub(super) fn buffer(&self, spec: &BufferSpec, name: &str) -> Result<Buffer, Problem> {
        let bytes = match &spec.data {
            Data::Zeros(_) => Vec::new(),
            data => self.data(data, 0)?,
        };
        let pieces = Pieces::new(bytes, spec.parts.as_ref(), &spec.at)?;
        let own = match spec.data {
            Data::Zeros(count) => count.unwrap_or(0),
            _ => pieces.end(),
        };
        let size = match &spec.size {
            Some(size) if size.value < own => {
                let (own, most) = (Count(own, "byte"), size.value);
                let message = format!("the data has {own}, more than the size of {most}");
                return Err(size.problem(codes::VALUE, message));
            }
            Some(size) => size.value,
            None => own,
        };
        if size == 0 {
            return Err(spec.at.problem(codes::VALUE, "the buffer has no bytes"));
        }
        let buffer = match &spec.place.address {
            Some(address) => {
                let (address, number) = (address.value, spec.place.number);
                self.device.alloc_at(&Placement { address, size, name, number })
            }
            None => self.device.alloc(size, name),
        };
        let buffer = buffer.map_err(refused(&spec.at))?;
        if !spec.is_undefined {
            buffer.clear();
        }
        for (offset, bytes) in pieces.iter() {
            buffer.write(offset, bytes).map_err(refused(&spec.at))?;
        }
        Ok(buffer)
    }

    /// Initialises a module variable.
    pub(super) fn initialize(
        &self,
        global: &Linear,
        data: &At<Data>,
        parts: Option<&At<Parts>>,
    ) -> Result<(), Problem> {
        let size = global.size();
        let pieces = Pieces::new(self.data(&data.value, size)?, parts, data)?;
        if pieces.end() > size {
            let message =
                format!("the data has more than the {} of the variable", Count(size, "byte"));
            return Err(data.problem(codes::VALUE, message));
        }
        if parts.is_some() {
            // Bytes that the key `parts` does not list are zero, as in a buffer; the module's
            // initialiser is not used.
            global.write(0, &vec![0; size as usize]).map_err(refused(data))?;
        }
        pieces
            .iter()
            .try_for_each(|(offset, bytes)| global.write(offset, bytes).map_err(refused(data)))
    }

    /// The bytes of initial contents; zeros without a count are as many as `size`.
    pub(super) fn data(&self, data: &Data, size: u64) -> Result<Vec<u8>, Problem> {
        match data {
            Data::Zeros(count) => {
                Ok(vec![0; count.unwrap_or(size).min(size.saturating_add(1)) as usize])
            }
            Data::Inline(bytes) => Ok(bytes.clone()),
            Data::File(file, format) => self.file_bytes(file, format.as_ref()),
        }
    }

    fn file_bytes(
        &self,
        file: &At<PathBuf>,
        format: Option<&At<Format>>,
    ) -> Result<Vec<u8>, Problem> {
        let path = self.path(file);
        let kind = Kind::of(&path);
        let read = match (kind, format) {
            (Kind::Raw, Some(format)) => {
                let message = "a raw file is taken as it is: leave `format` out";
                return Err(format.problem(codes::CONFLICT, message));
            }
            (Kind::Raw, None) => texunit_files::read_bytes(&path),
            (Kind::Npy, None) => texunit_files::read_array(&path).map(|a| a.bytes),
            (_, Some(format)) => {
                let wanted = TexelRequest { format: format.value, dims: None, extent: None };
                texunit_files::read_texels(&path, &wanted).map(|t| t.bytes)
            }
            (_, None) => {
                let kind = kind.name();
                let needs = "needs a `format`, for instance \"u8x4\"";
                let message = format!("a buffer from a {kind} file {needs}");
                return Err(file.problem(codes::MISSING_KEY, message));
            }
        };
        read.map_err(file_problem(file))
    }
}

/// The problem of a file that cannot be read, at the key that names it.
pub(super) fn file_problem<T>(at: &At<T>) -> impl Fn(FileError) -> Problem + '_ {
    |error| at.problem(codes::FILE, error.to_string())
}
