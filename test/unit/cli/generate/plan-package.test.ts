import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { inFolder, write } from '../../toolkit/codegen/fixtures.js'
import { inProject, runGenerate } from './run-generate.js'

const { version, engines, devDependencies } = JSON.parse(
  await readFile(new URL('../../../../package.json', import.meta.url), 'utf8'),
)

const packageFiles = ['README.md', 'package.json', 'tsconfig.json']

/** A folder with the package @acme/pets; `change` edits its package.json. */
async function inPackage(
  work: (at: {
    readonly out: string
    readonly document: string
    readonly path: string
    readonly read: () => Promise<string>
    readonly change: (edit: (manifest: Record<string, unknown>) => object) => Promise<string>
  }) => Promise<void>,
): Promise<void> {
  await inProject(async (dir, document) => {
    const out = join(dir, 'generated')
    const path = join(out, 'package.json')
    await runGenerate(document, '--package', '@acme/pets')
    const read = () => readFile(path, 'utf8')
    const change = async (edit: (manifest: Record<string, unknown>) => object) => {
      const text = `${JSON.stringify(edit(JSON.parse(await read())), null, 3)}\n`
      await writeFile(path, text)
      return text
    }
    await work({ out, document, path, read, change })
  })
}

t.test('--package creates package.json, tsconfig.json and README.md beside the code', async (t) => {
  await inProject(async (dir, document) => {
    const dry = await runGenerate(document, '--package', '@acme/pets', '--dry-run')
    for (const name of packageFiles) t.match(dry.out, new RegExp(`^new {6}${name} \\+\\d+$`, 'm'))
    t.same(await readdir(dir), ['openrpc.json'])
    const made = await runGenerate(document, '--package', '@acme/pets')
    t.equal(made.code, 0)
    for (const name of packageFiles) t.match(made.out, new RegExp(`^new {6}${name}$`, 'm'))
    const manifest = JSON.parse(await readFile(join(dir, 'generated', 'package.json'), 'utf8'))
    const entry = (name: string) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` })
    const names = 'client contract document errors examples methods service types validators'.split(' ')
    t.same(manifest, {
      name: '@acme/pets',
      version: '1.2.3',
      description: 'Client, types and validators of Pet store, generated from its OpenRPC contract',
      type: 'module',
      engines,
      sideEffects: false,
      exports: {
        ...Object.fromEntries(names.map((name) => [`./${name}`, entry(name)])),
        './package.json': './package.json',
      },
      typesVersions: { '*': Object.fromEntries(names.map((name) => [name, [`./dist/${name}.d.ts`]])) },
      files: ['dist'],
      scripts: manifest.scripts,
      dependencies: manifest.dependencies,
      devDependencies: { typescript: devDependencies.typescript },
      concordat: { updates: ['exports', 'typesVersions', 'files', 'dependencies'] },
    })
    t.ok(Object.keys(manifest.dependencies).length > 0)
    t.same([...new Set(Object.values(manifest.dependencies))], [`^${version}`])
    const readme = await readFile(join(dir, 'generated', 'README.md'), 'utf8')
    t.match(readme, /^# @acme\/pets\n\nPet store: /)
    t.match(readme, "import { createClient } from '@acme/pets/client'")
  })
})

t.test('a folder without a created package.json gets none, and another one is left alone', async (t) => {
  await inProject(async (dir, document) => {
    await runGenerate(document)
    t.notOk((await readdir(join(dir, 'generated'))).includes('package.json'))
    for (const own of ['{"name":"mine","exports":{}}\n', '[]', '{"concordat":"text"}']) {
      await writeFile(join(dir, 'generated', 'package.json'), own)
      t.match(await runGenerate(document, '--check'), { code: 0 }, own)
      t.match(await runGenerate(document, '--package', 'mine'), {
        code: 2,
        err: /^package\.json in \S+ was not created by concordat and is not changed: /,
      })
      t.equal(await readFile(join(dir, 'generated', 'package.json'), 'utf8'), own)
    }
  })
})

t.test('a created package.json stays current with and without the option', async (t) => {
  await inPackage(async ({ out, document }) => {
    t.match(await runGenerate(document), { code: 0, out: ': 0 written, 0 removed' })
    t.match(await runGenerate(document, '--package', '@acme/pets'), {
      code: 0,
      out: ': 0 written, 0 removed',
    })
    await rm(join(out, 'README.md'))
    await writeFile(join(out, 'tsconfig.json'), '{}')
    t.match(
      await runGenerate(document, '--check'),
      { code: 0, out: 'is current' },
      'these belong to the user',
    )
  })
})

t.test(
  'stale exports, typesVersions, files and dependency versions are reported, shown and updated',
  async (t) => {
    await inPackage(async ({ document, read, change }) => {
      const before = JSON.parse(await read())
      const [used = ''] = Object.keys(before.dependencies)
      const stale = await change(({ exports: _, ...manifest }) => ({
        ...manifest,
        exports: { './client': './elsewhere.js', './decoded': './dist/decoded.js' },
        files: [],
        dependencies: { [used]: '^0.0.1' },
      }))
      const checked = await runGenerate(document, '--check')
      t.match(checked, { code: 1, out: 'stale    package.json', err: 'is out of date' })
      const dry = (await runGenerate(document, '--dry-run')).out
      t.match(dry, /^changed {2}package\.json \+\d+ -\d+$/m)
      t.match(dry, `-      "${used}": "^0.0.1"`)
      t.match(dry, `+      "${used}": "^${version}"`)
      t.equal(await read(), stale)
      t.match(await runGenerate(document), { code: 0, out: /^changed {2}package\.json\n\S+: 1 written, / })
      t.same(JSON.parse(await read()), before, './decoded is removed, because the contract decodes nothing')
      t.match(await read(), '\n   "name"', 'the indentation stays')
      await change((manifest) => ({
        ...manifest,
        typesVersions: { '*': { decoded: ['./dist/decoded.d.ts'] } },
      }))
      t.match(await runGenerate(document, '--check'), { code: 1, out: 'stale    package.json' })
      await runGenerate(document)
      t.same(JSON.parse(await read()), before)
      t.match(await runGenerate(document, '--check'), { code: 0 })
    })
  },
)

t.test('everything that users add stays', async (t) => {
  await inPackage(async ({ document, read, change }) => {
    const written = await change((manifest) => ({
      ...manifest,
      version: '7.0.0',
      private: true,
      exports: { './extra': './dist/extra.js', ...(manifest['exports'] as object) },
      typesVersions: { '>=6': {}, ...(manifest['typesVersions'] as object) },
      files: ['extra.json', 'dist'],
      scripts: { build: 'make', test: 'make test' },
      dependencies: { zod: '1.0.0', ...(manifest['dependencies'] as object) },
      license: 'MIT',
    }))
    t.match(await runGenerate(document, '--check'), { code: 0 })
    await change((manifest) => ({ ...manifest, files: ['extra.json'] }))
    t.match(await runGenerate(document), { code: 0, out: /^changed {2}package\.json$/m })
    t.equal(await read(), written)
  })
})

t.test('a dependency on a file, a folder or a tag by URL stays', async (t) => {
  await inPackage(async ({ document, change }) => {
    for (const specifier of ['file:../rpc', 'workspace:*', 'github:a/b']) {
      await change(({ dependencies, ...manifest }) => ({
        ...manifest,
        dependencies: Object.fromEntries(
          Object.keys(dependencies as object).map((name) => [name, specifier]),
        ),
      }))
      t.match(await runGenerate(document, '--check'), { code: 0 }, specifier)
    }
  })
})

t.test('--only names the entry points that exist, also those of earlier runs', async (t) => {
  await inProject(async (dir, document) => {
    const entries = async () => {
      const { exports } = JSON.parse(await readFile(join(dir, 'generated', 'package.json'), 'utf8'))
      return Object.keys(exports)
    }
    await runGenerate(document, '--only', 'client,types', '--package', '@acme/pets')
    t.same((await readdir(join(dir, 'generated'))).sort(), [...packageFiles, 'client.ts', 'types.ts'].sort())
    t.same(await entries(), ['./client', './types', './package.json'])
    const readme = await readFile(join(dir, 'generated', 'README.md'), 'utf8')
    t.notMatch(readme, '@acme/pets/validators')
    t.match(await runGenerate(document, '--only', 'client,types', '--check'), { code: 0 })
    t.match(await runGenerate(document, '--only', 'errors'), { code: 0, out: /^changed {2}package\.json$/m })
    t.same(await entries(), ['./client', './types', './package.json', './errors'])
  })
})

t.test('build output and installed packages are neither checked nor removed', async (t) => {
  await inPackage(async ({ out, document }) => {
    const content = await readFile(join(out, 'client.ts'), 'utf8')
    const built = ['dist/client.js', 'dist/deep/old.js', 'node_modules/other/client.js']
    for (const path of built) await write(out, { path, content })
    await write(out, { path: 'tsconfig.tsbuildinfo', content: '{"version":"7.0.2"}' })
    t.match(await runGenerate(document, '--check'), { code: 0 })
    t.match(await runGenerate(document), { code: 0, out: ' 0 removed' })
    for (const path of [...built, 'tsconfig.tsbuildinfo']) t.ok(await readFile(join(out, path), 'utf8'), path)
  })
})

t.test('unusable names and versions are one line and exit code 2, and nothing is written', async (t) => {
  await inFolder(async (dir) => {
    const path = join(dir, 'openrpc.json')
    const contract = (version: string) => ({ openrpc: '1.3.2', info: { title: 'T', version }, methods: [] })
    await writeFile(path, JSON.stringify(contract('1')))
    for (const name of ['', 'Acme', '@acme', 'a b', '../up', '.hidden', 'node_modules', 'x'.repeat(215)]) {
      t.match(await runGenerate(path, `--package=${name}`), {
        code: 2,
        err: `--package is invalid: "${name}" is not a valid npm name, such as orders or @acme/orders`,
      })
    }
    await writeFile(path, JSON.stringify(contract('spring \u0007')))
    t.match(await runGenerate(path, '--package', 'orders'), {
      code: 2,
      err: '--package: the contract\'s version "spring \\u0007" is not a semantic version, such as 1.2.0: change info.version',
    })
    t.same(await readdir(dir), ['openrpc.json'])
  })
})

t.test('another name, and a package.json that is not JSON, are refused', async (t) => {
  await inPackage(async ({ document, path, read }) => {
    const before = await read()
    t.match(await runGenerate(document, '--package', 'pets'), {
      code: 2,
      err: /^--package: the package in \S+ is named "@acme\/pets", not "pets"$/,
    })
    t.equal(await read(), before)
    await writeFile(path, '{')
    const { code, err } = await runGenerate(document)
    t.equal(code, 2)
    t.match(err, /^\S+package\.json cannot be read as JSON: [^\n]*$/)
  })
})
