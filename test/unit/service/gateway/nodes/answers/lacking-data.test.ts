import t from 'tap'
import { LackingData } from '../../../../../../src/service/gateway/nodes/answers/lacking-data.js'

t.test(
  'a node lacks the data that it was found to lack and older data of that kind, for a limited time',
  async (t) => {
    const lacks = new LackingData()
    const state = (number: number | undefined) => ({ kind: 'state', selector: '', number }) as const
    const block = (number: number) => ({ kind: 'block', selector: '', number }) as const
    const minute = 60_000
    const now = performance.now()
    t.notOk(lacks.has(state(0), now))
    lacks.remember(state(50), 94, minute)
    lacks.remember(state(40), 94, minute)
    t.ok(lacks.has(state(50), now))
    t.ok(lacks.has(state(0), now))
    t.notOk(lacks.has(state(51), now))
    t.notOk(lacks.has(state(undefined), now))
    t.notOk(lacks.has(block(0), now))
    t.notOk(lacks.has(state(50), now + 2 * minute))
    lacks.remember(block(94), 94, minute)
    t.notOk(lacks.has(block(94), now), 'recent blocks are not recorded')
    lacks.remember(block(93), 94, minute)
    t.ok(lacks.has(block(93), now))
    lacks.remember(state(60), 94, 0)
    lacks.remember(state(10), 94, minute)
    t.notOk(lacks.has(state(60), now), 'expired entries do not return')
  },
)
