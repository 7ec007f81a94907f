import fc from 'fast-check'
import t from 'tap'
import { lineDiff } from '../../../../src/toolkit/codegen/index.js'
import { runs } from '../../../support/runs.js'

/** Applies a diff, like \`patch\`. */
function patched(before: string, lines: readonly string[]): string {
  const old = before.split('\n')
  const result: string[] = []
  let at = 0
  for (const line of lines) {
    const hunk = /^@@ -(\d+),\d+ \+\d+,\d+ @@$/.exec(line)
    if (hunk) result.push(...old.slice(at, Number(hunk[1]) - 1))
    if (hunk) at = Number(hunk[1]) - 1
    else if (line.startsWith('+')) result.push(line.slice(1))
    else {
      if (old[at] !== line.slice(1)) throw new Error(`line ${at} is not ${line}`)
      if (line.startsWith(' ')) result.push(line.slice(1))
      at++
    }
  }
  return [...result, ...old.slice(at)].join('\n')
}

t.test('a diff shows changes with three lines of context', async (t) => {
  const lines = (...changed: readonly [number, string][]) => {
    const all = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`)
    for (const [at, text] of changed) all[at - 1] = text
    return all.join('\n')
  }
  t.same(lineDiff('a\nb', 'a\nb'), { added: 0, removed: 0, lines: [] })
  t.same(lineDiff('a\nb\nc', 'a\nx\nc'), {
    added: 1,
    removed: 1,
    lines: ['@@ -1,3 +1,3 @@', ' a', '-b', '+x', ' c'],
  })
  t.same(lineDiff('a', 'a\nb').lines, ['@@ -1,1 +1,2 @@', ' a', '+b'])
  t.same(lineDiff(lines(), lines([5, 'five'], [18, 'eighteen'])).lines, [
    ...[
      '@@ -2,7 +2,7 @@',
      ' line 2',
      ' line 3',
      ' line 4',
      '-line 5',
      '+five',
      ' line 6',
      ' line 7',
      ' line 8',
    ],
    ...[
      '@@ -15,6 +15,6 @@',
      ' line 15',
      ' line 16',
      ' line 17',
      '-line 18',
      '+eighteen',
      ' line 19',
      ' line 20',
    ],
  ])
  t.equal(
    lineDiff(lines(), lines([5, 'x'], [11, 'y'])).lines.filter((line) => line.startsWith('@@')).length,
    1,
  )
})

t.test('an applied diff produces the new text', async () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', '', '-', '+ x'), { maxLength: 30 })
    .map((all) => all.join('\n'))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { added, removed, lines } = lineDiff(before, after)
      const lengths = after.split('\n').length - before.split('\n').length
      return patched(before, lines) === after && added - removed === lengths
    }),
    { numRuns: runs(3000) },
  )
})

t.test('texts without common lines are one replacement', async (t) => {
  const before = Array.from({ length: 3000 }, (_, at) => `old ${at}`).join('\n')
  const after = Array.from({ length: 2000 }, (_, at) => `new ${at}`).join('\n')
  const { added, removed, lines } = lineDiff(`first\n${before}\nlast`, `first\n${after}\nlast`)
  t.same([added, removed, lines.length], [2000, 3000, 5003])
})
