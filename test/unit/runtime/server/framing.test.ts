import { Readable } from 'node:stream'
import t from 'tap'
import { type Framing, framings, readFrames } from '../../../../src/runtime/server/stdio/framing.js'

/** The messages of a stream that arrives in the given chunks. */
async function messages(framing: Framing, chunks: readonly string[], maxBytes = 20): Promise<string[]> {
  const found: string[] = []
  const input = Readable.from(chunks.map((chunk) => Buffer.from(chunk)))
  for await (const frame of readFrames(input, framing, maxBytes))
    found.push(typeof frame === 'string' ? frame : Buffer.from(frame).toString())
  return found
}

const sized = (text: string) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`

t.test('messages are found however they are split into chunks', async (t) => {
  const rows: readonly (readonly [Framing, string, readonly string[]])[] = [
    ['newline', 'ä\n\r\n\nb\r\nlast', ['ä', 'b', 'last']],
    ['newline', `${'x'.repeat(20)}\n${'y'.repeat(21)}\nz\n`, ['x'.repeat(20), 'tooLarge', 'z']],
    ['newline', 'y'.repeat(50), ['tooLarge']],
    ['content-length', `${sized('ä')}${sized('')}${sized('b')}`, ['ä', '', 'b']],
    [
      'content-length',
      `${sized('x'.repeat(20))}${sized('y'.repeat(21))}${sized('z')}`,
      ['x'.repeat(20), 'tooLarge', 'z'],
    ],
    [
      'content-length',
      `Content-Type: text/plain\r\ncontent-length:1\r\n\r\na${sized('b').slice(0, -1)}`,
      ['a'],
    ],
  ]
  for (const [framing, text, want] of rows) {
    t.same(await messages(framing, [text]), want, `${framing}, whole`)
    t.same(await messages(framing, [...text]), want, `${framing}, each character alone`)
  }
})

t.test('an unreadable header ends the stream', async (t) => {
  for (const text of ['Content-Length: one\r\n\r\n', 'Content-Type: a\r\n\r\n', 'x'.repeat(1_025)])
    await t.rejects(messages('content-length', [text]), { name: 'FramingError' })
  t.same(await messages('content-length', ['x'.repeat(1_024)]), [])
})

t.test('a message is one line without its newlines', (t) => {
  t.equal(Buffer.from(framings.newline.write(Buffer.from('{\n"a": 1\n}'))).toString(), '{"a": 1}\n')
  t.end()
})
