import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Report } from '../../src/conformance/index.js'
import { connectControl } from '../../src/gateway/app/control/control-client.js'
import { developmentAccounts } from '../support/development-chain.js'
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
  const control = await connectControl(of.data)
  if (control === undefined) throw new TypeError('the service does not answer its control socket')
  const create = async (name: string) => {
    const made = await control.run('keys.create', { user: `qa-${network}@example.com`, network, name })
    const { id, text } = made as unknown as { readonly id: string; readonly text: string }
    return { id, url: `${of.origin}/${text}` }
  }
  try {
    const own = await create('own')
    const second = await create('second')
    const revoked = await create('revoked')
    await control.run('keys.delete', { id: revoked.id })
    const limited = await create('limited')
    await control.run('keys.set', { id: limited.id, dailyLimit: 5 })
    return { own: own.url, second: second.url, revoked: revoked.url, limited: limited.url }
  } finally {
    control.close()
  }
}

/** The case that waits until a body has taken too long: half a minute, once is enough. */
export const slowBody = 'http/slow-body'

/** Runs the suite as a user does, without what waits; nothing that it wrote may tell a key. */
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
  for (const url of Object.values(keys)) t.notMatch(written, new URL(url).pathname.slice(1), 'no key is told')
  t.notMatch(written, fundedKey.slice(2), 'nor is the private key')
  return { code, out, err, report: JSON.parse(json) as Report }
}

const bad = ['fail', 'no-answer', 'stale', 'harness-error', 'inconclusive'] as const

/** Says which cases are not as they must be, with the reason. */
export function isClean(t: Test, { cases }: Report) {
  const found = cases.filter(({ verdict }) => bad.some((name) => name === verdict))
  t.same(
    found.map(({ id, verdict, reason }) => `${verdict} ${id}: ${reason}`),
    [],
  )
}
