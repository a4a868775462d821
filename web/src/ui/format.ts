// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function superscript(exponent: number): string {
  const digits = [...String(Math.abs(exponent))].map((digit) => superscripts[Number(digit)]);
  return (exponent < 0 ? '⁻' : '') + digits.join('');
}

// Four significant digits by default; a power of ten where the plain form would be long.
export function number(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e5) {
    const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
    return minus(value.toFixed(Math.min(decimals, 6)));
  }
  const [mantissa, exponent] = value.toExponential(Math.max(0, digits - 2)).split('e');
  return `${minus(mantissa)}×10${superscript(Number(exponent))}`;
}

// All digits that the number has, up to ten: for what people wrote themselves.
export function plainNumber(value: number): string {
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-3 && size < 1e5)) return minus(String(Number(value.toPrecision(10))));
  const [mantissa, exponent] = Number(value.toPrecision(10)).toExponential().split('e');
  const power = `10${superscript(Number(exponent))}`;
  return mantissa === '1' ? power : `${minus(mantissa)}×${power}`;
}

// Words of the program with the powers of ten in them as they are written here: 3e-05 is 3×10⁻⁵.
export function withPowers(words: string): string {
  return words.replace(/(\d)e([+-]\d+)\b/g, (_all, digit, power) => `${digit}×10${superscript(Number(power))}`);
}

export function quantity(value: number | null | undefined, unit: string, digits = 4): string {
  const text = number(value, digits);
  return text === '–' ? text : `${text}\u202f${unit}`;
}

function minus(text: string): string {
  return text.replace('-', '−');
}

// A time with as many decimals as tell frames so far apart from each other.
export function clock(time: number, interval: number): string {
  const decimals = interval > 0 ? Math.min(6, Math.max(2, Math.ceil(-Math.log10(interval)))) : 3;
  return minus(time.toFixed(decimals));
}

export function count(value: number, one: string, many = `${one}s`): string {
  return `${value.toLocaleString('en')} ${value === 1 ? one : many}`;
}

export function bytes(value: number): string {
  return value < 1e6 ? `${Math.round(value / 1e3)} kB` : `${(value / 1e6).toFixed(1)} MB`;
}
