import t from 'tap'
import { agreedHead, type HeadVote } from '../../../../src/gateway/nodes/agreed-head.js'

const lag = 6

/** Votes of nodes that agreed with the last head, or, below zero, of nodes that did not. */
const votes = (...heads: number[]): HeadVote[] =>
  heads.map((head) => ({ head: Math.abs(head), agrees: head >= 0 }))

t.test('the head that nodes agree on', async (t) => {
  const rows: readonly [why: string, agreed: number | undefined, current: number, ...heads: number[]][] = [
    ['no node decides nothing', undefined, 100],
    ['one node decides the first head', 5, -1, 5],
    ['one node that is left goes forward', 101, 100, 101],
    ['one node that is left goes forward far, as it agreed last', 1_000, 100, 1_000],
    ['one node that is left keeps the head', 100, 100, 100],
    ['one node that is left does not go back', undefined, 100, 99],
    ['one node that is left and did not agree does not decide', undefined, 100, -1_000],
    ['of two at the start the higher counts', 1_000, -1, 5, 1_000],
    ['of two the higher counts within the lag', 106, 100, 100, 106],
    ['of two that differ by more, the one that leapt does not', 100, 100, 107, 100],
    ['of two that differ by more, the one that fell behind does not', 107, 106, 100, 107],
    ['of two that both went on, the higher counts', 300, 100, 200, 300],
    ['of two the one that agreed last counts, however far it goes', 200, 100, -1_000, 200],
    ['of two the one that agreed last counts, the lower way, too', 300, 100, -110, 300],
    ['two that went back together count', 30, 230, 30, 29],
    ['one of two that went back does not', 230, 230, 230, 30],
    ['of three the second highest counts', 100, 100, 1_000, 100, 99],
    ['of three the second highest counts, when it is lower than before', 97, 100, 100, 97, 97],
    ['of three one that is behind does not count', 103, 103, 103, 103, 50],
    ['of four the second highest counts', 103, 100, 104, 103, 1, 2],
  ]
  for (const [why, agreed, current, ...heads] of rows) {
    t.equal(agreedHead(votes(...heads), current, lag), agreed, why)
    t.equal(agreedHead(votes(...heads.toReversed()), current, lag), agreed, `${why}, in any order`)
  }
})
