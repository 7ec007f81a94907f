import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { accepts } from './accepts.js'
import { findTool } from './tools.js'
import { until } from './until.js'

const run = promisify(execFile)

/** The test that a load balancer belongs to. */
export type BalancerTest = {
  teardown: (work: () => unknown) => void
}

/** How to start a load balancer. */
export interface BalancerProgram {
  readonly program: string
  /** Arguments that only check the configuration. */
  readonly check: readonly string[]
  readonly args: readonly string[]
  /** The port that it listens on. */
  readonly port: number
}

/**
 * Checks the configuration of a load balancer, starts it and waits until it listens. It is stopped when the test ends.
 * @throws Error with the output of a failed check
 */
export async function startBalancer(
  t: BalancerTest,
  { program, check, args, port }: BalancerProgram,
): Promise<void> {
  await findTool('setpriv')
  await run(program, check)
  // It exits with this process, however this process ends.
  const server = spawn('setpriv', ['--pdeathsig', 'TERM', program, ...args], { stdio: 'ignore' })
  t.teardown(() => stop(server))
  await until(async () => hasExited(server) || (await accepts(port)))
  if (hasExited(server)) throw new Error(`${program} exited before it was ready`)
}

const hasExited = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

async function stop(server: ChildProcess): Promise<void> {
  if (hasExited(server)) return
  const ended = once(server, 'exit')
  server.kill('SIGTERM')
  await ended
}

/**
 * Replaces texts everywhere.
 * @throws TypeError when one of them is missing, because the result would not be the shipped file
 */
export function replaced(text: string, changes: readonly (readonly [found: string, by: string])[]): string {
  return changes.reduce((changed, [found, by]) => {
    if (!changed.includes(found)) throw new TypeError(`the file does not contain: ${found}`)
    return changed.replaceAll(found, by)
  }, text)
}

/**
 * Repeats the lines with an address for each host, as their comment tells operators.
 * @throws TypeError when there is no such line
 */
export function withEachServer(text: string, address: string, hosts: readonly string[]): string {
  const lines = text.split('\n')
  const isServer = (line: string) => line.includes(address)
  if (!lines.some(isServer)) throw new TypeError(`the file does not contain: ${address}`)
  return lines
    .flatMap((line) => (isServer(line) ? hosts.map((host) => line.replace(address, host)) : [line]))
    .join('\n')
}
