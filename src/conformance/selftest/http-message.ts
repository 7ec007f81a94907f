/** Header names and values in turn, as they stand on the wire: in order, in their case, with duplicates. */
export type HeaderList = readonly string[]

/** A whole HTTP request as it came. */
export interface HttpRequest {
  readonly verb: string
  /** Path and query. */
  readonly path: string
  readonly headers: HeaderList
  readonly body: Uint8Array
  /** What came of the body before its sender paused; most often all of it. */
  readonly firstPiece: Uint8Array
}

/** A whole HTTP answer. */
export interface HttpReply {
  readonly status: number
  /** The words behind the status. */
  readonly reason: string
  readonly headers: HeaderList
  readonly body: Uint8Array
}

/** The value of a header, the first where it came several times; undefined where it is absent. */
export function headerOf(headers: HeaderList, name: string): string | undefined {
  const at = positionOf(headers, name)
  return at === undefined ? undefined : headers[at + 1]
}

/** The headers with one set in its place, added behind the others, or left out where the value is undefined. */
export function withHeader(headers: HeaderList, name: string, value: string | undefined): HeaderList {
  const at = positionOf(headers, name)
  if (at === undefined) return value === undefined ? headers : [...headers, name, value]
  const own = headers[at] ?? name
  const before = headers.slice(0, at)
  const behind = withHeader(headers.slice(at + 2), name, undefined)
  return value === undefined ? [...before, ...behind] : [...before, own, value, ...behind]
}

/** The message with another body and the length that belongs to it. */
export function withBody<Message extends HttpRequest | HttpReply>(message: Message, text: string): Message {
  const body = Buffer.from(text)
  const isChunked = headerOf(message.headers, 'transfer-encoding') !== undefined
  const headers = isChunked
    ? message.headers
    : withHeader(message.headers, 'content-length', String(body.length))
  return { ...message, headers, body }
}

function positionOf(headers: HeaderList, name: string): number | undefined {
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at]?.toLowerCase() === name.toLowerCase()) return at
  }
  return undefined
}
