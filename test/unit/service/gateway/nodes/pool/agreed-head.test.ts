import t from 'tap'
import { agreedHead, type HeadVote } from '../../../../../../src/service/gateway/nodes/pool/agreed-head.js'

const lag = 6

/** Votes of nodes that agreed with the last head; a negative number is a vote of a node that did not. */
const votes = (...heads: number[]): HeadVote[] =>
  heads.map((head) => ({ head: Math.abs(head), agrees: head >= 0 }))

t.test('the head that the nodes agree on', async (t) => {
  const rows: readonly [why: string, agreed: number | undefined, current: number, ...heads: number[]][] = [
    ['without a node there is no head', undefined, 100],
    ['a single node decides the first head', 5, -1, 5],
    ['a single remaining node may advance', 101, 100, 101],
    ['a single remaining node that agreed last may advance far', 1_000, 100, 1_000],
    ['a single remaining node keeps the head', 100, 100, 100],
    ['a single remaining node may not go back', undefined, 100, 99],
    ['a single remaining node that disagreed does not decide', undefined, 100, -1_000],
    ['of two nodes at the start the higher one counts', 1_000, -1, 5, 1_000],
    ['of two nodes within the lag the higher one counts', 106, 100, 100, 106],
    ['of two nodes a whole lag apart that both advanced, the higher one counts', 206, 100, 200, 206],
    [
      'of two nodes a whole lag apart, the higher one counts, although only the lower one agreed',
      106,
      100,
      -106,
      100,
    ],
    ['of two nodes that differ by more, the one that leapt does not count', 100, 100, 107, 100],
    ['of two nodes that differ by more, the one that fell behind does not count', 107, 106, 100, 107],
    ['of two nodes that both advanced, the higher one counts', 300, 100, 200, 300],
    ['of two nodes the one that agreed last counts, however far it advances', 200, 100, -1_000, 200],
    ['of two nodes the one that agreed last counts, also if it is the lower one', 300, 100, -110, 300],
    ['two nodes that went back together count', 30, 230, 30, 29],
    ['one of two nodes that went back does not count', 230, 230, 230, 30],
    ['of three nodes the second highest counts', 100, 100, 1_000, 100, 99],
    ['of three nodes the second highest counts, also if it is lower than before', 97, 100, 100, 97, 97],
    ['of three nodes a single lagging one does not count', 103, 103, 103, 103, 50],
    ['of four nodes the second highest counts', 103, 100, 104, 103, 1, 2],
  ]
  for (const [why, agreed, current, ...heads] of rows) {
    t.equal(agreedHead(votes(...heads), current, lag), agreed, why)
    t.equal(agreedHead(votes(...heads.toReversed()), current, lag), agreed, `${why}, in any order`)
  }
})
