/** The head of an answer whose length is announced and that says nothing else of how it is to be read. */
export interface PlainAnswerHead {
  readonly status: number
  /** Where the body begins. */
  readonly bodyAt: number
  /** Bytes of the body, as announced. */
  readonly bodyBytes: number
  /** False when the connection closes behind the answer. */
  readonly stays: boolean
}

const END = '\r\n\r\n'
const STATUS = /^HTTP\/1\.1 ([2-5]\d\d) [\t\x20-\x7e]*$/
const LINE = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[\t ]*([\t\x20-\x7e]*?)[\t ]*$/
const DECIMAL = /^[0-9]{1,9}$/
/** Statuses behind which no body comes, whatever is announced (RFC 9112, section 6.3). */
const bodyless = new Set([204, 304])

/**
 * Reads the head of an answer that any client reads in the same way: HTTP/1.1, one announced length, nothing but
 * printable ASCII (RFC 9112, sections 4 to 6). Every other answer is for a parser that knows all of HTTP.
 * @param text of what has arrived, a character a byte
 * @returns 'more' for one that is not there to its end, undefined for every other answer
 */
export function readPlainAnswerHead(text: string): PlainAnswerHead | 'more' | undefined {
  const end = text.indexOf(END)
  if (end < 0) return 'more'
  const [first = '', ...lines] = text.slice(0, end).split('\r\n')
  const status = Number(STATUS.exec(first)?.[1] ?? 0)
  let length: string | undefined
  let stays = true
  for (const line of lines) {
    const [, name, value = ''] = LINE.exec(line) ?? []
    switch (name?.toLowerCase()) {
      case undefined:
      case 'transfer-encoding':
        return undefined
      case 'content-length':
        if (length !== undefined) return undefined
        length = value
        break
      case 'connection':
        stays = value.toLowerCase() === 'keep-alive'
        break
    }
  }
  if (status === 0 || bodyless.has(status) || length === undefined || !DECIMAL.test(length)) return undefined
  return { status, bodyAt: end + END.length, bodyBytes: Number(length), stays }
}
