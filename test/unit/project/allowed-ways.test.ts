import t from 'tap'
import { compareWay, updateAllowedWays } from '../../../bench/allowed-ways.js'
import { wayNames } from '../../../bench/ways.js'

t.test(
  'a longer way fails with the names of its new files, and is allowed by a decision alone',
  async (t) => {
    const [name] = wayNames
    const before = { decision: '0001-a.md', files: ['a', 'b'] }
    const longer = compareWay(name, before, ['src/x/a', 'src/y/b', 'src/y/c'])
    t.match(longer, {
      isLonger: true,
      text: /3 source files, and 2 are allowed\n {2}added: c\n {2}gone: none/,
    })
    t.equal(compareWay(name, before, ['src/moved/a', 'src/y/renamed']), undefined)
    t.match(compareWay(name, before, ['src/a']), { isLonger: false, text: /gone: b/ })

    const files = ['src/a', 'src/b', 'src/c']
    const [request, generate, conformanceCase] = wayNames
    const ofAll = <Value>(value: Value) => ({ [request]: value, [generate]: value, [conformanceCase]: value })
    const update = (decision?: string) =>
      updateAllowedWays({ about: 'x', ways: ofAll(before) }, ofAll(files), decision).ways[name]
    t.same(update(), before)
    t.same(update('0002-b.md'), { decision: '0002-b.md', files: ['a', 'b', 'c'] })
  },
)
