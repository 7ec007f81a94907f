import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { write } from '../../toolkit/codegen/fixtures.js'
import { inProject, runGenerate } from './run-generate.js'

const module = (body: string) => `export function emit(contract, options) { ${body} }`
const one = module("return [{ path: 'a/one.py', content: `x = ${contract.methods.length}\\n` }]")

/** Code of a plug-in, and the message of `generate`. */
const failures: readonly (readonly [what: string, code: string, message: RegExp])[] = [
  ['no function', 'export const emits = 1', /: exports no function "emit"$/],
  ['a module that throws', 'throw new Error("broken")', /: cannot be loaded: broken$/],
  ['a call that throws', module('throw new TypeError("no map")'), /: threw TypeError: no map \(at emit /],
  [
    'a promise that rejects',
    module('return Promise.reject("late")'),
    /: threw a value of type string: late$/,
  ],
  ['nothing', module(''), /: returned undefined instead of a list of \{ path, content \}$/],
  [
    'one file',
    module("return { path: 'a.py', content: '' }"),
    /: returned a value of type object instead of/,
  ],
  ['a file without content', module("return [{ path: 'a.py' }]"), /: file 0 is not \{ path, content \} with/],
  [
    'an absolute path',
    module("return [{ path: '/a.py', content: '' }]"),
    /: the path "\/a.py" is not relative/,
  ],
  [
    'a backslash',
    module("return [{ path: 'a\\\\b.py', content: '' }]"),
    /is not relative, with \/ as separator/,
  ],
  [
    'an outside path',
    module("return [{ path: 'a/../../b.py', content: '' }]"),
    /is outside the output folder$/,
  ],
  ['an empty part', module("return [{ path: 'a//b.py', content: '' }]"), /has an empty part$/],
  ['an empty path', module("return [{ path: '', content: '' }]"), /has an empty part$/],
  ['build output', module("return [{ path: 'dist/b.py', content: '' }]"), /is in dist or node_modules/],
  [
    'an unknown kind',
    module("return [{ path: 'b.bin', content: '' }]"),
    /: b.bin: no comment syntax is known/,
  ],
  ['a JSON list', module("return [{ path: 'b.json', content: '[]' }]"), /: b.json: is not a JSON object/],
  ['text as JSON', module("return [{ path: 'b.json', content: '{' }]"), /: b.json: is not a JSON object/],
  [
    'one path twice',
    module("return ['a.py', 'A.py'].map((path) => ({ path, content: '' }))"),
    /^concordat generate: emitter \.\S+ writes A.py twice$|writes A.py twice$/,
  ],
  [
    'a path of concordat',
    module("return [{ path: 'types.ts', content: '' }]"),
    /: *the emitters concordat and \S+ both write types.ts$|the emitters concordat and \S+ both write types.ts$/,
  ],
]

t.test('an emitter that fails is named with the reason, and nothing is written', async (t) => {
  for (const [what, code, message] of failures) {
    await inProject(async (dir, document) => {
      const plugin = join(dir, 'emit.mjs')
      await write(dir, { path: 'emit.mjs', content: code })
      const outcome = await runGenerate(document, '--emit', plugin)
      t.match(outcome, { code: 2, out: '', err: message }, what)
      t.match(outcome.err, plugin, `${what}: names the emitter`)
      await t.rejects(readFile(join(dir, 'generated/types.ts')), `${what}: nothing is written`)
    })
  }
})

t.test('a missing emitter is named, with the line of the configuration', async (t) => {
  await inProject(async (dir, document) => {
    const absent = await runGenerate(document, '--emit', 'no-such-emitter')
    t.match(absent, { code: 2, err: /^emitter no-such-emitter: cannot be loaded: .*A path starts with/ })
    const config = 'generate:\n  emitters:\n    - use: ./absent.js\n'
    await write(dir, { path: 'concordat.config.yaml', content: config })
    t.match(await runGenerate(document), { code: 2, err: /yaml:3:7: emitter .\/absent.js: cannot be loaded/ })
  })
})

t.test('two emitters cannot write one file', async (t) => {
  await inProject(async (dir, document) => {
    await write(dir, { path: 'one.mjs', content: one })
    await write(dir, { path: 'two.mjs', content: one })
    const [first, second] = [join(dir, 'one.mjs'), join(dir, 'two.mjs')]
    const { code, err } = await runGenerate(document, '--emit', first, '--emit', second)
    t.same([code, err], [2, `the emitters ${first} and ${second} both write a/one.py`])
  })
})

t.test('emitters of the configuration and of packages are generated, checked and removed', async (t) => {
  await inProject(async (dir, document) => {
    const text = module(
      "return Promise.resolve([{ path: 'b.json', content: '{}' }, { path: 'b.md', content: options.text }])",
    )
    await write(dir, { path: 'one.mjs', content: one })
    await write(dir, { path: 'node_modules/@acme/emit/index.js', content: text })
    const exported = '{"name":"@acme/emit","type":"module","exports":{"import":"./index.js"}}'
    await write(dir, { path: 'node_modules/@acme/emit/package.json', content: exported })
    const config = `generate:
  only: []
  emitters:
    - use: ./one.mjs
    - use: '@acme/emit'
      options: { text: Hello }
`
    await write(dir, { path: 'concordat.config.yaml', content: config })
    const written = await runGenerate(document)
    t.match(written, { code: 0, out: /new {6}a\/one.py\nnew {6}b.json\nnew {6}b.md\n.*: 3 written/ })
    t.match(
      await readFile(join(dir, 'generated/a/one.py'), 'utf8'),
      /^# Generated by concordat .*\nx = 4\n$/s,
    )
    t.match(JSON.parse(await readFile(join(dir, 'generated/b.json'), 'utf8')), { 'x-generator': /Pet store/ })
    t.match(await readFile(join(dir, 'generated/b.md'), 'utf8'), /^<!-- Generated by .*-->\nHello$/s)
    t.match(await runGenerate(document, '--check'), { code: 0, out: /is current: 3 files/ })
    await write(dir, { path: 'one.mjs', content: one })
    await write(dir, { path: 'concordat.config.yaml', content: config.replace('Hello', 'Bye') })
    t.match(await runGenerate(document, '--check'), { code: 1, out: 'stale    b.md' })
    await write(dir, { path: 'concordat.config.yaml', content: 'generate: {}\n' })
    t.match(await runGenerate(document), { code: 0, out: /removed {2}a\/one.py\nremoved {2}b.json/ })
    await write(dir, { path: 'generated/a/one.py', content: 'my own\n' })
    const refused = await runGenerate(document, '--emit', join(dir, 'one.mjs'))
    t.match(refused, {
      code: 2,
      err: /a\/one.py in .* was not generated by concordat and is not overwritten/,
    })
  })
})

t.test('--dry-run tries an emitter twice and writes nothing', async (t) => {
  await inProject(async (dir, document) => {
    const tried = (plugin: string) =>
      runGenerate(document, '--dry-run', '--only', 'none', '--emit', join(dir, plugin))
    await write(dir, { path: 'one.mjs', content: one })
    t.match(await tried('one.mjs'), { code: 0, out: /^new {6}a\/one\.py \+\d+\n.*: 1 would be written/ })
    const counting = '(globalThis.tries = (globalThis.tries ?? 0) + 1)'
    const differing = {
      'other.mjs': [`return [{ path: 'a.py', content: String(${counting}) }]`, 'another a.py'],
      'fewer.mjs': [`return ${counting} % 2 ? [] : [{ path: 'a.py', content: '' }]`, 'more files'],
    }
    for (const [path, [body = '', what]] of Object.entries(differing)) {
      await write(dir, { path, content: module(body) })
      t.match(await tried(path), { code: 2, err: new RegExp(`: a second run returned ${what}$`) }, path)
    }
    await t.rejects(readdir(join(dir, 'generated')), { code: 'ENOENT' })
  })
})
