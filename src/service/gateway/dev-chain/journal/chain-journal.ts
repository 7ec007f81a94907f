import { type FileHandle, open } from 'node:fs/promises'

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
   * Opens a journal, and creates its file if it is missing.
   * @param path path of the file
   * @param seed hash of the last block of the seed; the blocks of a journal on another seed are replaced by empty
   *   blocks
   * @throws the error of the file system
   */
  static async open(path: string, seed: string): Promise<ChainJournal> {
    const file = await open(path, 'a+', 0o600)
    await file.close()
    const handle = await open(path, 'r+')
    try {
      return await ChainJournal.#read(handle, seed)
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  static async #read(handle: FileHandle, seed: string): Promise<ChainJournal> {
    const text = await handle.readFile('utf8')
    // A killed process may have left an incomplete line.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    const [of, ...lines] = whole.split('\n').slice(0, -1)
    const steps = lines.flatMap(readStep)
    const journal = new ChainJournal(handle, Buffer.byteLength(whole), steps)
    if (of !== seed) return journal.restart(seed)
    await handle.truncate(journal.#bytes)
    return journal
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

function readStep(line: string): readonly ChainStep[] {
  const [sign, value] = [line[0], line.slice(1)]
  const number = Number(value)
  if (sign === signs.transaction) return [{ kind: 'transaction', raw: value }]
  if (sign === signs.block) return [{ kind: 'block', timestamp: number }]
  if (sign === signs.movingBlock) return [{ kind: 'movingBlock', timestamp: number }]
  return sign === signs.emptyBlocks ? [{ kind: 'emptyBlocks', count: number }] : []
}

/** The number of blocks that steps add to a chain. */
const blocksOf = (steps: readonly ChainStep[]): number =>
  steps.reduce((sum, step) => {
    if (step.kind === 'transaction') return sum
    return sum + (step.kind === 'emptyBlocks' ? step.count : 1)
  }, 0)
