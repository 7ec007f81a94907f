import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import t from 'tap'
import { cleanEnvironment } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const execute = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const home = await temporaryFolder(t)
const copy = join(home, 'copy')
const app = join(home, 'app')
const modules = join(app, 'node_modules')
const installed = join(modules, 'concordat')

/** Runs a command; it fails the test with what it wrote where its exit code is not 0. */
async function run(cwd: string, file: string, ...args: readonly string[]): Promise<string> {
  const env = cleanEnvironment({
    NODE_V8_COVERAGE: '',
    PATH: `${join(modules, '.bin')}:${process.env['PATH']}`,
  })
  const { stdout } = await execute(file, args, { cwd, env, maxBuffer: 1e8 }).catch((cause) => {
    throw new Error(`${file} ${args.join(' ')}\n${cause.stdout}${cause.stderr}`)
  })
  return stdout
}

/** Builds and packs a copy: dist/ beside the source here would be run by everything else. */
async function pack(): Promise<string> {
  const { files } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const published: readonly string[] = files.filter(
    (path: string) => path !== 'dist' && !path.startsWith('src/'),
  )
  const built = ['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json', 'README.md', 'LICENSE']
  for (const path of [...published, ...built]) {
    await cp(join(root, path), join(copy, path), { recursive: true })
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
  await run(copy, 'npm', 'run', 'build')
  const [packed] = JSON.parse(await run(copy, 'npm', 'pack', '--json')) as [{ readonly filename: string }]
  return join(copy, packed.filename)
}

/** Puts the package into an empty project beside what it depends on; what only its development needs is not there. */
async function install(archive: string): Promise<void> {
  await mkdir(installed, { recursive: true })
  await run(app, 'tar', 'xzf', archive, '-C', installed, '--strip-components=1')
  const own = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  const names = [
    ...Object.keys({ ...own.dependencies, ...own.optionalDependencies }),
    // What the project itself has, as `concordat init` would.
    'typescript',
    'tsx',
    '@types/node',
  ]
  for (const name of names) {
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(join(root, 'node_modules', name), join(modules, name))
  }
  await mkdir(join(modules, '.bin'))
  await symlink(join(installed, own.bin.concordat), join(modules, '.bin', 'concordat'))
  for (const name of ['tsc', 'tsx']) {
    await symlink(join(root, 'node_modules', '.bin', name), join(modules, '.bin', name))
  }
  await writeFile(join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }')
}

await install(await pack())
const { version, exports: exported } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
const entries = Object.keys(exported).filter((name) => !name.endsWith('.json'))
/** Those that a program imports; the others are for tools that load them by name. */
const specifiers = entries
  // The types of an optional peer, which is not installed here, are needed for this one.
  .filter((name) => exported[name].types !== undefined && name !== './server-js')
  .map((name) => name.replace('.', 'concordat'))

t.test('what is published has compiled code alone, and every file that exports name', async (t) => {
  const files = await readdir(installed, { recursive: true })
  t.same(
    files.filter((file) => /^src\/.*\.ts$/.test(file)),
    [],
    'no source: the command runs what was compiled',
  )
  for (const target of Object.values(exported).flatMap((one) =>
    typeof one === 'string' ? one : Object.values(one as object),
  )) {
    t.ok(files.includes((target as string).replace('./', '')), target as string)
  }
  const names = ['client', 'codegen', 'conformance', 'rpc', 'server'].map((name) => `./${name}`)
  t.same(
    names.filter((name) => !entries.includes(name)),
    [],
  )
})

t.test('the command runs: version, lint and generate of a document', async (t) => {
  t.equal(await run(app, 'npx', 'concordat', '--version'), `${version}\n`)
  await cp(join(root, 'test', 'fixtures', 'contracts', 'pet-store.json'), join(app, 'openrpc.json'))
  t.match(await run(app, 'concordat', 'generate'), /^new +client\.ts$/m)
  t.match(await run(app, 'concordat', 'lint'), '0 errors')
})

t.test('every entry can be imported, and its types compile', async (t) => {
  const imports = specifiers.map((name, at) => `import * as entry${at} from '${name}'`).join('\n')
  const list = `[${specifiers.map((_, at) => `entry${at}`).join(', ')}]`
  const code = `${imports}
import { type Contract, generateFiles, loadContract } from 'concordat/codegen'
import { type Report, runConformance } from 'concordat/conformance'
const contract: Contract = await loadContract('openrpc.json')
const files = generateFiles(contract, { name: 'app', version: '1' })
export type Runs = (...options: Parameters<typeof runConformance>) => Promise<Report>
console.log(files.length > 5, ${list}.every((entry) => Object.keys(entry).length > 0))
`
  await writeFile(join(app, 'use.ts'), code)
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node']
  options.push('--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes')
  await run(app, 'tsc', ...options, 'use.ts')
  t.equal(await run(app, process.execPath, 'use.js'), 'true true\n')
  await writeFile(
    join(app, 'peer.ts'),
    "import * as serverJs from 'concordat/server-js'\nexport { serverJs }\n",
  )
  await run(app, 'tsc', ...options, '--skipLibCheck', 'peer.ts')
})

for (const entry of ['client', 'node-access']) {
  t.test(`concordat/${entry} goes into a browser: no package, nothing of Node`, async (t) => {
    const { metafile } = await build({
      stdin: { contents: `export * from 'concordat/${entry}'`, resolveDir: app },
      bundle: true,
      platform: 'browser',
      format: 'esm',
      write: false,
      metafile: true,
      preserveSymlinks: true,
      logLevel: 'silent',
    })
    const inputs = Object.entries(metafile.inputs)
    const foreign = inputs
      .map(([path]) => path)
      .filter((path) => path !== '<stdin>' && !/(?:^|\/)node_modules\/concordat\/dist\//.test(path))
    t.same(foreign, [], 'no other package')
    t.same(
      inputs.flatMap(([, { imports }]) => imports.filter(({ external }) => external)),
      [],
      'nothing is left to the platform',
    )
    t.ok(inputs.length > 5)
  })
}

t.test('a new project works with it', async (t) => {
  t.match(await run(app, 'concordat', 'init', 'todo'), 'npm start')
  t.match(await run(join(app, 'todo'), 'npm', 'test'), /^. pass 3$/m)
})
