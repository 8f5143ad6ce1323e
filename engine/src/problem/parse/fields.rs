//! The keys of an object.

use serde::de::{Error, MapAccess};

use super::{Fault, Trail, shortened};

/// The keys of one object as they come: known ones only, each at most once.
pub(super) struct Fields<'t> {
    trail: &'t Trail,
    known: &'static [&'static str],
    seen: Vec<&'static str>,
}

impl<'t> Fields<'t> {
    pub(super) fn new(trail: &'t Trail, known: &'static [&'static str]) -> Self {
        Fields {
            trail,
            known,
            seen: Vec::new(),
        }
    }

    /// The next key; the trail then stands at its value until [`done`](Self::done).
    pub(super) fn next_key<'de, A: MapAccess<'de>>(
        &mut self,
        map: &mut A,
    ) -> Result<Option<&'static str>, A::Error> {
        let Some(found) = map.next_key::<String>()? else {
            return Ok(None);
        };
        let Some(&key) = self.known.iter().find(|&&key| key == found) else {
            let (key, known) = (shortened(&found), self.known);
            return Err(self.trail.fail(Fault::UnknownKey { key, known }));
        };
        if self.seen.contains(&key) {
            return Err(self.trail.fail(Fault::DuplicateKey { key }));
        }
        self.seen.push(key);
        self.trail.enter_key(key);
        Ok(Some(key))
    }

    pub(super) fn done(&self) {
        self.trail.leave();
    }

    pub(super) fn require<T, E: Error>(&self, key: &'static str, value: Option<T>) -> Result<T, E> {
        value.ok_or_else(|| self.trail.fail(Fault::MissingKey { key }))
    }
}
