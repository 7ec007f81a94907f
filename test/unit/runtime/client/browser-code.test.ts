import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import t from 'tap'
import { clientSize } from '../../../../lab/bench/client-sizes.js'
import { tsc } from '../../../support/tsc.js'

const path = (name: string) => fileURLToPath(new URL(`../../../../${name}`, import.meta.url))
const uses = fileURLToPath(new URL('../../../types/client-use.ts', import.meta.url))

t.test("the client and its uses compile as browser code, without Node's types", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'concordat-browser-code-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const compilerOptions = {
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    module: 'esnext',
    moduleResolution: 'bundler',
    declaration: false,
    sourceMap: false,
    rootDir: '/',
    skipLibCheck: false,
  }
  const config = { extends: path('tsconfig.json'), compilerOptions, files: [uses], include: [] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const said = await tsc(['-p', folder, '--listFiles'])
  t.notMatch(said, /error TS/)
  t.match(said, /src\/runtime\/client\/create-rpc-client\.ts/)
  t.notMatch(said, /@types\/node/)
})

t.test('the bundle contains only the client and nothing of Node.js or other packages', async (t) => {
  const { metafile, outputFiles } = await build({
    entryPoints: [path('src/service/node-access/index.ts')],
    tsconfig: path('tsconfig.json'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    metafile: true,
    write: false,
    absWorkingDir: path(''),
  })
  // Files of which the bundler kept nothing are not counted.
  const contents = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
  const files = contents.flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : []))
  const folders = new Set(files.map((file) => relative('.', file).replace(/\/[^/]*$/, '')))
  t.same([...folders].sort(), [
    'generated',
    'src/runtime/client',
    'src/runtime/client/http',
    'src/runtime/client/pipeline',
    'src/runtime/rpc',
    'src/service/node-access',
    'src/service/node-access/chain',
  ])
  t.same(
    files.filter((file) => /^(generated|src\/runtime\/rpc)\//.test(file)).sort(),
    [
      'generated/client.ts',
      'generated/contract.ts',
      'generated/decoded.ts',
      'src/runtime/rpc/exponential-delay.ts',
      'src/runtime/rpc/rpc-error.ts',
    ],
    'no validators, no server tables',
  )
  const [output] = Object.values(metafile.outputs)
  t.same(output?.imports, [])
  t.notMatch(outputFiles[0]?.text, /node:|require\(/)
  t.comment(`minified: ${outputFiles[0]?.contents.length} bytes`)
})

t.test('clients take at most 8 kB, decoding 2 kB more, plain clients 5.2 kB', async (t) => {
  for (const [program, limit] of [
    ['ours, all methods', 8_000],
    ['ours, two methods, plain', 5_200],
  ] as const) {
    const size = await clientSize(program)
    t.ok(size > 1_000 && size <= limit, `${program}: ${size} bytes`)
  }
  const decoding = (await clientSize('ours, decoded')) - (await clientSize('ours, all methods'))
  t.ok(decoding > 100 && decoding <= 2_000, `decoding: ${decoding} bytes more`)
})

t.test('the validators of one method do not bring those of the others into a bundle', async (t) => {
  const contents = `import { eth_blockNumber } from './validators.js'\nconsole.log(eth_blockNumber.result('1'))`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: path('generated') },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  })
  const size = outputFiles[0]?.contents.length ?? 0
  t.ok(size > 1_000 && size < 10_000, `${size} bytes minified`)
  t.notMatch(outputFiles[0]?.text, /eth_chainId|blockHash/)
})
