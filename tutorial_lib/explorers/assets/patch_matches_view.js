// One of the two pictures of matching patches: faded grey under its heat, or the colours of its patches.

const LONG_SIDE = 336;

// A picture as the kernel packed it, with its numbers ready to compute with.
function unpackedPicture(packed) {
  const { name, rows, columns, width, height } = packed;
  const grey = element("canvas", { width, height });
  const image = new ImageData(width, height);
  for (let i = 0; i < width * height; i++) {
    const [red, green, blue] = [0, 1, 2].map((c) => packed.pixels.getUint8(3 * i + c));
    image.data.fill(0.3 * red + 0.59 * green + 0.11 * blue, 4 * i, 4 * i + 3);
    image.data[4 * i + 3] = 255;
  }
  grey.getContext("2d").putImageData(image, 0, 0);
  const colours = Array.from({ length: 3 * rows * columns }, (_, i) => packed.colours.getUint8(i));
  const scale = LONG_SIDE / Math.max(width, height);
  return {
    name, rows, columns, grey, colours,
    size: [width * scale, height * scale],
    vectors: fromFloat16(packed.vectors),
    attention: fromFloat16(packed.attention),
  };
}

// The cosines of every patch of `picture` with one vector of length 1.
function cosinesWith(picture, vector) {
  const n = picture.rows * picture.columns;
  const cosines = new Float32Array(n);
  for (let i = 0, at = 0; i < n; i++) {
    let sum = 0;
    for (let d = 0; d < vector.length; d++) sum += picture.vectors[at++] * vector[d];
    cosines[i] = sum;
  }
  return cosines;
}

function strongest(values) {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}

function matchedPictureView(picture, { choose, step, point }) {
  const canvas = element("canvas", {
    tabindex: "0", role: "application", "data-lm-suppress-shortcuts": "true",
    "aria-label": `${picture.name}, ${picture.rows} by ${picture.columns} patches. Arrow keys choose a patch.`,
  });
  const tile = element("canvas", { width: picture.columns, height: picture.rows });
  const state = { T: picture.rows, S: picture.columns, pointed: null };
  const [width, height] = picture.size;
  const cell = [width / picture.columns, height / picture.rows];
  const update = ({ pointed }) => {
    state.pointed = pointed;
    point(pointed);
  };
  gridEvents(canvas, state, update, {
    grid: () => ({ left: 0, top: 0, width: cell[0], height: cell[1] }),
    choose: ({ row, column }) => choose(row, column),
    step,
  });

  function outline(context, index, colour) {
    const corner = [(index % picture.columns) * cell[0], Math.floor(index / picture.columns) * cell[1]];
    for (const [ink, thick] of [["#fff", 5], [colour, 3]]) {
      [context.strokeStyle, context.lineWidth] = [ink, thick];
      context.strokeRect(corner[0] - 1.5, corner[1] - 1.5, cell[0] + 3, cell[1] + 3);
    }
  }

  return {
    canvas,
    // heat: from 0 to 1 for each patch, or null for the colours; marks: [patch, colour].
    draw(heat, marks, theme) {
      const context = sizedContext(canvas, width, height);
      const image = new ImageData(picture.columns, picture.rows);
      const ink = mixed([0, 0, 0], theme.orange, 1);
      for (let i = 0; i < picture.rows * picture.columns; i++) {
        for (let c = 0; c < 3; c++) image.data[4 * i + c] = heat ? ink[c] : picture.colours[3 * i + c];
        image.data[4 * i + 3] = heat ? 230 * Math.min(Math.max(heat[i], 0), 1) : 255;
      }
      tile.getContext("2d").putImageData(image, 0, 0);
      context.globalAlpha = 0.55;
      context.drawImage(picture.grey, 0, 0, width, height);
      context.globalAlpha = 1;
      context.imageSmoothingEnabled = false;
      context.drawImage(tile, 0, 0, width, height);
      for (const [index, colour] of marks) outline(context, index, colour);
    },
  };
}
