// Codes are swapped and painted anew, as explorers/code_book.py answers.
import { loaded } from "../models/small/load.js";
import { round } from "./lib/python.js";

const VISIBLE = 1 / 32; // a pixel that moves by more has changed

// Whether each cell of a grid holds a pixel that moved; moved: rows x columns of the picture.
function cellsOf(moved, { rows, columns }, [down, across]) {
  const [high, wide] = [Math.max(1, Math.floor(rows / down)), Math.max(1, Math.floor(columns / across))];
  const found = new Set();
  for (let y = 0; y < down * high; y++) {
    for (let x = 0; x < across * wide; x++) {
      const [row, column] = [Math.floor((y * rows) / (down * high)), Math.floor((x * columns) / (across * wide))];
      if (moved[row * columns + column]) found.add(Math.floor(y / high) * across + Math.floor(x / wide));
    }
  }
  return found.size;
}

// extras: {network}
export default function brain(context) {
  const plain = new Map(); // picture -> its codes painted as they are
  return {
    async receive(news, { picture, swaps: asked, codes: bytes, grid, n_codes: most }) {
      if (!("picture" in news) && !("swaps" in news)) return {};
      const model = await loaded(context, context.extras.network);
      const n = grid[0] * grid[1];
      const codes = Array.from({ length: n }, (_, i) => bytes.getUint16(2 * (picture * n + i), true));
      if (!plain.has(picture)) plain.set(picture, model.decode(codes));
      const swaps = {};
      for (const [cell, code] of Object.entries(asked)) {
        if (/^\d{1,8}$/.test(cell) && Number(cell) < n && Number.isInteger(code) && code >= 0 && code < most) {
          swaps[Number(cell)] = codes[Number(cell)] = code;
        }
      }
      const before = plain.get(picture);
      const after = Object.keys(swaps).length ? model.decode(codes) : before;
      const size = after.rows * after.columns;
      const pixels = new DataView(new ArrayBuffer(3 * size));
      const moved = new Uint8Array(size);
      for (let i = 0; i < size; i++) {
        for (let channel = 0; channel < 3; channel++) {
          const at = channel * size + i;
          pixels.setUint8(3 * i + channel, round(after.values[at] * 255));
          if (Math.abs(after.values[at] - before.values[at]) > VISIBLE) moved[i] = 1;
        }
      }
      const found = { height: after.rows, width: after.columns, pixels, changed: cellsOf(moved, after, grid) };
      return { swaps, decoded: { picture, swaps, ...found } };
    },
  };
}
