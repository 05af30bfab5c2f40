// Numbers and dates in English words, as tutorial_lib/datasets/in_words.py and recipes/translator.py have them.
import { BLANK } from "./python.js";

const UNITS = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
  + "seventeen eighteen nineteen").split(" ");
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const ORDINALS = { one: "first", two: "second", three: "third", five: "fifth", eight: "eighth", nine: "ninth", twelve: "twelfth" };
const WEEKDAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const MONTHS = "January February March April May June July August September October November December".split(" ");
const [LARGEST, FIRST_YEAR, LAST_YEAR] = [999_999, 1800, 2099];

class ValueError extends Error {}

function number(n) {
  if (n < 20) return UNITS[n];
  if (n < 100) return TENS[Math.floor(n / 10) - 2] + (n % 10 ? `-${UNITS[n % 10]}` : "");
  const [size, name] = n < 1000 ? [100, "hundred"] : [1000, "thousand"];
  const [words, rest] = [`${number(Math.floor(n / size))} ${name}`, n % size];
  if (!rest) return words;
  return rest < 100 ? `${words} and ${number(rest)}` : `${words} ${number(rest)}`;
}

function day(n) {
  const [, before, last] = number(n).match(/(.*-)?(.*)/);
  if (last.endsWith("y")) return `${last.slice(0, -1)}ieth`;
  return (before ?? "") + (ORDINALS[last] ?? `${last}th`);
}

function year(n) {
  const [century, rest] = [Math.floor(n / 100), n % 100];
  if (century === 20 && rest < 10) return number(n);
  if (rest >= 10) return `${number(century)} ${number(rest)}`;
  return `${number(century)} ${rest ? `oh-${number(rest)}` : "hundred"}`;
}

function date(text) {
  const [y, m, d] = text.split("-").map(Number);
  const found = new Date(`${text}T00:00Z`); // not there, or that of another day
  if (y < 1 || found.getUTCMonth() !== m - 1 || found.getUTCDate() !== d) throw new ValueError(`the calendar has no ${text}`);
  if (y < FIRST_YEAR || y > LAST_YEAR) throw new ValueError(`a date lies between ${FIRST_YEAR} and ${LAST_YEAR}, got ${text}`);
  return `${WEEKDAYS[found.getUTCDay()]}, ${MONTHS[m - 1]} ${day(d)}, ${year(y)}`;
}

// What somebody typed, in small words with a space before each; known: the words that there are.
export function read(text, known) {
  text = text.replace(new RegExp(`^[${BLANK}]+|[${BLANK}]+$`, "gu"), "");
  if (/^([0-9]+|[0-9]{1,3}(,[0-9]{3})+)$/.test(text)) {
    const asked = BigInt(text.replaceAll(",", ""));
    if (asked > LARGEST) throw new ValueError(`a number in words goes from 0 to 999,999, got ${asked.toLocaleString("en")}`);
    text = number(Number(asked));
  } else if (/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) {
    text = date(text);
  }
  const words = text.toLowerCase().split(new RegExp(`[${BLANK},-]+`, "u")).filter(Boolean);
  if (!words.length) throw new ValueError("there is nothing to translate: give a number or a date");
  const unknown = words.filter((word) => !known.has(word));
  if (unknown.length) throw new ValueError(`no number or date in words has: ${unknown.slice(0, 5).join(", ")}`);
  return words.map((word) => ` ${word}`).join("");
}
