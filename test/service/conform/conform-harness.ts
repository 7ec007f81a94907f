import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Report } from '../../../src/judge/index.js'
import { developmentAccounts } from '../../support/development-chain.js'
import { createKey, runKeys } from '../../support/keys.js'
import { type RunningService, runConcordat } from '../../support/service.js'
import { temporaryFolder } from '../../support/temporary-folder.js'

/** An account with funds and without other uses. */
export const fundedKey = developmentAccounts[9].privateKey

interface Keys {
  readonly own: string
  readonly second: string
  readonly revoked: string
  readonly limited?: string
}

/** Keys of a new user: one is deleted, and one has a lower limit. */
export async function conformKeys(of: RunningService, network: string): Promise<Keys> {
  const user = ['--user', `qa-${network}@example.com`, '--network', network]
  const create = (name: string) => createKey(of, ...user, '--name', name)
  const own = await create('own')
  const second = await create('second')
  const revoked = await create('revoked')
  await runKeys(of, 'delete', revoked.id)
  const limited = await create('limited')
  await runKeys(of, 'set', limited.id, '--daily-limit', '5')
  return { own: own.url, second: second.url, revoked: revoked.url, limited: limited.url }
}

/** The case that waits half a minute for the body timeout. One run is enough. */
export const slowBody = 'http/slow-body'

/** Runs the suite as users do, without the waiting case. No output may contain a key. */
export async function conform(
  t: Test,
  keys: Keys,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const folder = await temporaryFolder(t)
  const [report, profile] = [join(folder, 'report.json'), join(folder, 'profile.json')]
  const { own, second, revoked, limited } = keys
  // Time limit of an answer on a busy machine.
  const suite = [
    'conform',
    own,
    '--second-key',
    second,
    '--revoked-key',
    revoked,
    '--timeout',
    '300',
    '--concurrency',
    '4',
  ]
  if (limited !== undefined) suite.push('--key', `limited=${limited}`)
  if (!args.includes('--only')) suite.push('--only', `!${slowBody}`)
  const files = ['--report', `json=${report}`, '--profile', profile]
  const { code, out, err } = await runConcordat([...suite, ...files, ...args], env)
  const json = await readFile(report, 'utf8')
  const written = [out, err, json, await readFile(profile, 'utf8').catch(() => '')].join('\n')
  // `notMatch` prints both texts, and compares them line by line.
  for (const url of Object.values(keys))
    t.notOk(written.includes(new URL(url).pathname.slice(1)), 'no output contains a key')
  t.notOk(written.includes(fundedKey.slice(2)), 'nor the private key')
  return { code, out, err, report: JSON.parse(json) as Report }
}

const bad = ['fail', 'no-answer', 'stale', 'harness-error', 'inconclusive'] as const

/** Lists the cases with an unexpected verdict, with the reason. */
export function isClean(t: Test, { cases }: Report) {
  const found = cases.filter(({ verdict }) => bad.some((name) => name === verdict))
  t.same(
    found.map(({ id, verdict, reason }) => `${verdict} ${id}: ${reason}`),
    [],
  )
}
