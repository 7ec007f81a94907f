import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import type { Direction } from './direction.js'
import { startTargets, type Targets } from './targets.js'

/** Options of a run. */
export interface FuzzOptions {
  readonly seed: number
  /** Number of generated inputs, in all directions. */
  readonly inputs: number
  /** The only direction to run. */
  readonly only?: Direction['name'] | undefined
  /** Files of stored inputs to send instead of generated ones. */
  readonly replay?: readonly string[] | undefined
  readonly say: (line: string) => void
}

/** The result of a run. */
export interface FuzzReport {
  readonly sent: number
  readonly failures: readonly string[]
}

/** Stored inputs that once failed or are interesting. `why` is the reason. */
interface StoredInputs {
  readonly direction: string
  readonly why: string
  readonly inputs: readonly unknown[]
}

/** Number of inputs that are generated from one seed. */
const blockSize = 1_000
/** Kinds of failures after which a run ends. */
const mostFailures = 20
/** Time limit for shrinking a failing input, in milliseconds. */
const shrinkTime = 20_000

const corpus = fileURLToPath(new URL('corpus/', import.meta.url))
/** Folder of failing inputs, which git ignores. */
const failuresFolder = fileURLToPath(new URL('../../.tap/fuzz/', import.meta.url))

/** Sends the corpus, then generated inputs in all directions, and judges every answer. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const targets = await startTargets(options.seed)
  const run = new FuzzRun(options, targets)
  try {
    await run.all()
    return await run.end()
  } finally {
    await targets.close()
  }
}

class FuzzRun {
  readonly #options: FuzzOptions
  readonly #targets: Targets
  readonly #failures = new Map<string, string>()
  /** Inputs without an answer yet. */
  readonly #inFlight = new Set<unknown>()
  #sent = 0
  #hasExited = false

  constructor(options: FuzzOptions, targets: Targets) {
    this.#options = options
    this.#targets = targets
  }

  async all(): Promise<void> {
    const { inputs, only, replay } = this.#options
    let current: Direction | undefined
    const inFlight = () => [...this.#inFlight]
    this.#targets.onExit = (program) => {
      this.#hasExited = true
      void this.#fail(`${program} exited`, current?.name ?? '', inFlight())
    }
    const files = replay ?? (await readdir(corpus)).map((file) => join(corpus, file))
    for (const file of files) {
      const stored = JSON.parse(await readFile(file, 'utf8')) as StoredInputs
      current = this.#targets.directions.find(
        ({ direction }) => direction.name === stored.direction,
      )?.direction
      if (current === undefined) throw new TypeError(`${file}: no direction ${stored.direction}`)
      if (only === undefined || only === current.name) await this.#replay(current, stored)
    }
    if (replay !== undefined) return
    for (const { direction, part } of this.#targets.directions) {
      if (only !== undefined && only !== direction.name) continue
      current = direction
      await this.#generate(direction, Math.ceil(inputs * (only === undefined ? part : 1)))
    }
  }

  async end(): Promise<FuzzReport> {
    for (const problem of await this.#targets.problems()) await this.#fail(problem, '', [])
    const block = await this.#targets.longestBlock()
    this.#options.say(
      `longest block of the event loop: ${block === undefined ? 'below 15' : block} ms of processor time`,
    )
    return { sent: this.#sent, failures: [...this.#failures.values()] }
  }

  get #isOver(): boolean {
    return this.#hasExited || this.#failures.size >= mostFailures
  }

  /** Sends stored inputs one after the other, so that a crash identifies its input. */
  async #replay(direction: Direction, { inputs, why }: StoredInputs): Promise<void> {
    for (const input of inputs) {
      if (this.#isOver) return
      const problem = await this.#try(direction, input)
      if (this.#options.replay !== undefined)
        this.#options.say(`${direction.name}: ${problem ?? 'as the contract says'}`)
      if (problem !== undefined) await this.#fail(`${problem} (stored: ${why})`, direction.name, [input])
    }
  }

  async #generate(direction: Direction, count: number): Promise<void> {
    const kinds = new Map<string, number>()
    const started = performance.now()
    for (let block = 0; block * blockSize < count && !this.#isOver; block++) {
      const seed = (this.#options.seed + block * 7_919) | 0
      const numRuns = Math.min(blockSize, count - block * blockSize)
      const queue = fc.sample(direction.inputs, { seed, numRuns }).entries()
      const worker = async () => {
        for (const [at, input] of queue) {
          if (this.#isOver) return
          const problem = await this.#try(direction, input, kinds)
          if (problem !== undefined) await this.#shrink(direction, problem, input, { seed, path: String(at) })
        }
      }
      await Promise.all(Array.from({ length: direction.atOnce }, worker))
    }
    const seconds = (performance.now() - started) / 1_000
    this.#options.say(`${direction.name}: ${count} inputs in ${seconds.toFixed(0)} s: ${tableOf(kinds)}`)
  }

  /** Sends an input. @returns the problem; undefined if the answer is correct */
  async #try(
    direction: Direction,
    input: unknown,
    kinds = new Map<string, number>(),
  ): Promise<string | undefined> {
    this.#inFlight.add(input)
    this.#sent += 1
    try {
      const kind = await direction.send(input)
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
      return undefined
    } catch (error) {
      return this.#hasExited ? undefined : String(error)
    } finally {
      this.#inFlight.delete(input)
    }
  }

  /** Shrinks a failing input. fast-check generates it again from its place among the generated inputs. */
  async #shrink(
    direction: Direction,
    problem: string,
    input: unknown,
    place: { readonly seed: number; readonly path: string },
  ): Promise<void> {
    if (this.#failures.has(kindOf(problem))) return
    this.#failures.set(kindOf(problem), problem)
    const property = fc.asyncProperty(direction.inputs, async (smaller) => {
      const found = await this.#try(direction, smaller)
      return found === undefined || kindOf(found) !== kindOf(problem)
    })
    const { counterexample } = await fc.check(property, {
      ...place,
      numRuns: 1,
      interruptAfterTimeLimit: shrinkTime,
    })
    // The smaller input may fail only because the service has cached the answer to the original one.
    await this.#fail(problem, direction.name, [input, counterexample?.[0] ?? input])
  }

  async #fail(problem: string, direction: string, inputs: readonly unknown[]): Promise<void> {
    this.#failures.set(kindOf(problem), problem)
    const { say, seed } = this.#options
    say(`FAILED ${direction}: ${problem}`)
    say(`  last error of the service: ${this.#targets.lastError() ?? 'none'}`)
    if (inputs.length === 0) return
    const file = await storeInputs(`${direction}-${seed}-${this.#failures.size}`, direction, problem, inputs)
    say(`  input: ${JSON.stringify(inputs.at(-1)).slice(0, 1_000)}`)
    say(`  again: npm run fuzz -- --replay ${file}`)
  }
}

/**
 * Saves failing inputs of a direction.
 * @returns path of the file, for `npm run fuzz -- --replay`
 */
export async function storeInputs(
  name: string,
  direction: string,
  problem: string,
  inputs: readonly unknown[],
): Promise<string> {
  const stored: StoredInputs = { direction, why: problem.slice(0, 200), inputs }
  await mkdir(failuresFolder, { recursive: true })
  const file = join(failuresFolder, `${name}.json`)
  await writeFile(file, `${JSON.stringify(stored, null, 2)}\n`)
  return file
}

/** Returns the kind of a problem. Problems of one kind differ only in numbers and quoted texts. */
export const kindOf = (problem: string): string =>
  problem.replaceAll(/"[^"]*"|0x[0-9a-f]+|\d+/gi, '#').slice(0, 120)

const tableOf = (kinds: ReadonlyMap<string, number>): string =>
  [...kinds]
    .sort(([, one], [, other]) => other - one)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', ')
