import type { JsonValue } from '@concordat/rpc'
import { isObject, toQuantity } from '../../ethereum/index.js'
import type { NodeAnswer } from '../../nodes/index.js'
import type { AnvilClient } from '../anvil/anvil-client.js'
import { EmbeddedChainError } from '../embedded-chain-error.js'
import type { MineNext } from '../seed/seed.js'
import { ChainJournal, type ChainStep } from './chain-journal.js'

/**
 * Maximum number of steps that a start replays. A transaction with its block takes two. Replaying a step takes about
 * 0.5 ms, and anvil's memory grows with the number of blocks.
 */
export const journalSteps = 10_000

/** A development chain whose steps are written to a journal. */
export interface JournaledChain {
  /**
   * Sends a transaction, after the previous calls have finished. With `mines`, it is mined before the answer arrives.
   * @param raw the signed transaction, hexadecimal
   * @param pass function that sends it to anvil
   */
  send(raw: string, pass: () => Promise<NodeAnswer>): Promise<NodeAnswer>
  /** Mines the next block of a moving head. */
  mineNext(): Promise<void>
  close(): Promise<void>
}

/** Options of {@link openJournaledChain}. */
export interface JournaledChainOptions {
  /** Path of the journal's file. */
  readonly path: string
  /** Whether a transaction is mined immediately. */
  readonly mines: boolean
  /** Mines another block of a moving head. */
  readonly mineNext: MineNext
  /** Receives what the chain has lost. */
  readonly warn: (line: string) => void
}

/**
 * Replays a journal on a seeded chain, and records further steps. The seed is the same at every start, so the chain
 * gets the same blocks, receipts, logs and states. If the journal has more than {@link journalSteps} steps or another
 * seed, empty blocks replace its blocks, so that the head never moves back.
 * @param anvil client of a seeded chain that mines on demand
 * @throws EmbeddedChainError if the file system or anvil refuses the journal
 */
export async function openJournaledChain(
  anvil: AnvilClient,
  options: JournaledChainOptions,
): Promise<JournaledChain> {
  const head = await anvil.call('eth_getBlockByNumber', 'latest', false)
  const { hash = '', timestamp = 0 } = isObject(head) ? head : {}
  let journal: ChainJournal | undefined
  try {
    journal = await ChainJournal.open(options.path, String(hash), options.warn)
    return await replayJournal(anvil, journal, options, String(hash), Number(timestamp))
  } catch (cause) {
    await journal?.close()
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `Cannot use ${options.path}: ${reason}. Remove it to start the development chain without its transactions`
    throw new EmbeddedChainError(message, { cause })
  }
}

/**
 * @param opened the journal, whose file both it and its replacement use
 * @param seed hash of the last block of the seed
 * @param seededAt time of that block, in seconds since 1970
 */
async function replayJournal(
  anvil: AnvilClient,
  opened: ChainJournal,
  { mines, mineNext, warn }: JournaledChainOptions,
  seed: string,
  seededAt: number,
): Promise<JournaledChain> {
  let journal = opened
  if (journal.steps.length > journalSteps) {
    warn(
      `the development chain starts without its transactions, with empty blocks up to its head: it had over ${journalSteps} steps`,
    )
    journal = await journal.restart(seed)
  }
  let clock = seededAt
  await replay(journal.steps)
  // Empty blocks that replace others may be later than the steps say.
  clock = Math.max(clock, await timeOfHead(anvil))

  async function replay(steps: readonly ChainStep[]): Promise<void> {
    const sent: Promise<unknown>[] = []
    for (const step of steps) {
      if ('timestamp' in step) clock = step.timestamp
      if (step.kind === 'movingBlock') await mineNext(step.timestamp)
      // anvil answers the requests of a connection in order.
      else sent.push(take(step).catch(() => null))
      if (sent.length >= requestsAhead) await Promise.all(sent.splice(0))
    }
    await Promise.all(sent)
  }

  /** Replays a step. The last transaction of a killed process may be one that anvil rejects. */
  function take(step: Exclude<ChainStep, { kind: 'movingBlock' }>): Promise<JsonValue> {
    if (step.kind === 'transaction') return anvil.call('eth_sendRawTransaction', step.raw)
    if (step.kind === 'block') return anvil.call('evm_mine', { timestamp: step.timestamp })
    return anvil.call('anvil_mine', toQuantity(step.count), '0x1')
  }

  /** The time of the next block, in seconds since 1970. */
  const now = (): number => {
    clock = Math.max(clock, Math.floor(Date.now() / 1_000))
    return clock
  }

  async function minePending(): Promise<void> {
    for (let [before, pending] = [Infinity, await pendingOf(anvil)]; pending > 0 && pending < before; ) {
      const timestamp = now()
      await journal.write({ kind: 'block', timestamp })
      await anvil.call('evm_mine', { timestamp })
      before = pending
      pending = await pendingOf(anvil)
    }
  }

  let last: Promise<unknown> = Promise.resolve()
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }

  // A killed process may have left a transaction without its block.
  if (mines) await minePending()
  return {
    send: (raw, pass) =>
      inTurn(async () => {
        await journal.write({ kind: 'transaction', raw })
        const answer = await pass()
        if (answer.error !== undefined) await journal.undo()
        else if (mines) await minePending()
        return answer
      }),
    mineNext: () =>
      inTurn(async () => {
        const timestamp = now()
        await journal.write({ kind: 'movingBlock', timestamp })
        await mineNext(timestamp)
      }),
    close: () => inTurn(() => journal.close()),
  }
}

/** Number of requests of a replay that are in flight. */
const requestsAhead = 64

async function pendingOf(anvil: AnvilClient): Promise<number> {
  const status = await anvil.call('txpool_status')
  return isObject(status) ? Number(status['pending']) : 0
}

/** The time of the latest block, in seconds since 1970. */
async function timeOfHead(anvil: AnvilClient): Promise<number> {
  const head = await anvil.call('eth_getBlockByNumber', 'latest', false)
  return isObject(head) ? Number(head['timestamp']) : 0
}
