/**
 * `npm run soak` sends a mixed load to a service for a long time: the inputs of `npm run fuzz`, of all directions at once.
 * It fails if memory, open files or sockets grow after the warm-up, or if an answer is outside of the contract.
 *
 *   npm run soak                    30 minutes
 *   npm run soak -- --minutes 10    another time; the first third is the warm-up
 *   npm run soak -- --seed 7        the same inputs again
 *   npm run soak -- --plot FILE     where to write the plot; default: .tap/soak.svg
 */
import { mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { positive, readOptions, seedOf } from '../../test/support/program-help.js'
import type { Direction } from '../fuzz/direction.js'
import { kindOf, storeInputs } from '../fuzz/fuzz.js'
import { startTargets } from '../fuzz/targets.js'
import { judgeMeasure, measuresOf, plot, type Sample, warmUpOf } from './measures.js'

const {
  seed,
  minutes,
  plot: plotFile,
} = readOptions(import.meta.url, () => {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '30' },
      seed: { type: 'string' },
      plot: { type: 'string', default: '.tap/soak.svg' },
    },
  })
  return { ...values, seed: seedOf(values.seed), minutes: positive('minutes', values.minutes) }
})
const sampleMilliseconds = 5_000
/** Inputs of a direction that are generated at once. */
const blockSize = 200
const bytesPerMebibyte = 1_048_576

/** What the process has now. */
async function sample(pid: number, metrics: string): Promise<Sample> {
  const folder = `/proc/${pid}/fd`
  const [status, text, files] = await Promise.all([
    readFile(`/proc/${pid}/status`, 'utf8'),
    fetch(metrics).then((response) => response.text()),
    readdir(folder),
  ])
  const links = await Promise.all(files.map((file) => readlink(`${folder}/${file}`).catch(() => '')))
  const sockets = links.filter((link) => link.startsWith('socket:')).length
  return {
    residentMemory: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024,
    usedHeap: Number(/^nodejs_heap_size_used_bytes ([\d.e+]+)$/m.exec(text)?.[1]) / bytesPerMebibyte,
    openFiles: files.length,
    sockets,
  }
}

/** The last problem of each kind, and how many there were. */
type Problems = Map<string, { readonly problem: string; readonly count: number }>

/** Sends inputs of a direction, block by block, until the time is over. */
async function sendAll(direction: Direction, isOver: () => boolean, problems: Problems): Promise<number> {
  let sent = 0
  for (let block = 0; !isOver(); block++) {
    const inputs = fc.sample(direction.inputs, { seed: (seed + block) | 0, numRuns: blockSize }).values()
    const worker = async () => {
      for (const input of inputs) {
        if (isOver()) return
        sent += 1
        await direction.send(input).catch(async (error) => {
          const problem = `${direction.name}: ${error}`
          const kind = kindOf(problem)
          const known = problems.get(kind)
          problems.set(kind, { problem, count: (known?.count ?? 0) + 1 })
          if (known !== undefined) return
          const file = await storeInputs(`soak-${seed}-${problems.size}`, direction.name, problem, [input])
          console.log(`FAILED ${problem}\n  last error of the service: ${targets.lastError() ?? 'none'}`)
          console.log(`  again: npm run fuzz -- --replay ${file}`)
        })
      }
    }
    await Promise.all(Array.from({ length: direction.atOnce }, worker))
  }
  return sent
}

const targets = await startTargets(seed)
const problems: Problems = new Map()
const samples: Sample[] = []
const endsAt = performance.now() + minutes * 60_000
const isOver = () => performance.now() >= endsAt
console.log(`seed ${seed}, ${minutes} minutes`)
const sending = targets.directions.map(({ direction }) => sendAll(direction, isOver, problems))
while (!isOver()) {
  samples.push(await sample(targets.pid, targets.metrics))
  await delay(sampleMilliseconds)
}
const sent = (await Promise.all(sending)).reduce((sum, count) => sum + count, 0)
for (const problem of await targets.problems()) problems.set(problem, { problem, count: 1 })
await targets.close()

const measures = measuresOf(samples)
let isFlat = true
console.log(`${sent} inputs, ${samples.length} samples, ${warmUpOf(samples.length)} of them in the warm-up`)
for (const measure of measures) {
  const verdict = judgeMeasure(measure)
  isFlat &&= verdict.isFlat
  const word = verdict.isFlat ? 'flat' : 'GROWS'
  console.log(
    `${measure.name.padEnd(16)} median ${verdict.median.toFixed(0).padStart(5)} ${measure.unit.padEnd(4)}growth ${verdict.growth.toFixed(1).padStart(7)}  ${word}`,
  )
}
await mkdir(dirname(plotFile), { recursive: true })
await writeFile(plotFile, plot(measures, `npm run soak: ${minutes} minutes, seed ${seed}`))
console.log(`plot: ${plotFile}`)
for (const { problem, count } of problems.values()) console.log(`${count} × ${problem}`)
process.exitCode = isFlat && problems.size === 0 ? 0 : 1
