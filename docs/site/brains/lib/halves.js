// Numbers in half precision (IEEE 754), as NumPy writes them: bytes for a view that reads fromFloat16.

const [single, bits] = (() => {
  const numbers = new Float32Array(1);
  return [numbers, new Uint32Array(numbers.buffer)];
})();

// The 16 bits of a number from 0 to 1, the last one rounded to the even neighbour.
export function half(number) {
  if (number < 2 ** -14) {
    const steps = number * 2 ** 24; // too small for an exponent of its own
    const low = Math.floor(steps);
    return steps - low > 0.5 || (steps - low === 0.5 && low % 2) ? low + 1 : low;
  }
  single[0] = number;
  const rest = bits[0] & 0x1fff;
  const kept = (bits[0] >>> 13) - (112 << 10);
  return rest > 0x1000 || (rest === 0x1000 && kept % 2) ? kept + 1 : kept;
}

export const halves = (numbers) => new DataView(Uint16Array.from(numbers, half).buffer);
