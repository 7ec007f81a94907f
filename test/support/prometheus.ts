import { execFile, spawn } from 'node:child_process'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { replaced } from './balancer.js'
import { freePort } from './free-port.js'
import { temporaryFolder } from './temporary-folder.js'
import { findTool } from './tools.js'
import { until } from './until.js'

const run = promisify(execFile)

type Test = { teardown: (work: () => unknown) => void }

/** A sample of an instant query: its labels, and its value as text. */
export interface PrometheusSample {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [time: number, value: string]
}

/** A running Prometheus with the shipped files. */
export interface Prometheus {
  /** Evaluates an expression now. */
  query(expression: string): Promise<readonly PrometheusSample[]>
}

/** Runs promtool. Rejects with its output if it finds a problem. */
export async function promtool(...args: readonly string[]): Promise<string> {
  const program = join(dirname(await findTool('prometheus')), 'promtool')
  const { stdout } = await run(program, args).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}${error.stderr}`)
  })
  return stdout
}

/** Starts Prometheus with the shipped configuration and rules. It scrapes the target each second. */
export async function startPrometheus(t: Test, target: string): Promise<Prometheus> {
  const program = await findTool('prometheus')
  const folder = await temporaryFolder(t)
  const shipped = await readFile('deploy/prometheus.yml', 'utf8')
  const file = join(folder, 'prometheus.yml')
  const changed = replaced(shipped, [
    ['127.0.0.1:9464', target],
    ['scrape_interval: 15s', 'scrape_interval: 1s'],
  ])
  await writeFile(file, changed)
  await copyFile('deploy/prometheus-rules.yml', join(folder, 'prometheus-rules.yml'))
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const child = spawn(
    program,
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  )
  t.teardown(() => child.kill('SIGKILL'))
  await until(() =>
    fetch(`${origin}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return {
    async query(expression) {
      const answer = await fetch(`${origin}/api/v1/query?${new URLSearchParams({ query: expression })}`)
      const { status, error, data } = (await answer.json()) as {
        readonly status: string
        readonly error?: string
        readonly data: { readonly result: readonly PrometheusSample[] }
      }
      if (status !== 'success') throw new TypeError(`${expression}: ${error}`)
      return data.result
    },
  }
}
