/** Changes of bytes. Bytes are texts of Latin-1 here, which fast-check and JSON files can hold. */
import fc from 'fast-check'

/** One change of some bytes. */
export type Mutation = (bytes: string) => string

/** The bytes of a text in UTF-8. */
export const utf8 = (text: string): string => Buffer.from(text).toString('latin1')

/** A change at a place; places are parts of the length. */
const placed = (change: (bytes: string, at: number) => string): fc.Arbitrary<Mutation> =>
  fc.nat(9_999).map((place) => (bytes) => change(bytes, Math.floor((place / 10_000) * (bytes.length + 1))))

const inserted = (texts: readonly string[]): fc.Arbitrary<Mutation> =>
  fc
    .constantFrom(...texts)
    .chain((text) => placed((bytes, at) => bytes.slice(0, at) + text + bytes.slice(at)))

const removed: fc.Arbitrary<Mutation> = fc
  .integer({ min: 1, max: 12 })
  .chain((count) => placed((bytes, at) => bytes.slice(0, at) + bytes.slice(at + count)))

const replacedByte: fc.Arbitrary<Mutation> = fc
  .nat(255)
  .chain((byte) =>
    placed((bytes, at) => bytes.slice(0, at) + String.fromCharCode(byte) + bytes.slice(at + 1)),
  )

const cut: fc.Arbitrary<Mutation> = placed((bytes, at) => bytes.slice(0, at))

const repeated: fc.Arbitrary<Mutation> = fc
  .integer({ min: 2, max: 20 })
  .chain((count) => placed((bytes, at) => bytes.slice(0, at) + bytes.slice(at, at + count) + bytes.slice(at)))

const jsonTokens: readonly string[] = [
  ...['"id"', ':', ',', '[', ']', '{', '}', 'null', '-0', '1e9', '.5', '"', '\\', '\\u', '\\ud800'],
  ...[
    '"__proto__":',
    utf8('\ufeff'),
    '[[[[',
    '\0',
    '1E400',
    '99999999999999999999',
    '\xc0\xaf',
    '\xed\xa0\x80',
  ],
]

/** Changes of JSON texts. */
export const jsonMutations: fc.Arbitrary<Mutation> = fc.oneof(
  replacedByte,
  cut,
  inserted(jsonTokens),
  removed,
  repeated,
  fc.constant((bytes: string) => `[${bytes},${bytes}]`),
)

/** Texts that HTTP parsers disagree about most easily. */
const httpTexts: readonly string[] = [
  ...[
    '\r\n',
    '\n',
    '\r',
    '\r\n\r\n',
    ' ',
    '\t',
    ':',
    ',',
    '\0',
    '\x7f',
    '\x80',
    '\xff',
    '%',
    '?',
    '#',
    '{',
    '"',
  ],
  ...['\r\nContent-Length: 2', '\r\ncontent-length: 0', '\r\nTransfer-Encoding: chunked', '\r\nTE: trailers'],
  ...['\r\nHost: b', '\r\nConnection: close', '\r\nConnection: upgrade', '\r\nUpgrade: h2c'],
  ...['\r\nUpgrade: websocket', '\r\nExpect: 100-continue', '\r\nX-A: 1', '\r\n folded', '\r\nX-B : 1'],
  ...['\r\n: none', '\r\n__proto__: x', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'POST ', 'post ', 'PUT '],
  ...['/good', '/later', '//', '1', '-1', '+', '0x', '99999999999'],
]

/** Changes of whole HTTP messages. */
export const httpMutations: fc.Arbitrary<Mutation> = fc.oneof(
  inserted(httpTexts),
  fc
    .constantFrom(...httpTexts)
    .chain((text) => placed((bytes, at) => bytes.slice(0, at) + text + bytes.slice(at + text.length))),
  removed,
  replacedByte,
  cut,
  placed((bytes, at) => {
    const lines = bytes.split('\r\n')
    const line = Math.floor((at / (bytes.length + 1)) * lines.length)
    return [...lines.slice(0, line), lines[line], ...lines.slice(line)].join('\r\n')
  }),
  placed((bytes, at) => bytes.slice(0, at) + bytes.slice(at, at + 20).toUpperCase() + bytes.slice(at + 20)),
  ...[-1, 1].map((change) =>
    fc.constant((bytes: string) =>
      bytes.replace(/(content-length: )(\d+)/i, (_, name, length) => `${name}${Number(length) + change}`),
    ),
  ),
)

/** Applies changes in their order. */
export const mutate = (bytes: string, changes: readonly Mutation[]): string =>
  changes.reduce((text, change) => change(text), bytes)
