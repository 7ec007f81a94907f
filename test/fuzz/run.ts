/**
 * `npm run fuzz` sends generated inputs to a running service and judges every answer with the contract: requests and
 * changed bytes of callers, answers of a hostile node, frames on WebSockets, and forms of the dashboard.
 *
 *   npm run fuzz                             20,000 inputs
 *   npm run fuzz -- --inputs 1000000         the long run
 *   npm run fuzz -- --seed 7                 the same inputs again
 *   npm run fuzz -- --only nodes             one direction: callers, bytes, nodes, frames or forms
 *   npm run fuzz -- --replay FILE...         stored inputs, one after the other
 */
import { parseArgs } from 'node:util'
import { runFuzz } from './fuzz.js'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    inputs: { type: 'string', default: '20000' },
    only: { type: 'string' },
    replay: { type: 'string' },
  },
})
const seed = Number(values.seed)
console.log(`seed ${seed}`)
const { sent, failures } = await runFuzz({
  seed,
  inputs: Number(values.inputs),
  only: values.only,
  replay: values.replay === undefined ? undefined : [values.replay, ...positionals],
  say: console.log,
})
console.log(
  `${sent} inputs sent, ${failures.length === 0 ? 'no failure' : `${failures.length} kinds of failures`}`,
)
process.exitCode = failures.length === 0 ? 0 : 1
