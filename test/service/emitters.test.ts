import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Validator } from '@seriousme/openapi-schema-validator'
import t from 'tap'
import { type Emit, type GeneratedFile, loadContract, runEmitter } from '../../src/toolkit/codegen/index.js'
import { openGuide } from '../support/guide.js'
import { runConcordat } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { findTool } from '../support/tools.js'
import { rooted, startMockCommand } from './mock-harness.js'

const python = rooted('examples/emitters/python-client.js')
const openapi = rooted('examples/emitters/openapi.js')
const fixtures = rooted('test/fixtures/contracts')

async function run(...args: readonly string[]) {
  const { code, out, err } = await runConcordat(args)
  return { code, out: `${out}${err}`.trimEnd() }
}

/** Fixtures with the constructs that other languages find hard. */
const hard = [
  ...['constructs', 'definitions', 'hostile', 'mutual-recursion', 'namespaces', 'notifications', 'odd-names'],
  ...['param-structures', 'prototype-names', 'recursive', 'shared-parts', 'type-lists', 'unicode-names'],
]

/** What an example emits for a document. */
async function emittedBy(path: string, document: string): Promise<GeneratedFile> {
  const { emit } = (await import(path)) as { readonly emit: Emit }
  const tool = { name: 'concordat', version: '1.0.0' }
  const contract = await loadContract(document)
  const [file] = await runEmitter({ name: 'example', emit, options: {} }, contract, tool)
  if (!file) throw new Error(`no file for ${document}`)
  return file
}

/** What an example emits for these fixtures, by the fixture's name. */
function emittedFixtures(path: string): Promise<readonly (readonly [string, GeneratedFile])[]> {
  return Promise.all(
    hard.map(async (name) => [name, await emittedBy(path, join(fixtures, `${name}.json`))] as const),
  )
}

/** A document with a component, a method, a parameter, an error and a member of each of these names. */
function documentWith(names: readonly string[]): object {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  return {
    openrpc: '1.3.2',
    info: { title: 'Names', version: '1.0.0' },
    methods: names.map((name) => ({
      name,
      paramStructure: 'by-name',
      params: [{ name, required: true, schema: ref(name) }],
      result: { name: 'result', schema: ref(name) },
      errors: [{ $ref: `#/components/errors/${name}` }],
    })),
    components: {
      schemas: Object.fromEntries(
        names.map((name) => [name, { type: 'object', properties: { [name]: { type: 'string' } } }]),
      ),
      errors: Object.fromEntries(
        names.map((name, at) => [name, { code: at + 1, message: name, data: ref(name) }]),
      ),
    },
  }
}

/** What an example emits for a document with the names of a file that it emitted, and with others. */
async function emittedWithOwnWords(
  folder: string,
  path: string,
  { content }: Pick<GeneratedFile, 'content'>,
  others: readonly string[] = [],
): Promise<GeneratedFile> {
  const own = join(folder, 'own-words.json')
  const names = new Set([...others, ...(content.match(/[A-Za-z_]\w*/g) ?? [])])
  await writeFile(own, JSON.stringify(documentWith([...names])))
  return emittedBy(path, own)
}

const calls = `
from contextlib import suppress
from client import Client, Pet, RpcError
import httpx, pydantic, sys

client = Client(sys.argv[1])
print(client.list_pets(limit=1))
print(client.get_pet(id=1).name)
try:
    client.list_pets()
except RpcError as error:
    print(error.code, error.message)
try:
    client.get_pet(id="one")
except RpcError as error:
    print(error.code)
print(type(client.add_pet(pet=Pet(id=2, name="Tom", kind="cat"))).__name__, client.pet_seen(id=1))
try:
    Pet(id=2, name="Tom", kind="cow")
except pydantic.ValidationError as error:
    print(error.errors()[0]["type"])
`

t.test('the generated Python client calls the mock', async (t) => {
  const folder = await temporaryFolder(t)
  const document = join(fixtures, 'pet-store.json')
  const generated = await run('generate', document, '--only', 'none', '--emit', python, '--out', folder)
  t.match(generated, { code: 0, out: /new +python\/client\.py/ })
  await writeFile(join(folder, 'python/calls.py'), calls)
  const { url } = await startMockCommand(t, [document])
  const env = { ...process.env, PYTHONPATH: await findTool('python packages') }
  const { stdout } = await promisify(execFile)('python3', [join(folder, 'python/calls.py'), url], { env })
  t.same(stdout.trimEnd().split('\n'), [
    "[Pet(id=1, name='Rex', kind='dog', tag=None, born=None)]",
    'Rex',
    '100 Pets are busy',
    '-32602',
    'int None',
    'literal_error',
  ])
})

const imports = `
import importlib, inspect, pathlib, sys, typing, warnings
warnings.simplefilter("error")
sys.path.insert(0, sys.argv[1])
for folder in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    module = importlib.import_module(folder.name + ".client")
    for value in vars(module).values():
        if inspect.isclass(value) and issubclass(value, module.Model):
            value.model_rebuild(force=True)
    for value in vars(module.Client).values():
        if inspect.isfunction(value):
            typing.get_type_hints(value, vars(module))
    print(folder.name)
`

t.test('Python imports the clients of hard contracts, and resolves their types', async (t) => {
  const folder = await temporaryFolder(t)
  const [[, petStore] = ['', { content: '' }], ...others] = await emittedFixtures(python)
  const listing = 'import builtins, keyword; print(*keyword.kwlist, *keyword.softkwlist, *dir(builtins))'
  const { stdout: ofPython } = await promisify(execFile)('python3', ['-c', listing])
  const own = await emittedWithOwnWords(folder, python, petStore, ofPython.trim().split(' '))
  const emitted = [['pet-store', petStore] as const, ...others, ['own-words', own] as const]
  for (const [name, { content }] of emitted) {
    const path = join(folder, 'clients', `of_${name.replaceAll('-', '_')}`, 'client.py')
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
  }
  await writeFile(join(folder, 'imports.py'), imports)
  const env = { ...process.env, PYTHONPATH: await findTool('python packages') }
  const args = [join(folder, 'imports.py'), join(folder, 'clients')]
  const { stdout } = await promisify(execFile)('python3', args, { env })
  t.equal(stdout.trimEnd().split('\n').length, emitted.length)
})

t.test('the generated OpenAPI documents of hard contracts are valid', async (t) => {
  const all = await emittedFixtures(openapi)
  const [[, first] = ['', { content: '' }]] = all
  const own = await emittedWithOwnWords(await temporaryFolder(t), openapi, first)
  for (const [name, { content }] of [...all, ['own-words', own] as const]) {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(JSON.parse(content))
    t.ok(valid, `${name}: ${JSON.stringify(errors)}`)
    t.equal(validator.version, '3.1')
    const keys = new Set(Object.keys(JSON.parse(content).components.schemas))
    const used = [...content.matchAll(/"\$ref": "#\/components\/schemas\/([^"]*)"/g)].map(
      ([, key = '']) => key,
    )
    t.same(
      used.filter((key) => !keys.has(key)),
      [],
      `${name}: all references have a target`,
    )
  }
})

t.test('the guide describes emitters with code that runs', async (t) => {
  const guide = await openGuide('docs/backend.md', ['Other outputs'])
  const [emitter = ''] = guide.code('Other outputs', 'js')
  const [config = ''] = guide.code('Other outputs', 'yaml')
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'emit-methods.js'), emitter)
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(join(folder, 'openrpc.json'), await readFile(join(fixtures, 'pet-store.json')))
  await writeFile(join(folder, 'concordat.config.yaml'), config)
  const functions = `npx() { shift; node '${rooted('bin/concordat.js')}' "$@"; }`
  const [attempt] = guide.commands()
  t.match(await attempt?.run({ cwd: folder, functions }), {
    code: 0,
    output:
      /^new +method-list\.md \+\d+\n.*generated: 1 would be written, 0 would be removed, 0 unchanged\n?$/,
  })
  const document = join(folder, 'openrpc.json')
  t.equal((await run('generate', document)).code, 0)
  t.match(await readFile(join(folder, 'generated/method-list.md'), 'utf8'), 'listPets(limit, status)')
  t.match(await run('generate', document, '--check'), { code: 0, out: /is current/ })
})
