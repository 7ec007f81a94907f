/** Characters that HTML names, and those for which JSON and JavaScript have a short escape. */
const NAMED: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }
const SHORT: Readonly<Record<string, string>> = {
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
  '\v': 'v',
}

/**
 * A pattern of a secret that may be escaped anywhere: each character as it is, percent-encoded, as in JSON or as in
 * HTML, in any case. What stands in front cannot take the secret's beginning for the end of an escape of its own.
 */
export function secretPattern(secret: string): RegExp {
  return new RegExp([...secret].map(characterPattern).join(''), 'gi')
}

function characterPattern(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const bytes = [...Buffer.from(character)].map((byte) => `%${hex(byte, 2)}`)
  const units = Array.from(
    { length: character.length },
    (_, index) => `\\\\u${hex(character.charCodeAt(index), 4)}`,
  )
  const ways = [
    literal(character),
    bytes.join(''),
    units.join(''),
    `\\\\u\\{0{0,5}${hex(code, 1)}\\}`,
    `&#0{0,6}${code};?`,
    `&#x0{0,5}${hex(code, 1)};?`,
  ]
  if (code <= 0xff) ways.push(`\\\\x${hex(code, 2)}`)
  const short = SHORT[character] ?? (/[\w\s]/.test(character) ? undefined : character)
  if (short !== undefined) ways.push(`\\\\${literal(short)}`)
  const name = NAMED[character]
  if (name !== undefined) ways.push(`&${name};?`)
  return `(?:${ways.join('|')})`
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, (mark) => `\\x${hex(mark.charCodeAt(0), 2)}`)
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, '0')
}
