//! Circuits that people run, for any size: each model is a struct of documented parameters that makes a [`Problem`](crate::problem::Problem).
