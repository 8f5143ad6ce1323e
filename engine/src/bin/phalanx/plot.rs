//! The picture of a run: terms, seconds and expectation of each repeat, one above the other.

use std::fmt::Display;
use std::ops::Range;

use phalanx_engine::run::Row;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use crate::failure::Failure;
use crate::numbers::{count, scaled};

const SIZE: (u32, u32) = (900, 960);
const TERMS: RGBColor = RGBColor(31, 119, 180);
const SECONDS: RGBColor = RGBColor(214, 119, 14);
const EXPECTATION: RGBColor = RGBColor(44, 140, 76);
const INK: RGBColor = RGBColor(40, 40, 40);
const GRID: RGBColor = RGBColor(225, 225, 225);

/// One curve, as its panel shows it.
struct Curve<'a> {
    title: &'a str,
    color: RGBColor,
    points: Vec<(f64, f64)>,
    /// How the numbers on its axis are written.
    label: &'a dyn Fn(f64) -> String,
    /// Whether the last panel's axis of repeats is below it.
    is_last: bool,
}

/// Draws the rows of a run as SVG.
pub(crate) fn svg(name: &str, rows: &[Row]) -> Result<String, Failure> {
    let mut text = String::new();
    draw(&mut text, name, rows).map_err(|error| Failure::run(format!("cannot draw: {error}")))?;
    Ok(text)
}

fn draw(text: &mut String, name: &str, rows: &[Row]) -> Result<(), String> {
    let root = SVGBackend::with_string(text, SIZE).into_drawing_area();
    root.fill(&WHITE).map_err(say)?;
    let repeats = count(rows.len() as u64, "repeat");
    let title = match name {
        "" => repeats,
        name => format!("{name}, {repeats}"),
    };
    let root = root.margin(8, 0, 0, 0);
    let root = root
        .titled(&title, ("sans-serif", 24).into_font().color(&INK))
        .map_err(say)?;
    let panels = root.split_evenly((3, 1));
    let points = |value: fn(&Row) -> f64| -> Vec<(f64, f64)> {
        let points = rows.iter().map(|row| (row.repeat as f64, value(row)));
        points.filter(|(_, y)| y.is_finite()).collect()
    };
    let terms = Curve {
        title: "terms",
        color: TERMS,
        points: points(|row| row.num_terms as f64),
        label: &round,
        is_last: false,
    };
    let seconds = Curve {
        title: "seconds per repeat",
        color: SECONDS,
        points: points(|row| row.seconds),
        label: &short,
        is_last: false,
    };
    let expectation = Curve {
        title: "expectation",
        color: EXPECTATION,
        points: points(|row| row.expectation),
        label: &short,
        is_last: true,
    };
    match log_range(&terms.points) {
        Some(range) => panel(&panels[0], &terms, range.log_scale())?,
        None => panel(&panels[0], &terms, from_zero(&terms.points))?,
    }
    panel(&panels[1], &seconds, from_zero(&seconds.points))?;
    panel(&panels[2], &expectation, around(&expectation.points))?;
    root.present().map_err(say)
}

fn panel<Y>(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    curve: &Curve<'_>,
    y: Y,
) -> Result<(), String>
where
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Cartesian2d<RangedCoordf64, Y::CoordDescType>: CoordTranslate<From = (f64, f64)>,
{
    let last = curve.points.iter().map(|(x, _)| *x).fold(1.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .margin_right(24)
        .x_label_area_size(if curve.is_last { 44 } else { 26 })
        .y_label_area_size(84)
        .caption(
            curve.title,
            ("sans-serif", 17).into_font().color(&curve.color),
        )
        .build_cartesian_2d(0.5..last + 0.5, y)
        .map_err(say)?;
    let labels = ("sans-serif", 14).into_font().color(&INK);
    let label = |value: &f64| (curve.label)(*value);
    let mut mesh = chart.configure_mesh();
    mesh.light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(INK)
        .label_style(labels.clone())
        .x_labels(12)
        .y_labels(6)
        .x_label_formatter(&whole)
        .y_label_formatter(&label);
    if curve.is_last {
        mesh.x_desc("repeat").axis_desc_style(labels);
    }
    mesh.draw().map_err(say)?;
    let line = LineSeries::new(curve.points.iter().copied(), curve.color.stroke_width(2));
    chart.draw_series(line).map_err(say)?;
    let radius = if curve.points.len() > 200 { 1 } else { 3 };
    let dots = curve
        .points
        .iter()
        .map(|point| Circle::new(*point, radius, curve.color.filled()));
    chart.draw_series(dots).map_err(say)?;
    Ok(())
}

/// A range for a logarithmic axis, if the values are positive and reach over more than a factor of 50.
fn log_range(points: &[(f64, f64)]) -> Option<Range<f64>> {
    let (low, high) = bounds(points)?;
    (low > 0.0 && high > 50.0 * low).then(|| low / 1.3..high * 1.3)
}

/// A range from zero to a little above the largest value.
fn from_zero(points: &[(f64, f64)]) -> Range<f64> {
    let high = bounds(points).map_or(0.0, |(_, high)| high);
    0.0..if high > 0.0 { high * 1.08 } else { 1.0 }
}

/// A range with a little room on either side; around a constant, wide enough for the numbers on the axis to differ.
fn around(points: &[(f64, f64)]) -> Range<f64> {
    let (low, high) = bounds(points).unwrap_or((0.0, 1.0));
    let size = high.abs().max(low.abs());
    let room = match high - low {
        _ if size == 0.0 => 0.5,
        reach => (0.08 * reach).max(1e-3 * size),
    };
    low - room..high + room
}

fn bounds(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let mut values = points.iter().map(|(_, y)| *y);
    let first = values.next()?;
    Some(values.fold((first, first), |(low, high), y| (low.min(y), high.max(y))))
}

/// The number of a repeat; nothing between two of them.
fn whole(x: &f64) -> String {
    if (x - x.round()).abs() < 1e-9 {
        format!("{x:.0}")
    } else {
        String::new()
    }
}

/// A count: `10 k`
fn round(n: f64) -> String {
    scaled(n, "").replace(".00", "").replace(".0", "")
}

/// A number to six digits, without trailing zeros.
fn short(value: f64) -> String {
    if value != 0.0 && !(1e-4..1e6).contains(&value.abs()) {
        return format!("{value:.2e}");
    }
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

fn say(error: impl Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(values: &[(u64, f64, f64)]) -> Vec<Row> {
        let row = |(repeat, &(num_terms, seconds, expectation))| {
            let mut row = Row::default();
            row.repeat = repeat as u64 + 1;
            row.num_terms = num_terms;
            row.seconds = seconds;
            row.expectation = expectation;
            row
        };
        values.iter().enumerate().map(row).collect()
    }

    #[test]
    fn any_rows_can_be_drawn() {
        let cases: [&[(u64, f64, f64)]; 6] = [
            &[],
            &[(0, 0.0, 0.0)],
            &[(1, 1e-9, -1.0), (u64::MAX, 1e9, 1.0)],
            &[(5, 0.1, f64::NAN), (6, 0.1, f64::INFINITY)],
            &[(7, 0.5, 1e300), (7, 0.5, -1e300)],
            &[(3, 0.2, 0.5); 500],
        ];
        for case in cases {
            let svg = svg("a < b & c", &rows(case)).unwrap();
            assert!(
                svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"),
                "{case:?}"
            );
            assert!(
                svg.contains("a &lt; b &amp; c") && !svg.contains("NaN"),
                "{case:?}"
            );
            for title in ["terms", "seconds per repeat", "expectation"] {
                assert!(svg.contains(title));
            }
        }
    }

    #[test]
    fn numbers_on_axes_are_short() {
        let shown = [0.0, -0.0, 0.25, -1.5, 1e-7, 123_456.0, 2e9].map(short);
        assert_eq!(
            shown,
            ["0", "0", "0.25", "-1.5", "1.00e-7", "123456", "2.00e9"]
        );
    }
}
