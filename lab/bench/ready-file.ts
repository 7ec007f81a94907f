import type { ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'

/** The content of the ready file. */
interface Ready {
  readonly networks: { readonly test: { readonly url: string } }
  readonly metrics: string
}

/**
 * Waits until a service is ready.
 * @returns the content of its ready file
 * @throws Error if the service exits before
 */
export async function waitForService(readyFile: string, service: ChildProcess): Promise<Ready> {
  for (;;) {
    const ready = await readFile(readyFile, 'utf8').catch(() => undefined)
    if (ready !== undefined) return JSON.parse(ready)
    if (service.exitCode !== null) throw new Error('the service did not start')
    await delay(50)
  }
}
