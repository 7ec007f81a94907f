import { connectControl } from '../../src/service/gateway/app/control/control-client.js'
import type { Service } from './processes.js'

/** Number of keys created concurrently. */
const together = 10

/** Which users and keys are created. */
interface KeyOptions {
  readonly network?: string
  /** Number of the first user. */
  readonly firstUser?: number
  /** Requests per day of each key. Default: the user's limit. */
  readonly dailyLimit?: number
}

/** Creates users with one key each, and returns the paths of the keys. */
export async function makeKeys(
  { dataDir }: Pick<Service, 'dataDir'>,
  count: number,
  { network = 'test', firstUser = 0, dailyLimit }: KeyOptions = {},
): Promise<string[]> {
  const control = await connectControl(dataDir)
  if (control === undefined) throw new Error('the service does not run')
  const create = async (number: number) => {
    const user = `user${number}@example.com`
    const key = await control.run('keys.create', { user, network, name: 'bench' })
    const { id, text } = key as { readonly id: string; readonly text: string }
    if (dailyLimit !== undefined) await control.run('keys.set', { id, dailyLimit })
    return `/${text}`
  }
  const paths: string[] = []
  for (let from = 0; from < count; from += together) {
    const size = Math.min(together, count - from)
    const made = Array.from({ length: size }, (_, at) => create(firstUser + from + at))
    paths.push(...(await Promise.all(made)))
  }
  control.close()
  return paths
}
