import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import type { Sender } from '../../../../src/judge/index.js'
import { type Exchange, NotSent, type Outgoing } from '../../../../src/judge/send/exchange.js'
import type { SenderOptions } from '../../../../src/judge/send/sender.js'
import { callOf, rawOf, testSender } from './requests.js'
import { httpServer } from './servers.js'

/** A service that counts its requests, and a sender. */
async function service(t: Test, options: Partial<SenderOptions> = {}) {
  let received = 0
  const origin = await httpServer(t, (_request, response) => {
    received++
    response.end('{}')
  })
  return { url: `${origin}/key`, sender: testSender(t, options), received: () => received }
}

/** The exchange, or the reason why it was not sent. */
async function outcome(sender: Sender, outgoing: Outgoing): Promise<Exchange | NotSent> {
  return sender.send(outgoing).catch((error: unknown) => {
    if (error instanceof NotSent) return error
    throw error
  })
}

async function isHeldBack(sender: Sender, outgoing: Outgoing): Promise<boolean> {
  const result = await outcome(sender, outgoing)
  return result instanceof NotSent && result.reason === 'not-allowed'
}

const call = (method: string) => ({ jsonrpc: '2.0', id: 1, method, params: [] })
const text = (method: string) => JSON.stringify(call(method))
const utf16 = (value: string) => Buffer.from(value, 'utf16le')
const utf16be = (value: string) => utf16(value).swap16()
const utf32 = (value: string) =>
  Buffer.concat([...value].map((one) => Buffer.from([one.charCodeAt(0), 0, 0, 0])))
const escaped = (value: string) =>
  value.replaceAll(/[a-z_]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
const fullWidth = (value: string) =>
  value.replaceAll(/[!-~]/g, (one) => String.fromCodePoint(one.charCodeAt(0) + 0xfee0))

t.test('calls of reading methods are sent; calls of writing or undeclared methods are not', async (t) => {
  const { url, sender, received } = await service(t)
  t.notOk(await isHeldBack(sender, callOf(url)))
  t.notOk(await isHeldBack(sender, callOf(url, { method: 'rpc.discover' })))
  for (const method of ['things_put', 'things_unsaid', 'unknown_method']) {
    t.ok(await isHeldBack(sender, callOf(url, { method })), method)
  }
  t.equal(received(), 2)
  t.match(sender.counts(), { http: 2, billed: 2, writes: 0, heldBack: 3 })
})

t.test('the reason for a held-back request is one sentence with the option that allows it', async (t) => {
  const { url, sender } = await service(t)
  const refusals = [
    callOf(url, { method: 'things_put' }),
    callOf(url, { method: 'unknown_method' }),
    callOf(url, { effect: 'write' }),
    callOf(url, { effect: 'spends-quota' }),
    rawOf(url, 'things_put'),
    rawOf(url, '{"method":'),
  ]
  for (const refused of refusals) {
    const result = await outcome(sender, refused)
    t.match(
      (result as NotSent).message,
      /^[A-Z].*(Use --allow write to send it|needs --allow (write|spends-quota))\.$/,
    )
  }
})

t.test('a batch with one such method is held back as a whole', async (t) => {
  const { url, sender, received } = await service(t)
  const methods = ['things_get', 'things_put']
  const body = Buffer.from(JSON.stringify(methods.map(call)))
  t.ok(await isHeldBack(sender, callOf(url, { methods, body })))
  t.ok(
    await isHeldBack(sender, callOf(url, { methods: ['things_get'], body })),
    'whatever the case declares about the bytes',
  )
  t.ok(
    await isHeldBack(sender, callOf(url, { methods, body: Buffer.from('[]') })),
    'whatever the bytes contain',
  )
  t.equal(received(), 0)
})

t.test('--allow write sends writes and counts them', async (t) => {
  const { url, sender } = await service(t, { allow: new Set(['write']) })
  const methods = ['things_get', 'things_put', 'things_put']
  const body = Buffer.from(JSON.stringify(methods.map(call)))
  t.notOk(await isHeldBack(sender, callOf(url, { method: 'things_put', effect: 'write' })))
  t.notOk(await isHeldBack(sender, callOf(url, { methods, body, billed: 3 })))
  t.notOk(await isHeldBack(sender, rawOf(url, text('things_unsaid'))))
  t.notOk(await isHeldBack(sender, rawOf(url, gzipSync(text('things_put')))))
  t.notOk(await isHeldBack(sender, rawOf(url, text('unknown_method'))))
  t.same(sender.counts(), { http: 5, billed: 7, writes: 5, heldBack: 0, limited: 0, unanswered: 0 })
})

t.test('a case that spends the quota needs --allow spends-quota, which does not allow writes', async (t) => {
  const plain = await service(t, { allow: new Set(['write']) })
  t.ok(await isHeldBack(plain.sender, callOf(plain.url, { effect: 'spends-quota' })))
  const { url, sender } = await service(t, { allow: new Set(['spends-quota']) })
  t.notOk(await isHeldBack(sender, callOf(url, { effect: 'spends-quota' })))
  t.ok(await isHeldBack(sender, callOf(url, { effect: 'spends-quota', method: 'things_put' })))
})

t.test('without declared effects, only methods in --assume-read are safe', async (t) => {
  const effects = new Map()
  const { url, sender } = await service(t, { effects, assumeRead: (name) => /_(get|list)$/.test(name) })
  t.notOk(await isHeldBack(sender, callOf(url, { method: 'things_list' })))
  t.ok(await isHeldBack(sender, callOf(url, { method: 'things_put' })))
  t.ok(await isHeldBack(sender, rawOf(url, text('things_put'))))
  t.ok(await isHeldBack(sender, callOf(url, { method: 'others_get' })), 'an unknown method')
  const declared = await service(t, { assumeRead: () => true })
  t.ok(
    await isHeldBack(declared.sender, callOf(declared.url, { method: 'things_put' })),
    'a declared effect takes precedence',
  )
  t.notOk(await isHeldBack(declared.sender, callOf(declared.url, { method: 'things_unsaid' })))
})

t.test('unknown method names are sent for built-in cases only, unless they look like writes', async (t) => {
  const { url, sender } = await service(t)
  t.notOk(await isHeldBack(sender, callOf(url, { method: 'no_such_method', builtIn: true })))
  t.notOk(await isHeldBack(sender, callOf(url, { method: '', builtIn: true })))
  for (const method of [
    'THINGS_PUT',
    ' things_put',
    'things_put\n',
    'things_\u200bput',
    fullWidth('things_put'),
    '\ufeffthings_put',
  ]) {
    t.ok(await isHeldBack(sender, callOf(url, { method, builtIn: true })), JSON.stringify(method))
  }
})

t.test('parameters are data: a method name counts only in the method member', async (t) => {
  const { url, sender } = await service(t)
  const body = Buffer.from(
    JSON.stringify({ ...call('things_get'), params: [{ method: 'things_put' }, 'things_put'] }),
  )
  t.notOk(await isHeldBack(sender, callOf(url, { body })))
})

t.test('raw bytes that name a writing method are held back in every notation', async (t) => {
  const { url, sender, received } = await service(t)
  const write = text('things_put')
  const gzip = { 'content-encoding': 'gzip' }
  const evasions: Record<string, Outgoing> = {
    plainly: rawOf(url, write),
    'within a text': rawOf(url, 'xthings_puty'),
    'not as JSON': rawOf(url, "{method:'things_put'"),
    'escaped as \\u': rawOf(url, escaped(write)),
    'escaped in part': rawOf(url, '{"method":"things\\u005fput"}'),
    'escaped twice': rawOf(url, JSON.stringify(escaped(write))),
    'escaped as \\x, as JSON5 may': rawOf(url, "{method:'things\\x5fput'}"),
    'escaped as \\u{}': rawOf(url, '{"method":"things\\u{5f}put"}'),
    'with a line break in the text, as JSON5 allows': rawOf(url, "{method:'things_\\\nput'}"),
    'with a needless escape': rawOf(url, '{"method":"things_\\put"}'),
    'percent-encoded': rawOf(url, 'method=things%5Fput'),
    'percent-encoded twice': rawOf(url, 'method=things%255fput'),
    'as HTML writes it': rawOf(url, '<m>things&#95;put</m>'),
    'in mixed escapes': rawOf(url, '{"method":"%74hings\\u005fput"}'),
    'in another case': rawOf(url, text('Things_Put')),
    'in full width': rawOf(url, text(fullWidth('things_put'))),
    'with invisible characters': rawOf(url, text('things\u00ad_\u200dput')),
    'with zeros': rawOf(url, 'things\0_put'),
    'in a batch': rawOf(url, `[${text('things_get')},${write}]`),
    nested: rawOf(url, `[[[${write}]]]`),
    'as a string inside a string': rawOf(url, JSON.stringify({ method: 'things_get', params: [write] })),
    'first of two': rawOf(url, '{"method":"things_put","method":"things_get"}'),
    'last of two': rawOf(url, '{"method":"things_get","method":"things_put"}'),
    'after a request': rawOf(url, `${text('things_get')}\n${write}`),
    'after a byte order mark': rawOf(url, `\ufeff${write}`),
    'in UTF-16': rawOf(url, utf16(write)),
    'in UTF-16 with a byte order mark': rawOf(url, utf16(`\ufeff${write}`)),
    'in UTF-16, the other byte order': rawOf(url, utf16be(write)),
    'in UTF-16 at an odd offset': rawOf(url, Buffer.concat([Buffer.from(' '), utf16(write)])),
    'in UTF-16, escaped': rawOf(url, utf16(escaped(write))),
    'in UTF-32': rawOf(url, utf32(write)),
    'among bytes that are not text': rawOf(
      url,
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(write)]),
    ),
    'in gzip': rawOf(url, gzipSync(write), { headers: gzip }),
    'in gzip, with the header in capitals': rawOf(url, gzipSync(write), {
      headers: { 'Content-Encoding': 'GZIP' },
    }),
    'in gzip without a header': rawOf(url, gzipSync(write)),
    'in zlib without a header': rawOf(url, deflateSync(write)),
    'in deflate': rawOf(url, deflateSync(write), { headers: { 'content-encoding': 'deflate' } }),
    'in raw deflate': rawOf(url, deflateRawSync(write), { headers: { 'content-encoding': 'deflate' } }),
    'in brotli': rawOf(url, brotliCompressSync(write), { headers: { 'content-encoding': 'br' } }),
    'in gzip in brotli': rawOf(url, brotliCompressSync(gzipSync(write)), {
      headers: { 'content-encoding': 'gzip, br' },
    }),
    'in gzip and UTF-16': rawOf(url, gzipSync(utf16(write)), { headers: gzip }),
    'in truncated gzip': rawOf(url, gzipSync(write).subarray(0, -2), { headers: gzip }),
    'in gzip declared as brotli': rawOf(url, gzipSync(write), { headers: { 'content-encoding': 'br' } }),
    'in an unknown encoding': rawOf(url, Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), {
      headers: { 'content-encoding': 'zstd' },
    }),
    'in more gzip than is inspected': rawOf(url, gzipSync(Buffer.alloc(65 * 1024 * 1024)), {
      headers: gzip,
    }),
    'with another verb': rawOf(url, write, { verb: 'PUT' }),
    'in the query': callOf(`${url}?method=things_put`, { verb: 'GET', body: undefined }),
    'in the query, escaped': callOf(`${url}?m=things%5Fput`, { verb: 'GET', body: undefined }),
    'in the query of a POST': rawOf(`${url}?method=things_put`, '{}'),
    'in the path': callOf(`${url}/things_put`, { verb: 'GET', body: undefined }),
    'in the path, escaped': callOf(`${url}/things%5fput`, {
      verb: 'GET',
      body: undefined,
      methods: undefined,
    }),
  }
  for (const [how, outgoing] of Object.entries(evasions)) {
    for (const builtIn of [true, false]) t.ok(await isHeldBack(sender, { ...outgoing, builtIn }), how)
  }
  t.equal(received(), 0, 'no request was sent')
  t.match(sender.counts(), { http: 0, billed: 0, heldBack: 2 * Object.keys(evasions).length })
})

t.test('names beyond ASCII are found', async (t) => {
  const method = 'größe_ändern'
  const { url, sender } = await service(t, {
    effects: new Map([[method, 'write']]),
    methods: new Set([method]),
  })
  const bytes = [
    text(method),
    utf16(text(method)),
    utf16be(text(method)),
    Buffer.from(text(method), 'latin1'),
    text(method.normalize('NFD')),
  ]
  for (const body of bytes) t.ok(await isHeldBack(sender, rawOf(url, body, { builtIn: true })))
})

t.test('raw bytes of other cases contain only known method names, or no method member at all', async (t) => {
  const { url, sender } = await service(t)
  const utf7 = { 'content-type': 'application/json; charset=utf-7' }
  const sent: Record<string, Outgoing> = {
    'one that reads': rawOf(url, text('things_get')),
    'a batch of those': rawOf(url, `[${text('things_get')},${text('rpc.discover')}]`),
    'invalid JSON without a method': rawOf(url, '{"jsonrpc":'),
    'bytes that are not text': rawOf(url, Buffer.from([0x22, 0xff, 0x22])),
    'a method that is not a string': rawOf(url, '{"method":1}'),
    nothing: rawOf(url, ''),
    'plain text declared as gzip': rawOf(url, text('things_get'), {
      headers: { 'content-encoding': 'gzip' },
    }),
    'plain text in an unknown encoding': rawOf(url, text('things_get'), {
      headers: { 'content-encoding': 'zstd' },
    }),
    'a supported charset': rawOf(url, text('things_get'), {
      headers: { 'content-type': 'text/plain; charset="UTF-8"' },
    }),
    'gzip of a read': rawOf(url, gzipSync(text('things_get')), {
      headers: { 'content-encoding': 'gzip' },
    }),
  }
  for (const [what, outgoing] of Object.entries(sent)) t.notOk(await isHeldBack(sender, outgoing), what)
  const held: Record<string, Outgoing> = {
    'an unknown name': rawOf(url, text('things_drop')),
    'one of two in an object': rawOf(url, '{"method":"things_drop","method":"things_get"}'),
    'the member in capitals, which some parsers accept': rawOf(url, '{"Method":"things_drop"}'),
    'the member escaped': rawOf(url, '{"meth\\u006fd":"things_drop"}'),
    'deep in a batch': rawOf(url, '[[{"method":"things_drop"}]]'),
    'invalid JSON with a method member': rawOf(url, "{method:'things_drop'}"),
    'invalid JSON with an escaped member': rawOf(url, '{"meth\\u006fd":"things_drop"'),
    'two texts': rawOf(url, `${text('things_get')}${text('things_drop')}`),
    'UTF-16': rawOf(url, utf16(text('things_drop'))),
    gzip: rawOf(url, gzipSync(text('things_drop')), { headers: { 'content-encoding': 'gzip' } }),
    'an unsupported charset': rawOf(url, '{"+AG0ethod":"+AHQ-hings_drop"}', { headers: utf7 }),
    'in the query': rawOf(`${url}?method=things_drop`, '{}'),
  }
  for (const [what, outgoing] of Object.entries(held)) t.ok(await isHeldBack(sender, outgoing), what)
})

t.test('raw bytes of built-in cases may contain anything else', async (t) => {
  const { url, sender } = await service(t)
  const bodies = [
    text('no_such_method'),
    "{method:'x'",
    Buffer.from([0xff, 0xfe, 0x00]),
    '['.repeat(200_000),
    `"${'x'.repeat(1_500_000)}"`,
    `{"method":"things_get","params":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
  ]
  for (const body of bodies) t.notOk(await isHeldBack(sender, rawOf(url, body, { builtIn: true })))
  const odd = callOf(url, { builtIn: true, body: Buffer.from('{"id":01,"method":"things_get"}') })
  t.notOk(await isHeldBack(sender, odd), 'a call whose id is invalid JSON')
})
