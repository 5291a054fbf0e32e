// Cells by name: columns a.. from the left, rows 1.. from the bottom.

/** The name of a cell, from its column and row counted from 0. */
export const name = (column, row) => `${String.fromCharCode(97 + column)}${row + 1}`;

/** Column and row of a cell's name, from 0. */
export const place = (cell) => [cell.charCodeAt(0) - 97, Number(cell.slice(1)) - 1];
