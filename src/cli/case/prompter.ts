import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { UsageError } from '../io.js'

/** A question for one line of text. */
export interface Question {
  readonly text: string
  /** The answer that an empty line gives. */
  readonly initial?: string | undefined
  /** Returns why an answer is not usable; undefined for a usable one. */
  readonly problem: (answer: string) => string | undefined
}

/** Asks questions, line by line. */
export interface Prompter {
  /**
   * Asks until the answer is usable.
   * @throws UsageError when the input ends
   */
  readonly ask: (question: Question) => Promise<string>
  readonly close: () => void
}

/**
 * Creates a prompter for a terminal or a pipe.
 * @param show writes a line for the user
 */
export function createPrompter(input: Readable, show: (line: string) => void): Prompter {
  const reader = createInterface({ input })
  // The iterator keeps lines that arrive before their question, as from a pipe.
  const lines = reader[Symbol.asyncIterator]()
  return {
    ask: async ({ text, initial, problem }) => {
      for (;;) {
        show(initial === undefined || initial === '' ? `${text}:` : `${text} [${initial}]:`)
        const { value, done } = await lines.next()
        if (done === true) throw new UsageError(`the input ended before an answer to "${text}"`)
        const answer = String(value).trim() || (initial ?? '')
        const why = problem(answer)
        if (why === undefined) return answer
        show(`  ${why}`)
      }
    },
    close: () => reader.close(),
  }
}
