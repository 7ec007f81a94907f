import { isArray, type JsonValue } from '../contract/index.js'

/** Indents every line but the first by two spaces. */
export function indentRest(text: string): string {
  return text.replaceAll('\n', '\n  ')
}

/** Indents every line by two spaces, empty ones excepted. */
export function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ')
}

/**
 * A string literal, safe wherever a JavaScript or TypeScript expression may stand: in single quotes, or in double
 * ones where that saves escaping an apostrophe.
 */
export function quote(text: string): string {
  const double = JSON.stringify(text).replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escapeUnit)
  if (text.includes("'") && !text.includes('"')) return double
  return `'${double.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** True for a name that needs no quotes; ASCII only, since not every tool reads more. */
function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name)
}

/** A member's name in an interface or type literal, quoted where it must be. */
export function memberName(name: string): string {
  return isIdentifier(name) ? name : quote(name)
}

/** A member's name in an object literal, where a plain or quoted `__proto__` would set the prototype instead. */
export function literalKey(name: string): string {
  return name === '__proto__' ? "['__proto__']" : memberName(name)
}

/** A member access behind an object: `.name` or `['na me']`. */
export function access(name: string): string {
  return isIdentifier(name) ? `.${name}` : `[${quote(name)}]`
}

/** A JSON value as an expression; lists and objects of scalars stay on one line while they are short. */
export function literal(value: JsonValue): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number') return numberText(value)
  if (value === null || typeof value !== 'object') return String(value)
  if (isArray(value)) return group('[', value.map(literal), ']')
  const members = Object.entries(value).map(([name, item]) => `${literalKey(name)}: ${literal(item ?? null)}`)
  return group('{', members, '}')
}

/** A number that is too large to be held is `Infinity`, which is no literal. */
function numberText(value: number): string {
  return Number.isFinite(value) ? String(value) : value > 0 ? '1e999' : '-1e999'
}

/** A JSON value as a type that no other value has. */
export function literalType(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return literal(value)
  if (isArray(value)) return `readonly ${group('[', value.map(literalType), ']')}`
  const members = Object.entries(value).map(
    ([name, item]) => `readonly ${memberName(name)}: ${literalType(item ?? null)}`,
  )
  return members.length === 0 ? '{ readonly [member: string]: never }' : `{ ${members.join('; ')} }`
}

/** Items between brackets, on one line or one a line. */
export function group(open: string, items: readonly string[], close: string): string {
  if (items.length === 0) return `${open}${close}`
  const gap = open === '{' ? ' ' : ''
  const line = `${open}${gap}${items.join(', ')}${gap}${close}`
  if (line.length <= 88 && !line.includes('\n')) return line
  return `${open}\n${items.map((item) => `  ${indentRest(item)},`).join('\n')}\n${close}`
}

/** An object type of these members, on one line while that is short. */
export function objectType(members: readonly string[]): string {
  const line = `{ ${members.join('; ')} }`
  return line.length <= 80 && !line.includes('\n') ? line : `{\n${indent(members.join('\n'))}\n}`
}

/**
 * A documentation comment with a line end behind it, empty where there is nothing to say.
 * @param paragraphs what it says; tags such as `@see` go last
 */
export function docComment(paragraphs: readonly (string | undefined)[]): string {
  const lines = paragraphs.flatMap((paragraph) => commentLines(paragraph ?? ''))
  if (lines.length === 0) return ''
  // The compiler takes a comment of one line that begins with `@ts-…` for an order.
  if (lines.length === 1 && !lines[0]?.startsWith('@ts-')) return `/** ${lines[0]} */\n`
  return `/**\n${lines.map((line) => (line === '' ? ' *' : ` * ${line}`)).join('\n')}\n */\n`
}

function commentLines(paragraph: string): readonly string[] {
  const text = plainText(paragraph).replaceAll('*/', '*\\/').trim()
  if (text === '') return []
  const lines = text.split('\n').map((line) => line.trimEnd())
  return /^\s*(?:`{3}|~{3})/m.test(text) ? lines : lines.flatMap(wrapped)
}

const commentWidth = 104

/** A long line of prose as several; tables, tags, indented text and code spans stay whole, and no line gets a mark of Markdown or a tag at its start that it did not have. */
function wrapped(line: string): readonly string[] {
  if (line.length <= commentWidth || /^[\s|#>@]/.test(line)) return [line]
  const hanging = line.startsWith('- ') ? '  ' : ''
  const lines: string[] = []
  let current = ''
  for (const word of line.split(' ')) {
    const isFull = current.length + 1 + word.length > commentWidth && current.trim() !== ''
    const isInCode = (current.match(/`/g) ?? []).length % 2 === 1
    if (isFull && !isInCode && !/^[-+*#>|=@~\d]|^`{3}/.test(word)) {
      lines.push(current)
      current = hanging + word
    } else current += current === '' ? word : ` ${word}`
  }
  return [...lines, current]
}

/** Text without control characters, and with every kind of line end as `\n`. */
export function plainText(text: string): string {
  return text.replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n').replaceAll(/[^\P{Cc}\n\t]|\ufeff/gu, '')
}

/** Text in one line. */
export function oneLine(text: string): string {
  return plainText(text).replaceAll(/\s+/g, ' ').trim()
}
