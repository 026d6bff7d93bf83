//! Tests of whole descriptions: proposals for columns as people name and fill them, and properties
//! of any table.

mod header;
mod properties;
mod roles;
