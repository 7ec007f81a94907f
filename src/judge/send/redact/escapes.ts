import { utf8Text } from '../decode-body.js'

/** Escapes of URLs, of JSON and JavaScript, and of HTML. */
const ESCAPES = {
  percent: '(?:%[0-9a-f]{2})+',
  script: String.raw`\\(?:u\{[0-9a-f]{1,6}\}|u[0-9a-f]{4}|x[0-9a-f]{2}|\r\n|[^])`,
  markup: '&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|amp|lt|gt|quot|apos);?',
}

/**
 * Each kind of escape separately, because text with one kind can contain lookalikes of another; then all
 * kinds at once.
 */
const WAYS = [...Object.values(ESCAPES), Object.values(ESCAPES).join('|')].map((way) => new RegExp(way, 'gi'))
const EVERY_KIND = WAYS.slice(-1)
const WHOLE = new RegExp(`^(?:${Object.values(ESCAPES).join('|')})$`, 'i')

/** Maximum depth to which kinds of escapes are undone within one another, and of all kinds at once. */
const MIXED_LEVELS = 2
const PLAIN_LEVELS = 12

/** Named characters of HTML and short escapes of JSON. Any other escaped character stands for itself. */
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const SHORT: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  0: '\0',
}

/**
 * Yields the text with its escapes undone in every order: percent-encoding, escapes such as `\u002d`, and
 * character references such as `&#45;`. The text itself comes first. This finds a secret however it was
 * escaped.
 */
export function* escapeViews(text: string): Generator<string> {
  yield text
  if (!/[%\\&]/.test(text)) return
  const seen = new Set([text])
  let level: readonly string[] = [text]
  for (let depth = 1; depth <= PLAIN_LEVELS && level.length > 0; depth++) {
    const ways = depth <= MIXED_LEVELS ? WAYS : EVERY_KIND
    const next: string[] = []
    for (const view of level) {
      for (const way of ways) {
        const decoded = view.replaceAll(way, decodedEscape)
        if (seen.has(decoded)) continue
        seen.add(decoded)
        yield decoded
        next.push(decoded)
      }
    }
    level = next
  }
}

/** Returns true for one escape, or for a sequence of percent-encoded bytes. */
export function isEscape(written: string): boolean {
  return WHOLE.test(written)
}

/** Decodes an escape. */
export function decodedEscape(written: string): string {
  if (written.startsWith('%')) return decodedBytes(written)
  if (written.startsWith('&')) return decodedEntity(written)
  const name = written.slice(1)
  if (name.length > 1 && name !== '\r\n') {
    return character(Number.parseInt(name.replace(/^.\{?/, ''), 16)) ?? written
  }
  // A backslash before a line break produces nothing in JavaScript and JSON5.
  return /[\r\n]/.test(name) ? '' : (SHORT[name] ?? name)
}

function decodedEntity(entity: string): string {
  const name = entity.slice(1).replace(';', '').toLowerCase()
  const digits = name.startsWith('#x')
    ? Number.parseInt(name.slice(2), 16)
    : Number.parseInt(name.slice(1), 10)
  return NAMED[name] ?? character(digits) ?? entity
}

/** Decodes percent-encoded UTF-8. Invalid bytes stand for themselves. */
function decodedBytes(written: string): string {
  const bytes = Buffer.from(written.replaceAll('%', ''), 'hex')
  let text = ''
  for (let index = 0; index < bytes.length; ) {
    const sequence = bytes.subarray(index, index + sequenceLength(bytes[index] ?? 0))
    const decoded = utf8Text(sequence)
    text += decoded ?? bytes.toString('latin1', index, index + 1)
    index += decoded === undefined ? 1 : sequence.length
  }
  return text
}

function sequenceLength(lead: number): number {
  if (lead < 0xc0) return 1
  if (lead < 0xe0) return 2
  return lead < 0xf0 ? 3 : 4
}

function character(code: number): string | undefined {
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}
