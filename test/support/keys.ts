import { type RunningService, runConcordat } from './service.js'

/** A new key: its id, and its URL at the service. */
export interface CreatedKey {
  readonly id: string
  readonly url: string
}

/**
 * Runs `concordat keys` while the service runs, and returns the output.
 * @throws TypeError with the output of a failed command
 */
export async function runKeys({ data }: RunningService, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await runConcordat(['keys', ...args, '--data', data])
  if (code !== 0) throw new TypeError(`keys ${args.join(' ')}: ${out}${err}`)
  return out
}

/**
 * Creates a key while the service runs.
 * @param options of `concordat keys create`
 */
export async function createKey(service: RunningService, ...options: readonly string[]): Promise<CreatedKey> {
  const { id, url } = JSON.parse(await runKeys(service, 'create', ...options, '--json')) as CreatedKey
  return { id, url: `${service.origin}${new URL(url).pathname}` }
}
