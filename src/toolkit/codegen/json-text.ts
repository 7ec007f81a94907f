import { isArray, isObject, type JsonObject, type JsonValue } from '../contract/index.js'

const lineWidth = 110

/** Formats JSON for reading. Values that fit stay on one line; others have one item or member per line. */
export function jsonText(value: JsonValue, indentation = '', lead = 0): string {
  const line = oneLineText(value)
  const isScalar = !isArray(value) && !isObject(value)
  if (isScalar || indentation.length + lead + line.length < lineWidth) return line
  const inner = `${indentation}  `
  if (isArray(value)) {
    const items = value.map((item) => `${inner}${jsonText(item, inner)}`)
    return `[\n${items.join(',\n')}\n${indentation}]`
  }
  const members = Object.entries(value).map(([name, item]) => {
    const key = `${JSON.stringify(name)}: `
    return `${inner}${key}${jsonText(item ?? null, inner, key.length)}`
  })
  return `{\n${members.join(',\n')}\n${indentation}}`
}

/** Cached one-line texts. Nested arrays and objects would otherwise be written once for each level around them. */
const lines = new WeakMap<object, string>()

function oneLineText(value: JsonValue): string {
  if (!isArray(value) && !isObject(value)) return JSON.stringify(value)
  const line = lines.get(value) ?? lineOf(value)
  lines.set(value, line)
  return line
}

function lineOf(value: readonly JsonValue[] | JsonObject): string {
  if (isArray(value)) return `[${value.map(oneLineText).join(', ')}]`
  const members = Object.entries(value).map(
    ([name, item]) => `${JSON.stringify(name)}: ${oneLineText(item ?? null)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
