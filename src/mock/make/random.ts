import { createHash } from 'node:crypto'

/** Choices that look like chance and are the same again for the same text. */
export interface Random {
  /** At least 0 and less than 1. */
  fraction(): number
  /** A whole number, both ends included. */
  whole(from: number, to: number): number
  /** One of a list that is not empty. */
  pick<Item>(list: readonly Item[]): Item
  /** True in this part of all cases. */
  chance(part: number): boolean
}

const TWO_TO_32 = 2 ** 32

/** Choices that depend on a text and on nothing else: the generator is sfc32, its state the text's SHA-256. */
export function createRandom(text: string): Random {
  const digest = createHash('sha256').update(text).digest()
  let [a, b, c, counter] = [0, 4, 8, 12].map((offset) => digest.readUInt32LE(offset)) as [
    number,
    number,
    number,
    number,
  ]

  function fraction(): number {
    const sum = (a + b + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return (sum >>> 0) / TWO_TO_32
  }

  const whole = (from: number, to: number) => from + Math.floor(fraction() * (to - from + 1))
  return {
    fraction,
    whole,
    chance: (part) => fraction() < part,
    pick(list) {
      if (list.length === 0) throw new RangeError('there is nothing to pick from')
      return list[whole(0, list.length - 1)] as (typeof list)[number]
    },
  }
}
