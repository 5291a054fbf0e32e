// All of it together, for the picture.
use <pinnacle.scad>
use <cell_mount.scad>
use <board_stop.scad>
use <arm_foot.scad>
use <arm_elbow.scad>
use <camera_plate.scad>
use <base.scad>
include <common.scad>

with_board = true;   // without it the two cells are seen

module one_side() {
    translate([0, cell_end, 0]) rotate(90) {
        color("orange") cell_mount();
        color("silver") translate([0, -cell[1] / 2, plate + spacer]) cube(cell);
        color("crimson") translate([0, 0, plate + spacer + cell[2]]) pinnacle();
    }
}

module board() {
    color("burlywood", 0.55) translate([0, 0, tip_z + 5]) cube([across_axis, along_axis, 10], center = true);
}

color("peru") base();
rotate(along_ranks ? 0 : 90) {
    one_side();
    rotate(180) one_side();
    for (x = [-1, 1], y = [-1, 1]) color("seagreen") translate([x * (across_axis / 2 - 25), y * (along_axis / 2 - 22), 0]) board_stop();
    if (with_board) board();
}
arm_x = -max(board_size[0], board_size[1]) / 2 - 28;
translate([arm_x, 0, 0]) {
    color("steelblue") arm_foot();
    color("lightgrey") translate([-tube / 2, -tube / 2, 5]) cube([tube, tube, camera_height + tip_z]);
    translate([0, 0, camera_height + tip_z]) {
        color("steelblue") arm_elbow();
        color("lightgrey") translate([14, -tube / 2, 4]) cube([-arm_x + 10, tube, tube]);
    }
}
translate([0, 0, camera_height + tip_z]) color("steelblue") camera_plate();
