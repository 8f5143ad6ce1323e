//! The process's mask is that of its main thread as it was before we pinned it. Tests run on other threads than
//! the main one, so this is a program of its own.

#[cfg(target_os = "linux")]
fn main() {
    use phalanx_topology::Topology;

    let whole = Topology::discover().unwrap();
    let pu = whole.cores()[0].pu();
    let other = whole.cores()[whole.cores().len() - 1].pu();
    let sees_all = |when: &str| {
        assert_eq!(Topology::discover().unwrap(), whole, "{when}");
        let elsewhere = std::thread::spawn(Topology::discover)
            .join()
            .unwrap()
            .unwrap();
        assert_eq!(
            elsewhere, whole,
            "{when}, from a thread that inherited the pin"
        );
    };

    let outer = whole.pin_current_thread(pu).unwrap();
    sees_all("while the main thread is pinned");
    let inner = whole.pin_current_thread(other).unwrap();
    sees_all("while it is pinned twice");
    drop(inner);
    sees_all("after the inner pin");
    drop(outer);
    sees_all("after the outer pin");
    whole.pin_current_thread(pu).unwrap().keep();
    sees_all("for good");
    println!("main_thread: 5 of 5 passed");
}

#[cfg(not(target_os = "linux"))]
fn main() {}
