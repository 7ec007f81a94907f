import t from 'tap'
import type { AnsweredRequest, AnswerSource } from '../../../../src/judge/requests/shared-answers.js'
import { SharedAnswers } from '../../../../src/judge/requests/shared-answers.js'

const isAboutHead = ({ method }: { readonly method: string }) => method === 'newest'

/** Answers a call, if it must be sent. Returns the answer, and whether it was sent. */
async function ask(source: AnswerSource, method: string, text: string) {
  const claim = await source.claim(method)
  if (claim?.answered !== undefined) return [claim.answered.exchange.reply?.text, 'shared']
  claim?.settle({
    request: { calls: [{ method, params: undefined, id: '1' }] },
    exchange: { reply: { status: 200, text } },
  } as unknown as AnsweredRequest)
  return [text, 'sent']
}

t.test('on a chain that stands still, all cases share answers about the head', async (t) => {
  const shared = new SharedAnswers(isAboutHead)
  t.same(await ask(shared.forAttempt(1, false), 'newest', 'a'), ['a', 'sent'])
  t.same(await ask(shared.forAttempt(1, true), 'newest', 'b'), ['a', 'shared'])
})

t.test('after the head moved, only comparisons with it ask again, and only about it', async (t) => {
  const shared = new SharedAnswers(isAboutHead)
  for (const method of ['newest', 'book']) await ask(shared.forAttempt(1, false), method, 'old')
  await new Promise((resolve) => setTimeout(resolve, 2))
  shared.headMoved()
  t.same(await ask(shared.forAttempt(1, false), 'newest', 'new'), ['old', 'shared'])
  t.same(await ask(shared.forAttempt(1, true), 'book', 'new'), ['old', 'shared'])
  t.same(await ask(shared.forAttempt(1, true), 'newest', 'new'), ['new', 'sent'])
  t.same(await ask(shared.forAttempt(1, false), 'newest', 'newer'), ['new', 'shared'])
})

t.test('a retry sends every call, and later cases share its answers', async (t) => {
  const shared = new SharedAnswers(isAboutHead)
  await ask(shared.forAttempt(1, false), 'book', 'old')
  t.same(await ask(shared.forAttempt(2, true), 'book', 'new'), ['new', 'sent'])
  t.same(await ask(shared.forAttempt(1, false), 'book', 'newer'), ['new', 'shared'])
})
