//! Limits the arenas of glibc's allocator to one per core, and returns memory that it keeps. This
//! crate has the only unsafe code of the workspace, so that a sanitizer can test it in seconds
//! (`make sanitizer-test`).
//!
//! By default glibc gives every thread an arena of its own, up to eight per core. An arena keeps
//! what its threads free, so a process whose stages use different threads holds the sum of their
//! peaks. One arena per core holds about the greatest: 205 instead of 246 MB for a million patients
//! in `throng argus`, 48 instead of 60 MB for k-Similar on 30,162 rows, at the same CPU time
//! (docs/performance.md). Other allocators (mimalloc 3, jemalloc 5) took as much memory as the
//! default, or more time. Cost: one call, at the start of the process.

/// Limits the number of arenas. Call it first in `main`. Does nothing on other C libraries, and
/// nothing where the environment sets `MALLOC_ARENA_MAX`.
pub fn limit_to_cores() {
    if std::env::var_os("MALLOC_ARENA_MAX").is_some() {
        return;
    }
    let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    limit(i32::try_from(cores.max(2)).unwrap_or(i32::MAX));
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn limit(arenas: i32) {
    // SAFETY: `mallopt` takes two integers and touches no memory of the caller. It stores the limit
    // under the allocator's own lock, so that it may run beside allocations of other threads, and
    // glibc accepts every value above 0. Memory that was allocated before stays valid: the limit is
    // read only when a thread asks for its first arena. A refusal (result 0) leaves the default.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, arenas);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn limit(_arenas: i32) {}

/// Returns memory that was freed and that the allocator keeps. Call it between stages that need
/// much memory for different things: what the first has freed is in pieces that the next does not
/// fit into. Costs about a millisecond per 10 MB that are returned.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn return_freed() {
    // SAFETY: `malloc_trim` takes an integer and touches no memory of the caller. It locks one arena
    // after the other, so that it may run beside allocations of other threads, and returns only
    // pages that lie wholly within freed blocks. Its result says whether there were any.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Does nothing on other C libraries.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn return_freed() {}

#[cfg(test)]
mod tests {
    use std::thread;

    /// What was allocated before the limit, and by more threads than there are arenas, keeps its
    /// content, and can be freed by another thread.
    #[test]
    fn memory_from_before_and_after_the_limit_is_intact() {
        let allocate = |seed: usize| -> Vec<Vec<u8>> {
            (0..200).map(|i| vec![(seed * 7 + i) as u8; (i * 131 + seed) % 70_000 + 1]).collect()
        };
        let intact = |seed: usize, blocks: &[Vec<u8>]| {
            blocks.iter().enumerate().all(|(i, b)| b.iter().all(|&x| x == (seed * 7 + i) as u8))
        };
        let before = allocate(99);
        super::limit_to_cores();
        let threads: Vec<_> = (0..16).map(|seed| thread::spawn(move || allocate(seed))).collect();
        super::limit(1);
        // Beside threads that may still allocate, and with freed blocks between others.
        let freed: Vec<_> = allocate(98).into_iter().step_by(2).collect();
        super::return_freed();
        assert!(freed.iter().enumerate().all(|(i, b)| b.iter().all(|&x| x == (98 * 7 + 2 * i) as u8)));
        for (seed, thread) in threads.into_iter().enumerate() {
            let blocks = thread.join().expect("a thread that allocates");
            assert!(intact(seed, &blocks), "blocks of thread {seed}");
        }
        assert!(intact(99, &before), "blocks from before");
    }
}
