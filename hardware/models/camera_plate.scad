// Holds the camera (P7) under the cross tube, looking down. Its four holes are 21 x 12.5 apart (Camera Module 3, drawing).
include <common.scad>

module camera_plate() {
    inner = tube + 2 * fit;
    outer = inner + 8;
    difference() {
        union() {
            translate([-outer / 2, -outer / 2, 0]) cube([outer, outer, outer]);
            translate([0, 0, -4]) linear_extrude(4 + e) offset(3) square([34, 30], center = true);
        }
        translate([-outer, -inner / 2, 4]) cube([2 * outer, inner, inner]);
        // M2, which cut their own thread
        for (x = [-10.5, 10.5], y = [-6.25, 6.25]) translate([x, y, -4 - e]) cylinder(d = 1.7, h = 8);
        // room for what stands on the camera's back
        translate([-8, -5, -4 - e]) cube([16, 10, 6]);
        // and for the plug of its cable
        translate([-12, -20, -4 - e]) cube([24, 11, 4 + e]);
        translate([0, -outer, outer / 2]) rotate([-90, 0, 0]) cylinder(d = 4.3, h = 2 * outer);
    }
}

camera_plate();
