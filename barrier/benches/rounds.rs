//! Every barrier at two threads, under criterion: `cargo bench -p phalanx-barrier --bench rounds`.

mod arms;

use arms::{Crew, arms};
use criterion::{Criterion, criterion_group, criterion_main};

fn rounds(criterion: &mut Criterion) {
    let n = 2;
    let arms = arms(n);
    let mut crew = Crew::new(n, &arms);
    let pins = crew.pinned_to.as_ref().map_or("unpinned", |_| "pinned");
    let mut group = criterion.benchmark_group(format!("{n} threads, {pins}"));
    for (index, arm) in arms.iter().enumerate() {
        group.bench_function(arm.name, |bencher| {
            bencher.iter_custom(|n_rounds| crew.time(index, n_rounds));
        });
    }
    group.finish();
}

criterion_group!(benches, rounds);
criterion_main!(benches);
