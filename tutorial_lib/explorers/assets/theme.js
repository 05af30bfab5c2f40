// Shows nothing: tells Python whether the page is dark, for pictures that are drawn there.

export default {
  render({ model, el }) {
    const root = element("div", { class: "tl-theme" });
    el.append(root);
    return watchTheme(root, ({ dark }) => {
      const named = document.body.dataset.jpThemeLight; // JupyterLab's own word for it
      model.set("dark", named ? named === "false" : dark);
      model.save_changes();
    });
  },
};
