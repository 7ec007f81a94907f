import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { ContractError, loadContract } from '../../../../../src/toolkit/contract/index.js'
import { documentOf } from '../../codegen/fixtures.js'

/** Runs a service for one test and returns the URL of its root. */
async function serve(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const answer = (result: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 1, result })

t.test('a document is read with rpc.discover', async (t) => {
  const url = await serve(t, async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const { method, params } = JSON.parse(Buffer.concat(parts).toString())
    const { authorization = 'none', 'content-type': type } = request.headers
    const title = [request.method, request.url, type, method, JSON.stringify(params), authorization].join(' ')
    response.end(answer(documentOf({ info: { title, version: '1' } })))
  })
  const { title } = await loadContract(`${url}v2/key?a=b`)
  t.equal(title, 'POST /v2/key?a=b application/json rpc.discover [] none')
  const withUser = url.replace('//', '//us%40er:pass@')
  t.match((await loadContract(withUser)).title, `Basic ${Buffer.from('us@er:pass').toString('base64')}`)
})

t.test(
  'a reference of a document to a local file is refused, and one to the network needs permission',
  async (t) => {
    const url = await serve(t, (request, response) => {
      if (request.method === 'GET') response.end('{"A":{"type":"string"}}')
      else {
        const $ref = request.url === '/file' ? 'file:///etc/hostname#/A' : 'shared.json#/A'
        response.end(answer(documentOf({ components: { schemas: { A: { $ref } } } })))
      }
    })
    await t.rejects(loadContract(`${url}file`), { message: /is a local file, but a fetched document/ })
    await t.rejects(loadContract(`${url}key/secret`), {
      message: /was not fetched: allow it with --allow-remote/,
    })
    const { schemas } = await loadContract(`${url}key/secret`, { allowRemote: true })
    t.equal(schemas.length, 1)
  },
)

t.test('failures are explained without the URL', async (t) => {
  const rows: Readonly<Record<string, readonly [status: number, body: string, message: RegExp]>> = {
    page: [404, '<html>', /the answer \(HTTP status 404\) is not JSON/],
    none: [
      200,
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}',
      /rpc\.discover failed: error -32601, Method not found\. Check the URL, or give the document as a file$/,
    ],
    list: [200, '[]', /has no document as its result/],
    text: [200, answer('openrpc'), /has no document as its result/],
    large: [200, answer('x'.repeat(2000)), /it is larger than 1000 bytes/],
    wrong: [200, answer({ openrpc: '1.3.2' }), /the member "info" is missing/],
  }
  const url = await serve(t, (request, response) => {
    const [status, body] = rows[(request.url ?? '').slice('/secret-'.length)] ?? [200, undefined]
    response.writeHead(status)
    if (body !== undefined) response.end(body)
    else response.flushHeaders()
  })
  const fails = async (source: string, remote: { readonly bytes?: number; readonly timeout?: number }) => {
    const error = await loadContract(source, { remote }).catch((cause: unknown) => cause)
    t.ok(error instanceof ContractError, source)
    const { message } = error as ContractError
    t.notMatch(message, /secret/)
    return message
  }
  for (const [name, [, , message]] of Object.entries(rows)) {
    t.match(await fails(`${url}secret-${name}`, { bytes: 1000 }), message)
  }
  t.match(await fails(`${url}secret-never`, { timeout: 50 }), /no complete answer within 50 ms/)
  t.match(await fails('http://127.0.0.1:1/secret', {}), /rpc\.discover failed: connect ECONNREFUSED|bad port/)
  t.match(await fails('http://', {}), /is not a valid URL/)
})
