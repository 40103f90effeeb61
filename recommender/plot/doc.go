// Package plot draws panels over time as one HTML page, or one panel as an SVG file.
//
// A page asks nothing of the network: style, script and data are in the file, and its
// content security policy allows no other. Without the script the pictures are complete;
// with it a crosshair shows all values at a time, and the text of the marks there. Equal
// pages give equal bytes.
//
// Series may have any number of points: at most two for each pixel column are written,
// first, last, lowest and highest of every two columns, so that peaks survive.
//
// NaN and the infinities are gaps, never zero. So are numbers beyond 1e290, and on a
// logarithmic scale what is not positive.
package plot
