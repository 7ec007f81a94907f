import t from 'tap'
import { readPlainAnswerHead } from '../../../src/gateway/upstream/plain-answer-head.js'

const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`

t.test('an answer with an announced length', async (t) => {
  const text = head('HTTP/1.1 200 OK', 'Content-Type: application/json', 'Content-Length: 12')
  t.strictSame(readPlainAnswerHead(`${text}{"id":1,`), {
    status: 200,
    bodyAt: text.length,
    bodyBytes: 12,
    stays: true,
  })
  t.match(readPlainAnswerHead(head('HTTP/1.1 400 ', 'content-length:0', 'connection: close')), {
    status: 400,
    bodyBytes: 0,
    stays: false,
  })
  t.match(readPlainAnswerHead(head('HTTP/1.1 200 OK', 'CONTENT-LENGTH:\t 7 ', 'Connection: Keep-Alive')), {
    bodyBytes: 7,
    stays: true,
  })
  for (let end = 0; end < text.length; end++)
    if (readPlainAnswerHead(text.slice(0, end)) !== 'more') t.fail(`not there to its end at ${end}`)
})

t.test('every other answer is for a parser that knows all of HTTP', async (t) => {
  const length = 'content-length: 2'
  const others: Record<string, string> = {
    chunked: head('HTTP/1.1 200 OK', 'transfer-encoding: chunked'),
    'chunked, with a length': head('HTTP/1.1 200 OK', length, 'Transfer-Encoding: chunked'),
    'until the connection closes': head('HTTP/1.1 200 OK', 'connection: close'),
    'two lengths': head('HTTP/1.1 200 OK', length, length),
    'a list of lengths': head('HTTP/1.1 200 OK', 'content-length: 2, 2'),
    'a length with a sign': head('HTTP/1.1 200 OK', 'content-length: +2'),
    'a length in hexadecimal': head('HTTP/1.1 200 OK', 'content-length: 0x2'),
    'a length without an end': head('HTTP/1.1 200 OK', `content-length: ${'9'.repeat(30)}`),
    'a folded line': head('HTTP/1.1 200 OK', length, ' and more'),
    'a space before the colon': head('HTTP/1.1 200 OK', 'content-length : 2'),
    'a line without a name': head('HTTP/1.1 200 OK', ': 2', length),
    'a bare line feed': head('HTTP/1.1 200 OK', `x: y\n${length}`),
    'a zero byte': head('HTTP/1.1 200 OK', length, 'x: \0'),
    'bytes beyond ASCII': head('HTTP/1.1 200 OK', length, 'x: é'),
    'an announcement': head('HTTP/1.1 100 Continue', length),
    'no content': head('HTTP/1.1 204 No Content', length),
    'not modified': head('HTTP/1.1 304 Not Modified', length),
    'an older protocol': head('HTTP/1.0 200 OK', length),
    'another protocol': head('RTSP/1.1 200 OK', length),
    'no status': head('HTTP/1.1 OK', length),
    'a status of four digits': head('HTTP/1.1 2000 OK', length),
    'a line before it': `\r\n${head('HTTP/1.1 200 OK', length)}`,
  }
  for (const [name, text] of Object.entries(others)) t.equal(readPlainAnswerHead(text), undefined, name)
})
