// Holds a cell's fixed end and carries, under its free end, the screw (M3) that stops it before it is overloaded.
// The cell's free end is at x = 0, as in pinnacle.scad; z = 0 is the base board. Two are needed.
include <common.scad>

module cell_mount() {
    wide = cell[1] + 14;
    held = 26;
    difference() {
        union() {
            translate([cell[0] / 2 + 2, 0, 0]) plate_with_corners([cell[0] + 4, wide, plate]);
            translate([cell[0] - held, -cell[1] / 2, plate - e]) cube([held, cell[1], spacer + e]);
            for (side = [-1, 1]) translate([cell[0] - held, side * (cell[1] / 2 + fit + 1) - 1, plate - e])
                cube([held, 2, spacer + 3]);
            translate([stop_x(), 0, plate - e]) cylinder(d = 9, h = spacer - 3);
        }
        // M5 from below into the cell, heads sunk into the base board
        for (x = hole_at) translate([cell[0] - x, 0, -e]) cylinder(d = fixed_screw, h = plate + spacer + 1);
        // M3 of the stop: cuts its own thread; set it with a feeler gauge of stop_play
        translate([stop_x(), 0, -e]) cylinder(d = 2.7, h = plate + spacer + 1);
        // wood screws beside the cell
        for (x = [12, cell[0] - 40], side = [-1, 1]) translate([x, side * (wide / 2 - 3.5), -e])
            cylinder(d = 3.6, h = plate + 1);
    }
}

function stop_x() = max(5, min(tip_at, 20));

cell_mount();
