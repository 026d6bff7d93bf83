//! Integration tests of the core: searches against brute force, fixed points, and the shape of the
//! source tree.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod anytime;
mod assigned;
mod best;
mod bounds;
mod cells;
mod certificate;
mod citations;
mod datafly;
#[path = "../../../verify/src/tests/definitions.rs"]
mod definitions;
mod fixed_points;
mod golden;
mod growth;
mod implications;
mod instances;
mod linkable;
mod local;
mod local_models;
mod losses;
mod measure;
mod minimality;
mod model_errors;
mod models;
mod naive;
#[path = "../../../verify/src/tests/naive_losses.rs"]
mod naive_losses;
mod ola;
mod people;
mod order;
mod personalized;
mod population;
mod policy;
mod prefer;
mod propose;
mod sampled;
mod region_models;
mod regions;
mod search;
mod compare;
mod compare_models;
mod suggest;
mod explore;
mod greedy_rows;
mod row_figures;
mod guide;
mod schema;
mod seams;
mod sets;
mod stopping;
mod strategies;
mod templates;
mod utility;
mod whole;
