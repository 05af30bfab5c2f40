// The patch explorer of chapter 07, which Python draws in a notebook: a photograph cut apart, and what the sequence costs.
// The state has pictures [{name, side, pixels}], sizes, orders {size: which patch stands where when shuffled}.

const GAP = 0.012; // between patches, as a share of the side
const [PICTURE, CHART, LEFT, FOOT] = [300, 300, 76, 44];

function patchCost(side, size) {
  const tokens = (side / size) ** 2;
  return { tokens, numbers: 3 * size ** 2, weights: tokens ** 2 };
}

const grouped = (number) => number.toLocaleString("en-US");

function finding(side, size) {
  const { tokens } = patchCost(side, size);
  return `Patches of ${size}: ${grouped(tokens)} ${tokens === 1 ? "token" : "tokens"}`;
}

// The sentence of figures.describe_patch_sequence.
function describePatches(side, size, shuffled) {
  const across = side / size;
  return `A picture of ${side} x ${side} pixels cut into ${across} x ${across} patches${shuffled ? ", in another order" : ""}: `
    + `${finding(side, size)}. A head compares all with all, ${grouped(patchCost(side, size).weights)} weights.`;
}

function render({ model, el }) {
  const [pictures, sizes, orders] = ["pictures", "sizes", "orders"].map((name) => model.get(name));
  const { side } = pictures[0];
  const state = {};
  const root = element("div", { class: "tl-explorer tl-patches", role: "group", "aria-label": model.get("label") });
  const set = (name, value) => {
    model.set(name, value);
    model.save_changes();
    redraw();
  };
  const picture = element("select", { "aria-label": "Picture", onchange: () => set("picture", picture.selectedIndex) },
    ...pictures.map(({ name }) => element("option", { text: name })));
  picture.selectedIndex = model.get("picture");
  const size = slider("Side of a patch", {
    min: 0, max: sizes.length - 1, value: sizes.indexOf(model.get("patch_size")), show: (i) => sizes[i],
    change: (i) => {
      size.input.setAttribute("aria-valuetext", `${sizes[i]} pixels`);
      set("patch_size", sizes[i]);
    },
  });
  const shuffled = element("input", { type: "checkbox", onchange: () => set("shuffled", shuffled.checked) });
  shuffled.checked = model.get("shuffled");
  const [photo, chart] = [element("canvas", { role: "img" }), element("canvas", { role: "img", "aria-label": "Tokens and weights of one head over the side of a patch" })];
  const words = element("p", { class: "tl-readout", role: "status" });
  const both = element("div", {}, photo, chart);
  both.style.cssText = "display: flex; flex-wrap: wrap; gap: 18px";
  root.append(
    element("p", { class: "tl-title", text: model.get("label") }),
    element("div", { class: "tl-controls" }, element("label", {}, "Picture", picture), size.node, element("label", {}, shuffled, "Shuffle the patches")),
    both, words);
  el.append(root);

  const images = pictures.map(({ pixels }) => {
    const canvas = element("canvas", { width: side, height: side });
    const image = new ImageData(side, side);
    for (let i = 0; i < side * side; i++) {
      for (let c = 0; c < 3; c++) image.data[4 * i + c] = pixels.getUint8(3 * i + c);
      image.data[4 * i + 3] = 255;
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
    return canvas;
  });

  function drawPhoto(patch) {
    const across = side / patch;
    const gap = across <= 16 ? Math.max(1, Math.round(GAP * side)) : 1;
    const whole = side + (across - 1) * gap;
    const scale = PICTURE / whole;
    const context = sizedContext(photo, PICTURE, PICTURE);
    context.imageSmoothingEnabled = false;
    const order = model.get("shuffled") ? orders[patch] : null;
    for (let n = 0; n < across ** 2; n++) {
      const from = order ? order[n] : n;
      const at = (place) => place * (patch + gap) * scale;
      context.drawImage(images[model.get("picture")], from % across * patch, Math.floor(from / across) * patch, patch, patch,
        at(n % across), at(Math.floor(n / across)), patch * scale, patch * scale);
    }
  }

  function drawChart(patch) {
    const { theme } = state;
    const width = Math.max(220, Math.min(400, root.clientWidth - 32));
    const context = sizedContext(chart, width, CHART);
    const costs = sizes.map((each) => patchCost(side, each));
    const top = Math.log10(costs[0].weights);
    const x = (each) => LEFT + Math.log(each / sizes[0]) / Math.log(sizes.at(-1) / sizes[0]) * (width - LEFT - 14);
    const y = (value) => 10 + (1 - Math.log10(value) / top) * (CHART - FOOT - 10);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (let power = 0; power <= top; power += 2) {
      strokeLine(context, [[LEFT, y(10 ** power)], [width - 14, y(10 ** power)]], theme.line);
      context.fillStyle = theme.muted;
      context.fillText(grouped(10 ** power), LEFT - 6, y(10 ** power));
    }
    strokeLine(context, [[x(patch), 6], [x(patch), CHART - FOOT]], theme.muted, 1, [4, 3]);
    for (const [name, colour, label] of [["weights", theme.orange, "weights of one head, N x N"], ["tokens", theme.blue, "tokens, N"]]) {
      strokeLine(context, sizes.map((each, i) => [x(each), y(costs[i][name])]), colour, 2);
      context.fillStyle = colour;
      sizes.forEach((each, i) => {
        context.beginPath();
        context.arc(x(each), y(costs[i][name]), each === patch ? 6 : 2.5, 0, 2 * Math.PI);
        context.fill();
      });
      context.textAlign = "left";
      context.fillText(label, x(sizes[0]) + 12, y(costs[0][name]) - 1);
    }
    context.fillStyle = theme.muted;
    context.textAlign = "center";
    let free = 0;
    for (const each of [...new Set([patch, ...sizes])].sort((a, b) => a - b)) {
      if (each !== patch && (x(each) < free || Math.abs(x(each) - x(patch)) < 24)) continue;
      context.fillText(each, x(each), CHART - FOOT + 12);
      free = x(each) + 24;
    }
    context.fillText("side of a patch in pixels", (LEFT + width) / 2, CHART - 10);
  }

  function draw() {
    if (!state.theme) return;
    const patch = model.get("patch_size");
    drawPhoto(patch);
    drawChart(patch);
    words.textContent = describePatches(side, patch, model.get("shuffled"));
    photo.setAttribute("aria-label", words.textContent);
  }
  const redraw = frameLoop(draw);
  const stop = watchTheme(root, (theme) => {
    state.theme = theme;
    redraw();
  });
  return stop;
}

export { describePatches };
export default { render };
