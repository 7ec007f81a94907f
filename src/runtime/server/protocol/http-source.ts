/** What reports of a request say about it. */
export interface RequestFacts {
  /** Undefined if the request could not be read. */
  readonly method: string | undefined
  /** Values by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The client's address, as reported by trusted proxies; undefined if the transport does not know it. */
  readonly ip: string | undefined
}

/** The response to an HTTP request, as far as its calls use it. */
export interface Recipient {
  /** True after the answer was sent or the connection closed. */
  readonly destroyed: boolean
  /** True after the whole answer was sent. */
  readonly writableFinished: boolean
  once(event: 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
}

/** The HTTP request of a message. */
export interface HttpSource extends RequestFacts {
  readonly response: Recipient
}
