import { isArray, type JsonValue } from '../contract/index.js'
import { plainText } from '../text/index.js'

/** Indents every line but the first by two spaces. */
export function indentRest(text: string): string {
  return text.replaceAll('\n', '\n  ')
}

/** Indents every non-empty line by two spaces. */
export function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ')
}

/**
 * Returns a string literal that is valid in JavaScript and TypeScript. It uses double quotes if that avoids
 * escaping an apostrophe.
 */
export function quote(text: string): string {
  const double = JSON.stringify(text).replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escapeUnit)
  if (text.includes("'") && !text.includes('"')) return double
  return `'${double.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/**
 * Returns true if a property name needs no quotes. Only ASCII counts, because some tools accept nothing else.
 */
function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name)
}

/** Returns a property name for an interface or type literal, quoted if necessary. */
export function memberName(name: string): string {
  return isIdentifier(name) ? name : quote(name)
}

/**
 * Returns a property name for an object literal. `__proto__` is computed, because otherwise it would set the
 * prototype.
 */
export function literalKey(name: string): string {
  return name === '__proto__' ? "['__proto__']" : memberName(name)
}

/** Returns a property access: `.name` or `['na me']`. */
export function access(name: string): string {
  return isIdentifier(name) ? `.${name}` : `[${quote(name)}]`
}

/** Returns a JSON value as an expression. Short lists and objects of scalars stay on one line. */
export function literal(value: JsonValue, width = 88): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'number') return numberText(value)
  if (value === null || typeof value !== 'object') return String(value)
  if (isArray(value))
    return group(
      '[',
      value.map((item) => literal(item)),
      ']',
      width,
    )
  const members = Object.entries(value).map(([name, item]) => {
    const key = `${literalKey(name)}: `
    return `${key}${literal(item ?? null, Math.min(88, 112 - key.length))}`
  })
  return group('{', members, '}', width)
}

/**
 * Returns a number literal. Numbers above the range of doubles become `Infinity`, which needs an expression.
 */
function numberText(value: number): string {
  return Number.isFinite(value) ? String(value) : value > 0 ? '1e999' : '-1e999'
}

/** Returns the literal type of a JSON value. */
export function literalType(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return literal(value)
  if (isArray(value)) return `readonly ${group('[', value.map(literalType), ']')}`
  const members = Object.entries(value).map(
    ([name, item]) => `readonly ${memberName(name)}: ${literalType(item ?? null)}`,
  )
  return members.length === 0 ? 'Record<string, never>' : `{ ${members.join('; ')} }`
}

/**
 * Joins items in brackets: on one line if they fit, otherwise one per line.
 * @param width maximum line length, in characters
 */
export function group(open: string, items: readonly string[], close: string, width = 88): string {
  if (items.length === 0) return `${open}${close}`
  const gap = open === '{' ? ' ' : ''
  const line = `${open}${gap}${items.join(', ')}${gap}${close}`
  if (line.length <= width && !line.includes('\n')) return line
  return `${open}\n${items.map((item) => `  ${indentRest(item)},`).join('\n')}\n${close}`
}

/** Returns an object type, on one line if it is short. */
export function objectType(members: readonly string[]): string {
  const line = `{ ${members.join('; ')} }`
  return line.length <= 80 && !line.includes('\n') ? line : `{\n${indent(members.join('\n'))}\n}`
}

/**
 * Returns a doc comment and a line break, or an empty string without content.
 * @param paragraphs its text; tags such as `@see` go last
 */
export function docComment(paragraphs: readonly (string | undefined)[]): string {
  const lines = paragraphs.flatMap((paragraph) => commentLines(paragraph ?? ''))
  if (lines.length === 0) return ''
  // TypeScript treats a one-line comment that begins with `@ts-…` as a directive.
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

/**
 * Wraps a long line of prose, of a parameter, a result or an error. Tables, other tags, indented text and code spans are not wrapped. A break never moves
 * a Markdown marker or a tag to the start of a line.
 */
function wrapped(line: string): readonly string[] {
  if (line.length <= commentWidth || /^(?:[\s|#>]|@(?!param|returns|throws))/.test(line)) return [line]
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
