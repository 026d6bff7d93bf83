//! Tests of the whole description: what is proposed for columns as people name and fill them, and what
//! holds for any table.

mod properties;
mod roles;
