/** Headers by lower-case name. Each occurred once. */
export type RequestHeaders = Readonly<Record<string, string>>

/** The head of a plain request. */
export interface RequestHead {
  readonly url: string
  readonly headers: RequestHeaders
  /** The header text including the empty line. */
  readonly lines: string
  /** Offset of the body. */
  readonly bodyAt: number
  /** Announced size of the body, in bytes. */
  readonly bodyBytes: number
}

const METHOD = 'POST '
/** Offset of the URL. */
export const URL_AT = METHOD.length
const VERSION = ' HTTP/1.1\r\n'
const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a
const SPACE = 0x20
const COLON = 0x3a
const LAST_PRINTABLE = 0x7e
const DECIMAL = /^[0-9]{1,9}$/

/** Flags of the characters allowed in header names (RFC 9110, section 5.6.2), by character code. */
const nameCharacters = new Uint8Array(256)
for (const character of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
  nameCharacters[character.charCodeAt(0)] = 1

/** Headers that change how the request is read or how its connection is used. Node's parser handles them. */
const notPlain = ['transfer-encoding', 'upgrade', 'expect', 'proxy-connection', 'trailer', 'te']

/**
 * Parses the head of a POST request that all servers interpret alike (RFC 9112, sections 2 to 6). It needs
 * HTTP/1.1, a host, an announced length, unique headers, printable ASCII, and correct line ends. All other
 * requests, including incomplete heads, are left to a full HTTP parser.
 * @param text received bytes, one character per byte
 * @param before an earlier head, because clients repeat their headers
 * @param headerCount maximum number of headers of a plain request
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
    // Beyond the end of the text the code is NaN, which also ends the loop.
    if (!(code >= SPACE && code <= LAST_PRINTABLE)) return at
    at++
  }
}

/** Returns the value without surrounding spaces. */
function trimmed(text: string, start: number, end: number): string {
  let from = start
  let to = end
  while (from < to && text.charCodeAt(from) === SPACE) from++
  while (to > from && text.charCodeAt(to - 1) === SPACE) to--
  return text.slice(from, to)
}
