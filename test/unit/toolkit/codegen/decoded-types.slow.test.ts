import t from 'tap'
import type { JsonObject } from '../../../../src/toolkit/contract/index.js'
import { contractOf, filesOf, inFolder, methodOf, write } from './fixtures.js'
import { strictCompile } from './strict-compile.js'

const amount = { type: 'string', pattern: '^0x', 'x-decode': 'bigint' }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** Schemas that clash with names of the module, refer to themselves, or are used by one method only. */
const schemas: JsonObject = {
  Client: { type: 'object', properties: { balance: ref('Amount'), boss: ref('Client'), note: ref('Note') } },
  quantities: {
    type: 'object',
    required: ['list'],
    properties: { list: { type: 'array', items: ref('Amount') } },
  },
  Codec: { type: 'string' },
  Amount: amount,
  Note: { type: 'object', properties: { text: ref('Codec') } },
  Kind: { type: 'string', 'x-decode': 'number', enum: ['0x0', '0x1'] },
  Block: { anyOf: [{ type: 'string', 'x-decode': 'either' }, { enum: ['latest'] }] },
}
const method = (name: string, params: readonly JsonObject[], result: JsonObject, parts: JsonObject = {}) =>
  methodOf(params, result, { ...parts, name })
const contract = contractOf({
  methods: [
    method('get', [{ name: 'block', schema: ref('Block') }], ref('Client')),
    method('users.find', [{ name: 'id', required: true, schema: amount }], ref('quantities'), {
      paramStructure: 'by-name',
    }),
    method('kind', [], { anyOf: [ref('Kind'), { type: 'null' }] }),
    method('text', [{ name: 'note', schema: ref('Note') }], ref('Codec')),
  ],
  components: { schemas },
})

const use = `import { createClient } from './client.js'
import { quantities, type Client } from './decoded.js'
export async function use() {
  const client: Client = createClient('https://rpc.example', { decode: quantities })
  const user = await client.get(5n)
  const balance: bigint | undefined = user.boss?.boss?.balance
  const { list } = await client.users.find({ id: 1n })
  const first: bigint | undefined = list[0]
  const kind: 0 | 1 | null = await client.kind()
  const text: string = await client.text({ text: 'a' })
  await client.get('latest')
  // @ts-expect-error not a quantity
  await client.get('0x5')
  // @ts-expect-error not a number
  await client.users.find({ id: 1 })
  return { balance, first, kind, text }
}
`

t.test('decoded types compile in the strictest mode, with names that clash', async (t) => {
  await inFolder(async (dir) => {
    const files = filesOf(contract).filter(({ path }) =>
      ['client.ts', 'decoded.ts', 'types.ts'].includes(path),
    )
    t.equal(files.length, 3)
    for (const { path, content } of [...files, { path: 'use.ts', content: use }])
      await write(dir, { path: `it/${path}`, content })
    t.equal(await strictCompile(dir), '')
  })
})
