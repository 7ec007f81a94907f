import { connectControl } from '../src/gateway/app/control/control-client.js'
import type { Service } from './processes.js'

/** Number of keys created concurrently. */
const together = 10

/** Creates users with one key each, and returns the paths of the keys. */
export async function makeKeys({ dataDir }: Service, count: number): Promise<string[]> {
  const control = await connectControl(dataDir)
  if (control === undefined) throw new Error('the service does not run')
  const paths: string[] = []
  for (let from = 0; from < count; from += together) {
    const made = Array.from({ length: Math.min(together, count - from) }, (_, at) =>
      control.run('keys.create', { user: `user${from + at}@example.com`, network: 'test', name: 'bench' }),
    )
    for (const key of await Promise.all(made)) paths.push(`/${(key as { readonly text: string }).text}`)
  }
  control.close()
  return paths
}
