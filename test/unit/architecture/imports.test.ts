import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = fileURLToPath(new URL('../../../', import.meta.url))

const read = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
/** The allowed imports of each folder: the table of ARCHITECTURE.md. */
const allowed = Object.fromEntries(
  [...read.matchAll(/^\| `(?:src\/)?([\w/-]+)\/` \|.*\| ([^|]*) \|$/gm)].map(([, folder = '', may = '']) => [
    folder,
    may === 'nothing' ? [] : may.split(', '),
  ]),
)

const files = ['src', 'lab/faults'].flatMap((place) =>
  readdirSync(join(root, place), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|tsx|js)$/.test(file) && !/(?:^|\/)dist\//.test(file))
    .map((file) => join(place, file)),
)

interface TsConfig {
  readonly compilerOptions: { readonly paths: Readonly<Record<string, readonly string[]>> }
}

const { paths } = (JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as TsConfig).compilerOptions

/** The source of an import from one of the project's packages, such as `@concordat/rpc`. */
function sourceOf(specifier: string): string {
  const [found] = Object.entries(paths).flatMap(([pattern, [target = '']]) => {
    const [before = '', after] = pattern.split('*')
    if (after === undefined) return specifier === pattern ? [target] : []
    return specifier.startsWith(before) ? [target.replace('*', specifier.slice(before.length))] : []
  })
  if (found === undefined) throw new TypeError(`tsconfig.json has no path for ${specifier}`)
  return found.replace('./', '')
}

/** The project files that a file imports, relative to the root, without other packages. */
function imports(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8').replace(/^\s*(\/\/|\*).*$/gm, '')
  const found = text.matchAll(/\b(?:from|import|new URL\()\s*\(?\s*'(\.{1,2}\/[^']+\.[jt]s)'/g)
  const ofPackage = text.matchAll(/^(?:import .*|export .*|\} )from '(@?concordat\/[^']+)'/gm)
  const entries = [...ofPackage].map(([, specifier = '']) => sourceOf(specifier))
  const relatives = [...found].map(([, specifier = '']) => {
    const target = relative(root, resolve(root, dirname(file), specifier))
    const [source, page] = ['.ts', '.tsx'].map((ending) => target.replace(/\.js$/, ending)) as [
      string,
      string,
    ]
    return existsSync(join(root, page)) ? page : source
  })
  return [...entries, ...relatives]
}

const deepestFirst = Object.keys(allowed).sort((one, other) => other.length - one.length)

/** The innermost folder of the table that a file is in: `src/service/gateway/keys/x.ts` is in `gateway`. */
const folder = (file: string) =>
  deepestFirst.find((each) => file.replace(/^src\//, '').startsWith(`${each}/`)) ?? ''
const gatewayPart = (file: string) => /^src\/service\/gateway\/([^/]+)\//.exec(file)?.[1]

/** The folders around a file whose `index.ts` is a port, outermost first. */
function portsAround(file: string): string[] {
  if (!file.startsWith('src/')) return []
  const part = gatewayPart(file)
  return [`src/${folder(file)}`, ...(part === undefined ? [] : [`src/service/gateway/${part}`])]
}

const allImports = files.flatMap((file) => imports(file).map((target) => ({ file, target })))

t.test('each folder imports only what the table of ARCHITECTURE.md allows', async (t) => {
  t.ok(files.length > 10, 'the source was found')
  t.ok(
    Object.values(allowed).some((may) => may.includes('server')),
    'the table was read',
  )
  t.same(
    files.filter((file) => folder(file) === ''),
    [],
    'every file is in a folder of the table',
  )
  const isAllowed = (own: string, other: string) =>
    other === own || allowed[own]?.some((name) => name === other || other.endsWith(`/${name}`))
  const wrong = allImports.filter(({ file, target }) => !isAllowed(folder(file), folder(target)))
  t.same(wrong, [])
})

t.test('the judge shares no code with the parts that it judges', async (t) => {
  const judge = folder('src/judge/index.ts')
  t.same(allowed[judge], ['contract', 'report', 'rpc'])
  t.same(allowed[folder('src/judge/report/index.ts')], ['contract', 'report-formats'])
  const text = files
    .filter((file) => folder(file) === judge)
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
  t.match(text, /from 'node:http'/)
  t.match(text, /from 'ajv'/)
  t.notMatch(
    text,
    /from '@concordat\/(?!rpc')|from 'undici'|from 'node-fetch'|from 'fastify'|\bfetch\(/,
    'no other HTTP client, no generated code',
  )
})

/** A table of parts in ARCHITECTURE.md: what each part may import. */
function partsOf(folder: string): Readonly<Record<string, readonly string[]>> {
  const rows = read.matchAll(new RegExp(`^\\| \`${folder}/([\\w-]+)\` \\|.*\\| ([^|]*) \\|$`, 'gm'))
  return Object.fromEntries(
    [...rows].map(([, part = '', may = '']) => [part, may === 'nothing' ? [] : may.split(', ')]),
  )
}

for (const folder of ['service/gateway', 'judge']) {
  t.test(`each part of ${folder} imports only what the table of parts allows`, async (t) => {
    const parts = partsOf(folder)
    const partOf = (file: string) => new RegExp(`^src/${folder}/([^/]+)/`).exec(file)?.[1]
    const own = new Set(files.map(partOf).filter((part) => part !== undefined && part !== 'dist'))
    t.same([...own].sort(), Object.keys(parts).sort(), 'the table lists every part')
    const inUse = allImports.flatMap(({ file, target }) => {
      const [own, other] = [partOf(file), partOf(target)]
      return own === undefined || other === undefined || own === other ? [] : [{ own, other, file, target }]
    })
    t.same(
      inUse.filter(({ own, other }) => !parts[own]?.includes(other)),
      [],
      'the table lists every import',
    )
    const used = new Set(inUse.map(({ own, other }) => `${own} -> ${other}`))
    const listed = Object.entries(parts).flatMap(([own, others]) =>
      others.map((other) => `${own} -> ${other}`),
    )
    t.same(
      listed.filter((edge) => !used.has(edge)),
      [],
      'every entry of the table is used',
    )
  })
}

t.test('no part of the judge imports one of a later row of its table', async (t) => {
  const order = Object.keys(partsOf('judge'))
  const upwards = Object.entries(partsOf('judge')).flatMap(([own, others]) =>
    others.filter((other) => order.indexOf(other) > order.indexOf(own)).map((other) => `${own} -> ${other}`),
  )
  t.ok(order.length > 10, 'the table was read')
  t.same(upwards, [])
})

t.test('a folder imports the port of another folder and nothing else of it', async (t) => {
  const published = Object.values(paths).flatMap(([path = '']) => path.replace('./', ''))
  const past = allImports.filter(({ file, target }) => {
    const own = portsAround(file)
    const crossed = portsAround(target).find((folder, depth) => folder !== own[depth])
    return crossed !== undefined && target !== `${crossed}/index.ts` && !published.includes(target)
  })
  t.same(past, [])
})

t.test('no other part of the gateway names a method of the contract', async (t) => {
  const { methods } = JSON.parse(readFileSync(join(root, 'openrpc.json'), 'utf8')) as {
    methods: readonly { readonly name: string }[]
  }
  const names = methods.map(({ name }) => name).join('|')
  const literal = new RegExp(`(['"\`])(?:${names})\\1|\\b(?:${names})\\??:`)
  const naming = ['methods', 'ethereum', 'dev-chain']
  // Their examples are texts to copy.
  const isExample = (file: string) => file === 'src/service/gateway/dashboard/setup/setup-examples.ts'
  const others = files.filter((file) => {
    const part = gatewayPart(file)
    return part !== undefined && !naming.includes(part) && !isExample(file)
  })
  t.ok(others.length > 100, 'the files were found')
  t.match(`call('eth_call')`, literal)
  t.same(
    others.filter((file) => literal.test(readFileSync(join(root, file), 'utf8'))),
    [],
  )
})

t.test('there is no import cycle', async (t) => {
  const state = new Map<string, 'open' | 'done'>()
  const visit = (file: string, path: readonly string[]): void => {
    if (state.get(file) === 'done') return
    if (state.get(file) === 'open') {
      t.fail(`cycle: ${[...path.slice(path.indexOf(file)), file].join(' -> ')}`)
      return
    }
    state.set(file, 'open')
    for (const target of imports(file)) if (files.includes(target)) visit(target, [...path, file])
    state.set(file, 'done')
  }
  for (const file of files) visit(file, [])
  t.equal(state.size, files.length)
})

t.test('only the folders that ARCHITECTURE.md names know a blockchain', async (t) => {
  const knowing = ['gateway', 'cli', 'node-access', 'functions', 'lab/faults']
  const isKnowing = (file: string) => knowing.some((name) => `/${folder(file)}`.endsWith(`/${name}`))
  for (const file of files.filter((file) => !isKnowing(file))) {
    t.notMatch(readFileSync(join(root, file), 'utf8'), /\beth_|ethereum|rootstock|blockchain/i, file)
  }
})

t.test('no source file is longer than 400 lines', async (t) => {
  for (const file of files) {
    const lines = readFileSync(join(root, file), 'utf8').split('\n').length
    t.ok(lines <= 401, `${file} has ${lines} lines`)
  }
})
