import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { limits } from '../../generated/contract.js'
import { startNginx } from '../support/nginx.js'
import { post } from '../support/service.js'
import { chainId, keyOf, keys, large, small } from './quota-harness.js'

/** Sends a whole request before it reads, as some clients do; returns all that it receives. */
async function sendThenRead(url: string, size: string, body: string): Promise<string> {
  const { port, pathname, host } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8').pause()
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n${size}\r\n\r\n`
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.write(head + body, () => resolve())
  })
  let received = ''
  socket.on('data', (text: string) => {
    received += text
    if (received.endsWith('}')) socket.destroy()
  })
  await once(socket.resume(), 'close')
  return received
}

t.test('of a spent limit, a large body is refused unread, and its caller gets the answer', async (t) => {
  const spent = await keyOf(small, 'large-bodies@example.com')
  const own = await keyOf(large, 'large-bodies@example.com')
  t.equal((await keys(large, 'set', own.id, '--monthly-limit', '1')).code, 0)
  const body = JSON.stringify(chainId(7))
  const most = body.padEnd(limits.bodyBytes)
  const chunked = `${most.length.toString(16)}\r\n${most}\r\n0\r\n\r\n`
  for (const [{ url }, scope, limit] of [
    [spent, 'daily', 20],
    [own, 'monthly', 1],
  ] as const) {
    let refused = await post(url, chainId(7))
    while (refused.status === 200) refused = await post(url, chainId(7))
    t.match(refused, { status: 429, json: { id: 7 } })
    t.match(await post(url, body.padEnd(limits.smallBodyBytes)), { status: 429, json: { id: 7 } })
    /** Sends a large body until the service refuses it unread. A refusal expires after a second without use. */
    const unread = async <Answer>(send: () => Promise<Answer>, isUnread: (answer: Answer) => boolean) => {
      let answer = await send()
      while (!isUnread(answer)) {
        t.equal((await post(url, chainId(7))).status, 429)
        answer = await send()
      }
      return answer
    }
    const large = () => post(url, body.padEnd(limits.smallBodyBytes + 1))
    const answer = await unread(large, ({ json }) => json.id === null)
    t.match(answer, { status: 429, json: { ...refused.json, id: null } })
    for (const name of ['ratelimit-policy', 'content-type', 'access-control-allow-origin'])
      t.equal(answer.headers.get(name), refused.headers.get(name), name)
    t.match(answer.headers.get('ratelimit'), new RegExp(`^"${scope}";r=0;t=`))
    t.match(answer.json.error, { code: -32005, data: { limit, used: limit, scope } })

    const balanced = new URL(new URL(url).pathname, await startNginx(t, [new URL(url).origin])).href
    for (const target of [url, balanced]) {
      for (const [size, sent] of [
        [`content-length: ${most.length}`, most],
        ['transfer-encoding: chunked', chunked],
      ] as const) {
        const text = await unread(
          () => sendThenRead(target, size, sent),
          (received) => received.includes('"id":null'),
        )
        t.match(text, /^HTTP\/1.1 429 .*-32005/s, size)
      }
    }
  }
})
