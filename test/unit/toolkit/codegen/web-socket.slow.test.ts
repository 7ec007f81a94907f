import t from 'tap'
import { type Generated, generate, type Part, parseContract } from '../../../../src/toolkit/codegen/index.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { document } from '../../runtime/client/web-socket-server.js'
import { tool, write } from './fixtures.js'
import { strictCompile } from './strict-compile.js'

const files = ({ files }: Generated) => new Map(files.map(({ path, content }) => [path, content]))
const generated = (own: object, only?: readonly Part[]) =>
  files(generate(parseContract(JSON.stringify({ ...document, ...own })), tool, { only }))

const app = `import { WebSocket as WsWebSocket } from 'ws'
import type { Methods } from './client.js'
import { type ClientHandlers, connect, type SocketClient } from './web-socket.js'

const handlers: ClientHandlers = {
  confirm: ({ question, preset }) => question === '' && preset,
}
export const client: SocketClient = await connect('ws://localhost', { handlers })
await connect(new URL('wss://localhost'), { handlers, webSocket: (url) => new WebSocket(url) })
await connect('ws://localhost', { handlers, webSocket: (url) => new WsWebSocket(url, { headers: {} }) })
const sum: number = await client.math.add(1, 2, { timeoutMilliseconds: 1 })
const named: number = await client.request('math.add', [1, 2])
for await (const item of client.count({ to: sum })) export_(item)
const next: IteratorResult<number, undefined> = await client.watch('a', { onGap: (gap: 'reconnect' | 'overflow') => gap }).next()
function export_(item: number) {
  return [item, named, next]
}
await client.close_()

// @ts-expect-error: the handler of a request is required
await connect('ws://localhost')
// @ts-expect-error: so in the list of handlers
await connect('ws://localhost', { handlers: {} })
// @ts-expect-error: the result is a boolean
await connect('ws://localhost', { handlers: { confirm: () => 1 } })
// @ts-expect-error: parameters are typed
client.count({ to: 'three' })
// @ts-expect-error: the server's methods are no members
client.confirm
// @ts-expect-error: neither is the end of a subscription
client.stopCounting
export type Http = Methods<'call'>
// @ts-expect-error: HTTP has no subscriptions
export type Count = Http['count']
`

t.test('the client over a WebSocket compiles in the strictest mode, and is typed', async (t) => {
  const folder = await temporaryFolder(t)
  for (const [path, content] of generated({}, ['types', 'client', 'web-socket']))
    await write(folder, { path: `both/${path}`, content })
  await write(folder, { path: 'both/app.ts', content: app })
  const plain = { ...document, methods: document.methods.slice(0, 2) }
  for (const [path, content] of generated(plain, ['types', 'client', 'web-socket']))
    await write(folder, { path: `plain/${path}`, content })
  const use = `import { connect } from './web-socket.js'\nawait connect('ws://localhost')\nawait connect('ws://localhost', { timeoutMilliseconds: 1 })\n`
  await write(folder, { path: 'plain/app.ts', content: use })
  t.equal(await strictCompile(folder), '')
})

t.test('the HTTP client has neither subscriptions nor methods of the client', (t) => {
  const client = generated({}).get('client.ts') ?? ''
  t.match(client, 'math')
  for (const name of ['count', 'counted', 'stopCounting', 'confirm', 'web-socket'])
    t.notMatch(client, new RegExp(`readonly ${name}: \\(|^ {4}${name}: |/${name}'`, 'm'), name)
  t.end()
})

t.test('the file is left out by default where HTTP is the only transport', (t) => {
  const plain = document.methods.slice(0, 2)
  const has = (own: object, only?: readonly Part[]) => generated(own, only).has('web-socket.ts')
  const http = [{ url: 'https://host/${key}', variables: { key: { default: 'x' } } }]
  t.notOk(has({ methods: plain, servers: http }))
  t.ok(has({ methods: plain, servers: http }, ['types', 'client', 'web-socket']), 'unless it is asked for')
  t.ok(has({ methods: plain, servers: [...http, { url: 'wss://host/' }] }))
  t.ok(has({ methods: plain, servers: [] }))
  t.ok(has({ methods: document.methods, servers: http }))
  t.end()
})
