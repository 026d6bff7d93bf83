//! Integration tests of the core: searches against brute force, fixed points, and the shape of the source tree.

mod fixed_points;
mod naive;
mod policy;
mod search;
mod seams;
mod strategies;
