/** The head of a plain request. */
export interface RequestHead {
  readonly url: string
  /** By lower-case name; each occurred once. */
  readonly headers: Readonly<Record<string, string>>
  /** The header text including the empty line. */
  readonly lines: string
  /** Offset of the body. */
  readonly bodyAt: number
  /** Announced size of the body, in bytes. */
  readonly bodyBytes: number
}

const METHOD = 'POST '
/** Offset of the URL. */
const URL_AT = METHOD.length
const VERSION = ' HTTP/1.1\r\n'
const END = '\r\n'
/** Node's parser refuses all other characters, or treats them in its own way. */
const PLAIN_URL = /^\/[\x21\x23-\x7e]*$/
const DECIMAL = /^[0-9]{1,9}$/

/** A line with a name (RFC 9110, section 5.6.2) and a value of printable ASCII. */
const LINE = /([!#$%&'*+\-.^_`|~0-9A-Za-z]+):([\x20-\x7e]*)\r\n/y

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
  if (!PLAIN_URL.test(url)) return undefined
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
  for (let count = 0; !text.startsWith(END, at); count++) {
    LINE.lastIndex = at
    const line = LINE.exec(text)
    if (line === null || count === headerCount) return undefined
    const name = line[1]?.toLowerCase() ?? ''
    if (name in headers) return undefined
    headers[name] = line[2]?.trim() ?? ''
    at += line[0].length
  }
  if (!isPlain(headers)) return undefined
  const bodyAt = at + END.length
  const bodyBytes = Number(headers['content-length'])
  return { url, headers, lines: text.slice(linesAt, bodyAt), bodyAt, bodyBytes }
}

function isPlain(headers: RequestHead['headers']): boolean {
  const { host, connection, 'content-length': length } = headers
  if (host === undefined || length === undefined || !DECIMAL.test(length)) return false
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return false
  for (const name of notPlain) if (headers[name] !== undefined) return false
  return true
}
