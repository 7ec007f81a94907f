import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { generateFiles } from '../../../../../src/toolkit/codegen/index.js'
import { ContractError, type JsonValue, loadContract } from '../../../../../src/toolkit/contract/index.js'
import { documentOf, fileOf, inFolder, loadFixture, methodOf, tool, write } from '../../codegen/fixtures.js'

const text = (value: JsonValue) => JSON.stringify(value)
const method = (schema: JsonValue) => methodOf([], schema)

/** Writes the files and loads the first one as a contract. */
async function loaded(files: Readonly<Record<string, string>>, options = {}) {
  return inFolder(async (dir) => {
    for (const [path, content] of Object.entries(files)) await write(dir, { path, content })
    return loadContract(join(dir, Object.keys(files)[0] ?? ''), options)
  })
}

async function refusal(files: Readonly<Record<string, string>>, options = {}) {
  try {
    await loaded(files, options)
    return []
  } catch (error) {
    if (!(error instanceof ContractError)) throw error
    return error.problems.map(({ pointer, message }) => `${pointer}: ${message}`)
  }
}

t.test('each reference is resolved against the file that contains it', async (t) => {
  const contract = await loaded({
    'openrpc.json': text(documentOf({ methods: [method({ $ref: 'parts/pet.json' })] })),
    'parts/pet.json': text({
      type: 'object',
      properties: { id: { $ref: '../units.yaml#/definitions/Id' }, friend: { $ref: '#' } },
    }),
    'units.yaml': 'definitions:\n  Id: { type: string, pattern: "^[0-9]+$" }\n',
  })
  const types = fileOf(generateFiles(contract, tool), 'types.ts')
  t.match(
    types,
    /export interface pet \{\n(.*\n)*? {2}readonly id\?: Id\n(.*\n)*? {2}readonly friend\?: pet\n/,
  )
  t.match(types, 'export type Id = string')
  t.match(types, '@see units.yaml#/definitions/Id')
})

t.test('files are found under any reference to them', async (t) => {
  const names = ['a b.json', '50%.json', 'a#b.json', 'a?b.json', '%41.json', 'é.json']
  for (const name of names) {
    const reference = `parts/${encodeURIComponent(name)}#/definitions/It`
    const contract = await loaded({
      'openrpc.json': text(documentOf({ methods: [method({ $ref: reference })] })),
      [`parts/${name}`]: text({
        definitions: { It: { type: 'object', properties: { it: { $ref: '#/definitions/It' } } } },
      }),
    })
    t.match(fileOf(generateFiles(contract, tool), 'types.ts'), 'export interface It {', name)
    const { pointer, schema } = contract.resolve(reference, '#')
    t.same(contract.resolve(pointer, '#'), { pointer, schema }, name)
  }
})

t.test('file names may contain any character', async (t) => {
  const contract = await loaded({
    'openrpc.json': text(documentOf({ methods: [method({ $ref: 'sub%20a/b%23c%25.json#/A' })] })),
    'sub a/b#c%.json': text({ A: { items: { $ref: 'd.json#/B' } } }),
    'sub a/d.json': text({ B: { type: 'string', title: 'Found' } }),
  })
  t.match(fileOf(generateFiles(contract, tool), 'types.ts'), 'export type A = readonly B[]')
})

t.test('methods, parameters and errors may be in other files', async (t) => {
  const contract = await loaded({
    'openrpc.json': text(
      documentOf({
        methods: [{ $ref: 'methods.json#/add' }],
      }),
    ),
    'methods.json': text({
      add: methodOf(
        [{ $ref: '#/a' }],
        {},
        { name: 'add', errors: [{ $ref: 'errors.json#/components/errors/Busy' }] },
      ),
      a: { name: 'a', required: true, schema: { type: 'integer' } },
    }),
    'errors.json': text({ components: { errors: { Busy: { code: 7, message: 'Busy' } } } }),
  })
  t.match(contract.methods, [{ name: 'add', params: [{ name: 'a', pointer: 'methods.json#/a' }] }])
  t.same(
    contract.errors.map(({ key, code }) => [key, code]),
    [['Busy', 7]],
  )
})

t.test('a component that refers to the same name in another file is that schema', async (t) => {
  const contract = await loaded({
    'openrpc.json': text(
      documentOf({
        methods: [method({ $ref: '#/components/schemas/Felt' })],
        components: { schemas: { Felt: { $ref: 'api.json#/components/schemas/Felt' } } },
      }),
    ),
    'api.json': text({ components: { schemas: { Felt: { type: 'string' } } } }),
  })
  const types = fileOf(generateFiles(contract, tool), 'types.ts')
  t.equal(types.split('export type Felt =').length, 2)
})

t.test(
  'the type of a file gets the name of its component in a bundle where another has its name',
  async (t) => {
    const contract = await loaded({
      'openrpc.json': text(
        documentOf({
          methods: [method({ $ref: 'api.json#/components/schemas/Felt' })],
          components: { schemas: { Felt: { type: 'integer' } } },
        }),
      ),
      'api.json': text({ components: { schemas: { Felt: { type: 'string' } } } }),
    })
    const types = fileOf(generateFiles(contract, tool), 'types.ts')
    t.match(types, 'export type Felt = number')
    t.match(types, 'export type apiFelt = string')
    t.match(contract.bundled()['components'], {
      schemas: { Felt: { type: 'integer' }, apiFelt: { type: 'string' } },
    })
  },
)

t.test('an unreadable file is reported at the reference', async (t) => {
  const at = '#/methods/0/result/schema'
  const rows: readonly [string, Readonly<Record<string, string>>, string][] = [
    ['gone.json#/A', {}, `${at}: "gone.json" does not exist`],
    ['b.json#/A', { 'b.json': '{' }, `${at}: "b.json" is not valid JSON: `],
    ['b.yaml#/A', { 'b.yaml': 'a: [1' }, `${at}: "b.yaml" is not valid YAML: `],
    ['b.json#/A', { 'b.json': '{}' }, `${at}: "b.json#/A" does not exist`],
    ['b.json#A', { 'b.json': '{}' }, `${at}: "b.json#A" is not a JSON pointer: references begin with "#/"`],
    ['parts', { 'parts/b.json': '{}' }, `${at}: "parts" is a folder`],
    ['/dev/null', {}, `${at}: "/dev/null" is not a regular file`],
    ['file://elsewhere/a.json', {}, `${at}: "file://elsewhere/a.json" is not a path on this machine`],
    ['a%2Fb.json', {}, `${at}: "a%2Fb.json" is not a path on this machine`],
    ['b.html', { 'b.html': '<!doctype html>' }, `${at}: "b.html" is HTML or XML, not JSON or YAML`],
    ['mailto:a@b.c', {}, `${at}: "mailto:a@b.c" is neither a file nor an http URL`],
    [
      'http://127.0.0.1:9/a.json',
      {},
      `${at}: "http://127.0.0.1:9/a.json" was not fetched: allow it with --allow-remote`,
    ],
  ]
  for (const [reference, others, want] of rows) {
    const [problem = ''] = await refusal({
      'openrpc.json': text(documentOf({ methods: [method({ $ref: reference })] })),
      ...others,
    })
    t.equal(problem.slice(0, want.length), want)
  }
})

t.test('binary files and values that cannot be represented are refused', async (t) => {
  const rows: readonly [Buffer | string, RegExp][] = [
    [Buffer.from('{\n "a": "caf\xe9"}', 'latin1'), /^: is not UTF-8 text/],
    [Buffer.from('\uFEFF{}', 'utf16le'), /^: is UTF-16: save it as UTF-8/],
    ['{"openrpc": "1.3.2", "x-a": [1, 1e400]}', /^#\/x-a\/1: is too large a number/],
    [`{"x-a": ${'['.repeat(9000)}${']'.repeat(9000)}}`, /^#\/x-a\/0\/0: is nested more than 500 levels/],
    [`${'['.repeat(9000)}`, /^: is not valid JSON: objects and lists are nested more than 500 levels/],
  ]
  for (const [content, want] of rows) {
    await inFolder(async (dir) => {
      await writeFile(join(dir, 'openrpc.json'), content)
      const problems = await loadContract(dir).catch((error: ContractError) => error.problems)
      const [problem] = Array.isArray(problems) ? problems : []
      t.match(`${problem?.pointer}: ${problem?.message}`, want)
    })
  }
})

t.test('meta-schemas are read without the network, and named by their titles', async (t) => {
  const contract = await loadFixture('later-drafts')
  const types = fileOf(generateFiles(contract, tool), 'types.ts')
  t.match(types, 'export interface OpenrpcDocument {')
  t.match(types, 'export type JSONSchema = JSONSchemaObject | JSONSchemaBoolean')
  t.same(
    contract.servers.map(({ url }) => url),
    ['/v1/rpc'],
    'a server URL may be relative',
  )
})

t.test('http references are fetched on request, within limits', async (t) => {
  const server = createServer((request, response) => {
    if (request.url === '/hash.json') response.end(text({ type: 'string' }))
    else if (request.url === '/file.json') response.end(text({ $ref: 'file:///etc/hostname' }))
    else if (request.url === '/long.json') response.end(' '.repeat(11 * 1024 * 1024))
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const of = (path: string) => ({
    'openrpc.json': text(documentOf({ methods: [method({ $ref: `${origin}${path}` })] })),
  })
  const contract = await loaded(of('/hash.json'), { allowRemote: true })
  t.match(fileOf(generateFiles(contract, tool), 'types.ts'), 'export type hash = string')
  t.match(await refusal(of('/gone.json'), { allowRemote: true }), [
    /cannot be fetched: the server answered with status 404/,
  ])
  t.match(await refusal(of('/long.json'), { allowRemote: true }), [/larger than 10485760 bytes/])
  t.match(await refusal(of('/file.json'), { allowRemote: true }), [
    /is a local file, but a fetched document may not refer to local files/,
  ])
})

t.test(
  'a server that hangs, streams endlessly, redirects or sends invalid data is reported as such',
  async (t) => {
    const bomb = gzipSync(Buffer.alloc(20_000))
    const server = createServer((request, response) => {
      const { url = '' } = request
      if (url === '/hang') return
      if (url === '/stall') return void response.write('{"type":')
      if (url === '/bomb') return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
      if (url === '/html') return void response.end('<html></html>')
      if (url === '/to-file') return void response.writeHead(302, { location: 'file:///etc/hostname' }).end()
      if (url === '/old/a.json') return void response.writeHead(302, { location: '/new/a.json' }).end()
      if (url === '/new/a.json') return void response.end('{"$ref":"b.json"}')
      if (url === '/new/b.json') return void response.end('{"type":"string"}')
      const [, next] = /^\/chain\/(\d+)$/.exec(url) ?? []
      if (next !== undefined) return void response.end(`{"items":{"$ref":"${Number(next) + 1}"}}`)
      response.writeHead(404).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const told = (path: string, remote = {}) =>
      refusal(
        {
          'openrpc.json': text(
            documentOf({ methods: [method({ $ref: `http://127.0.0.1:${port}${path}` })] }),
          ),
        },
        { allowRemote: true, remote },
      )
    t.match(await told('/hang', { timeout: 50 }), [/cannot be fetched: fetching it took longer than 50 ms/])
    t.match(await told('/stall', { timeout: 50 }), [/cannot be fetched: fetching it took longer than 50 ms/])
    t.match(await told('/bomb', { bytes: 1000 }), [/cannot be fetched: it is larger than 1000 bytes/])
    t.match(await told('/html'), [/is HTML or XML, not JSON or YAML/])
    t.match(await told('/to-file'), [/cannot be fetched: /])
    t.same(await told('/old/a.json'), [], 'a reference is relative to the URL after redirects')
    t.match(
      (await told('/chain/1', { timeoutOfAll: 100 })).join('\n'),
      /fetching all documents took longer than 100 ms/,
    )
    const closed = await refusal(
      { 'openrpc.json': text(documentOf({ methods: [method({ $ref: 'http://127.0.0.1:1/a' })] })) },
      { allowRemote: true },
    )
    t.match(closed, [/cannot be fetched: (connect ECONNREFUSED|bad port)/])
  },
)

t.test('YAML, a folder and standard input are supported', async (t) => {
  const yaml = 'openrpc: 1.3.2\ninfo: { title: Y, version: 1.0.0 }\nmethods: []\n'
  t.equal((await loaded({ 'openrpc.yaml': yaml })).title, 'Y')
  await inFolder(async (dir) => {
    await write(dir, { path: 'openrpc.yml', content: yaml })
    t.equal((await loadContract(dir)).title, 'Y')
    await write(dir, { path: 'openrpc.json', content: text(documentOf()) })
    await t.rejects(loadContract(dir), {
      message: 'has both openrpc.json and openrpc.yml: give the path of one',
    })
  })
  for (const content of [yaml, text(documentOf({ info: { title: 'Y', version: '1' } }))]) {
    t.equal((await loadContract('-', { standardInput: Readable.from([content]) })).title, 'Y')
  }
})

t.test('YAML without a JSON equivalent is refused', async (t) => {
  const rows: readonly [string, RegExp][] = [
    ['openrpc: 1.3.2\nopenrpc: 1.3.1\n', /is not valid YAML: Map keys must be unique/],
    ['openrpc: .nan\n', /contains the number NaN, which JSON does not support/],
    ['{ a: b }: c\n', /has a key that is not a string/],
    [
      'a: &a [1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n',
      /Excessive alias count/,
    ],
    ['x-a: &a { self: *a }\n', /#\/x-a\/self\/self: is nested more than 500 levels deep, or contains itself/],
    ['a: 1\n---\nb: 1\n', /contains several YAML documents: keep one/],
    ['', /is empty/],
  ]
  for (const [content, want] of rows) t.match(await refusal({ 'openrpc.yaml': content }), [want])
})
