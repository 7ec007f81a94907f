/**
 * What the programs in JavaScript share: their settings, and the report of a step. It is copied beside the folder of each
 * program.
 */
import { readFileSync } from 'node:fs'

/** The URL of a key of the test network, and of a key whose daily limit is spent. */
export const { RPC_URL: rpcUrl, SPENT_URL: spentUrl, PRIVATE_KEY: privateKey } = process.env

/** The ABI and the bytecode of `examples/integrator/counter.sol`. */
export const counter = JSON.parse(readFileSync(process.env.CONTRACT, 'utf8'))

/** Stops the service and starts it again. Resolves once it is ready. */
export const restartService = () => fetch(process.env.RESTART_URL, { method: 'POST' })

/** Accounts for the step with many reads, more than programs put into one batch by default. */
export const manyAddresses = Array.from(
  { length: 300 },
  (_, at) => `0x${(at + 1).toString(16).padStart(40, '0')}`,
)

/** Reports the version of the library under test. */
export const version = (text) => console.log(`* version: ${text}`)

/**
 * Tries the ways of a step in order and reports the first that works.
 * @param ways functions by the option that each needs; the empty text is the way without an option
 * @param limit the reason why no way can work, and a pattern that the error of the last way then matches
 */
export async function step(name, ways, limit) {
  let failure
  for (const [option, way] of Object.entries(ways)) {
    try {
      await way()
      return console.log(`* ${name}: works${option && ` with ${option}`}`)
    } catch (error) {
      failure = error
      console.error(`${name}${option && ` with ${option}`}:`, error)
    }
  }
  const isLimit = limit?.pattern.test(messagesOf(failure))
  console.log(`* ${name}: ${isLimit ? `cannot: ${limit.why}` : 'failed'}`)
}

/** The message of an error with those of its causes. */
export const messagesOf = (error) =>
  error instanceof Error ? `${error.name}: ${error.message}\n${messagesOf(error.cause)}` : `${error ?? ''}`

/** Resolves to the error with which a call rejects. Rejects when the call succeeds. */
export const refusal = (call) =>
  call.then(
    (value) => Promise.reject(new Error(`an error was expected, not ${value}`)),
    (error) => error,
  )

/** Resolves to what `find` returns once that is true. Rejects after a minute. */
export async function until(find) {
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    const found = await find()
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`after a minute this does not hold: ${find}`)
}
