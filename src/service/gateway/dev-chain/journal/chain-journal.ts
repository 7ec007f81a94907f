import { copyFile, type FileHandle, open } from 'node:fs/promises'

/** A step of a development chain after its seed. */
export type ChainStep =
  /** A signed transaction that anvil has accepted. */
  | { readonly kind: 'transaction'; readonly raw: string }
  /** A block with the transactions that were pending; `timestamp` in seconds since 1970. */
  | { readonly kind: 'block'; readonly timestamp: number }
  /** A block of a moving head, with transactions of its own. */
  | { readonly kind: 'movingBlock'; readonly timestamp: number }
  /** Empty blocks that replace the blocks of deleted steps. */
  | { readonly kind: 'emptyBlocks'; readonly count: number }

const signs = { transaction: '+', block: '=', movingBlock: '*', emptyBlocks: '#' } as const
/** Bytes of a damaged file are read and counted as they are. */
const ENCODING = 'latin1'

/**
 * The steps of a development chain, one per line of a file. Each step is written before the chain executes it, so a
 * killed process loses no block that a client has seen. A power failure may lose the last steps.
 */
export class ChainJournal {
  /** The steps in the file when it was opened. */
  readonly steps: readonly ChainStep[]
  readonly #file: FileHandle
  #bytes: number
  #lastBytes: number

  private constructor(file: FileHandle, bytes: number, steps: readonly ChainStep[]) {
    this.#file = file
    this.#bytes = bytes
    this.#lastBytes = bytes
    this.steps = steps
  }

  /**
   * Opens a journal, and creates its file if it is missing. The steps before a damaged line are kept, and empty blocks
   * replace the blocks after it. A copy of the damaged file stays beside it.
   * @param path path of the file
   * @param seed hash of the last block of the seed; the blocks of a journal on another seed are replaced by empty
   *   blocks
   * @param warn receives what was lost, and where the copy is
   * @throws the error of the file system
   */
  static async open(path: string, seed: string, warn: (line: string) => void): Promise<ChainJournal> {
    const file = await open(path, 'a+', 0o600)
    await file.close()
    const handle = await open(path, 'r+')
    try {
      return await ChainJournal.#read(handle, path, seed, warn)
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  static async #read(
    handle: FileHandle,
    path: string,
    seed: string,
    warn: (line: string) => void,
  ): Promise<ChainJournal> {
    const lines = (await handle.readFile(ENCODING)).split('\n')
    // A killed process may have left an incomplete line.
    if (incompleteLine.test(lines.at(-1) ?? '')) lines.pop()
    const damaged = lines.findIndex((line, at) =>
      at === 0 ? !seedLine.test(line) : readStep(line) === undefined,
    )
    const whole = damaged < 0 ? lines : lines.slice(0, damaged)
    const steps = whole.slice(1).flatMap((line) => readStep(line) ?? [])
    const journal = new ChainJournal(handle, whole.join('\n').length + Math.min(whole.length, 1), steps)
    const lost = lines.slice(whole.length).flatMap((line) => readStep(line) ?? lostBlock(line))
    if (damaged >= 0) {
      const copy = `${path}.damaged-${Date.now()}`
      await copyFile(path, copy)
      warn(
        `${path} is damaged in line ${damaged + 1}: the development chain has the ${steps.length} steps before it, and empty blocks instead of the blocks after it. Repeat the transactions that are missing. ${copy} is a copy of the damaged file`,
      )
    } else if (whole.length > 0 && whole[0] !== seed)
      warn(
        `the development chain starts without its transactions, with empty blocks up to its head: ${path} is of a version with other initial blocks`,
      )
    if (whole[0] !== seed) return new ChainJournal(handle, 0, [...steps, ...lost]).restart(seed)
    await handle.truncate(journal.#bytes)
    const count = blocksOf(lost)
    if (count === 0) return journal
    const emptyBlocks: ChainStep = { kind: 'emptyBlocks', count }
    await journal.write(emptyBlocks)
    return new ChainJournal(handle, journal.#bytes, [...steps, emptyBlocks])
  }

  /** Writes a step at the end of the file. */
  async write(step: ChainStep): Promise<void> {
    await this.#append(`${lineOf(step)}\n`)
  }

  /** Removes the step that was written last. */
  async undo(): Promise<void> {
    this.#bytes = this.#lastBytes
    await this.#file.truncate(this.#bytes)
  }

  /**
   * Replaces all steps by as many empty blocks as they had, and returns the new journal.
   * @param seed hash of the last block of the seed
   */
  async restart(seed: string): Promise<ChainJournal> {
    await this.#file.truncate(0)
    const count = blocksOf(this.steps)
    const steps: readonly ChainStep[] = count === 0 ? [] : [{ kind: 'emptyBlocks', count }]
    const journal = new ChainJournal(this.#file, 0, steps)
    await journal.#append([seed, ...steps.map(lineOf), ''].join('\n'))
    return journal
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  async #append(text: string): Promise<void> {
    this.#lastBytes = this.#bytes
    await this.#file.write(text, this.#bytes)
    this.#bytes += Buffer.byteLength(text)
  }
}

function lineOf(step: ChainStep): string {
  const sign = signs[step.kind]
  if (step.kind === 'transaction') return `${sign}${step.raw}`
  return `${sign}${step.kind === 'emptyBlocks' ? step.count : step.timestamp}`
}

/** The hash of a block. */
const seedLine = /^0x[0-9a-f]{64}$/
const stepLine = /^(?:\+0x[0-9a-fA-F]*|[=*#]\d{1,15})$/
/** The beginning of any line. */
const incompleteLine = /^(?:\+?(?:0|0x[0-9a-fA-F]*)?|[=*#]\d*)$/

/** Returns the step of a line; undefined for a damaged line. */
function readStep(line: string): ChainStep | undefined {
  if (!stepLine.test(line)) return undefined
  const [sign, value] = [line[0], line.slice(1)]
  const number = Number(value)
  if (sign === signs.transaction) return { kind: 'transaction', raw: value }
  if (sign === signs.block) return { kind: 'block', timestamp: number }
  if (sign === signs.movingBlock) return { kind: 'movingBlock', timestamp: number }
  return { kind: 'emptyBlocks', count: number }
}

/** The block of a damaged line that begins as that of a block, so that the head does not move back. */
const lostBlock = (line: string): readonly ChainStep[] =>
  /^[=*]/.test(line) ? [{ kind: 'emptyBlocks', count: 1 }] : []

/** The number of blocks that steps add to a chain. */
const blocksOf = (steps: readonly ChainStep[]): number =>
  steps.reduce((sum, step) => {
    if (step.kind === 'transaction') return sum
    return sum + (step.kind === 'emptyBlocks' ? step.count : 1)
  }, 0)
