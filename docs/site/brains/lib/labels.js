// A token as a label, as figures/generation.py names it; what a browser cannot draw, its font says.
const LONGEST = 14;

export function tokenName(token) {
  if (token === "") return "(empty)";
  const space = /^ +$/.test(token) ? "␣" : "·";
  const letters = [...token.replaceAll(" ", space).replaceAll("\n", "⏎").replaceAll("\t", "⇥")];
  return letters.length <= LONGEST ? letters.join("") : `${letters.slice(0, LONGEST - 1).join("")}…`;
}
