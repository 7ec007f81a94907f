import { type Failures, failureError } from '../protocol/failures.js'
import type { Recipient } from '../protocol/http-source.js'

const millisecondsPerSecond = 1_000

/**
 * Waits until a request starts.
 * @param response response of the request; when the caller disconnects, it closes and the request leaves
 * @param join adds the request to those that wait, and returns the function that removes it. `start` starts the request
 *   once, and returns false if the caller has disconnected.
 * @returns false if the caller has disconnected. Rejects with RpcError `queuedTooLong` after the maximum time
 */
export async function waitToStart(
  response: Recipient,
  { queueSeconds }: { readonly queueSeconds: number },
  { queuedTooLong }: Pick<Failures, 'queuedTooLong'>,
  join: (start: () => boolean) => () => void,
): Promise<boolean> {
  if (response.destroyed) return false
  return new Promise((resolve, reject) => {
    const end = (): void => {
      leave()
      clearTimeout(timer)
      response.off('close', disconnected)
    }
    const disconnected = (): void => {
      end()
      resolve(false)
    }
    const timer = setTimeout(() => {
      end()
      reject(failureError(queuedTooLong))
    }, queueSeconds * millisecondsPerSecond)
    response.once('close', disconnected)
    const leave = join(() => {
      end()
      resolve(!response.destroyed)
      return !response.destroyed
    })
  })
}
