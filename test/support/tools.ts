import { execFile } from 'node:child_process'
import { access, constants, readdir, readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { installNode, newestNode } from '../../bin/install-node.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))

/** Something that tests use and that `npm ci` does not install. */
export interface Tool {
  /** Name that is shown to people. */
  readonly name: string
  /** The command that installs it. */
  readonly install: string
  /** Name of its Debian package, if there is one. */
  readonly debianPackage?: string
  /** A command that installs it in `node_modules/.cache`, if there is one. */
  readonly command?: readonly string[]
  /** Returns its path, or another value that tests use; undefined when it is missing. */
  readonly find: () => Promise<string | undefined>
}

/** Folders that are not on the path of every user. */
const systemFolders = ['/usr/sbin', '/usr/local/sbin', '/sbin']

const searched = (): readonly string[] => [
  ...(process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''),
  ...systemFolders,
]

async function firstOf(paths: readonly string[], mode = constants.X_OK): Promise<string | undefined> {
  for (const path of paths) {
    const isThere = await access(path, mode).then(
      () => true,
      () => false,
    )
    if (isThere) return path
  }
  return undefined
}

const findProgram = (program: string) => firstOf(searched().map((folder) => join(folder, program)))

/** Returns the command that installs Debian packages. */
export const debianLine = (packages: readonly string[]): string =>
  `apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')}`

const debian = (debianPackage: string, find: Tool['find']): Tool => ({
  name: debianPackage,
  debianPackage,
  install: debianLine([debianPackage]),
  find,
})

const program = (debianPackage: string, name = debianPackage): Tool =>
  debian(debianPackage, () => findProgram(name))

const outputOf = (command: string, args: readonly string[], options: object = {}) =>
  run(command, args, { cwd: root, ...options }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  )

/** Finds the folder of the newest PostgreSQL that Debian installed, otherwise of the one on the path. */
async function postgresqlPrograms(): Promise<string | undefined> {
  const versions = (await readdir('/usr/lib/postgresql').catch(() => [])).map(Number).filter(Number.isFinite)
  const installed = versions.sort((one, other) => other - one).map((one) => `/usr/lib/postgresql/${one}/bin`)
  for (const folder of [...installed, ...searched()])
    if ((await firstOf([join(folder, 'initdb')])) !== undefined) return folder
  return undefined
}

/** Finds faketime's library, whose folder depends on the architecture. */
async function fakeTimeLibrary(): Promise<string | undefined> {
  const folders = await readdir('/usr/lib').catch(() => [])
  const paths = folders.map((folder) => join('/usr/lib', folder, 'faketime/libfaketime.so.1'))
  return firstOf(paths, constants.R_OK)
}

/** Finds the commit of the previous version, if the history of this checkout contains it. */
async function versionBefore(): Promise<string | undefined> {
  const file = join(root, 'test/service/upgrade/previous-version.json')
  const { commit } = JSON.parse(await readFile(file, 'utf8')) as { readonly commit: string }
  // Without this check, Git would search for a repository in the parent folders.
  if ((await firstOf([join(root, '.git')], constants.R_OK)) === undefined) return undefined
  return outputOf('git', ['rev-parse', '--verify', '--quiet', `${commit}^{commit}`])
}

/** Folder of the packages that the generated Python client of `examples/emitters` needs. */
const pythonFolder = join(root, 'node_modules', '.cache', 'python')
const pip = ['python3', '-m', 'pip', 'install', '--quiet', '--upgrade', '--target', pythonFolder]

const findPythonPackages = async () => {
  const test = ['-c', 'import httpx, pydantic; assert pydantic.VERSION >= "2"']
  const env = { ...process.env, PYTHONPATH: pythonFolder }
  return (await outputOf('python3', test, { env })) === undefined ? undefined : pythonFolder
}

/** Timeout of the npm registry in milliseconds, long enough for a busy machine. */
const registryMs = 60_000

/** Returns the URL of the registry that npm uses, if the registry answers. */
async function findRegistry(): Promise<string | undefined> {
  const registry = await outputOf('npm', ['config', 'get', 'registry'])
  if (registry === undefined) return undefined
  const answer = await fetch(registry, { signal: AbortSignal.timeout(registryMs) }).catch(() => undefined)
  await answer?.body?.cancel()
  return answer === undefined ? undefined : registry
}

/** Everything that tests use and that `npm ci` does not install. */
export const tools = {
  bubblewrap: program('bubblewrap', 'bwrap'),
  chromium: debian(
    'chromium-headless-shell',
    async () => (await findProgram('chromium-headless-shell')) ?? findProgram('chromium'),
  ),
  curl: program('curl'),
  dnsmasq: program('dnsmasq-base', 'dnsmasq'),
  etcd: program('etcd-server', 'etcd'),
  faketime: debian('faketime', fakeTimeLibrary),
  git: program('git'),
  haproxy: program('haproxy'),
  kubectl: program('kubernetes-client', 'kubectl'),
  nginx: program('nginx-light', 'nginx'),
  'nginx stream module': debian('libnginx-mod-stream', () =>
    firstOf(['/usr/lib/nginx/modules/ngx_stream_module.so'], constants.R_OK),
  ),
  oathtool: program('oathtool'),
  patroni: program('patroni'),
  pgbouncer: program('pgbouncer'),
  pip: debian('python3-pip', () => outputOf('python3', ['-m', 'pip', '--version'])),
  postgresql: debian('postgresql', postgresqlPrograms),
  prometheus: program('prometheus'),
  python: debian('python3', () => outputOf('python3', ['--version'])),
  setpriv: program('util-linux', 'setpriv'),
  systemd: program('systemd', 'systemd-analyze'),
  xmllint: program('libxml2-utils', 'xmllint'),
  zbarimg: program('zbar-tools', 'zbarimg'),
  'newest Node.js': {
    name: `Node.js ${newestNode}`,
    install: 'npm run test:tools',
    find: () => installNode(newestNode).catch(() => undefined),
  },
  'npm registry': {
    name: 'the npm registry',
    install: 'connect this machine to the network',
    find: findRegistry,
  },
  'python packages': {
    name: 'httpx and pydantic',
    install: 'npm run test:tools',
    command: [...pip, 'httpx==0.28.1', 'pydantic>=2.9,<3'],
    find: findPythonPackages,
  },
  'version before': {
    name: 'the history of the repository',
    install: 'git fetch --unshallow',
    find: versionBefore,
  },
} as const satisfies Readonly<Record<string, Tool>>

export type ToolName = keyof typeof tools

/**
 * Finds a tool. Calls must contain its name literally, because `toolsOf` reads the calls in a test file and its
 * imports. Test files with missing tools are skipped.
 * @throws Error with the install command if the tool is missing
 */
export async function findTool(tool: ToolName): Promise<string> {
  const { name, install, find }: Tool = tools[tool]
  const found = await find()
  if (found === undefined) throw new Error(`This needs ${name}: ${install}`)
  return found
}
