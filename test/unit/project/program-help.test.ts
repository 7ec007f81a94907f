import t from 'tap'
import { helpOf, oneOf, positive, seedOf } from '../../support/program-help.js'

t.test('the help of a program is the comment at the top of its file', async (t) => {
  const help = helpOf(new URL('../../../lab/fuzz/run.ts', import.meta.url).href)
  t.match(help, /^`npm run fuzz` sends/)
  t.match(help, '\n  npm run fuzz -- --seed 7 ')
  t.notMatch(help, /^ ?\*/m)
})

t.test('an option with another value is refused with what it takes', async (t) => {
  t.equal(positive('minutes', '0.5'), 0.5)
  for (const text of ['0', '-1', 'x', ''])
    t.throws(() => positive('minutes', text), /--minutes takes a number/)
  t.equal(oneOf('only', 'forms', ['bytes', 'forms']), 'forms')
  t.throws(() => oneOf('only', 'form', ['bytes', 'forms']), /--only takes bytes, forms, not "form"/)
  t.equal(seedOf('7'), 7)
  t.throws(() => seedOf('7.5'), /--seed takes a whole number/)
  t.ok(Number.isSafeInteger(seedOf(undefined)))
})
