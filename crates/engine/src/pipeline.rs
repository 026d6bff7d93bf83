//! Works on the pieces of a stream on several threads, and hands the results out in order.
//!
//! One thread produces pieces, `threads` others work on them, the caller consumes. A bounded number
//! of pieces is under way, so memory does not grow with the stream.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use throng::error::{Fault, Result};

/// Hands a piece on; false if the consumer has stopped.
pub(crate) type Send<'a, P> = dyn FnMut(P) -> bool + 'a;

/// A piece with its number, and where its result goes.
type Job<P, T> = (u64, P, SyncSender<Result<T>>);

/// Runs `produce`, `work` on every piece and its number from 0, and `each` on every result in the order of the pieces.
///
/// # Errors
/// The first error in that order; then nothing more is produced.
pub(crate) fn pipeline<P: std::marker::Send, T: std::marker::Send>(
    threads: usize,
    produce: impl FnOnce(&mut Send<'_, P>) -> Result<()> + std::marker::Send,
    work: impl Fn(u64, P) -> Result<T> + Sync,
    mut each: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let (ordered, results) = sync_channel::<Receiver<Result<T>>>(threads);
    let (jobs, waiting) = sync_channel::<Job<P, T>>(1);
    let waiting = Mutex::new(waiting);
    let next = || waiting.lock().ok().and_then(|waiting| waiting.recv().ok());
    let work = &work;
    thread::scope(|scope| {
        let producer = scope.spawn(move || {
            let mut numbers = 0..;
            produce(&mut |piece| {
                let (sender, receiver) = sync_channel(1);
                let number = numbers.next().unwrap_or(u64::MAX);
                ordered.send(receiver).is_ok() && jobs.send((number, piece, sender)).is_ok()
            })
        });
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                while let Some((number, piece, sender)) = next() {
                    // Nobody listens after an error.
                    let _ = sender.send(work(number, piece));
                }
            });
        }
        let mut outcome = Ok(());
        for result in results.iter() {
            let result = result.recv().unwrap_or_else(|_| Err(Fault::bug("a reader stopped").into()));
            outcome = result.and_then(&mut each);
            if outcome.is_err() {
                break;
            }
        }
        drop(results);
        let produced = producer.join().unwrap_or_else(|_| Err(Fault::bug("a reader stopped").into()));
        outcome.and(produced)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    fn fault(message: &str) -> Fault {
        Fault::bug(message)
    }

    /// Later pieces are done earlier, and still come later.
    #[test]
    fn results_are_in_order_at_any_number_of_threads() {
        for threads in [1, 2, 7] {
            let mut found = Vec::new();
            let produce = |send: &mut Send<'_, u64>| {
                assert!((0..40).all(&mut *send));
                Ok(())
            };
            let work = |number: u64, piece: u64| {
                assert_eq!(number, piece);
                thread::sleep(Duration::from_micros(400 - piece % 4 * 100));
                Ok(piece * 2)
            };
            let each = |result| {
                found.push(result);
                Ok(())
            };
            pipeline(threads, produce, work, each).unwrap();
            assert_eq!(found, (0..40).map(|piece| piece * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_first_error_in_order_ends_it() {
        let produced = AtomicUsize::new(0);
        let produce = |send: &mut Send<'_, usize>| {
            for piece in 0.. {
                produced.fetch_add(1, Ordering::Relaxed);
                if !send(piece) {
                    break;
                }
            }
            Err(fault("produced").into())
        };
        let work = |_, piece: usize| match piece {
            5 | 6 => Err(fault(&format!("piece {piece}")).into()),
            piece => Ok(piece),
        };
        let mut seen = Vec::new();
        let error = pipeline(3, produce, work, |piece| {
            seen.push(piece);
            Ok(())
        });
        assert_eq!(error.unwrap_err().to_string(), "piece 5");
        assert_eq!(seen, [0, 1, 2, 3, 4]);
        assert!(produced.load(Ordering::Relaxed) < 100);
    }

    #[test]
    fn errors_of_the_producer_and_of_the_consumer_are_returned() {
        let failing = |send: &mut Send<'_, u8>| {
            send(1);
            Err(fault("produced").into())
        };
        let error = pipeline(2, failing, |_, piece| Ok(piece), |_| Ok(())).unwrap_err();
        assert_eq!(error.to_string(), "produced");
        let endless = |send: &mut Send<'_, u8>| {
            while send(1) {}
            Ok(())
        };
        let error =
            pipeline(2, endless, |_, piece| Ok(piece), |_| Err(fault("consumed").into())).unwrap_err();
        assert_eq!(error.to_string(), "consumed");
    }
}
