// Arithmetic of networks on rows of numbers: a matrix of n rows is one Float32Array, row after row.

// x (n, I) times weight (O, I), and bias (O): (n, O). Four rows at a time share each weight that is read, and two outputs
// each number of a row.
export function linear(x, n, weight, bias) {
  const width = x.length / n;
  const outputs = weight.length / width;
  const result = new Float32Array(n * outputs);
  let row = 0;
  const write = (out, a, b, c, d) => {
    const more = bias ? bias[out] : 0;
    const at = row * outputs + out;
    result[at] = a + more;
    result[at + outputs] = b + more;
    result[at + 2 * outputs] = c + more;
    result[at + 3 * outputs] = d + more;
  };
  for (; row + 3 < n; row += 4) {
    const [p, q, r, s] = [0, 1, 2, 3].map((i) => x.subarray((row + i) * width, (row + i + 1) * width));
    for (let out = 0; out < outputs; out += 2) {
      const next = Math.min(out + 1, outputs - 1); // of an odd number, the last one alone
      const u = weight.subarray(out * width, (out + 1) * width);
      const v = weight.subarray(next * width, (next + 1) * width);
      let [a, b, c, d, e, f, g, h] = [0, 0, 0, 0, 0, 0, 0, 0];
      for (let i = 0; i < width; i++) {
        const one = u[i];
        const two = v[i];
        a += one * p[i];
        b += one * q[i];
        c += one * r[i];
        d += one * s[i];
        e += two * p[i];
        f += two * q[i];
        g += two * r[i];
        h += two * s[i];
      }
      write(out, a, b, c, d);
      write(next, e, f, g, h);
    }
  }
  for (; row < n; row++) {
    const p = x.subarray(row * width, (row + 1) * width);
    for (let out = 0; out < outputs; out++) {
      const start = out * width;
      let [a, b] = [0, 0];
      let i = 0;
      for (; i + 1 < width; i += 2) {
        a += p[i] * weight[start + i];
        b += p[i + 1] * weight[start + i + 1];
      }
      if (i < width) a += p[i] * weight[start + i];
      result[row * outputs + out] = a + b + (bias ? bias[out] : 0);
    }
  }
  return result;
}

export function added(x, y) {
  const sum = new Float32Array(x.length);
  for (let i = 0; i < x.length; i++) sum[i] = x[i] + y[i];
  return sum;
}

// LayerNorm of each of n rows.
export function normalised(x, n, weight, bias, eps) {
  const width = x.length / n;
  const result = new Float32Array(x.length);
  for (let start = 0; start < x.length; start += width) {
    let [sum, squares] = [0, 0];
    for (let i = start; i < start + width; i++) sum += x[i];
    const mean = sum / width;
    for (let i = start; i < start + width; i++) squares += (x[i] - mean) ** 2;
    const scale = 1 / Math.sqrt(squares / width + eps);
    for (let i = 0; i < width; i++) result[start + i] = (x[start + i] - mean) * scale * weight[i] + bias[i];
  }
  return result;
}

// RMSNorm of each row that is as long as weight.
export function rescaled(x, weight, eps) {
  const width = weight.length;
  const result = new Float32Array(x.length);
  for (let start = 0; start < x.length; start += width) {
    let squares = 0;
    for (let i = start; i < start + width; i++) squares += x[i] ** 2;
    const scale = 1 / Math.sqrt(squares / width + eps);
    for (let i = 0; i < width; i++) result[start + i] = x[start + i] * scale * weight[i];
  }
  return result;
}

// Rotary positions: a query or key (D) of `heads` heads at a place, numbers 2i and 2i + 1 of a head turned together.
export function turned(x, place, heads, base = 10_000) {
  const width = x.length / heads;
  const result = new Float32Array(x.length);
  for (let i = 0; i < x.length; i += 2) {
    const angle = place / base ** ((i % width) / width);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    result[i] = x[i] * cos - x[i + 1] * sin;
    result[i + 1] = x[i] * sin + x[i + 1] * cos;
  }
  return result;
}

// erf to 1.2e-7 (Chebyshev fit of erfc, Press et al., Numerical Recipes, section 6.2).
function erf(x) {
  const t = 1 / (1 + 0.5 * Math.abs(x));
  let fit = -0.82215223 + t * 0.17087277;
  fit = 0.27886807 + t * (-1.13520398 + t * (1.48851587 + t * fit));
  fit = 0.37409196 + t * (0.09678418 + t * (-0.18628806 + t * fit));
  const rest = t * Math.exp(-x * x - 1.26551223 + t * (1.00002368 + t * fit));
  return x < 0 ? rest - 1 : 1 - rest;
}

const ACTIVATIONS = {
  gelu: (x) => 0.5 * x * (1 + erf(x * Math.SQRT1_2)),
  relu: (x) => Math.max(x, 0),
  squared_relu: (x) => Math.max(x, 0) ** 2,
};

// The named activation of each number, in its place.
export function activated(x, name) {
  const activation = ACTIVATIONS[name];
  for (let i = 0; i < x.length; i++) x[i] = activation(x[i]);
  return x;
}

// softmax of numbers, as doubles; with `heat`, of the numbers divided by it.
export function softmax(logits, heat = 1) {
  const result = new Float64Array(logits.length);
  let [top, sum] = [-Infinity, 0];
  for (let i = 0; i < logits.length; i++) top = Math.max(top, logits[i]);
  for (let i = 0; i < logits.length; i++) sum += result[i] = Math.exp((logits[i] - top) / heat);
  for (let i = 0; i < logits.length; i++) result[i] /= sum;
  return result;
}

export function logSoftmax(logits, heat = 1) {
  let [top, sum] = [-Infinity, 0];
  for (let i = 0; i < logits.length; i++) top = Math.max(top, logits[i]);
  for (let i = 0; i < logits.length; i++) sum += Math.exp((logits[i] - top) / heat);
  const rest = Math.log(sum);
  return Float64Array.from(logits, (value) => (value - top) / heat - rest);
}

// One query (D) in H heads, and S keys and values, whose heads may be fewer, each for several neighbours of the query's:
// [mixed values (D), weights, H rows (S)].
export function attend(query, keys, values, heads) {
  const width = query.length / heads;
  const each = query.length / keys[0].length; // heads that share a key
  const mixed = new Float32Array(query.length);
  const weights = [];
  const scores = new Float64Array(keys.length);
  for (let head = 0; head < heads; head++) {
    const [start, shared] = [head * width, Math.floor(head / each) * width];
    for (let s = 0; s < keys.length; s++) {
      const key = keys[s];
      let sum = 0;
      for (let i = 0; i < width; i++) sum += query[start + i] * key[shared + i];
      scores[s] = sum;
    }
    const row = softmax(scores, Math.sqrt(width));
    for (let s = 0; s < keys.length; s++) {
      const [value, share] = [values[s], row[s]];
      for (let i = 0; i < width; i++) mixed[start + i] += share * value[shared + i];
    }
    weights.push(row);
  }
  return [mixed, weights];
}

export function rows(x, n) {
  const width = x.length / n;
  return Array.from({ length: n }, (_, row) => x.subarray(row * width, (row + 1) * width));
}

// The places of the n largest numbers, the largest first, of equal ones the earlier.
export function largest(numbers, n) {
  const best = [];
  for (let i = 0; i < numbers.length; i++) {
    if (best.length === n && numbers[i] <= numbers[best.at(-1)]) continue;
    let at = best.length;
    while (at > 0 && numbers[best[at - 1]] < numbers[i]) at--;
    best.splice(at, 0, i);
    if (best.length > n) best.pop();
  }
  return best;
}

// Numbers of half precision (IEEE 754), by a table of all there are.
export function widened(halves) {
  if (!table) fillTable();
  const result = new Float32Array(halves.length);
  for (let i = 0; i < halves.length; i++) result[i] = table[halves[i]];
  return result;
}

let table = null;

function fillTable() {
  table = new Float32Array(1 << 16);
  for (let bits = 0; bits < table.length; bits++) {
    const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
    const size = exponent === 0 ? fraction * 2 ** -24 : exponent === 31 ? (fraction ? NaN : Infinity) : (1 + fraction / 1024) * 2 ** (exponent - 15);
    table[bits] = bits >> 15 ? -size : size;
  }
}
