// Sits astride a cell's free end and bears the board on a small round tip. Print upright, tip up. Two are needed.
// The cell's end is at x = 0, the cell lies toward +x; z = 0 is its upper side.
include <common.scad>

module pinnacle() {
    wide = cell[1] + 2 * fit + 2 * wall;
    difference() {
        union() {
            translate([0, -wide / 2, -6]) cube([saddle_length, wide, 6 + saddle_top]);
            translate([tip_at, 0, saddle_top - e]) cone();
        }
        translate([-e, -cell[1] / 2 - fit, -6 - e]) cube([saddle_length + 2 * e, cell[1] + 2 * fit, 6 + e]);
        for (x = hole_at) if (abs(x - tip_at) > 7) screw(x);
    }
}

module cone() {
    hull() {
        cylinder(d = min(11, 2 * half_spacing - 1), h = 3);
        translate([0, 0, tip_height - tip_radius]) sphere(tip_radius);
    }
}

module screw(x) {
    translate([x, 0, -e]) cylinder(d = free_screw, h = saddle_top + 2 * e);
    translate([x, 0, saddle_top - 2.5]) cylinder(d = 8.5, h = tip_height);
}

pinnacle();
