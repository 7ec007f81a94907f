// Keywords for strings: `pattern`, `minLength` and `maxLength` (JSON Schema validation, section 6.3 of draft-07 and 2020-12).

import { type JsonObject, member } from '../../../contract/index.js'
import { quote } from '../../text.js'
import { code, type Keyword, range } from '../note-text.js'

/** Returns the type of the strings that a schema accepts. */
export function stringType(schema: JsonObject): string {
  const pattern = member(schema, 'pattern')
  return typeof pattern === 'string' ? patternType(pattern) : 'string'
}

/**
 * Returns the type of strings that match a pattern. It is a template type for a pattern that begins with fixed text,
 * such as `^0x[0-9a-f]*$`, and the text itself if the pattern allows nothing else.
 * @param pattern a regular expression (JSON Schema draft-07 validation, section 6.3.3)
 */
function patternType(pattern: string): string {
  const { prefix, rest } = fixedPrefix(pattern)
  if (rest === '$') return quote(prefix)
  return prefix === '' ? 'string' : prefixedType(prefix)
}

/** Returns the type of strings that begin with a text. */
export function prefixedType(prefix: string): string {
  return `\`${escaped(prefix)}\${string}\``
}

/** Returns the fixed text that every match begins with, and the rest of the pattern. */
export function fixedPrefix(pattern: string): { readonly prefix: string; readonly rest: string } {
  if (!pattern.startsWith('^') || hasAlternatives(pattern)) return { prefix: '', rest: pattern }
  const characters: string[] = []
  let rest = pattern.slice(1)
  for (;;) {
    const [token, character] = /^(?:\\([^\w\s])|([^\\^$.*+?()[\]{}|]))/u.exec(rest)?.filter(Boolean) ?? []
    if (token === undefined || character === undefined) break
    const after = rest.slice(token.length)
    if (/^[?*{]/.test(after)) break
    characters.push(character)
    rest = after
    if (after.startsWith('+')) break
  }
  return { prefix: characters.join(''), rest }
}

/** Returns true if the pattern has alternatives outside of groups and classes. */
function hasAlternatives(pattern: string): boolean {
  const bare = pattern.replaceAll(/\\./gsu, '').replaceAll(/\[[^\]]*\]/g, '')
  let depth = 0
  for (const character of bare) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (character === '|' && depth === 0) return true
  }
  return false
}

/** Escapes text for a template literal. */
function escaped(text: string): string {
  const plain = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
  return plain.replaceAll('`', '\\`').replaceAll('${', '\\${')
}

/** Describes the constraints of strings. */
export function stringNotes(value: Keyword): readonly string[] {
  const pattern = value('pattern')
  return [
    pattern === undefined ? '' : `Pattern: ${code(String(pattern))}.`,
    range('Length', value('minLength'), value('maxLength')),
  ]
}
