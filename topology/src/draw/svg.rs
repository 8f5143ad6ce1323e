//! A machine as an SVG picture: a frame for each package, a box for each domain, a square for each core.

use std::fmt::Write as _;

use super::Layout;
use crate::placement::Placement;
use crate::words::count;
use crate::{Core, PackageId, Topology};

/// The side of a core's square and the spaces around things, in SVG user units.
const CORE: usize = 52;
const GAP: usize = 8;
const LINE: usize = 16;
/// Cores in a row of a domain's box, and domains in a row of a package's frame.
const CORES_IN_ROW: usize = 8;
const DOMAINS_IN_ROW: usize = 4;

/// Fill colours of partitions' cores by domain, and of free cores.
const TAKEN: [&str; 8] = [
    "#4477aa", "#ee6677", "#228833", "#aa8800", "#66aacc", "#aa3377", "#dd7733", "#557755",
];
const FREE: &str = "#dddddd";

/// Draws the machine, and the placement if there is one, as an SVG document.
///
/// Each core shows its lowest CPU and the partitions that sit on it; free cores are grey. Fonts and colours are
/// plain, nothing is fetched when the picture is shown.
///
/// # Examples
/// ```
/// use phalanx_topology::{Topology, draw};
///
/// let picture = draw::svg(&Topology::discover()?, None);
/// assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
/// # Ok::<(), phalanx_topology::DiscoverError>(())
/// ```
#[must_use]
pub fn svg(topology: &Topology, placement: Option<&Placement>) -> String {
    let layout = Layout::new(topology, placement);
    let mut body = String::new();
    let mut y = GAP + 2 * LINE;
    let mut width = 60 * GAP;
    for (package, boxes) in by_package(&layout) {
        let (frame_width, frame_height) =
            draw_package(&mut body, &layout, topology, package, &boxes, y);
        width = width.max(frame_width + 2 * GAP);
        y += frame_height + GAP;
    }
    let verdict = match placement {
        Some(Placement::Placed { seats }) => format!("{} placed", count(seats.len(), "partition")),
        Some(Placement::Refused { reason }) => format!("not placed: {reason}"),
        None => String::new(),
    };
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{y}\" viewBox=\"0 0 {width} {y}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n"
    );
    label(&mut picture, GAP, LINE, "#000000", &topology.to_string());
    label(&mut picture, GAP, 2 * LINE, "#000000", &verdict);
    picture.push_str(&body);
    picture.push_str("</svg>\n");
    picture
}

/// The part of a domain that lies in one package.
type DomainBox<'a> = (usize, Vec<&'a Core>);

/// The packages in order of appearance with their parts of domains. A domain can span packages.
fn by_package<'a>(layout: &Layout<'a>) -> Vec<(Option<PackageId>, Vec<DomainBox<'a>>)> {
    let mut packages: Vec<(Option<PackageId>, Vec<DomainBox<'a>>)> = Vec::new();
    for (domain, cores) in &layout.domains {
        for core in cores {
            let place = packages
                .iter()
                .position(|(package, _)| *package == core.package());
            let place = place.unwrap_or_else(|| {
                packages.push((core.package(), Vec::new()));
                packages.len() - 1
            });
            let boxes = &mut packages[place].1;
            match boxes.last_mut().filter(|(idx, _)| *idx == domain.idx()) {
                Some((_, members)) => members.push(core),
                None => boxes.push((domain.idx(), vec![core])),
            }
        }
    }
    packages
}

/// Draws one package at this height; gives the frame's width and height.
fn draw_package(
    body: &mut String,
    layout: &Layout<'_>,
    topology: &Topology,
    package: Option<PackageId>,
    boxes: &[DomainBox<'_>],
    top: usize,
) -> (usize, usize) {
    let box_of = |(_, cores): &DomainBox<'_>| {
        let columns = cores.len().min(CORES_IN_ROW);
        (
            GAP + columns * (CORE + GAP),
            LINE + GAP + cores.len().div_ceil(CORES_IN_ROW) * (CORE + GAP),
        )
    };
    let mut inner = String::new();
    let (mut y, mut width) = (top + LINE + GAP, 0);
    for row in boxes.chunks(DOMAINS_IN_ROW) {
        let mut x = 2 * GAP;
        let mut row_height = 0;
        for domain in row {
            // A box is at least as wide as its title.
            let (box_width, box_height) = (box_of(domain).0.max(12 * GAP), box_of(domain).1);
            frame(&mut inner, (x, y), (box_width, box_height), "#ffffff");
            let id = crate::DomainId(domain.0 as u32);
            let level = topology
                .domain_level(id)
                .map_or(String::new(), |level| format!(" ({level})"));
            label(
                &mut inner,
                x + GAP,
                y + LINE,
                "#000000",
                &format!("{id}{level}"),
            );
            for (idx, core) in domain.1.iter().enumerate() {
                let at = (
                    x + GAP + idx % CORES_IN_ROW * (CORE + GAP),
                    y + LINE + GAP + idx / CORES_IN_ROW * (CORE + GAP),
                );
                draw_core(&mut inner, layout, core, at);
            }
            x += box_width + GAP;
            row_height = row_height.max(box_height);
        }
        width = width.max(x);
        y += row_height + GAP;
    }
    frame(body, (GAP, top), (width - GAP, y - top), "#f4f4f4");
    let title = package.map_or("no package known".to_owned(), |package| {
        format!("package {}", package.0)
    });
    label(body, 2 * GAP, top + LINE, "#000000", &title);
    body.push_str(&inner);
    (width - GAP, y - top)
}

fn draw_core(body: &mut String, layout: &Layout<'_>, core: &Core, (x, y): (usize, usize)) {
    let partitions = layout.partitions_on(core);
    let (fill, ink) = if partitions.is_empty() {
        (FREE, "#555555")
    } else {
        (TAKEN[core.domain().idx() % TAKEN.len()], "#ffffff")
    };
    frame(body, (x, y), (CORE, CORE), fill);
    label(body, x + 4, y + LINE, ink, &core.pu().to_string());
    label(body, x + 4, y + 2 * LINE + 4, ink, &partitions);
}

fn frame(body: &mut String, (x, y): (usize, usize), (width, height): (usize, usize), fill: &str) {
    push(
        body,
        format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"3\" fill=\"{fill}\" stroke=\"#888888\"/>\n"
        ),
    );
}

fn label(body: &mut String, x: usize, y: usize, ink: &str, text: &str) {
    if !text.is_empty() {
        let text = text
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        push(
            body,
            format_args!("<text x=\"{x}\" y=\"{y}\" fill=\"{ink}\">{text}</text>\n"),
        );
    }
}

fn push(body: &mut String, piece: std::fmt::Arguments<'_>) {
    let written = body.write_fmt(piece);
    debug_assert!(written.is_ok(), "writing to a String cannot fail");
}

#[cfg(test)]
mod tests {
    use super::svg;
    use crate::placement::{PlacementRequest, plan};
    use crate::{Machine, MachinePu, PackageId, PuId, Topology};

    /// Two packages; the package of the last core and the cores' L3s are as unruly as machines can be.
    fn topology() -> Topology {
        let pus = [
            (0, 0, Some(0)),
            (1, 0, Some(1)),
            (2, 1, Some(1)),
            (3, 1, None),
        ]
        .map(|(cpu, l3, package)| {
            let mut pu = MachinePu::bare(PuId(cpu), cpu);
            pu.caches[2] = Some(l3);
            pu.package = package.map(PackageId);
            pu
        })
        .to_vec();
        Topology::whole(Machine::from_pus("<by & hand>", pus).unwrap()).unwrap()
    }

    #[test]
    fn every_core_and_partition_is_drawn_once() {
        let topology = topology();
        let placement = plan(&topology, &PlacementRequest::new(3));
        let picture = svg(&topology, Some(&placement));
        for cpu in 0..4 {
            assert_eq!(
                picture.matches(&format!(">P#{cpu}<")).count(),
                1,
                "CPU {cpu}"
            );
        }
        for partition in 0..3 {
            assert_eq!(
                picture.matches(&format!(">p{partition}<")).count(),
                1,
                "partition {partition}"
            );
        }
        assert!(picture.contains(">3 partitions placed<") && !picture.contains(">p3<"));
        assert!(picture.contains(">package 0<") && picture.contains(">package 1<"));
        assert!(picture.contains(">no package known<"));
    }

    /// Every tag that opens closes, and what came from outside is escaped.
    #[test]
    fn the_document_is_well_formed() {
        let topology = topology();
        let picture = svg(&topology, Some(&plan(&topology, &PlacementRequest::new(5))));
        assert!(picture.contains("&lt;by &amp; hand&gt;") && picture.contains("4 cores"));
        assert!(
            picture.contains(">not placed: oversubscribed (5 partitions of 1 rank &gt; 4 cores)<"),
            "{picture}"
        );
        let opened = picture.matches("<text ").count();
        assert_eq!(opened, picture.matches("</text>").count());
        let rects = picture.matches("<rect ").count();
        assert_eq!(rects, picture.matches("/>").count());
        // The frames of three packages, the parts of domains in them, and the cores.
        assert_eq!(rects, 3 + 4 + 4);
        assert_eq!(picture.matches('<').count(), 2 * opened + rects + 2);
    }
}
