//! Lattices of qubits: how many sites, and which pairs interact, in which order.

use super::ModelError;
use super::error::in_range;
use crate::problem::MAX_MODES;

/// The sites and edges that an Ising model lives on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lattice {
    /// Sites 0 to n - 1 in a row. Edges from left to right.
    Line {
        /// The number of sites, at least 1.
        sites: u32,
    },
    /// A line whose ends are joined. Edges from left to right, the closing one last.
    Ring {
        /// The number of sites, at least 3.
        sites: u32,
    },
    /// A square lattice with open ends. Site `row * columns + column`; for each site in order the edge to its right, then the one below.
    Grid {
        /// The number of columns, at least 1.
        columns: u32,
        /// The number of rows, at least 1.
        rows: u32,
    },
    /// The heavy-hexagon lattice of quantum processors: 7 rows of 15 columns are the 127 qubits of an Eagle, 13 of 27 the 433 of an Osprey.
    ///
    /// Long rows of qubits, joined by bridges of one qubit each: between rows r and r + 1 at columns 0, 4, 8, ... for even r and 2, 6, 10, ... for odd r.
    /// The first row lacks its last qubit and the last row the end that has no bridge. Sites are numbered row by row, the bridges below a row after it.
    /// Edges: the row from left to right, down from the row to each bridge, down from each bridge to the next row, and so on.
    HeavyHex {
        /// The columns of a full row, 4k + 3.
        columns: u32,
        /// The number of rows, at least 2.
        rows: u32,
    },
    /// One heavy hexagon, a ring of 12 qubits numbered clockwise from its upper left corner; its edges in the order of the large lattice.
    HeavyHexCell,
    /// Any graph.
    Graph {
        /// The number of sites.
        sites: u32,
        /// Its edges, the lower site of each first, in the order in which they interact.
        edges: Vec<(u32, u32)>,
    },
}

impl Lattice {
    /// The number of sites.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] if a dimension is zero or too small, or the whole has more than [`MAX_MODES`] sites; [`ModelError::HeavyHexColumns`].
    pub fn n_sites(&self) -> Result<u32, ModelError> {
        let most = u64::from(MAX_MODES);
        let sites = match *self {
            Lattice::Line { sites } | Lattice::Graph { sites, .. } => u64::from(sites),
            Lattice::Ring { sites } => {
                in_range("sites", sites.into(), 3, most)?;
                sites.into()
            }
            Lattice::Grid { columns, rows } => {
                in_range("columns", columns.into(), 1, most)?;
                in_range("rows", rows.into(), 1, most)?;
                u64::from(columns) * u64::from(rows)
            }
            Lattice::HeavyHex { columns, rows } => {
                in_range("rows", rows.into(), 2, most)?;
                in_range("columns", columns.into(), 3, most)?;
                if columns % 4 != 3 {
                    return Err(ModelError::HeavyHexColumns { found: columns });
                }
                let (columns, rows) = (u64::from(columns), u64::from(rows));
                columns * rows - 2 + (rows - 1) * columns.div_ceil(4)
            }
            Lattice::HeavyHexCell => 12,
        };
        in_range("the number of sites", sites, 1, most)?;
        // At most MAX_MODES by the line above.
        Ok(u32::try_from(sites).unwrap_or(MAX_MODES))
    }

    /// The pairs of sites that interact, the lower one first, in order.
    ///
    /// # Errors
    /// As [`n_sites`](Self::n_sites), and [`ModelError::Edge`] for an edge of a graph that is none.
    pub fn edges(&self) -> Result<Vec<(u32, u32)>, ModelError> {
        let n_sites = self.n_sites()?;
        Ok(match *self {
            Lattice::Line { sites } => (1..sites).map(|site| (site - 1, site)).collect(),
            Lattice::Ring { sites } => {
                let line = (1..sites).map(|site| (site - 1, site));
                line.chain([(0, sites - 1)]).collect()
            }
            Lattice::Grid { columns, rows } => grid(columns, rows),
            Lattice::HeavyHex { columns, rows } => heavy_hex(columns, rows),
            Lattice::HeavyHexCell => vec![
                (0, 1),
                (1, 2),
                (2, 3),
                (3, 4), // the upper row
                (0, 11),
                (4, 5), // down to the bridges
                (10, 11),
                (5, 6), // down from the bridges
                (9, 10),
                (8, 9),
                (7, 8),
                (6, 7), // the lower row
            ],
            Lattice::Graph { ref edges, .. } => {
                if let Some(&(a, b)) = edges.iter().find(|&&(a, b)| a >= b || b >= n_sites) {
                    return Err(ModelError::Edge { a, b, n_sites });
                }
                edges.clone()
            }
        })
    }
}

fn grid(columns: u32, rows: u32) -> Vec<(u32, u32)> {
    let mut edges = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let site = row * columns + column;
            if column + 1 < columns {
                edges.push((site, site + 1));
            }
            if row + 1 < rows {
                edges.push((site, site + columns));
            }
        }
    }
    edges
}

fn heavy_hex(columns: u32, rows: u32) -> Vec<(u32, u32)> {
    let mut edges = Vec::new();
    let mut first = 0;
    for row in 0..rows {
        // The columns of this row that have a qubit.
        let is_last = row + 1 == rows;
        let left = u32::from(is_last && row % 2 == 0);
        let right = columns - u32::from(row == 0 || (is_last && row % 2 == 1));
        edges.extend(
            (left + 1..right).map(|column| (first + column - left - 1, first + column - left)),
        );
        if is_last {
            break;
        }
        // The first column of the next row is the left one, unless that row is the last one and lacks it.
        let next_left = u32::from(row + 2 == rows && (row + 1) % 2 == 0);
        let bridge = first + right - left;
        let bridges = (2 * (row % 2)..columns).step_by(4);
        let next = bridge + columns.div_ceil(4);
        edges.extend(
            (bridge..)
                .zip(bridges.clone())
                .map(|(site, column)| (first + column - left, site)),
        );
        edges.extend(
            (bridge..)
                .zip(bridges)
                .map(|(site, column)| (site, next + column - next_left)),
        );
        first = next;
    }
    edges
}
