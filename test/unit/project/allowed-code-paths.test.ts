import t from 'tap'
import { compareCodePath, updateAllowedCodePaths } from '../../../lab/bench/allowed-code-paths.js'
import { codePathNames } from '../../../lab/bench/code-paths.js'

t.test(
  'a longer code path fails with the names of its new files, and is allowed by a decision alone',
  async (t) => {
    const [name] = codePathNames
    const before = { decision: '0001-a.md', files: ['a', 'b'] }
    const longer = compareCodePath(name, before, ['src/x/a', 'src/y/b', 'src/y/c'])
    t.match(longer, {
      isLonger: true,
      text: /3 source files, and 2 are allowed\n {2}added: c\n {2}gone: none/,
    })
    t.equal(compareCodePath(name, before, ['src/moved/a', 'src/y/renamed']), undefined)
    t.match(compareCodePath(name, before, ['src/a']), { isLonger: false, text: /gone: b/ })

    const files = ['src/a', 'src/b', 'src/c']
    const [request, generate, conformanceCase] = codePathNames
    const ofAll = <Value>(value: Value) => ({ [request]: value, [generate]: value, [conformanceCase]: value })
    const update = (decision?: string) =>
      updateAllowedCodePaths({ about: 'x', codePaths: ofAll(before) }, ofAll(files), decision).codePaths[name]
    t.same(update(), before)
    t.same(update('0002-b.md'), { decision: '0002-b.md', files: ['a', 'b', 'c'] })
  },
)
