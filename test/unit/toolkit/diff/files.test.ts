import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { type JsonValue, loadContract } from '../../../../src/toolkit/contract/index.js'
import { diffContracts } from '../../../../src/toolkit/diff/index.js'
import { documentOf, inFolder, methodOf } from '../codegen/fixtures.js'
import { lineOf } from './told.js'

/** The changes between two contracts of several files, given by file name. */
async function told(old: Files, next: Files) {
  return inFolder(async (dir) => {
    const [before, after] = [await written(join(dir, 'old'), old), await written(join(dir, 'new'), next)]
    return diffContracts(before, after)
  })
}

type Files = { readonly [name: string]: JsonValue }

async function written(folder: string, files: Files) {
  await mkdir(join(folder, 'common files'), { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), JSON.stringify(content))
  }
  return loadContract(join(folder, 'openrpc.json'))
}

const units = 'common files/units.json'
const reference = { $ref: 'common%20files/units.json#/definitions/Unit' }
const using = (schema: JsonValue) => documentOf({ methods: [methodOf([{ name: 'p', schema }], schema)] })
const unit = (schema: JsonValue) => ({ definitions: { Unit: schema } })

t.test('a schema of another file is reported once, under that file', async (t) => {
  const old: Files = { 'openrpc.json': using(reference), [units]: unit({ type: 'string' }) }
  const next: Files = { 'openrpc.json': using(reference), [units]: unit({ type: 'string', maxLength: 9 }) }
  const changes = await told(old, next)
  t.same(changes, [
    {
      kind: 'constraint-added',
      breaks: ['clients', 'servers'],
      pointer: `${units}#/definitions/Unit`,
      reason: 'gained maxLength 9',
      methods: ['m'],
      usedIn: ['params', 'results'],
      new: { pointer: `${units}#/definitions/Unit/maxLength`, value: 9 },
    },
  ])
  t.same(await told(old, old), [])
})

t.test('a schema that moves into the document keeps its meaning', async (t) => {
  const own = documentOf({
    methods: [methodOf([], { $ref: '#/components/schemas/Unit' })],
    components: { schemas: { Unit: { type: 'string' } } },
  })
  const old: Files = {
    'openrpc.json': documentOf({ methods: [methodOf([], reference)] }),
    [units]: unit({ type: 'string' }),
  }
  t.same((await told(old, { 'openrpc.json': own })).map(lineOf), [
    `- #/methods/m/result/schema refers to #/components/schemas/Unit instead of ${units}#/definitions/Unit`,
  ])
})
