// A drawing made to look like the digits of MNIST, as tutorial_lib/datasets/drawings.py does it.
import { round, within } from "./python.js";

const [SIZE, SIDE, BOX] = [224, 28, 20];

// The ink of strokes, [[x, y], ...] each, from 0 to 1: SIZE x SIZE numbers.
export function drawn(strokes, pen) {
  const distance = new Float64Array(SIZE * SIZE).fill(Infinity);
  const reach = pen / 2 + 1 / SIZE;
  const around = (a, b) => [
    Math.max(0, Math.floor((Math.min(a, b) - reach) * SIZE)), Math.min(SIZE, Math.ceil((Math.max(a, b) + reach) * SIZE)),
  ];
  for (const stroke of strokes) {
    stroke.forEach(([right, bottom], i) => {
      const [left, top] = stroke[Math.max(0, i - 1)];
      const [across, down] = [right - left, bottom - top];
      const length = Math.max(across ** 2 + down ** 2, 1e-12);
      const [[firstRow, lastRow], [firstColumn, lastColumn]] = [around(top, bottom), around(left, right)];
      for (let row = firstRow; row < lastRow; row++) {
        for (let column = firstColumn; column < lastColumn; column++) {
          const [x, y] = [(column + 0.5) / SIZE - left, (row + 0.5) / SIZE - top];
          const nearest = within((x * across + y * down) / length, 0, 1);
          const away = Math.sqrt((x - nearest * across) ** 2 + (y - nearest * down) ** 2);
          const at = row * SIZE + column;
          if (away < distance[at]) distance[at] = away;
        }
      }
    });
  }
  return Float32Array.from(distance, (away) => within((pen / 2 - away) * SIZE + 0.5, 0, 1));
}

// SIDE x SIDE numbers: what is inked, as large as MNIST's digits and with its centre in the middle; null where nothing is.
export function likeMnist(ink) {
  let [top, bottom, left, right] = [SIZE, 0, SIZE, 0];
  ink.forEach((dark, at) => {
    if (!(dark > 0.1)) return;
    const [row, column] = [Math.floor(at / SIZE), at % SIZE];
    [top, bottom] = [Math.min(top, row), Math.max(bottom, row + 1)];
    [left, right] = [Math.min(left, column), Math.max(right, column + 1)];
  });
  if (top >= bottom) return null;
  const box = Array.from({ length: bottom - top }, (_, row) => [...ink.subarray((top + row) * SIZE + left, (top + row) * SIZE + right)]);
  const scale = BOX / Math.max(bottom - top, right - left);
  const [height, width] = [bottom - top, right - left].map((side) => Math.max(1, round(side * scale)));
  const narrow = mixed(turned(box), width); // its columns
  const small = mixed(turned(narrow), height);
  const [down, across] = [small, turned(small)].map((lines) => start(lines.map(sum)));
  const picture = new Float32Array(SIDE * SIDE);
  small.forEach((row, y) => row.forEach((dark, x) => { picture[(down + y) * SIDE + across + x] = within(dark, 0, 1); }));
  return picture;
}

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const turned = (rows) => rows[0].map((_, column) => rows.map((row) => row[column]));

// n rows made of many or few: the share of a row falls evenly with its distance.
function mixed(rows, n) {
  const scale = rows.length / n;
  return Array.from({ length: n }, (_, i) => {
    const shares = rows.map((_, j) => Math.max(0, 1 - Math.abs(j + 0.5 - (i + 0.5) * scale) / Math.max(scale, 1)));
    const all = sum(shares);
    return rows[0].map((_, column) => sum(shares.map((share, j) => (share / all) * rows[j][column])));
  });
}

// Where numbers begin when their centre of mass is in the middle of SIDE.
function start(profile) {
  const centre = sum(profile.map((dark, place) => dark * place)) / sum(profile) + 0.5;
  const first = round(round((SIDE / 2 - centre) * 1000) / 1000);
  return within(first, 0, SIDE - profile.length);
}
