// Measures that all parts share, mm. make_models.py sets those in the first block from a table.toml.
half_spacing = 6;          // from the board's middle to each pinnacle's tip
board_size = [300, 260];   // across files, across ranks
along_ranks = true;        // the pinnacles lie apart along the ranks, else along the files

// The bar cell (P4): 80 x 12.7 x 12.7, threads 5 and 20 from each end
cell = [80, 12.7, 12.7];
hole_at = [5, 20];
free_screw = 4.4;          // clearance for M4, at the end that gives
fixed_screw = 5.4;         // clearance for M5, at the end that is held
gap = 2;                   // between the two cells' ends, at least
fit = 0.3;

wall = 2.5;
saddle_top = 6;
saddle_length = 30;
tip_height = 22;           // of the tip above the saddle: room for the board to tip
tip_radius = 0.8;
spacer = 8;                // under the held end, so that the free end can give
plate = 4;
stop_play = 0.5;           // the stop under a cell takes over once it has given so much
drop = 6;                  // how far an edge of the board comes down until it lies on its stop

// The cell's free end, from the middle: the tip stands between its two threads where there is room for that
cell_end = max(gap / 2, half_spacing - (hole_at[0] + hole_at[1]) / 2);
tip_at = half_spacing - cell_end;
tip_z = plate + spacer + cell[2] + saddle_top + tip_height;   // of the board's underside, above the base
across_axis = along_ranks ? board_size[0] : board_size[1];
along_axis = along_ranks ? board_size[1] : board_size[0];
tube = 20;
camera_view = [66, 41];    // degrees across and up of the Camera Module 3 (P7), data sheet
camera_height = max((board_size[0] / 2 + 25) / tan(camera_view[0] / 2), (board_size[1] / 2 + 25) / tan(camera_view[1] / 2));

$fn = 48;
e = 0.01;

module plate_with_corners(size, r = 3) {
    linear_extrude(size[2]) offset(r) square([size[0] - 2 * r, size[1] - 2 * r], center = true);
}
