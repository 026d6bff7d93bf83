//! Integration tests of the engine: files in, files out, and what happens when they are not what they should be.

mod support;

mod scan_csv;
mod scan_files;
mod scan_formats;
mod group;
mod transform;
mod order;
mod release;
mod release_property;
mod verify;
mod messages;
