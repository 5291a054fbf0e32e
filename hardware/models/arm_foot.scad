// Holds the arm's upright tube (P15) on the base board.
include <common.scad>

module arm_foot() {
    outer = tube + 2 * fit + 8;
    difference() {
        union() {
            plate_with_corners([outer + 40, outer + 40, 5]);
            translate([-outer / 2, -outer / 2, 0]) cube([outer, outer, 60]);
            for (a = [0 : 90 : 270]) rotate(a) translate([outer / 2 - e, -3, 5 - e]) rib();
        }
        translate([-tube / 2 - fit, -tube / 2 - fit, 5]) cube([tube + 2 * fit, tube + 2 * fit, 60]);
        for (a = [45 : 90 : 315]) rotate(a) translate([outer / 2 + 18, 0, -e]) cylinder(d = 4.5, h = 6);
        // above the ribs
        for (z = [40, 53]) translate([0, -outer, z]) rotate([-90, 0, 0]) cylinder(d = 4.3, h = 2 * outer);
    }
}

module rib() {
    rotate([-90, 0, 0]) linear_extrude(6) polygon([[0, 0], [16, 0], [0, -30]]);
}

arm_foot();
