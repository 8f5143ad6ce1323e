//! Each verb and each hand-made rival under criterion: `cargo bench -p phalanx-shmcomm --bench verbs`.
//!
//! For comparisons use the bench `ratios`, which runs the arms in turn.
#![allow(missing_docs)]

mod arms;

use std::time::Duration;

use arms::{Batches, Run};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// All steps in one batch.
fn time(steps: u64, arm: impl Fn(Batches) -> Run) -> Duration {
    arm(Batches { n: 1, steps }).times.iter().sum()
}

fn verbs(criterion: &mut Criterion) {
    for case in arms::verbs::cases() {
        let mut group = criterion.benchmark_group(case.name);
        group.sample_size(20);
        group.bench_function("ours", |bench| bench.iter_custom(|n| time(n, case.ours)));
        for (name, arm) in case.others {
            group.bench_function(name, |bench| bench.iter_custom(|n| time(n, arm)));
        }
        group.finish();
    }
}

fn bandwidth(criterion: &mut Criterion) {
    use arms::bandwidth::{Data, bare, memcpy, ours};
    for words in [512, 8_192, 131_072] {
        let mut group =
            criterion.benchmark_group(format!("alltoallv, blocks of {} KiB", words / 128));
        group
            .sample_size(20)
            .throughput(Throughput::Bytes(16 * words as u64));
        for (kind, data) in [("same data", Data::Same), ("fresh data", Data::Fresh)] {
            group.bench_function(format!("ours, {kind}"), |bench| {
                bench.iter_custom(|n| time(n, |batches| ours(batches, words, data)));
            });
            group.bench_function(format!("bare, {kind}"), |bench| {
                bench.iter_custom(|n| time(n, |batches| bare(batches, words, data)));
            });
            group.bench_function(format!("memcpy, {kind}"), |bench| {
                bench.iter_custom(|n| time(n, |batches| memcpy(batches, words, data)));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, verbs, bandwidth);
criterion_main!(benches);
