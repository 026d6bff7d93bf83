//! The estimators against their definitions, and the intervals against simulated populations.

use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::interval::uniform;
use super::*;

fn sample(counts: &[u64], population: u64) -> Sample {
    Sample::new(Sizes::of(counts.iter().copied()), population).unwrap()
}

/// The likelihood of Pitman's sampling formula, term by term.
fn likelihood(sizes: &Sizes, theta: f64, alpha: f64) -> f64 {
    let new: f64 = (1..sizes.classes()).map(|i| (theta + i as f64 * alpha).ln()).sum();
    let all: f64 = (1..sizes.rows()).map(|i| (theta + i as f64).ln()).sum();
    let old: f64 = sizes
        .iter()
        .map(|(size, classes)| classes as f64 * (1..size).map(|i| (i as f64 - alpha).ln()).sum::<f64>())
        .sum();
    new - all + old
}

proptest! {
    #[test]
    fn sizes_count_like_a_map(counts in prop::collection::vec(0u64..6, 0..60)) {
        let sizes = Sizes::of(counts.iter().copied());
        for size in 1..7 {
            prop_assert_eq!(sizes.of_size(size), counts.iter().filter(|&&c| c == size).count() as u64);
        }
        prop_assert_eq!(sizes.rows(), counts.iter().sum::<u64>());
        prop_assert_eq!(sizes.classes(), counts.iter().filter(|&&c| c > 0).count() as u64);
        prop_assert_eq!(sizes.smallest(), counts.iter().copied().filter(|&c| c > 0).min());
    }

    #[test]
    fn no_parameters_near_pitmans_are_likelier(
        few in (30usize..90, 5usize..15, 2usize..8, 1usize..5),
        large in prop::collection::vec(5u64..40, 1..6),
    ) {
        let small = [vec![1; few.0], vec![2; few.1], vec![3; few.2], vec![4; few.3]].concat();
        let sizes = Sizes::of(small.into_iter().chain(large));
        let fit = pitman(&sizes);
        // Nearly all such tables have a fit; proptest gives up where too few have.
        prop_assume!(fit.is_some());
        let fit = fit.unwrap();
        let best = likelihood(&sizes, fit.theta, fit.alpha);
        let near = [(1.05, 0.0), (0.95, 0.0), (1.0, 0.02), (1.0, -0.02), (1.05, 0.01), (0.95, -0.01)];
        for (by_theta, by_alpha) in near {
            let alpha = fit.alpha + by_alpha;
            let theta = (fit.theta + fit.alpha) * by_theta - alpha;
            if alpha > 0.0 && alpha < 1.0 {
                prop_assert!(likelihood(&sizes, theta, alpha) <= best + 1e-9 * best.abs());
            }
        }
    }

    #[test]
    fn zayatz_is_bayes_rule(counts in prop::collection::vec(1u64..5, 1..12), extra in 1u64..40) {
        let sample = sample(&counts, counts.iter().sum::<u64>() + extra);
        let (n, people) = (sample.sizes().rows(), sample.population());
        let choose = |n: u64, k: u64| -> f64 {
            if k > n { 0.0 } else { (0..k).map(|i| (n - i) as f64 / (k - i) as f64).product() }
        };
        let once = |size: u64| size as f64 * choose(people - size, n - 1) / choose(people, n);
        let drawn: f64 = counts.iter().map(|&size| once(size)).sum();
        let unique = counts.iter().filter(|&&c| c == 1).count() as f64;
        let share = if unique == 0.0 { 0.0 } else { unique * once(1) / drawn };
        let expected = share * unique / (n as f64 / people as f64);
        prop_assert!((zayatz(&sample) - expected).abs() <= 1e-9 * expected.max(1.0));
    }

    #[test]
    fn estimates_are_numbers_of_people(counts in prop::collection::vec(1u64..20, 1..60), extra in 0u64..100_000) {
        let sample = sample(&counts, counts.iter().sum::<u64>() + extra);
        for estimator in Estimator::ALL {
            if let Some(people) = estimator.estimate(&sample) {
                prop_assert!((0.0..=sample.population() as f64).contains(&people));
            }
        }
        prop_assert!(dankar(&sample).is_some());
    }
}

#[test]
fn a_sample_that_is_everybody_is_counted() {
    let all = sample(&[1, 1, 2, 5], 9);
    for estimator in Estimator::ALL {
        assert_eq!(estimator.estimate(&all), Some(2.0));
    }
    assert_eq!(Estimator::Pitman.estimate(&sample(&[2, 3], 1000)), Some(0.0));
}

#[test]
fn what_cannot_be_is_refused() {
    let small = Sample::new(Sizes::of([2, 3]), 4).unwrap_err();
    assert!(small.to_string().contains("a population of 4 is smaller than its sample of 5 rows"));
    assert!(Sample::new(Sizes::of([]), 4).is_err());
}

#[test]
fn dankars_rule_chooses_by_fraction() {
    let counts: Vec<u64> = [vec![1; 300], vec![2; 80], vec![3; 40], vec![8; 20]].concat();
    let rows: u64 = counts.iter().sum();
    let (few, fitted) = dankar(&sample(&counts, rows * 100)).unwrap();
    assert_eq!(few, Estimator::Pitman);
    assert_eq!(Some(fitted), Estimator::Pitman.estimate(&sample(&counts, rows * 100)));
    let half = sample(&counts, rows * 2);
    let (_, least) = dankar(&half).unwrap();
    let other = [Estimator::Zayatz, Estimator::Snb].map(|e| e.estimate(&half).unwrap_or(f64::INFINITY));
    assert_eq!(least, other[0].min(other[1]));
    // Where Pitman has no maximum, Zayatz answers.
    assert_eq!(dankar(&sample(&[1, 1, 1], 300)).unwrap().0, Estimator::Zayatz);
}

/// A population whose classes have one person and a negative binomial number of others, drawn as a gamma–Poisson mixture
/// with a whole α, and the classes of a sample of it.
fn slide(rng: &mut ChaCha8Rng, classes: usize, alpha: u32, beta: f64, pi: f64) -> (Vec<u64>, Vec<u64>) {
    let mut population = Vec::new();
    let mut drawn = Vec::new();
    for _ in 0..classes {
        // Failures before α successes of probability β.
        let others: u64 =
            (0..alpha).map(|_| ((1.0 - uniform(rng)).ln() / (1.0 - beta).ln()).floor() as u64).sum();
        population.push(1 + others);
        drawn.push((0..=others).filter(|_| uniform(rng) < pi).count() as u64);
    }
    (population, drawn)
}

#[test]
fn snb_finds_the_uniques_of_its_own_model() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut sum = 0.0;
    let mut truth = 0.0;
    for _ in 0..10 {
        let (population, drawn) = slide(&mut rng, 20_000, 2, 0.6, 0.5);
        let sample = sample(&drawn, population.iter().sum());
        sum += snb(&sample).unwrap();
        truth += population.iter().filter(|&&size| size == 1).count() as f64;
    }
    // The number of classes is itself an estimate, so that only the order of size is to be met.
    assert!((sum / truth - 1.0).abs() < 0.15, "{} is far from {}", sum / 10.0, truth / 10.0);
}

/// The classes of a population drawn by Pitman's formula, and of the first `n` people, who are a sample of it because
/// the order of people does not matter to the formula.
fn pitman_population(
    rng: &mut ChaCha8Rng,
    (theta, alpha): (f64, f64),
    n: usize,
    people: usize,
) -> (Vec<u64>, Vec<u64>) {
    let (mut sizes, mut of): (Vec<u64>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut early = Vec::new();
    for person in 0..people {
        if person == n {
            early = sizes.clone();
        }
        let new = (theta + sizes.len() as f64 * alpha) / (theta + person as f64);
        if uniform(rng) < new {
            of.push(sizes.len());
            sizes.push(1);
            continue;
        }
        // An old class with weight size − α: a person met at random, kept with probability (size − α)/size.
        let class = loop {
            let class = of[(uniform(rng) * of.len() as f64) as usize];
            if uniform(rng) * (sizes[class] as f64) < sizes[class] as f64 - alpha {
                break class;
            }
        };
        of.push(class);
        sizes[class] += 1;
    }
    (sizes, early)
}

/// Populations simulated for a statement about coverage, and how many may be missed: with 95 % coverage more than 9 of 60 are
/// missed with a probability below 0.1 %.
const POPULATIONS: u64 = 60;
const MISSED: usize = 9;

#[test]
fn pitmans_interval_covers_the_uniques_of_simulated_populations() {
    let (n, people) = (1000, 10_000);
    let mut missed = 0;
    for seed in 0..POPULATIONS {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (population, drawn) = pitman_population(&mut rng, (150.0, 0.5), n, people);
        let unique = population.iter().filter(|&&size| size == 1).count() as f64;
        let (low, high) = interval(Estimator::Pitman, &sample(&drawn, people as u64), seed).unwrap();
        assert!(high < 4.0 * low, "{low} to {high} says nothing");
        missed += usize::from(!(low..=high).contains(&unique));
    }
    assert!(missed <= MISSED, "{missed} of {POPULATIONS} missed");
}

#[test]
fn other_intervals_cover_what_their_estimators_tend_to() {
    let of = |seed: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (population, drawn) = slide(&mut rng, 3000, 2, 0.6, 0.3);
        sample(&drawn, population.iter().sum())
    };
    for estimator in [Estimator::Zayatz, Estimator::Snb] {
        let samples: Vec<Sample> = (0..POPULATIONS).map(of).collect();
        let mean = samples.iter().filter_map(|s| estimator.estimate(s)).sum::<f64>() / POPULATIONS as f64;
        let covers = |(seed, s): (usize, &Sample)| {
            interval(estimator, s, seed as u64).is_some_and(|(low, high)| (low..=high).contains(&mean))
        };
        let covered = samples.iter().enumerate().filter(|&s| covers(s)).count();
        assert!(covered + MISSED >= samples.len(), "{}: {covered}", estimator.name());
    }
}

#[test]
fn an_interval_depends_on_the_seed_alone() {
    let sample = sample(&[vec![1; 60], vec![2; 20], vec![5; 9]].concat(), 5000);
    let once = interval(Estimator::Pitman, &sample, 3);
    assert!(once.is_some());
    assert_eq!(once, interval(Estimator::Pitman, &sample, 3));
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(once, one_thread.install(|| interval(Estimator::Pitman, &sample, 3)));
}
