// Sets formulas while the site is built: reads [{tex, display}] and writes their HTML with MathML, in the same order.
import { readFileSync } from "node:fs";
import katex from "katex";

const formulas = JSON.parse(readFileSync(0, "utf8"));
const set = ({ tex, display }) => {
  try {
    return katex.renderToString(tex, { displayMode: display, throwOnError: true, strict: "ignore", output: "htmlAndMathml" });
  } catch (error) {
    process.stderr.write(`a formula that KaTeX cannot set: ${tex}\n${error.message}\n`);
    process.exitCode = 1;
    return "";
  }
};
process.stdout.write(JSON.stringify(formulas.map(set)));
