/** Headers by their names in lower case, each of which came once. */
export type RequestHeaders = Readonly<Record<string, string>>

/** The head of a request that says all there is to say in the plainest way. */
export interface RequestHead {
  readonly url: string
  readonly headers: RequestHeaders
  /** The text of the headers with the empty line behind them. */
  readonly lines: string
  /** Where the body begins. */
  readonly bodyAt: number
  /** Bytes of the body, as announced. */
  readonly bodyBytes: number
}

const METHOD = 'POST '
/** Where the URL begins. */
export const URL_AT = METHOD.length
const VERSION = ' HTTP/1.1\r\n'
const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a
const SPACE = 0x20
const COLON = 0x3a
const LAST_PRINTABLE = 0x7e
const DECIMAL = /^[0-9]{1,9}$/

/** Characters of a header's name (RFC 9110, section 5.6.2), by their codes. */
const nameCharacters = new Uint8Array(256)
for (const character of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
  nameCharacters[character.charCodeAt(0)] = 1

/** Headers that change how a request is read, or what becomes of its connection; what they say is not for here. */
const notPlain = ['transfer-encoding', 'upgrade', 'expect', 'proxy-connection', 'trailer', 'te']

/**
 * Reads the head of a POST request that any server reads in the same way: HTTP/1.1, a host, an announced length, no
 * header twice, nothing in them but printable ASCII, each line ended as it should be (RFC 9112, sections 2 to 6).
 * Every other request, also one whose head is not there to its end, is for a parser that knows all of HTTP.
 * @param text of what has arrived, a character a byte
 * @param before a head that was read: clients write the same headers again and again
 * @param headerCount most headers of a plain request
 * @returns undefined for every other request
 */
export function readRequestHead(
  text: string,
  before?: RequestHead,
  headerCount = Number.POSITIVE_INFINITY,
): RequestHead | undefined {
  if (!text.startsWith(METHOD)) return undefined
  const urlEnd = text.indexOf(' ', URL_AT)
  if (urlEnd < 0 || !text.startsWith(VERSION, urlEnd)) return undefined
  const url = text.slice(URL_AT, urlEnd)
  const linesAt = urlEnd + VERSION.length
  if (before !== undefined && text.startsWith(before.lines, linesAt)) {
    const { headers, lines, bodyBytes } = before
    return { url, headers, lines, bodyAt: linesAt + lines.length, bodyBytes }
  }
  return readLines(text, url, linesAt, headerCount)
}

function readLines(text: string, url: string, linesAt: number, headerCount: number): RequestHead | undefined {
  const headers: Record<string, string> = {}
  let at = linesAt
  for (let count = 0; text.charCodeAt(at) !== CARRIAGE_RETURN; count++) {
    if (count === headerCount) return undefined
    const nameEnd = endOfName(text, at)
    const lineEnd = endOfValue(text, nameEnd + 1)
    const isLine =
      nameEnd > at && text.charCodeAt(nameEnd) === COLON && text.charCodeAt(lineEnd + 1) === LINE_FEED
    if (!isLine || text.charCodeAt(lineEnd) !== CARRIAGE_RETURN) return undefined
    const name = text.slice(at, nameEnd).toLowerCase()
    if (name in headers) return undefined
    headers[name] = trimmed(text, nameEnd + 1, lineEnd)
    at = lineEnd + 2
  }
  if (text.charCodeAt(at + 1) !== LINE_FEED || !isPlain(headers)) return undefined
  const bodyAt = at + 2
  const bodyBytes = Number(headers['content-length'])
  return { url, headers, lines: text.slice(linesAt, bodyAt), bodyAt, bodyBytes }
}

function isPlain(headers: RequestHeaders): boolean {
  const { host, connection, 'content-length': length } = headers
  if (host === undefined || length === undefined || !DECIMAL.test(length)) return false
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return false
  for (const name of notPlain) if (headers[name] !== undefined) return false
  return true
}

function endOfName(text: string, start: number): number {
  let at = start
  while (nameCharacters[text.charCodeAt(at)] === 1) at++
  return at
}

function endOfValue(text: string, start: number): number {
  let at = start
  for (;;) {
    const code = text.charCodeAt(at)
    // What is behind the end of the text is no number, and ends it, too.
    if (!(code >= SPACE && code <= LAST_PRINTABLE)) return at
    at++
  }
}

/** The value without the spaces around it. */
function trimmed(text: string, start: number, end: number): string {
  let from = start
  let to = end
  while (from < to && text.charCodeAt(from) === SPACE) from++
  while (to > from && text.charCodeAt(to - 1) === SPACE) to--
  return text.slice(from, to)
}
