import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Report } from '../../src/conformance/run/report.js'
import { developmentAccounts } from '../../src/gateway/chain/seed-facts.js'
import { type RunningService, runConcordat } from '../support/service.js'
import { temporaryFolder } from '../support/temporary-folder.js'

/** An account with funds that nothing else uses. */
export const fundedKey = developmentAccounts[9].privateKey

interface Keys {
  readonly own: string
  readonly second: string
  readonly revoked: string
  readonly limited?: string
}

/** Keys of a new user: one of them is deleted, one has a lower limit of its own. */
export async function conformKeys(of: RunningService, network: string): Promise<Keys> {
  const create = async (name: string) => {
    const who = [
      '--user',
      `qa-${network}@example.com`,
      '--network',
      network,
      '--name',
      name,
      '--data',
      of.data,
    ]
    const { code, out, err } = await runConcordat(['keys', 'create', ...who, '--json'])
    if (code !== 0) throw new TypeError(err)
    return JSON.parse(out) as { readonly id: string; readonly url: string }
  }
  const own = await create('own')
  const second = await create('second')
  const revoked = await create('revoked')
  await runConcordat(['keys', 'delete', revoked.id, '--data', of.data])
  const limited = await create('limited')
  await runConcordat(['keys', 'set', limited.id, '--daily-limit', '5', '--data', of.data])
  return { own: own.url, second: second.url, revoked: revoked.url, limited: limited.url }
}

/** Runs the suite as a user does; nothing that it wrote may tell a key. */
export async function conform(
  t: Test,
  keys: Keys,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const folder = await temporaryFolder(t)
  const [report, profile] = [join(folder, 'report.json'), join(folder, 'profile.json')]
  const { own, second, revoked, limited } = keys
  // An answer takes as long as the machine is busy.
  const suite = ['conform', own, '--second-key', second, '--revoked-key', revoked, '--timeout', '300']
  if (limited !== undefined) suite.push('--key', `limited=${limited}`)
  const files = ['--report', `json=${report}`, '--profile', profile]
  const { code, out, err } = await runConcordat([...suite, ...files, ...args], env)
  const json = await readFile(report, 'utf8')
  const written = [out, err, json, await readFile(profile, 'utf8').catch(() => '')].join('\n')
  for (const url of Object.values(keys)) t.notMatch(written, new URL(url).pathname.slice(1), 'no key is told')
  t.notMatch(written, fundedKey.slice(2), 'nor is the private key')
  return { code, out, err, report: JSON.parse(json) as Report }
}

const bad = ['fail', 'stale', 'harness-error', 'inconclusive'] as const

/** Says which cases are not as they must be, with the reason. */
export function isClean(t: Test, { cases }: Report) {
  const found = cases.filter(({ verdict }) => bad.some((name) => name === verdict))
  t.same(
    found.map(({ id, verdict, reason }) => `${verdict} ${id}: ${reason}`),
    [],
  )
}
