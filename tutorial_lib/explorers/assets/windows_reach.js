// How far information travels through layers of windows: `reach` and `layer_windows` of tutorial_lib.interpret.

// The windows of a layer (counted from 0), in positions of the first map. `first`: where the first whole one begins.
function layerWindows({ rows, columns, side, shift, merge }, layer) {
  const covers = merge ? 2 ** Math.floor(layer / 2) : 1; // of the first map's positions along a side
  const shifted = shift && layer % 2 === 1 && Math.ceil(Math.min(rows, columns) / covers) > side;
  return { side: covers * side, first: shifted ? covers * Math.floor(side / 2) : 0, covers };
}

// The rectangle of positions whose information (row, column) can hold after some layers: from, to along each side.
function reached(state, layers, row, column) {
  const spans = [[row, row + 1], [column, column + 1]];
  for (let layer = layers - 1; layer >= 0; layer--) {
    const { side, first } = layerWindows(state, layer);
    for (const span of spans) {
      span[0] = first + Math.floor((span[0] - first) / side) * side;
      span[1] = first + Math.ceil((span[1] - first) / side) * side;
    }
  }
  const [top, left] = spans.map(([low]) => Math.max(low, 0));
  const [bottom, right] = [Math.min(spans[0][1], state.rows), Math.min(spans[1][1], state.columns)];
  return { top, bottom, left, right, count: (bottom - top) * (right - left) };
}
