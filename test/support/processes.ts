import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { until } from './until.js'

/** A process as `ps` lists it. */
export interface ProcessFacts {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

/** Lists the running descendants of a process. Zombies are excluded. */
export async function processesBelow(pid: number): Promise<readonly ProcessFacts[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='])
  const all = stdout.split('\n').flatMap((line): ProcessFacts[] => {
    const [, id, parent, state, command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    return state === undefined || state.startsWith('Z')
      ? []
      : [{ pid: Number(id), parent: Number(parent), command }]
  })
  const below = (above: number): readonly ProcessFacts[] =>
    all.filter(({ parent }) => parent === above).flatMap((facts) => [facts, ...below(facts.pid)])
  return below(pid)
}

/** True while the process runs. */
async function isAlive(pid: number): Promise<boolean> {
  return promisify(execFile)('ps', ['-o', 'stat=', '-p', String(pid)]).then(
    ({ stdout }) => stdout.trim() !== '' && !stdout.trim().startsWith('Z'),
    () => false,
  )
}

/** Resolves once a process has exited, orphans included. */
export async function gone(pid: number): Promise<void> {
  await until(async () => !(await isAlive(pid)))
}
