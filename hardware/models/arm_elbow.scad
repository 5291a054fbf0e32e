// Joins the arm's upright and its cross tube (P15) at a right angle, with a gusset against shaking.
include <common.scad>

module arm_elbow() {
    inner = tube + 2 * fit;
    outer = inner + 8;
    long = 55;
    difference() {
        union() {
            translate([-outer / 2, -outer / 2, -long]) cube([outer, outer, long + outer]);
            translate([-outer / 2, -outer / 2, 0]) cube([outer / 2 + outer / 2 + long, outer, outer]);
            translate([outer / 2 - e, 3, e]) rotate([90, 0, 0]) linear_extrude(6) polygon([[0, 0], [40, 0], [0, -40]]);
        }
        translate([-inner / 2, -inner / 2, -long - e]) cube([inner, inner, long]);
        translate([outer / 2, -inner / 2, (outer - inner) / 2]) cube([long + 1, inner, inner]);
        translate([0, -outer, -20]) rotate([-90, 0, 0]) cylinder(d = 4.3, h = 2 * outer);
        translate([outer / 2 + 35, -outer, outer / 2]) rotate([-90, 0, 0]) cylinder(d = 4.3, h = 2 * outer);
    }
}

arm_elbow();
