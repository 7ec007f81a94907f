import { pathToFileURL } from 'node:url'
import t from 'tap'
import { generate } from '../../../../src/toolkit/codegen/index.js'
import type { Contract, JsonObject } from '../../../../src/toolkit/contract/index.js'
import { contractOf, filesOf, inFolder, loadFixture, ownContract, tool, write } from './fixtures.js'
import { strictCompile } from './strict-compile.js'

const ref = (key: string) => ({ $ref: `#/components/schemas/${key}` })

/** The names in the files of contracts with all kinds of methods, and others of the language. */
async function namesInCode(): Promise<readonly string[]> {
  const fixtures = [
    'connections',
    'empty',
    'errors',
    'formats',
    'links',
    'numbers',
    'own-words',
    'service-rules',
  ]
  const contracts = await Promise.all([ownContract(), ...fixtures.map(loadFixture)])
  const code = contracts.flatMap(filesOf).filter(({ path }) => /\.(ts|js)$/.test(path))
  const bare = code.map(({ content }) =>
    content.replaceAll(/\/\*.*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/gs, ''),
  )
  const words = bare.flatMap((text) => text.match(/[A-Za-z_$][\w$]*/g) ?? [])
  const others = ['Iterator', 'Omit', 'Partial', 'Pick', 'arguments', 'default', 'eval', 'globalThis', 'then']
  // Numbered names are alike, so one of them stands for all.
  const alike = new Map([...words, ...others].map((word) => [word.replaceAll(/\d+/g, '0'), word]))
  const all = new Set(alike.values())
  // A component `new` becomes the type `new_`, so that another one of this name is refused.
  const isTaken = (word: string) => word.endsWith('_') && all.has(word.slice(0, -1))
  return [...all].filter((word) => !['watch', 'watched', 'unwatch'].includes(word) && !isTaken(word))
}

/**
 * A contract with a component, a method, a parameter and an error of each of these names, whose methods use the
 * components. It has links, decoded quantities, a subscription, and methods that the server calls.
 */
function contractWith(names: readonly string[]): Contract {
  const method = (name: string): JsonObject => ({
    name,
    paramStructure: 'by-position',
    params: [
      { name, required: true, schema: ref(name) },
      { name: `${name}2`, schema: { type: 'array', items: ref(name) } },
    ],
    result: { name: 'result', schema: ref(name) },
    errors: [{ $ref: `#/components/errors/${name}` }],
    links: [{ name: 'next', method: name, params: { [name]: '$result' } }],
  })
  const [first = ''] = names
  return contractOf({
    methods: [
      ...names.map(method),
      {
        ...method('watch'),
        params: [],
        result: { name: 'id', schema: { type: 'string' } },
        errors: [],
        links: [],
        'x-subscription': { notification: 'watched', unsubscribe: 'unwatch' },
      },
      {
        name: 'watched',
        'x-direction': 'serverToClient',
        paramStructure: 'by-name',
        params: [
          { name: 'subscription', schema: { type: 'string' } },
          { name: 'result', schema: ref(first) },
        ],
      },
      {
        name: 'unwatch',
        paramStructure: 'by-position',
        params: [{ name: 'id', schema: { type: 'string' } }],
        result: { name: 'done', schema: { type: 'boolean' } },
      },
    ],
    components: {
      schemas: Object.fromEntries(
        names.map((name) => [name, { type: 'object', properties: { [name]: { ...{ type: 'string' } } } }]),
      ),
      errors: Object.fromEntries(
        names.map((name, at) => [name, { code: 1000 + at, message: name, data: ref(name) }]),
      ),
    },
  })
}

/** The types of exports are stated, so that other tools than the compiler can write declarations. */
const isolated = { declaration: true, isolatedDeclarations: true }

t.test('the types of all exports are stated', async (t) => {
  await inFolder(async (dir) => {
    const names = [
      'client-names',
      'connections',
      'empty',
      'errors',
      'hostile',
      'links',
      'namespaces',
      'odd-names',
      'service-rules',
    ]
    const contracts = new Map<string, Contract>([['own', await ownContract()]])
    for (const name of names) contracts.set(name, await loadFixture(name))
    for (const [name, contract] of contracts)
      for (const { path, content } of filesOf(contract))
        await write(dir, { path: `${name}/${path}`, content })
    t.equal(await strictCompile(dir, isolated), '')
  })
})

t.test('no name of a contract clashes with a name in its generated files', async (t) => {
  const names = await namesInCode()
  t.ok(names.length > 900, `${names.length} names`)
  const contract = contractWith(names)
  const { files } = generate(contract, tool)
  await inFolder(async (dir) => {
    for (const { path, content } of files) await write(dir, { path: `all/${path}`, content })
    t.equal(await strictCompile(dir, isolated), '')
    const { validators } = await import(pathToFileURL(`${dir}/all/validators.js`).href)
    for (const name of names) {
      const [value, wrong] = [{ [name]: 'text' }, { [name]: 1 }]
      t.same(validators[name].result(value), [], name)
      t.not(validators[name].result(wrong).length, 0, name)
    }
  })
})
