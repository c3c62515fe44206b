//! The figure of docs/special-functions.md: for each function, the range of errors over its
//! operands, both of the unit and of correctly rounded results.
//!
//! The colours are of middle brightness and the figure has no background, so that it can be read on
//! light and on dark pages.

use super::{rows::rsqrt, ulp};
use std::fmt::Write;
use texunit_sfu::{mufu, ptx};

/// Width and height of a panel's plot and of the panel around it, in units of the figure.
const PLOT: [f64; 2] = [280.0, 96.0];
const PANEL: [f64; 2] = [360.0, 154.0];
/// Number of operand ranges next to each other in a plot, and number of operands in each range.
const RANGES: u32 = 140;
const OPERANDS: u32 = 600;

const UNIT: &str = "#d9730d";
const ROUNDED: &str = "#3b82f6";
const TEXT: &str = "#808080";

/// The unit in which an error is counted.
#[derive(Clone, Copy)]
enum In {
    /// The unit of the last place of the exact value.
    Ulp,
    /// 2^-24, which is the unit of the last place for values from 1/2 to 1.
    Absolute,
}

struct Panel {
    title: &'static str,
    function: fn(u32) -> u32,
    exact: fn(f64) -> f64,
    /// The first and the last operand of the plot: numbers, or exponents of powers of two.
    ends: [f64; 2],
    are_powers: bool,
    names: [&'static str; 2],
    unit: In,
    /// The error at the upper end of the scale.
    top: f64,
}

fn panels() -> [Panel; 8] {
    use std::f64::consts::TAU;
    let panel = |title, function, exact, ends, names, unit, top| Panel {
        title,
        function,
        exact,
        ends,
        are_powers: false,
        names,
        unit,
        top,
    };
    [
        panel("1 / x", mufu::rcp, f64::recip, [1.0, 2.0], ["1", "2"], In::Ulp, 2.0),
        panel("1 / √x", mufu::rsq, rsqrt, [1.0, 4.0], ["1", "4"], In::Ulp, 2.0),
        panel("√x", mufu::sqrt, f64::sqrt, [1.0, 4.0], ["1", "4"], In::Ulp, 2.0),
        panel("2^x", mufu::ex2, f64::exp2, [-1.0, 1.0], ["-1", "1"], In::Ulp, 2.0),
        panel("log2 x", mufu::lg2, f64::log2, [0.5, 2.0], ["1/2", "2"], In::Absolute, 4.0),
        Panel {
            are_powers: true,
            ..panel("tanh x", mufu::tanh, f64::tanh, [-9.0, 4.0], ["2^-9", "2^4"], In::Ulp, 200.0)
        },
        panel("sin x", ptx::sin, f64::sin, [0.0, TAU], ["0", "2π"], In::Absolute, 16.0),
        panel("cos x", ptx::cos, f64::cos, [0.0, TAU], ["0", "2π"], In::Absolute, 16.0),
    ]
}

/// The least and the greatest error in each operand range: first those of the unit, then those of
/// correctly rounded results.
fn errors(panel: &Panel) -> [Vec<[f64; 2]>; 2] {
    let [from, to] = panel.ends;
    let mut all = [vec![], vec![]];
    for range in 0..RANGES {
        let mut ends = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
        for n in 0..OPERANDS {
            let share = f64::from(range * OPERANDS + n) + 0.5;
            let at = from + (to - from) * share / f64::from(RANGES * OPERANDS);
            let x = if panel.are_powers { at.exp2() } else { at } as f32;
            let exact = (panel.exact)(x.into());
            let unit = match panel.unit {
                In::Ulp => ulp(exact, 24),
                In::Absolute => 2f64.powi(-24),
            };
            let results = [f32::from_bits((panel.function)(x.to_bits())), exact as f32];
            for (result, [least, greatest]) in results.into_iter().zip(&mut ends) {
                let error = (f64::from(result) - exact) / unit;
                (*least, *greatest) = (least.min(error), greatest.max(error));
            }
        }
        all.iter_mut().zip(ends).for_each(|(all, ends)| all.push(ends));
    }
    all
}

fn area(svg: &mut String, panel: &Panel, ranges: &[[f64; 2]], colour: &str) {
    let y = |error: f64| PLOT[1] / 2.0 * (1.0 - error / panel.top);
    let x = |n: usize| PLOT[0] * n as f64 / f64::from(RANGES);
    // Each range is drawn as a step that is thick enough to be seen.
    let seen = 0.4;
    let upper = ranges.iter().enumerate().map(|(n, ends)| (n, y(ends[1]) - seen));
    let lower = ranges.iter().enumerate().map(|(n, ends)| (n, y(ends[0]) + seen)).rev();
    let _ = write!(svg, "<path fill=\"{colour}\" d=\"M0 {:.1}", y(ranges[0][1]) - seen);
    for (n, y) in upper {
        let _ = write!(svg, "V{y:.1}H{:.0}", x(n + 1));
    }
    for (n, y) in lower {
        let _ = write!(svg, "V{y:.1}H{:.0}", x(n));
    }
    svg.push_str("z\"/>\n");
}

fn text(svg: &mut String, [x, y]: [f64; 2], anchor: &str, text: &str) {
    let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{text}</text>");
}

fn draw(svg: &mut String, panel: &Panel) {
    let [unit, rounded] = errors(panel);
    text(svg, [PLOT[0] / 2.0, -8.0], "middle", panel.title);
    for (share, y) in [(1.0, 0.0), (0.0, PLOT[1] / 2.0), (-1.0, PLOT[1])] {
        let _ = writeln!(
            svg,
            "<path stroke=\"{TEXT}\" stroke-opacity=\"0.4\" d=\"M0 {y}H{}\"/>",
            PLOT[0]
        );
        let sign = if share < 0.0 { '-' } else { '+' };
        let label = match panel.unit {
            _ if share == 0.0 => "0".to_owned(),
            In::Ulp => format!("{sign}{} ulp", panel.top),
            In::Absolute => format!("{sign}2^{}", panel.top.log2() - 24.0),
        };
        text(svg, [-6.0, y + 4.0], "end", &label);
    }
    area(svg, panel, &unit, UNIT);
    area(svg, panel, &rounded, ROUNDED);
    text(svg, [0.0, PLOT[1] + 16.0], "middle", panel.names[0]);
    text(svg, [PLOT[0], PLOT[1] + 16.0], "middle", panel.names[1]);
}

pub(crate) fn svg() -> String {
    let [width, height] = [2.0 * PANEL[0] + 16.0, 4.0 * PANEL[1] + 28.0];
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\" fill=\"{TEXT}\">\n\
         <title>errors of the special function unit and of correctly rounded results</title>\n"
    );
    for (x, colour, name) in
        [(72.0, UNIT, "the unit"), (72.0 + PANEL[0], ROUNDED, "correctly rounded")]
    {
        let _ =
            writeln!(svg, "<rect x=\"{x}\" y=\"8\" width=\"12\" height=\"12\" fill=\"{colour}\"/>");
        text(&mut svg, [x + 18.0, 18.0], "start", name);
    }
    for (n, panel) in panels().iter().enumerate() {
        let x = 72.0 + PANEL[0] * (n % 2) as f64;
        let y = 56.0 + PANEL[1] * (n / 2) as f64;
        let _ = writeln!(svg, "<g transform=\"translate({x} {y})\">");
        draw(&mut svg, panel);
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}
