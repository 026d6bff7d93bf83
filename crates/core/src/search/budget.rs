//! How long a search may go on, and whom it tells how far it is.

/// How far a search is.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Nodes checked.
    pub checked: u64,
    /// Nodes of the lattice.
    pub nodes: u128,
    /// The least loss so far.
    pub best: Option<f64>,
    /// What every node costs at least, where that is known.
    pub bound: Option<f64>,
}

/// Asked between nodes.
pub struct Budget<'a> {
    /// Whether to stop now and give the best so far.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Told after every node.
    pub progress: &'a (dyn Fn(Progress) + Sync),
}

impl Budget<'_> {
    /// Never stops, tells nobody.
    pub fn unlimited() -> Budget<'static> {
        Budget { cancelled: &|| false, progress: &|_| {} }
    }
}
