import { access, constants, cp, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { installNode } from '../../bin/install-node.js'
import { runLimited } from '../limited-command.js'
import { nameOf, type Row } from './row.js'

/** The outcome of a row. */
export interface Outcome {
  readonly row: Row
  /** `not run`: the tool cannot be installed here, or a program of the system is missing. */
  readonly kind: 'works' | 'cannot' | 'failed' | 'not run'
  /** Why it cannot, failed or was not run. */
  readonly reason: string
}

/** The line of an outcome. */
export function lineOf({ row, kind, reason }: Outcome): string {
  const result = kind === 'not run' ? 'not run here' : kind
  return `${nameOf(row)}: ${result}${reason === '' ? '' : `: ${reason}`}`
}

/** Maximum duration of an installation or a row, in milliseconds. */
const longestMs = 600_000

/** Headless browsers of the system, the smallest first. */
const browsers = ['chromium-headless-shell', 'chromium', 'google-chrome'].map((name) => `/usr/bin/${name}`)

/** The environment without the options that a test runner sets for every Node.js process. */
export function environment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { NODE_OPTIONS, ...inherited } = process.env
  return { ...inherited, NO_COLOR: '1', NEXT_TELEMETRY_DISABLED: '1', ...extra }
}

/** Runs a command of the shell with all processes that it starts. Resolves to the exit code and both outputs. */
export async function shell(cwd: string, command: string, env: NodeJS.ProcessEnv) {
  const { code, output, failure } = await runLimited(['bash', '-c', command], cwd, env, longestMs)
  return { code, output: failure === undefined || code !== null ? output : `${output}\n${failure}` }
}

/** The PATH with a version of Node.js; that of the caller by default. */
const pathOf = async (node: string | undefined) =>
  node === undefined ? (process.env['PATH'] ?? '') : installNode(node)

/** Finds a headless browser of the system. */
async function findBrowser(): Promise<string | undefined> {
  for (const path of browsers) {
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return path
  }
  return undefined
}

/**
 * Runs a row in a project in which the packages are installed, in a folder of its own.
 * @param project the folder with `node_modules`
 * @param name of the folder of the row
 * @param url of a running service
 */
export async function runRow(row: Row, project: string, name: string, url: string): Promise<Outcome> {
  const { files, command, expected, node, needsChromium } = row
  const browser = needsChromium ? await findBrowser() : ''
  if (browser === undefined) return { row, kind: 'not run', reason: `none of ${browsers.join(', ')} exists` }
  const folder = join(project, name)
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  const commands = join(project, 'node_modules/.bin')
  const env = environment({
    PATH: [commands, await pathOf(node)].join(delimiter),
    RPC_URL: url,
    CHROMIUM: browser,
  })
  const { code, output } = await shell(folder, command, env)
  const isExpected = (code === 0) === (expected.kind === 'works') && output.includes(expected.output)
  if (isExpected)
    return { row, kind: expected.kind, reason: expected.kind === 'cannot' ? expected.reason : '' }
  const wanted = `${expected.kind === 'works' ? 'success' : 'a failure'} with ${expected.output}`
  return { row, kind: 'failed', reason: `exit code ${code}; expected ${wanted}; the output is:\n${output}` }
}

/** Installs packages in a project with a version of Node.js. Resolves to npm's exit code and output. */
async function installTools(project: string, install: readonly string[], node: string | undefined) {
  const wanted = install.map((one) => `'${one}'`).join(' ')
  const flags = '--ignore-scripts --prefer-offline --no-audit --no-fund --loglevel error'
  const path = await pathOf(node).catch((error: Error) => error)
  if (path instanceof Error) return { code: null, output: path.message }
  return shell(project, `npm install ${flags} ${wanted}`, environment({ PATH: path }))
}

/**
 * Installs the tools of rows and runs the rows, one after the other. Rows with the same tools share a project.
 * @param home a folder in which the packages of this project are installed; copies of it get the tools
 * @param folder an existing folder for the projects
 * @param url of a running service
 */
export async function* runRows(
  rows: readonly Row[],
  { home, folder, url }: { readonly home: string; readonly folder: string; readonly url: string },
): AsyncGenerator<Outcome> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const key = JSON.stringify([row.install, row.node])
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  for (const [at, group] of [...groups.values()].entries()) {
    const project = join(folder, `${at}`)
    await cp(home, project, { recursive: true, verbatimSymlinks: true })
    const { install = [], node } = group[0] ?? {}
    const { code, output } = await installTools(project, install, node)
    for (const [number, row] of group.entries()) {
      if (code !== 0) yield { row, kind: 'not run', reason: `its installation failed: ${output.trim()}` }
      else yield await runRow(row, project, `row-${number}`, url)
    }
  }
}
