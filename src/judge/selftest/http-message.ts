/** Header names and values in turn. Names may have any case, and may be repeated. */
export type HeaderList = readonly string[]

/** A complete HTTP request. */
export interface HttpRequest {
  readonly verb: string
  /** Path and query. */
  readonly path: string
  readonly headers: HeaderList
  readonly body: Uint8Array
  /** First piece of the body, usually all of it. Shorter if the sender paused. */
  readonly firstPiece: Uint8Array
}

/** A complete HTTP response, whose body is decoded. */
export interface HttpReply {
  readonly status: number
  readonly headers: HeaderList
  readonly body: Uint8Array
}

/** First value of a header; undefined if absent. */
export function headerOf(headers: HeaderList, name: string): string | undefined {
  const at = positionOf(headers, name)
  return at === undefined ? undefined : headers[at + 1]
}

/** Sets a header in place, appends it if absent, or removes it if the value is undefined. */
export function withHeader(headers: HeaderList, name: string, value: string | undefined): HeaderList {
  const at = positionOf(headers, name)
  if (at === undefined) return value === undefined ? headers : [...headers, name, value]
  const own = headers[at] ?? name
  const before = headers.slice(0, at)
  const after = withHeader(headers.slice(at + 2), name, undefined)
  return value === undefined ? [...before, ...after] : [...before, own, value, ...after]
}

/** Replaces the body and updates `Content-Length`, unless the message is chunked. */
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
