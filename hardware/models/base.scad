// The base board (P14) with its holes: for the picture and as a plan for drilling. Not printed.
include <common.scad>

plan = false;        // flat, as seen from above, in true size

// Wide enough for the arm's foot beside the board
base_size = [max(board_size[0], board_size[1]) + 140, max(360, board_size[1] + 100), 18];

module base() {
    difference() {
        translate([-base_size[0] / 2, -base_size[1] / 2, -base_size[2]]) cube(base_size);
        rotate(along_ranks ? 0 : 90) holes();
    }
}

module holes() {
    for (side = [-1, 1]) {
        // heads of the cells' M5 screws
        for (x = hole_at) translate([0, side * (cell_end + cell[0] - x), -base_size[2] - e]) {
            cylinder(d = fixed_screw, h = base_size[2] + 2 * e);
            cylinder(d = 11, h = 12);
        }
        // a screwdriver for the stop's M3
        translate([0, side * (cell_end + max(5, min(tip_at, 20))), -base_size[2] - e])
            cylinder(d = 6, h = base_size[2] + 2 * e);
    }
}

if (plan) projection(cut = true) translate([0, 0, 1]) base();
else base();
