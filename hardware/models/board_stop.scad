// Under the board's edges: a board that tips comes to lie here, and neither falls nor hangs on one cell. Four are needed.
include <common.scad>

module board_stop() {
    height = tip_z - drop;
    difference() {
        union() {
            plate_with_corners([34, 34, 4]);
            cylinder(d1 = 20, d2 = 12, h = height - 4);
            translate([0, 0, height - 4 - e]) cylinder(d = 16, h = 4);
        }
        // a felt pad of 12 mm lies in here
        translate([0, 0, height - 1]) cylinder(d = 12.4, h = 2);
        for (a = [45 : 90 : 315]) rotate(a) translate([19, 0, -e]) cylinder(d = 3.6, h = 5);
    }
}

board_stop();
