// Puts modules, each with what it imports, into classic scripts, which open from the file system, too.
// Reads [{file, out, name}]; a script hands out its module as window.tl.<name>, such as explorers["masks"].
import { readFileSync } from "node:fs";
import { build } from "esbuild";
import { assembled } from "./assemble.mjs";

// A module of WebAssembly that a script imports is put into it as bytes.
const wat = {
  name: "wat",
  setup(each) {
    each.onLoad({ filter: /\.wat$/ }, async ({ path }) => ({ contents: await assembled(path), loader: "binary" }));
  },
};

const jobs = JSON.parse(readFileSync(0, "utf8"));
for (const { file, out, name, format = "iife" } of jobs) {
  const [root] = name.split("[");
  const wrapped = {
    globalName: "tlExported",
    banner: { js: `window.tl??={};tl.${root}??={};tl.${name}=(()=>{` },
    footer: { js: "return tlExported})();" },
  };
  await build({
    entryPoints: [file], outfile: out, bundle: true, format, minify: true, target: "es2022", charset: "utf8",
    logLevel: "warning", legalComments: "none", plugins: [wat], ...(name ? wrapped : {}),
  });
}
