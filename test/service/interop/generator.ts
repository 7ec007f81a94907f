import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { runConcordat } from '../../support/service.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

const generator = createRequire(import.meta.url).resolve('@open-rpc/generator/build/cli.js')
const component = fileURLToPath(
  new URL('../../../src/toolkit/codegen/open-rpc-generator.cjs', import.meta.url),
)
const petStore = fileURLToPath(new URL('../../fixtures/contracts/pet-store.json', import.meta.url))

interface Document {
  readonly methods: readonly { readonly name: string; readonly result?: { schema: object } }[]
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

/** A project of `open-rpc-generator`: its configuration and the document, without generated files. */
async function project(t: Test, document: object, parts: object = {}): Promise<string> {
  const folder = await temporaryFolder(t)
  const config = {
    openrpcDocument: './openrpc.json',
    components: [
      {
        type: 'custom',
        name: 'pets',
        language: 'typescript',
        customComponent: component,
        outPath: './generated',
        ...parts,
      },
    ],
  }
  await writeFile(join(folder, 'openrpc.json'), JSON.stringify(document, undefined, 3))
  await writeFile(join(folder, 'config.json'), JSON.stringify(config))
  return folder
}

/** Runs the command line of the package in a folder. */
function run(
  folder: string,
): Promise<{ readonly code: unknown; readonly out: string; readonly err: string }> {
  const args = [generator, 'generate', '-c', 'config.json']
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder }, (error, out, err) => {
      resolve({ code: error === null ? 0 : error.code, out, err })
    })
  })
}

/** Every file below a folder with its text, except the package's copy of the document. */
async function filesOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => path !== join('src', 'openrpc.json'))
  const files = paths.map(async (path) => [path, await readFile(join(folder, path), 'utf8')] as const)
  return Object.fromEntries(await Promise.all(files))
}

const readPetStore = async (): Promise<Document> => JSON.parse(await readFile(petStore, 'utf8'))

t.test('open-rpc-generator writes the same bytes as concordat generate', async (t) => {
  const folder = await project(t, await readPetStore())
  t.match(await run(folder), {
    code: 0,
    out: /^concordat: \.\/generated: \d+ written, 0 removed, 0 unchanged$/m,
  })
  const wanted = join(folder, 'wanted')
  t.equal((await runConcordat(['generate', join(folder, 'openrpc.json'), '--out', wanted])).code, 0)
  t.same(await filesOf(join(folder, 'generated')), await filesOf(wanted))

  const document = await readPetStore()
  const changed = { ...document, methods: document.methods.slice(1) }
  await writeFile(join(folder, 'openrpc.json'), JSON.stringify(changed))
  await writeFile(join(folder, 'generated', 'mine.ts'), 'export {}\n')
  t.match(
    await run(folder),
    { code: 0, out: /[1-9]\d* written, 0 removed, [1-9]\d* unchanged/ },
    'only changed files',
  )
  t.equal(await readFile(join(folder, 'generated', 'mine.ts'), 'utf8'), 'export {}\n')
})

t.test('references to other files are relative to the working folder', async (t) => {
  // The package resolves no references inside other files, so only direct ones work.
  const document = await readPetStore()
  const { Status, ...schemas } = document.components.schemas
  const folder = await project(t, { ...document, components: { ...document.components, schemas } })
  await writeFile(join(folder, 'schemas.json'), JSON.stringify({ Status }))
  const text = await readFile(join(folder, 'openrpc.json'), 'utf8')
  await writeFile(
    join(folder, 'openrpc.json'),
    text.replace('#/components/schemas/Status', './schemas.json#/Status'),
  )
  const wanted = join(folder, 'wanted')
  t.equal((await runConcordat(['generate', join(folder, 'openrpc.json'), '--out', wanted])).code, 0)
  t.match(await run(folder), { code: 0 })
  t.same(await filesOf(join(folder, 'generated')), await filesOf(wanted))
})

t.test('problems are reported in our words, with exit code 1', async (t) => {
  const document = await readPetStore()
  const [first] = document.methods
  const twice = await project(t, { ...document, methods: [...document.methods, first] })
  const inTheWay = await project(t, document)
  await mkdir(join(inTheWay, 'generated'))
  await writeFile(join(inTheWay, 'generated', 'types.ts'), 'export {}\n')
  const rust = await project(t, document, { language: 'rust' })
  const noCopy = await project(t, document, { openRPCPath: null })
  const cases = [
    [twice, /^ {2}#\/methods\/4: the method "listPets" is already declared at #\/methods\/0/m],
    [
      inTheWay,
      'types.ts in ./generated was not generated by concordat and is not overwritten: move it or choose another folder',
    ],
    [rust, 'concordat generates only TypeScript, but the component has "language": "rust"'],
    [noCopy, 'the component needs a copy of the document: remove "openRPCPath" from the configuration'],
  ] as const
  const outcomes = await Promise.all(
    cases.map(async ([folder, words]) => ({ ...(await run(folder)), words })),
  )
  for (const { code, err, words } of outcomes) {
    t.match({ code, err }, { code: 1, err: words })
    t.notMatch(err, /open-rpc-generator-hook|\n {4}at /, 'no stack')
  }
  t.same(await filesOf(join(twice, 'generated')), {}, 'nothing was written')
})
