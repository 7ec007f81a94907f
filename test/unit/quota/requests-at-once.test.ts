import t from 'tap'
import { KeyNotes } from '../../../src/gateway/key-notes.js'
import { createRequestsAtOnce } from '../../../src/gateway/quota/requests-at-once.js'

t.test('a user has as many places as are allowed, whatever keys the requests come with', async (t) => {
  const requests = createRequestsAtOnce(3)
  const [one, other] = [new KeyNotes(), new KeyNotes()]
  const places = [requests.enter('user', one), requests.enter('user', other), requests.enter('user')]
  t.notOk(places.includes(undefined))
  for (const notes of [one, other, undefined, new KeyNotes()])
    t.equal(requests.enter('user', notes), undefined)
  t.ok(requests.enter('another'), 'others are not concerned')
  places[0]?.leave()
  t.ok(requests.enter('user', other))
  t.equal(requests.enter('user', one), undefined)
})

t.test('who has nothing in flight is forgotten, and nobody else', async (t) => {
  const requests = createRequestsAtOnce(1)
  const [busy, idle] = [new KeyNotes(), new KeyNotes()]
  const place = requests.enter('busy', busy)
  requests.enter('idle', idle)?.leave()
  for (let user = 0; user < 120_000; user++) requests.enter(`user ${user}`)?.leave()
  t.equal(requests.enter('busy', busy), undefined)
  t.equal(requests.enter('busy', new KeyNotes()), undefined)
  t.ok(requests.enter('idle', idle), 'who was forgotten begins anew')
  t.equal(requests.enter('idle', new KeyNotes()), undefined, 'under one count for all keys')
  place?.leave()
  t.ok(requests.enter('busy', new KeyNotes()))
})
