// Many pictures in one PNG. `draw` puts the picture with a number on a canvas, once the sheet is read; `loaded` is
// called then. The image stands in `root`, unseen, so that whoever waits for the page's images waits for it too.
function spriteSheet({ png, across, width, height }, root, loaded) {
  const address = URL.createObjectURL(new Blob([png], { type: "image/png" }));
  const image = element("img", { hidden: true, alt: "", src: address });
  image.addEventListener("load", loaded);
  root.append(image);
  return {
    width, height,
    draw(context, number, x, y, w, h) {
      if (!image.complete) return;
      context.drawImage(image, (number % across) * width, Math.floor(number / across) * height, width, height, x, y, w, h);
    },
    stop() {
      image.removeEventListener("load", loaded);
      URL.revokeObjectURL(address);
    },
  };
}
