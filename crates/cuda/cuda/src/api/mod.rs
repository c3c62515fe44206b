//! The exported functions of the driver API, one module for each section of its documentation.

mod array;
mod context;
mod copy;
mod copy_batch;
pub(crate) mod device;
mod event;
mod function;
mod graph;
mod green;
mod host;
mod init;
mod ipc;
mod launch;
mod library;
mod link;
mod logs;
mod managed;
mod memory;
mod module;
mod narrow;
mod occupancy;
mod pointer;
mod pool;
mod stream;
mod texture;
mod virtual_memory;

// Names that most of these modules use.
use crate::array::ArrayObject;
use crate::call::driver_api;
use crate::check_log::QueuePosition;
use crate::context::{Context, current};
use crate::deferred::Order;
use crate::graph::op::Op;
use crate::module::{Function, Module};
use crate::prelude::*;
use crate::settings::{printed_refusal, say_refused};
use crate::shape::Shape;
use crate::state::Gpu;
use crate::stream::{Event, Stream};
use crate::{checks, deferred, state};
use std::ffi::{c_char, c_ulonglong};
