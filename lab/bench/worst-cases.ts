import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hostileAnswers } from './hostile-answers.js'
import { hostileBodies, plain } from './hostile-bodies.js'
import { megabytes, Processes, peakMegabytes, processorTime, type Service } from './processes.js'

/** Requests per body. The lowest block counts, because other load on the machine can only increase it. */
const rounds = 5
/** The metric of the longest block since its last reading, accurate to 10 ms. */
const longestBlock = /^nodejs_eventloop_lag_max_seconds ([\d.e+-]+)$/m
const millisecondsPerSecond = 1_000

interface Cost {
  /** The longest block of the event loop, in milliseconds. */
  readonly block: number
  /** Processor time, in milliseconds. */
  readonly time: number
  /** Peak memory above the memory before, in megabytes. */
  readonly memory: number
  readonly status: number
}

/**
 * Prints the costs of the most expensive requests and node answers. They are the longest block of the event loop, and
 * processor time and memory as ratios to a plain body of the same size.
 * @param only part of the names to measure; default: all
 */
export async function benchWorstCases(folder: string, only = ''): Promise<void> {
  const processes = new Processes()
  try {
    await mkdir(folder, { recursive: true })
    const node = await processes.peer('hostile-node-server.ts', '0x1f')
    const main = await processes.peer('node-server.ts', '0x1e')
    const service = await processes.service(join(folder), {
      CONCORDAT_NODES_TEST: node.url,
      CONCORDAT_NODES_MAIN: main.url,
      NODE_OPTIONS: '--max-old-space-size=256',
    })
    const cases = [
      ...Object.entries(hostileBodies).map(([name, make]) => ({ name, body: make() })),
      ...Object.entries(hostileAnswers).map(([name, { request }]) => ({
        name: `answer: ${name}`,
        body: request,
      })),
    ].filter(({ name }) => name.includes(only))
    for (const body of ['warm', 'up']) await costOf(service, plain(5_000_000 + body.length))
    row('', 'KB', 'HTTP', 'block ms', 'CPU ms', 'CPU ratio', 'MB', 'MB ratio')
    for (const { name, body } of cases) {
      const usual = await costOf(service, plain(body.length))
      const cost = await costOf(service, body)
      row(
        name,
        (body.length / 1_000).toFixed(0),
        String(cost.status),
        cost.block.toFixed(0),
        cost.time.toFixed(1),
        (cost.time / usual.time).toFixed(1),
        cost.memory.toFixed(0),
        (cost.memory / Math.max(1, usual.memory)).toFixed(1),
      )
    }
  } finally {
    await processes.end()
  }
}

function row(name: string, ...cells: readonly string[]): void {
  console.log(name.padEnd(46) + cells.map((cell) => cell.padStart(10)).join(''))
}

/** The cost of a body that is sent alone: the lowest of several rounds. */
async function costOf(service: Service, body: string): Promise<Cost> {
  const costs: Cost[] = []
  for (let round = 0; round < rounds; round++) {
    await blockOf(service)
    const before = await processorTime(service.pid)
    await forgetPeak(service)
    const held = await megabytes(service.pid)
    const response = await fetch(service.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    await response.arrayBuffer()
    const peak = await peakMegabytes(service.pid)
    const time = ((await processorTime(service.pid)) - before) / millisecondsPerSecond
    costs.push({ block: await blockOf(service), time, memory: peak - held, status: response.status })
  }
  const lowest = (of: (cost: Cost) => number) => Math.min(...costs.map(of))
  return {
    block: lowest((cost) => cost.block),
    time: lowest((cost) => cost.time),
    memory: lowest((cost) => cost.memory),
    status: costs.at(-1)?.status ?? 0,
  }
}

/** The longest block since the last reading, in milliseconds. */
async function blockOf({ metrics }: Service): Promise<number> {
  const text = await (await fetch(metrics)).text()
  return Number(longestBlock.exec(text)?.[1]) * millisecondsPerSecond
}

/** Resets the peak of the memory (Linux: proc(5), clear_refs). */
const forgetPeak = ({ pid }: Service) => writeFile(`/proc/${pid}/clear_refs`, '5')
