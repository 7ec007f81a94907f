import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The rows of the table in a file whose first cell is a folder, and whose last lists what it may import. */
function rowsOf(path: string): Readonly<Record<string, readonly string[]>> {
  const rows = readFileSync(join(root, path), 'utf8').matchAll(
    /^\| (?:\[)?`(?:src\/)?([\w/-]+)\/`.*\| ([^|]*) \|$/gm,
  )
  return Object.fromEntries(
    [...rows].map(([, folder = '', may = '']) => [folder, may === 'nothing' ? [] : may.split(', ')]),
  )
}

/** What each room may import of others, as rooms or parts: the table of ARCHITECTURE.md. */
const rooms = rowsOf('ARCHITECTURE.md')

/** The parts of each room, lowest first, with the parts of the same room that each imports: its README. */
const partsOf = Object.fromEntries(
  Object.keys(rooms)
    .filter((room) => existsSync(join(root, 'src', room)))
    .map((room) => [room, rowsOf(`src/${room}/README.md`)]),
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

/** `src/judge/send/x.ts` is in the room `judge`, `generated/types.ts` in `generated`. */
const roomOf = (file: string) =>
  Object.keys(rooms).find((room) => file.replace(/^src\//, '').startsWith(`${room}/`))

/** The part of its room that a file is in, such as `send`; undefined for files of the room itself. */
function partOf(file: string): string | undefined {
  const room = roomOf(file) ?? ''
  const inside = file.replace(/^src\//, '').slice(room.length + 1)
  return Object.keys(partsOf[room] ?? {}).find((part) => inside.startsWith(`${part}/`))
}

/** Files beside the parts: a room's port or program, and what its parts share. */
const isOfRoomItself = (file: string) =>
  file.split('/').length === (file.startsWith('src/service/gateway/') ? 4 : 3)

const gatewayPart = (file: string) => /^src\/service\/gateway\/([^/]+)\//.exec(file)?.[1]

/** The folders around a file whose `index.ts` is a port, outermost first. */
function portsAround(file: string): readonly string[] {
  if (!file.startsWith('src/')) return []
  const [room, part] = [roomOf(file), partOf(file)]
  if (room === 'judge')
    return ['report', 'functions'].includes(part ?? '') ? [`src/judge/${part}`] : ['src/judge']
  if (room === 'service') {
    const gateway = 'src/service/gateway'
    return file.startsWith(`${gateway}/`)
      ? [gateway, ...(part === undefined ? [] : [`src/service/${part}`])]
      : [`src/service/${part}`]
  }
  return room === 'cli' || part === undefined ? [`src/${room}`] : [`src/${room}/${part}`]
}

const allImports = files.flatMap((file) => imports(file).map((target) => ({ file, target })))

t.test('each room imports of others only what the table of ARCHITECTURE.md allows', async (t) => {
  t.ok(files.length > 1_000, 'the source was found')
  t.ok(rooms['cli']?.includes('judge'), 'the table was read')
  t.same(
    files.filter((file) => roomOf(file) === undefined),
    [],
    'every file is in a room',
  )
  const isAllowed = (file: string, target: string) => {
    const [own, other] = [roomOf(file) ?? '', roomOf(target) ?? '']
    return (
      own === other || rooms[own]?.some((name) => name === other || name === `${other}/${partOf(target)}`)
    )
  }
  t.same(
    allImports.filter(({ file, target }) => !isAllowed(file, target)),
    [],
  )
})

for (const [room, parts] of Object.entries(partsOf)) {
  t.test(`the parts of ${room} import what its README lists, and no later part`, async (t) => {
    const inRoom = files.filter((file) => roomOf(file) === room)
    const folders = new Set(inRoom.map(partOf))
    t.same(
      Object.keys(parts).filter((part) => !folders.has(part)),
      [],
      'every part of the table has files',
    )
    t.same(
      inRoom.filter((file) => partOf(file) === undefined && !isOfRoomItself(file)),
      [],
      'every folder is a part of the table',
    )
    const used = new Set(
      allImports.flatMap(({ file, target }) => {
        const [own, other] = [partOf(file), partOf(target)]
        const isInside = roomOf(file) === room && roomOf(target) === room && own !== other
        return isInside && own !== undefined && other !== undefined ? [`${own} -> ${other}`] : []
      }),
    )
    const listed = Object.entries(parts).flatMap(([own, others]) =>
      others.map((other) => `${own} -> ${other}`),
    )
    t.same([...used].sort(), listed.sort(), 'the table lists every import, and each entry is used')
    const order = Object.keys(parts)
    const upwards = Object.entries(parts).flatMap(([own, others]) =>
      others
        .filter((other) => order.indexOf(other) > order.indexOf(own))
        .map((other) => `${own} -> ${other}`),
    )
    t.same(upwards, [], 'the rows are in order, lowest first')
  })
}

t.test('the judge shares no code with the parts that it judges', async (t) => {
  t.same(rooms['judge'], ['toolkit/contract', 'toolkit/text', 'toolkit/report-formats', 'runtime/rpc'])
  const text = files
    .filter((file) => roomOf(file) === 'judge')
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

/** The first cycle that edges make, as its nodes; undefined if there is none. */
function cycleOf(edges: Iterable<readonly [source: string, target: string]>): readonly string[] | undefined {
  const targetsOf = new Map<string, Set<string>>()
  for (const [source, target] of edges)
    targetsOf.set(source, (targetsOf.get(source) ?? new Set()).add(target))
  const done = new Set<string>()
  const visit = (node: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return undefined
    done.add(node)
    return firstOf(targetsOf.get(node) ?? [], [...path, node])
  }
  const firstOf = (nodes: Iterable<string>, path: readonly string[]): readonly string[] | undefined => {
    for (const node of nodes) {
      const cycle = visit(node, path)
      if (cycle !== undefined) return cycle
    }
    return undefined
  }
  return firstOf(targetsOf.keys(), [])
}

t.test('there is no import cycle', async (t) => {
  t.equal(cycleOf(allImports.map(({ file, target }) => [file, target])), undefined)
  t.same(cycleOf(Object.entries({ a: 'b', b: 'c', c: 'b' })), ['b', 'c', 'b'])
})

t.test('folders beside each other in a room import each other one way', async (t) => {
  const edges = allImports.flatMap(({ file, target }) => {
    const [own, other] = [file, target].map((path) => dirname(path).split('/')) as [string[], string[]]
    const end = own.findIndex((name, at) => name !== other[at]) + 1
    // One of the files lies in a folder around the other's.
    if (end === 0 || end > other.length || roomOf(file) !== roomOf(target)) return []
    return [[own.slice(0, end).join('/'), other.slice(0, end).join('/')] as const]
  })
  t.ok(edges.some((edge) => edge.join() === 'src/runtime/server/service,src/runtime/server/protocol'))
  t.equal(cycleOf(edges), undefined)
})

t.test('the service starts without the toolkit, which would load three hundred files more', async (t) => {
  const found = new Set(['src/cli/serve/serve.ts', 'src/cli/serve/start.ts'])
  for (const file of found) for (const target of imports(file)) if (files.includes(target)) found.add(target)
  t.ok(found.has('src/service/gateway/index.ts'))
  t.same(
    [...found].filter((file) => /^src\/(?:toolkit|judge)\/(?!text\/)/.test(file)),
    [],
  )
})

t.test('only the folders that ARCHITECTURE.md names know a blockchain', async (t) => {
  const isKnowing = (file: string) =>
    ['service', 'cli', 'lab/faults'].includes(roomOf(file) ?? '') || file.startsWith('src/judge/functions/')
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
