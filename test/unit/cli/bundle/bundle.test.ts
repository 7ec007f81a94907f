import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { main } from '../../../../src/cli/main.js'
import { emitTypes } from '../../../../src/toolkit/codegen/emit/emit-types.js'
import { loadContract } from '../../../../src/toolkit/contract/index.js'
import { documentOf, emitted, inFolder, methodOf, write } from '../../toolkit/codegen/fixtures.js'

async function bundle(...args: readonly string[]) {
  const out: string[] = []
  const err: string[] = []
  const io = {
    out: (line: string) => void out.push(line),
    err: (line: string) => void err.push(line),
    env: {},
  }
  return { code: await main(['bundle', ...args], io), out: out.join('\n'), err: err.join('\n') }
}

t.test('bundle writes one document, as JSON or YAML', async (t) => {
  await inFolder(async (dir) => {
    const content = JSON.stringify(documentOf({ methods: [methodOf([], { $ref: 'a.json#/A' })] }))
    await write(dir, { path: 'openrpc.json', content })
    await write(dir, { path: 'a.json', content: '{"A":{"type":"string"}}' })
    const { code, out } = await bundle(dir)
    t.equal(code, 0)
    const document = JSON.parse(out)
    t.same(document.components, { schemas: { A: { type: 'string' } } })
    const [json, yaml] = [join(dir, 'out.json'), join(dir, 'out.yaml')]
    t.match(await bundle(dir, '--out', json), { code: 0, out: /out\.json: 2 files of / })
    t.same(JSON.parse(await readFile(json, 'utf8')), document)
    t.equal((await bundle(dir, '--out', yaml)).code, 0)
    t.same(parse(await readFile(yaml, 'utf8')), document)
    await write(dir, { path: 'a.json', content: '{}' })
    t.match(await bundle(dir), {
      code: 2,
      out: '',
      err: /openrpc\.json:1:\d+ {2}.*"a\.json#\/A" does not exist/,
    })
    t.match(await bundle(dir, '--out', ''), { code: 2, err: /--out needs a value/ })
  })
  t.match(await bundle('--help'), { code: 0, out: /^Usage: concordat bundle/ })
})

t.test('--published leaves out private terms and writes defaults out', async (t) => {
  await inFolder(async (dir) => {
    const { info, ...rest } = documentOf({ methods: [methodOf([], { type: 'string' })] })
    const limits = { rows: { value: 1 }, spare: { value: 2, private: true } }
    const defaults = { 'x-cost': 1 }
    const document = { ...rest, info: { ...Object(info), 'x-limits': limits, 'x-method-defaults': defaults } }
    await write(dir, { path: 'openrpc.json', content: JSON.stringify(document) })
    const published = JSON.parse((await bundle(dir, '--published')).out)
    t.same(published.info['x-limits'], { rows: { value: 1 } })
    t.match(published.methods, [{ 'x-cost': 1 }])
    t.same(JSON.parse((await bundle(dir)).out).info['x-limits'], limits)
  })
})

t.test(
  'generate names the types of several files as bundle names components, and --name chooses',
  async (t) => {
    await inFolder(async (dir) => {
      const params = ['a', 'b'].map((file) => ({ name: file, schema: { $ref: `${file}.json#/Pet` } }))
      const content = JSON.stringify(documentOf({ methods: [methodOf(params, { $ref: 'a.json#/Id' })] }))
      await write(dir, { path: 'openrpc.json', content })
      await write(dir, {
        path: 'a.json',
        content: '{"Pet":{"type":"object","title":"A"},"Id":{"type":"string"}}',
      })
      await write(dir, { path: 'b.json', content: '{"Pet":{"type":"object","title":"B"}}' })
      const listed = await bundle(dir, '--names')
      t.same(listed.out.split('\n'), [
        'schemas/Id  a.json#/Id',
        'schemas/aPet  a.json#/Pet',
        'schemas/bPet  b.json#/Pet',
      ])
      for (const option of [['--out', join(dir, 'names.json')], ['--published']])
        t.match(await bundle(dir, '--names', ...option), {
          code: 2,
          err: `--names and ${option[0]} cannot be combined`,
        })
      const types = async (path: string) =>
        [
          ...emitted(emitTypes, await loadContract(path)).matchAll(
            /^export (?:type|interface) (\w*(?:Pet|Id)\b)/gm,
          ),
        ].map(([, name]) => name)
      const out = join(dir, 'bundled.json')
      t.equal((await bundle(dir, '--out', out)).code, 0)
      t.same(await types(dir), ['aPet', 'bPet', 'Id'])
      t.same((await types(out)).toSorted(), (await types(dir)).toSorted())
      const named = await bundle(dir, '--name', 'b.json#/Pet=Dog')
      t.same(Object.keys(JSON.parse(named.out).components.schemas).sort(), ['Dog', 'Id', 'Pet'])
      const refusals: readonly [string, RegExp][] = [
        ['b.json#/Pet', /--name b\.json#\/Pet: write the place and the name/],
        ['c.json#/Pet=Dog', /no reference leads to c\.json#\/Pet; --names lists the places/],
        ['b.json#/Pet=a b', /"a b" cannot be the name of a component/],
      ]
      for (const [value, message] of refusals)
        t.match(await bundle(dir, '--name', value), { code: 2, err: message })
      const twice = ['--name', 'a.json#/Pet=X', '--name', 'b.json#/Pet=X']
      t.match(await bundle(dir, ...twice), { code: 2, err: /the name "X" is taken: choose another one/ })
    })
  },
)
