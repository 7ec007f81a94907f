/**
 * `npm run fuzz` sends generated inputs to a running service and judges every answer with the contract. The inputs are
 * requests and changed bytes of callers, answers of a hostile node, frames on WebSockets, and forms of the dashboard.
 *
 *   npm run fuzz                             20,000 inputs
 *   npm run fuzz -- --inputs 1000000         a long run
 *   npm run fuzz -- --seed 7                 the inputs of an earlier run with this seed
 *   npm run fuzz -- --only nodes             one direction: callers, bytes, nodes, frames or forms
 *   npm run fuzz -- --replay FILE...         stored inputs, one after the other
 */
import { parseArgs } from 'node:util'
import { oneOf, positive, readOptions, seedOf } from '../../test/support/program-help.js'
import { directionNames } from './direction.js'
import { runFuzz } from './fuzz.js'

const options = readOptions(import.meta.url, () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string' },
      inputs: { type: 'string', default: '20000' },
      only: { type: 'string' },
      replay: { type: 'string' },
    },
  })
  return {
    seed: seedOf(values.seed),
    inputs: positive('inputs', values.inputs),
    only: values.only === undefined ? undefined : oneOf('only', values.only, directionNames),
    replay: values.replay === undefined ? undefined : [values.replay, ...positionals],
  }
})
console.log(`seed ${options.seed}`)
const { sent, failures } = await runFuzz({ ...options, say: console.log })
console.log(
  `${sent} inputs sent, ${failures.length === 0 ? 'no failure' : `${failures.length} kinds of failures`}`,
)
process.exitCode = failures.length === 0 ? 0 : 1
