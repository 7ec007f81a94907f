import { isArray, isObject, type JsonValue } from '../../toolkit/contract/index.js'

/**
 * Lists simpler values to try in place of a value, the simplest first: without members or items, then with
 * one part simplified. Texts become shorter and numbers come closer to zero. Templates stay as they are.
 */
export function smallerValues(value: JsonValue): readonly JsonValue[] {
  if (isArray(value)) {
    const half = Math.floor(value.length / 2)
    return [
      ...(value.length > 0 ? [[]] : []),
      ...(half > 0 ? [value.slice(0, half), value.slice(half)] : []),
      ...(value.length > 1 ? value.map((_, at) => value.toSpliced(at, 1)) : []),
      ...value.flatMap((item, at) => smallerValues(item).map((smaller) => value.with(at, smaller))),
    ]
  }
  if (isObject(value)) {
    const entries = Object.entries(value)
    return [
      ...(entries.length > 1 ? [{}] : []),
      ...entries.map((_, at) => Object.fromEntries(entries.toSpliced(at, 1))),
      ...entries.flatMap(([name, inner = null]) =>
        smallerValues(inner).map((smaller) => ({ ...value, [name]: smaller })),
      ),
    ]
  }
  if (typeof value === 'string') return smallerTexts(value)
  if (typeof value === 'number') return smallerNumbers(value)
  return value === true ? [false] : []
}

function smallerTexts(text: string): readonly string[] {
  if (text.includes('${')) return []
  const hexadecimal = /^0x[0-9a-f]+$/i.test(text) ? ['0x0', `0x${'0'.repeat(text.length - 2)}`] : []
  const shorter = ['', 'a', text.slice(0, Math.ceil(text.length / 2)), text.slice(0, -1)]
  return [...new Set([...shorter, ...hexadecimal])].filter((one) => one !== text && one.length <= text.length)
}

function smallerNumbers(number: number): readonly number[] {
  const nearer = [0, 1, Math.trunc(number / 2), Math.trunc(number)]
  return [...new Set(nearer)].filter((one) => Math.abs(one) < Math.abs(number))
}
