//! One file per attack.

pub(crate) mod background;
pub(crate) mod complementary;
pub(crate) mod composition;
pub(crate) mod differencing;
pub(crate) mod homogeneity;
pub(crate) mod inference;
pub(crate) mod linkability;
pub(crate) mod membership;
pub(crate) mod minimality;
pub(crate) mod rare;
pub(crate) mod singling_out;
pub(crate) mod skewness;
pub(crate) mod temporal;
pub(crate) mod unsorted;
