import { utf8Text } from '../decode-body.js'

/** A text after undoing some of its escapes. */
export interface View {
  readonly text: string
  /**
   * Offset of each character in the original text, and the end offset last. Undefined if offsets are
   * unchanged.
   */
  readonly from: Uint32Array | undefined
}

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
export function* escapeViews(text: string): Generator<View> {
  const first: View = { text, from: undefined }
  yield first
  if (!/[%\\&]/.test(text)) return
  const seen = new Set([text])
  let level: readonly View[] = [first]
  for (let depth = 1; depth <= PLAIN_LEVELS && level.length > 0; depth++) {
    const ways = depth <= MIXED_LEVELS ? WAYS : EVERY_KIND
    const next: View[] = []
    for (const view of level) {
      for (const way of ways) {
        const decoded = undo(view, way)
        if (decoded === undefined || seen.has(decoded.text)) continue
        seen.add(decoded.text)
        yield decoded
        next.push(decoded)
      }
    }
    level = next
  }
}

/** A part of a text and its offset. */
type Piece = readonly [text: string, offset: number]

/** Undoes one level of escapes. Returns undefined if there are none. */
function undo({ text, from }: View, way: RegExp): View | undefined {
  if (text.search(way) < 0) return undefined
  const pieces: string[] = []
  // Escaped text is never shorter than the original.
  const places = new Uint32Array(text.length + 1)
  let length = 0
  let end = 0
  const copy = (until: number) => {
    pieces.push(text.slice(end, until))
    for (; end < until; end++) places[length++] = from?.[end] ?? end
  }
  for (const match of text.matchAll(way)) {
    copy(match.index)
    for (const [piece, offset] of decodedEscape(match[0])) {
      pieces.push(piece)
      const start = match.index + offset
      for (let index = 0; index < piece.length; index++) places[length++] = from?.[start] ?? start
    }
    end = match.index + match[0].length
  }
  copy(text.length)
  places[length++] = from?.[end] ?? end
  return { text: pieces.join(''), from: places.subarray(0, length) }
}

function decodedEscape(written: string): readonly Piece[] {
  if (written.startsWith('%')) return decodedBytes(written)
  if (written.startsWith('&')) return [[decodedEntity(written), 0]]
  const name = written.slice(1)
  if (name.length > 1 && name !== '\r\n') {
    const code = Number.parseInt(name.replace(/^.\{?/, ''), 16)
    return [[character(code) ?? written, 0]]
  }
  // A backslash before a line break produces nothing in JavaScript and JSON5.
  return [[/[\r\n]/.test(name) ? '' : (SHORT[name] ?? name), 0]]
}

function decodedEntity(entity: string): string {
  const name = entity.slice(1).replace(';', '').toLowerCase()
  const named = NAMED[name]
  if (named !== undefined) return named
  const digits = name.startsWith('#x')
    ? Number.parseInt(name.slice(2), 16)
    : Number.parseInt(name.slice(1), 10)
  return character(digits) ?? entity
}

/** Decodes percent-encoded UTF-8. Invalid bytes stand for themselves. */
function decodedBytes(written: string): readonly Piece[] {
  if (written.length === 3 && written < '%8')
    return [[String.fromCharCode(Number.parseInt(written.slice(1), 16)), 0]]
  const bytes = Buffer.from(written.replaceAll('%', ''), 'hex')
  const pieces: Piece[] = []
  for (let index = 0; index < bytes.length; ) {
    const length = sequenceLength(bytes[index] ?? 0)
    const text = length === 1 ? undefined : utf8Text(bytes.subarray(index, index + length))
    pieces.push([text ?? bytes.toString('latin1', index, index + 1), index * 3])
    index += text === undefined ? 1 : length
  }
  return pieces
}

function sequenceLength(lead: number): number {
  if (lead < 0xc0) return 1
  if (lead < 0xe0) return 2
  return lead < 0xf0 ? 3 : 4
}

function character(code: number): string | undefined {
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}
