import t from 'tap'
import { fileOf, filesOf, loadFixture, loadModules, loadValidators } from './fixtures.js'

const contract = await loadFixture('hostile')
const wasHacked = () => (globalThis as { hacked?: boolean }).hacked

t.test('loading generated code runs nothing from the document', async (t) => {
  await loadModules(contract, [
    'methods.ts',
    'errors.ts',
    'client.ts',
    'contract.ts',
    'service.ts',
    'types.ts',
  ])
  t.equal(wasHacked(), undefined)
})

t.test('every method keeps its wire name, and its members are own members', async (t) => {
  const [module] = await loadModules(contract, ['methods.ts'])
  const methods = module?.['methods'] as Record<string, { name: string; extensions: object }>
  t.same(Object.keys(methods).sort(), contract.methods.map(({ name }) => name).sort())
  t.equal(Object.getPrototypeOf(methods), Object.prototype)
  for (const { name } of contract.methods) {
    t.ok(Object.hasOwn(methods, name), name)
    t.equal(methods[name]?.name, name)
  }
})

t.test('every error is created by its key, with its code', async (t) => {
  const [module] = await loadModules(contract, ['errors.ts'])
  const errors = module?.['errors'] as Record<string, (details?: object) => { code: number; message: string }>
  for (const { key, code, message } of contract.errors) {
    t.ok(Object.hasOwn(errors, key), key)
    t.match(errors[key]?.(), { code, message })
  }
})

t.test('members of any name are validated, including names of Object.prototype', async (t) => {
  const validators = await loadValidators(contract)
  t.equal(wasHacked(), undefined)
  for (const { name } of contract.methods) {
    const { params } = validators[name] ?? {}
    const objectWith = (value: unknown) => JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`)
    t.same(params?.([objectWith(1)]), [], `${name}: an integer`)
    t.match(params?.([objectWith('1')]), [{ path: /^\/0\//, rule: 'type' }], `${name}: a string`)
    t.match(params?.([{}]), [{ path: '/0', rule: 'required' }], `${name}: missing`)
    t.match(
      params?.([{ ...objectWith(1), other: 1 }]),
      [{ path: '/0', rule: 'additionalProperties' }],
      `${name}: an extra member`,
    )
    t.same(params?.([objectWith(1), name]), [], `${name}: an allowed value`)
    t.match(params?.([objectWith(1), 'other']), [{ path: '/1', rule: 'enum' }], `${name}: another value`)
    t.match(
      params?.([objectWith(1), {}]),
      [{ path: '/1', rule: 'enum' }],
      `${name}: an object instead of a listed value`,
    )
  }
})

t.test('the header and the page stay intact', async (t) => {
  const files = filesOf(contract)
  for (const { path, content } of files) {
    const lines = content.split('\n')
    if (path.endsWith('.html')) {
      // reference-html.test.ts covers the content of the page.
      t.match(lines[2], / -->$/, path)
    } else if (path.endsWith('.md')) {
      t.match(lines[2], / -->$/, path)
      const blocks = content.slice(content.indexOf('# ')).replaceAll(/^(`{3,})\w*\n.*?^\1$/gms, '')
      const spans = blocks.replaceAll(/(?<![\\`])(`+)(?!`).+?(?<!`)\1(?!`)/g, '')
      t.notMatch(spans, /<[a-z/!]/i, path)
    } else if (!path.endsWith('.json')) {
      t.same(
        lines.slice(0, 3).map((line) => line.startsWith('// ')),
        [true, true, true],
        path,
      )
      t.equal(lines[3], '', path)
    }
  }
  t.notMatch(fileOf(files, 'types.ts'), /\u2028/)
})
